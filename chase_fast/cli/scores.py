"""Scores, Elo and ratings as commands print them."""

from __future__ import annotations

from chase_fast.stats.elo import PairScore


def elo_text(found: PairScore) -> str:
    """The difference with its interval; a bound where there is no difference to tell."""
    low, high = found.elo_interval
    if found.elo is None:
        return f"> {low:+.0f}" if low is not None else f"< {high:+.0f}"
    ends = [signed(end) if end is not None else "unbounded" for end in (low, high)]
    return f"{signed(found.elo)}  ({ends[0]} to {ends[1]})"


def signed(elo: float) -> str:
    """A difference without decimals, with its sign; what rounds to 0 has none."""
    text = f"{elo:+.0f}"
    return text if text.strip("+-0") else "0"


def score_text(found: PairScore) -> str:
    """The score with its interval."""
    low, high = found.interval
    return f"{found.score:.1%}  ({low:.1%} to {high:.1%})"


def rating_text(rating: float | None, bounded: str | None) -> str:
    """A rating, or the bound that stands for it; a dash where there is none.

    Args:
        rating: In Elo.
        bounded: "above" for an upper bound, "below" for a lower one, None for an estimate.
    """
    if rating is None:
        return "-"
    sign = {"above": "< ", "below": "> "}.get(bounded or "", "")
    return f"{sign}{signed(rating)}"


def interval_text(low: float | None, high: float | None) -> str:
    """An interval in Elo; an end that is None is open, or there is none where both are."""
    ends = [None if end is None else signed(end) for end in (low, high)]
    match ends:
        case [None, None]:
            return "-"
        case [None, str(end)]:
            return f"up to {end}"
        case [str(end), None]:
            return f"from {end}"
    return f"{ends[0]} to {ends[1]}"
