"""Work of jobs: it takes what queries leave, and makes room when they want more."""

from __future__ import annotations

from typing import Any

import pytest
from chase_service.batcher import AGAIN, Ending, Pending, Stop
from chase_service.batcher.background import _Call

from tests.service.doubles import World

pytestmark = pytest.mark.no_core


class Chunk:
    """Returns `AGAIN` until it was called often enough; notes its flag at each call."""

    def __init__(self, calls: int = 1, result: Any = "done") -> None:
        self.left = calls
        self.result = result
        self.stops: list[Stop] = []
        self.asked: list[bool] = []

    def __call__(self, stop: Stop) -> Any:
        self.stops.append(stop)
        self.asked.append(stop.is_set())
        self.left -= 1
        return self.result if self.left == 0 else AGAIN


def ended(pending: Pending[Any]) -> Ending | None:
    return None if pending.answer is None else pending.answer.ending


def flags(world: World) -> list[bool]:
    """Of the chunks that run: which were asked to make room; those last."""
    runs = world.batcher._slots.running
    return sorted(run.stop.is_set() for run in runs if isinstance(run, _Call))


def test_a_chunk_gives_its_result() -> None:
    world = World()
    task = world.batcher.run_background(Chunk())
    assert ended(task) is None
    world.run()
    assert ended(task) is Ending.RESULT and task.answer is not None
    assert task.answer.result == "done"


def test_none_is_a_result() -> None:
    world = World()
    task = world.batcher.run_background(Chunk(result=None))
    world.run()
    assert ended(task) is Ending.RESULT


def test_a_chunk_that_raises_has_its_error() -> None:
    world = World()
    error = ZeroDivisionError()

    def chunk(stop: Stop) -> None:
        raise error

    task = world.batcher.run_background(chunk)
    world.run()
    assert ended(task) is Ending.ERROR and task.answer is not None
    assert task.answer.error is error


def test_no_job_takes_the_threads_kept_for_queries() -> None:
    world = World(threads=2, query_threads=1)
    for _ in range(9):
        world.batcher.run_background(Chunk())
    assert len(world.workers.works) == 2 and world.batcher.background_waiting == 7
    query = world.submit()
    assert len(world.workers.works) == 3
    assert flags(world) == [False, False]
    world.run(2)
    assert query.answer is not None
    assert len(world.workers.works) == 2


def test_queries_may_take_all_threads() -> None:
    world = World(threads=2, query_threads=1)
    world.occupy()
    assert len(world.workers.works) == 3
    world.batcher.run_background(Chunk())
    waits = world.submit()
    world.run(0)
    assert world.batcher.background_waiting == 1  # the query was first
    world.run_all()
    assert waits.answer is not None


def test_as_many_chunks_are_asked_for_room_as_queries_need() -> None:
    world = World(threads=4, query_threads=1, max_batch_items=10)
    chunks = [Chunk(calls=2) for _ in range(4)]
    for chunk in chunks:
        world.batcher.run_background(chunk)
    world.submit(key="kept thread")
    assert flags(world) == [False] * 4
    queries = [world.submit(key="wait", cost=1)]
    assert flags(world) == [False, False, False, True]
    queries += [world.submit(key="wait", cost=1) for _ in range(8)]
    assert flags(world) == [False, False, False, True]
    queries += [world.submit(key="wait", cost=1)]
    assert flags(world) == [False, False, True, True]
    world.run(0)  # a chunk comes back, and a query has its thread
    assert chunks[0].asked == [True]
    assert world.batcher.queued_units == 0 and world.batcher.background_waiting == 1
    world.run_all()
    assert all(query.answer for query in queries)
    assert [chunk.left for chunk in chunks] == [0] * 4


def test_chunks_take_turns() -> None:
    world = World(threads=1)
    order: list[str] = []

    def chunk(name: str) -> Any:
        def run(stop: Stop) -> Any:
            order.append(name)
            return AGAIN if order.count(name) < 3 else name

        return run

    for name in "abc":
        world.batcher.run_background(chunk(name))
    world.run_all()
    assert "".join(order) == "abcabcabc"


def test_jobs_go_on_though_queries_never_end() -> None:
    world = World(
        threads=1, query_threads=1, background_ageing_ms=1_000, background_slice_ms=5,
        max_batch_items=1,
    )  # fmt: skip
    world.occupy()
    chunk = Chunk(calls=3)
    task = world.batcher.run_background(chunk)
    begin = world.clock.now
    while task.answer is None and world.clock.now < begin + 10:
        while world.batcher.queued_units < 5:
            world.submit()
        world.clock.advance(0.01)
        world.run(0)
    # Asked to make room 5 ms after they began, not before.
    assert chunk.asked == [True] * 3
    assert world.clock.now - begin == pytest.approx(3.0, abs=0.2)


def test_a_waiting_chunk_is_cancelled_at_once() -> None:
    world = World(threads=1)
    first, second = Chunk(), Chunk()
    world.batcher.run_background(first)
    task = world.batcher.run_background(second)
    task.cancel()
    assert ended(task) is Ending.CANCELLED
    world.run_all()
    assert second.stops == []


@pytest.mark.parametrize(("calls", "ending"), [(1, Ending.RESULT), (2, Ending.CANCELLED)])
def test_a_running_chunk_is_answered_when_it_is_back(calls: int, ending: Ending) -> None:
    world = World()
    chunk = Chunk(calls)
    task = world.batcher.run_background(chunk)
    task.cancel()
    task.cancel()
    assert ended(task) is None
    world.run()
    assert chunk.asked == [True]
    assert ended(task) is ending
    assert world.workers.works == []


def test_a_chunk_that_does_not_come_back_is_given_up() -> None:
    world = World(threads=1, stuck_ms=500)
    task = world.batcher.run_background(Chunk())
    task.cancel()
    world.clock.advance(0.6)
    assert ended(task) is Ending.ERROR
    assert world.batcher.counts.stuck == 1
    world.batcher.run_background(Chunk())
    assert len(world.workers.works) == 2
    world.run_all()
    assert world.batcher.counts.stuck == 0


def test_making_room_late_is_no_reason_to_be_given_up() -> None:
    world = World(threads=1, query_threads=1, stuck_ms=500)
    chunk = Chunk(calls=1)
    task = world.batcher.run_background(chunk)
    world.submit()
    world.submit()
    assert flags(world) == [True]
    world.clock.advance(5)
    assert ended(task) is None and world.batcher.counts.stuck == 0
    world.run_all()
    assert ended(task) is Ending.RESULT
