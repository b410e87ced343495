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
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any, Final

from chase_service.jobs.points import reached

__all__ = ["ENDED", "Check", "File", "Job", "JobBase", "State"]


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
        owner: Name of the token that created it, an empty text where there are none.
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
    owner: str
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
create table job (
    number integer primary key autoincrement,
    id text not null unique,
    owner text not null default '',
    request_id text,
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
    files text not null default '[]',
    unique (owner, request_id)
) strict;
create index job_state on job (state, number);
create index job_owner on job (owner, number);
"""
_VERSION: Final = 1
# By the version that a base has. The jobs of version 0 have no owner, and a request_id each.
_CHANGES: Final = {
    0: f"""
alter table job rename to job_0;
drop index job_state;
{_TABLE}
insert into job (
    number, id, request_id, spec, work, state, cancelling, sequence, games_done, games_total,
    created, started, ended, message, files
) select
    number, id, request_id, spec, work, state, cancelling, sequence, games_done, games_total,
    created, started, ended, message, files
from job_0;
drop table job_0;
""",
}
_COLUMNS: Final = (
    "number, id, owner, request_id, spec, work, state, cancelling, sequence, games_done, "
    "games_total, created, started, ended, message, files"
)
# Without 0, 1, I and O, which people take for one another.
_LETTERS: Final = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"


Check = Callable[[int, int], object]
"""Called with the number of jobs under way or waiting, and of all jobs."""


class JobBase:
    """The base of all jobs. Safe to use from any thread.

    Args:
        path: Of the file, made if it is not there.

    Raises:
        sqlite3.Error: It cannot be used, or a later version made it.
    """

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._base = sqlite3.connect(path, check_same_thread=False)
        self._base.execute("pragma journal_mode = wal")
        self._base.execute("pragma synchronous = full")
        version: int = self._base.execute("pragma user_version").fetchone()[0]
        if version > _VERSION:
            self._base.close()
            raise sqlite3.DatabaseError("a later version of this program made its jobs")
        known = self._base.execute("select 1 from sqlite_schema where name = 'job'").fetchone()
        if version < _VERSION:
            change = _CHANGES[version] if known else _TABLE
            done = f"pragma user_version = {_VERSION};"
            self._base.executescript(f"begin immediate; {change} {done} commit;")

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            self._base.close()

    def create(
        self, request_id: str, spec: bytes, work: str, *, check: Check, owner: str = ""
    ) -> tuple[Job, bool]:
        """A new job, or the one that its owner created with the same request.

        Args:
            request_id: Of the caller, or an empty text.
            spec: See `Job`.
            work: See `Job`.
            check: Called before there is one more; what it raises is raised, and nothing is done.
            owner: See `Job`.

        Returns:
            The job, and whether it was there.
        """
        with self._lock, self._base:
            # Begun as a writer, so that nothing comes between the question and the answer.
            self._base.execute("begin immediate")
            if request_id:
                known = self._one("owner = ? and request_id = ?", owner, request_id)
                if known is not None:
                    return known, True
            counts = "select count(*) filter (where state in (1, 2)), count(*) from job"
            check(*self._base.execute(counts).fetchone())
            name = "".join(secrets.choice(_LETTERS) for _ in range(26))
            self._base.execute(
                "insert into job (id, owner, request_id, spec, work, state, created) "
                "values (?, ?, ?, ?, ?, ?, ?)",
                (name, owner, request_id or None, spec, work, State.QUEUED, time.time_ns()),
            )
            reached("create: in the transaction")
            (made,) = self._some("id = ?", (name,))
            return made, False

    def get(self, name: str, *, owner: str | None = None) -> Job | None:
        """The job of an id; of this owner alone, if one is given."""
        with self._lock:
            return self._named(name, owner)

    def page(
        self, *, before: int | None, state: State | None, most: int, owner: str | None = None
    ) -> list[Job]:
        """Jobs, the latest first.

        Args:
            before: Only those of lower numbers.
            state: Only those in this state.
            most: How many.
            owner: Only those of this one.
        """
        where: list[str] = ["1"]
        values: list[int | str] = []
        if owner is not None:
            where.append("owner = ?")
            values.append(owner)
        if before is not None:
            where.append("number < ?")
            values.append(before)
        if state is not None:
            where.append("state = ?")
            values.append(int(state))
        with self._lock:
            return self._some(f"{' and '.join(where)} order by number desc limit {most}", values)

    def next(self, but: Collection[str] = ()) -> Job | None:
        """The job to go on with: one under way, else the one that waits longest.

        Args:
            but: Ids of jobs that it is not to be.
        """
        others = f"id not in ({', '.join('?' * len(but))})"
        where = f"state in (1, 2) and {others} order by state desc, number limit 1"
        with self._lock:
            found = self._some(where, tuple(but))
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
        self, name: str, make: Callable[[Job], dict[str, Any] | None], *, owner: str | None = None
    ) -> tuple[Job | None, bool]:
        """Changes a job.

        Args:
            name: Its id.
            make: Gives new values by column for the job as it stands; None changes nothing.
            owner: Only if it is of this one.

        Returns:
            The job then, None if there is none; and whether it was changed.
        """
        with self._lock, self._base:
            self._base.execute("begin immediate")
            job = self._named(name, owner)
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
            reached("change: in the transaction")
            return self._one("id = ?", name), True

    def delete(self, name: str, *, owner: str | None = None) -> Job | None:
        """Removes a job that has ended; the job as it was, None if there is none.

        Args:
            name: Its id.
            owner: Only if it is of this one.
        """
        with self._lock, self._base:
            self._base.execute("begin immediate")
            job = self._named(name, owner)
            if job is not None and job.state in ENDED:
                self._base.execute("delete from job where id = ?", (name,))
                reached("delete: in the transaction")
            return job

    def _named(self, name: str, owner: str | None) -> Job | None:
        return self._one("id = ? and owner = ifnull(?, owner)", name, owner)

    def _one(self, where: str, *values: str | None) -> Job | None:
        found = self._some(where, values)
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
