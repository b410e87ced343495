"""Chunks of a run on the background threads of the server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from queue import SimpleQueue
from typing import Any, Final, Protocol, TypeVar

from chase_fast._core import StopFlag
from chase_fast.runner import Part
from chase_service.batcher import AGAIN, Answer, Stop
from chase_service.jobs.points import reached

__all__ = ["Background", "ChunkThreads"]

T = TypeVar("T")

# Seconds of play that a chunk may lose by making room; then it is finished before it makes room.
_MOST_LOST: Final = 1.0


class Background(Protocol):
    """Where chunks are played, such as `chase_service.engine.Engine`."""

    def run_background(self, chunk: Callable[[Stop], Any], /) -> Awaitable[Answer[Any]]:
        """Runs a chunk when no query needs the thread, again and again while it gives `AGAIN`.

        Args:
            chunk: Called on a thread with a flag that tells it to make room.
        """


class ChunkThreads:
    """An executor of `chase_fast.runner.play_run`, for one run, which has a thread of its own.

    Args:
        loop: Of the server.
        background: Plays chunks.

    Attributes:
        stop: Set when the run is to end.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, background: Background) -> None:
        self.stop = StopFlag()
        self._loop = loop
        self._background = background
        self._flags: set[StopFlag] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def interrupt(self) -> None:
        """Ends the run early; chunks under way are given up. From any thread."""
        self.stop.set()
        for flag in list(self._flags):
            flag.set()

    def alone(self, part: Callable[[StopFlag], T | None]) -> T | None:
        """Does one piece of work before the chunks, as if it were one.

        Args:
            part: Gives None if its flag was set, and then may be called again.

        Returns:
            What it gives; None if the run is to end.

        Raises:
            BaseException: What it raises.
        """
        done: SimpleQueue[Any] = SimpleQueue()
        self._loop.call_soon_threadsafe(self._start, part, done)
        found = done.get()
        if isinstance(found, BaseException):
            raise found
        given: T | None = found
        return given

    def __call__(
        self,
        take: Callable[[], Part | None],
        workers: int,
        stop: StopFlag,
        finished: Callable[[Any], object],
        /,
    ) -> None:
        """See `chase_fast.runner.Executor`."""
        done: SimpleQueue[Any] = SimpleQueue()
        out, more = 0, True
        try:
            while True:
                while more and out < workers and not stop.is_set():
                    part = take()
                    if part is None:
                        more = False
                    else:
                        reached("run: part")
                        self._loop.call_soon_threadsafe(self._start, part, done)
                        out += 1
                if not out:
                    return
                played = done.get()
                out -= 1
                if isinstance(played, BaseException):
                    raise played
                if finished(played):
                    return
        finally:
            if out:
                self.interrupt()
            while out:
                done.get()
                out -= 1

    def _start(self, part: Callable[[StopFlag], Any], done: SimpleQueue[Any]) -> None:
        task = self._loop.create_task(self._play(part, done))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _play(self, part: Callable[[StopFlag], Any], done: SimpleQueue[Any]) -> None:
        lost = 0.0

        def chunk(room: Stop) -> Any:
            nonlocal lost
            flag = StopFlag()
            self._flags.add(flag)
            try:
                if self.stop.is_set():
                    return None
                if lost < _MOST_LOST:
                    room.on_set(flag.set)
                began = time.monotonic()
                played = part(flag)
                lost += time.monotonic() - began
            finally:
                self._flags.discard(flag)
            return AGAIN if played is None and not self.stop.is_set() else played

        try:
            answer = await self._background.run_background(chunk)
            # Without either, the server ended before it was played.
            done.put(answer.error or answer.result)
        except BaseException as error:  # noqa: BLE001 - raised in the thread of the run
            done.put(error)
