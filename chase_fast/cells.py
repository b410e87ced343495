"""Cells of a run: two players under some rules, and their games in chunks.

A chunk is a pure function of its cell, the openings and its range of openings, so that threads,
processes or other machines may play it in any order, and play it again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from chase_fast._arguments import instance, whole_number
from chase_fast._core import (
    BLUE,
    MAX_TURN_LIMIT,
    RED,
    Move,
    Position,
    Rules,
    SeriesResult,
    Side,
    StopFlag,
    count_game,
    play_series,
)
from chase_fast.agents import CoreAgent, Player, PlayerSpec, make_player
from chase_fast.agents.spec import OPTIONS
from chase_fast.batch import MAX_SEED
from chase_fast.errors import ArgumentError
from chase_fast.game import Game
from chase_fast.openingset import OpeningSet, game_seeds
from chase_fast.simulate import GameResult, play_game

__all__ = ["DEFAULT_MAX_TURNS", "TERMINATIONS", "Cell", "ChunkResult", "Pool", "play_chunk"]

DEFAULT_MAX_TURNS: Final = 1000

TERMINATIONS: Final = (
    "none", "dice", "no_decision", "repetition", "turn_limit", "illegal", "crash", "time",
    "aborted",
)  # fmt: skip
"""Words of the codes in columns named termination."""

# Fields of the core's counts that become columns of the same name.
_COUNTS: Final = (
    "winner", "termination", "turns", "decisions", "options", "forced", "captures",
    "double_captures", "splits", "refused_splits", "whole_exits", "bumps", "longest_chain",
    "ricochets", "wraps", "exchanges", "distributions", "distribution_options",
)  # fmt: skip

Columns = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Cell:
    """What is played, all but which openings.

    Attributes:
        number: Of the cell in its run.
        variant: Name of the rules in the run.
        rules: The rules.
        a: A player; red in game 0 of each opening.
        b: The other one; red in game 1.
        openings: Number of the run's opening set.
        seed: 0 to 2**64 - 1; game g of opening n has the seed 2 n + g of `game_seeds`.
        max_turns: Turns from the end of the opening after which a game is drawn.
        single: Whether game 1 is left out: two deterministic players that are the same would play
            game 0 again.
        pairs: Openings that it plays, if not all of the run.
        group: What it is played for, where that is not the main question of the run.
    """

    number: int
    variant: str
    rules: Rules
    a: PlayerSpec
    b: PlayerSpec
    openings: int = 0
    seed: int = 0
    max_turns: int = DEFAULT_MAX_TURNS
    single: bool = False
    pairs: int | None = None
    group: str = ""

    def __post_init__(self) -> None:
        instance(self.rules, "rules", Rules, "Rules")
        instance(self.a, "a", PlayerSpec, "a PlayerSpec")
        instance(self.b, "b", PlayerSpec, "a PlayerSpec")
        whole_number(self.seed, "seed", 0, MAX_SEED)
        whole_number(self.max_turns, "max_turns", 1, MAX_TURN_LIMIT)

    @property
    def games_each(self) -> int:
        """Games of an opening."""
        return 1 if self.single else 2

    @property
    def reproducible(self) -> bool:
        """Whether its games depend on nothing but its description."""
        return self.a.reproducible and self.b.reproducible

    @property
    def fast(self) -> bool:
        """Whether both players choose at random, so that games cost hardly more than playouts."""
        return self.a.kind == self.b.kind == "random"

    def describe(self) -> dict[str, Any]:
        """What `from_description` makes it of again: numbers and texts."""
        return {
            "number": self.number,
            "variant": self.variant,
            "rules": str(self.rules),
            "a": str(self.a),
            "b": str(self.b),
            "openings": self.openings,
            "seed": self.seed,
            "max_turns": self.max_turns,
            "single": self.single,
            "pairs": self.pairs,
            "group": self.group,
        }

    @classmethod
    def from_description(cls, description: Mapping[str, Any]) -> Cell:
        """The cell of a description.

        Raises:
            InvalidRulesError: A text that is no rules.
            NotationError: A text that is no player.
            KeyError: A part is missing.
        """
        return cls(
            number=description["number"],
            variant=description["variant"],
            rules=Rules.parse(description["rules"]),
            a=PlayerSpec.parse(description["a"]),
            b=PlayerSpec.parse(description["b"]),
            openings=description["openings"],
            seed=description["seed"],
            max_turns=description["max_turns"],
            single=description["single"],
            pairs=description["pairs"],
            group=description["group"],
        )


@dataclass(frozen=True, slots=True)
class ChunkResult:
    """The games of some openings of a cell.

    Attributes:
        games: Columns by name, one element a game, in order of opening and game.
        turns: Likewise one a turn, or None.
        heat: uint64, shape (3, 2, 81): occupied, captured, arrived by side and cell; or None.
    """

    games: Columns
    turns: Columns | None = None
    heat: npt.NDArray[np.uint64] | None = None


class Pool:
    """Players that are free, so that tables and programs serve many chunks. For many threads."""

    def __init__(self) -> None:
        self._free: dict[tuple[Rules, str], list[Player]] = {}
        self._made: list[Player] = []

    def take(self, spec: PlayerSpec, rules: Rules) -> Player:
        """A player that nobody else has; give it back."""
        try:
            return self._free[rules, str(spec)].pop()
        except (KeyError, IndexError):
            # A program that does not start for once has lost a game, and does not end the run.
            player = make_player(spec, rules, start=False)
            self._made.append(player)
            return player

    def give(self, player: Player, rules: Rules) -> None:
        """Gives it back."""
        self._free.setdefault((rules, str(player.spec)), []).append(player)

    def close(self) -> None:
        """Ends programs."""
        for player in self._made:
            player.close()


def play_chunk(
    cell: Cell,
    openings: OpeningSet,
    first: int,
    count: int,
    *,
    turns: bool = False,
    moves: bool | None = None,
    pool: Pool | None = None,
    stop: StopFlag | None = None,
) -> ChunkResult | None:
    """Plays the games of some openings.

    Args:
        cell: What is played.
        openings: The run's openings.
        first: The first opening.
        count: How many, at least 1.
        turns: Whether to keep a row for each turn, and the heat.
        moves: Whether to keep the decisions; by default where they could not be played again.
        pool: Where players come from.
        stop: Ends it early.

    Returns:
        The games, or None if it was stopped.

    Raises:
        ArgumentError: Openings that are not there.
    """
    if not 0 <= first < first + count <= len(openings):
        raise ArgumentError(
            f"openings {first} to {first + count - 1} were asked for, there are {len(openings)}"
        )
    stop = stop or StopFlag()
    keep = (not cell.reproducible) if moves is None else moves
    own = Pool() if pool is None else pool
    a, b = own.take(cell.a, cell.rules), own.take(cell.b, cell.rules)
    try:
        number = np.arange(count * cell.games_each)
        opening = (first + number // cell.games_each).astype(np.uint32)
        game = (number % cell.games_each).astype(np.uint8)
        seeds = _seeds(cell, first, count)
        swapped = game == 1
        faults: list[str | None] = [None] * len(number)
        core = isinstance(a, CoreAgent) and isinstance(b, CoreAgent) and not (a.timed or b.timed)
        if core:
            assert isinstance(a, CoreAgent) and isinstance(b, CoreAgent)
            result = play_series(
                a.core, b.core, openings.packed(cell.rules, first, count), seeds, swapped,
                max_turns=cell.max_turns, stop=stop, keep_moves=keep, keep_turns=turns,
            )  # fmt: skip
            if len(result.stats) < len(number):
                return None
        else:
            starts = [
                start
                for start in openings.starts(cell.rules, first, count)
                for _ in range(cell.games_each)
            ]
            played = _play_by_turns(a, b, starts, seeds, swapped, cell.max_turns, turns, stop)
            if played is None:
                return None
            result, faults = played
    finally:
        own.give(a, cell.rules)
        own.give(b, cell.rules)
        if pool is None:
            own.close()
    games: Columns = {
        "cell": np.full(len(number), cell.number, np.uint32),
        "opening": opening,
        "game": game,
        "seed": seeds,
        "a_is_red": ~swapped,
    }
    games.update(_counts(result))
    games["fault"] = faults
    games["moves"] = _moves_of(result) if keep else [None] * len(number)
    return ChunkResult(games, _turns(games, result) if turns else None, result.heat)


def _seeds(cell: Cell, first: int, count: int) -> npt.NDArray[np.uint64]:
    both = game_seeds(cell.seed, 2 * first, 2 * count)
    return both[::2].copy() if cell.single else both


def _play_by_turns(
    a: Player, b: Player, starts: Sequence[Position], seeds: npt.NDArray[np.uint64],
    swapped: npt.NDArray[np.bool_], max_turns: int, turns: bool, stop: StopFlag,
) -> tuple[SeriesResult, list[str | None]] | None:  # fmt: skip
    """Games with players that have a clock or are programs, one after the other."""
    parts: list[SeriesResult] = []
    faults: list[str | None] = []
    for start, seed, swap in zip(starts, seeds.tolist(), swapped.tolist(), strict=True):
        red, blue = (b, a) if swap else (a, b)
        played = play_game(Game(start), red, blue, seed=seed, max_turns=max_turns, stop=stop)
        if played is None:
            return None
        parts.append(_counted(played, start, max_turns, turns))
        faults.append(played.fault or None)
    heats = [part.heat for part in parts if part.heat is not None]
    return (
        SeriesResult(
            np.concatenate([part.stats for part in parts]),
            np.concatenate([part.details for part in parts]),
            np.concatenate([part.moves for part in parts if part.moves is not None]),
            np.concatenate([part.turns for part in parts if part.turns is not None])
            if turns
            else None,
            sum(heats[1:], heats[0]) if turns else None,
        ),
        faults,
    )


def _counted(played: GameResult, start: Position, max_turns: int, turns: bool) -> SeriesResult:
    result = count_game(start, played.game.moves, max_turns=max_turns, keep_turns=turns)
    outcome = played.outcome
    result.stats["winner"] = -1 if outcome.winner is None else int(outcome.winner)
    result.stats["termination"] = TERMINATIONS.index(outcome.termination)
    return result


def _counts(result: SeriesResult) -> Columns:
    stats, details = result.stats, result.details
    columns: Columns = {name: np.ascontiguousarray(stats[name]) for name in _COUNTS}
    # Rounded, so that it is the same whatever mathematical library computes the logarithm.
    columns["log10_options"] = np.round(
        np.log10(details["options_mantissa"])
        + details["options_exponent"].astype(np.float64) * math.log10(2),
        6,
    )
    for pips in range(5):
        columns[f"exchanges_{pips + 1}"] = np.ascontiguousarray(details["exchanged"][:, pips])
    columns["distribution_choices"] = np.ascontiguousarray(details["choices"])
    columns["first_capture_turn"] = np.ascontiguousarray(details["first_capture"])
    columns["first_capture_side"] = np.ascontiguousarray(details["first_capture_side"])
    for side in (RED, BLUE):
        columns[f"behind_{_name(side)}"] = np.ascontiguousarray(details["behind"][:, side])
    return columns


def _name(side: Side) -> str:
    return "red" if side is RED else "blue"


def _moves_of(result: SeriesResult) -> list[bytes]:
    """The decisions of each game: three bytes each, little-endian."""
    assert result.moves is not None
    raw = result.moves.astype("<u4").view(np.uint8).reshape(-1, 4)[:, :3].tobytes()
    ends = 3 * np.cumsum(result.stats["decisions"], dtype=np.int64)
    return [
        raw[end - 3 * int(length) : end]
        for end, length in zip(ends.tolist(), result.stats["decisions"].tolist(), strict=True)
    ]


def moves_from_bytes(data: bytes) -> list[Move]:
    """The decisions that a row of the column ``moves`` holds."""
    return [
        Move.from_code(int.from_bytes(data[at : at + 3], "little")) for at in range(0, len(data), 3)
    ]


def _turns(games: Columns, result: SeriesResult) -> Columns:
    rows = result.turns
    assert rows is not None
    length = result.stats["turns"].astype(np.int64)
    begins = np.repeat(np.cumsum(length) - length, length)
    columns: Columns = {
        name: np.repeat(games[name], length) for name in ("cell", "opening", "game")
    }
    columns["turn"] = (np.arange(len(rows)) - begins + 1).astype(np.uint32)
    for name in ("side", "options", "decisions"):
        columns[name] = np.ascontiguousarray(rows[name])
    for side in (RED, BLUE):
        columns[f"dice_{_name(side)}"] = np.ascontiguousarray(rows["dice"][:, side])
        columns[f"spare_{_name(side)}"] = np.ascontiguousarray(rows["spare"][:, side])
    return columns


def replay(cell: Cell, openings: OpeningSet, opening: int, game: int, moves: bytes | None) -> Game:
    """A game of a run: from its decisions, or played again where they were not kept.

    Args:
        cell: What was played.
        openings: The run's openings.
        opening: Number of the opening.
        game: 0 or 1.
        moves: Its row of the column ``moves``.

    Raises:
        ArgumentError: It cannot be played again.
    """
    played = Game(openings.starts(cell.rules, opening, 1)[0])
    if moves is None:
        if not cell.reproducible:
            raise ArgumentError("the moves of this game were not kept, and it cannot be repeated")
        again = play_chunk(cell, openings, opening, 1, moves=True)
        assert again is not None
        moves = again.games["moves"][game]
    for move in moves_from_bytes(moves):
        played.push(move)
    return played


def same_player(cell: Cell) -> bool:
    """Whether both players are the same and play without chance, in whatever words."""
    return cell.a.deterministic and _meaning(cell.a) == _meaning(cell.b)


def _meaning(spec: PlayerSpec) -> tuple[str, dict[str, Any]]:
    """What a player without chance depends on: options that are not given, but not the seed."""
    names = [option.name for option in OPTIONS[spec.kind] if option.name != "seed"]
    return spec.kind, {name: spec.get(name) for name in names}


def numbered(cells: Sequence[Cell]) -> list[Cell]:
    """The cells with their numbers in order, those of one deterministic player played once."""
    return [
        replace(cell, number=number, single=same_player(cell)) for number, cell in enumerate(cells)
    ]
