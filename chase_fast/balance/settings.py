"""A balance run: which variants, players and openings, and the cells that come of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from chase_fast._arguments import choice, shown, whole_number
from chase_fast._core import Position, Rules, StopFlag
from chase_fast.agents import PlayerSpec
from chase_fast.agents.weights import load_weights
from chase_fast.balance.verdicts import MARGIN
from chase_fast.cells import DEFAULT_MAX_TURNS, Cell, numbered
from chase_fast.errors import ArgumentError
from chase_fast.openings import MAX_OPENINGS
from chase_fast.openingset import DEFAULT_OPENING_TURNS, OpeningSet
from chase_fast.runner import Plan
from chase_fast.runs import Settings
from chase_fast.simulate import derive_seed

__all__ = ["KIND", "LEVELS", "BalanceOptions", "balance_settings"]

KIND: Final = "balance"
LEVELS: Final = ("outcome", "turns", "dynamics")

WEIGHTS_GROUP: Final = "standard weights"
FIRST_MOVES_GROUP: Final = "first moves"

_SENSITIVITY_TURNS: Final = (2, 4, 8)
# Of two turns there are no more than some 1,900 openings.
_MOST_SENSITIVITY: Final = 1000
_CHECKPOINT: Final = 100


@dataclass(frozen=True, slots=True)
class BalanceOptions:
    """What is asked of a balance run.

    Attributes:
        variants: Rules; the first are the base unless `base` says otherwise.
        players: Of rising strength, best in the order of their nodes.
        pairs: Openings of each variant and player.
        base: Text of the base variant.
        seed: Of openings and games, 0 to 2**64 - 1.
        opening_turns: Even.
        openings: File to read openings from instead.
        max_turns: Turns from the end of the opening after which a game is drawn.
        levels: Some of `LEVELS`; the first is always there.
        margin: What is no difference that matters, in points.
        until: Half width of the scores' intervals, in points, at which the run ends; None: never.
        checkpoint: Openings between two looks at that.
        first_moves: Openings of each first move for a table of them; 0: none.
        sensitivity: Openings of the rows that vary openings and weights; 0: none.
        dynamics_games: Games of each variant and player that the level ``dynamics`` looks at.
        dynamics_nodes: Its nodes a position.
    """

    variants: Sequence[Rules]
    players: Sequence[PlayerSpec]
    pairs: int
    base: Rules | None = None
    seed: int = 0
    opening_turns: int = DEFAULT_OPENING_TURNS
    openings: Path | None = None
    max_turns: int = DEFAULT_MAX_TURNS
    levels: Sequence[str] = ("outcome",)
    margin: float = MARGIN
    until: float | None = None
    checkpoint: int = _CHECKPOINT
    first_moves: int = 0
    sensitivity: int | None = None
    dynamics_games: int = 200
    dynamics_nodes: int = 200

    def __post_init__(self) -> None:
        whole_number(self.pairs, "pairs", 1, MAX_OPENINGS)
        whole_number(self.checkpoint, "checkpoint", 1, MAX_OPENINGS)
        whole_number(self.first_moves, "first_moves", 0, 10_000)
        whole_number(self.dynamics_games, "dynamics_games", 1, 1_000_000)
        whole_number(self.dynamics_nodes, "dynamics_nodes", 1, 1_000_000_000)
        if self.sensitivity is not None:
            whole_number(self.sensitivity, "sensitivity", 0, _MOST_SENSITIVITY)
        for level in self.levels:
            choice(level, "levels", LEVELS)
        if not 0 < self.margin < 0.5:
            raise ArgumentError(f"margin is {shown(self.margin)}, expected above 0 and below 0.5")
        if self.until is not None and not 0 < self.until < 50:
            raise ArgumentError(f"until is {shown(self.until)}, expected above 0 and below 50")
        _distinct([str(one) for one in self.variants], "variant")
        _distinct([str(one) for one in self.players], "player")
        if self.base is not None and self.base not in self.variants:
            raise ArgumentError(
                f"base is {self.base}, expected one of {', '.join(map(str, self.variants))}"
            )

    @property
    def base_rules(self) -> Rules:
        """The variant that others are compared with."""
        return self.variants[0] if self.base is None else self.base

    @property
    def sensitivity_openings(self) -> int:
        """A fifth of the openings, unless it was said how many."""
        if self.sensitivity is not None:
            return self.sensitivity
        return min(self.pairs // 5, _MOST_SENSITIVITY)

    def known(self) -> dict[str, Any]:
        """What the report has to know of it."""
        return {
            "base": str(self.base_rules),
            "levels": [level for level in LEVELS if level == "outcome" or level in self.levels],
            "margin": self.margin,
            "until": self.until,
            "max_turns": self.max_turns,
            "opening_turns": self.opening_turns,
            "first_moves": self.first_moves,
            "dynamics_games": self.dynamics_games,
            "dynamics_nodes": self.dynamics_nodes,
        }


def _distinct(texts: Sequence[str], what: str) -> None:
    if not texts:
        raise ArgumentError(f"{what}s is empty, expected at least one {what}")
    for text in texts:
        if texts.count(text) > 1:
            raise ArgumentError(f"{what} {text} is named twice")


def _board(rules: Rules) -> str:
    return Position.start(rules).cfen.split()[0]


def balance_settings(
    options: BalanceOptions, command: Sequence[str] = (), *, stop: StopFlag | None = None
) -> Settings:
    """The cells and openings of a balance run.

    Args:
        options: What is asked.
        command: Words of a command line that repeats the run.
        stop: Ends the drawing of openings early.

    Raises:
        StoppedError: The flag was set.
        ArgumentError: There are not so many openings.
        NotationError: An openings file that holds none, or of other rules.
        OSError: It cannot be read.
    """
    common = [one for one in options.variants if _board(one) == _board(options.base_rules)]
    sets: list[OpeningSet] = []
    place: dict[Rules, int] = {}
    for rules in options.variants:
        if rules in common and any(one in place for one in common):
            place[rules] = place[next(one for one in common if one in place)]
            continue
        place[rules] = len(sets)
        main = rules in common
        sets.append(_openings(options, common if main else [rules], main=main, stop=stop))
    cells = [
        _cell(options, rules, player, place[rules])
        for player in options.players
        for rules in options.variants
    ]
    cells += _sensitivity(options, common, sets, place[options.base_rules], stop)
    cells += _first_moves(options, common, sets, stop)
    levels = options.known()["levels"]
    plan = Plan(
        numbered(cells),
        sets,
        options.pairs,
        turns="turns" in levels,
        moves="dynamics" in levels,
        checkpoint=options.checkpoint if options.until is not None else None,
    )
    return Settings(KIND, plan, options.seed, options.known(), command)


def _openings(
    options: BalanceOptions, rules: Sequence[Rules], *, main: bool, stop: StopFlag | None
) -> OpeningSet:
    if options.openings is not None and main:
        openings = OpeningSet.read(options.openings, rules)
        if len(openings) < options.pairs:
            raise ArgumentError(
                f"pairs is {options.pairs}, but {options.openings.name} holds {len(openings)} "
                "openings"
            )
        return openings
    return OpeningSet.generate(
        rules, options.pairs, turns=options.opening_turns, seed=options.seed, stop=stop
    )


def _cell(
    options: BalanceOptions,
    rules: Rules,
    player: PlayerSpec,
    openings: int,
    *,
    pairs: int | None = None,
    group: str = "",
) -> Cell:
    # The same numbers for all variants: what differs is the rules.
    seed = derive_seed(options.seed, "games", str(player), group)
    return Cell(
        0, str(rules), rules, player, player, openings, seed, options.max_turns, False, pairs, group
    )


def _sensitivity(
    options: BalanceOptions,
    common: Sequence[Rules],
    sets: list[OpeningSet],
    main: int,
    stop: StopFlag | None,
) -> list[Cell]:
    """Rows that repeat the first strength with other openings, and with the standard weights."""
    pairs = min(options.sensitivity_openings, options.pairs)
    cells: list[Cell] = []
    if not pairs:
        return cells
    player = options.players[0]
    if options.openings is None:
        for turns in _SENSITIVITY_TURNS:
            if turns == options.opening_turns:
                continue
            sets.append(
                OpeningSet.generate(common, pairs, turns=turns, seed=options.seed, stop=stop)
            )
            cells += [
                _cell(
                    options, rules, player, len(sets) - 1, pairs=pairs,
                    group=f"opening turns {turns}",
                )
                for rules in common
            ]  # fmt: skip
    if player.kind in ("ab", "mcts", "greedy") and player.get("weights") is None:
        standard = load_weights(Rules()).name
        cells += [
            _cell(
                options, rules, player.replace(weights="standard"), main, pairs=pairs,
                group=WEIGHTS_GROUP,
            )
            for rules in common
            if load_weights(rules).name != standard
        ]  # fmt: skip
    return cells


def _first_moves(
    options: BalanceOptions,
    common: Sequence[Rules],
    sets: list[OpeningSet],
    stop: StopFlag | None,
) -> list[Cell]:
    if not options.first_moves:
        return []
    turns = max(options.opening_turns, 2)
    sets.append(
        OpeningSet.by_first_move(
            common, options.first_moves, turns=turns, seed=options.seed, stop=stop
        )
    )
    return [
        _cell(
            options, rules, options.players[-1], len(sets) - 1, pairs=len(sets[-1]),
            group=FIRST_MOVES_GROUP,
        )
        for rules in common
    ]  # fmt: skip
