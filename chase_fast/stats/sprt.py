"""The sequential test of two players: is one better by this much, or by that much?

A generalized sequential probability ratio test (GSPRT) on counts of pairs or games: the ratio is
that of the most likely distributions under either hypothesis.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Literal, get_args

from chase_fast._arguments import choice, shown
from chase_fast.errors import ArgumentError
from chase_fast.stats.classes import GAMES, PAIRS, class_counts
from chase_fast.stats.intervals import is_number

Model = Literal["normalized", "logistic"]
"""What a difference is measured in: normalized Elo, or Elo."""

_MOST_ELO: Final = 200.0

# Stands for a count of 0, whose logarithm would not exist.
_FEW: Final = 1e-3

# The distribution under a hypothesis in normalized Elo is a fixed point; it is near in a few steps.
_STEPS: Final = 100
_CLOSE: Final = 1e-12


def llr(counts: Sequence[int], elo0: float, elo1: float, *, model: Model = "normalized") -> float:
    """Logarithm of the likelihood ratio: how much more likely the counts are under `elo1`.

    Args:
        counts: Pairs in which the first player got 0, ½, 1, 1½ and 2 points; or games that it
            lost, drew and won.
        elo0: Difference under the one hypothesis, -200 to 200.
        elo1: Difference under the other.
        model: What it is measured in.

    Returns:
        Above 0 if `elo1` fits better. `sprt_bounds` tells where to stop.

    Raises:
        ArgumentError: An argument that is not as described, or counts with which a hypothesis
            cannot be met.

    Source: M. Van den Bergh, The Generalized Maximum Likelihood Ratio for the Expectation Value of
    a Distribution (2019); Normalized Elo (2021).

    >>> round(llr([13, 37, 50, 25, 3], 0, 4), 5)
    -0.54912
    """
    seen = [count or _FEW for count in class_counts(counts, "counts", GAMES, PAIRS)]
    for name, value in (("elo0", elo0), ("elo1", elo1)):
        if not is_number(value) or not -_MOST_ELO <= value <= _MOST_ELO:
            raise ArgumentError(
                f"{name} is {shown(value)}, expected a number from {-_MOST_ELO:g} to {_MOST_ELO:g}"
            )
    choice(model, "model", get_args(Model))
    total = sum(seen)
    shares = [count / total for count in seen]
    best = _logistic if model == "logistic" else _normalized
    under0, under1 = best(shares, elo0), best(shares, elo1)
    return total * sum(
        share * math.log(p1 / p0) for share, p0, p1 in zip(shares, under0, under1, strict=True)
    )


def sprt_bounds(alpha: float = 0.05, beta: float = 0.05) -> tuple[float, float]:
    """Where to stop: at or below the first for `elo0`, at or above the second for `elo1`.

    Args:
        alpha: Chance to take `elo1` where `elo0` is true, above 0 and below ½.
        beta: Chance to take `elo0` where `elo1` is true, likewise.

    Raises:
        ArgumentError: A chance outside its range.

    Source: A. Wald, Sequential Tests of Statistical Hypotheses, Annals of Mathematical Statistics
    16 (1945).

    >>> [round(bound, 4) for bound in sprt_bounds()]
    [-2.9444, 2.9444]
    """
    for name, value in (("alpha", alpha), ("beta", beta)):
        if not is_number(value) or not 0 < value < 0.5:
            raise ArgumentError(f"{name} is {shown(value)}, expected a number between 0 and 0.5")
    return math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)


def _logistic(shares: Sequence[float], difference: float) -> list[float]:
    """The most likely distribution with the score that goes with an Elo difference."""
    score = 1 / (1 + 10 ** (-difference / 400))
    return _tilted(shares, [value - score for value in _values(shares)])


def _normalized(shares: Sequence[float], difference: float) -> list[float]:
    """Likewise, with a normalized Elo difference.

    Half the points above ½, in standard deviations, are to be t: mean = ½ + t sigma. That is not
    linear in the distribution; it is made so around the one found before, again and again.
    """
    games = 2 if len(shares) == len(PAIRS) else 1
    t = math.sqrt(games) * difference * math.log(10) / 800
    values = _values(shares)
    found = [1 / len(shares)] * len(shares)
    for _ in range(_STEPS):
        mean = sum(p * value for p, value in zip(found, values, strict=True))
        sigma = math.sqrt(sum(p * (v - mean) ** 2 for p, v in zip(found, values, strict=True)))
        wanted = [v - 0.5 - t * sigma / 2 * (1 + ((v - mean) / sigma) ** 2) for v in values]
        before, found = found, _tilted(shares, wanted)
        if max(abs(p - q) for p, q in zip(before, found, strict=True)) < _CLOSE:
            break
    return found


def _values(shares: Sequence[float]) -> tuple[float, ...]:
    return GAMES if len(shares) == len(GAMES) else PAIRS


def _tilted(shares: Sequence[float], wanted: Sequence[float]) -> list[float]:
    """The distribution nearest to the shares under which `wanted` has the mean 0.

    q / (1 + x f), with x such that the sum of q f / (1 + x f) is 0: it falls from +infinity to
    -infinity between the poles at the largest and the smallest f.
    """
    least, most = min(wanted), max(wanted)
    if not least < 0 < most:
        raise ArgumentError("the counts and the difference do not go together")
    low, high = -1 / most, -1 / least
    for _ in range(200):
        x = (low + high) / 2
        if not low < x < high:
            break
        slope = sum(q * f / (1 + x * f) for q, f in zip(shares, wanted, strict=True))
        low, high = (x, high) if slope > 0 else (low, x)
    return [q / (1 + (low + high) / 2 * f) for q, f in zip(shares, wanted, strict=True)]
