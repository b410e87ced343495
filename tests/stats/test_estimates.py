"""Means, ratios, quantiles, shares and entropy, against other libraries and known truths."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.proportion import proportion_confint

from chase_fast.errors import ArgumentError
from chase_fast.stats import PairSums, Sums
from chase_fast.stats.entropy import miller_madow
from chase_fast.stats.estimates import (
    Estimate,
    clustered_bootstrap,
    clustered_mean,
    clustered_share,
    histogram_quantile,
    mean_estimate,
    ratio_estimate,
)
from chase_fast.stats.shares import goodman, share
from tests.stats.simulated import openings

pytestmark = pytest.mark.no_core

SLOW = pytest.mark.slow
NUMBERS = st.lists(st.integers(0, 50), min_size=2, max_size=40)
CONFIDENCES = st.sampled_from([0.5, 0.9, 0.95, 0.99])


# ---- Means ------------------------------------------------------------------------------------


@given(NUMBERS, CONFIDENCES)
def test_a_mean_is_that_of_scipy(values: list[int], confidence: float) -> None:
    found = mean_estimate(values, confidence=confidence)
    assert found.n == len(values)
    assert found.value == pytest.approx(np.mean(values))
    if len(set(values)) == 1:
        assert found[:4] == (values[0], values[0], values[0], 0)
        return
    low, high = scipy_stats.ttest_1samp(values, 0).confidence_interval(confidence)
    assert (found.low, found.high) == pytest.approx((low, high))
    assert found.se == pytest.approx(scipy_stats.sem(values))


def test_equal_numbers_have_no_spread_of_rounding() -> None:
    # Their computed mean is not 0.1 and their computed deviation not 0.
    assert np.full(7, 0.1).std(ddof=1) > 0
    assert mean_estimate([0.1] * 7) == Estimate(0.1, 0.1, 0.1, 0.0, 7)
    assert ratio_estimate([0.3] * 7, [3] * 7).se == 0


def test_one_value_is_no_evidence_of_its_spread() -> None:
    for found in (mean_estimate([0.5]), clustered_mean([1], [2])):
        assert found == Estimate(0.5, -math.inf, math.inf, None, 1)


# ---- Ratios -----------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 20)), min_size=2, max_size=30))
def test_a_ratio_is_a_regression_with_robust_errors(pairs: list[tuple[int, int]]) -> None:
    """Weighted by 1 / l, games of u / l: the slope is the ratio, and HC1 its sandwich."""
    upper, lower = np.array(pairs, np.uint32).T
    found = ratio_estimate(upper, lower)
    assert found.value == pytest.approx(upper.sum() / lower.sum())
    sums = PairSums.of(upper.copy(), lower.copy())
    assert sums.standard_error is not None
    assert found.se == pytest.approx(sums.standard_error, abs=1e-9)
    residuals = upper - found.value * lower
    if np.abs(residuals).max() > 1e-9:
        y = upper / lower
        model = sm.WLS(y, np.ones(len(y)), weights=lower.astype(float)).fit(cov_type="HC1")
        assert found.se == pytest.approx(float(model.bse[0]))
        reach = scipy_stats.t.ppf(0.975, len(y) - 1) * found.se
        assert (found.low, found.high) == pytest.approx((found.value - reach, found.value + reach))


@given(NUMBERS)
def test_openings_of_one_size_give_the_plain_mean(values: list[int]) -> None:
    clustered = clustered_mean([2 * value for value in values], [2] * len(values))
    assert clustered == pytest.approx(mean_estimate(values), abs=1e-9)


@given(NUMBERS)
def test_exact_sums_agree(values: list[int]) -> None:
    sums = Sums.of(np.array(values, np.uint16))
    found = mean_estimate(values)
    assert found.value == pytest.approx(sums.mean)
    assert found.se == pytest.approx(sums.standard_error)


# ---- Quantiles --------------------------------------------------------------------------------


@given(
    st.lists(st.integers(0, 12), min_size=1, max_size=60),
    st.sampled_from([0.05, 0.25, 0.5, 0.9, 0.95]),
)
def test_a_quantile_is_numpys(values: list[int], q: float) -> None:
    found = histogram_quantile(np.bincount(values), q)
    assert found.value == np.quantile(values, q, method="inverted_cdf")
    assert found.low <= found.value <= found.high
    assert (found.se, found.n) == (None, len(values))


@pytest.mark.parametrize(("n", "q"), [(20, 0.5), (100, 0.5), (100, 0.05), (400, 0.95)])
def test_ranks_of_the_interval_cover_enough(n: int, q: float) -> None:
    """The chance that the binomial number of smaller values lies between the ranks, added up."""
    found = histogram_quantile(np.ones(n, int), q)
    first, last = found.low + 1, found.high + 1
    chance = sum(math.comb(n, k) * q**k * (1 - q) ** (n - k) for k in range(n + 1)
                 if first <= k < last)  # fmt: skip
    assert 0.95 <= chance <= 0.985
    narrower = sum(math.comb(n, k) * q**k * (1 - q) ** (n - k) for k in range(n + 1)
                   if first + 1 <= k < last - 1)  # fmt: skip
    assert narrower < 0.95


def test_a_median_known_from_tables() -> None:
    """Ranks 6 and 15 of 20 for the sign-test interval of the median."""
    assert histogram_quantile([1] * 20, 0.5)[:3] == (9, 5, 14)


def test_an_interval_is_open_where_the_sample_is_too_small() -> None:
    assert histogram_quantile([0, 3, 1], 0.95)[:3] == (2, 1, math.inf)
    assert histogram_quantile([0, 0, 3, 1], 0.05)[:3] == (2, 0, 2)


def test_units_that_hold_several_games_make_the_interval_wider() -> None:
    counts = np.full(1000, 2)
    by_game, by_pair = histogram_quantile(counts, 0.5), histogram_quantile(counts, 0.5, units=1000)
    assert by_pair.value == by_game.value
    assert by_pair.n == 1000
    # As if each number had been seen once: a pair of equal games tells no more than one of them.
    single = histogram_quantile(np.ones(1000, int), 0.5)
    assert by_pair == single
    assert by_pair.high - by_pair.low > 1.35 * (by_game.high - by_game.low)


# ---- Bootstrap --------------------------------------------------------------------------------


def test_the_bootstrap_repeats_itself() -> None:
    values = np.random.default_rng(1).random(300)
    first = clustered_bootstrap(values, seed=5)
    assert clustered_bootstrap(values, seed=5) == first
    assert clustered_bootstrap(values, seed=6) != first


def test_the_bootstrap_agrees_with_theory() -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(size=2000)
    booted, plain = clustered_bootstrap(values, seed=1, replications=4000), mean_estimate(values)
    assert booted.value == pytest.approx(plain.value)
    assert booted.se == pytest.approx(plain.se, rel=0.05)
    assert (booted.low, booted.high) == pytest.approx((plain.low, plain.high), abs=0.006)
    lower = rng.integers(1, 9, 2000)
    upper = rng.poisson(2 * lower)
    columns = np.stack([upper, lower], 1)
    booted, plain = (
        clustered_bootstrap(columns, seed=1, statistic="ratio"),
        ratio_estimate(upper, lower),
    )
    assert booted.value == pytest.approx(plain.value)
    assert booted.se == pytest.approx(plain.se, rel=0.08)
    # Of the normal distribution the median has the error sqrt(pi / 2) times the mean's.
    median = clustered_bootstrap(values, seed=1, statistic="median")
    assert median.value == np.median(values)
    assert median.se == pytest.approx(math.sqrt(math.pi / 2 / 2000), rel=0.25)


def test_samples_without_denominator_are_left_out() -> None:
    columns = [[1, 2]] + [[0, 0]] * 4
    found = clustered_bootstrap(columns, seed=1, statistic="ratio")
    assert found == Estimate(0.5, 0.5, 0.5, 0.0, 5)


# ---- Shares -----------------------------------------------------------------------------------


@given(st.integers(0, 500), st.integers(1, 500), CONFIDENCES)
def test_a_share_is_that_of_statsmodels(won: int, more: int, confidence: float) -> None:
    found = share(won, won + more, confidence=confidence)
    ends = proportion_confint(won, won + more, alpha=1 - confidence, method="wilson")
    assert (found.low, found.high) == pytest.approx(ends, abs=1e-12)
    assert found.value == pytest.approx(won / (won + more))
    assert found.se == pytest.approx(math.sqrt(found.value * (1 - found.value) / found.n))
    assert found.n == won + more


@given(st.lists(st.integers(0, 300), min_size=2, max_size=6).filter(any), CONFIDENCES)
def test_joint_intervals_are_wilsons_at_a_higher_confidence(
    counts: list[int], confidence: float
) -> None:
    raised = 1 - (1 - confidence) / len(counts)
    for count, found in zip(counts, goodman(counts, confidence=confidence), strict=True):
        single = share(count, sum(counts), confidence=raised)
        assert found == pytest.approx((single.low, single.high), abs=1e-9)
        assert 0 <= found.low <= count / sum(counts) <= found.high <= 1


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=80), CONFIDENCES)
def test_openings_of_one_game_are_independent_games(
    pairs: list[tuple[bool, bool]], confidence: float
) -> None:
    hits = [int(hit and played) for hit, played in pairs]
    trials = [int(played) for _, played in pairs]
    if not any(trials):
        return
    found = clustered_share(hits, trials, confidence=confidence)
    assert found[:3] == pytest.approx(share(sum(hits), sum(trials), confidence=confidence)[:3])


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=30))
def test_shares_of_openings_stay_within_0_and_1(pairs: list[tuple[int, int]]) -> None:
    hits, trials = [hit for hit, _ in pairs], [hit + more for hit, more in pairs]
    if not any(trials):
        return
    found = clustered_share(hits, trials)
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.low < found.high
    ratio = ratio_estimate(hits, trials)
    assert (found.value, found.se, found.n) == (ratio.value, ratio.se, ratio.n)
    # Never surer than if all trials were independent.
    plain = share(sum(hits), sum(trials))
    assert found.high - found.low >= plain.high - plain.low - 1e-12


def test_what_was_never_seen_may_still_occur() -> None:
    """An opening counts once, however many trials it has: they may be alike throughout."""
    found = clustered_share([0] * 50, [9] * 50)
    assert (found.low, found.high) == pytest.approx(share(0, 50)[1:3])


def test_pairs_of_equal_games_count_once() -> None:
    hits = [2] * 120 + [0] * 280
    found, once = clustered_share(hits, [2] * 400), share(120, 400)
    assert (found.low, found.high) == pytest.approx((once.low, once.high), abs=2e-3)


def test_joint_intervals_hold_together() -> None:
    rng = np.random.default_rng(3)
    truth = np.array([0.3, 0.25, 0.4, 0.05])
    held = 0
    for counts in rng.multinomial(400, truth, size=1000):
        ends = np.array(goodman(counts))
        held += bool(np.all((ends[:, 0] <= truth) & (truth <= ends[:, 1])))
    assert held / 1000 >= 0.94


# ---- Entropy ----------------------------------------------------------------------------------


def test_entropies_by_hand() -> None:
    assert miller_madow([7]) == 0
    assert miller_madow([0, 7, 0]) == 0
    assert miller_madow([5, 5]) == pytest.approx(1 + 1 / (20 * math.log(2)))
    assert miller_madow([4, 2, 1, 1, 0]) == pytest.approx(1.75 + 3 / (16 * math.log(2)))


@given(st.lists(st.integers(0, 99), min_size=1, max_size=50).filter(any))
def test_entropy_before_the_correction_is_scipys(counts: list[int]) -> None:
    correction = (np.count_nonzero(counts) - 1) / (2 * sum(counts) * math.log(2))
    plain = scipy_stats.entropy(counts, base=2)
    assert miller_madow(counts) == pytest.approx(plain + correction, abs=1e-9)


def test_the_correction_takes_away_most_of_the_bias() -> None:
    rng = np.random.default_rng(4)
    truth = np.full(46, 1 / 46)
    samples = rng.multinomial(500, truth, size=400)
    plain = np.mean([scipy_stats.entropy(one, base=2) for one in samples]) - math.log2(46)
    corrected = np.mean([miller_madow(one) for one in samples]) - math.log2(46)
    assert plain < -0.06
    assert abs(corrected) < 0.003


# ---- Coverage ---------------------------------------------------------------------------------

GRID = [
    pytest.param(score, draws, marks=[] if (score, draws) in {(0.05, 0.0), (0.5, 0.9)} else SLOW)
    for score, draws in product([0.05, 0.3, 0.5, 0.95], [0.0, 0.9])
]


def covered(found: list[Estimate], truth: float) -> float:
    return float(np.mean([one.low <= truth <= one.high for one in found]))


@pytest.mark.parametrize(("score", "draws"), GRID)
def test_intervals_of_scores_keep_their_promise(score: float, draws: float) -> None:
    """2,000 runs of 400 openings of two games."""
    drawn = draws * 2 * min(score, 1 - score)
    rng = np.random.default_rng([int(100 * score), int(10 * draws)])
    (runs,) = openings(rng, (2000, 400), (score,), draws=drawn)
    assert 0.93 <= covered([mean_estimate(run) for run in runs], score) <= 0.97


@pytest.mark.parametrize("score", [0.05, 0.5, 0.95])
def test_intervals_of_shares_keep_their_promise(score: float) -> None:
    rng = np.random.default_rng(int(100 * score))
    won = rng.binomial(500, score, 2000)
    assert 0.93 <= covered([share(int(one), 500) for one in won], score) <= 0.97


def alike_games(rng: np.random.Generator, score: float) -> tuple[npt.NDArray, npt.NDArray]:
    """Sums and sizes of 400 openings with 1 to 6 games, whose score differs by opening."""
    sizes = rng.integers(1, 7, 400)
    # Beta distributed chances with this mean: games of an opening are correlated by 0.25.
    return rng.binomial(sizes, rng.beta(3 * score, 3 * (1 - score), 400)), sizes


@pytest.mark.parametrize(
    "score", [0.05, pytest.param(0.5, marks=SLOW), pytest.param(0.95, marks=SLOW)]
)
def test_games_of_an_opening_may_be_alike(score: float) -> None:
    rng = np.random.default_rng(int(1000 * score))
    runs = [alike_games(rng, score) for _ in range(2000)]
    clustered = [clustered_mean(sums, sizes) for sums, sizes in runs]
    assert 0.93 <= covered(clustered, score) <= 0.97
    bounded = [clustered_share(sums, sizes) for sums, sizes in runs]
    assert 0.93 <= covered(bounded, score) <= 0.97
    # The test would see it if games were taken to be independent.
    careless = [share(int(sums.sum()), int(sizes.sum())) for sums, sizes in runs]
    assert covered(careless, score) < 0.90


@pytest.mark.parametrize("score", [0.05])
def test_the_bootstrap_keeps_its_promise(score: float) -> None:
    rng = np.random.default_rng(int(7000 * score))
    runs = [alike_games(rng, score) for _ in range(200)]
    found = [
        clustered_bootstrap(np.stack(run, 1), replications=200, seed=seed, statistic="ratio")
        for seed, run in enumerate(runs)
    ]
    assert 0.91 <= covered(found, score) <= 0.985


@pytest.mark.slow
@pytest.mark.parametrize("score", [0.05, 0.5, 0.95])
@pytest.mark.parametrize("statistic", ["mean", "ratio"])
def test_the_bootstrap_keeps_its_promise_in_full(score: float, statistic: str) -> None:
    rng = np.random.default_rng(int(9000 * score))
    found = []
    for seed in range(2000):
        columns = np.stack(alike_games(rng, score), 1)
        if statistic == "mean":
            rates = (rng.random((400, 2)) < score).mean(1)
            found.append(clustered_bootstrap(rates, replications=500, seed=seed))
        else:
            found.append(
                clustered_bootstrap(columns, replications=500, seed=seed, statistic="ratio")
            )
    assert 0.93 <= covered(found, score) <= 0.97


@pytest.mark.parametrize("q", [0.05, 0.5, pytest.param(0.95, marks=SLOW)])
def test_intervals_of_quantiles_keep_their_promise(q: float) -> None:
    rng = np.random.default_rng(int(100 * q))
    lengths = rng.geometric(1 / 190, (2000, 400))
    # The true quantile: the smallest t with 1 - (1 - 1/190)^t >= q.
    truth = math.ceil(math.log(1 - q) / math.log(1 - 1 / 190))
    found = [histogram_quantile(np.bincount(run), q) for run in lengths]
    assert 0.94 <= covered(found, truth) <= 0.98


# ---- What is refused --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mean_estimate([]), "values has 0 numbers, expected at least 1 finite number"),
        (lambda: mean_estimate([1.0, math.nan]), r"values\[1\] is nan, expected"),
        (lambda: mean_estimate([[1.0]]), "values is a list of int64|float64 with 2 dimensions"),
        (lambda: mean_estimate([True]), "values is a list of bool"),
        (lambda: mean_estimate("12"), "values is '12', expected"),
        (lambda: mean_estimate([1, 2], confidence=1), "confidence is 1, expected"),
        (lambda: ratio_estimate([1, 2], [1]), "upper has 2 numbers, expected 1 as lower"),
        (lambda: ratio_estimate([1, 2], [0, 0]), "lower is 0 throughout, expected"),
        (lambda: ratio_estimate([1, 2], [3, -1]), r"lower\[1\] is -1.0, expected"),
        (lambda: clustered_mean([1], [0]), "sizes is 0 throughout"),
        (lambda: histogram_quantile([0, 0], 0.5), "counts holds 2 counts of 0, expected"),
        (lambda: histogram_quantile([1, -2], 0.5), r"counts\[1\] is -2, expected"),
        (lambda: histogram_quantile([1.0], 0.5), "counts is a list of float64"),
        (lambda: histogram_quantile([1], 0), "q is 0, expected a number between 0 and 1"),
        (lambda: histogram_quantile([1], 0.5, units=2), "units is 2, expected"),
        (lambda: clustered_bootstrap([1.0], seed=-1), "seed is -1, expected"),
        (lambda: clustered_bootstrap([1.0], seed=1, replications=5), "replications is 5"),
        (lambda: clustered_bootstrap([1.0], seed=1, statistic="ratio"), r"shape \(n, 2\)"),
        (lambda: clustered_bootstrap([1.0], seed=1, statistic="x"), "statistic is 'x'"),  # type: ignore[arg-type]
        (lambda: clustered_share([2], [1]), r"hits\[0\] is 2.0, expected 0 to 1"),
        (lambda: clustered_share([-1], [1]), r"hits\[0\] is -1.0, expected 0 to 1"),
        (lambda: clustered_share([0], [0]), "trials is 0 throughout"),
        (lambda: clustered_share([0, 0], [1]), "hits has 2 numbers, expected 1 as trials"),
        (lambda: goodman([3]), "counts has 1 class, expected two or more"),
        (lambda: goodman([0, 0]), "counts holds 2 counts of 0"),
        (lambda: share(3, 2), "successes is 3, expected 0 to 2"),
        (lambda: miller_madow([]), "counts holds 0 counts of 0"),
    ],
)
def test_what_cannot_be_estimated_is_refused(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(ArgumentError, match=message):
        call()
