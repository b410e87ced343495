"""Plays the cells of a run on threads and stores them, from wherever the run stands."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from chase_fast._arguments import whole_number
from chase_fast._core import StopFlag
from chase_fast._threads import run_unordered
from chase_fast.batch import MAX_THREADS
from chase_fast.cells import TERMINATIONS, Cell, ChunkResult, Pool, play_chunk
from chase_fast.errors import ArgumentError
from chase_fast.openings import MAX_OPENINGS
from chase_fast.openingset import OpeningSet
from chase_fast.store import GAMES, HEAT, TURNS, Run, heat_columns, table

__all__ = ["CellScores", "Executor", "Part", "Plan", "Progress", "play_run"]

# Seconds that a chunk should take, and how much longer one may be than the one before.
_CHUNK_SECONDS: Final = 1.0
_GROWTH: Final = 16

# Chunks a worker that may be played and not yet stored, and seconds between two looks at that.
_WAITING: Final = 2
_PATIENCE: Final = 0.002

_UNPLAYED: Final = -1


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run plays.

    Attributes:
        cells: In their order, numbered from 0.
        openings: Opening sets; `Cell.openings` chooses.
        pairs: Openings of each cell that does not say otherwise.
        turns: Whether rows of turns are kept.
        moves: Whether all decisions are kept; where games cannot be repeated they always are.
        checkpoint: Openings after which `enough` is asked, again and again; None: never.

    Raises:
        ArgumentError: There are no cells, or they are not numbered so; or not as many openings.
    """

    cells: Sequence[Cell]
    openings: Sequence[OpeningSet]
    pairs: int
    turns: bool = False
    moves: bool = False
    checkpoint: int | None = None

    def __post_init__(self) -> None:
        whole_number(self.pairs, "pairs", 1, MAX_OPENINGS)
        if self.checkpoint is not None:
            whole_number(self.checkpoint, "checkpoint", 1, MAX_OPENINGS)
        if not self.cells:
            raise ArgumentError("cells is empty, expected at least one")
        for number, cell in enumerate(self.cells):
            if cell.number != number:
                raise ArgumentError(f"cell {number} has the number {cell.number}")
            whole_number(
                cell.openings, f"the opening set of cell {number}", 0, len(self.openings) - 1
            )
            pairs, found = self.pairs_of(cell), len(self.openings[cell.openings])
            if not 1 <= pairs <= found:
                raise ArgumentError(
                    f"pairs of cell {number} is {pairs}, expected an integer from 1 to {found}: "
                    "there are so many openings"
                )

    def pairs_of(self, cell: Cell) -> int:
        """Openings that a cell plays."""
        return self.pairs if cell.pairs is None else cell.pairs


class CellScores:
    """What is known of the games of a cell: enough to watch and to stop a run.

    Attributes:
        pairs: Openings that it plays.
        points: Half points of player A by game and opening, int8, shape (2, pairs); -1 where not
            played.
        red: Half points of red, likewise.
        terminations: Games by their codes, shape (9,).
        decisions: Decisions of all games.
        seconds: That its chunks took.
        done: Openings played.
    """

    def __init__(self, pairs: int) -> None:
        self.pairs = pairs
        self.points: npt.NDArray[np.int8] = np.full((2, pairs), _UNPLAYED, np.int8)
        self.red: npt.NDArray[np.int8] = np.full((2, pairs), _UNPLAYED, np.int8)
        self.terminations = np.zeros(len(TERMINATIONS), np.int64)
        self.decisions = 0
        self.seconds = 0.0
        self.done = 0

    def add(self, games: dict[str, Any] | pa.Table, openings: int, seconds: float) -> None:
        """Adds the games of a chunk: their columns by name."""
        column = (
            (lambda name: games.column(name).to_numpy())
            if isinstance(games, pa.Table)
            else games.__getitem__
        )
        winner = np.asarray(column("winner")).astype(np.int8)
        red = np.where(winner < 0, 1, np.where(winner == 0, 2, 0)).astype(np.int8)
        where = np.asarray(column("game")), np.asarray(column("opening"))
        self.red[where] = red
        self.points[where] = np.where(np.asarray(column("a_is_red")), red, 2 - red)
        self.terminations += np.bincount(
            np.asarray(column("termination")), minlength=len(TERMINATIONS)
        )
        self.decisions += int(np.asarray(column("decisions")).sum())
        self.seconds += seconds
        self.done += openings

    def pentanomial(self, upto: int | None = None) -> list[int]:
        """Openings in which A got 0, ½, 1, 1½ and 2 points, of the first ones."""
        points = self.points[:, :upto]
        whole = (points >= 0).all(axis=0)
        return [int(n) for n in np.bincount(points[:, whole].sum(axis=0), minlength=5)]

    def red_scores(self, upto: int | None = None) -> npt.NDArray[np.float64]:
        """Red's mean score of each opening that is played, float64, shape (openings,)."""
        red = self.red[:, :upto]
        played = red >= 0
        some = played.any(axis=0)
        points = np.where(played, red, 0)[:, some].sum(axis=0)
        return np.asarray(points / (2.0 * played[:, some].sum(axis=0)), np.float64)


