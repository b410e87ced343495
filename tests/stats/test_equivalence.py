"""Tests of differences and of their absence: against statsmodels, by hand, and on known truths."""

from __future__ import annotations

import math
import re
from itertools import combinations
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import ttost_ind, ttost_paired

from chase_fast.errors import ArgumentError
from chase_fast.stats.equivalence import (
    SPARSE,
    Against,
    Comparison,
    Verdict,
    against_half,
    holm,
    minimum_detectable_effect,
    paired,
    verdict,
    welch,
)
from tests.stats.simulated import Floats, near, openings

pytestmark = pytest.mark.no_core

SCORES = st.lists(st.sampled_from([0, 0.25, 0.5, 0.75, 1]), min_size=30, max_size=80)


def told(comparison: Comparison) -> Verdict:
    """The verdict where there is no other comparison."""
    return verdict(comparison, holm([comparison.p])[0])


# ---- Against libraries ------------------------------------------------------------------------


@given(SCORES, st.randoms(use_true_random=False), st.sampled_from([0.01, 0.02, 0.2]))
def test_paired_tests_are_those_of_the_libraries(
    first: list[float], random: object, margin: float
) -> None:
    rng = np.random.default_rng(len(first))
    a = np.array(first)
    b = rng.permutation(a)
    found = paired(a - b, margin=margin)
    differ = int(np.count_nonzero(a - b))
    assert (found.n, found.nonzero, found.rule_of_three) == (len(a), differ, differ < SPARSE)
    if found.rule_of_three or len(set(a - b)) == 1:
        return
    test = scipy_stats.ttest_rel(a, b)
    assert found.p == pytest.approx(test.pvalue)
    assert (found.low, found.high) == pytest.approx(test.confidence_interval(0.95))
    assert found.p_equivalent == pytest.approx(ttost_paired(a, b, -margin, margin)[0])
    assert found.difference == pytest.approx((a - b).mean(), abs=1e-12)
    assert found.se == pytest.approx(scipy_stats.sem(a - b))
    assert found.mde == pytest.approx(2.80 * scipy_stats.sem(a - b))


def test_unpaired_tests_are_those_of_the_libraries() -> None:
    a, b = openings(np.random.default_rng(1), (300,), (0.6, 0.5))
    b = b[:200]
    found = welch(a, b, margin=0.03, confidence=0.9)
    test = scipy_stats.ttest_ind(a, b, equal_var=False)
    assert found.p == pytest.approx(test.pvalue)
    assert (found.low, found.high) == pytest.approx(test.confidence_interval(0.9))
    tost = ttost_ind(a, b, -0.03, 0.03, usevar="unequal")[0]
    assert found.p_equivalent == pytest.approx(tost)
    assert (found.n, found.margin) == (200, 0.03)
    other = welch(b, a, margin=0.03, confidence=0.9)
    assert other.difference == pytest.approx(-found.difference)
    assert (other.low, other.high) == pytest.approx((-found.high, -found.low))
    assert (other.p, other.p_equivalent) == pytest.approx((found.p, found.p_equivalent))


@given(st.lists(st.floats(0, 1), max_size=6))
def test_holm_is_bonferroni_applied_to_every_subset(p_values: list[float]) -> None:
    """The closure principle: a hypothesis falls if all sets of them with it do."""
    adjusted = holm(p_values)
    places = range(len(p_values))
    sets = [one for size in places for one in combinations(places, size + 1)]
    for place, found in enumerate(adjusted):
        hardest = max(
            min(1.0, len(one) * min(p_values[other] for other in one))
            for one in sets
            if place in one
        )
        assert found == pytest.approx(hardest)


def test_holm_is_that_of_the_library() -> None:
    rng = np.random.default_rng(1)
    for number in (1, 2, 7, 40):
        p_values = rng.random(number) ** 3
        expected = multipletests(p_values, method="holm")[1].tolist()
        assert holm(p_values.tolist()) == pytest.approx(expected)


def test_holm_by_hand() -> None:
    assert holm([]) == []
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


