"""In which order items are served, and when there is no room for more."""

from __future__ import annotations

import math
from typing import Any

import pytest
from chase_service.batcher import Ending
from chase_service.batcher.background import _Call
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.service.doubles import World

pytestmark = pytest.mark.no_core


def serve_one(world: World, seconds: float = 0.0) -> int:
    """Lets the only thread finish what it does, after some time; the number of its item."""
    world.clock.advance(seconds)
    world.run(-1)
    return world.engine.calls[-1][0]


def one_thread(**fields: float) -> World:
    """One thread that is busy, and no merging."""
    world = World(**{"max_batch_items": 1, "max_client_share": 1.0, **fields})
    # The other thread never comes back.
    world.submit(key="blocked", client="nobody")
    world.submit(key="first", client="nobody")
    return world


# ---- Priorities -------------------------------------------------------------------------------


def test_the_most_urgent_goes_first() -> None:
    world = one_thread()
    numbers = {
        priority: world.submit(priority=priority).item.payload.number for priority in (2, 0, 1)
    }
    serve_one(world)
    assert [serve_one(world) for _ in range(3)] == [numbers[0], numbers[1], numbers[2]]


@pytest.mark.parametrize("priority", [1, 2])
def test_a_level_that_was_passed_over_too_long_goes_first_once(priority: int) -> None:
    world = one_thread(ageing_ms=100)
    low = [world.submit(priority=priority) for _ in range(2)]
    served_at: list[float] = []
    begin = world.clock.now
    for _ in range(60):  # of the urgent ones there is always another
        world.submit(client="urgent")
        world.submit(client="urgent")
        serve_one(world, 0.01)
        served_at += [world.clock.now - begin for one in low if one.answer is not None][
            len(served_at) :
        ]
    assert len(served_at) == 2
    # Chosen within 10 ms after the 100 ms, and another 10 ms until it is done.
    assert 0.1 <= served_at[0] <= 0.13
    assert 0.2 <= served_at[1] <= 0.25


@settings(max_examples=50)
@given(st.lists(st.integers(0, 2), min_size=1, max_size=60), st.integers(1, 20))
def test_nobody_starves(priorities: list[int], milliseconds: int) -> None:
    """With n others of its level before it, n + 1 times the ageing, and a batch for each level."""
    world = one_thread(ageing_ms=50)
    tickets = [world.submit(priority=priority) for priority in priorities]
    begin = world.clock.now
    step = milliseconds / 1e3
    for _ in range(20_000):
        if all(ticket.answer for ticket in tickets):
            break
        world.submit(client="urgent", priority=0)
        serve_one(world, step)
        for number, ticket in enumerate(tickets):
            if ticket.answer is None and ticket.item.priority > 0:
                before = sum(one == priorities[number] for one in priorities[:number])
                assert world.clock.now - begin <= (before + 1) * (0.05 + 4 * step) + 2 * step
    else:
        pytest.fail("some are never served")


# ---- Clients ----------------------------------------------------------------------------------


def test_a_few_items_do_not_wait_for_another_clients_many() -> None:
    world = one_thread()
    many = [world.submit(client="many") for _ in range(100)]
    few = [world.submit(client="few") for _ in range(10)]
    for _ in range(1 + 21):
        serve_one(world)
    assert all(ticket.answer for ticket in few)
    assert sum(ticket.answer is not None for ticket in many) <= 12


@settings(max_examples=50)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(1, 5_000)), min_size=20, max_size=80),
    st.integers(1, 4),
)
def test_clients_share_the_work_equally(asked: list[tuple[int, int]], keys: int) -> None:
    """While two have work waiting, what they got differs by at most their two largest items.

    Theorem 1 of Goyal, Vin and Cheng on start-time fair queueing.
    """
    world = one_thread(max_batch_us=1e6, max_queue_us=1e9)
    tickets = [
        world.submit(client=client, cost=float(cost), key=number % keys)
        for number, (client, cost) in enumerate(asked)
    ]
    by_number = {ticket.item.payload.number: ticket for ticket in tickets}
    left = [sum(one.item.client == client for one in tickets) for client in range(4)]
    largest = [max([c for who, c in asked if who == client], default=0) for client in range(4)]
    got = [0.0] * 4
    serve_one(world)
    while any(left):
        ticket = by_number[serve_one(world)]
        client = ticket.item.client
        assert isinstance(client, int)
        left[client] -= 1
        got[client] += ticket.cost
        busy = [one for one in range(4) if left[one]]
        for one in busy:
            for other in busy:
                assert abs(got[one] - got[other]) <= largest[one] + largest[other]


def test_a_client_keeps_its_own_order() -> None:
    world = one_thread()
    numbers = [world.submit(key=number % 3).item.payload.number for number in range(20)]
    serve_one(world)
    assert [serve_one(world) for _ in numbers] == numbers


def test_being_away_earns_nothing() -> None:
    world = one_thread()
    for _ in range(50):
        world.submit(client="there")
    for _ in range(20):
        serve_one(world)
    late = [world.submit(client="late").item.payload.number for _ in range(20)]
    served = [serve_one(world) for _ in range(20)]
    assert 9 <= sum(number in late for number in served) <= 11