@dataclass(slots=True)
class Progress:
    """How far a run has come.

    Attributes:
        scores: By cell.
        began: `time.monotonic` at the beginning of this call.
        played: Openings played in this call.
        decisions: Decisions played in this call.
        workers: Threads.
    """

    scores: list[CellScores]
    workers: int
    began: float = field(default_factory=time.monotonic)
    played: int = 0
    decisions: int = 0

    @property
    def done(self) -> int:
        """Openings done in all cells."""
        return sum(scores.done for scores in self.scores)

    @property
    def total(self) -> int:
        """Openings in all cells."""
        return sum(scores.pairs for scores in self.scores)

    @property
    def seconds_left(self) -> float | None:
        """An estimate: every cell goes on at its own pace; None before there is one."""
        if not self.played:
            return None
        known = [scores for scores in self.scores if scores.done]
        mean = sum(one.seconds / one.done for one in known) / len(known)
        left = sum(
            (one.pairs - one.done) * (one.seconds / one.done if one.done else mean)
            for one in self.scores
        )
        return left / self.workers


Watch = Callable[[Progress], object]
Enough = Callable[[int, list[CellScores]], bool]
Part = Callable[[StopFlag], Any]
"""Plays a chunk: what it played, or None if it was stopped, and then it may be called again."""


class Executor(Protocol):
    """Where chunks are played."""

    def __call__(
        self,
        take: Callable[[], Part | None],
        workers: int,
        stop: StopFlag,
        finished: Callable[[Any], object],
        /,
    ) -> None:
        """Plays until there is nothing left.

        Args:
            take: Gives the next chunk, or None where there are no more.
            workers: How many at a time.
            stop: Ends it early.
            finished: Called by this thread with each result as it comes; true ends the call. No
                chunk is under way any more when it returns.
        """


def _on_threads(
    take: Callable[[], Part | None],
    workers: int,
    stop: StopFlag,
    finished: Callable[[Any], object],
) -> None:
    """The executor of whoever has the machine: threads of its own."""

    def job() -> Callable[[], Any] | None:
        part = take()
        return None if part is None else lambda: part(stop)

    run_unordered(job, workers, stop, finished)