@given(SCORES)
def test_the_other_side_sees_the_mirror_image(scores: list[float]) -> None:
    one, other = against_half(scores), against_half([1 - score for score in scores])
    assert other.score.value == pytest.approx(1 - one.score.value)
    assert (other.score.low, other.score.high) == pytest.approx(
        (1 - one.score.high, 1 - one.score.low)
    )
    assert (other.p, other.p_equivalent) == pytest.approx((one.p, one.p_equivalent))
    assert other.p_red == pytest.approx(1 - one.p_red) or len(set(scores)) == 1
    swapped = {"red": "blue", "blue": "red"}
    words = re.split("(red|blue)", one.verdict)
    assert "".join(swapped.get(word, word) for word in words) == other.verdict
    if "favours" in one.verdict:
        assert ("red" in one.verdict) != ("red" in other.verdict)
        assert ("red" in one.verdict) == (one.score.value > 0.5)


# ---- Verdicts ---------------------------------------------------------------------------------


def test_all_verdicts_occur() -> None:
    rng = np.random.default_rng(2)
    cases = {
        "undecided": (100, 0.5, 0.51, 0.0),
        "different": (4000, 0.5, 0.56, 0.0),
        "equivalent": (40_000, 0.5, 0.5, 0.0),
        "different but within the margin": (80_000, 0.5, 0.51, 0.0),
    }
    assert set(cases) == set(get_args(Verdict))
    for expected, (n, base, variant, draws) in cases.items():
        first, second = openings(rng, (n,), (base, variant), draws=draws)
        assert told(paired(second - first)) == expected
        assert told(welch(second, first)) == expected


def test_all_verdicts_against_half_occur() -> None:
    rng = np.random.default_rng(3)
    cases = {
        "undecided": (100, 0.52),
        "balanced": (20_000, 0.5),
        "favours red": (4000, 0.56),
        "favours blue": (4000, 0.44),
        "favours red, within the margin": (80_000, 0.51),
        "favours blue, within the margin": (80_000, 0.49),
    }
    assert set(cases) == set(get_args(Against))
    for expected, (n, score) in cases.items():
        (scores,) = openings(rng, (n,), (score,))
        assert against_half(scores).verdict == expected


def test_holm_may_take_a_difference_back() -> None:
    found = paired([0.5] * 64 + [-0.5] * 36 + [0.0] * 300)
    assert 0.001 < found.p < 0.05
    assert verdict(found, found.p) == "different"
    assert verdict(found, min(1.0, 50 * found.p)) == "undecided"
    assert verdict(found, found.p, alpha=found.p / 2) == "undecided"


# ---- Few openings that say anything -----------------------------------------------------------


def sparse(n: int, *values: float) -> Floats:
    return np.array([*values, *[0.0] * (n - len(values))])


@pytest.mark.parametrize(("n", "expected"), [(149, "undecided"), (150, "equivalent")])
def test_the_rule_of_three(n: int, expected: str) -> None:
    found = paired(sparse(n))
    assert (found.nonzero, found.rule_of_three, found.se) == (0, True, 0)
    assert told(found) == expected
    assert found.openings_needed == 150
    # What n openings without a difference leave possible, either way.
    most = 1 - 0.025 ** (1 / n)
    assert (found.low, found.high) == pytest.approx((-most, most))
    assert found.mde is not None
    assert found.mde >= most


@given(st.lists(st.sampled_from([-1, -0.5, 0.25, 1]), min_size=1, max_size=9))
def test_few_differences_decide_nothing(values: list[float]) -> None:
    found = paired(sparse(5000, *values))
    assert found.rule_of_three
    assert told(found) == "undecided"
    assert (found.p, found.p_equivalent) == (1, 1)
    assert found.low < found.difference < found.high
    assert found.openings_needed is not None
    assert found.openings_needed >= 5000 * 10 / len(values)


def test_what_rounding_leaves_of_a_0_is_no_difference() -> None:
    noise = np.array([0.1 + 0.2 - 0.3, 0.0] * 100)
    assert np.count_nonzero(noise) == 100
    found = paired(noise)
    assert (found.nonzero, told(found)) == (0, "equivalent")
    assert against_half(0.5 + noise).rule_of_three


