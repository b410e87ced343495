"""Sample sizes: published ones, those of statsmodels, and what games of that number really show."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.power import NormalIndPower

from chase_fast.errors import ArgumentError
from chase_fast.stats.equivalence import holm, paired
from chase_fast.stats.power import (
    games_for_effect,
    games_for_width,
    openings_for,
    two_variants,
    units_for_difference,
    units_for_equivalence,
)
from tests.stats.simulated import near, openings

pytestmark = pytest.mark.no_core


def test_known_numbers_of_games() -> None:
    assert games_for_width(0.01) == 9604
    assert games_for_effect(0.02) == 4906
    assert games_for_width(0.01, draws=0.7) == 2881
    assert games_for_effect(0.02, draws=0.7) == 1472
    assert two_variants(0.02) == 9811
    assert two_variants(0.02, draws=0.7) == 2943


def test_defaults_are_those_of_the_known_numbers() -> None:
    assert (games_for_width(), games_for_effect(), two_variants()) == (9604, 4906, 9811)


@given(st.floats(0.005, 0.1), st.floats(0, 0.9), st.floats(0.6, 0.99), st.floats(0.001, 0.05))
def test_numbers_of_games_have_the_power_that_statsmodels_sees(
    effect: float, draws: float, power: float, alpha: float
) -> None:
    found = two_variants(effect, draws=draws, power=power, alpha=alpha)
    seen = NormalIndPower().power(effect / math.sqrt((1 - draws) / 4), found, alpha, ratio=1)
    # A number of games is rounded, which matters where it is small.
    assert seen == pytest.approx(power, abs=0.002 + 1 / found)


def test_one_score_is_half_as_hard_as_a_difference() -> None:
    known = NormalIndPower(ddof=0).solve_power(0.02 / 0.5, alpha=0.05, power=0.8, ratio=0)
    assert games_for_effect(0.02) == pytest.approx(known, abs=1)


@given(st.floats(0.005, 0.3), st.floats(0, 0.9), st.floats(-1, 0.99))
def test_common_openings_need_fewer_by_what_they_have_in_common(
    effect: float, draws: float, correlation: float
) -> None:
    unpaired = two_variants(effect, draws=draws)
    found = two_variants(effect, draws=draws, correlation=correlation)
    assert found == pytest.approx((1 - correlation) * unpaired, abs=1 + abs(1 - correlation))


def test_comparisons_share_alpha() -> None:
    assert two_variants(0.02, comparisons=6) == two_variants(0.02, alpha=0.05 / 6) > 9811


def test_openings_have_two_games_or_one() -> None:
    assert [openings_for(games) for games in (0, 1, 2, 9811)] == [0, 1, 1, 4906]
    assert openings_for(9811, games_per_opening=1) == 9811


@pytest.mark.parametrize(("correlation", "draws"), [(0.0, 0.0), (0.6, 0.0), (0.6, 0.7)])
def test_so_many_games_show_the_effect_four_times_in_five(correlation: float, draws: float) -> None:
    effect, runs = 0.06, 1500
    games = two_variants(effect, draws=draws, correlation=correlation)
    n = openings_for(games)
    rng = np.random.default_rng([int(10 * correlation), int(10 * draws)])
    base, variant = openings(rng, (runs, n), (0.5, 0.5), draws=draws, correlation=correlation)
    # A shift leaves the spread and the correlation as the plan has them.
    shifted = variant - base + effect
    errors = shifted.std(axis=1, ddof=1) / math.sqrt(n)
    shown = np.mean(np.abs(shifted.mean(axis=1)) > 1.96 * errors)
    assert near(float(shown), 0.8, runs)


def test_a_family_of_comparisons_keeps_its_power() -> None:
    """One of five variants differs, and Holm's rule looks at all of them."""
    effect, runs = 0.1, 300
    n = openings_for(two_variants(effect, comparisons=5))
    rng = np.random.default_rng(5)
    base, *variants = openings(rng, (runs, n), (0.5, 0.6, 0.5, 0.5, 0.5, 0.5))
    shown = 0
    for run in range(runs):
        p_values = [paired(variant[run] - base[run]).p for variant in variants]
        shown += holm(p_values)[0] < 0.05
    assert near(shown / runs, 0.8, runs)


@given(st.floats(0.01, 1), st.floats(0, 0.0199), st.floats(0.5, 0.95))
def test_units_for_equivalence_have_the_power_asked_for(
    deviation: float, difference: float, power: float
) -> None:
    n = units_for_equivalence(deviation, difference, 0.02, power=power)
    error = deviation / math.sqrt(n)
    draws = np.random.default_rng(6).normal(difference, error, 40_000)
    assert near(float(np.mean(np.abs(draws) < 0.02 - 1.6449 * error)), power, 40_000)


def test_what_cannot_be_shown_needs_infinitely_many() -> None:
    assert units_for_difference(0.5, 0) == math.inf
    assert units_for_equivalence(0.5, -0.02, 0.02) == math.inf
    assert units_for_equivalence(0.5, 0.019, 0.02) < math.inf
    assert units_for_difference(0, 0.1) == units_for_equivalence(0, 0, 0.1) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: games_for_width(0), "half_width is 0, expected a number above 0 and at most 0.5"),
        (lambda: games_for_width(draws=1), "draws is 1, expected a number from 0 to"),
        (lambda: games_for_width(confidence=0), "confidence is 0, expected"),
        (lambda: games_for_effect(-0.1), "effect is -0.1, expected"),
        (lambda: games_for_effect(power=1), "power is 1, expected a number between 0 and 1"),
        (lambda: games_for_effect(alpha=math.nan), "alpha is nan, expected"),
        (
            lambda: two_variants(correlation=1.1),
            "correlation is 1.1, expected a number from -1",
        ),
        (lambda: two_variants(comparisons=0), "comparisons is 0, expected an integer from 1"),
        (lambda: openings_for(-1), "games is -1, expected"),
        (lambda: openings_for(5, games_per_opening=3), "games_per_opening is 3, expected"),
        (lambda: units_for_difference(-1, 0.1), "deviation is -1, expected"),
        (lambda: units_for_equivalence(1, 0.1, 0), "margin is 0, expected a number above 0"),
    ],
)
def test_what_has_no_sample_size_is_refused(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(ArgumentError, match=message):
        call()