def play_run(
    run: Run,
    plan: Plan,
    *,
    workers: int,
    watch: Watch | None = None,
    enough: Enough | None = None,
    stop: StopFlag | None = None,
    executor: Executor = _on_threads,
    chunk_seconds: float | None = None,
) -> Progress:
    """Plays what is missing of a run.

    Args:
        run: Opened for writing and swept.
        plan: What it plays.
        workers: Threads, 1 to 1024; results do not depend on it.
        watch: Called at the beginning and after each chunk, in this thread.
        enough: Called at checkpoints with the number of openings and the scores, of which it
            looks at no more than these; true ends the run there.
        stop: Ends it early: what is finished stays.
        executor: Where chunks are played; by default on threads of this call.
        chunk_seconds: What a chunk should take; None: about a second.

    Returns:
        How far it came.

    Raises:
        ArgumentError: `workers` is not as described.
        OSError: The folder cannot be written.
        StoreError: It is damaged.
    """
    workers = whole_number(workers, "workers", 1, MAX_THREADS)
    stopped_at = run.fact("stopped_at")
    progress = Progress(_stored(run, plan, stopped_at), workers)
    if watch is not None:
        watch(progress)
    seconds = _CHUNK_SECONDS if chunk_seconds is None else chunk_seconds
    feed = _Feed(run, plan, progress, seconds, workers)
    checks = _Checks(run, plan, feed, enough)
    if stopped_at is not None or checks.reached(progress):
        return progress
    pool = Pool()
    flag = StopFlag() if stop is None else stop

    def take() -> Part | None:
        # What is played waits to be stored; memory stays bounded, and chunks learn their size.
        while feed.out > _WAITING * workers and not flag.is_set():
            time.sleep(_PATIENCE)
        part = feed.take()
        return None if part is None else lambda stop: _play(part, plan, pool, stop)

    def finished(played: _Played | None) -> bool:
        if played is None:
            return False
        _store(run, plan, played)
        cell, _, count = played.part
        progress.scores[cell].add(played.result.games, count, played.seconds)
        progress.played += count
        progress.decisions += int(played.result.games["decisions"].sum())
        feed.finish(played.part, played.seconds)
        if watch is not None:
            watch(progress)
        return checks.reached(progress)

    try:
        executor(take, workers, flag, finished)
    finally:
        pool.close()
    return progress


def _stored(run: Run, plan: Plan, upto: int | None) -> list[CellScores]:
    """Scores of what the run holds, by cell; it ended after so many openings, if it did."""
    scores = [CellScores(plan.pairs_of(cell)) for cell in plan.cells]
    for chunk, rows in run.read("games", _SCORED):
        scores[chunk.cell].add(rows, chunk.count, chunk.seconds)
    if upto is not None:
        for one in scores:
            one.pairs = min(one.pairs, upto)
    return scores


_SCORED: Final = ("opening", "game", "winner", "a_is_red", "termination", "decisions")

_Range = tuple[int, int, int]  # cell, first opening, openings


@dataclass(frozen=True, slots=True)
class _Played:
    part: _Range
    result: ChunkResult
    seconds: float


def _play(part: _Range, plan: Plan, pool: Pool, stop: StopFlag) -> _Played | None:
    cell = plan.cells[part[0]]
    began = time.perf_counter()
    result = play_chunk(
        cell, plan.openings[cell.openings], part[1], part[2],
        turns=plan.turns, moves=True if plan.moves else None, pool=pool, stop=stop,
    )  # fmt: skip
    return None if result is None else _Played(part, result, time.perf_counter() - began)


def _store(run: Run, plan: Plan, played: _Played) -> None:
    cell = plan.cells[played.part[0]]
    result = played.result
    a, b = str(cell.a), str(cell.b)
    names = {"variant": (cell.variant, cell.variant), "red": (a, b), "blue": (b, a)}
    tables = {"games": table(GAMES, result.games, names)}
    if result.turns is not None:
        tables["turns"] = table(TURNS, result.turns, {})
        tables["heat"] = table(HEAT, heat_columns(cell.number, result.heat), {})
    run.add(*played.part, played.seconds, tables)