def test_ten_differences_may_decide() -> None:
    assert told(paired(sparse(600, *[1.0] * 9))) == "undecided"
    assert told(paired(sparse(600, *[1.0] * 10))) == "different"
    assert told(paired(sparse(2000, *[1.0, -1.0] * 5))) == "equivalent"


@pytest.mark.parametrize(("n", "expected"), [(74, "undecided"), (75, "balanced")])
def test_only_draws_are_balance_only_if_there_are_enough(n: int, expected: str) -> None:
    found = against_half([0.5] * n)
    assert found.verdict == expected
    assert found.rule_of_three
    assert found.openings_needed == 75
    assert found.score.low < 0.5 < found.score.high


@pytest.mark.parametrize(("n", "expected"), [(9, "undecided"), (10, "favours red")])
def test_red_wins_all(n: int, expected: str) -> None:
    found = against_half([1.0] * n)
    assert found.verdict == expected
    assert found.score.value == 1
    assert found.score.low < 0.75
    assert against_half([0.0] * n).verdict == expected.replace("red", "blue")


def test_p_values_of_samples_without_spread_are_no_smaller_than_exact_ones() -> None:
    """All of n scores equal to 1: under a mean of ½ that has a chance of at most 2^-n."""
    for n in (10, 40):
        found = against_half([1.0] * n)
        assert found.p >= 2 * 0.5**n
        assert found.p < 0.02
        assert found.p_red == pytest.approx(found.p / 2)
        assert found.p_equivalent == 1


def test_unpaired_scores_without_spread_decide_nothing() -> None:
    found = welch([0.5] * 500, [0.5] * 500)
    assert told(found) == "undecided"
    assert found.low < 0 < found.high
    assert found.openings_needed is None
    assert told(welch([1.0] * 500, [0.0] * 500)) == "undecided"


def test_one_opening_says_nothing() -> None:
    for found in (paired([0.5]), welch([0.5], [0.0, 1.0])):
        assert (found.se, found.mde, found.openings_needed) == (None, None, None)
        assert told(found) == "undecided"
    assert against_half([1.0]).verdict == "undecided"


def test_intervals_of_few_differences_keep_their_promise() -> None:
    """Of 400 openings four have a difference on average, nearly all of one sign."""
    rng = np.random.default_rng(5)
    signs = np.where(rng.random((1000, 400)) < 0.9, 1.0, -1.0)
    runs = np.where(rng.random((1000, 400)) < 0.01, signs, 0.0)
    found = [paired(run) for run in runs]
    assert np.mean([one.rule_of_three for one in found]) > 0.9
    assert np.mean([one.low <= 0.008 <= one.high for one in found]) >= 0.95


def test_the_rule_of_three_errs_as_rarely_as_it_promises() -> None:
    """One variant wins where the other loses, a little oftener than the margin allows."""
    rng = np.random.default_rng(6)
    differ = rng.random((4000, 150)) < 0.0201
    wrong = [told(paired(run)) == "equivalent" for run in differ.astype(float) if not run.any()]
    assert sum(wrong) == np.count_nonzero(~differ.any(axis=1))
    assert 0.03 < sum(wrong) / 4000 <= 0.06


# ---- What could be seen, and what it would take -----------------------------------------------


def test_the_minimum_detectable_effect() -> None:
    assert minimum_detectable_effect(0.005) == pytest.approx(0.014)
    assert minimum_detectable_effect(0) == 0


