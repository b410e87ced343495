"""Work that can wait: chunks of jobs, which make room for queries."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Final, Generic, Literal, TypeVar

from chase_service.batcher.items import AGAIN, Again, Answer, Clock, Counts, Ending, Pending, Stop
from chase_service.batcher.slots import Failure, Run, Slots
from chase_service.config import Config

T = TypeVar("T")

Chunk = Callable[[Stop], T | Literal[Again.AGAIN]]
"""Works until it is done or the flag is set, which it polls at least every 5 ms.

Returns its result, or `AGAIN` if it made room and is to be called again.
"""


class Task(Pending[T]):
    """A chunk under way, over all its calls."""

    __slots__ = ("chunk", "ending")

    def __init__(self, chunk: Chunk[T], cancelled: Callable[[Any], None]) -> None:
        super().__init__(cancelled)
        self.chunk: Final = chunk
        # What it ends with if it has not ended when it next comes back.
        self.ending: Ending | None = None


class _Call(Run, Generic[T]):
    """One call of a chunk on a thread."""

    __slots__ = ("_ended", "task")

    def __init__(self, task: Task[T], ended: Callable[[Task[T], Any], None]) -> None:
        super().__init__(Stop())
        self.task: Final = task
        self._ended: Final = ended

    def work(self) -> Any:
        return self.task.chunk(self.stop)

    def ended(self, outcome: Any) -> None:
        self._ended(self.task, outcome)


class Background:
    """Chunks in the order in which they came, those that made room behind the others.

    Args:
        config: How many threads they may have, and when they go before queries.
        clock: The loop.
        slots: The threads.
        counts: Where answers are counted.
        changed: Called when there may be something to start.
    """

    def __init__(
        self,
        config: Config,
        clock: Clock,
        slots: Slots,
        *,
        counts: Counts,
        changed: Callable[[], None],
    ) -> None:
        self._most: Final = config.threads
        self._ageing: Final = config.background_ageing_ms / 1e3
        self._slice: Final = config.background_slice_ms / 1e3
        self._clock: Final = clock
        self._slots: Final = slots
        self._counts: Final = counts
        self._changed: Final = changed
        self._waiting: Final[deque[Task[Any]]] = deque()
        self._running: Final[dict[Task[Any], _Call[Any]]] = {}
        # Since when all of it has waited.
        self._since: float | None = None

    @property
    def waiting(self) -> int:
        """Chunks that wait for a thread."""
        return len(self._waiting)

    @property
    def running(self) -> int:
        """Chunks on a thread."""
        return len(self._running)

    def add(self, chunk: Chunk[T]) -> Task[T]:
        """Puts a chunk behind the others."""
        task: Task[T] = Task(chunk, self._cancel)
        self._wait(task)
        return task

    def overdue(self) -> bool:
        """Whether queries have kept all of it waiting for too long."""
        return self._since is not None and self._since + self._ageing <= self._clock.time()

    def start(self, *, overdue: bool = False) -> bool:
        """Starts the next chunk, if one waits and may have a thread more; one must be free.

        Args:
            overdue: It goes before queries, and only for a moment.
        """
        if not self._waiting or len(self._running) >= self._most:
            return False
        task = self._waiting.popleft()
        call = _Call(task, self._ended)
        self._running[task] = call
        self._since = None
        self._slots.start(call)
        if overdue:
            self._slots.watch(call, self._slice, call.stop.set)
        return True

    def make_room(self, threads: int) -> None:
        """Asks as many chunks to come back, those counted that were asked before.

        One that is overdue has its moment first.
        """
        for call in self._running.values():
            if threads <= 0:
                return
            threads -= 1
            if call.timer is None:
                call.stop.set()

    def close(self) -> None:
        """Ends what waits, and what runs as soon as it comes back; it can go on another day."""
        while self._waiting:
            self._settle(self._waiting.popleft(), Answer(Ending.CLOSED))
        self._since = None
        for task in list(self._running):
            self._interrupt(task, Ending.CLOSED)

    def _wait(self, task: Task[Any]) -> None:
        self._waiting.append(task)
        self._note_waiting()

    def _interrupt(self, task: Task[Any], ending: Ending) -> None:
        task.ending = task.ending or ending
        self._slots.interrupt(self._running[task])

    def _cancel(self, task: Task[Any]) -> None:
        """Ends a chunk. One that runs has its answer when it has come back.

        So its user can rely on it not to do anything any more.
        """
        if task in self._running:
            self._interrupt(task, Ending.CANCELLED)
            return
        self._waiting.remove(task)
        if not self._waiting:
            self._since = None
        self._settle(task, Answer(Ending.CANCELLED))
        self._changed()

    def _ended(self, task: Task[Any], outcome: Any) -> None:
        del self._running[task]
        if isinstance(outcome, Failure):
            self._settle(task, Answer(Ending.ERROR, error=outcome.error))
        elif outcome is not AGAIN:
            self._settle(task, Answer(Ending.RESULT, outcome))
        elif task.ending is not None:
            self._settle(task, Answer(task.ending))
        else:
            self._wait(task)
        self._note_waiting()

    def _note_waiting(self) -> None:
        if self._waiting and not self._running and self._since is None:
            self._since = self._clock.time()

    def _settle(self, task: Task[Any], answer: Answer[Any]) -> None:
        if task.settle(answer):
            self._counts.answers[answer.ending] += 1
