"""Scores of game pairs and the sequential test, against published answers and other solvers."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chase_fast.errors import ArgumentError
from chase_fast.stats import elo, llr, pair_score, sprt_bounds, wilson
from chase_fast.stats.sprt import Model

pytestmark = pytest.mark.no_core

CLASSES = np.array([0, 0.25, 0.5, 0.75, 1])
PENTANOMIALS = st.lists(st.integers(0, 2000), min_size=5, max_size=5).filter(any)
COUNTS = PENTANOMIALS | st.lists(st.integers(0, 2000), min_size=3, max_size=3).filter(any)
DIFFERENCES = st.floats(-20, 20, allow_subnormal=False)


# ---- Scores -----------------------------------------------------------------------------------


def test_known_answers_of_a_pentanomial() -> None:
    found = pair_score([13, 37, 50, 25, 3])
    assert found.pairs == 128
    assert found.score == pytest.approx(0.43750, abs=5e-6)
    assert found.variance == pytest.approx(0.05762, abs=5e-6)
    assert found.elo == pytest.approx(-43.66, abs=5e-3)
    assert found.nelo == pytest.approx(-63.97, abs=5e-3)


@given(PENTANOMIALS)
def test_scores_are_those_of_the_pairs_one_by_one(counts: list[int]) -> None:
    found = pair_score(counts)
    pairs = np.repeat(CLASSES, counts)
    assert found.pairs == len(pairs)
    assert found.score == pytest.approx(pairs.mean())
    assert found.variance == pytest.approx(pairs.var(), abs=1e-12)
    assert 0 <= found.interval.low <= found.score <= found.interval.high <= 1
    if np.count_nonzero(counts) > 1:
        error = pairs.std() / math.sqrt(len(pairs))
        assert found.los == pytest.approx(NormalDist().cdf((pairs.mean() - 0.5) / error))
        if found.interval.low > 0 and found.interval.high < 1:
            assert found.interval.high - found.interval.low == pytest.approx(2 * 1.959964 * error)


@given(PENTANOMIALS)
def test_the_other_side_sees_the_mirror_image(counts: list[int]) -> None:
    one, other = pair_score(counts), pair_score(counts[::-1])
    assert other.score == pytest.approx(1 - one.score)
    assert other.interval == pytest.approx((1 - one.interval.high, 1 - one.interval.low))
    assert (one.elo is None) == (other.elo is None)
    if one.elo is not None and other.elo is not None:
        assert other.elo == pytest.approx(-one.elo, abs=1e-6)
    if one.los is not None and other.los is not None:
        assert other.los == pytest.approx(1 - one.los)


@pytest.mark.parametrize(
    ("counts", "score"), [([9, 0, 0, 0, 0], 0), ([0, 0, 9, 0, 0], 0.5), ([0, 0, 0, 0, 9], 1)]
)
def test_pairs_that_are_all_alike_still_leave_doubt(counts: list[int], score: float) -> None:
    found = pair_score(counts)
    assert (found.score, found.variance) == (score, 0)
    assert found.interval == wilson(9 * score, 9)
    assert (found.nelo, found.los) == (None, None)


def test_elo_has_bounds_where_it_has_no_value() -> None:
    won = pair_score([0, 0, 0, 0, 50])
    assert won.elo is None
    assert won.elo_interval == (elo(wilson(50, 50).low), None)
    lost = pair_score([50, 0, 0, 0, 0])
    assert lost.elo is None
    assert lost.elo_interval == (None, elo(wilson(0, 50).high))


@given(st.floats(0.001, 0.999))
def test_elo_is_the_logistic_curve(score: float) -> None:
    difference = elo(score)
    assert difference is not None
    assert 1 / (1 + 10 ** (-difference / 400)) == pytest.approx(score)


@pytest.mark.parametrize("score", [0.05, 0.3, 0.5, 0.9, 0.95])
@pytest.mark.parametrize("draws", [0, 0.6])
@pytest.mark.parametrize("likeness", [0, 0.5])
def test_the_interval_keeps_its_promise(score: float, draws: float, likeness: float) -> None:
    """95 % of intervals hold the true score: 4,000 matches of 400 pairs.

    `likeness` is the share of pairs whose second game ends as the first one: the two games of a
    pair are not independent, and the interval may not take them to be.
    """
    rng = np.random.default_rng([int(100 * score), int(10 * draws), int(10 * likeness)])
    drawn = draws * 2 * min(score, 1 - score)
    chances = [1 - score - drawn / 2, drawn, score - drawn / 2]
    points = rng.choice(3, size=(4000, 400, 2), p=chances)
    alike = rng.random((4000, 400)) < likeness
    points[..., 1] = np.where(alike, points[..., 0], points[..., 1])
    matches = points.sum(2)
    held = 0
    for match in matches:
        low, high = pair_score(np.bincount(match, minlength=5).tolist()).interval
        held += low <= score <= high
    assert 0.93 <= held / len(matches) <= 0.97


@pytest.mark.parametrize(
    "counts", [[], [1, 2, 3], [1] * 6, [0] * 5, [-1, 2, 2, 2, 2], [1.0] * 5, [True] * 5, "12345"]
)
def test_what_is_no_pentanomial_is_refused(counts: list[int]) -> None:
    with pytest.raises(ArgumentError, match=r"pentanomial is .*, expected five whole numbers"):
        pair_score(counts)


# ---- The sequential test ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "model", "known"),
    [
        ([13, 37, 50, 25, 3], 0, 4, "normalized", -0.54912),
        ([365, 16618, 36229, 16974, 390], 0, 2, "normalized", 2.2504),
        ([127, 4883, 10712, 5150, 104], -1.75, 0.25, "normalized", 3.0102),
        ([223, 9863, 21279, 10037, 246], 0.5, 2.5, "logistic", -3.0741),
        ([871, 26175, 55983, 26678, 821], 0, 2, "logistic", -4.9787),
        ([36027, 68692, 36433], 0, 2, "normalized", 0.9233),
        ([57030, 106593, 57433], 0, 2, "logistic", -2.5930),
    ],
)
def test_known_likelihood_ratios(
    counts: list[int], elo0: float, elo1: float, model: Model, known: float
) -> None:
    digits = 5e-6 if known == -0.54912 else 5.1e-5
    assert llr(counts, elo0, elo1, model=model) == pytest.approx(known, abs=digits)


@pytest.mark.parametrize("model", ["normalized", "logistic"])
@pytest.mark.parametrize(
    "counts", [[13, 37, 50, 25, 3], [0, 2, 40, 3, 0], [0, 0, 90, 0, 0], [5, 9, 30], [1, 1, 900]]
)
def test_no_other_distribution_is_more_likely(counts: list[int], model: Model) -> None:
    """Against a general solver: the greatest likelihood under each hypothesis."""
    optimize = pytest.importorskip("scipy.optimize")
    seen = np.maximum(counts, 1e-3)
    values = np.linspace(0, 1, len(counts))
    games = 2 if len(counts) == 5 else 1

    def excess(p: np.ndarray, difference: float) -> float:
        mean = p @ values
        if model == "logistic":
            return float(mean - 1 / (1 + 10 ** (-difference / 400)))
        t = math.sqrt(games) * difference * math.log(10) / 800
        return float(mean - 0.5 - t * math.sqrt(p @ (values - mean) ** 2))

    def likelihood(difference: float) -> float:
        best = -math.inf
        for first in (seen / seen.sum(), np.full(len(counts), 1 / len(counts))):
            found = optimize.minimize(
                lambda p: -(seen @ np.log(p)) / seen.sum(),
                first,
                jac=lambda p: -seen / p / seen.sum(),
                bounds=[(1e-12, 1)] * len(counts),
                constraints=[
                    {"type": "eq", "fun": lambda p: p.sum() - 1},
                    {"type": "eq", "fun": lambda p: excess(p, difference)},
                ],
                method="SLSQP",
                options={"ftol": 1e-14, "maxiter": 2000},
            )
            if abs(excess(found.x, difference)) < 1e-7 and abs(found.x.sum() - 1) < 1e-7:
                best = max(best, -found.fun * seen.sum())
        return best

    ratio = likelihood(10) - likelihood(-5)
    assert llr(counts, -5, 10, model=model) == pytest.approx(ratio, abs=2e-3)


@given(COUNTS, DIFFERENCES, DIFFERENCES, st.sampled_from(["normalized", "logistic"]))
def test_likelihood_ratios_turn_round(
    counts: list[int], elo0: float, elo1: float, model: Model
) -> None:
    """With the hypotheses, and with the players."""
    ratio = llr(counts, elo0, elo1, model=model)
    assert math.isfinite(ratio)
    assert llr(counts, elo1, elo0, model=model) == pytest.approx(-ratio)
    mirrored = llr(counts[::-1], -elo0, -elo1, model=model)
    assert mirrored == pytest.approx(ratio, abs=1e-5, rel=1e-5)


def test_the_test_errs_as_rarely_as_it_promises() -> None:
    """Matches of players who are as far apart as either hypothesis says, pair by pair."""
    low, high = sprt_bounds(0.05, 0.05)
    rng = np.random.default_rng(5)
    for truth, wrong in ((0, high), (60, low)):
        score = 1 / (1 + 10 ** (-truth / 400))
        errors = 0
        for _ in range(200):
            counts = [0] * 5
            ratio = 0.0
            while low < ratio < high:
                for points in rng.binomial(1, score, (20, 2)).sum(1):
                    counts[2 * points] += 1
                ratio = llr(counts, 0, 60, model="logistic")
            errors += (ratio >= high) if wrong == high else (ratio <= low)
        assert errors <= 0.05 * 200 + 2 * math.sqrt(200 * 0.05 * 0.95)


def test_bounds() -> None:
    assert sprt_bounds() == pytest.approx((-2.9444, 2.9444), abs=5e-5)
    low, high = sprt_bounds(0.01, 0.1)
    assert math.exp(high) == pytest.approx(0.9 / 0.01)
    assert math.exp(low) == pytest.approx(0.1 / 0.99)
