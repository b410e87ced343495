"""How many games a question needs, before any is played (normal theory).

A game's score is 0, ½ or 1. Near an even score its variance is (1 - d) / 4, with d the share of
draws. A number of games is rounded to the nearest: the theory is not exact to a single game.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Final

from chase_fast._arguments import whole_number
from chase_fast.stats.arrays import fraction, number

MOST_COMPARISONS: Final = 1_000_000

_NORMAL: Final = NormalDist()


def games_for_width(
    half_width: float = 0.01, *, draws: float = 0.0, confidence: float = 0.95
) -> int:
    """Games until the interval of one score is the score plus and minus `half_width`.

    z² (1 - d) / 4 / h².

    Args:
        half_width: In points a game, above 0, ½ at most.
        draws: Their share, 0 or more, below 1.
        confidence: Of the interval, above 0 and below 1.

    Returns:
        Games (not openings; see `openings_for`).

    Raises:
        ArgumentError: An argument outside its range.

    Source: W. G. Cochran, Sampling Techniques, 3rd edition (1977), section 4.4.

    >>> games_for_width(0.01), games_for_width(0.01, draws=0.7)
    (9604, 2881)
    """
    number(half_width, "half_width", 0, 0.5, above=True)
    fraction(confidence, "confidence")
    z = _NORMAL.inv_cdf((1 + confidence) / 2)
    return _rounded(z * z * _variance(draws) / half_width**2)


def games_for_effect(
    effect: float = 0.02, *, draws: float = 0.0, power: float = 0.8, alpha: float = 0.05
) -> int:
    """Games after which a score that is off ½ by `effect` is seen to be so.

    (z(1 - alpha/2) + z(power))² (1 - d) / 4 / e².

    Args:
        effect: In points a game, above 0, ½ at most.
        draws: Their share, 0 or more, below 1.
        power: Chance to see it, above 0 and below 1.
        alpha: Chance to see what is not there, above 0 and below 1; both sides together.

    Returns:
        Games (not openings; see `openings_for`).

    Raises:
        ArgumentError: An argument outside its range.

    Source: J. Cohen, Statistical Power Analysis for the Behavioral Sciences, 2nd edition (1988),
    with the normal distribution in place of Student's.

    >>> games_for_effect(0.02), games_for_effect(0.02, draws=0.7)
    (4906, 1472)
    """
    number(effect, "effect", 0, 0.5, above=True)
    deviation = math.sqrt(_variance(draws))
    return _rounded(units_for_difference(deviation, effect, power=power, alpha=alpha))


def two_variants(
    effect: float = 0.02,
    *,
    draws: float = 0.0,
    correlation: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    comparisons: int = 1,
) -> int:
    """Games of each of two variants after which scores that differ by `effect` are seen to.

    The difference of two independent means has twice the variance of one; common openings take
    away the share `correlation` of it. With several comparisons alpha is divided among them
    (Bonferroni), which is what Holm's rule asks of the first one: the number is on the safe side.

    Args:
        effect: In points a game, above 0, 1 at most.
        draws: Their share, 0 or more, below 1, in either variant.
        correlation: Of the two variants' scores of one opening, -1 to 1; None for different
            openings. A correlation of 1 leaves no variance: one game would do.
        power: Chance to see it, above 0 and below 1.
        alpha: Chance to see any difference where there is none, above 0 and below 1.
        comparisons: How many share alpha, 1 to `MOST_COMPARISONS`.

    Returns:
        Games of each variant (not openings; see `openings_for`).

    Raises:
        ArgumentError: An argument outside its range.

    Source: as for `games_for_effect`.

    >>> two_variants(0.02), two_variants(0.02, draws=0.7), two_variants(0.02, correlation=0.5)
    (9811, 2943, 4906)
    """
    number(effect, "effect", 0, 1, above=True)
    alike = 0.0 if correlation is None else number(correlation, "correlation", -1, 1)
    fraction(alpha, "alpha")
    tested = alpha / whole_number(comparisons, "comparisons", 1, MOST_COMPARISONS)
    deviation = math.sqrt(2 * _variance(draws) * (1 - alike))
    return _rounded(units_for_difference(deviation, effect, power=power, alpha=tested))


def openings_for(games: int, *, games_per_opening: int = 2) -> int:
    """Openings that make at least so many games.

    Two games of one opening with the sides swapped count as independent here. Where they are not,
    the pilot run tells the standard deviation of openings, and `units_for_difference` the rest.

    Args:
        games: 0 to 10**18.
        games_per_opening: 2, or 1 where both sides are the same deterministic player.

    Raises:
        ArgumentError: An argument outside its range.

    >>> openings_for(9811)
    4906
    """
    whole_number(games, "games", 0, 10**18)
    return -(-games // whole_number(games_per_opening, "games_per_opening", 1, 2))


def units_for_difference(
    deviation: float, difference: float, *, power: float = 0.8, alpha: float = 0.05
) -> float:
    """Units whose mean is seen to differ from 0, if it does by `difference`.

    ((z(1 - alpha/2) + z(power)) s / d)².

    Args:
        deviation: Standard deviation of a unit, 0 to 1e9.
        difference: Of its mean from 0, 0 to 1e9 either way.
        power: Chance to see it, above 0 and below 1.
        alpha: Chance to see what is not there, above 0 and below 1; both sides together.

    Returns:
        Units, not rounded; infinite for a difference of 0.

    Raises:
        ArgumentError: An argument outside its range.

    Source: as for `games_for_effect`.
    """
    _check(deviation, difference, power, alpha)
    if difference == 0:
        return math.inf
    z = _NORMAL.inv_cdf(1 - alpha / 2) + _NORMAL.inv_cdf(power)
    return (max(z, 0.0) * deviation / difference) ** 2


def units_for_equivalence(
    deviation: float,
    difference: float,
    margin: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
) -> float:
    """Units whose mean is shown to lie within the margin, if it is off 0 by `difference`.

    The smallest n with Phi((m - d) sqrt(n) / s - z) + Phi((m + d) sqrt(n) / s - z) - 1 = power,
    z = z(1 - alpha), by bisection: the power of two one-sided tests.

    Args:
        deviation: Standard deviation of a unit, 0 to 1e9.
        difference: Of its mean from 0, 0 to 1e9 either way.
        margin: Above 0, 1e9 at most.
        power: Chance to show it, above 0 and below 1.
        alpha: Chance to show what is not so, above 0 and below 1.

    Returns:
        Units, not rounded; infinite for a difference that is not within the margin.

    Raises:
        ArgumentError: An argument outside its range.

    Source: D. J. Schuirmann, A comparison of the two one-sided tests procedure and the power
    approach, Journal of Pharmacokinetics and Biopharmaceutics 15 (1987), 657-680.
    """
    _check(deviation, difference, power, alpha)
    number(margin, "margin", 0, 1e9, above=True)
    off = abs(difference)
    if off >= margin:
        return math.inf
    z = _NORMAL.inv_cdf(1 - alpha)

    def shown(root: float) -> float:
        """The power, `root` being sqrt(n) / s."""
        above, below = (margin - off) * root - z, (margin + off) * root - z
        return _NORMAL.cdf(above) + _NORMAL.cdf(below) - 1

    low, high = 0.0, 1 / margin
    while shown(high) < power:
        low, high = high, 2 * high
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if shown(middle) < power else (low, middle)
    return (high * deviation) ** 2


def _check(deviation: float, difference: float, power: float, alpha: float) -> None:
    number(deviation, "deviation", 0, 1e9)
    number(difference, "difference", -1e9, 1e9)
    fraction(power, "power")
    fraction(alpha, "alpha")


def _variance(draws: float) -> float:
    number(draws, "draws", 0, 1 - 1e-9)
    return (1 - draws) / 4


def _rounded(games: float) -> int:
    return max(1, round(games))
