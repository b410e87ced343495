"""How many games a question needs, before they are played; and what a pilot run says of that."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from chase_fast._core import Rules, StopFlag
from chase_fast.agents import PlayerSpec
from chase_fast.balance.rows import CellRows, read_cell
from chase_fast.balance.settings import KIND
from chase_fast.cells import Cell, play_chunk, same_player
from chase_fast.errors import StoreError
from chase_fast.openingset import OpeningSet
from chase_fast.runs import opened
from chase_fast.stats.power import games_for_effect, games_for_width, openings_for, two_variants

__all__ = ["Pilot", "Row", "plan_rows", "read_pilot", "seconds_each"]

# Seconds of play that an estimate of the time rests on, at least.
_TRIAL_SECONDS: Final = 1.0
_MOST_TRIALS: Final = 512


@dataclass(frozen=True, slots=True)
class Pilot:
    """What a run tells about the next one.

    Attributes:
        player: Whose games are the least certain: the one with the fewest draws.
        draws: Share of drawn games, those cut short among them; the base's.
        correlation: Least correlation of a variant's and the base's score of an opening; None
            without another variant.
        games_each: Games of an opening.
        seconds: Of one processor for a game.
    """

    player: str
    draws: float
    correlation: float | None
    games_each: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Row:
    """An answer.

    Attributes:
        question: In words.
        games: Of each variant.
        openings: Likewise.
        all_games: Of all variants of the question.
    """

    question: str
    games: int
    openings: int
    all_games: int


def read_pilot(folder: Path) -> Pilot:
    """Draws, correlation and pace of a balance run.

    Raises:
        StoreError: The folder holds no balance run, or no games.
    """
    with opened(folder, KIND) as (run, plan):
        base = run.description["options"]["base"]
        rows = {
            cell.number: found
            for cell in plan.cells
            if not cell.group and (found := read_cell(run, cell)).games
        }
        if not rows:
            raise StoreError(f"{folder} holds no games yet")
        seconds = {
            number: sum(chunk.seconds for chunk in run.chunks() if chunk.cell == number)
            for number in rows
        }
        return min(
            (
                _pilot(
                    one, [other for other in rows.values() if other.cell.a == one.cell.a], seconds
                )
                for one in rows.values()
                if one.cell.variant == base
            ),
            key=lambda pilot: pilot.draws,
        )


def _pilot(base: CellRows, others: Sequence[CellRows], seconds: dict[int, float]) -> Pilot:
    drawn = float((base.column["winner"] < 0).mean())
    correlations = [
        found
        for other in others
        if other.cell.number != base.cell.number and other.cell.openings == base.cell.openings
        if (found := _correlation(base, other)) is not None
    ]
    games = sum(other.games for other in others)
    return Pilot(
        str(base.cell.a),
        drawn,
        min(correlations) if correlations else None,
        base.cell.games_each,
        sum(seconds[other.cell.number] for other in others) / games,
    )


def _correlation(one: CellRows, other: CellRows) -> float | None:
    common = np.intersect1d(one.openings, other.openings)
    if len(common) < 3:
        return None
    x = one.red_scores[np.searchsorted(one.openings, common)]
    y = other.red_scores[np.searchsorted(other.openings, common)]
    if x.std() == 0 or y.std() == 0:
        return None
    return float(np.corrcoef(x, y)[0, 1])


def plan_rows(
    effect: float,
    *,
    power: float,
    draws: float,
    correlation: float,
    variants: int,
    games_each: int = 2,
) -> list[Row]:
    """How many games answer the questions of a balance run.

    Args:
        effect: In points a game, 0 to ½.
        power: Chance to see it.
        draws: Their share.
        correlation: Of two variants' scores of an opening.
        variants: In all, the base among them; the comparisons with it share the error.
        games_each: Games of an opening: 1 where a deterministic player plays itself.

    Raises:
        ArgumentError: An argument outside its range.
    """

    def row(question: str, games: int, of: int) -> Row:
        openings = openings_for(games, games_per_opening=games_each)
        return Row(question, games, openings, games * of)

    points = f"{100 * effect:g} points"
    rows = [
        row(f"one score within +-{points}", games_for_width(effect, draws=draws), 1),
        row(f"one score that is {points} off 50 %",
            games_for_effect(effect, draws=draws, power=power), 1),
        row(f"two variants, {points} apart, on different openings",
            two_variants(effect, draws=draws, power=power), 2),
        row(f"two variants, {points} apart, on common openings",
            two_variants(effect, draws=draws, correlation=correlation, power=power), 2),
    ]  # fmt: skip
    if variants > 2:
        holm = two_variants(
            effect, draws=draws, correlation=correlation, power=power, comparisons=variants - 1
        )
        rows.append(
            row(f"{variants} variants, common openings, {variants - 1} comparisons (Holm)",
                holm, variants)
        )  # fmt: skip
    return rows


def seconds_each(player: PlayerSpec, rules: Rules | None = None) -> tuple[float, int]:
    """Seconds of one processor for a game of a player against itself, and games of an opening.

    Plays for a second or so.
    """
    rules = rules or Rules()
    cell = Cell(0, str(rules), rules, player, player)
    single = same_player(cell)
    openings = OpeningSet.generate([rules], _MOST_TRIALS, seed=0)
    games, began, first, count = 0, time.perf_counter(), 0, 1
    while first < _MOST_TRIALS:
        count = min(count, _MOST_TRIALS - first)
        play_chunk(cell, openings, first, count, stop=StopFlag())
        first += count
        games += 2 * count
        took = time.perf_counter() - began
        if took > _TRIAL_SECONDS:
            break
        count *= 2
    return (time.perf_counter() - began) / games, 1 if single else 2
