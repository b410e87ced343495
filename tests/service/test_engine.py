"""Work of calls on the threads of the batcher: merged, stopped, refused, put in order."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import aclosing
from typing import Any, TypeVar

import pytest
from chase_service.config import Config
from chase_service.engine import Engine, StopFlag, Stopped, Work
from chase_service.refusal import Reason, Refusal

pytestmark = pytest.mark.no_core

T = TypeVar("T")

# Seconds after which something that must happen has not.
TOO_LONG = 60
# Costs that go to a thread; the second is not merged with anything.
SMALL, LARGE = 100.0, 5000.0


class Asker:
    def __init__(self, client: str = "client", priority: int = 0) -> None:
        self.client = client
        self.priority = priority


ASKER = Asker()


def giving(value: T, cost: float) -> Work[T]:
    """Work that gives a value."""
    return Work(lambda _: value, cost)


class Block:
    """Work that keeps a thread until it is released, or told to stop."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.release = threading.Event()
        self.stopped = 0

    def __call__(self, stop: StopFlag) -> str:
        self.entered.set()
        end = time.monotonic() + TOO_LONG
        while not self.release.wait(0.001):
            if stop.is_set():
                self.stopped += 1
                raise Stopped
            assert time.monotonic() < end
        return "released"


def with_engine(use: Callable[[Engine], Coroutine[Any, Any, T]], **config: Any) -> T:
    """Runs with an engine of one thread, which is closed."""

    async def run() -> T:
        engine = Engine(
            Config(
                **{"threads": 1, "query_threads": 1, "short_threads": 2, "long_us": 1e6, **config}
            )
        )
        try:
            return await asyncio.wait_for(use(engine), TOO_LONG)
        finally:
            await engine.close()
            assert not engine.waiting

    return asyncio.run(run())


async def until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110 - conditions of other threads
        await asyncio.sleep(0.001)


async def blocked(engine: Engine, count: int = 2) -> tuple[list[Block], list[asyncio.Task[str]]]:
    """Keeps all threads busy."""
    blocks = [Block() for _ in range(count)]
    tasks = [asyncio.create_task(engine.submit(Work(one, LARGE), ASKER)) for one in blocks]
    for block in blocks:
        await until(block.entered.is_set)
    return blocks, tasks


def test_small_work_is_done_at_once_on_the_loop() -> None:
    async def use(engine: Engine) -> None:
        here = threading.get_ident()
        assert await engine.submit(Work(lambda _: threading.get_ident(), 1.0), ASKER) == here
        assert await engine.submit(Work(lambda _: threading.get_ident(), 51.0), ASKER) != here
        assert engine.inline(50.0)
        assert not engine.inline(51.0)
        blocks, tasks = await blocked(engine)
        waiting = asyncio.create_task(engine.submit(giving(1, SMALL), ASKER))
        await asyncio.sleep(0)
        assert not engine.inline(1.0)  # it would overtake what waits
        for block in blocks:
            block.release.set()
        assert await waiting == 1
        assert await asyncio.gather(*tasks) == ["released"] * 2
        assert engine.figures().inline == 2

    with_engine(use)


def test_work_of_several_calls_that_waits_is_merged() -> None:
    async def use(engine: Engine) -> None:
        blocks, _ = await blocked(engine)
        before = engine.figures().batches
        works = [giving(number, SMALL) for number in range(40)]
        tasks = [
            asyncio.create_task(engine.submit(work, Asker(str(number % 7))))
            for number, work in enumerate(works)
        ]
        await asyncio.sleep(0)
        assert engine.waiting == 40 + len(blocks)
        for block in blocks:
            block.release.set()
        assert await asyncio.gather(*tasks) == list(range(40))
        # 40 pieces of 100 us, at most 2 ms together in one go.
        assert engine.figures().batches - before == 2

    with_engine(use)


@pytest.mark.parametrize(
    "error", [ValueError("secret"), Refusal(Reason.GAME_OVER, "over"), Stopped()]
)
def test_what_work_raises_reaches_its_caller_alone(error: Exception) -> None:
    def fail(stop: StopFlag) -> int:
        raise error

    async def use(engine: Engine) -> None:
        blocks, _ = await blocked(engine)
        tasks = [
            asyncio.create_task(
                engine.submit(Work(fail, SMALL) if number == 3 else giving(7, SMALL), ASKER)
            )
            for number in range(6)
        ]
        await asyncio.sleep(0)
        for block in blocks:
            block.release.set()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert results == [7, 7, 7, error, 7, 7]
        assert engine.figures().retried == 0

    with_engine(use)