# ---- Long items -----------------------------------------------------------------------------


def test_long_items_leave_a_thread_to_short_ones() -> None:
    world = World(threads=2, query_threads=1, long_us=20_000)
    long = [world.submit(key=number, cost=1e6) for number in range(4)]
    assert len(world.workers.works) == 2
    short = world.submit()
    assert len(world.workers.works) == 3
    world.run(2)
    assert short.answer is not None and len(world.workers.works) == 2
    world.run(0)
    assert long[0].answer is not None and len(world.workers.works) == 2
    world.run_all()
    assert all(ticket.answer for ticket in long)


def test_one_client_with_long_items_does_not_shut_out_the_others() -> None:
    world = World(threads=2, query_threads=1, other_threads=1, long_us=20_000, max_batch_items=1)
    for _ in range(5):
        world.submit(client="many", cost=1e6)
    assert len(world.workers.works) == 2
    others = [world.submit(client=client, cost=1e6) for client in ("one", "two", "one")]
    assert len(world.workers.works) == 3
    # The third thread is for them in turn, and a fourth one for short items, as ever.
    for served in (0, 1, 2):
        short = world.submit(client="short")
        assert len(world.workers.works) == 4
        world.run(3)
        assert short.answer is not None
        world.run(2)
        assert [one.answer is not None for one in others].count(True) == served + 1
    # Nobody waits but the one: the thread stays idle.
    assert len(world.workers.works) == 2 and world.batcher.queued_units == 3


def test_jobs_are_not_asked_for_room_that_nobody_may_use() -> None:
    world = World(threads=1, query_threads=2, long_us=20_000)
    world.batcher.run_background(lambda stop: stop.is_set())
    for key in range(2):
        world.submit(key=key, cost=1e6)
    world.submit()
    assert len(world.workers.works) == 3 and world.batcher.queued_units == 1
    (run,) = [one for one in world.batcher._slots.running if isinstance(one, _Call)]
    assert not run.stop.is_set()
    world.submit()
    assert run.stop.is_set()


# ---- Room -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "item", "taken"),
    [
        ({"max_queue_items": 7}, {}, 7),
        ({"max_queue_items": 7}, {"units": 3}, 2),
        ({"max_queue_bytes": 1_000}, {"size": 300}, 3),
        ({"max_queue_us": 5_000}, {"cost": 1_000.0}, 5),
        ({"max_queue_us": 5_000}, {"cost": 1e6}, 1),  # alone it may be any
        ({"max_queue_items": 10, "max_client_share": 0.5}, {}, 5),
        ({"max_queue_items": 10, "max_client_share": 0.5}, {"units": 8}, 1),
    ],
)
def test_what_does_not_fit_is_refused_at_once(
    fields: dict[str, float], item: dict[str, Any], taken: int
) -> None:
    world = one_thread(**fields)
    tickets = [world.submit(**item) for _ in range(20)]
    refused = [one for one in tickets if one.answer is not None]
    assert [one.answer is None for one in tickets] == [True] * taken + [False] * (20 - taken)
    assert all(one.answer and one.answer.ending is Ending.REFUSED for one in refused)


def test_one_client_leaves_room_for_others() -> None:
    world = one_thread(max_queue_items=10, max_client_share=0.5)
    for _ in range(20):
        world.submit(client="greedy")
    others = [world.submit(client=number) for number in range(6)]
    assert [one.answer is None for one in others] == [True] * 5 + [False]


def test_room_comes_back_however_an_item_ends() -> None:
    world = one_thread(max_queue_items=3)
    waiting = [world.submit(within=within) for within in (None, None, 0.5)]
    assert world.submit().answer is not None
    waiting[0].cancel()
    assert world.submit().answer is None
    world.clock.advance(0.6)
    assert world.submit().answer is None
    serve_one(world)
    assert world.submit().answer is None
    assert world.submit().answer is not None


@pytest.mark.parametrize("per_second", [50, 1_000])
def test_the_delay_is_the_time_half_of_what_waits_takes(per_second: int) -> None:
    world = one_thread(max_queue_items=200, retry_min_ms=1, retry_max_ms=60_000)
    for _ in range(12 * per_second):  # until the average forgets the beginning
        while world.submit().answer is None:
            pass
        serve_one(world, 1 / per_second)
    answer = world.submit().answer
    assert answer is None
    answer = world.submit().answer
    assert answer is not None and answer.ending is Ending.REFUSED
    # 200 wait here, and one was refused for each that was served.
    assert math.isclose(answer.retry_after, (200 + per_second) / 2 / per_second, rel_tol=0.03)


def test_the_delay_has_bounds() -> None:
    world = one_thread(max_queue_items=1, retry_min_ms=20, retry_max_ms=700)
    assert world.batcher.retry_after() == 0.7  # nothing was ever served
    for _ in range(2_000):
        world.submit()
        serve_one(world, 0.0001)
    assert world.batcher.retry_after() == 0.02
    world.submit()
    world.clock.advance(30)
    assert world.batcher.retry_after() == 0.7


# ---- What would wait too long -----------------------------------------------------------------