@pytest.mark.parametrize("difference", [0.0, 0.005, 0.019, 0.021, 0.05])
def test_openings_needed_are_enough_four_times_in_five(difference: float) -> None:
    """A pilot run with just the true mean and spread tells a number; that many are then played."""
    truth, spread = difference, 0.5
    pilot = np.array([truth - spread, truth + spread] * 50)
    needed = paired(pilot).openings_needed
    assert needed is not None
    deviation = float(pilot.std(ddof=1))
    rng = np.random.default_rng(int(1000 * difference))
    # Means and deviations of that many openings, of which the tests are made.
    errors = deviation / math.sqrt(needed)
    means = rng.normal(truth, errors, 20_000)
    different = np.abs(means) > 1.96 * errors
    equivalent = np.abs(means) < 0.02 - 1.645 * errors
    best = max(different.mean(), equivalent.mean())
    assert best == pytest.approx(0.8, abs=0.015) or needed == 100
    assert needed == 100 or np.mean(different | equivalent) >= 0.785


def test_openings_needed_do_not_fall_below_those_there_are() -> None:
    found = paired(np.array([0.5, 0.25] * 500))
    assert told(found) == "different"
    assert found.openings_needed == 1000


def test_several_comparisons_need_more_openings() -> None:
    differences = np.array([0.55, -0.45] * 100)
    one = paired(differences, margin=0.02).openings_needed
    many = paired(differences, margin=0.02, comparisons=8).openings_needed
    assert one is not None
    assert many is not None
    assert many > 1.3 * one


# ---- Rates of error ---------------------------------------------------------------------------

SLOW = pytest.mark.slow
# Correlation of the variants, share of draws. The hardest case is always tried.
TRUTHS = [
    pytest.param(0.0, 0.0, marks=SLOW),
    pytest.param(0.6, 0.0, marks=SLOW),
    pytest.param(0.0, 0.9, marks=SLOW),
    (0.6, 0.9),
]


@pytest.mark.parametrize(("correlation", "draws"), TRUTHS)
@pytest.mark.parametrize("difference", [0.0, 0.04])
def test_paired_intervals_keep_their_promise(
    correlation: float, draws: float, difference: float
) -> None:
    """2,000 runs of 400 openings."""
    rng = np.random.default_rng([int(10 * correlation), int(10 * draws), int(100 * difference)])
    base, variant = openings(
        rng, (2000, 400), (0.5, 0.5 + difference), draws=draws, correlation=correlation
    )
    if difference == 0:  # otherwise the scores cannot be quite as alike
        alike = np.corrcoef(base.ravel(), variant.ravel())[0, 1]
        assert alike == pytest.approx(correlation, abs=0.01)
    found = [paired(run) for run in variant - base]
    held = np.mean([one.low <= difference <= one.high for one in found])
    assert 0.93 <= held <= 0.97
    if difference == 0:
        wrong = np.mean([told(one).startswith("different") for one in found])
        assert near(float(wrong), 0.05, 2000)


@pytest.mark.parametrize(("correlation", "draws"), TRUTHS)
def test_equivalence_errs_as_rarely_as_it_promises(correlation: float, draws: float) -> None:
    """The truth lies on the margin, which is wide enough for the test to be able to succeed."""
    margin = 0.1 if draws == 0 else 0.04
    rng = np.random.default_rng([7, int(10 * correlation), int(10 * draws)])
    base, variant = openings(
        rng, (2000, 600), (0.5, 0.5 + margin), draws=draws, correlation=correlation
    )
    found = [paired(run, margin=margin) for run in variant - base]
    assert near(float(np.mean([one.p_equivalent < 0.05 for one in found])), 0.05, 2000)
    base, variant = openings(rng, (100, 600), (0.5, 0.5), draws=draws, correlation=correlation)
    inside = [paired(run, margin=margin) for run in variant - base]
    assert np.mean([one.p_equivalent < 0.05 for one in inside]) > 0.9


def test_unpaired_tests_err_as_rarely_as_they_promise() -> None:
    rng = np.random.default_rng(8)
    (a,) = openings(rng, (1500, 400), (0.5,), draws=0.9)
    (b,) = openings(rng, (1500, 250), (0.6,))
    found = [welch(one, other, margin=0.1) for one, other in zip(a, b, strict=True)]
    assert near(float(np.mean([one.low <= -0.1 <= one.high for one in found])), 0.95, 1500)
    assert near(float(np.mean([one.p_equivalent < 0.05 for one in found])), 0.05, 1500)
    (a,) = openings(rng, (1500, 400), (0.6,), draws=0.6)
    found = [welch(one, other) for one, other in zip(a, b, strict=True)]
    assert near(float(np.mean([one.p < 0.05 for one in found])), 0.05, 1500)