def test_cancelled_work_is_stopped_and_its_neighbours_go_on() -> None:
    async def use(engine: Engine) -> None:
        blocks, tasks = await blocked(engine)
        inner = Block()
        merged = [
            asyncio.create_task(engine.submit(work, ASKER))
            for work in (Work(inner, SMALL), giving("neighbour", SMALL))
        ]
        await asyncio.sleep(0)
        tasks[0].cancel()
        await until(lambda: blocks[0].stopped == 1)
        await until(inner.entered.is_set)
        merged[0].cancel()
        assert await merged[1] == "neighbour"
        assert inner.stopped == 1
        blocks[1].release.set()
        assert await tasks[1] == "released"

    with_engine(use)


def test_cancelled_work_that_waits_is_never_begun() -> None:
    async def use(engine: Engine) -> None:
        blocks, _ = await blocked(engine)
        begun: list[int] = []
        task = asyncio.create_task(engine.submit(Work(lambda _: begun.append(1), SMALL), ASKER))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert engine.waiting == len(blocks)
        for block in blocks:
            block.release.set()
        await until(lambda: not engine.waiting)
        assert not begun

    with_engine(use)


def test_a_slow_neighbour_is_stopped_and_both_are_done_apart() -> None:
    async def use(engine: Engine) -> None:
        blocks, _ = await blocked(engine)
        slow = Block()
        tasks = [
            asyncio.create_task(engine.submit(work, ASKER))
            for work in (Work(slow, SMALL), giving("quick", SMALL))
        ]
        await asyncio.sleep(0)
        for block in blocks:
            block.release.set()
        assert await tasks[1] == "quick"
        assert (slow.stopped, engine.figures().retried) == (1, 1)
        slow.release.set()
        assert await tasks[0] == "released"

    with_engine(use, patience_ms=20)


def test_too_much_is_refused_with_a_delay_but_nothing_that_has_begun() -> None:
    async def use(engine: Engine) -> None:
        blocks, _ = await blocked(engine)
        # Four pieces wait; a client has room for half of the places, and nobody for more than all.
        works = [giving(number, LARGE) for number in range(12)]
        running = asyncio.create_task(engine.run(works, ASKER))
        await asyncio.sleep(0)
        more = [
            asyncio.create_task(engine.submit(giving(1, LARGE), Asker(f"other {number}")))
            for number in range(4)
        ]
        await asyncio.sleep(0.01)
        with pytest.raises(Refusal) as raised:
            await engine.submit(giving(1, LARGE), Asker("one more"))
        assert raised.value.reason is Reason.OVERLOADED
        assert raised.value.retry_after is not None
        for block in blocks:
            block.release.set()
        assert await running == list(range(12))
        await asyncio.gather(*more, return_exceptions=True)

    with_engine(use, max_queue_items=4, retry_min_ms=1, retry_max_ms=5)


def test_no_more_is_begun_than_is_taken() -> None:
    read = 0

    def works() -> Iterator[Work[int]]:
        nonlocal read
        for number in range(1000):
            read = number
            yield giving(number, LARGE)

    async def use(engine: Engine) -> None:
        async with aclosing(engine.portions(works(), ASKER)) as portions:
            taken = [await anext(portions) for _ in range(3)]
            assert taken == [[0], [1], [2]]
            await asyncio.sleep(0.02)
            assert read <= 8
        await until(lambda: not engine.waiting)

    with_engine(use)


def test_what_waits_at_the_end_is_told_so() -> None:
    async def use(engine: Engine) -> None:
        blocks, tasks = await blocked(engine)
        waiting = asyncio.create_task(engine.submit(giving(1, SMALL), ASKER))
        await asyncio.sleep(0)
        await engine.close()
        results = await asyncio.gather(waiting, *tasks, return_exceptions=True)
        for refusal in results:
            assert isinstance(refusal, Refusal)
            assert refusal.reason is Reason.UNAVAILABLE
        assert all(block.stopped for block in blocks)

    with_engine(use)


def test_urgent_work_goes_first() -> None:
    async def use(engine: Engine) -> None:
        blocks, _ = await blocked(engine)
        order: list[int] = []
        tasks = [
            asyncio.create_task(
                engine.submit(giving(level, LARGE).then(order.append), Asker(priority=level))
            )
            for level in (2, 1, 9, 0)
        ]
        await asyncio.sleep(0)
        blocks[0].release.set()
        await asyncio.gather(*tasks)
        assert order == [0, 1, 2, 9]
        blocks[1].release.set()

    with_engine(use)
