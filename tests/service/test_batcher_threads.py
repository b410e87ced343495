"""The batcher on real threads and a real loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Hashable, Sequence
from typing import Any, TypeVar

import pytest
from chase_service.batcher import AGAIN, Batcher, Ending, Item, Stop, Threads
from chase_service.config import Config

pytestmark = pytest.mark.no_core

T = TypeVar("T")

# Seconds after which something that must happen has not.
TOO_LONG = 60


class Engine:
    """Doubles numbers; "block" waits to be stopped, "hang" does not even heed that."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.release = threading.Event()
        self.threads: set[str] = set()

    def estimate(self, key: Hashable, payload: object) -> float:
        return 100.0

    def prepare(self, key: Hashable, payloads: Sequence[object]) -> Any:
        self.threads.add(threading.current_thread().name)
        return payloads

    def run(self, key: Hashable, prepared: Any, stop: Stop) -> Any:
        if "block" in prepared:
            stopped = threading.Event()
            stop.on_set(stopped.set)
            self.entered.set()
            assert stopped.wait(TOO_LONG)
            assert stop.is_set()
        if "hang" in prepared:
            self.entered.set()
            assert self.release.wait(TOO_LONG)
        return [one * 2 for one in prepared]

    def split(
        self, key: Hashable, done: list[object], payloads: Sequence[object]
    ) -> Sequence[object]:
        return done


def item(payload: object, **fields: Any) -> Item[object]:
    return Item(key="key", client="client", payload=payload, **fields)


def engine_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("engine")]


def run(main: Coroutine[Any, Any, T]) -> T:
    async def within() -> T:
        return await asyncio.wait_for(main, TOO_LONG)

    result = asyncio.run(within())
    assert engine_threads() == []
    return result


def test_many_items_on_some_threads() -> None:
    async def main() -> None:
        engine = Engine()
        tasks = asyncio.all_tasks()
        batcher = Batcher(
            engine, Config(other_threads=0, threads=3, query_threads=1, max_batch_items=16)
        )
        assert len(engine_threads()) == 4
        answers = await asyncio.gather(*(batcher.submit(item(number)) for number in range(2_000)))
        assert [answer.result for answer in answers] == [2 * number for number in range(2_000)]
        assert batcher.counts.merged == 2_000 > batcher.counts.batches
        assert engine.threads <= {f"engine-{number}" for number in range(4)}
        assert await batcher.close(1) == 0
        assert asyncio.all_tasks() == tasks

    run(main())


def test_cancelling_the_task_that_waits_stops_the_engine() -> None:
    async def main() -> None:
        engine = Engine()
        batcher = Batcher(engine, Config(other_threads=0, threads=1))

        async def call() -> None:
            await batcher.submit(item("block"))

        task = asyncio.create_task(call())
        assert await asyncio.to_thread(engine.entered.wait, TOO_LONG)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert batcher.counts.answers == {Ending.CANCELLED: 1}
        assert await batcher.close(0) == 0

    run(main())


def test_a_deadline_stops_the_engine() -> None:
    async def main() -> None:
        batcher = Batcher(Engine(), Config(other_threads=0, threads=1))
        deadline = asyncio.get_running_loop().time() + 0.02
        answer = await batcher.submit(item("block", deadline=deadline))
        assert answer.ending is Ending.DEADLINE
        assert await batcher.close(0) == 0

    run(main())


def test_a_call_that_hangs_takes_no_other_down() -> None:
    async def main() -> Engine:
        engine = Engine()
        batcher = Batcher(engine, Config(other_threads=0, threads=1, query_threads=1, stuck_ms=10))
        deadline = asyncio.get_running_loop().time() + 0.01
        hanging = [batcher.submit(item("hang", deadline=deadline, priority=2)) for _ in range(2)]
        for ticket in hanging:
            assert (await ticket).ending is Ending.DEADLINE
        answer = await batcher.submit(item(21))
        assert answer.result == 42
        assert batcher.counts.stuck == 2
        # They are told of, and nobody waits for them.
        assert await batcher.close(1) == 2
        assert len(engine_threads()) == 2
        engine.release.set()
        for thread in engine_threads():
            await asyncio.to_thread(thread.join, TOO_LONG)
        assert batcher.counts.stuck == 0
        return engine

    run(main())


def test_a_thread_may_come_back_when_the_loop_is_gone() -> None:
    engine = Engine()

    async def main() -> None:
        batcher = Batcher(engine, Config(other_threads=0, threads=1, stuck_ms=1))
        ticket = batcher.submit(item("hang"))
        assert await batcher.close(0) == 1
        assert (await ticket).ending is Ending.CLOSED

    asyncio.run(main())
    hanging = engine_threads()
    engine.release.set()
    for thread in hanging:
        thread.join(TOO_LONG)
    assert engine_threads() == []


def test_what_is_under_way_finishes_within_the_grace() -> None:
    async def main() -> None:
        batcher = Batcher(Engine(), Config(other_threads=0, threads=1, max_batch_items=4))
        tickets = [batcher.submit(item(number)) for number in range(500)]
        assert await batcher.close(TOO_LONG) == 0
        assert [(await ticket).result for ticket in tickets] == [2 * n for n in range(500)]

    run(main())


def test_a_second_close_shortens_the_grace() -> None:
    async def main() -> None:
        batcher = Batcher(Engine(), Config(other_threads=0, threads=1))
        ticket = batcher.submit(item("block"))
        first = asyncio.create_task(batcher.close(TOO_LONG * 2))
        await asyncio.sleep(0)
        assert await batcher.close(0) == 0
        assert await first == 0
        assert (await ticket).ending is Ending.CLOSED

    run(main())


def test_a_job_makes_room_for_queries_and_goes_on() -> None:
    async def main() -> None:
        batcher = Batcher(Engine(), Config(other_threads=0, threads=2, query_threads=1))
        rounds = 0
        enough = False

        def chunk(stop: Stop) -> Any:
            nonlocal rounds
            made_room = threading.Event()
            stop.on_set(made_room.set)
            rounds += 1
            while not enough and not made_room.wait(0.001):
                pass
            return "done" if enough else AGAIN

        jobs = [batcher.run_background(chunk) for _ in range(2)]
        for _ in range(20):
            queries = [batcher.submit(item(number)) for number in range(100)]
            assert [(await query).result for query in queries] == [2 * n for n in range(100)]
        enough = True
        assert [(await job).result for job in jobs] == ["done", "done"]
        assert rounds >= 2
        assert await batcher.close(0) == 0

    run(main())


def test_an_endless_job_ends_with_the_batcher() -> None:
    async def main() -> None:
        batcher = Batcher(Engine(), Config(other_threads=0, threads=1))

        def chunk(stop: Stop) -> Any:
            made_room = threading.Event()
            stop.on_set(made_room.set)
            assert made_room.wait(TOO_LONG)
            return AGAIN

        jobs = [batcher.run_background(chunk) for _ in range(3)]
        assert await batcher.close(TOO_LONG) == 0
        assert [(await job).ending for job in jobs] == [Ending.CLOSED] * 3
        late = batcher.run_background(chunk)
        assert (await late).ending is Ending.CLOSED

    run(main())


def test_threads_can_be_more_and_fewer() -> None:
    threads = Threads(2, name="engine-test")
    threads.add()
    assert threads.alive() == 3
    threads.remove()
    threads.close()
    for thread in engine_threads():
        thread.join(TOO_LONG)
    assert threads.alive() == 0