@pytest.mark.parametrize("draws", [pytest.param(0.0, marks=SLOW), 0.9])
def test_verdicts_against_half_err_as_rarely_as_they_promise(draws: float) -> None:
    rng = np.random.default_rng([9, int(10 * draws)])
    (even,) = openings(rng, (2000, 400), (0.5,), draws=draws)
    favoured = np.mean(["favours" in against_half(run).verdict for run in even])
    assert near(float(favoured), 0.05, 2000)
    margin = 0.06 if draws == 0 else 0.03
    (off,) = openings(rng, (2000, 400), (0.5 + margin,), draws=draws)
    found = [against_half(run, margin=margin) for run in off]
    assert near(float(np.mean([one.p_equivalent < 0.05 for one in found])), 0.05, 2000)
    assert np.mean([one.verdict == "balanced" for one in found]) <= 0.05 + 4 * 0.005
    # One-sided: where red has less than half, it is seldom said to have more.
    (less,) = openings(rng, (500, 400), (0.49,), draws=draws)
    assert np.mean([against_half(run).p_red < 0.05 for run in less]) < 0.05


def family_error(runs: int, correlation: float, draws: float, seed: int) -> float:
    """Share of runs with a false finding among six variants that all equal the base."""
    rng = np.random.default_rng([seed, int(10 * correlation), int(10 * draws)])
    base, *variants = openings(rng, (runs, 400), (0.5,) * 7, draws=draws, correlation=correlation)
    wrong = 0
    for run in range(runs):
        found = [paired(variant[run] - base[run]) for variant in variants]
        adjusted = holm([one.p for one in found])
        told_of = [verdict(one, p) for one, p in zip(found, adjusted, strict=True)]
        wrong += any(one.startswith("different") for one in told_of)
    return wrong / runs


def test_a_family_errs_as_rarely_as_it_promises() -> None:
    error = family_error(300, 0.6, 0.0, seed=10)
    assert 0.0 < error <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 300)


@pytest.mark.slow
@pytest.mark.parametrize(("correlation", "draws"), TRUTHS)
def test_a_family_errs_as_rarely_as_it_promises_in_full(correlation: float, draws: float) -> None:
    # All six are compared with one base, so that the tests hang together: the error may be
    # smaller than 5 %, but far from as small as tests for independent samples would make it.
    error = family_error(2000, correlation, draws, seed=11)
    assert 0.02 <= error <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 2000)


# ---- What is refused --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: paired([]), "differences has 0 numbers, expected at least 1 finite number"),
        (lambda: paired([2.0]), r"differences\[0\] is 2.0, expected .* from -1 to 1"),
        (lambda: paired([0.0], margin=0), "margin is 0, expected a number above 0"),
        (lambda: paired([0.0], confidence=2), "confidence is 2, expected"),
        (lambda: paired([0.0], comparisons=0), "comparisons is 0, expected"),
        (lambda: welch([0.5], [-0.1]), r"b\[0\] is -0.1, expected"),
        (lambda: against_half([1.5]), r"scores\[0\] is 1.5, expected"),
        (lambda: against_half([0.5], margin=0.5), "margin is 0.5, expected"),
        (lambda: holm([0.1, math.nan]), r"p_values\[1\] is nan, expected numbers from 0 to 1"),
        (lambda: holm(0.1), "p_values is 0.1, expected"),  # type: ignore[arg-type]
        (lambda: verdict(None, 0.1), "comparison is None, expected a Comparison"),  # type: ignore[arg-type]
        (lambda: verdict(paired([0.0]), 2), "p_adjusted is 2, expected"),
        (lambda: minimum_detectable_effect(-1), "se is -1, expected"),
    ],
)
def test_what_cannot_be_compared_is_refused(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(ArgumentError, match=message):
        call()
