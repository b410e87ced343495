"""The metrics of the level ``outcome``: what the games of a cell were like."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from chase_fast.balance.rows import CellRows
from chase_fast.cells import TERMINATIONS
from chase_fast.stats.estimates import Estimate, histogram_quantile, mean_estimate, ratio_estimate
from chase_fast.stats.intervals import wilson
from chase_fast.stats.shares import goodman
from chase_fast.stats.survival import kaplan_meier

__all__ = ["decisive_advantage", "metric_rows", "results", "survival", "terminations"]

# Turns of a survival curve that are told: a page needs no more.
_CURVE_POINTS: Final = 400


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
    found += [
        _ratio("options", "options", "per decision", rows, "options", "decisions"),
        _ratio("forced_share", "forced decisions", "share", rows, "forced", "decisions"),
        _ratio("distribution_share", "decisions that distribute", "share", rows, "distributions",
               "decisions"),
    ]  # fmt: skip
    entries = rows.column["splits"].astype(float) + rows.column["whole_exits"]
    found.append(
        _shared(
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


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _by_game(
    key: str, label: str, unit: str, values: npt.NDArray[Any], rows: CellRows
) -> dict[str, Any]:
    estimate = mean_estimate(rows.means(values)) if rows.games else None
    row = _row(key, label, unit, estimate)
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


def _ratio(
    key: str, label: str, unit: str, rows: CellRows, upper: str, lower: str
) -> dict[str, Any]:
    return _shared(key, label, rows, rows.column[upper], rows.column[lower], unit=unit)


def _shared(
    key: str,
    label: str,
    rows: CellRows,
    upper: npt.ArrayLike,
    lower: npt.ArrayLike,
    *,
    unit: str = "share",
) -> dict[str, Any]:
    """The ratio of totals, openings being what is independent."""
    over, under = rows.totals(upper), rows.totals(lower)
    if under.sum() == 0:
        return _row(key, label, unit, None)
    return _row(key, label, unit, ratio_estimate(over, under))


def _comeback(rows: CellRows, dice: int) -> dict[str, Any]:
    """How often a side won that had been so many dice behind."""
    down = [rows.column[f"behind_{side}"] >= dice for side in ("red", "blue")]
    won = [down[side] & (rows.column["winner"] == side) for side in (0, 1)]
    return _shared(
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
    return _shared(
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
    """Games that red won, drawn ones, those that blue won, those cut short; joint intervals."""
    winner = rows.column["winner"]
    counts = {
        "red": int((winner == 0).sum()),
        "draw": int(rows.drawn.sum()),
        "blue": int((winner == 1).sum()),
        "cut_short": int(rows.cut_short.sum()),
    }
    intervals = goodman(list(counts.values()))
    return {
        name: _share_row(count, rows.games, interval.low, interval.high)
        for (name, count), interval in zip(counts.items(), intervals, strict=True)
    }


def _share_row(games: int, of: int, low: float, high: float) -> dict[str, Any]:
    return {"games": games, "share": games / of, "low": low, "high": high}


def terminations(rows: CellRows) -> list[dict[str, Any]]:
    """Games by how they ended, those that occurred."""
    counts = np.bincount(rows.column["termination"], minlength=len(TERMINATIONS))
    found = []
    for name, count in zip(TERMINATIONS, counts.tolist(), strict=True):
        if count:
            interval = wilson(count, rows.games)
            found.append(
                {"name": name, **_share_row(count, rows.games, interval.low, interval.high)}
            )
    return found


def decisive_advantage(rows: CellRows) -> dict[str, Any] | None:
    """Red's share of the games that somebody won."""
    winner = rows.column["winner"]
    decisive = rows.totals(winner >= 0)
    if decisive.sum() == 0:
        return None
    found = ratio_estimate(rows.totals(winner == 0), decisive)
    return {"value": found.value, "low": _finite(found.low), "high": _finite(found.high)}


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
