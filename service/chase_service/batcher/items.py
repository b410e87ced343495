"""What goes into the batcher and comes out of it, and what it needs from others."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import Counter
from collections.abc import Callable, Generator, Hashable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from chase_service.batcher.slots import Run

P = TypeVar("P")  # what an item asks
R = TypeVar("R")  # what answers it
P_contra = TypeVar("P_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)


class Ending(Enum):
    """How an item ends. Each ends once."""

    RESULT = "result"
    ERROR = "error"  # a hook of the engine raised, for this item alone
    CANCELLED = "cancelled"
    DEADLINE = "deadline"
    REFUSED = "refused"  # no room in the queue
    CLOSED = "closed"  # the batcher is going down


@dataclass(frozen=True, slots=True)
class Answer(Generic[R]):
    """The one final answer of an item.

    Attributes:
        ending: Which of the following is set.
        result: What the engine answered.
        error: What it raised. Not for a client's eyes.
        retry_after: Seconds after which a refused item has a chance, from the measured rate.
    """

    ending: Ending
    result: R | None = None
    error: BaseException | None = None
    retry_after: float = 0.0


@dataclass(slots=True, kw_only=True)
class Item(Generic[P]):
    """One request.

    Attributes:
        key: Which engine call it can be part of: items of equal keys can be merged.
        client: Who asks; clients get equal shares of the threads.
        payload: What is asked, for the engine.
        priority: Level, 0 being the most urgent.
        units: Engine items that it holds, at least 1.
        size: Bytes that it keeps while it waits.
        deadline: When it is of no more use, by the clock of the batcher (monotonic, seconds).
        admitted: Whether it goes on with something that was let in, so that it is not refused. Its
            user sees to it that there are not too many at a time.
    """

    key: Hashable
    client: Hashable
    payload: P
    priority: int = 0
    units: int = 1
    size: int = 0
    deadline: float | None = None
    admitted: bool = False


class EngineFaultError(Exception):
    """The engine broke its contract: a wrong number of results, an estimate that is no number."""


class Stop:
    """Tells a running call that it is to end. Safe to use from any thread."""

    __slots__ = ("_callbacks", "_dropped", "_items", "_lock", "_set")

    def __init__(self, count: int = 1) -> None:
        self._set = False
        self._dropped = bytearray(count)
        self._callbacks: list[Callable[[], object]] = []
        self._items: dict[int, Callable[[], object]] = {}
        self._lock = threading.Lock()

    def is_set(self) -> bool:
        """Whether nobody waits for this call any more, or it is to make room."""
        return self._set

    def wanted(self, index: int) -> bool:
        """Whether somebody still waits for the item at this place of the call."""
        return not self._dropped[index]

    def on_set(self, callback: Callable[[], object]) -> None:
        """Has a function called when the flag is set, at once if it is; it must not block.

        So that the flag of an engine, which its own loops poll, is set with this one. What the
        function raises is lost, since whoever sets the flag could do nothing about it.
        """
        with self._lock:
            if not self._set:
                self._callbacks.append(callback)
                return
        callback()

    def on_end(self, index: int, callback: Callable[[], object]) -> None:
        """As `on_set`, and when nobody waits any more for the item at this place of the call."""
        with self._lock:
            if not self._set and not self._dropped[index]:
                self._items[index] = callback
                return
        callback()

    def set(self) -> None:
        """Sets the flag, for good."""
        with self._lock:
            self._set = True
            callbacks = [*self._callbacks, *self._items.values()]
            self._callbacks.clear()
            self._items.clear()
        for callback in callbacks:
            with contextlib.suppress(Exception):
                callback()

    def drop(self, index: int) -> None:
        """Notes that nobody waits for one item any more."""
        with self._lock:
            self._dropped[index] = 1
            callback = self._items.pop(index, None)
        if callback is not None:
            with contextlib.suppress(Exception):
                callback()


class Engine(Protocol[P_contra, R_co]):
    """What the batcher calls. Each hook may raise; then only the items that caused it fail.

    All but `estimate` run on an engine thread, or on the loop for items within the budget for that.
    """

    def estimate(self, key: Hashable, payload: P_contra) -> float:
        """Upper bound of the work in µs. Runs on the loop: must be quick."""

    def prepare(self, key: Hashable, payloads: Sequence[P_contra]) -> Any:
        """What `run` needs, made of the items of one call."""

    def run(self, key: Hashable, prepared: Any, stop: Stop) -> Any:
        """The call itself, which polls `stop` at least every millisecond.

        Once it is set, anything may be returned or raised, soon.
        """

    def split(self, key: Hashable, done: Any, payloads: Sequence[P_contra]) -> Sequence[R_co]:
        """One result for each item, in order."""


class Timer(Protocol):
    """Something to happen."""

    def cancel(self) -> None:
        """It shall not."""


class Clock(Protocol):
    """The part of an event loop that the batcher uses; `asyncio` loops are such."""

    def time(self) -> float:
        """Seconds, monotonic."""

    def call_at(self, when: float, callback: Callable[[], object], /) -> Timer:
        """Calls on the loop, at a time."""

    def call_soon_threadsafe(self, callback: Callable[[], object], /) -> object:
        """Calls on the loop, soon; from any thread."""


class Workers(Protocol):
    """Threads that run what they are given, in order; `Threads` are such."""

    def start(self, work: Callable[[], None], /) -> None:
        """Runs on a thread. At most as many at a time as there are threads."""

    def add(self) -> None:
        """One thread more, in place of a lost one."""

    def remove(self) -> None:
        """One thread less, since the lost one came back."""

    def close(self) -> None:
        """No more work: threads end as they become idle."""

    def alive(self) -> int:
        """How many threads there are."""


@dataclass(slots=True)
class Counts:
    """What has happened, for metrics. Read it, do not write it.

    Attributes:
        items: Items submitted.
        inline: Items answered on the loop.
        batches: Engine calls on threads.
        merged: Items in these calls, those tried again included.
        retried: Engine calls whose items were tried again, apart.
        stuck: Lost threads at this time.
        answers: Final answers by how they end, background work included.
    """

    items: int = 0
    inline: int = 0
    batches: int = 0
    merged: int = 0
    retried: int = 0
    stuck: int = 0
    answers: Counter[Ending] = field(default_factory=Counter)


class Pending(Generic[R]):
    """What is under way. Awaited, it gives its one final answer; has one waiter."""

    __slots__ = ("_cancelled", "_future", "answer")

    def __init__(self, cancelled: Callable[[Any], None]) -> None:
        self.answer: Answer[R] | None = None
        self._cancelled = cancelled
        self._future: asyncio.Future[None] | None = None

    def cancel(self) -> None:
        """Ends it, if it has not ended. Work on a thread is told to stop."""
        if self.answer is None:
            self._cancelled(self)

    def settle(self, answer: Answer[R]) -> bool:
        """Gives the final answer; only the first counts, and is told by True."""
        if self.answer is not None:
            return False
        self.answer = answer
        if self._future is not None and not self._future.done():
            self._future.set_result(None)
        return True

    def __await__(self) -> Generator[Any, None, Answer[R]]:
        if self.answer is None:
            if self._future is None:
                self._future = asyncio.get_running_loop().create_future()
            try:
                yield from self._future.__await__()
            except asyncio.CancelledError:
                self.cancel()
                raise
        assert self.answer is not None
        return self.answer


class Ticket(Pending[R], Generic[P, R]):
    """An item under way.

    Attributes:
        item: What was submitted.
        arrived: When, by the clock.
        cost: Its estimated work in µs.
        start: Its place in the order of fairness.
        queued: Whether it stands in the queue.
        ripe: Whether it need not wait for others to be merged with.
        timer: Ends it at its deadline.
        run: The engine call that it is part of, and its place there.
    """

    __slots__ = ("arrived", "cost", "index", "item", "queued", "ripe", "run", "start", "timer")

    def __init__(
        self, item: Item[P], arrived: float, cancelled: Callable[[Ticket[P, R]], None]
    ) -> None:
        super().__init__(cancelled)
        self.item: Final = item
        self.arrived: Final = arrived
        self.cost = 0.0
        self.start = 0.0
        self.queued = False
        self.ripe = False
        self.timer: Timer | None = None
        self.run: Run | None = None
        self.index = 0


class Again(Enum):
    """The class of `AGAIN`."""

    AGAIN = "again"


AGAIN: Final = Again.AGAIN
"""What a chunk of background work returns if it made room and has not ended."""
