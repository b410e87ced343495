"""What the batcher promises of one item: where it is answered, with whom, when, and how it ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from chase_service.batcher import Ending, EngineFaultError, Stop, Ticket

from tests.service.doubles import FAULTS, Ask, World, expected

pytestmark = pytest.mark.no_core

ROOT = Path(__file__).parents[2]


def ending(ticket: Ticket[Ask, object]) -> Ending | None:
    return None if ticket.answer is None else ticket.answer.ending


def right(ticket: Ticket[Ask, object]) -> bool:
    assert ticket.answer is not None
    return ticket.answer.ending is Ending.RESULT and ticket.answer.result == expected(
        ticket.item.key, ticket.item.payload
    )


# ---- On the loop or on a thread ---------------------------------------------------------------


def test_a_small_item_is_answered_at_once() -> None:
    world = World(inline_budget_us=50)
    ticket = world.submit(cost=50)
    assert right(ticket)
    assert world.workers.works == [] and world.clock.timers() == 0


def test_a_costlier_one_goes_to_a_thread() -> None:
    world = World(inline_budget_us=50)
    ticket = world.submit(cost=51)
    assert ticket.answer is None and len(world.workers.works) == 1
    world.run()
    assert right(ticket)


def test_nobody_overtakes_the_queue_on_the_loop() -> None:
    world = World(inline_budget_us=50)
    world.occupy()
    first = world.submit()
    small = world.submit(cost=1)
    assert small.answer is None
    world.run_all()
    assert right(first) and right(small)


def test_busy_threads_alone_do_not_keep_an_item_from_the_loop() -> None:
    world = World(inline_budget_us=50)
    world.occupy()
    assert world.batcher.queued_units == 0
    assert right(world.submit(cost=1))


@pytest.mark.parametrize("fault", FAULTS)
def test_an_item_that_fails_on_the_loop_has_its_error(fault: str) -> None:
    world = World(inline_budget_us=50)
    assert ending(world.submit(fault=fault, cost=1)) is Ending.ERROR
    assert right(world.submit(cost=1))


# ---- Merging ----------------------------------------------------------------------------------


def test_what_waits_is_merged_by_key() -> None:
    world = World(max_batch_us=1e6)
    world.occupy()
    tickets = [world.submit(key="xy"[number % 2]) for number in range(6)]
    world.run_all()
    assert all(map(right, tickets))
    numbers = [ticket.item.payload.number for ticket in tickets]
    assert world.engine.calls[2:] == [numbers[0::2], numbers[1::2]]


@pytest.mark.parametrize(
    ("fields", "cost", "units", "sizes"),
    [
        ({"max_batch_items": 3, "max_batch_us": 1e6}, 10.0, 1, [3, 3, 1]),
        ({"max_batch_items": 3, "max_batch_us": 1e6}, 10.0, 2, [1] * 7),
        ({"max_batch_items": 3, "max_batch_us": 1e6}, 10.0, 50, [1] * 7),
        ({"max_batch_items": 99, "max_batch_us": 2_000}, 1_000.0, 1, [2, 2, 2, 1]),
        ({"max_batch_items": 99, "max_batch_us": 2_000}, 5_000.0, 1, [1] * 7),
    ],
    ids=["items", "units", "large", "work", "costly"],
)
def test_batches_keep_their_bounds(
    fields: dict[str, float], cost: float, units: int, sizes: list[int]
) -> None:
    world = World(**fields)
    world.occupy()
    for _ in range(7):
        world.submit(cost=cost, units=units)
    world.run_all()
    assert [len(call) for call in world.engine.calls[2:]] == sizes


def test_a_free_thread_waits_for_others_only_if_told_to() -> None:
    world = World(max_queue_delay_us=1_000, max_batch_items=3, max_batch_us=1e6)
    first = world.submit()
    world.clock.advance(0.0006)
    second = world.submit()
    assert world.workers.works == []
    world.clock.advance(0.0005)  # 1.1 ms after the first
    assert len(world.workers.works) == 1
    world.run()
    assert right(first) and right(second)
    for _ in range(3):  # a full batch does not wait
        world.submit()
    assert len(world.workers.works) == 1
    world.run()
    world.submit(cost=1e6)  # nor one that has enough to do
    assert len(world.workers.works) == 1


def test_results_do_not_depend_on_batching() -> None:
    results = []
    for fields in (
        {"max_batch_items": 1},
        {"max_batch_items": 7, "threads": 3},
        {"max_queue_delay_us": 5_000},
        {"inline_budget_us": 10_000},
        {"max_batch_us": 1},
    ):
        world = World(**fields)
        tickets = [
            world.submit(key=number % 3, client=number % 5, fault="run" if number % 11 == 5 else "")
            for number in range(60)
        ]
        world.clock.advance(1)
        while world.workers.works:
            world.run(-1)
            world.clock.advance(0.01)
        answers = [ticket.answer for ticket in tickets]
        results.append([answer and (answer.ending, answer.result) for answer in answers])
    assert all(result == results[0] for result in results)
    assert [answer and answer[0] for answer in results[0]].count(Ending.ERROR) == 5


# ---- Faults -----------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault not in ("estimate", "nan")])
def test_one_bad_item_does_not_disturb_its_neighbours(fault: str) -> None:
    world = World()
    world.occupy()
    tickets = [world.submit(cost=1, fault=fault if number == 5 else "") for number in range(20)]
    world.run_all()
    assert ending(tickets.pop(5)) is Ending.ERROR
    assert all(map(right, tickets))
    # Halves of halves: far fewer calls than items.
    assert world.batcher.counts.retried <= 5


@pytest.mark.parametrize("fault", ["estimate", "nan"])
def test_an_estimate_that_fails_is_the_items_own_error(fault: str) -> None:
    world = World()
    assert ending(world.submit(fault=fault)) is Ending.ERROR


def test_a_wrong_number_of_results_is_the_engines_fault() -> None:
    world = World()
    ticket = world.submit(fault="short")
    world.run()
    assert ticket.answer is not None and isinstance(ticket.answer.error, EngineFaultError)


def test_a_call_in_which_all_fail_ends() -> None:
    world = World()
    world.occupy()
    tickets = [world.submit(cost=1, fault="run") for _ in range(64)]
    world.run_all()
    assert all(ending(ticket) is Ending.ERROR for ticket in tickets)
    assert len(world.engine.calls) - 2 == 127


def test_a_thread_that_cannot_be_started_is_the_items_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World()

    def refuse(work: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(world.workers, "start", refuse)
    ticket = world.submit()
    world.clock.settle()
    assert ending(ticket) is Ending.ERROR and world.batcher.busy == 0


def test_a_slow_merged_call_is_stopped_and_its_items_run_apart() -> None:
    world = World(patience_ms=300, max_batch_us=1e6)
    world.occupy()
    tickets = [world.submit() for _ in range(4)]
    world.run()
    world.run()
    assert len(world.workers.works) == 1
    world.clock.advance(0.4)
    stops: list[bool] = []
    world.engine.on_run = lambda _, stop: stops.append(stop.is_set())
    world.run()
    assert stops == [True]
    world.run_all()
    assert all(map(right, tickets))
    assert [len(call) for call in world.engine.calls[2:]] == [4, 1, 1, 1, 1]


def test_a_call_that_does_not_stop_loses_its_thread_to_another() -> None:
    world = World(stuck_ms=500)
    world.occupy()
    world.run()
    blocked = world.submit(within=1)
    lost = world.workers.works[-1]
    others = [world.submit(key=number) for number in range(3)]
    world.clock.advance(1.1)
    assert ending(blocked) is Ending.DEADLINE
    assert world.batcher.counts.stuck == 0
    world.clock.advance(0.5)
    assert world.batcher.counts.stuck == 1
    # Three works: the lost one, and as many as there are threads.
    assert len(world.workers.works) == 3
    while len(world.workers.works) > 1:
        world.run(next(i for i in range(2) if world.workers.works[i] is not lost))
    assert all(map(right, others))
    world.run()
    assert world.batcher.counts.stuck == 0 and world.workers.count == 2


# ---- Deadlines and cancellation ---------------------------------------------------------------


def test_a_deadline_in_the_past_needs_no_engine() -> None:
    world = World(inline_budget_us=50)
    assert ending(world.submit(within=0, cost=1)) is Ending.DEADLINE
    assert world.engine.calls == []


def test_the_clock_sees_deadlines_of_what_waits() -> None:
    world = World()
    world.occupy()
    ticket = world.submit(within=0.02)
    world.clock.advance(0.019)
    assert ticket.answer is None
    world.clock.advance(0.001)
    assert ending(ticket) is Ending.DEADLINE and world.batcher.queued_units == 0
    world.run_all()
    assert len(world.engine.calls) == 2


def test_without_a_deadline_there_is_still_an_end() -> None:
    world = World(max_item_seconds=5)
    ticket, late = world.submit(), world.submit(within=100)
    world.clock.advance(5)
    assert ending(ticket) is Ending.DEADLINE and ending(late) is Ending.DEADLINE


@pytest.mark.parametrize("how", ["cancel", "deadline"])
def test_a_running_call_that_nobody_waits_for_is_stopped(how: str) -> None:
    world = World(max_batch_us=1e6)
    world.occupy()
    tickets = [world.submit(within=0.1) for _ in range(2)]
    world.run()
    world.run()
    stops: list[tuple[bool, bool, bool]] = []

    def look(_: object, stop: Stop) -> None:
        stops.append((stop.is_set(), stop.wanted(0), stop.wanted(1)))
        tickets[0].cancel()
        stops.append((stop.is_set(), stop.wanted(0), stop.wanted(1)))
        if how == "cancel":
            tickets[1].cancel()
        else:
            world.clock.advance(0.2)
        stops.append((stop.is_set(), stop.wanted(0), stop.wanted(1)))

    world.engine.on_run = look
    world.run()
    assert stops == [(False, True, True), (False, False, True), (True, False, False)]
    assert ending(tickets[0]) is Ending.CANCELLED
    assert ending(tickets[1]) is (Ending.CANCELLED if how == "cancel" else Ending.DEADLINE)


def test_the_neighbours_of_a_cancelled_item_have_their_results() -> None:
    world = World(max_batch_us=1e6)
    world.occupy()
    tickets = [world.submit() for _ in range(3)]
    world.run()
    world.run()
    tickets[1].cancel()
    world.run_all()
    assert [ending(ticket) for ticket in tickets] == [
        Ending.RESULT,
        Ending.CANCELLED,
        Ending.RESULT,
    ]


def test_what_has_ended_cannot_be_cancelled() -> None:
    world = World()
    ticket = world.submit()
    world.run()
    ticket.cancel()
    assert right(ticket)
    assert sum(world.batcher.counts.answers.values()) == 1


def test_a_flag_of_the_engine_follows_the_stop() -> None:
    seen: list[str] = []
    stop = Stop()
    stop.on_set(lambda: seen.append("before"))
    stop.on_set(lambda: 1 // 0)
    stop.on_set(lambda: seen.append("also"))
    assert not stop.is_set() and seen == []
    stop.set()
    stop.set()
    stop.on_set(lambda: seen.append("after"))
    assert stop.is_set() and seen == ["before", "also", "after"]


# ---- Arguments --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [("priority", 3), ("priority", -1), ("units", 0), ("units", 8_193), ("size", -1)],
)
def test_items_out_of_range_are_refused(name: str, value: int) -> None:
    world = World()
    fields: dict[str, Any] = {name: value}
    with pytest.raises(ValueError, match=f"{name} is {value}, expected"):
        world.submit(**fields)
    assert world.batcher.counts.items == 0


def test_it_loads_neither_engine_nor_grpc() -> None:
    script = "import sys, chase_service.batcher; print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True, text=True, check=True, timeout=60,
        env={"PYTHONPATH": str(ROOT / "service")},
    )  # fmt: skip
    loaded = {name.split(".")[0] for name in run.stdout.split()}
    assert "chase_service" in loaded
    assert loaded.isdisjoint({"chase_fast", "numpy", "grpc", "google"})
