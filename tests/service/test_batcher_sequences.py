"""Whatever happens in whatever order: each item ends once and rightly, and nothing is left."""

from __future__ import annotations

import asyncio
import gc
import weakref
from typing import Any, NamedTuple

import pytest
from chase_service.batcher import AGAIN, Answer, Ending, Pending, Stop, Ticket
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.service.doubles import FAULTS, Ask, Name, World, expected

pytestmark = pytest.mark.no_core

CONFIGS = st.fixed_dictionaries(
    {
        "threads": st.integers(1, 2),
        "long_us": st.sampled_from([500.0, 1e6]),
        "query_threads": st.integers(1, 2),
        "max_batch_items": st.sampled_from([1, 2, 5, 100]),
        "max_batch_us": st.sampled_from([1.0, 300.0, 1e6]),
        "max_queue_delay_us": st.sampled_from([0, 0, 50_000]),
        "max_queue_items": st.sampled_from([4, 30, 1_000]),
        "max_queue_bytes": st.sampled_from([300, 100_000]),
        "max_queue_us": st.sampled_from([2_000.0, 1e7]),
        "max_client_share": st.sampled_from([0.3, 1.0]),
        "inline_budget_us": st.sampled_from([0.0, 50.0]),
        "priorities": st.just(3),
        "ageing_ms": st.just(100.0),
        "patience_ms": st.just(300.0),
        "stuck_ms": st.sampled_from([100.0, 1_000.0]),
        "max_stuck_threads": st.sampled_from([0, 1, 50]),
        "max_item_seconds": st.just(5.0),
        "background_ageing_ms": st.just(200.0),
    }
)

SUBMIT = st.tuples(
    st.just("submit"),
    st.integers(1, 6),  # so many of them
    st.sampled_from("xyz"),  # key
    st.sampled_from("abc"),  # client
    st.integers(0, 2),  # priority
    st.sampled_from([1, 1, 3]),  # units
    st.sampled_from([0, 100]),  # bytes
    st.sampled_from([20.0, 100.0, 1_000.0]),  # µs
    st.sampled_from([None, None, 0.0, 0.02, 0.3, 60.0]),  # deadline, from now
    st.sampled_from(["", "", "", "", *FAULTS]),
)
STEPS = st.one_of(
    SUBMIT,
    SUBMIT,
    st.tuples(st.just("cancel"), st.integers(0, 50)),
    st.tuples(st.just("drop waiter"), st.integers(0, 50)),
    st.tuples(st.just("work"), st.integers(0, 3)),
    st.tuples(st.just("work"), st.integers(0, 3)),
    st.tuples(st.just("advance"), st.sampled_from([0.001, 0.03, 0.15, 0.5])),
    st.tuples(st.just("background"), st.sampled_from(["done", "raise", "polite", "rude"])),
)


class Chunk:
    """Background work of each manner; it may be called only while it has no final answer."""

    def __init__(self, manner: str) -> None:
        self.manner = manner
        self.pending: Pending[str] | None = None
        self.calls = 0

    def __call__(self, stop: Stop) -> Any:
        assert self.pending is None or self.pending.answer is None
        self.calls += 1
        if self.manner == "raise":
            raise ZeroDivisionError
        if self.manner == "polite" and (stop.is_set() or self.calls < 3):
            return AGAIN
        return "done"


class Seen(NamedTuple):
    """An item or chunk, and what the test did to it."""

    pending: Pending[Any]
    ask: Ask | None = None
    key: Name | None = None
    latest: float | None = None


