"""Jobs on threads, for calls that release the GIL; and how work in Python is ended early."""

from __future__ import annotations

import _thread
import itertools
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from typing import Final, TypeVar

from chase_fast._core import StopFlag
from chase_fast.errors import StoppedError

T = TypeVar("T")

# Seconds after which a waiting thread looks whether it was interrupted.
_PATIENCE: Final = 0.05


def poll(stop: StopFlag | None) -> None:
    """Ends work in Python whose flag is set.

    Raises:
        StoppedError: It is.
    """
    if stop is not None and stop.is_set():
        raise StoppedError("stopped")


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
    numbers = itertools.count()

    def take() -> Callable[[], tuple[int, T]] | None:
        number = next(numbers)
        return (lambda: (number, jobs[number]())) if number < len(jobs) else None

    def collect(item: tuple[int, T]) -> None:
        early[item[0]] = item[1]
        while len(results) in early:
            results.append(early.pop(len(results)))
            if finished is not None:
                finished(results[-1])

    run_unordered(take, min(threads, len(jobs)), stop, collect)
    return results


def run_unordered(
    take: Callable[[], Callable[[], T] | None],
    threads: int,
    stop: StopFlag,
    finished: Callable[[T], object],
) -> None:
    """As `run_jobs`, but jobs are made when they are wanted, and no result is kept.

    Args:
        take: Gives the next job, or None where there are no more; called by the workers.
        threads: How many at a time.
        stop: Set when the call ends, however it ends; the jobs poll it.
        finished: Called by this thread with each result as it comes; true ends the call.

    Raises:
        BaseException: What a job, `take` or `finished` raised first.

    The exception of Ctrl-C may strike between any two instructions of this thread. In the code of
    `concurrent.futures` or `threading` that leaves locks taken which the workers need, and the
    program hangs; so here are only calls into C, each of which is done or not done.
    """
    # A result in a tuple, an exception, or None from a worker that ends.
    done: SimpleQueue[tuple[T] | BaseException | None] = SimpleQueue()

    def work() -> None:
        try:
            while not stop.is_set() and (job := take()) is not None:
                done.put((job(),))
        except BaseException as error:  # noqa: BLE001 - raised in the calling thread
            done.put(error)
        finally:
            done.put(None)

    workers = 0
    try:
        for _ in range(threads):
            _thread.start_new_thread(work, ())
            workers += 1
        while workers:
            try:
                # A signal just before the wait begins does not end it; look now and then.
                item = done.get(timeout=_PATIENCE)
            except Empty:
                continue
            if item is None:
                workers -= 1
            elif isinstance(item, BaseException):
                raise item
            elif finished(item[0]):
                break
    finally:
        # Wherever Ctrl-C struck; it does nothing to work that is done.
        stop.set()
        while workers > 0:
            workers -= done.get() is None
