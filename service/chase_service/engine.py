"""Where the work of calls is done: the batcher, asked by coroutines.

Work is a function that polls a stop flag. What belongs to one call is done side by side as far as
threads are free, in portions that are worth the way to a thread; portions of several calls that
wait at the same time are merged.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator, Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Final, Generic, Protocol, TypeVar, cast

from chase_fast._core import StopFlag
from chase_service.batcher import Answer, Batcher, Ending, Item, Pending, Stop
from chase_service.config import Config
from chase_service.figures import EngineFigures
from chase_service.refusal import Reason, Refusal

__all__ = ["Asker", "Engine", "StopFlag", "Stopped", "Work", "poll"]

T = TypeVar("T")
U = TypeVar("U")
T_co = TypeVar("T_co", covariant=True)

_log = logging.getLogger("chase_service")

# Microseconds of work that go to a thread at a time, where a call has many small ones.
_PORTION_US: Final = 2000.0
# What takes longer is one piece as much as another: no caller loses its turns to a guess.
_MOST_US: Final = 1e6
# Seconds after which callers may try again to reach a server that ends, or the one after it.
_RETRY_SECONDS: Final = 1.0
# Work of any calls can be merged.
_KEY: Final = "work"


class Stopped(Exception):  # noqa: N818 - a stop that was asked for is no error
    """Work that ended early since its flag was set."""


def poll(stop: StopFlag) -> None:
    """Ends work whose flag is set.

    Raises:
        Stopped: It is.
    """
    if stop.is_set():
        raise Stopped


class Asker(Protocol):
    """Whoever has work done, such as a call."""

    @property
    def client(self) -> Hashable:
        """Clients have equal shares of the threads."""

    @property
    def priority(self) -> int:
        """Level, 0 being the most urgent."""


@dataclass(frozen=True, slots=True)
class Work(Generic[T_co]):
    """One piece of work.

    Attributes:
        run: Does it; polls the flag at least every millisecond and raises `Stopped` if it is set.
            May be begun again if it was stopped.
        cost_us: What it will take, about, in microseconds.
    """

    run: Callable[[StopFlag], T_co]
    cost_us: float

    def then(self, function: Callable[[T_co], U]) -> Work[U]:
        """The same with something done to its result, by the same thread."""
        return Work(lambda stop: function(self.run(stop)), self.cost_us)


class Engine:
    """The threads of a server, for its calls and jobs.

    Args:
        config: Their number, and the bounds of what may wait for them.

    Attributes:
        inline_us: Microseconds of work that are done at once, on the loop, where nothing waits.

    Raises:
        RuntimeError: No event loop runs.
    """

    def __init__(self, config: Config) -> None:
        self._config = config
        self.inline_us: Final = config.inline_budget_us
        self._batcher: Batcher[Work[Any], Any] = Batcher(_Hooks(), config)

    @property
    def waiting(self) -> int:
        """Work of calls that waits or has a thread."""
        return self._batcher.queued_units + self._batcher.serving

    def figures(self) -> EngineFigures:
        """How it stands. From any thread."""
        batcher, counts = self._batcher, self._batcher.counts
        return EngineFigures(
            queued_items=batcher.queued_units,
            queued_bytes=batcher.queued_bytes,
            busy_threads=batcher.busy,
            batches=counts.batches,
            merged=counts.merged,
            inline=counts.inline,
            retried=counts.retried,
            stuck=counts.stuck,
        )

    def inline(self, cost_us: float) -> bool:
        """Whether work that takes so long is to be done at once, on the loop, by the caller."""
        return self._batcher.inline(cost_us)

    def do(self, works: Iterable[Work[T]], stop: StopFlag) -> list[T | Refusal]:
        """Does pieces of work of a call on this thread; the results in their order.

        Raises:
            Stopped: The flag was set.
        """
        return [_result(work, stop) for work in works]

    async def submit(self, work: Work[T], asker: Asker, *, begun: bool = False, size: int = 0) -> T:
        """Does one piece of work, at once if it is small and nothing waits.

        Cancelled, it gives up waiting, and the work is stopped.

        Args:
            work: What is done.
            asker: Who wants it.
            begun: Whether it goes on with a call that was let in; it is not refused then.
            size: Bytes that it keeps while it waits.

        Raises:
            Refusal: OVERLOADED, too much waits; UNAVAILABLE, the server ends; DEADLINE.
            Exception: What the work raises.
        """
        config = self._config
        answer = await self._batcher.submit(
            Item(
                key=_KEY,
                client=asker.client,
                payload=work,
                priority=min(asker.priority, config.priorities - 1),
                size=min(size, config.max_queue_bytes),
                admitted=begun,
            )
        )
        if answer.ending is not Ending.RESULT:
            raise _unanswered(answer)
        if isinstance(answer.result, _Raised):
            raise answer.result.error
        return cast("T", answer.result)

    async def run(
        self, works: Iterable[Work[T]], asker: Asker, *, size: int = 0
    ) -> list[T | Refusal]:
        """Does many pieces; the results in their order, a refusal where one was refused.

        Args:
            works: See `portions`.
            asker: Who wants it.
            size: Bytes that they keep while they wait.

        Raises:
            Refusal: See `portions`.
        """
        results: list[T | Refusal] = []
        async with aclosing(self.portions(works, asker, size=size)) as portions:
            async for portion in portions:
                results += portion
        return results

    async def portions(
        self,
        works: Iterable[Work[T]],
        asker: Asker,
        *,
        ordered: bool = True,
        begun: bool = False,
        size: int = 0,
    ) -> AsyncGenerator[list[T | Refusal]]:
        """As `run`, some results at a time as they come; no more than needed is begun.

        Args:
            works: Read as threads become free.
            asker: Who wants it.
            ordered: Whether results come in order, or as they are finished.
            begun: Whether it goes on with a call that was let in; it is not refused then.
            size: Bytes that they keep while they wait.

        Whoever breaks off closes it (`contextlib.aclosing`), so that work ends with it.

        Raises:
            Refusal: See `submit`. OVERLOADED only at first, not once it has begun.
        """
        portions = _portions(works)
        first = next(portions, None)
        if first is None:
            return
        second = next(portions, None)
        if second is None:  # the most usual: nothing to be done side by side
            yield await self.submit(first, asker, begun=begun, size=size)
            return
        pending = deque([asyncio.ensure_future(self.submit(first, asker, begun=begun, size=size))])
        waiting: Work[list[T | Refusal]] | None = second
        try:
            while True:
                # One more than there are threads, so that none waits for this loop.
                while waiting is not None and len(pending) <= self._config.threads:
                    pending.append(asyncio.ensure_future(self.submit(waiting, asker, begun=True)))
                    waiting = next(portions, None)
                if not pending:
                    return
                if not ordered:
                    await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
                    pending = deque(sorted(pending, key=lambda task: not task.done()))
                yield await pending.popleft()
        finally:
            for task in pending:
                task.cancel()
            if pending:
                await asyncio.gather(*pending, return_exceptions=True)

    def run_background(self, chunk: Callable[[Stop], Any]) -> Pending[Any]:
        """Runs a chunk of a job when no query needs the thread; see `Batcher.run_background`."""
        return self._batcher.run_background(chunk)

    async def close(self) -> None:
        """Ends all that waits, and the threads; work under way is stopped."""
        left = await self._batcher.close(0.0)
        if left:
            _log.error("%d engine threads did not come back", left)


class _Raised:
    """What a piece of work raised, which is its result: others of the call are not concerned."""

    __slots__ = ("error",)

    def __init__(self, error: BaseException) -> None:
        self.error: Final = error


class _Hooks:
    """The engine of the batcher: does one piece after the other."""

    def estimate(self, key: Hashable, payload: Work[Any]) -> float:
        del key
        return min(payload.cost_us, _MOST_US)

    def prepare(self, key: Hashable, payloads: Sequence[Work[Any]]) -> Sequence[Work[Any]]:
        del key
        return payloads

    def run(self, key: Hashable, prepared: Sequence[Work[Any]], stop: Stop) -> list[Any]:
        del key
        results: list[Any] = []
        for index, work in enumerate(prepared):
            if stop.is_set():
                raise Stopped
            if not stop.wanted(index):
                results.append(None)
                continue
            # One for each, since callers come and go while they share a thread.
            flag = StopFlag()
            stop.on_end(index, flag.set)
            try:
                results.append(work.run(flag))
            except Exception as error:  # noqa: BLE001 - raised again where it is awaited
                results.append(_Raised(error))
        return results

    def split(self, key: Hashable, done: list[Any], payloads: Sequence[Work[Any]]) -> Sequence[Any]:
        del key, payloads
        return done


def _unanswered(answer: Answer[Any]) -> BaseException:
    """What is raised for an answer without a result."""
    if answer.ending is Ending.REFUSED:
        message = "the server has more work than it takes at a time"
        return Refusal(Reason.OVERLOADED, message, retry_after=answer.retry_after)
    if answer.ending is Ending.CLOSED:
        return Refusal(Reason.UNAVAILABLE, "the server ends", retry_after=_RETRY_SECONDS)
    if answer.ending is Ending.DEADLINE:
        return Refusal(Reason.DEADLINE, "not done in time")
    return answer.error or asyncio.CancelledError()


def _portions(works: Iterable[Work[T]]) -> Iterator[Work[list[T | Refusal]]]:
    """The same work in portions that are worth the way to a thread."""
    portion: list[Work[T]] = []
    cost = 0.0
    for work in works:
        portion.append(work)
        cost += work.cost_us
        if cost >= _PORTION_US:
            yield _portion(portion)
            portion, cost = [], 0.0
    if portion:
        yield _portion(portion)


def _portion(works: Sequence[Work[T]]) -> Work[list[T | Refusal]]:
    def run(stop: StopFlag) -> list[T | Refusal]:
        return [_result(work, stop) for work in works]

    return Work(run, sum(work.cost_us for work in works))


def _result(work: Work[T], stop: StopFlag) -> T | Refusal:
    """What comes of a piece of work. A fault in one must not disturb the others of its call.

    Raises:
        Stopped: The flag was set.
    """
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
