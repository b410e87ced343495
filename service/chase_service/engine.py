"""Where the work of calls is done: threads that the whole server shares.

Work is a function that polls a stop flag. What belongs to one call is done side by side as far as
threads are free, in portions that are worth the way to a thread.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator, Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from chase_fast._core import StopFlag
from chase_service.batcher import AGAIN, Batcher, Ending, Stop
from chase_service.config import Config
from chase_service.figures import EngineFigures
from chase_service.refusal import Reason, Refusal

__all__ = ["Engine", "StopFlag", "Stopped", "Work"]

T = TypeVar("T")
U = TypeVar("U")
T_co = TypeVar("T_co", covariant=True)

_log = logging.getLogger("chase_service")

# Microseconds of work that go to a thread at a time, where a call has many small ones.
_PORTION_US: Final = 2000.0
# Seconds after which the refused may try again.
_RETRY_SECONDS: Final = 0.2
# Seconds for which queries can keep a chunk waiting, and between two looks whether they do.
_AGEING: Final = 1.0
_LOOK: Final = 0.005


class Stopped(Exception):  # noqa: N818 - a stop that was asked for is no error
    """Work that ended early since its flag was set."""


@dataclass(frozen=True, slots=True)
class Work(Generic[T_co]):
    """One piece of work.

    Attributes:
        run: Does it; polls the flag at least every millisecond and raises `Stopped` if it is set.
        cost_us: What it will take, about, in microseconds.
    """

    run: Callable[[StopFlag], T_co]
    cost_us: float

    def then(self, function: Callable[[T_co], U]) -> Work[U]:
        """The same with something done to its result, by the same thread."""
        return Work(lambda stop: function(self.run(stop)), self.cost_us)


class Engine:
    """Threads, and a bound for what may wait for them.

    Args:
        threads: How many.
        max_waiting: Portions that may wait or be under way before new calls are refused.
        inline_us: Microseconds of work that are done at once, on the loop, where nothing waits.
    """

    def __init__(self, *, threads: int, max_waiting: int = 8192, inline_us: float = 50.0) -> None:
        self.threads = threads
        self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="chase-engine")
        self._max_waiting = max_waiting
        self._inline_us = inline_us
        self._waiting = 0
        # Counted for `figures`.
        self._batches = 0
        self._inline = 0
        self._background: Batcher[Any, Any] | None = None
        self._chunks: set[Stop] = set()

    @property
    def waiting(self) -> int:
        """Portions that wait or are under way."""
        return self._waiting

    def figures(self) -> EngineFigures:
        """How it stands. From any thread."""
        work, chunks = self._waiting, len(self._chunks)
        return EngineFigures(
            queued_items=max(0, work - self.threads),
            busy_threads=min(work, self.threads) + chunks,
            batches=self._batches,
            merged=self._batches,
            inline=self._inline,
        )

    def admit(self) -> None:
        """Refuses a call, or a batch of a stream, while too much waits; not once it has begun.

        Raises:
            Refusal: OVERLOADED.
        """
        if self._waiting >= self._max_waiting:
            message = "the server has more work than it takes at a time"
            raise Refusal(Reason.OVERLOADED, message, retry_after=_RETRY_SECONDS)

    async def submit(self, work: Work[T], stop: StopFlag) -> T:
        """Does one piece of work; cancelled, it sets the flag and gives up waiting.

        Raises:
            Exception: What the work raises.
        """
        if work.cost_us <= self._inline_us and not self._waiting:
            self._inline += 1
            return work.run(stop)
        self._waiting += 1
        self._batches += 1
        self._make_room()
        future = self._pool.submit(work.run, stop)
        loop = asyncio.get_running_loop()
        # Counted until a thread is really through with it, even if nobody waits any more.
        future.add_done_callback(lambda _: loop.call_soon_threadsafe(self._left))
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            stop.set()
            raise

    def _left(self) -> None:
        self._waiting -= 1

    async def run(self, works: Iterable[Work[T]], stop: StopFlag) -> list[T | Refusal]:
        """Does many pieces; the results in their order, a refusal where one was refused.

        Raises:
            Stopped: The flag was set.
        """
        works = list(works)
        if not self._waiting and sum(work.cost_us for work in works) <= self._inline_us:
            self._inline += 1
            return _portion(works, 0.0).run(stop)
        results: list[T | Refusal] = []
        async with aclosing(self.portions(works, stop)) as portions:
            async for portion in portions:
                results += portion
        return results

    async def portions(
        self, works: Iterable[Work[T]], stop: StopFlag, *, ordered: bool = True
    ) -> AsyncGenerator[list[T | Refusal]]:
        """As `run`, some results at a time as they come; no more than needed is begun.

        Args:
            works: Read as threads become free.
            stop: Set when this ends, however it ends.
            ordered: Whether results come in order, or as they are finished.

        Whoever breaks off closes it (`contextlib.aclosing`), so that work ends with it.
        """
        portions = _portions(works)
        pending: deque[asyncio.Task[list[T | Refusal]]] = deque()
        try:
            while True:
                # One more than there are threads, so that none waits for this loop.
                while len(pending) <= self.threads and (portion := next(portions, None)):
                    pending.append(asyncio.ensure_future(self.submit(portion, stop)))
                if not pending:
                    return
                if not ordered:
                    await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
                    pending = deque(sorted(pending, key=lambda task: not task.done()))
                yield await pending.popleft()
        finally:
            if pending:
                stop.set()
                for task in pending:
                    task.cancel()
                await asyncio.gather(*pending, return_exceptions=True)

    # ---- Jobs -----------------------------------------------------------------------------------

    async def run_background(self, chunk: Callable[[Stop], Any], stop: StopFlag) -> Any:
        """Runs a chunk of a job when no query needs the thread.

        Args:
            chunk: Called on a thread with a flag, which it polls at least every 5 ms; gives
                `AGAIN` if it made room and is to be called again.
            stop: Ends it, together with whatever the chunk itself polls.

        Returns:
            What the chunk gave at last; None if it was stopped before.

        Raises:
            Exception: What the chunk raised.
        """
        if self._background is None:
            # Only its background is used here, so that its one thread for queries stays idle.
            self._background = Batcher(_NoQueries(), Config(threads=self.threads, query_threads=1))

        def call(room: Stop) -> tuple[Any]:
            self._chunks.add(room)
            try:
                return (chunk(room),)
            finally:
                self._chunks.discard(room)

        loop = asyncio.get_running_loop()
        while True:
            overdue = loop.time() + _AGEING
            # Looked at now and then: work ends in other threads, and nobody else waits here.
            while (  # noqa: ASYNC110
                self._waiting and self._full() and loop.time() < overdue and not stop.is_set()
            ):
                await asyncio.sleep(_LOOK)
            if stop.is_set():
                return None
            answer = await self._background.run_background(call)
            if answer.ending is Ending.ERROR:
                assert answer.error is not None
                raise answer.error
            if answer.ending is not Ending.RESULT:
                return None
            assert answer.result is not None
            if answer.result[0] is not AGAIN:
                return answer.result[0]

    def _full(self) -> bool:
        return self._waiting + len(self._chunks) >= self.threads

    def _make_room(self) -> None:
        """Asks chunks to come back, as many as there are too many."""
        if self._chunks:
            running = list(self._chunks)
            for room in running[: max(0, self._waiting + len(running) - self.threads)]:
                room.set()

    async def close_background(self) -> None:
        """Ends the threads of jobs, whose flags have to be set before."""
        if self._background is not None:
            await self._background.close(0.0)

    def close(self) -> None:
        """Waits for the threads; the flags of all work under way have to be set before."""
        self._pool.shutdown(wait=True, cancel_futures=True)


class _NoQueries:
    """The engine of a batcher that gets no queries."""

    def estimate(self, key: Hashable, payload: Any) -> float:
        raise NotImplementedError

    def prepare(self, key: Hashable, payloads: Sequence[Any]) -> Any:
        raise NotImplementedError

    def run(self, key: Hashable, prepared: Any, stop: Stop) -> Any:
        raise NotImplementedError

    def split(self, key: Hashable, done: Any, payloads: Sequence[Any]) -> Sequence[Any]:
        raise NotImplementedError


def _portions(works: Iterable[Work[T]]) -> Iterator[Work[list[T | Refusal]]]:
    """The same work in portions that are worth the way to a thread."""
    portion: list[Work[T]] = []
    cost = 0.0
    for work in works:
        portion.append(work)
        cost += work.cost_us
        if cost >= _PORTION_US:
            yield _portion(portion, cost)
            portion, cost = [], 0.0
    if portion:
        yield _portion(portion, cost)


def _portion(works: Sequence[Work[T]], cost_us: float) -> Work[list[T | Refusal]]:
    def run(stop: StopFlag) -> list[T | Refusal]:
        return [_result(work, stop) for work in works]

    return Work(run, cost_us)


def _result(work: Work[T], stop: StopFlag) -> T | Refusal:
    """What comes of it. A fault in one item must not disturb the others."""
    if stop.is_set():
        raise Stopped
    try:
        return work.run(stop)
    except Refusal as refusal:
        return refusal
    except Stopped:
        raise
    except Exception:  # noqa: BLE001 - one item's fault, whatever it is, is told in its place
        _log.exception("fault in the engine")
        return Refusal(Reason.INTERNAL, "a fault of the server; its log says more")