class _Feed:
    """What is to be played next, in chunks that take about so many seconds.

    Of the openings up to the next checkpoint, the cell of which the least is begun comes first.
    """

    def __init__(
        self, run: Run, plan: Plan, progress: Progress, seconds: float, workers: int
    ) -> None:
        self._seconds = seconds
        self._workers = workers
        self._lock = threading.Lock()
        self.out = 0  # parts that are taken and not finished
        most = max(plan.pairs_of(cell) for cell in plan.cells)
        step = plan.checkpoint or most
        self.ends = [*range(step, most, step), most]
        done: list[list[tuple[int, int]]] = [[] for _ in plan.cells]
        for chunk in run.chunks():
            done[chunk.cell].append((chunk.first, chunk.first + chunk.count))
        self._gaps = [
            _gaps(ranges, plan.pairs_of(cell), self.ends)
            for cell, ranges in zip(plan.cells, done, strict=True)
        ]
        self._left = [
            [sum(one[2] for one in gaps if one[0] == block) for block in range(len(self.ends))]
            for gaps in self._gaps
        ]
        # The largest chunk of each cell that may be tried, by what its openings took so far.
        paces = [
            scores.done / scores.seconds if scores.seconds else 0.0 for scores in progress.scores
        ]
        self._most = [max(1, int(pace * seconds)) for pace in paces]

    def take(self) -> _Range | None:
        """A part that nobody plays yet."""
        with self._lock:
            cells = [cell for cell, gaps in enumerate(self._gaps) if gaps]
            if not cells:
                return None
            # The earliest block; in it the cell with the most left.
            cell = min(cells, key=lambda one: (self._gaps[one][0][0], -self._waiting(one)))
            self.out += 1
            block, first, count = self._gaps[cell].pop(0)
            size = min(count, self._most[cell])
            if len(cells) == 1:
                # The last chunks are smaller, so that all workers end at about the same time.
                left = count + sum(one[2] for one in self._gaps[cell])
                size = min(size, max(1, left // (2 * self._workers)))
            if size < count:
                self._gaps[cell].insert(0, (block, first + size, count - size))
            return cell, first, size

    def _waiting(self, cell: int) -> int:
        block = self._gaps[cell][0][0]
        return sum(count for other, _, count in self._gaps[cell] if other == block)

    def finish(self, part: _Range, seconds: float) -> None:
        """A part is stored."""
        cell, first, count = part
        with self._lock:
            self.out -= 1
        self._left[cell][self._block(first)] -= count
        pace = count / max(seconds, 1e-6)
        wanted = max(1, int(pace * self._seconds))
        self._most[cell] = min(wanted, _GROWTH * max(count, self._most[cell] // _GROWTH))

    def complete(self, block: int) -> bool:
        """Whether all cells have played a block of openings."""
        return all(left[block] == 0 for left in self._left)

    def _block(self, opening: int) -> int:
        return int(np.searchsorted(self.ends, opening, side="right"))


def _gaps(
    done: Sequence[tuple[int, int]], pairs: int, ends: Sequence[int]
) -> list[tuple[int, int, int]]:
    """Block, first opening and number of openings of what is not done, none across blocks."""
    return [
        (block, low, high - low)
        for block, (start, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True))
        for low, high in _between(done, start, min(end, pairs))
    ]


def _between(done: Sequence[tuple[int, int]], start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    for low, high in sorted(done):
        if high <= at or low >= end:
            continue
        if low > at:
            yield at, low
        at = max(at, high)
    if at < end:
        yield at, end


class _Checks:
    """Asks at each checkpoint, in order, whether a run has played enough."""

    def __init__(self, run: Run, plan: Plan, feed: _Feed, enough: Enough | None) -> None:
        self._run = run
        self._plan = plan
        self._feed = feed
        self._enough = enough if plan.checkpoint else None
        self._next = 0

    def reached(self, progress: Progress) -> bool:
        """Whether to stop; what was played beyond the checkpoint is forgotten then."""
        if self._enough is None:
            return False
        while self._next < len(self._feed.ends) and self._feed.complete(self._next):
            upto = self._feed.ends[self._next]
            self._next += 1
            if self._enough(upto, progress.scores):
                self._run.forget([one for one in self._run.chunks() if one.first >= upto])
                self._run.set_fact("stopped_at", upto)
                progress.scores[:] = _stored(self._run, self._plan, upto)
                return True
        return False
