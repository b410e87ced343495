"""Jobs on disk: one SQLite base, a row a job.

What a caller was told is synced before it is told. Watchers get the job as it stands, so that the
number of its latest change is all that has to be kept of the changes.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any, Final

__all__ = ["ENDED", "File", "Job", "JobBase", "State"]


class State(IntEnum):
    """JobState of the contract, without its prefix."""

    QUEUED = 1
    RUNNING = 2
    SUCCEEDED = 3
    FAILED = 4
    CANCELLED = 5


ENDED: Final = frozenset({State.SUCCEEDED, State.FAILED, State.CANCELLED})
"""States that a job does not leave."""


@dataclass(frozen=True, slots=True)
class File:
    """A file that can be downloaded: its name, bytes, and SHA-256 in hex digits."""

    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Job:
    """A job as it stands.

    Attributes:
        number: Rises from job to job.
        id: 26 letters and digits.
        request_id: The caller's own, or an empty text.
        spec: What the contract calls its spec, as bytes.
        work: What is to be done, as JSON.
        state: Where it is.
        cancelling: Whether it is to end early.
        sequence: Number of its latest change, from 1.
        games_done: Games played.
        games_total: Games to be played, 0 where that is not known.
        created: Nanoseconds since 1970.
        started: Likewise, 0 before.
        ended: Likewise.
        message: What went wrong.
        files: What can be downloaded.
    """

    number: int
    id: str
    request_id: str
    spec: bytes
    work: str
    state: State
    cancelling: bool
    sequence: int
    games_done: int
    games_total: int
    created: int
    started: int
    ended: int
    message: str
    files: tuple[File, ...]


_TABLE: Final = """
create table if not exists job (
    number integer primary key autoincrement,
    id text not null unique,
    request_id text unique,
    spec blob not null,
    work text not null,
    state integer not null,
    cancelling integer not null default 0,
    sequence integer not null default 1,
    games_done integer not null default 0,
    games_total integer not null default 0,
    created integer not null,
    started integer not null default 0,
    ended integer not null default 0,
    message text not null default '',
    files text not null default '[]'
) strict;
create index if not exists job_state on job (state, number);
"""
_COLUMNS: Final = (
    "number, id, request_id, spec, work, state, cancelling, sequence, games_done, games_total, "
    "created, started, ended, message, files"
)
# Without 0, 1, I and O, which people take for one another.
_LETTERS: Final = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"


class JobBase:
    """The base of all jobs. Safe to use from any thread.

    Args:
        path: Of the file, made if it is not there.

    Raises:
        sqlite3.Error: It cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._base = sqlite3.connect(path, check_same_thread=False)
        self._base.execute("pragma journal_mode = wal")
        self._base.execute("pragma synchronous = full")
        self._base.executescript(_TABLE)

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            self._base.close()

    def create(
        self, request_id: str, spec: bytes, work: str, *, most: int
    ) -> tuple[Job | None, bool]:
        """A new job, or the one that was created with the same request.

        Args:
            request_id: Of the caller, or an empty text.
            spec: See `Job`.
            work: See `Job`.
            most: Jobs that may be under way or wait.

        Returns:
            The job, None if there are too many; and whether it was there.
        """
        with self._lock, self._base:
            # Begun as a writer, so that nothing comes between the question and the answer.
            self._base.execute("begin immediate")
            if request_id:
                known = self._one("request_id = ?", request_id)
                if known is not None:
                    return known, True
            count = "select count(*) from job where state in (1, 2)"
            if self._base.execute(count).fetchone()[0] >= most:
                return None, False
            name = "".join(secrets.choice(_LETTERS) for _ in range(26))
            self._base.execute(
                "insert into job (id, request_id, spec, work, state, created) "
                "values (?, ?, ?, ?, ?, ?)",
                (name, request_id or None, spec, work, State.QUEUED, time.time_ns()),
            )
            return self._one("id = ?", name), False

    def get(self, name: str) -> Job | None:
        """The job of an id."""
        with self._lock:
            return self._one("id = ?", name)

    def page(self, *, before: int | None, state: State | None, most: int) -> list[Job]:
        """Jobs, the latest first.

        Args:
            before: Only those of lower numbers.
            state: Only those in this state.
            most: How many.
        """
        where, values = ["1"], []
        if before is not None:
            where.append("number < ?")
            values.append(before)
        if state is not None:
            where.append("state = ?")
            values.append(int(state))
        with self._lock:
            return self._some(f"{' and '.join(where)} order by number desc limit {most}", values)

    def next(self) -> Job | None:
        """The job to go on with: one under way, else the one that waits longest."""
        with self._lock:
            found = self._some("state in (1, 2) order by state desc, number limit 1", ())
        return found[0] if found else None

    def counts(self) -> dict[State, int]:
        """How many jobs are in each state."""
        with self._lock:
            rows = self._base.execute("select state, count(*) from job group by state").fetchall()
        return dict.fromkeys(State, 0) | {State(state): number for state, number in rows}

    def ids(self) -> set[str]:
        """The ids of all jobs."""
        with self._lock:
            return {row[0] for row in self._base.execute("select id from job")}

    def change(
        self, name: str, make: Callable[[Job], dict[str, Any] | None]
    ) -> tuple[Job | None, bool]:
        """Changes a job.

        Args:
            name: Its id.
            make: Gives new values by column for the job as it stands; None changes nothing.

        Returns:
            The job then, None if there is none; and whether it was changed.
        """
        with self._lock, self._base:
            self._base.execute("begin immediate")
            job = self._one("id = ?", name)
            values = None if job is None else make(job)
            if values is None:
                return job, False
            if "files" in values:
                values["files"] = json.dumps([asdict(file) for file in values["files"]])
            self._base.execute(
                f"update job set sequence = sequence + 1, "
                f"{', '.join(f'{column} = ?' for column in values)} where id = ?",
                (*values.values(), name),
            )
            return self._one("id = ?", name), True

    def delete(self, name: str) -> Job | None:
        """Removes a job that has ended; the job as it was, None if there is none."""
        with self._lock, self._base:
            self._base.execute("begin immediate")
            job = self._one("id = ?", name)
            if job is not None and job.state in ENDED:
                self._base.execute("delete from job where id = ?", (name,))
            return job

    def _one(self, where: str, value: str) -> Job | None:
        found = self._some(where, (value,))
        return found[0] if found else None

    def _some(self, where: str, values: Sequence[Any]) -> list[Job]:
        rows = self._base.execute(f"select {_COLUMNS} from job where {where}", values)
        return [_job(row) for row in rows]


def _job(row: tuple[Any, ...]) -> Job:
    values = dict(zip(_COLUMNS.split(", "), row, strict=True))
    values["request_id"] = values["request_id"] or ""
    values["state"] = State(values["state"])
    values["cancelling"] = bool(values["cancelling"])
    values["files"] = tuple(File(**file) for file in json.loads(values["files"]))
    return Job(**values)
