"""Many decisions at once: perft, divide and random playouts, on one thread or several.

The work runs in C without the GIL, on threads of its own, so that Ctrl-C in the calling thread is
seen at once and stops it. Results do not depend on the number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from chase_fast._arguments import callback, instance, shown, whole_number
from chase_fast._core import (
    GAME_DTYPE,
    MAX_PERFT_DEPTH,
    MAX_TURN_LIMIT,
    Move,
    Position,
    StopFlag,
    Termination,
    _perft,
    _playouts,
)
from chase_fast._threads import run_jobs
from chase_fast.errors import ArgumentError

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Playouts", "divide", "perft", "playout_batches", "playouts", "processors"]

UNITS: Final = {"decision": 0, "turn": 1}
MAX_THREADS: Final = 1024
MAX_SEED: Final = 2**64 - 1
MAX_BATCH: Final = 2**40

# Games that a thread takes at a time: some tens of milliseconds of work.
_CHUNK: Final = 1000


def processors() -> int:
    """How many processors this process may use: a good number of threads."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _unit(unit: object) -> int:
    if not isinstance(unit, str) or unit not in UNITS:
        raise ArgumentError(f"unit is {shown(unit)}, expected 'decision' or 'turn'")
    return UNITS[unit]


def _position(position: object) -> Position:
    return instance(position, "position", Position, "a Position")


def _check_rows(array: object) -> None:
    if (
        isinstance(array, np.ndarray)
        and array.dtype == GAME_DTYPE
        and array.ndim == 1
        and array.flags.c_contiguous
    ):
        return
    raise ArgumentError(
        f"array is {shown(array)}, expected a contiguous numpy array of GAME_DTYPE with one "
        "dimension"
    )


def _count(position: Position, depth: int, unit: int, stop: StopFlag) -> int:
    nodes = _perft(position, depth, unit, stop)
    return 0 if nodes is None else nodes  # stopped: the caller raises what stopped it


def _branches(position: Position, depth: int, unit: int) -> list[tuple[Position, int]]:
    """The positions after each decision, each with the depth that is left."""
    side = position.side_to_act
    children = [position.apply(move) for move in position.legal_moves]
    return [
        (child, depth - (unit == UNITS["decision"] or child.side_to_act != side))
        for child in children
    ]


PerftProgress = Callable[[int, int, int], None]
"""Called with the branches finished so far, their number, and the sequences counted so far."""

# From this depth on a piece that begins after two decisions takes longer than a second; more than
# so many of them are not split again, since the next ones must fit into memory.
_DEEP: Final = 8
_MANY_PIECES: Final = 5000


def _split(pieces: Sequence[tuple[Position, int]], unit: int) -> list[tuple[Position, int]]:
    return [
        smaller
        for child, left in pieces
        for smaller in ([(child, left)] if left == 0 else _branches(child, left, unit))
    ]


def _divided(
    position: Position, depth: int, unit: int, threads: int, progress: PerftProgress | None
) -> list[int]:
    """The sequences that begin with each legal decision."""
    parts = [[branch] for branch in _branches(position, depth, unit)]
    if depth > 3 and (progress is not None or len(parts) < 8 * threads):
        # Few and uneven pieces would leave threads idle at the end, and progress come in jerks.
        parts = [_split(part, unit) for part in parts]
    if depth >= _DEEP and progress is not None and sum(map(len, parts)) < _MANY_PIECES:
        parts = [_split(part, unit) for part in parts]
    counts = iter(_counts([piece for part in parts for piece in part], unit, threads, progress))
    return [sum(islice(counts, len(part))) for part in parts]


def _counts(
    branches: Sequence[tuple[Position, int]],
    unit: int,
    threads: int,
    progress: PerftProgress | None,
) -> list[int]:
    stop = StopFlag()
    done = counted = 0

    def job(child: Position, left: int) -> Callable[[], int]:
        return lambda: _count(child, left, unit, stop)

    def finished(count: int) -> None:
        nonlocal done, counted
        done += 1
        counted += count
        if progress is not None:
            progress(done, len(branches), counted)

    return run_jobs([job(child, left) for child, left in branches], threads, stop, finished)


def perft(
    position: Position,
    depth: int,
    unit: str = "decision",
    *,
    threads: int = 1,
    progress: PerftProgress | None = None,
) -> int:
    """Counts the sequences of decisions, or of turns, that are possible from a position.

    Sequences are counted, not distinct positions; repetition is ignored; a game that has ended adds
    nothing at greater depth; from the middle of a turn its rest counts as one turn. perft(0) is 1.

    Args:
        position: Where they start.
        depth: Their length, 0 to 64.
        unit: "decision" or "turn".
        threads: 1 to 1024; the count does not depend on it.
        progress: Called after each branch (of the first one, two or three decisions) with the
            branches finished so far, their number, and the sequences counted so far.

    Returns:
        Their number, modulo 2**64 in each branch of the first decision.

    Raises:
        ArgumentError: An argument outside its range.
    """
    position = _position(position)
    depth = whole_number(depth, "depth", 0, MAX_PERFT_DEPTH)
    code = _unit(unit)
    threads = whole_number(threads, "threads", 1, MAX_THREADS)
    callback(progress, "progress")
    if depth < 2 or (threads == 1 and progress is None):
        return _counts([(position, depth)], code, 1, progress)[0]
    return sum(_divided(position, depth, code, threads, progress))