def taken(world: World, count: int, **fields: Any) -> int:
    """How many of so many items, each of a millisecond, are not refused."""
    answers = [world.submit(**fields).answer for _ in range(count)]
    assert all(answer is None or answer.ending is Ending.REFUSED for answer in answers)
    return answers.count(None)


def one_free_thread(**fields: float) -> World:
    """One thread for short items, and no merging."""
    return World(**{"short_threads": 1, "max_batch_items": 1, "max_client_share": 1.0, **fields})


def test_what_would_wait_too_long_is_refused_and_the_queue_kept_short_for_a_second() -> None:
    world = one_free_thread(max_wait_ms=50, overloaded_wait_ms=5)
    assert taken(world, 100) == 51  # the last one has 49 ms before it, and 1 ms that runs
    for _ in range(51):
        serve_one(world, 0.001)
    # A refusal is not long ago: now 5 ms are too long, and each refusal begins the second anew.
    world.clock.advance(0.9)
    assert taken(world, 100) == 6
    for _ in range(6):
        serve_one(world, 0.001)
    world.clock.advance(0.2)
    assert taken(world, 100) == 6
    for _ in range(6):
        serve_one(world, 0.001)
    world.clock.advance(1.1)
    assert taken(world, 51) == 51


def test_under_overload_a_client_with_nothing_here_may_wait_as_ever() -> None:
    world = one_free_thread(max_wait_ms=50, overloaded_wait_ms=5)
    assert taken(world, 100, client="many") == 51
    for _ in range(30):
        serve_one(world, 0.001)
    assert taken(world, 5, client="many") == 0
    assert taken(world, 5, client="other") == 1


def test_under_overload_a_client_whose_item_runs_is_not_one_with_nothing_here() -> None:
    world = one_free_thread(max_wait_ms=50, overloaded_wait_ms=5)
    assert taken(world, 100, client="many") == 51
    for _ in range(51):
        serve_one(world, 0.001)
    assert taken(world, 1, client="many", cost=10_000.0) == 1
    assert taken(world, 1, client="many") == 0
    assert taken(world, 1, client="other") == 1


def test_urgent_items_do_not_mind_the_others_and_long_ones_may_wait() -> None:
    world = one_thread(max_wait_ms=20, overloaded_wait_ms=1, long_us=10_000)
    assert taken(world, 30, priority=2) == 20
    world.clock.advance(0.001)  # what runs should be done by now, and counts for a quarter
    assert taken(world, 30, priority=2, cost=20_000.0) == 30
    assert taken(world, 5, priority=1) == 1  # nothing as urgent waits, so that one may come
    assert taken(world, 5, priority=0) == 1


@pytest.mark.parametrize(("seconds", "ending"), [(0.004, Ending.REFUSED), (0.006, None)])
def test_what_runs_has_to_be_waited_for(seconds: float, ending: Ending | None) -> None:
    world = one_free_thread(max_wait_ms=5, overloaded_wait_ms=5)
    world.submit(cost=10_000.0)
    world.clock.advance(seconds)
    answer = world.submit().answer
    assert (None if answer is None else answer.ending) is ending


@pytest.mark.parametrize(("wait_ms", "ending"), [(2.4, Ending.REFUSED), (2.6, None)])
@pytest.mark.parametrize("seconds", [0.01, 1.0])
def test_what_is_late_takes_a_quarter_of_its_time_still(
    seconds: float, wait_ms: float, ending: Ending | None
) -> None:
    world = one_free_thread(max_wait_ms=wait_ms, overloaded_wait_ms=wait_ms)
    world.submit(cost=10_000.0)
    world.clock.advance(seconds)
    answer = world.submit().answer
    assert (None if answer is None else answer.ending) is ending


@pytest.mark.parametrize("times", [1, 3])
def test_waiting_is_measured_where_work_takes_longer_than_estimated(times: int) -> None:
    world = one_free_thread(max_wait_ms=30, overloaded_wait_ms=30)
    for _ in range(2_000):
        world.submit()
        serve_one(world, 0.001 * times)
    # One runs, the others have it and all before them to wait for.
    assert math.isclose(taken(world, 100), 1 + 30 / times, rel_tol=0.05)


def test_the_refused_count_for_the_delay() -> None:
    world = one_thread(max_queue_items=10, retry_min_ms=1, retry_max_ms=60_000)
    for _ in range(1200):
        while world.submit().answer is None:
            pass
        for _ in range(20):  # twenty refused for each that is served
            world.submit()
        serve_one(world, 0.01)
    # Half of 10 that wait and about 2,100 refused in the last second, at 100 a second.
    assert math.isclose(world.batcher.retry_after(), 2110 / 2 / 100, rel_tol=0.03)


def test_short_items_leave_threads_to_others_and_have_them_beside_long_ones() -> None:
    world = World(threads=3, query_threads=2, short_threads=2, max_batch_items=1, long_us=10_000)
    for _ in range(5):
        world.submit()
    assert len(world.workers.works) == 2
    for _ in range(5):
        world.submit(cost=20_000.0)
    assert len(world.workers.works) == 5  # three long ones beside them
    assert world.batcher.queued_units == 5
