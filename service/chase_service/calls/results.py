"""What the clients give: texts and numbers that know neither gRPC nor the engine."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum

from chase_service._pb.chase.v1 import jobs_service_pb2

__all__ = [
    "Analysed",
    "Decisions",
    "ItemError",
    "Job",
    "JobFile",
    "JobState",
    "Line",
    "PlayedGame",
]


@dataclass(frozen=True, slots=True)
class ItemError:
    """An item without a result, in its place among the results.

    Attributes:
        code: Number of gRPC's code.
        reason: A name of ErrorReason without its prefix.
        field: Of the request.
        message: For people.
    """

    code: int
    reason: str
    field: str
    message: str


@dataclass(frozen=True, slots=True)
class Decisions:
    """Legal decisions of a position: codes, and texts if they were asked for."""

    decisions: tuple[int, ...]
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of an analysis: score in thousandths of a die, depth, nodes, decisions as codes."""

    score: int
    depth: int
    nodes: int
    decisions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Analysed:
    """What a search found: lines, best first, and what it took."""

    lines: tuple[Line, ...]
    depth: int
    nodes: int
    sims: int


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game of PlayGames.

    Attributes:
        pair: Number of the pair.
        game: 0: player A is red, 1: player B is.
        winner: 0 red, 1 blue, None nobody.
        termination: Its code.
        turns: Turns played.
        decisions: Codes, if they were asked for.
    """

    pair: int
    game: int
    winner: int | None
    termination: int
    turns: int
    decisions: tuple[int, ...]


class JobState(IntEnum):
    """Where a job is; the numbers are those of the contract."""

    QUEUED = 1
    RUNNING = 2
    SUCCEEDED = 3
    FAILED = 4
    CANCELLED = 5


@dataclass(frozen=True, slots=True)
class JobFile:
    """A file of a job.

    Attributes:
        name: By which it is downloaded.
        bytes: Its length.
        sha256: SHA-256 of its content in hex digits.
    """

    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Job:
    """A job as it stands.

    Attributes:
        job_id: Given by the server.
        request_id: Given at its creation.
        spec: What it does, defaults filled in.
        state: Where it is.
        sequence: Rises with each change.
        games_done: Games played.
        games_total: Games to be played; 0 where that is not known.
        created: When it was created.
        started: When it began, None before.
        ended: When it ended, None before.
        message: What went wrong, empty unless it failed.
        files: What can be downloaded; nothing before it has ended, nor in lists of jobs.
    """

    job_id: str
    request_id: str
    spec: jobs_service_pb2.JobSpec
    state: JobState
    sequence: int
    games_done: int
    games_total: int
    created: datetime | None
    started: datetime | None
    ended: datetime | None
    message: str
    files: tuple[JobFile, ...]

    @property
    def done(self) -> bool:
        """Whether it has ended, in whatever way."""
        return self.state >= JobState.SUCCEEDED
