"""A clock, threads and an engine that do exactly what a test tells them to."""

from __future__ import annotations

import heapq
import itertools
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from chase_service.batcher import Batcher, Item, Stop, Ticket
from chase_service.config import Config


class FakeTimer:
    def __init__(self, callback: Callable[[], object]) -> None:
        self.callback: Callable[[], object] | None = callback

    def cancel(self) -> None:
        self.callback = None


class FakeClock:
    """Time that stands still until it is moved; callbacks that wait until they are let go."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self._timers: list[tuple[float, int, FakeTimer]] = []
        self._soon: deque[Callable[[], object]] = deque()
        self._numbers = itertools.count()

    def time(self) -> float:
        return self.now

    def call_at(self, when: float, callback: Callable[[], object], /) -> FakeTimer:
        timer = FakeTimer(callback)
        heapq.heappush(self._timers, (when, next(self._numbers), timer))
        return timer

    def call_soon_threadsafe(self, callback: Callable[[], object], /) -> None:
        self._soon.append(callback)

    def settle(self) -> None:
        """Runs what is due now."""
        while self._soon or (self._timers and self._timers[0][0] <= self.now):
            if self._soon:
                self._soon.popleft()()
                continue
            timer = heapq.heappop(self._timers)[2]
            callback, timer.callback = timer.callback, None
            if callback is not None:
                callback()

    def advance(self, seconds: float) -> None:
        """Moves on, stopping at whatever becomes due on the way."""
        end = self.now + seconds
        self.settle()
        while self._timers and self._timers[0][0] <= end:
            self.now = max(self.now, self._timers[0][0])
            self.settle()
        self.now = end

    def timers(self) -> int:
        """How many still have something to do."""
        return sum(timer.callback is not None for _, _, timer in self._timers)


class FakeWorkers:
    """Threads on which nothing happens before `run` is called."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.closed = False
        self.works: list[Callable[[], None]] = []

    def start(self, work: Callable[[], None], /) -> None:
        assert not self.closed
        assert len(self.works) < self.count, "more work than threads"
        self.works.append(work)

    def add(self) -> None:
        self.count += 1

    def remove(self) -> None:
        self.count -= 1

    def close(self) -> None:
        self.closed = True

    def alive(self) -> int:
        return len(self.works) if self.closed else self.count

    def run(self, index: int = 0) -> None:
        self.works.pop(index)()


@dataclass(frozen=True)
class Name:
    """A key or a client that can be looked for once it should be gone."""

    text: str


@dataclass(frozen=True)
class Ask:
    """What an item asks of the double, and how that goes wrong."""

    number: int
    fault: str = ""
    cost: float = 1_000.0


class EngineDouble:
    """Squares numbers, or fails as it is asked to.

    Attributes:
        calls: The numbers of each call that `run` was entered with.
        on_run: Called there.
    """

    def __init__(self) -> None:
        self.calls: list[list[int]] = []
        self.on_run: Callable[[Sequence[Ask], Stop], None] | None = None

    def estimate(self, key: Hashable, payload: Ask) -> float:
        if payload.fault == "estimate":
            raise ZeroDivisionError("estimate")
        return float("nan") if payload.fault == "nan" else payload.cost

    def prepare(self, key: Hashable, payloads: Sequence[Ask]) -> Any:
        self._maybe(payloads, "prepare")
        return list(payloads)

    def run(self, key: Hashable, prepared: Any, stop: Stop) -> Any:
        self.calls.append([ask.number for ask in prepared])
        if self.on_run is not None:
            self.on_run(prepared, stop)
        if stop.is_set():
            return ["rubbish"] * len(prepared)  # anything goes
        self._maybe(prepared, "run")
        if any(ask.fault == "exit" for ask in prepared):
            raise SystemExit
        return [expected(key, ask) for ask in prepared]

    def split(self, key: Hashable, done: list[object], payloads: Sequence[Ask]) -> Sequence[object]:
        self._maybe(payloads, "split")
        if any(ask.fault == "none" for ask in payloads):
            return None  # type: ignore[return-value]
        short = any(ask.fault == "short" for ask in payloads)
        return done[: len(done) - short]

    def _maybe(self, payloads: Sequence[Ask], hook: str) -> None:
        if any(ask.fault == hook for ask in payloads):
            raise ZeroDivisionError(hook)


FAULTS = ("estimate", "nan", "prepare", "run", "exit", "split", "short", "none")


def expected(key: Hashable, ask: Ask) -> object:
    """The right answer."""
    return key, ask.number**2


class World:
    """A batcher among doubles.

    Args:
        fields: Of the configuration; by default one thread, nothing is answered on the loop, and
            anything may wait for as long as it takes.
    """

    def __init__(self, **fields: Any) -> None:
        defaults = {
            "threads": 1, "query_threads": 1, "other_threads": 0, "short_threads": 1_024,
            "inline_budget_us": 0, "max_wait_ms": 3_600_000, "overloaded_wait_ms": 3_600_000,
        }  # fmt: skip
        fields = {**defaults, **fields}
        self.config = Config(**fields)
        self.clock = FakeClock()
        config = self.config
        self.workers = FakeWorkers(config.threads + config.query_threads + config.other_threads)
        self.engine = EngineDouble()
        self.batcher: Batcher[Ask, object] = Batcher(
            self.engine, self.config, clock=self.clock, workers=self.workers
        )
        self._numbers = itertools.count()

    def submit(
        self,
        *,
        fault: str = "",
        cost: float = 1_000.0,
        key: Hashable = "key",
        client: Hashable = "client",
        within: float | None = None,
        **fields: Any,
    ) -> Ticket[Ask, object]:
        """Submits an item, by default of 1 ms and without a deadline."""
        ask = Ask(next(self._numbers), fault, cost)
        deadline = None if within is None else self.clock.now + within
        return self.batcher.submit(
            Item(key=key, client=client, payload=ask, deadline=deadline, **fields)
        )

    def occupy(self) -> None:
        """Gives every thread something to do, so that what comes next has to wait."""
        for index in range(self.workers.count - len(self.workers.works)):
            self.submit(key=("occupied", index), client=("nobody", index))
        self.engine.calls.clear()

    def run(self, index: int = 0) -> None:
        """Lets one thread do its work, and the loop what follows."""
        self.workers.run(index)
        self.clock.settle()

    def run_all(self) -> None:
        while self.workers.works:
            self.run()
