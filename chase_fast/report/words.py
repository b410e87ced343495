"""Numbers as text, the same in tables, pictures and captions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from chase_fast.stats.elo import elo

UNKNOWN = "–"
"""Stands where a value is not known."""

_MINUS = "\N{MINUS SIGN}"
_TINY_SHARE = 5e-5  # rounds to no hundredth of a per cent
_SMALL_SHARE = 0.01  # below it a second decimal tells something
_MOST_DECIMALS = 6


def whole(value: float | None) -> str:
    """A count, with thousands apart: ``12,000``."""
    return UNKNOWN if value is None else f"{value:,.0f}".replace("-", _MINUS)


def fixed(value: float | None, decimals: int, *, sign: bool = False) -> str:
    """A number with so many decimals; a true minus sign, and no sign before a rounded 0."""
    if value is None:
        return UNKNOWN
    text = f"{value:+,.{decimals}f}" if sign else f"{value:,.{decimals}f}"
    if not text.strip("+-0.,"):
        text = text.lstrip("+-")
    return text.replace("-", _MINUS)


def percent(value: float | None) -> str:
    """A share in per cent: one decimal, two below 1 %."""
    if value is None:
        return UNKNOWN
    if 0 < value < _TINY_SHARE:
        return "< 0.01 %"
    return f"{fixed(100 * value, 2 if 0 < value < _SMALL_SHARE else 1)} %"


def percent_with(value: float | None, low: float | None, high: float | None) -> str:
    """A share with its interval: ``51.3 % (50.1 to 52.5)``."""
    if value is None or low is None or high is None:
        return percent(value)
    fine = min(value, (high - low) / 2) < _SMALL_SHARE / 2
    texts = [fixed(100 * share, 2 if fine else 1) for share in (value, low, high)]
    return f"{texts[0]} % ({texts[1]} to {texts[2]})"


def points(value: float | None) -> str:
    """A difference of two shares in percentage points, with its sign: ``+1.25``."""
    return UNKNOWN if value is None else fixed(100 * value, 2, sign=True)


def points_with(value: float | None, low: float | None, high: float | None) -> str:
    """Such a difference with its interval."""
    if value is None or low is None or high is None:
        return points(value)
    return f"{points(value)} ({points(low)} to {points(high)})"


def chance(value: float | None) -> str:
    """A p-value or another probability: three decimals, never a rounded 0 or 1."""
    if value is None:
        return UNKNOWN
    if value < 0.001:
        return "< 0.001"
    return "> 0.999" if value > 0.999 else f"{value:.3f}"


def decimals_for(value: float | None, low: float | None = None, high: float | None = None) -> int:
    """Decimals worth printing: two digits of the interval's half width, else four of the value."""
    if low is not None and high is not None and high > low:
        return _decimals((high - low) / 2, 2)
    return 0 if not value or float(value).is_integer() else _decimals(abs(value), 4)


def _decimals(size: float, digits: int) -> int:
    return min(max(digits - 1 - math.floor(math.log10(size)), 0), _MOST_DECIMALS)


def measure(value: float | None, low: float | None, high: float | None) -> str:
    """A mean with its interval, in decimals that fit the interval."""
    decimals = decimals_for(value, low, high)
    if value is None or low is None or high is None:
        return fixed(value, decimals)
    return f"{fixed(value, decimals)} ({fixed(low, decimals)} to {fixed(high, decimals)})"


def elo_text(
    value: float | None, score: float | None, low: float | None, high: float | None
) -> str:
    """An Elo difference; where the score is 0 or 1 a bound, that of the score's interval.

    Args:
        value: The difference; None where there is none.
        score: The score that it belongs to, 0 to 1.
        low: Lower end of the score's interval.
        high: Upper end of it.
    """
    if value is not None:
        return fixed(value, 0, sign=True)
    end, sign = (low, ">") if score == 1 else (high, "<") if score == 0 else (None, "")
    bound = elo(end) if end is not None else None
    return UNKNOWN if bound is None else f"{sign} {fixed(bound, 0, sign=True)}"


def rating_text(player: Mapping[str, Any]) -> str:
    """The rating of a player of a tournament, or the bound that stands for it."""
    text = fixed(player["rating"], 0, sign=True)
    sign = bound_sign(player)
    return f"{sign} {text}" if sign and player["rating"] is not None else text


def bound_sign(player: Mapping[str, Any]) -> str:
    """``<`` where a rating is no more than an upper bound, ``>`` for a lower one, else empty.

    A player without a point may be any weaker than its rating says, one that won everything any
    stronger; between them the word of the document decides ("above": bounded from above).
    """
    if not player.get("bounded"):
        return ""
    if player["score"] in (0, 1):
        return "<" if player["score"] == 0 else ">"
    return "<" if player["bounded"] == "above" else ">"


def counted(counts: Iterable[int | None], noun: str) -> str:
    """How many things a picture rests on: ``n = 1,800 to 2,000 games``."""
    known = [count for count in counts if count is not None]
    if not known:
        return f"n = unknown number of {noun}"
    low, high = min(known), max(known)
    number = whole(low) if low == high else f"{whole(low)} to {whole(high)}"
    return f"n = {number} {noun}"


def short(text: str, length: int) -> str:
    """The text on one line, cut to a length."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"
