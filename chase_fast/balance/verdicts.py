"""What may be said of variants: against ½ and against the base, in numbers and in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from chase_fast.balance.rows import CellRows
from chase_fast.cells import TERMINATIONS
from chase_fast.stats.equivalence import (
    Balance,
    Comparison,
    against_half,
    holm,
    paired,
    verdict,
    welch,
)

__all__ = ["MARGIN", "Compared", "compare", "comparison_rows", "half_row"]

MARGIN: Final = 0.02

Floats = npt.NDArray[np.float64]

_FAULTS: Final = [TERMINATIONS.index(name) for name in ("illegal", "crash", "time")]
_TOO_MANY: Final = (
    "too many games were cut short, or ended by a fault of a player, to say that it is small"
)


@dataclass(frozen=True, slots=True)
class Compared:
    """A variant beside the base at one strength.

    Attributes:
        variant: The variant's cell.
        base: The base's cell.
        paired: Whether on common openings.
        comparison: Of the scores.
    """

    variant: CellRows
    base: CellRows
    paired: bool
    comparison: Comparison


def compare(pairs: Sequence[tuple[CellRows, CellRows, bool]], margin: float) -> list[Compared]:
    """Compares variants with the base; all of them are one family of tests."""
    found = []
    for variant, base, common in pairs:
        if common:
            same = np.intersect1d(variant.openings, base.openings)
            difference = _scores(variant, same) - _scores(base, same)
            comparison = paired(difference, margin=margin, comparisons=len(pairs))
        else:
            comparison = welch(
                variant.red_scores, base.red_scores, margin=margin, comparisons=len(pairs)
            )
        found.append(Compared(variant, base, common, comparison))
    return found


def _scores(rows: CellRows, openings: npt.NDArray[Any]) -> Floats:
    return np.asarray(rows.red_scores[np.searchsorted(rows.openings, openings)])


def half_row(rows: CellRows, margin: float) -> tuple[Balance, dict[str, Any]]:
    """The first mover's score of a cell against ½."""
    found = against_half(rows.red_scores, margin=margin)
    said = _guarded(found.verdict, _open(rows), margin)
    return found, {
        "verdict": said,
        "p": found.p,
        "p_equivalent": found.p_equivalent,
        "mde": _detectable(found.mde, 0.5),
        "openings_needed": _still(said, found.openings_needed, len(rows.openings)),
        "sentence": _half_sentence(rows, found, said, margin),
    }


def _open(rows: CellRows) -> float:
    """How far the score may be off for games whose result the rules did not decide.

    Games cut short count ½, games that a fault of a player ended count for the other one: either
    might have been worth half a point more or less.
    """
    undecided = rows.cut_short | np.isin(rows.column["termination"], _FAULTS)
    return float(undecided.mean()) / 2


def _guarded(said: str, off: float, margin: float) -> str:
    """A verdict that rules nothing out where what is not known exceeds the margin."""
    if off <= margin:
        return said
    if said in ("balanced", "equivalent"):
        return "undecided"
    return said.removesuffix(", within the margin").removesuffix(" but within the margin")


def _under(rows: CellRows) -> str:
    return f"Under {rows.cell.a}, {rows.cell.variant}"


def _detectable(mde: float | None, most: float) -> float | None:
    """None where not even the largest difference that there is would have been seen."""
    return None if mde is None or mde >= most else mde


def _unseen(what: str, mde: float | None) -> str:
    if mde is None:
        return f"undecided: so few openings would hardly have shown {what}"
    return f"undecided: {what} of {100 * mde:.1f} points would have been seen with a chance of 80 %"


def _half_sentence(rows: CellRows, found: Balance, said: str, margin: float) -> str:
    score = found.score
    low, high = max(0.0, score.low), min(1.0, score.high)
    seen = (
        f"{_under(rows)}: red scores {score.value:.1%} ({low:.1%} to {high:.1%}, "
        f"{len(rows.openings)} openings)"
    )
    within = f"the advantage, if any, is below {100 * margin:g} points"
    meaning = {
        "balanced": f"balanced: {within}",
        "favours red": "red is favoured",
        "favours blue": "blue is favoured",
        "favours red, within the margin": f"red is favoured, but {within}",
        "favours blue, within the margin": f"blue is favoured, but {within}",
        "undecided": _unseen("an advantage", _detectable(found.mde, 0.5)),
    }[said]
    if said != found.verdict:
        return f"{seen}; {meaning.partition(':')[0]}: {_TOO_MANY}."
    return f"{seen}; {meaning}{_needed(said, found.openings_needed, len(rows.openings))}."


def _still(said: str, needed: int | None, played: int) -> int | None:
    """Openings beyond those played until there would be a verdict; None where there is one."""
    return None if said != "undecided" or needed is None else max(1, needed - played)


def _needed(said: str, needed: int | None, played: int) -> str:
    if said != "undecided":
        return ""
    still = _still(said, needed, played)
    if still is None:
        return "; how many openings would decide it cannot be told"
    return f"; about {still:,} more openings would decide it if the truth is what was seen"


def comparison_row(one: Compared, p_holm: float, margin: float) -> dict[str, Any]:
    """A row of the document's comparisons."""
    found = one.comparison
    off = _open(one.variant) + _open(one.base)
    said = _guarded(verdict(found, p_holm), off, margin)
    guarded = said != verdict(found, p_holm)
    return {
        "variant": one.variant.cell.variant,
        "base": one.base.cell.variant,
        "player": str(one.variant.cell.a),
        "difference": found.difference,
        "low": _finite(found.low),
        "high": _finite(found.high),
        "p": found.p,
        "p_holm": p_holm,
        "p_equivalent": found.p_equivalent,
        "verdict": said,
        "mde": _detectable(found.mde, 1.0),
        "openings_needed": _still(said, found.openings_needed, found.n),
        "paired": one.paired,
        "n": found.n,
        "nonzero": found.nonzero,
        "sentence": _comparison_sentence(one, said, guarded, margin),
    }


def comparison_rows(compared: Sequence[Compared], margin: float) -> list[dict[str, Any]]:
    """All rows, with p-values after Holm."""
    adjusted = holm([one.comparison.p for one in compared])
    return [comparison_row(one, p, margin) for one, p in zip(compared, adjusted, strict=True)]


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _comparison_sentence(one: Compared, said: str, guarded: bool, margin: float) -> str:
    found = one.comparison
    how = "the same" if one.paired else "different"
    seen = (
        f"{_under(one.variant)}: red scores {100 * found.difference:+.1f} points "
        f"({100 * found.low:+.1f} to {100 * found.high:+.1f}) against {one.base.cell.variant} on "
        f"{how} openings"
    )
    within = f"the difference, if any, is below {100 * margin:g} points"
    meaning = {
        "different": "different",
        "equivalent": f"equivalent: {within}",
        "different but within the margin": f"different, but {within}",
        "undecided": _unseen("a difference", _detectable(found.mde, 1.0)),
    }[said]
    if guarded:
        return f"{seen}; {meaning.partition(':')[0]}: {_TOO_MANY}."
    return f"{seen}; {meaning}{_needed(said, found.openings_needed, found.n)}."
