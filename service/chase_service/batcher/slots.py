"""Which engine threads are free, and what becomes of calls that do not come back."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from chase_service.batcher.items import Clock, Counts, Stop, Timer, Workers


class Failure:
    """What was raised on a thread."""

    __slots__ = ("error",)

    def __init__(self, error: BaseException) -> None:
        self.error: Final = error


class Lost(Failure):
    """The call did not come back after it was told to stop."""

    __slots__ = ()


class Run:
    """One call on an engine thread.

    Attributes:
        stop: Tells it to end.
        timer: Looks after it.
        started: Whether it has been given to a thread.
        interrupted: Whether it was told to end, so that what it returns cannot be relied on.
        lost: Whether its thread counts as lost; nobody heeds it any more.
    """

    __slots__ = ("interrupted", "lost", "replaced", "started", "stop", "timer")

    def __init__(self, stop: Stop) -> None:
        self.stop: Final = stop
        self.timer: Timer | None = None
        self.started = False
        self.interrupted = False
        self.lost = False
        self.replaced = False

    def work(self) -> Any:
        """What the thread does. May raise anything."""
        raise NotImplementedError

    def ended(self, outcome: Any) -> None:
        """Called on the loop, once, with what was returned, a `Failure` or `Lost`."""
        raise NotImplementedError


class Slots:
    """Counts the engine threads and gives them work.

    Args:
        clock: The loop.
        workers: The threads.
        count: How many there are.
        stuck: Seconds after which a call that was told to stop counts as lost.
        most_lost: Lost threads that are replaced.
        counts: Where lost threads are counted.
        freed: Called on the loop whenever a thread may have become free.
    """

    def __init__(
        self,
        clock: Clock,
        workers: Workers,
        count: int,
        *,
        stuck: float,
        most_lost: int,
        counts: Counts,
        freed: Callable[[], None],
    ) -> None:
        self.running: Final[set[Run]] = set()
        self._clock: Final = clock
        self._workers: Final = workers
        self._count = count
        self._stuck: Final = stuck
        self._most_lost: Final = most_lost
        self._replaced = 0
        self._counts: Final = counts
        self._freed: Final = freed

    @property
    def free(self) -> int:
        """Threads with nothing to do."""
        return self._count - len(self.running)

    def start(self, run: Run) -> None:
        """Gives a call to a thread; one must be free."""
        run.started = True
        self.running.add(run)
        try:
            self._workers.start(partial(self._on_thread, run))
        except Exception as error:  # noqa: BLE001 - any reason not to start is the run's failure
            self._clock.call_soon_threadsafe(partial(self._back, run, Failure(error)))

    def interrupt(self, run: Run) -> None:
        """Tells a call to stop; if it does not, its thread counts as lost after a while."""
        if run in self.running and not run.interrupted:
            run.interrupted = True
            self.watch(run, self._stuck, partial(self._lose, run))
            run.stop.set()

    def watch(self, run: Run, seconds: float, callback: Callable[[], None]) -> None:
        """Calls after some time, unless the call has ended; in place of what was to come before."""
        if run.timer is not None:
            run.timer.cancel()
        run.timer = self._clock.call_at(self._clock.time() + seconds, callback)

    def _on_thread(self, run: Run) -> None:
        try:
            outcome = run.work()
        except BaseException as error:  # noqa: BLE001 - told on the loop
            outcome = Failure(error)
        # The loop may have been closed while a lost call went on.
        with contextlib.suppress(RuntimeError):
            self._clock.call_soon_threadsafe(partial(self._back, run, outcome))

    def _back(self, run: Run, outcome: Any) -> None:
        if run.lost:
            self._counts.stuck -= 1
            if run.replaced:
                self._replaced -= 1
                self._workers.remove()
            else:
                self._count += 1
        else:
            self._leave(run)
            run.ended(outcome)
        self._freed()

    def _lose(self, run: Run) -> None:
        run.lost = True
        self._counts.stuck += 1
        self._leave(run)
        if self._replaced < self._most_lost:
            run.replaced = True
            self._replaced += 1
            self._workers.add()
        else:
            self._count -= 1
        run.ended(Lost(TimeoutError("the engine did not stop")))
        self._freed()

    def _leave(self, run: Run) -> None:
        self.running.discard(run)
        if run.timer is not None:
            run.timer.cancel()
            run.timer = None