class Sequence:
    """Plays one sequence of steps and looks at everything that must hold after each of them."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self.world = World(**fields)
        self.seen: list[Seen] = []
        self.waiters: list[asyncio.Task[Answer[Any]]] = []
        self.cancelled: set[int] = set()
        self.first: dict[int, Answer[Any]] = {}
        self.refs: list[weakref.ref[Any]] = []
        self.closing = False

    async def play(self, steps: list[tuple[Any, ...]], grace: float) -> None:
        for step in steps:
            self.step(step)
            self.world.clock.settle()
            await asyncio.sleep(0)
            self.look()
        await self.end(grace)

    def step(self, step: tuple[Any, ...]) -> None:
        world = self.world
        match step:
            case ("submit", number, key, client, priority, units, size, cost, within, fault):
                for _ in range(number):
                    who, what = Name(client), Name(key)
                    ticket = world.submit(
                        key=what, client=who, priority=priority, size=size, within=within,
                        cost=cost, fault=fault, units=min(units, world.config.max_queue_items),
                    )  # fmt: skip
                    self.refs += [weakref.ref(one) for one in (who, what, ticket.item.payload)]
                    most = world.config.max_item_seconds
                    latest = world.clock.now + (most if within is None else min(within, most))
                    self.add(Seen(ticket, ticket.item.payload, what, latest))
            case ("background", manner):
                chunk = Chunk(manner)
                self.refs.append(weakref.ref(chunk))
                chunk.pending = world.batcher.run_background(chunk)
                self.add(Seen(chunk.pending))
            case ("cancel", index) if self.seen:
                self.cancelled.add(index % len(self.seen))
                self.seen[index % len(self.seen)].pending.cancel()
            case ("drop waiter", index) if self.seen:
                self.cancelled.add(index % len(self.seen))
                self.waiters[index % len(self.seen)].cancel()
            case ("work", index) if world.workers.works:
                world.workers.run(index % len(world.workers.works))
            case ("advance", seconds):
                world.clock.advance(seconds)

    def add(self, seen: Seen) -> None:
        async def wait() -> Answer[Any]:
            return await seen.pending

        self.seen.append(seen)
        self.waiters.append(asyncio.create_task(wait()))

    def look(self) -> None:
        world, config = self.world, self.world.config
        batcher = world.batcher
        for number, seen in enumerate(self.seen):
            answer = seen.pending.answer
            if answer is None:
                # The clock, not a free thread, ends what is overdue.
                assert seen.latest is None or world.clock.now < seen.latest
            elif number not in self.first:
                self.first[number] = answer
                self.judge(number, seen, answer)
            else:
                assert answer is self.first[number]
        assert sum(batcher.counts.answers.values()) == len(self.first)
        # Short items and long ones have bounds of their own.
        for load in batcher._queue._kinds:
            assert load.units <= config.max_queue_items
            assert load.size <= config.max_queue_bytes
        if not config.max_queue_delay_us and config.max_stuck_threads > 1:
            # No thread is idle while something waits that may have it.
            idle = config.threads + config.query_threads - batcher.busy
            waiting = [
                seen.pending
                for seen in self.seen
                if isinstance(seen.pending, Ticket) and seen.pending.queued
            ]
            assert bool(waiting) == bool(batcher.queued_units)
            assert not idle or all(one.cost > config.long_us for one in waiting)

    def judge(self, number: int, seen: Seen, answer: Answer[Any]) -> None:
        """Each ending only for its own reason; a result only if it is right."""
        match answer.ending:
            case Ending.RESULT if seen.ask is not None:
                assert not seen.ask.fault
                assert answer.result == expected(seen.key, seen.ask)
            case Ending.RESULT:
                assert answer.result == "done"
            case Ending.ERROR if seen.ask is not None:
                assert seen.ask.fault
            case Ending.ERROR:
                chunk = seen.pending.chunk  # type: ignore[attr-defined]
                lost = isinstance(answer.error, TimeoutError)
                assert chunk.manner == "raise" or (
                    lost and (number in self.cancelled or self.closing)
                )
            case Ending.CANCELLED:
                assert number in self.cancelled
            case Ending.DEADLINE:
                assert seen.latest is not None and self.world.clock.now >= seen.latest
            case Ending.REFUSED:
                assert isinstance(seen.pending, Ticket) and not self.closing
                config = self.world.config
                assert config.retry_min_ms <= answer.retry_after * 1e3 <= config.retry_max_ms
            case Ending.CLOSED:
                assert self.closing

    async def end(self, grace: float) -> None:
        """Goes down, some threads working on, some not."""
        world = self.world
        self.closing = True
        closed = asyncio.create_task(world.batcher.close(grace))
        for turn in range(1_000):
            await asyncio.sleep(0)
            if closed.done():
                break
            if turn % 3 == 0 and world.workers.works and world.clock.now % 1 < 0.5:
                world.workers.run(turn % len(world.workers.works))
            world.clock.advance(0.05)
            self.look()
        stuck = await closed
        assert stuck == world.workers.alive() == world.batcher.counts.stuck
        self.look()
        assert len(self.first) == len(self.seen)
        late = world.submit()
        assert late.answer is not None and late.answer.ending is Ending.CLOSED
        done = await asyncio.gather(*self.waiters, return_exceptions=True)
        for number, answer in enumerate(done):
            if isinstance(answer, asyncio.CancelledError):
                assert number in self.cancelled
            else:
                assert answer is self.first[number]
        assert world.batcher.busy == world.batcher.queued_units == world.batcher.queued_bytes == 0
        assert world.batcher.background_waiting == 0
        while world.workers.works:  # the lost ones come back at last
            world.run()
        assert world.batcher.counts.stuck == 0
        assert world.clock.timers() == 0


REMEMBERED: list[tuple[World, list[weakref.ref[Any]]]] = []


def nothing_is_kept() -> None:
    """No batcher remembers an item, a key or a client once all have ended."""
    gc.collect()
    for world, refs in REMEMBERED:
        assert world.batcher.busy == 0
        assert [ref() for ref in refs if ref() is not None] == []
    REMEMBERED.clear()


def play(fields: dict[str, Any], steps: list[tuple[Any, ...]], grace: float) -> None:
    sequence = Sequence(fields)
    asyncio.run(sequence.play(steps, grace))
    REMEMBERED.append((sequence.world, sequence.refs))
    if len(REMEMBERED) >= 50:
        del sequence
        nothing_is_kept()


ANY_SEQUENCE = given(
    fields=CONFIGS, steps=st.lists(STEPS, max_size=40), grace=st.sampled_from([0.0, 0.3, 100.0])
)
UNHURRIED = [HealthCheck.too_slow, HealthCheck.data_too_large]


@settings(max_examples=300, suppress_health_check=UNHURRIED)
@ANY_SEQUENCE
def test_any_sequence_ends_every_item_once(
    fields: dict[str, Any], steps: list[tuple[Any, ...]], grace: float
) -> None:
    play(fields, steps, grace)


@pytest.mark.slow
@settings(max_examples=10_000, suppress_health_check=UNHURRIED)
@ANY_SEQUENCE
def test_ten_thousand_sequences(
    fields: dict[str, Any], steps: list[tuple[Any, ...]], grace: float
) -> None:
    play(fields, steps, grace)


def test_nothing_of_all_these_is_kept() -> None:
    nothing_is_kept()
