"""Estimates with confidence intervals: means, ratios and quantiles.

The unit is what is independent of all else: an opening with all its games, whose figures are
added up or averaged before they come here. Intervals need the extra `stats` (scipy).
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Final, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from chase_fast._arguments import choice, shown, whole_number
from chase_fast.errors import ArgumentError
from chase_fast.stats.arrays import Floats, column, fraction, histogram
from chase_fast.stats.intervals import check_confidence, wilson

Statistic = Literal["mean", "median", "ratio"]
"""What `clustered_bootstrap` estimates."""

MOST_REPLICATIONS: Final = 1_000_000

# Indices of a block of bootstrap samples that are drawn together.
_BLOCK: Final = 2_000_000


class Estimate(NamedTuple):
    """A figure, how sure it is, and what that rests on.

    Attributes:
        value: The figure.
        low: Lower end of its interval; -inf where nothing bounds it.
        high: Upper end; inf likewise.
        se: Standard error; None where there is none.
        n: Independent units.
    """

    value: float
    low: float
    high: float
    se: float | None
    n: int


def mean_estimate(values: npt.ArrayLike, *, confidence: float = 0.95) -> Estimate:
    """The mean of units, with Student's interval.

    Where all values are alike the sample has no spread, and the interval is the value alone: that
    it was always seen, not that it cannot be otherwise. (`stats.equivalence` does not take it for
    more.) A single value has no interval: its ends are infinite.

    Args:
        values: One for each unit (opening), shape (n,), any unit of measure.
        confidence: Above 0 and below 1.

    Raises:
        ArgumentError: No values, some that are not finite, or a confidence outside its range.

    Source: Student, The probable error of a mean, Biometrika 6 (1908), 1-25.

    >>> [round(x, 3) for x in mean_estimate([1.0, 2.0, 3.0, 4.0])[:4]]
    [2.5, 0.446, 4.554, 0.645]
    """
    given = column(values, "values")
    check_confidence(confidence)
    # The mean of equal numbers may be off by a rounding, which would look like a spread.
    if np.all(given == given[0]):
        return _around(float(given[0]), 0.0, len(given), confidence)
    error = float(given.std(ddof=1)) / math.sqrt(len(given))
    return _around(float(given.mean()), error, len(given), confidence)


def ratio_estimate(
    upper: npt.ArrayLike, lower: npt.ArrayLike, *, confidence: float = 0.95
) -> Estimate:
    """The total of one figure by the total of another, with the error of large samples.

    Linearised: the residuals u - r l of the units stand for the ratio's. It is the sandwich
    estimate of a regression through the origin, with units as clusters. As with a mean, no spread
    of the residuals makes an interval of the ratio alone.

    Args:
        upper: Totals of the numerator, one for each unit (opening), shape (n,).
        lower: Totals of the denominator, 0 or more, one of them above 0, shape (n,).
        confidence: Above 0 and below 1.

    Raises:
        ArgumentError: Arrays of other shapes or values, or a confidence outside its range.

    Source: W. G. Cochran, Sampling Techniques, 3rd edition (1977), section 2.11, without the
    correction for finite populations.

    >>> found = ratio_estimate([60, 90, 66], [2, 3, 2])
    >>> round(found.value, 3), round(found.se, 3)
    (30.857, 0.924)
    """
    return _ratio(upper, lower, "upper", "lower", confidence)


def clustered_mean(
    sums: npt.ArrayLike, sizes: npt.ArrayLike, *, confidence: float = 0.95
) -> Estimate:
    """The mean over all games, the openings being the units.

    Games of one opening are alike; here they may be of any number in each. The mathematics is that
    of `ratio_estimate`.

    Args:
        sums: Of the games' figures, one for each opening, shape (n,).
        sizes: Games of each opening, shape (n,).
        confidence: Above 0 and below 1.

    Returns:
        The estimate; its `n` counts openings.

    Raises:
        ArgumentError: Arrays of other shapes or values, or a confidence outside its range.
    """
    return _ratio(sums, sizes, "sums", "sizes", confidence)


def clustered_share(
    hits: npt.ArrayLike, trials: npt.ArrayLike, *, confidence: float = 0.95
) -> Estimate:
    """A share of totals, the openings being the units, with an interval that stays within 0 and 1.

    Wilson's, for the number of independent trials that would make the share as uncertain as it is:
    v (1 - v) / SE², SE that of `ratio_estimate`, less what Student's distribution is wider than the
    normal one, and never more than there are. Where the units show no spread, for instance because
    nothing was hit, a unit counts as one trial: its trials may be alike throughout. Units of one
    trial are independent trials, and the interval is Wilson's own.

    Args:
        hits: Of each unit, 0 to its trials, a draw as a half, shape (n,).
        trials: Likewise, 0 or more, one of them above 0.
        confidence: Above 0 and below 1.

    Returns:
        The estimate; its standard error is that of the ratio, its `n` counts units.

    Raises:
        ArgumentError: Arrays of other shapes or values, or a confidence outside its range.

    Source: E. L. Korn, B. I. Graubard, Confidence intervals for proportions with small expected
    number of positive counts estimated from survey data, Survey Methodology 24 (1998), 193-201,
    for the number of trials; they go on with Clopper and Pearson's interval.

    >>> [round(x, 3) for x in clustered_share([0, 0, 0, 0], [5, 2, 0, 9])[:4]]
    [0.0, 0.0, 0.561, 0.0]
    """
    found = _ratio(hits, trials, "hits", "trials", confidence)
    over, under = _totals(hits, trials, "hits", "trials")
    wrong = np.flatnonzero((over < 0) | (over > under))
    if len(wrong):
        place = int(wrong[0])
        raise ArgumentError(
            f"hits[{place}] is {shown(float(over[place]))}, expected 0 to {under[place]:g}"
        )
    effective = _independent_trials(found, under, confidence)
    low, high = wilson(found.value * effective, effective, confidence=confidence)
    return found._replace(low=low, high=high)


def histogram_quantile(
    counts: npt.ArrayLike, q: float, *, units: int | None = None, confidence: float = 0.95
) -> Estimate:
    """A quantile of whole numbers, with the interval between two order statistics.

    The quantile is the smallest number that at least a share q of games do not exceed. The ranks
    of the interval's ends are quantiles of the binomial distribution, so that it holds for any
    distribution; where numbers are often equal it is on the safe side. Where the rank would lie
    outside of the sample the interval is open: it begins at 0, or ends at infinity.

    Args:
        counts: Games with the numbers 0, 1, 2, ..., shape (n,).
        q: Above 0 and below 1.
        units: How many units are independent, if fewer than the games. Games of a unit then count
            as if they were all equal, which is the worst case.
        confidence: Above 0 and below 1.

    Returns:
        The estimate, without standard error.

    Raises:
        ArgumentError: An argument that is not as described.

    Source: W. J. Conover, Practical Nonparametric Statistics, 3rd edition (1999), section 3.2.
    """
    games = histogram(counts, "counts")
    fraction(q, "q")
    check_confidence(confidence)
    from scipy.stats import binom  # costs import time, and is not always there

    below = np.cumsum(games)
    total = int(below[-1])
    n = total if units is None else whole_number(units, "units", 1, total)
    tail = (1 - confidence) / 2
    first, last = int(binom.ppf(tail, n, q)), int(binom.ppf(1 - tail, n, q)) + 1

    def ranked(rank: int) -> int:
        """The number at a rank, 1 to n, among n units that stand for all games."""
        return int(np.searchsorted(below, -(-rank * total // n)))

    value = int(np.searchsorted(below, max(1, math.ceil(q * total - 1e-9))))
    low = 0 if first < 1 else ranked(first)
    high = math.inf if last > n else ranked(last)
    return Estimate(float(value), float(low), float(high), None, n)


def clustered_bootstrap(
    values: npt.ArrayLike,
    *,
    replications: int = 2000,
    seed: int,
    statistic: Statistic = "mean",
    confidence: float = 0.95,
) -> Estimate:
    """An estimate with the percentile interval of the bootstrap.

    Units are drawn with replacement, as many as there are, again and again. The same seed gives
    the same interval (under one version of numpy).

    Args:
        values: One for each unit, shape (n,); for "ratio" numerator and denominator, shape (n, 2).
        replications: 100 to `MOST_REPLICATIONS`.
        seed: 0 to 2**64 - 1.
        statistic: Of the values.
        confidence: Above 0 and below 1.

    Raises:
        ArgumentError: An argument that is not as described.

    Source: B. Efron, R. J. Tibshirani, An Introduction to the Bootstrap (1993), chapter 13.
    """
    choice(statistic, "statistic", get_args(Statistic))
    whole_number(replications, "replications", 100, MOST_REPLICATIONS)
    whole_number(seed, "seed", 0, 2**64 - 1)
    check_confidence(confidence)
    if statistic == "ratio":
        columns = np.asarray(values)
        if columns.ndim != 2 or columns.shape[1] != 2:
            raise ArgumentError(f"values is {shown(values)}, expected an array of shape (n, 2)")
        given = np.stack(_totals(columns[:, 0], columns[:, 1], "values[:, 0]", "values[:, 1]"))
    else:
        given = column(values, "values")[None]
    n = given.shape[1]
    rng = np.random.default_rng(seed)
    block = max(1, _BLOCK // n)
    parts = []
    for start in range(0, replications, block):
        drawn = rng.integers(n, size=(min(block, replications - start), n))
        parts.append(_statistic(given[:, drawn], statistic))
    found = np.concatenate(parts)
    tail = (1 - confidence) / 2
    low, high = np.quantile(found, [tail, 1 - tail])
    value = float(_statistic(given[:, None], statistic)[0])
    return Estimate(value, float(low), float(high), float(found.std(ddof=1)), n)


def _statistic(samples: Floats, statistic: Statistic) -> Floats:
    """Of each of k samples of n units; shape (1, k, n), for a ratio (2, k, n), -> (k,)."""
    if statistic == "median":
        return np.asarray(np.median(samples[0], axis=1))
    if statistic == "mean":
        return np.asarray(samples[0].mean(axis=1))
    upper, lower = samples.sum(axis=2)
    # A sample of units without denominator says nothing, neither little nor much.
    return np.asarray(upper[lower > 0] / lower[lower > 0])


def _totals(upper: object, lower: object, over: str, under: str) -> tuple[Floats, Floats]:
    above, below = column(upper, over), column(lower, under, low=0.0)
    if len(above) != len(below):
        raise ArgumentError(f"{over} has {len(above)} numbers, expected {len(below)} as {under}")
    if not below.any():
        raise ArgumentError(f"{under} is 0 throughout, expected a number above 0 among them")
    return above, below


def _ratio(upper: object, lower: object, over: str, under: str, confidence: float) -> Estimate:
    above, below = _totals(upper, lower, over, under)
    check_confidence(confidence)
    n = len(above)
    ratio = float(above.sum() / below.sum())
    residuals = above - ratio * below
    # What rounding leaves of residuals that are all 0 is no spread.
    if np.all(np.abs(residuals) <= 1e-12 * np.maximum(np.abs(above), abs(ratio) * below)):
        residuals = np.zeros(n)
    squares = float(residuals @ residuals)
    error = math.sqrt(squares * n / max(n - 1, 1)) / float(below.sum())
    return _around(ratio, error, n, confidence)


def _independent_trials(found: Estimate, trials: Floats, confidence: float) -> int:
    units = int(np.count_nonzero(trials))
    if trials.max() <= 1 or not found.se:
        return units
    from scipy.special import stdtrit  # costs import time, and is not always there

    tail = (1 + confidence) / 2
    wider = NormalDist().inv_cdf(tail) / float(stdtrit(found.n - 1, tail))
    effective = found.value * (1 - found.value) * (wider / found.se) ** 2
    return max(1, math.floor(min(float(trials.sum()), effective)))


def _around(value: float, error: float, n: int, confidence: float) -> Estimate:
    """Student's interval with n - 1 degrees of freedom."""
    if n == 1:
        return Estimate(value, -math.inf, math.inf, None, 1)
    from scipy.special import stdtrit  # costs import time, and is not always there

    reach = float(stdtrit(n - 1, (1 + confidence) / 2)) * error
    return Estimate(value, value - reach, value + reach, error, n)
