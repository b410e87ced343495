"""The metrics of the level ``outcome``: what the games of a cell were like."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from chase_fast.balance.rows import CellRows
from chase_fast.cells import TERMINATIONS
from chase_fast.stats.estimates import (
    Estimate,
    clustered_share,
    histogram_quantile,
    mean_estimate,
    ratio_estimate,
)
from chase_fast.stats.survival import kaplan_meier

__all__ = ["decisive_advantage", "metric_rows", "results", "survival", "terminations"]

# Turns of a survival curve that are told: a page needs no more.
_CURVE_POINTS: Final = 400

_CONFIDENCE: Final = 0.95


def _count(name: str) -> Callable[[CellRows], npt.NDArray[Any]]:
    return lambda rows: rows.column[name]


# Key, label, unit, values by game.
_BY_GAME: Final[tuple[tuple[str, str, str, Callable[[CellRows], npt.NDArray[Any]]], ...]] = (
    ("turns", "turns", "turns a game", _count("turns")),
    ("decisions", "decisions", "decisions a game", _count("decisions")),
    ("complexity", "game-tree complexity, sum of log10 options", "log10", _count("log10_options")),
    ("captures", "dice captured", "a game", _count("captures")),
    ("double_captures", "double captures", "a game", _count("double_captures")),
    ("splits", "splits in the chamber", "a game", _count("splits")),
    ("whole_exits", "whole exits from the chamber", "a game", _count("whole_exits")),
    ("bumps", "dice bumped", "a game", _count("bumps")),
    ("longest_chain", "longest chain of bumps", "dice", _count("longest_chain")),
    ("ricochets", "ricochets", "a game", _count("ricochets")),
    ("wraps", "crossings of the seam", "a game", _count("wraps")),
    ("exchanges", "exchanges", "a game", _count("exchanges")),
    *(
        (f"exchanges_{pips}", f"exchanges of {pips} pips", "a game", _count(f"exchanges_{pips}"))
        for pips in range(1, 6)
    ),
    ("distributions", "distributions", "a game", _count("distributions")),
    (
        "distribution_choices",
        "distributions with a choice",
        "a game",
        _count("distribution_choices"),
    ),
)


def metric_rows(rows: CellRows) -> list[dict[str, Any]]:
    """All metrics of a cell, in a fixed order, as the rows of the report's document."""
    found = [
        _by_game(key, label, unit, values(rows), rows) for key, label, unit, values in _BY_GAME
    ]
    decisions = rows.column["decisions"]
    found += [
        _options(rows),
        _share("forced_share", "forced decisions", rows, rows.column["forced"], decisions),
        _share("distribution_share", "decisions that distribute", rows,
               rows.column["distributions"], decisions),
    ]  # fmt: skip
    entries = rows.column["splits"].astype(float) + rows.column["whole_exits"]
    found.append(
        _share(
            "refused_splits_share",
            "entries in which a split was refused for want of a spare die",
            rows,
            rows.column["refused_splits"],
            entries,
        )
    )
    found += [_comeback(rows, dice) for dice in (1, 2, 3)]
    found.append(_first_blood(rows))
    found.append(_product(rows))
    return found


def _row(key: str, label: str, unit: str, estimate: Estimate | None) -> dict[str, Any]:
    if estimate is None:
        return {"key": key, "label": label, "unit": unit, "value": None, "low": None, "high": None}
    return {
        "key": key,
        "label": label,
        "unit": unit,
        "value": estimate.value,
        "low": _finite(estimate.low),
        "high": _finite(estimate.high),
    }


def _mean_of_counts(means: npt.NDArray[np.float64]) -> Estimate:
    """The mean of what is never below 0.

    Openings that are all alike show no spread, and not that there is none: no interval then.
    """
    found = mean_estimate(means)
    if not found.se:
        return found._replace(low=-math.inf, high=math.inf)
    return found._replace(low=max(0.0, found.low))


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _by_game(
    key: str, label: str, unit: str, values: npt.NDArray[Any], rows: CellRows
) -> dict[str, Any]:
    row = _row(key, label, unit, _mean_of_counts(rows.means(values)) if rows.games else None)
    if not rows.games:
        return row
    row["sd"] = float(np.std(values, ddof=1)) if rows.games > 1 else None
    row["max"] = float(values.max())
    whole = np.issubdtype(values.dtype, np.integer)
    for name, q in (("p05", 0.05), ("p50", 0.5), ("p95", 0.95)):
        if whole:
            found = histogram_quantile(np.bincount(values), q, units=len(rows.openings))
            row[name] = found.value
            row[f"{name}_low"], row[f"{name}_high"] = _finite(found.low), _finite(found.high)
        else:
            row[name] = float(np.quantile(values, q))
    return row