def divide(
    position: Position,
    depth: int,
    unit: str = "decision",
    *,
    threads: int = 1,
    progress: PerftProgress | None = None,
) -> dict[Move, int]:
    """Perft split by the first decision.

    Args:
        position: Where the sequences start.
        depth: Their length, 1 to 64.
        unit: "decision" or "turn".
        threads: 1 to 1024; the counts do not depend on it.
        progress: As for `perft`.

    Returns:
        For each legal decision, in canonical order, the number of sequences that begin with it;
        their sum is `perft(position, depth, unit)`.

    Raises:
        ArgumentError: An argument outside its range.
    """
    position = _position(position)
    depth = whole_number(depth, "depth", 1, MAX_PERFT_DEPTH)
    code = _unit(unit)
    threads = whole_number(threads, "threads", 1, MAX_THREADS)
    callback(progress, "progress")
    counts = _divided(position, depth, code, threads, progress)
    return dict(zip(position.legal_moves, counts, strict=True))


class Playouts:
    """Finished random games, one row each, as columns.

    Every name of `GAME_DTYPE` is an attribute that gives its column, a read-only array of shape
    (games,):

    - `winner`: 0 red, 1 blue, -1 none; `termination`: codes of `Termination`
    - `turns`, `decisions`; `options`: legal decisions, summed over the decisions of the game;
      `forced`: decisions with one option
    - `captures`: dice taken; `double_captures`: moves that took two (R8, R9)
    - `splits`, `refused_splits` (a die of 2 or more entered the chamber and no spare die was left),
      `whole_exits` (all entries without a split, the refused ones among them) (R8)
    - `bumps`: dice pushed; `longest_chain`: by one landing (R7); `exchanges` (R10)
    - `ricochets`, `wraps`: bounces and seam crossings of all dice that moved, were pushed or left
      the chamber (R2, R3)
    - `distributions`, `distribution_options`: decisions that hand out pips, and their options (R9)
    """

    __slots__ = ("_array", "_first_game", "_max_turns", "_position", "_seed")

    def __init__(
        self,
        position: Position,
        array: npt.NDArray[np.void],
        *,
        seed: int,
        first_game: int,
        max_turns: int,
    ) -> None:
        self._position = _position(position)
        _check_rows(array)
        # Over a read-only buffer, so that no flag makes it writable again.
        self._array = np.frombuffer(array.data.toreadonly(), GAME_DTYPE)
        self._seed = whole_number(seed, "seed", 0, MAX_SEED)
        self._first_game = whole_number(first_game, "first_game", 0, MAX_SEED)
        self._max_turns = whole_number(max_turns, "max_turns", 1, MAX_TURN_LIMIT)

    @property
    def position(self) -> Position:
        """Where each game started."""
        return self._position

    @property
    def array(self) -> npt.NDArray[np.void]:
        """All columns, a read-only structured array of `GAME_DTYPE`, 64 bytes a game."""
        return self._array

    @property
    def seed(self) -> int:
        """The generator's seed."""
        return self._seed

    @property
    def first_game(self) -> int:
        """Index of the first row's game."""
        return self._first_game

    @property
    def max_turns(self) -> int:
        """The turn limit."""
        return self._max_turns

    def __eq__(self, other: object) -> bool:
        """Same games, played from the same position with the same numbers."""
        if not isinstance(other, Playouts):
            return NotImplemented
        mine = (self.position, self.seed, self.first_game, self.max_turns)
        theirs = (other.position, other.seed, other.first_game, other.max_turns)
        return mine == theirs and bool(np.array_equal(self.array, other.array))

    def __hash__(self) -> int:
        return hash((self.position, self.seed, self.first_game, self.max_turns, len(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        options = {"seed": self.seed, "first_game": self.first_game, "max_turns": self.max_turns}
        return _restored, (self.position, np.array(self.array), options)

    def __len__(self) -> int:
        return len(self.array)

    def __getattr__(self, name: str) -> npt.NDArray[Any]:
        names = GAME_DTYPE.names or ()
        if name in names:
            column: npt.NDArray[Any] = self.array[name]
            return column
        raise AttributeError(f"Playouts has no column {name!r}; it has {', '.join(names)}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(GAME_DTYPE.names or ())]

    def __repr__(self) -> str:
        return (
            f"<Playouts: {len(self)} games from {self.first_game}, seed {self.seed}, "
            f"rules {self.position.rules}>"
        )

    def summary(self) -> dict[str, Any]:
        """Totals and means of the games, as plain numbers.

        Returns:
            `games`, `red_wins`, `blue_wins`, `terminations` (games by word), `red_score`
            (win 1, otherwise ½ for games without a winner; None without games), `decisions` and
            `turns` in total, `options_per_decision` pooled over all decisions, and `per_game` with
            the mean of each counter.
        """
        games = len(self)
        column = self.array
        totals = {
            name: int(column[name].sum(dtype=np.uint64))
            for name in GAME_DTYPE.names or ()
            if name not in ("winner", "termination", "longest_chain")
        }
        red = int(np.count_nonzero(column["winner"] == 0))
        blue = int(np.count_nonzero(column["winner"] == 1))
        codes = np.bincount(column["termination"], minlength=len(Termination))
        return {
            "games": games,
            "red_wins": red,
            "blue_wins": blue,
            "terminations": {
                str(word): int(codes[word]) for word in Termination if word != Termination.NONE
            },
            "red_score": (red + 0.5 * (games - red - blue)) / games if games else None,
            "decisions": totals["decisions"],
            "turns": totals["turns"],
            "options_per_decision": (
                totals["options"] / totals["decisions"] if totals["decisions"] else None
            ),
            "longest_chain": int(column["longest_chain"].max()) if games else 0,
            "per_game": {name: total / games for name, total in totals.items()} if games else {},
        }


def _restored(position: Position, array: npt.NDArray[np.void], options: dict[str, int]) -> Playouts:
    """Rebuild pickled playouts."""
    return Playouts(position, array, **options)


def playouts(
    position: Position,
    games: int,
    *,
    seed: int = 0,
    first_game: int = 0,
    threads: int = 1,
    max_turns: int = 1000,
) -> Playouts:
    """Plays random games to the end, each decision uniform over the legal ones.

    Game g depends on (position, rules, seed, g, max_turns) alone, so any number of threads and any
    split by `first_game` give the same rows. Its numbers are a Philox4x32-10 stream (Salmon et
    al., 2011) with key (seed, g); decision n takes the n-th number by multiply and reject (Lemire,
    2019), which is exactly uniform. Repetition counts from `position`.

    Args:
        position: Where each game starts.
        games: How many, 0 or more; 64 bytes of memory each.
        seed: 0 to 2**64 - 1.
        first_game: Index of the first game; the last index may not pass 2**64 - 1.
        threads: 1 to 1024.
        max_turns: Turns from `position` after which a game ends without a winner, 1 to 100,000.

    Returns:
        One row a game.

    Raises:
        ArgumentError: An argument outside its range.
        MemoryError: The games do not fit into memory.
    """
    position = _position(position)
    games = whole_number(games, "games", 0, MAX_BATCH)
    seed = whole_number(seed, "seed", 0, MAX_SEED)
    first_game = whole_number(first_game, "first_game", 0, MAX_SEED - max(games - 1, 0))
    threads = whole_number(threads, "threads", 1, MAX_THREADS)
    max_turns = whole_number(max_turns, "max_turns", 1, MAX_TURN_LIMIT)
    array = np.empty(games, GAME_DTYPE)
    stop = StopFlag()
    # One thread needs no pieces: the core polls the flag before each game.
    size = _CHUNK if threads > 1 else max(games, 1)

    def job(start: int) -> Callable[[], int]:
        rows = array[start : start + size]
        return lambda: _playouts(position, rows, seed, first_game + start, max_turns, stop)

    run_jobs([job(start) for start in range(0, games, size)], threads, stop)
    return Playouts(position, array, seed=seed, first_game=first_game, max_turns=max_turns)


def playout_batches(
    position: Position,
    games: int,
    *,
    batch: int = 100_000,
    seed: int = 0,
    first_game: int = 0,
    threads: int = 1,
    max_turns: int = 1000,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Playouts]:
    """The games of `playouts` in constant memory: an iterator over batches of them.

    Args:
        position: Where each game starts.
        games: How many in all, 0 or more.
        batch: Games in a batch, 1 or more; the last one may be smaller.
        seed: As for `playouts`, like the three that follow.
        first_game: Index of the first game.
        threads: How many play.
        max_turns: The turn limit.
        progress: Called after each batch with the games finished so far and `games`.

    Yields:
        The batches in order of game index.

    Raises:
        ArgumentError: An argument outside its range, at the call and not at the first batch.
    """
    games = whole_number(games, "games", 0, MAX_SEED)
    batch = whole_number(batch, "batch", 1, MAX_BATCH)
    first_game = whole_number(first_game, "first_game", 0, MAX_SEED - max(games - 1, 0))
    callback(progress, "progress")
    options = {"seed": seed, "threads": threads, "max_turns": max_turns}
    playouts(position, 0, first_game=first_game, **options)  # checks the other arguments

    def batches() -> Iterator[Playouts]:
        for start in range(0, games, batch):
            size = min(batch, games - start)
            yield playouts(position, size, first_game=first_game + start, **options)
            if progress is not None:
                progress(start + size, games)

    return batches()
