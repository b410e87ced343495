"""How many games are still under way after so many turns, when some are cut short."""

from __future__ import annotations

from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from chase_fast.errors import ArgumentError
from chase_fast.stats.arrays import Counts, Floats, histogram
from chase_fast.stats.intervals import check_confidence, wilson


class Survival(NamedTuple):
    """A curve of survival; arrays of one shape.

    Attributes:
        turn: 0, 1, 2, ...
        alive: Share of games that last longer than so many turns.
        low: Lower end of its interval, at this turn alone.
        high: Upper end.
        at_risk: Games under way when the turn begins, those that it cuts short among them.
    """

    turn: Counts
    alive: Floats
    low: Floats
    high: Floats
    at_risk: Counts


def kaplan_meier(
    ended: npt.ArrayLike, censored: npt.ArrayLike, *, confidence: float = 0.95
) -> Survival:
    """The survival curve of games, of which some were stopped before their end.

    S(t) is the product of 1 - d / n over turns up to t, with d games that ended of n under way;
    games cut short at t count as under way at t. Variance by Greenwood's formula, interval by the
    logarithm of -log S, which keeps it within 0 and 1. Where no game has ended yet, or all have,
    that says nothing; there the end is Wilson's for the games under way. The interval takes games
    to be independent, and holds for each turn by itself, not for the whole curve.

    Args:
        ended: Games that ended at turns 0, 1, 2, ..., shape (k,).
        censored: Games cut short at these turns, shape (m,); shorter arrays are filled with 0.
        confidence: Above 0 and below 1.

    Returns:
        The curve up to the last turn given.

    Raises:
        ArgumentError: No such counts, no games at all, or a confidence outside its range.

    Source: E. L. Kaplan, P. Meier, Nonparametric estimation from incomplete observations, Journal
    of the American Statistical Association 53 (1958), 457-481; J. D. Kalbfleisch, R. L. Prentice,
    The Statistical Analysis of Failure Time Data, 2nd edition (2002), section 1.4.

    >>> [round(float(x), 3) for x in kaplan_meier([0, 1, 2, 1], [0, 0, 1]).alive]
    [1.0, 0.8, 0.4, 0.0]
    """
    ends, cuts = histogram(ended, "ended", empty=True), histogram(censored, "censored", empty=True)
    check_confidence(confidence)
    length = max(len(ends), len(cuts))
    ends, cuts = (np.pad(one, (0, length - len(one))) for one in (ends, cuts))
    leaving = ends + cuts
    if not leaving.any():
        raise ArgumentError("ended and censored hold no game, expected a count above 0")
    at_risk = leaving[::-1].cumsum()[::-1]
    staying = at_risk - ends
    # Where nobody is under way any more the curve stays as it is.
    kept = np.where(at_risk > 0, staying / np.maximum(at_risk, 1), 1.0)
    alive = np.cumprod(kept, dtype=np.float64)
    terms = np.where(staying > 0, ends / np.maximum(at_risk * staying, 1), 0.0)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    low, high = alive.copy(), alive.copy()
    inner = (alive > 0) & (alive < 1)
    logs = np.log(alive[inner])
    reach = z * np.sqrt(np.cumsum(terms)[inner]) / -logs
    low[inner], high[inner] = np.exp(logs * np.exp(reach)), np.exp(logs * np.exp(-reach))
    last = 0
    for turn in np.flatnonzero(~inner):
        last = int(at_risk[turn]) or last
        if alive[turn] == 1:
            low[turn] = wilson(last, last, confidence=confidence).low
        else:
            # The last games may be few; but what was sure a turn ago still is.
            before = high[turn - 1] if turn else 1.0
            high[turn] = min(before, wilson(0, last, confidence=confidence).high)
    return Survival(np.arange(length), alive, low, high, at_risk)