def _options(rows: CellRows) -> dict[str, Any]:
    over, under = rows.totals(rows.column["options"]), rows.totals(rows.column["decisions"])
    found = ratio_estimate(over, under) if under.any() else None
    return _row("options", "options", "per decision", found)


def _share(
    key: str, label: str, rows: CellRows, upper: npt.ArrayLike, lower: npt.ArrayLike
) -> dict[str, Any]:
    """A share of totals, openings being what is independent."""
    over, under = rows.totals(upper), rows.totals(lower)
    if under.sum() == 0:
        return _row(key, label, "share", None)
    return _row(key, label, "share", clustered_share(over, under))


def _comeback(rows: CellRows, dice: int) -> dict[str, Any]:
    """How often a side won that had been so many dice behind."""
    down = [rows.column[f"behind_{side}"] >= dice for side in ("red", "blue")]
    won = [down[side] & (rows.column["winner"] == side) for side in (0, 1)]
    return _share(
        f"comeback_{dice}_share",
        f"wins of a side that was {dice} {'die' if dice == 1 else 'dice'} behind",
        rows,
        won[0].astype(float) + won[1],
        down[0].astype(float) + down[1],
    )


def _first_blood(rows: CellRows) -> dict[str, Any]:
    """The score of the side that captured first."""
    side = rows.column["first_capture_side"]
    points = rows.red_points
    score = np.where(side == 0, points, np.where(side == 1, 1 - points, 0.0))
    return _share(
        "first_blood_share", "score of the side that captures first", rows, score, side >= 0
    )


def _product(rows: CellRows) -> dict[str, Any]:
    """Length times log10 of the mean number of options: the other measure of complexity."""
    row = _row("complexity_of_means", "decisions x log10 of mean options", "log10", None)
    decisions = rows.column["decisions"].sum(dtype=np.int64)
    if decisions:
        mean = rows.column["options"].sum(dtype=np.int64) / decisions
        row["value"] = float(decisions / rows.games * math.log10(mean))
    return row


def results(rows: CellRows) -> dict[str, Any]:
    """Games that red won, drawn ones, those that blue won, those cut short; joint intervals.

    Goodman's: each at a confidence that Bonferroni's rule raises for the number of classes.
    """
    winner = rows.column["winner"]
    classes = {
        "red": winner == 0,
        "draw": rows.drawn,
        "blue": winner == 1,
        "cut_short": rows.cut_short,
    }
    confidence = 1 - (1 - _CONFIDENCE) / len(classes)
    return {name: _share_row(rows, games, confidence) for name, games in classes.items()}


def _share_row(rows: CellRows, games: npt.NDArray[np.bool_], confidence: float) -> dict[str, Any]:
    sizes = rows.totals(np.ones(rows.games))
    found = clustered_share(rows.totals(games), sizes, confidence=confidence)
    return {
        "games": int(games.sum()), "share": found.value, "low": found.low, "high": found.high,
    }  # fmt: skip


def terminations(rows: CellRows) -> list[dict[str, Any]]:
    """Games by how they ended, those that occurred."""
    ends = rows.column["termination"]
    return [
        {"name": name, **_share_row(rows, ends == code, _CONFIDENCE)}
        for code, name in enumerate(TERMINATIONS)
        if (ends == code).any()
    ]


def decisive_advantage(rows: CellRows) -> dict[str, Any] | None:
    """Red's share of the games that somebody won."""
    winner = rows.column["winner"]
    decisive = rows.totals(winner >= 0)
    if decisive.sum() == 0:
        return None
    found = clustered_share(rows.totals(winner == 0), decisive)
    return {"value": found.value, "low": found.low, "high": found.high}


def survival(rows: CellRows) -> dict[str, Any]:
    """The share of games under way after each turn; those cut short are censored there."""
    turns, cut = rows.column["turns"], rows.cut_short
    length = int(turns.max()) + 1
    curve = kaplan_meier(
        np.bincount(turns[~cut], minlength=length), np.bincount(turns[cut], minlength=length)
    )
    step = max(1, -(-len(curve.turn) // _CURVE_POINTS))
    return {
        "turn": curve.turn[::step].tolist(),
        "alive": curve.alive[::step].tolist(),
        "low": curve.low[::step].tolist(),
        "high": curve.high[::step].tolist(),
        "n": rows.games,
    }
