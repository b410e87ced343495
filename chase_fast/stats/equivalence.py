"""Is there a difference, is there none that matters, or is it not known?

A difference is *shown* by a test against 0 and *excluded* by two one-sided tests against a margin
(TOST). Neither follows from the failure of the other. Needs the extra `stats` (scipy).

Scores of few different values, most of them equal, do not follow these tests: a sample in which
all openings agree has no spread at all. Where fewer than `SPARSE` units say anything, bounds of
shares take the place of Student's distribution, and no difference is claimed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from chase_fast._arguments import elements, instance, shown, whole_number
from chase_fast.errors import ArgumentError
from chase_fast.stats.arrays import Floats, column, fraction, number
from chase_fast.stats.estimates import Estimate
from chase_fast.stats.intervals import is_number
from chase_fast.stats.power import (
    MOST_COMPARISONS,
    units_for_difference,
    units_for_equivalence,
)

Verdict = Literal["different", "equivalent", "different but within the margin", "undecided"]
"""Of two variants."""

Against = Literal[
    "balanced",
    "favours red",
    "favours blue",
    "favours red, within the margin",
    "favours blue, within the margin",
    "undecided",
]
"""Of one variant against ½."""

SPARSE: Final = 10
"""Units other than 0 (or ½) that there must be for Student's distribution to be trusted."""

# With 95 % confidence, what was not seen in n units has a share of at most 3 / n.
_THREE: Final = 3

# Scores that differ only after so many digits are equal.
_DIGITS: Final = 12

_ALPHA: Final = 0.05
_POWER: Final = 0.8


@dataclass(frozen=True, slots=True)
class Comparison:
    """The score of one variant minus that of another.

    Attributes:
        difference: In points a game, -1 to 1.
        low: Lower end of its interval.
        high: Upper end.
        se: Standard error; None for a single unit.
        n: Openings; of different openings those of the smaller sample.
        nonzero: Openings that say anything: differences other than 0; of different openings scores
            other than the commonest of their sample.
        p: Of the test against 0, both sides; 1 where none is made.
        p_equivalent: Of the test that the difference is not within the margin.
        mde: Least difference that would be seen with a chance of 80 %; None for a single unit.
        openings_needed: In all, of each variant, until there would be a verdict, if the truth is
            what was seen; None where it cannot be told.
        rule_of_three: Whether fewer than `SPARSE` openings say anything.
        margin: What is no difference that matters.
    """

    difference: float
    low: float
    high: float
    se: float | None
    n: int
    nonzero: int
    p: float
    p_equivalent: float
    mde: float | None
    openings_needed: int | None
    rule_of_three: bool
    margin: float


@dataclass(frozen=True, slots=True)
class Balance:
    """The score of the first mover (red) against ½.

    Attributes:
        score: With its interval.
        p_red: Of the one-sided test: small if red scores more than ½.
        p: Of the two-sided test; 1 where none is made.
        p_equivalent: Of the test that the score is not within the margin around ½.
        verdict: At 5 %.
        mde: As in `Comparison`.
        openings_needed: As in `Comparison`.
        rule_of_three: Whether fewer than `SPARSE` openings score other than ½.
    """

    score: Estimate
    p_red: float
    p: float
    p_equivalent: float
    verdict: Against
    mde: float | None
    openings_needed: int | None
    rule_of_three: bool


class _Tested(NamedTuple):
    """What the tests of a mean say."""

    low: float
    high: float
    error: float | None
    p: float
    p_above: float
    p_equivalent: float


def minimum_detectable_effect(se: float) -> float:
    """The least difference from 0 that a test at 5 % sees with a chance of 80 %.

    (1.96 + 0.84) SE.

    Args:
        se: Standard error of the difference, 0 to 1e9.

    Raises:
        ArgumentError: It is outside its range.

    Source: H. S. Bloom, Minimum detectable effects, Evaluation Review 19 (1995), 547-556.

    >>> round(minimum_detectable_effect(0.005), 4)
    0.014
    """
    return (1.96 + 0.84) * number(se, "se", 0, 1e9)


