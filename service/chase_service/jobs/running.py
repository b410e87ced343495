"""One job being done, in a thread of its own that mostly waits."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import logging
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from chase_fast._core import StopFlag
from chase_fast.agents import PlayerSpec
from chase_fast.errors import ArgumentError, ChaseError, StoppedError, StoreError
from chase_fast.runner import Plan, Progress, play_run
from chase_fast.runs import Settings, begin
from chase_fast.store import Run
from chase_service.figures import Done
from chase_service.jobs.child import Child, Told
from chase_service.jobs.points import reached
from chase_service.jobs.records import ENDED, File, Job, JobBase, State
from chase_service.jobs.threads import Background, ChunkThreads
from chase_service.jobs.work import Work
from chase_service.refusal import Refusal, clean

__all__ = ["Player", "Running"]

_log = logging.getLogger("chase_service")

Player = Callable[[str], PlayerSpec]
"""Reads the text of a player."""

# What a chunk should take: so much is played again after it has made room for a query.
_CHUNK_SECONDS: Final = 0.2
# Seconds between two notes of the progress.
_PROGRESS: Final = 0.2

# Seconds that the process of a server that was killed may take to see it.
_PATIENCE: Final = 5.0

_FAULT: Final = "a fault of the server; its log says more"


class _FaultError(Exception):
    """What a job ends with; the text is for callers."""


class Running:
    """A job being done.

    Args:
        job: Which.
        folder: Its own.
        base: Where its state is noted.
        player: Reads the text of a player.
        loop: Of the server.
        background: Plays chunks.
        workers: Chunks at a time.
        seconds: That it may play, in this process.
        done: Where games are counted.
        changed: Called when its state was noted; from any thread.
    """

    def __init__(
        self, job: Job, folder: Path, base: JobBase, player: Player, *,
        loop: asyncio.AbstractEventLoop, background: Background, workers: int, seconds: float,
        done: Done, changed: Callable[[], object],
    ) -> None:  # fmt: skip
        self.name: Final = job.id
        self._job = job
        self._folder = folder
        self._base = base
        self._player = player
        self._threads = ChunkThreads(loop, background)
        self._workers = workers
        self._seconds = seconds
        self._done = done
        self._changed = changed
        self._cancelled = False
        self._closing = False
        self._lock = threading.Lock()
        self._child: Child | None = None

    # ---- From other threads ---------------------------------------------------------------------

    def cancel(self) -> None:
        """Ends it early, with what it has."""
        self._cancelled = True
        self._interrupt()

    def close(self) -> None:
        """Leaves it as it is."""
        self._closing = True
        self._interrupt()

    def _interrupt(self) -> None:
        self._threads.interrupt()
        with self._lock:
            if self._child is not None:
                self._child.kill()

    # ---- In its own -----------------------------------------------------------------------------

    def play(self) -> None:
        """Does what is left to do, and notes what came of it.

        Raises:
            OSError, sqlite3.Error: The disk failed; the job can be played on.
        """
        reached("run: begin")
        work = Work.read(self._job.work)
        try:
            names = self._play_games(work)
            if self._closing:
                return
            files = self._finish(names)
        except _FaultError as fault:
            self._end(State.FAILED, message=clean(str(fault)))
        except ArgumentError as error:
            # Only of what the caller asked, such as more openings than there are.
            self._end(State.FAILED, message=clean(str(error)))
        except Refusal as refusal:
            # A player that the operator offers no more.
            self._end(State.FAILED, message=refusal.message)
        except ChaseError:
            _log.exception("fault in job %s", self.name, extra={"job": self.name})
            self._end(State.FAILED, message=_FAULT)
        except (OSError, sqlite3.Error):
            raise
        except Exception:  # noqa: BLE001 - whatever it is, the other jobs go on
            _log.exception("fault in job %s", self.name, extra={"job": self.name})
            self._end(State.FAILED, message=_FAULT)
        else:
            if files is not None:
                self._end(State.CANCELLED if self._cancelled else State.SUCCEEDED, files=files)

    def _play_games(self, work: Work) -> dict[str, str]:
        """Plays what is missing; gives the texts of players that nobody is to see."""
        specs = {text: self._player(text) for text in work.players}
        names = {str(spec): text for text, spec in specs.items() if spec.kind == "ext"}
        if self._cancelled and not (self._folder / "run" / "run.json").exists():
            return names
        self._note({"state": State.RUNNING, "started": self._job.started or time.time_ns()})
        run = self._folder / "run"
        _wait_for_child(run)
        try:
            self._play_on(work, run, specs)
        except StoppedError:
            if not self._threads.stop.is_set():
                raise
            # It ended before anybody looked whether all that is there from before is whole.
            if self._cancelled and Run.exists(run):
                with Run.open(run, write=True) as opened:
                    opened.sweep()
        reached("run: played")
        return names

    def _play_on(self, work: Work, folder: Path, specs: Mapping[str, PlayerSpec]) -> None:
        """Plays what is missing.

        Raises:
            StoppedError: The run was to end before the first game.
        """
        settings = self._drawn(work, specs)
        reached("run: settings")
        began = noted = time.monotonic()
        plan = settings.plan
        known: int | None = None

        def watch(progress: Progress) -> None:
            nonlocal noted, known
            reached("run: chunk")
            games = _games(plan, progress)["games_done"]
            # The first time it is what was played before.
            self._done.add(games=0 if known is None else games - known)
            known = games
            now = time.monotonic()
            if now - began > self._seconds:
                raise _FaultError(f"not done within {self._seconds:g} seconds of play")
            if now - noted >= _PROGRESS:
                noted = now
                self._note(_games(plan, progress))
                reached("run: progress")

        stop = self._threads.stop
        reached("run: before the folder")
        with begin(folder, settings, resume=True, stop=stop) as run:
            reached("run: folder")
            if not stop.is_set():
                progress = play_run(
                    run, plan,
                    workers=self._workers, watch=watch, enough=work.enough(),
                    stop=stop, executor=self._threads, chunk_seconds=_CHUNK_SECONDS,
                )  # fmt: skip
                self._note(_games(plan, progress))

    def _drawn(self, work: Work, specs: Mapping[str, PlayerSpec]) -> Settings:
        """What is played. Its openings are drawn where games are played, and as they are.

        Raises:
            StoppedError: The run is to end.
        """

        def draw(stop: StopFlag) -> Settings | None:
            try:
                return work.settings(specs.__getitem__, stop)
            except StoppedError:
                return None

        settings = self._threads.alone(draw)
        if settings is None:
            raise StoppedError("stopped")
        return settings

    def _finish(self, names: dict[str, str]) -> tuple[File, ...] | None:
        """The files of the job; None if the server ends before they are there."""
        if not (self._folder / "run" / "run.json").exists():
            return ()
        files = self._in_child(names, report=not self._cancelled)
        if files is None and self._cancelled and not self._closing:
            files = self._in_child(names, report=False)
        if files is None and not (self._closing or self._cancelled):
            raise StoreError(f"the process that makes the files of {self.name} failed")
        return files

    def _in_child(self, names: dict[str, str], *, report: bool) -> tuple[File, ...] | None:
        """As `_finish`, made by another process; None if it was ended or failed."""
        part, out = self._folder / "results.part", self._folder / "results"
        for path in (part, out):
            shutil.rmtree(path, ignore_errors=True)
        part.mkdir()
        asked = {
            "run": str(self._folder / "run"), "out": str(part), "names": names, "report": report,
        }  # fmt: skip
        with self._lock:
            if self._closing or (self._cancelled and report):
                return None
            child = self._child = Child()
        reached("finish: child")
        try:
            told = child.ask(asked)
        finally:
            with self._lock:
                self._child = None
        if told.said:
            self._log_said(told)
        if told.full:
            raise OSError(errno.ENOSPC, f"the disk has no room for the files of {self.name}")
        if told.files is None:
            return None
        reached("finish: before the files")
        part.rename(out)
        reached("finish: files")
        return tuple(File(**file) for file in told.files)

    def _log_said(self, told: Told) -> None:
        harmless = told.files is not None or self._closing or self._cancelled
        _log.log(
            logging.WARNING if harmless else logging.ERROR,
            "the process that makes the files of job %s wrote errors",
            self.name,
            extra={"job": self.name, "traceback": told.said},
        )

    def _end(self, state: State, **values: Any) -> None:
        if self._closing and state is State.FAILED and self._threads.stop.is_set():
            return  # it ended since the server ends
        self._note({"state": state, "ended": time.time_ns(), **values})
        reached("finish: row")

    def _note(self, values: dict[str, Any]) -> None:
        def unless_ended(job: Job) -> dict[str, Any] | None:
            return None if job.state in ENDED else values

        job, _ = self._base.change(self.name, unless_ended)
        if job is not None and job.cancelling and not self._cancelled:
            self.cancel()
        self._changed()


def _wait_for_child(run: Path) -> None:
    """Waits for the process that finished the run for a server that was killed; it ends now."""
    if not (run / ".lock").exists():
        return
    with (run / ".lock").open("rb") as file:
        for _ in range(int(_PATIENCE / 0.01)):
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                time.sleep(0.01)


def _games(plan: Plan, progress: Progress) -> dict[str, Any]:
    """Games done, and games in all."""
    both = list(zip(plan.cells, progress.scores, strict=True))
    return {
        "games_done": sum(cell.games_each * scores.done for cell, scores in both),
        "games_total": sum(cell.games_each * scores.pairs for cell, scores in both),
    }
