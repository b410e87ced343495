"""How much better one player is: scores of game pairs, Elo, normalized Elo, likelihood.

The unit is the game pair: two games from one opening with the sides swapped. Five classes of
pairs, by the score of the first player: 0, ½, 1, 1½, 2 points.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from chase_fast._arguments import shown
from chase_fast.errors import ArgumentError
from chase_fast.stats.classes import PAIRS, class_counts
from chase_fast.stats.intervals import Interval, check_confidence, is_number, wilson


def elo(score: float) -> float | None:
    """Elo difference that goes with a score; None at 0 and 1, where there is none.

    -400 log10(1/s - 1), the logistic model.

    Raises:
        ArgumentError: Not a number from 0 to 1.

    Source: A. E. Elo, The Rating of Chessplayers, Past and Present (1978).

    >>> round(elo(0.4375), 2)
    -43.66
    """
    if not is_number(score) or not 0 <= score <= 1:
        raise ArgumentError(f"score is {shown(score)}, expected a number from 0 to 1")
    return None if score in (0, 1) else -400 * math.log10(1 / score - 1)


@dataclass(frozen=True, slots=True)
class PairScore:
    """What the pairs of a match say about the first player.

    Attributes:
        pairs: Number of pairs.
        score: Mean, 0 to 1.
        variance: Of the mean score of a pair (with divisor n).
        interval: Of the score.
        elo: Of the score; None at 0 and 1.
        elo_interval: Of it; an end is None where it is unbounded.
        nelo: Normalized Elo; None where all pairs are alike.
        los: Likelihood of superiority: chance that the true score is above ½; None likewise.
    """

    pairs: int
    score: float
    variance: float
    interval: Interval
    elo: float | None
    elo_interval: tuple[float | None, float | None]
    nelo: float | None
    los: float | None


def pair_score(pentanomial: Sequence[int], *, confidence: float = 0.95) -> PairScore:
    """Sums up the pairs of a match.

    The interval is score plus and minus z standard errors of the mean of pairs, cut to 0 to 1;
    where all pairs are alike, which says nothing about their variance, it is Wilson's for as many
    trials as there are pairs. LOS = Phi((s - ½) / SE). Normalized Elo = (s - ½) / sqrt(2 v) x
    800 / ln 10, with v the variance of pairs.

    Args:
        pentanomial: Pairs in which the first player got 0, ½, 1, 1½ and 2 points.
        confidence: Of the intervals, above 0 and below 1.

    Raises:
        ArgumentError: Not five counts, no pair at all, or a confidence outside its range.

    Source: for normalized Elo, M. Van den Bergh, Normalized Elo (2021).

    >>> found = pair_score([13, 37, 50, 25, 3])
    >>> round(found.score, 5), round(found.variance, 5), round(found.nelo, 2)
    (0.4375, 0.05762, -63.97)
    """
    counts = class_counts(pentanomial, "pentanomial", PAIRS)
    check_confidence(confidence)
    pairs = sum(counts)
    mean = sum(n * s for n, s in zip(counts, PAIRS, strict=True)) / pairs
    squares = [n * (s - mean) ** 2 for n, s in zip(counts, PAIRS, strict=True)]
    variance = sum(squares) / pairs
    if variance == 0:
        interval = wilson(mean * pairs, pairs, confidence=confidence)
        nelo = los = None
    else:
        error = math.sqrt(variance / pairs)
        reach = NormalDist().inv_cdf((1 + confidence) / 2) * error
        interval = Interval(max(0.0, mean - reach), min(1.0, mean + reach))
        nelo = (mean - 0.5) / math.sqrt(2 * variance) * 800 / math.log(10)
        los = NormalDist().cdf((mean - 0.5) / error)
    bounds = (elo(interval.low), elo(interval.high))
    return PairScore(pairs, mean, variance, interval, elo(mean), bounds, nelo, los)
