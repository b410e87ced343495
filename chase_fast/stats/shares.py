"""Shares of independent games, one or several that add up to 1."""

from __future__ import annotations

import math

import numpy.typing as npt

from chase_fast.errors import ArgumentError
from chase_fast.stats.arrays import histogram
from chase_fast.stats.estimates import Estimate
from chase_fast.stats.intervals import Interval, check_confidence, wilson


def share(successes: float, trials: int, *, confidence: float = 0.95) -> Estimate:
    """A share with Wilson's interval.

    For games that are independent. Where several games share an opening, the share is
    `estimates.clustered_share` of the openings' counts.

    Args:
        successes: From 0 to `trials`; a draw may count as a half.
        trials: 1 to 2**64 - 1.
        confidence: Above 0 and below 1.

    Returns:
        The estimate; its standard error is sqrt(s (1 - s) / n), 0 for a share of 0 or 1, of which
        the interval makes no use.

    Raises:
        ArgumentError: An argument outside its range.

    >>> [round(x, 3) for x in share(3, 10)[:4]]
    [0.3, 0.108, 0.603, 0.145]
    """
    low, high = wilson(successes, trials, confidence=confidence)
    value = float(successes / trials)
    return Estimate(value, low, high, math.sqrt(value * (1 - value) / trials), int(trials))


def goodman(counts: npt.ArrayLike, *, confidence: float = 0.95) -> list[Interval]:
    """Joint intervals of the shares of several classes: all hold together.

    Wilson's intervals at a confidence that Bonferroni's rule raises for the number of classes.

    Args:
        counts: Of each class, at least two of them, one above 0, shape (k,).
        confidence: That all intervals hold, above 0 and below 1.

    Returns:
        The intervals in the order of classes.

    Raises:
        ArgumentError: An argument that is not as described.

    Source: L. A. Goodman, On simultaneous confidence intervals for multinomial proportions,
    Technometrics 7 (1965), 247-254; computed by statsmodels.

    >>> [(round(low, 3), round(high, 3)) for low, high in goodman([10, 20, 30])]
    [(0.082, 0.31), (0.208, 0.488), (0.352, 0.648)]
    """
    seen = histogram(counts, "counts")
    if len(seen) < 2:
        raise ArgumentError("counts has 1 class, expected two or more")
    check_confidence(confidence)
    from statsmodels.stats.proportion import (  # costs import time, and is not always there
        multinomial_proportions_confint,
    )

    found = multinomial_proportions_confint(seen, alpha=1 - confidence, method="goodman")
    # Rounding must not push an end past 0 or 1, where it lies exactly for a share of 0 or 1.
    return [
        Interval(0.0 if n == 0 else max(0.0, float(low)), 1.0 if rest == 0 else float(high))
        for n, rest, (low, high) in zip(seen, seen.sum() - seen, found, strict=True)
    ]
