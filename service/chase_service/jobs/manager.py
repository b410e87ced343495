"""All jobs of a server: taken in, played one after the other, told of, taken away."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import logging
import os
import shutil
import sqlite3
import time
from collections.abc import AsyncGenerator, Coroutine
from pathlib import Path
from typing import Any, Final, TypeVar

from chase_service.figures import Done
from chase_service.jobs.points import reached
from chase_service.jobs.records import ENDED, Job, JobBase, State
from chase_service.jobs.room import RETRY_SECONDS, Room, disk
from chase_service.jobs.running import Player, Running
from chase_service.jobs.threads import Background
from chase_service.jobs.work import Work
from chase_service.refusal import Reason, Refusal, invalid

__all__ = ["Jobs", "read_piece"]

T = TypeVar("T")

_log = logging.getLogger("chase_service")

# Seconds between two messages to a watcher, at most.
_HEARTBEAT: Final = 0.9


class Jobs:
    """All jobs. Its methods are for the thread of the loop.

    Args:
        folder: Of the server's data, made if it is not there.
        player: Reads the text of a player.
        workers: Chunks at a time.
        room: What jobs may take.
        seconds: That a job may play.
        done: Where games are counted.

    Raises:
        sqlite3.Error: The base cannot be used.
        OSError: The folder cannot be used, or another server uses it.
    """

    def __init__(
        self, folder: Path, player: Player, *, workers: int, room: Room, seconds: float, done: Done
    ) -> None:
        self._folder = folder.resolve() / "jobs"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock = _locked(folder / ".lock")
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self._base = JobBase(folder / "jobs.sqlite")
        self._player = player
        self._workers = workers
        self._room = room
        self._seconds = seconds
        self._done = done
        self._closing = asyncio.Event()
        self._wake = asyncio.Event()
        self._changed = asyncio.Event()
        self._running: Running | None = None
        self._task: asyncio.Task[None] | None = None
        self._changes: set[asyncio.Task[Any]] = set()
        # Ids of jobs that could not be played on; one whose files are damaged is not to stand in
        # the way of the others.
        self._put_off: set[str] = set()

    # ---- What callers ask ---------------------------------------------------------------------

    async def create(
        self, request_id: str, spec: bytes, work: Work, *, owner: str = ""
    ) -> tuple[Job, bool]:
        """Takes a job in; it is on disk then.

        Args:
            request_id: Of the caller, or an empty text.
            spec: What the contract calls it.
            work: What is to be done.
            owner: Name of the token that the call came with, or an empty text.

        Returns:
            The job, and whether it was there.

        Raises:
            Refusal: INVALID_FIELD, the request was used for another job; see `Room.check`.
        """

        def check(under_way: int, known: int) -> None:
            self._room.check(under_way, known, self._folder)

        def create() -> tuple[Job, bool]:
            reached("create: before the row")
            with disk():
                return self._base.create(request_id, spec, work.text(), check=check, owner=owner)

        async def created() -> tuple[Job, bool]:
            made = await asyncio.to_thread(create)
            reached("create: row")
            self._notify()
            return made

        job, known = await self._to_the_end(created())
        if known and job.spec != spec:
            raise invalid("request_id", f"request_id {request_id} is that of another job")
        return job, known

    def get(self, name: str, *, owner: str | None = None) -> Job:
        """The job of an id.

        Args:
            name: Its id.
            owner: Whose jobs alone are seen, here and below; None: all.

        Raises:
            Refusal: NOT_FOUND.
        """
        return _found(self._base.get(name[:64], owner=owner), name)

    def page(
        self, *, before: int | None, state: State | None, most: int, owner: str | None = None
    ) -> list[Job]:
        """See `JobBase.page`."""
        return self._base.page(before=before, state=state, most=most, owner=owner)

    async def watch(
        self, name: str, after: int, *, owner: str | None = None
    ) -> AsyncGenerator[Job]:
        """The job whenever it has changed, and about every second, until it has ended.

        Args:
            name: Its id.
            after: Number of the latest change that the watcher knows.
            owner: See `get`.

        Raises:
            Refusal: NOT_FOUND; UNAVAILABLE, the server ends.
        """
        told = 0.0
        while True:
            changed = self._changed
            job = self.get(name, owner=owner)
            now = time.monotonic()
            if job.sequence > after or now - told >= _HEARTBEAT or job.state in ENDED:
                yield job
                if job.state in ENDED:
                    return
                after, told = max(after, job.sequence), now
            if self._closing.is_set():
                raise Refusal(Reason.UNAVAILABLE, "the server ends", retry_after=1.0)
            try:
                await asyncio.wait_for(changed.wait(), max(told + _HEARTBEAT - now, 0.001))
            except TimeoutError:
                continue

    async def cancel(self, name: str, *, owner: str | None = None) -> Job:
        """Ends a job early.

        Args:
            name: Its id.
            owner: See `get`.

        Raises:
            Refusal: NOT_FOUND; STORAGE.
        """

        def values(job: Job) -> dict[str, Any] | None:
            if job.state in ENDED or job.cancelling:
                return None
            if job.state is State.QUEUED:
                return {"cancelling": 1, "state": State.CANCELLED, "ended": time.time_ns()}
            return {"cancelling": 1}

        async def cancelled() -> Job:
            reached("cancel: before the row")
            with disk():
                job, _ = await asyncio.to_thread(self._base.change, name, values, owner=owner)
            reached("cancel: row")
            job = _found(job, name)
            if self._running is not None and self._running.name == job.id:
                self._running.cancel()
            self._notify()
            return job

        return await self._to_the_end(cancelled())

    async def delete(self, name: str, *, owner: str | None = None) -> None:
        """Removes a job that has ended, and its files.

        Args:
            name: Its id.
            owner: See `get`.

        Raises:
            Refusal: NOT_FOUND; WRONG_STATE, it is under way; STORAGE.
        """

        async def delete() -> None:
            reached("delete: before the row")
            with disk():
                deleted = await asyncio.to_thread(self._base.delete, name, owner=owner)
            job = _found(deleted, name)
            reached("delete: row")
            if job.state not in ENDED:
                raise Refusal(Reason.WRONG_STATE, f"job {job.id} has not ended; cancel it first")
            await asyncio.to_thread(shutil.rmtree, self._folder / job.id, ignore_errors=True)
            reached("delete: files")

        await self._to_the_end(delete())

    def file(self, name: str, file: str, *, owner: str | None = None) -> tuple[Path, int]:
        """Where a file of a job is, and its length.

        Args:
            name: Id of the job.
            file: Its name.
            owner: See `get`.

        Raises:
            Refusal: NOT_FOUND; WRONG_STATE, the job has not ended.
        """
        job = self.get(name, owner=owner)
        for one in job.files:
            if one.name == file:
                return self._folder / job.id / "results" / one.name, one.bytes
        if job.state not in ENDED:
            raise Refusal(Reason.WRONG_STATE, f"job {job.id} has not ended, it has no files yet")
        raise Refusal(Reason.NOT_FOUND, f"job {job.id} has no file of that name", field="name")

    def counts(self) -> dict[State, int]:
        """How many jobs are in each state; empty if the disk fails. From any thread."""
        try:
            return self._base.counts()
        except sqlite3.Error:
            return {}

    # ---- Playing them -------------------------------------------------------------------------

    def start(self, background: Background) -> None:
        """Begins to play what there is. What was deleted and is still there goes first.

        Args:
            background: Plays chunks.
        """
        known = self._base.ids()
        for path in self._folder.iterdir():
            if path.name not in known:
                shutil.rmtree(path, ignore_errors=True)
        self._task = asyncio.get_running_loop().create_task(self._play_all(background))

    def end_watching(self) -> None:
        """Ends those who watch, who would wait for as long as jobs take."""
        self._closing.set()
        self._notify()

    async def close(self) -> None:
        """Stops; what is under way goes on when a server starts on the same folder."""
        self.end_watching()
        if self._running is not None:
            self._running.close()
        if self._task is not None:
            self._wake.set()
            await self._task
        if self._changes:
            await asyncio.wait(set(self._changes))
        self._base.close()
        os.close(self._lock)

    async def _to_the_end(self, work: Coroutine[Any, Any, T]) -> T:
        """What some work gives, which goes on without its caller: a row is not all there is."""
        task = asyncio.ensure_future(work)
        self._changes.add(task)
        task.add_done_callback(self._ended)
        return await asyncio.shield(task)

    def _ended(self, change: asyncio.Task[Any]) -> None:
        self._changes.discard(change)
        if not change.cancelled():
            change.exception()  # told to the caller, if there is one

    async def _play_all(self, background: Background) -> None:
        while not self._closing.is_set():
            self._wake.clear()
            try:
                await self._play_next(background)
            except Exception:  # noqa: BLE001 - whatever it is, the other jobs go on
                # The disk is full, say. It may be better later; the job is as it was.
                _log.exception("a job cannot be played on")
                await self._pause()

    async def _play_next(self, background: Background) -> None:
        job = await asyncio.to_thread(self._base.next, self._put_off)
        if job is None:
            # Those are tried again whose turn it was when something went wrong.
            if not self._put_off:
                await self._wake.wait()
            self._put_off.clear()
            return
        loop = asyncio.get_running_loop()
        running = Running(
            job, self._folder / job.id, self._base, self._player, loop=loop,
            background=background, workers=self._workers, seconds=self._seconds,
            done=self._done, changed=lambda: loop.call_soon_threadsafe(self._notify),
        )  # fmt: skip
        self._running = running
        if self._closing.is_set():
            running.close()
        try:
            # Cancelled or deleted between the look at the base and the line above?
            latest = self._base.get(job.id)
            if latest is None:
                return
            if latest.cancelling:
                running.cancel()
            await asyncio.to_thread(running.play)
        except Exception:
            self._put_off.add(job.id)
            raise
        finally:
            self._running = None
            if self._base.get(job.id) is None:
                # Deleted in the moment in which it was taken up: it may have made its folder anew.
                await asyncio.to_thread(shutil.rmtree, self._folder / job.id, ignore_errors=True)
            self._notify()

    async def _pause(self) -> None:
        try:
            await asyncio.wait_for(self._closing.wait(), RETRY_SECONDS)
        except TimeoutError:
            return

    def _notify(self) -> None:
        self._wake.set()
        self._changed.set()
        self._changed = asyncio.Event()


def _locked(path: Path) -> int:
    """A lock that goes with the process: two servers would both play the same jobs."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise OSError(errno.EBUSY, "another server uses it") from None
    return handle


def read_piece(path: Path, offset: int, size: int) -> bytes:
    """A piece of a file.

    Raises:
        OSError: It cannot be read.
    """
    with path.open("rb") as file:
        file.seek(offset, os.SEEK_SET)
        return file.read(size)


def _found(job: Job | None, name: str) -> Job:
    if job is None:
        raise Refusal(Reason.NOT_FOUND, f"there is no job {name[:64]}", field="job_id")
    return job