def paired(
    differences: npt.ArrayLike,
    *,
    margin: float = 0.02,
    confidence: float = 0.95,
    comparisons: int = 1,
) -> Comparison:
    """Two variants on common openings.

    Student's test and interval for the mean, and two one-sided tests against the margin. With
    fewer than `SPARSE` differences other than 0 the interval is made of exact bounds of their
    shares, no difference is claimed (`p` = 1), and the variants are equivalent only if there is no
    such difference at all and 3 / n is at most the margin.

    Args:
        differences: Score of one variant minus that of the other, one for each opening, -1 to 1,
            shape (n,).
        margin: What is no difference that matters, above 0 and below 1.
        confidence: Of the interval, above 0 and below 1.
        comparisons: Among which 5 % are divided, for `openings_needed`.

    Raises:
        ArgumentError: An argument that is not as described.

    Source: Schuirmann (1987), as in `power`; for the rule of three J. A. Hanley, A. Lippman-Hand,
    If nothing goes wrong, is everything all right?, JAMA 249 (1983), 1743-1745.
    """
    given = _scores(differences, "differences", -1)
    _check(margin, confidence, comparisons)
    nonzero = int(np.count_nonzero(given))
    tested = _test(given, 1.0, margin, confidence)
    return Comparison(
        float(given.mean()), tested.low, tested.high, tested.error, len(given), nonzero, tested.p,
        tested.p_equivalent, _detectable(tested.error, len(given), nonzero, 1.0),
        _needed(given.mean(), tested.error, len(given), nonzero, 1.0, margin, comparisons),
        nonzero < SPARSE, margin,
    )  # fmt: skip


def welch(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    margin: float = 0.02,
    confidence: float = 0.95,
    comparisons: int = 1,
) -> Comparison:
    """Two variants on different openings: the mean of `a` minus that of `b`.

    Welch's test and interval, and two one-sided tests of the same kind. Where in either sample
    fewer than `SPARSE` scores differ from its commonest one, the interval is made of exact bounds
    of shares and neither a difference nor equivalence is claimed.

    Args:
        a: Scores, one for each opening, 0 to 1, shape (n,).
        b: Scores of the other variant, shape (m,).
        margin: What is no difference that matters, above 0 and below 1.
        confidence: Of the interval, above 0 and below 1.
        comparisons: Among which 5 % are divided, for `openings_needed`.

    Raises:
        ArgumentError: An argument that is not as described.

    Source: B. L. Welch, The generalization of Student's problem when several different population
    variances are involved, Biometrika 34 (1947), 28-35.
    """
    samples = [_scores(a, "a", 0), _scores(b, "b", 0)]
    _check(margin, confidence, comparisons)
    means = [float(one.mean()) for one in samples]
    difference, n = means[0] - means[1], min(map(len, samples))
    common = [_commonest(one) for one in samples]
    spread = [int(np.count_nonzero(one != c)) for one, c in zip(samples, common, strict=True)]
    parts = [float(one.var(ddof=1)) / len(one) if n > 1 else 0.0 for one in samples]
    error = math.sqrt(sum(parts)) if n > 1 else None
    if min(spread) < SPARSE:
        # Each sample may miss its bounds half as often, so that both hold together.
        half = (1 + confidence) / 2
        ends = [_bounds(s, c, 0.0, 1.0, half) for s, c in zip(samples, common, strict=True)]
        tested = _Tested(ends[0][0] - ends[1][1], ends[0][1] - ends[1][0], error, 1.0, 0.5, 1.0)
    else:
        freedom = sum(parts) ** 2 / sum(
            part**2 / (len(one) - 1) for part, one in zip(parts, samples, strict=True)
        )
        tested = _student(difference, math.sqrt(sum(parts)), freedom, margin, confidence)
    # Scores without any spread are never decided, whatever their number.
    needed = None
    if all(spread):
        needed = _needed(difference, error, n, min(spread), 1.0, margin, comparisons)
    return Comparison(
        difference, tested.low, tested.high, error, n, min(spread), tested.p, tested.p_equivalent,
        _detectable(error, n, min(spread), 1.0),
        needed,
        min(spread) < SPARSE, margin,
    )  # fmt: skip


