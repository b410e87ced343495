"""Intervals and exact sums, against published answers and plain formulas."""

from __future__ import annotations

import math
import statistics
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chase_fast.errors import ArgumentError
from chase_fast.stats import PairSums, Sums, wilson
from chase_fast.stats import sums as sums_module

pytestmark = pytest.mark.no_core

WORDS = st.lists(st.integers(0, 2**32 - 1), max_size=40)


# R. G. Newcombe, Two-sided confidence intervals for the single proportion, Statistics in Medicine
# 17 (1998), table I, method 3.
@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_known_answers(successes: int, trials: int, low: float, high: float) -> None:
    interval = wilson(successes, trials)
    assert interval.low == pytest.approx(low, abs=5e-5)
    assert interval.high == pytest.approx(high, abs=5e-5)


@given(st.integers(1, 10**6), st.floats(0, 1), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_wilson_solves_its_equation(trials: int, share: float, confidence: float) -> None:
    """Both ends are where the share lies z standard errors away (Wilson 1927)."""
    successes = round(share * 2 * trials) / 2
    interval = wilson(successes, trials, confidence=confidence)
    share = successes / trials
    assert 0 <= interval.low <= share <= interval.high <= 1
    z = statistics.NormalDist().inv_cdf((1 + confidence) / 2)
    for end in interval:
        error = math.sqrt(end * (1 - end) / trials)
        assert abs(share - end) == pytest.approx(z * error, abs=1e-7)


def test_wilson_turned_round() -> None:
    low, high = wilson(7, 50)
    assert wilson(43, 50) == pytest.approx((1 - high, 1 - low))
    assert wilson(0, 9).low == 0
    assert wilson(9, 9).high == 1


@pytest.mark.parametrize(
    ("successes", "trials", "confidence", "what"),
    [
        (0, 0, 0.95, "trials is 0, expected 1 or more"),
        (-1, 5, 0.95, "successes is -1, expected 0 to 5"),
        (6, 5, 0.95, "successes is 6, expected 0 to 5"),
        (math.nan, 5, 0.95, "successes is nan"),
        (1, 5, 1.0, "confidence is 1.0"),
        (1, 5, 0.0, "confidence is 0.0"),
    ],
)
def test_wilson_refuses(successes: float, trials: int, confidence: float, what: str) -> None:
    with pytest.raises(ArgumentError, match=what):
        wilson(successes, trials, confidence=confidence)


@given(WORDS)
def test_sums_are_exact(values: list[int]) -> None:
    sums = Sums.of(np.array(values, np.uint32))
    assert sums.count == len(values)
    assert sums.total == sum(values)
    assert sums.squares == sum(value * value for value in values)
    assert sums.lowest == min(values, default=None)
    assert sums.highest == max(values, default=None)
    if values:
        assert sums.mean == pytest.approx(statistics.mean(values), rel=1e-15)
    if len(values) > 1:
        error = math.sqrt(statistics.variance(map(Fraction, values)) / len(values))
        assert sums.standard_error == pytest.approx(error, rel=1e-12)


@given(WORDS, WORDS)
def test_sums_of_parts_are_the_sums_of_all(first: list[int], second: list[int]) -> None:
    parts = [Sums.of(np.array(part, np.uint32)) for part in (first, second)]
    assert parts[0] + parts[1] == parts[1] + parts[0]
    assert parts[0] + parts[1] == Sums.of(np.array(first + second, np.uint32))


def test_products_beyond_64_bits_are_added_up_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    largest = np.full(1000, 2**32 - 1, np.uint32)
    assert Sums.of(largest).squares == 1000 * (2**32 - 1) ** 2
    # The same with room for so little that every slice has one number, or two.
    monkeypatch.setattr(sums_module, "_WORD", 2 * 9 * 9 + 1)
    assert Sums.of(np.array([9, 9, 9, 1, 2], np.uint8)).squares == 3 * 81 + 5


def test_few_numbers_have_no_error() -> None:
    none = Sums()
    assert (none.mean, none.standard_error) == (None, None)
    one = Sums.of(np.array([7], np.uint8))
    assert (one.mean, one.standard_error) == (7.0, None)
    assert (PairSums().ratio, PairSums().standard_error) == (None, None)
    zero = PairSums.of(np.array([1, 2], np.uint8), np.array([0, 0], np.uint8))
    assert (zero.ratio, zero.standard_error) == (None, None)


def test_ratio_and_its_error() -> None:
    """Against the definition: residuals from the ratio, by the mean of the denominators."""
    upper, lower = [30, 44, 12, 99], [1, 2, 1, 3]
    pairs = PairSums.of(np.array(upper, np.uint16), np.array(lower, np.uint8))
    ratio = sum(upper) / sum(lower)
    assert pairs.ratio == pytest.approx(ratio)
    residuals = [y - ratio * x for y, x in zip(upper, lower, strict=True)]
    variance = sum(residual**2 for residual in residuals) / 3
    error = math.sqrt(variance / 4) / statistics.mean(lower)
    assert pairs.standard_error == pytest.approx(error)


def test_ratio_of_equal_pairs_has_no_spread() -> None:
    column = np.array([3, 8, 5], np.uint32)
    assert PairSums.of(column, column).ratio == 1
    assert PairSums.of(column, column).standard_error == 0


@given(
    st.lists(st.tuples(st.integers(0, 999), st.integers(0, 99)), max_size=20), st.integers(0, 20)
)
def test_pairs_in_parts(pairs: list[tuple[int, int]], cut: int) -> None:
    def of(part: list[tuple[int, int]]) -> PairSums:
        columns = np.array(part, np.uint16).reshape(-1, 2)
        return PairSums.of(columns[:, 0], columns[:, 1])

    assert of(pairs[:cut]) + of(pairs[cut:]) == of(pairs)


@pytest.mark.parametrize(
    "column",
    [np.zeros(2, np.int8), np.zeros(2, np.uint64), np.zeros(2), np.zeros((2, 2), np.uint8)],
)
def test_sums_refuse(column: np.ndarray) -> None:
    with pytest.raises(ArgumentError, match="expected unsigned integers"):
        Sums.of(column)


def test_pairs_must_be_pairs() -> None:
    with pytest.raises(ArgumentError, match="2 and 3 numbers are no pairs"):
        PairSums.of(np.zeros(2, np.uint8), np.zeros(3, np.uint8))
