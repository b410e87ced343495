"""Jobs on threads, for calls that release the GIL."""

from __future__ import annotations

import _thread
import itertools
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from typing import Final, TypeVar

from chase_fast._core import StopFlag

T = TypeVar("T")

# Seconds after which a waiting thread looks whether it was interrupted.
_PATIENCE: Final = 0.05


def run_jobs(
    jobs: Sequence[Callable[[], T]],
    threads: int,
    stop: StopFlag,
    finished: Callable[[T], None] | None = None,
) -> list[T]:
    """Runs jobs on threads; the caller only waits, so that Ctrl-C reaches it at once.

    Args:
        jobs: What to do, in this order.
        threads: How many at a time, at least 1.
        stop: Set when the call ends, however it ends; the jobs poll it.
        finished: Called by this thread with each result, in the order of the jobs.

    Returns:
        The results, in the order of the jobs.

    Raises:
        BaseException: What a job or `finished` raised first.
    """
    results: list[T] = []
    early: dict[int, T] = {}

    def collect(number: int, result: T) -> None:
        early[number] = result
        while len(results) in early:
            results.append(early.pop(len(results)))
            if finished is not None:
                finished(results[-1])

    run_unordered(jobs, threads, stop, collect)
    return results


def run_unordered(
    jobs: Sequence[Callable[[], T]],
    threads: int,
    stop: StopFlag,
    finished: Callable[[int, T], object],
) -> None:
    """As `run_jobs`, but each result is handed out at once, and none is kept.

    Args:
        jobs: What to do, begun in this order.
        threads: How many at a time, at least 1.
        stop: Set when the call ends, however it ends; the jobs poll it.
        finished: Called by this thread with the number of a job and its result; true ends the
            call, and jobs under way with it.

    Raises:
        BaseException: What a job or `finished` raised first.

    The exception of Ctrl-C may strike between any two instructions of this thread. In the code of
    `concurrent.futures` or `threading` that leaves locks taken which the workers need, and the
    program hangs; so here are only calls into C, each of which is done or not done.
    """
    numbers = itertools.count()
    # Number and result of a job, an exception, or None from a worker that ends.
    done: SimpleQueue[tuple[int, T] | BaseException | None] = SimpleQueue()

    def work() -> None:
        try:
            for number in numbers:
                if number >= len(jobs) or stop.is_set():
                    break
                done.put((number, jobs[number]()))
        except BaseException as error:  # noqa: BLE001 - raised in the calling thread
            done.put(error)
        finally:
            done.put(None)

    workers = 0
    left = len(jobs)
    try:
        for _ in range(min(threads, len(jobs))):
            _thread.start_new_thread(work, ())
            workers += 1
        while left:
            try:
                # A signal just before the wait begins does not end it; look now and then.
                item = done.get(timeout=_PATIENCE)
            except Empty:
                continue
            if isinstance(item, BaseException):
                raise item
            if item is None:
                workers -= 1
                continue
            left -= 1
            if finished(*item):
                break
    finally:
        # Wherever Ctrl-C struck; it does nothing to work that is done.
        stop.set()
        while workers > 0:
            workers -= done.get() is None
