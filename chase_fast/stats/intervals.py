"""Confidence intervals of shares."""

from __future__ import annotations

import math
from numbers import Real
from statistics import NormalDist
from typing import NamedTuple, TypeGuard

from chase_fast._arguments import Code, as_int, shown
from chase_fast.errors import ArgumentError

_MOST_TRIALS = 2**64 - 1


class Interval(NamedTuple):
    """The ends of a confidence interval, both included."""

    low: float
    high: float


def wilson(successes: float, trials: int, *, confidence: float = 0.95) -> Interval:
    """The score interval of a share (Wilson 1927, without continuity correction).

    Unlike the interval of plus and minus so many standard errors it stays within 0 and 1 and keeps
    its promise for shares near them. A mean of scores 0, ½ and 1 varies at most as much as a share
    of the same size, so for it the interval is on the safe side.

    Args:
        successes: From 0 to ``trials``; a draw may count as a half.
        trials: 1 to 2**64 - 1.
        confidence: Above 0 and below 1.

    Returns:
        The interval, within 0 to 1.

    Raises:
        ArgumentError: An argument outside its range.

    Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference,
    Journal of the American Statistical Association 22 (1927), 209-212.
    """
    count = as_int(trials)
    if count is None or not 1 <= count <= _MOST_TRIALS:
        raise ArgumentError(
            f"trials is {shown(trials)}, expected 1 or more, {_MOST_TRIALS} at most"
        )
    if not is_number(successes) or not 0 <= successes <= count:
        raise ArgumentError(f"successes is {shown(successes)}, expected 0 to {count}")
    check_confidence(confidence)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    failures = trials - successes
    middle = successes + z * z / 2
    half = z * math.sqrt(successes * failures / trials + z * z / 4)
    # Rounding must not push an end past 0 or 1, where it lies exactly for a share of 0 or 1.
    low = 0.0 if successes == 0 else (middle - half) / (trials + z * z)
    high = 1.0 if failures == 0 else (middle + half) / (trials + z * z)
    return Interval(low, high)


def check_confidence(value: object) -> None:
    """Refuses what is not a number above 0 and below 1.

    Raises:
        ArgumentError: It is not.
    """
    if not is_number(value) or not 0 < value < 1:
        raise ArgumentError(f"confidence is {shown(value)}, expected a number between 0 and 1")


def is_number(value: object) -> TypeGuard[float]:
    """Whether it is a real number, bools and codes of the engine apart."""
    return isinstance(value, Real) and not isinstance(value, bool | Code)