def against_half(
    scores: npt.ArrayLike,
    *,
    margin: float = 0.02,
    confidence: float = 0.95,
) -> Balance:
    """The first mover's score against ½.

    As `paired`, with the scores' distances from ½, which are ½ at most: if no opening scores other
    than ½, the score is within 1.5 / n of it.

    Args:
        scores: Of red, one for each opening, 0 to 1, shape (n,).
        margin: What is no advantage that matters, above 0 and below ½.
        confidence: Of the interval, above 0 and below 1.

    Raises:
        ArgumentError: An argument that is not as described.

    Source: as for `paired`.
    """
    distances = _scores(scores, "scores", 0) - 0.5
    number(margin, "margin", 0, 0.5 - 1e-9, above=True)
    _check(margin, confidence, 1)
    n, nonzero = len(distances), int(np.count_nonzero(distances))
    tested = _test(distances, 0.5, margin, confidence)
    mean = float(distances.mean())
    return Balance(
        Estimate(0.5 + mean, 0.5 + tested.low, 0.5 + tested.high, tested.error, n),
        tested.p_above,
        tested.p,
        tested.p_equivalent,
        _against(mean, tested),
        _detectable(tested.error, n, nonzero, 0.5),
        _needed(mean, tested.error, n, nonzero, 0.5, margin, 1),
        nonzero < SPARSE,
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values adjusted for their number: the chance of any false finding stays below alpha.

    Args:
        p_values: 0 to 1, in any order; none gives none.

    Returns:
        The adjusted values in the order of the given ones.

    Raises:
        ArgumentError: They are no such numbers.

    Source: S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal
    of Statistics 6 (1979), 65-70.

    >>> [round(p, 2) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    expected = "numbers from 0 to 1"
    given = list(elements(p_values, "p_values", expected))
    for place, p in enumerate(given):
        if not is_number(p) or not 0 <= p <= 1:
            raise ArgumentError(f"p_values[{place}] is {shown(p)}, expected {expected}")
    given = [float(p) for p in given]
    adjusted, highest = [0.0] * len(given), 0.0
    for rank, place in enumerate(sorted(range(len(given)), key=given.__getitem__)):
        highest = max(highest, min(1.0, (len(given) - rank) * given[place]))
        adjusted[place] = highest
    return adjusted


def verdict(comparison: Comparison, p_adjusted: float, *, alpha: float = 0.05) -> Verdict:
    """What may be said of two variants.

    Args:
        comparison: Of `paired` or `welch`.
        p_adjusted: Its `p` after `holm`.
        alpha: Of both tests, above 0 and below 1.

    Raises:
        ArgumentError: An argument that is not as described.
    """
    instance(comparison, "comparison", Comparison, "a Comparison")
    number(p_adjusted, "p_adjusted", 0, 1)
    fraction(alpha, "alpha")
    different = p_adjusted < alpha and not comparison.rule_of_three
    equivalent = comparison.p_equivalent < alpha
    if different:
        return "different but within the margin" if equivalent else "different"
    return "equivalent" if equivalent else "undecided"


def _against(mean: float, tested: _Tested) -> Against:
    within = tested.p_equivalent < _ALPHA
    if tested.p >= _ALPHA:
        return "balanced" if within else "undecided"
    if mean > 0:
        return "favours red, within the margin" if within else "favours red"
    return "favours blue, within the margin" if within else "favours blue"


def _scores(value: npt.ArrayLike, name: str, low: float) -> Floats:
    """Scores or their differences, up to 1, without what computing them may have left of a 0."""
    return np.round(column(value, name, low=low, high=1), _DIGITS)


def _check(margin: float, confidence: float, comparisons: int) -> None:
    number(margin, "margin", 0, 1 - 1e-9, above=True)
    fraction(confidence, "confidence")
    whole_number(comparisons, "comparisons", 1, MOST_COMPARISONS)


def _test(given: Floats, reach: float, margin: float, confidence: float) -> _Tested:
    """Tests of a mean against 0 and the margin, of numbers from -reach to reach."""
    n, nonzero = len(given), int(np.count_nonzero(given))
    error = float(given.std(ddof=1)) / math.sqrt(n) if n > 1 else None
    alike = bool(np.all(given == given[0]))
    if nonzero < SPARSE:
        low, high = _bounds(given, 0.0, -reach, reach, confidence)
        within = nonzero == 0 and _THREE * reach / n <= margin
        p_equivalent = math.exp(-n * margin / reach) if within else 1.0
        return _Tested(low, high, 0.0 if alike and n > 1 else error, 1.0, 0.5, p_equivalent)
    if alike:
        return _test_alike(float(given[0]), n, reach, margin, confidence)
    return _student(float(given.mean()), error or 0.0, n - 1, margin, confidence)


def _student(
    mean: float, error: float, freedom: float, margin: float, confidence: float
) -> _Tested:
    """Student's tests and interval, for so many degrees of freedom."""
    from scipy.special import stdtr, stdtrit  # costs import time, and is not always there

    def below(value: float) -> float:
        """The chance of a mean at most as high as the one seen, if `value` is the true one."""
        return float(stdtr(freedom, (mean - value) / error))

    def above(value: float) -> float:
        return float(stdtr(freedom, (value - mean) / error))

    reach = float(stdtrit(freedom, (1 + confidence) / 2)) * error
    return _Tested(
        mean - reach,
        mean + reach,
        error,
        2 * min(below(0), above(0)),
        above(0),
        max(above(-margin), below(margin)),
    )


def _test_alike(value: float, n: int, reach: float, margin: float, confidence: float) -> _Tested:
    """Of numbers all equal, and not 0: what share of others may have gone unseen?

    For the mean to be on the other side of a bound, a share of at least (value - bound) / (value +
    reach) would have to be others, of which n units showed none.
    """
    low, high = _bounds(np.full(n, value), value, -reach, reach, confidence)

    def unseen(distance: float, room: float) -> float:
        return math.exp(-n * distance / room) if distance > 0 else 1.0

    one_sided = unseen(abs(value), abs(value) + reach)
    p_equivalent = max(unseen(margin - value, reach - value), unseen(value + margin, value + reach))
    p_above = one_sided if value > 0 else 1.0
    return _Tested(low, high, 0.0, min(1.0, 2 * one_sided), p_above, p_equivalent)


def _bounds(
    given: Floats, centre: float, floor: float, ceiling: float, confidence: float
) -> tuple[float, float]:
    """An interval of the mean of numbers from floor to ceiling, most of them equal to `centre`.

    The mean is at most centre + (ceiling - centre) P(number > centre), and at least so much less;
    either share has an upper bound by Clopper and Pearson.
    """
    from scipy.special import betaincinv  # costs import time, and is not always there

    n = len(given)

    def most(seen: int) -> float:
        return 1.0 if seen == n else float(betaincinv(seen + 1, n - seen, (1 + confidence) / 2))

    below = most(int(np.count_nonzero(given < centre)))
    above = most(int(np.count_nonzero(given > centre)))
    return centre - (centre - floor) * below, centre + (ceiling - centre) * above


def _commonest(given: Floats) -> float:
    values, counts = np.unique(given, return_counts=True)
    return float(values[counts.argmax()])


def _detectable(error: float | None, n: int, nonzero: int, reach: float) -> float | None:
    if error is None:
        return None
    effect = minimum_detectable_effect(error)
    # Too few units say anything to trust their spread: `SPARSE` of them would have to.
    return max(effect, min(reach, SPARSE * reach / n)) if nonzero < SPARSE else effect


def _needed(
    mean: float,
    error: float | None,
    n: int,
    nonzero: int,
    reach: float,
    margin: float,
    comparisons: int,
) -> int | None:
    """Units in all for a verdict with a chance of 80 %, if the truth is what was seen.

    The smaller of what it takes to show the difference and to exclude it.
    """
    if error is None:
        return None
    if nonzero == 0:
        return max(n, math.ceil(_THREE * reach / margin))
    deviation = error * math.sqrt(n)
    alpha = _ALPHA / comparisons
    units = min(
        units_for_difference(deviation, mean, power=_POWER, alpha=alpha),
        units_for_equivalence(deviation, mean, margin, power=_POWER, alpha=_ALPHA),
    )
    enough = SPARSE * n / nonzero if nonzero < SPARSE else 0.0
    return max(n, math.ceil(units), math.ceil(enough))
