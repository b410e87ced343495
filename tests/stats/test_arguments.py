"""Every argument of the statistics refuses by name what it is not meant for."""

from __future__ import annotations

import doctest
import inspect
from collections.abc import Callable
from typing import Any

import pytest

from chase_fast.errors import ArgumentError
from chase_fast.stats import entropy, equivalence, estimates, power, ratings, shares, survival
from tests.unit.arguments import VALUES, refusal

COMPARED = equivalence.paired([0.5, 0.0])
GAMES = {("a", "b"): (3, 2, 1), ("b", "a"): (1, 2, 3)}
NUMBERS = {"a tuple", "an array"}
COUNTS = NUMBERS

# Arguments that are right, and which of `VALUES` are right for an argument too.
CASES: list[tuple[Callable[..., Any], dict[str, Any], dict[str, set[str]]]] = [
    (entropy.miller_madow, {"counts": [1, 2]}, {"counts": COUNTS}),
    (estimates.mean_estimate, {"values": [1.0, 2.0], "confidence": 0.9}, {"values": NUMBERS}),
    (
        estimates.ratio_estimate,
        {"upper": [1.0, 2.0], "lower": [1.0, 3.0], "confidence": 0.9},
        {"upper": NUMBERS, "lower": NUMBERS},
    ),
    (
        estimates.clustered_mean,
        {"sums": [1.0, 2.0], "sizes": [1, 3], "confidence": 0.9},
        {"sums": NUMBERS, "sizes": NUMBERS},
    ),
    (
        estimates.clustered_share,
        {"hits": [1.0, 2.0], "trials": [1, 3], "confidence": 0.9},
        {"hits": NUMBERS, "trials": NUMBERS},
    ),
    (
        estimates.histogram_quantile,
        {"counts": [4, 5], "q": 0.5, "units": 3, "confidence": 0.9},
        {"counts": COUNTS, "units": {"None", "5"}},
    ),
    (
        estimates.clustered_bootstrap,
        {
            "values": [1.0, 2.0], "replications": 100, "seed": 1, "statistic": "mean",
            "confidence": 0.9,
        },
        {"values": NUMBERS, "seed": {"5"}},
    ),
    (
        shares.share,
        {"successes": 2, "trials": 5, "confidence": 0.9},
        {"successes": {"5", "a float"}, "trials": {"5"}},
    ),
    (shares.goodman, {"counts": [1, 2], "confidence": 0.9}, {"counts": COUNTS}),
    (
        survival.kaplan_meier,
        {"ended": [1, 2], "censored": [1], "confidence": 0.9},
        {name: COUNTS | {"a list"} for name in ("ended", "censored")},
    ),
    (
        equivalence.paired,
        {"differences": [0.0, 0.5], "margin": 0.1, "confidence": 0.9, "comparisons": 2},
        {"comparisons": {"5"}},
    ),
    (
        equivalence.welch,
        {"a": [0.0, 0.5], "b": [1, 0], "margin": 0.1, "confidence": 0.9, "comparisons": 2},
        {"comparisons": {"5"}},
    ),
    (equivalence.against_half, {"scores": [0.0, 0.5], "margin": 0.1, "confidence": 0.9}, {}),
    (
        equivalence.holm,
        {"p_values": [0.1]},
        {"p_values": {"a list", "a dict"}},
    ),
    (
        equivalence.verdict,
        {"comparison": COMPARED, "p_adjusted": 0.1, "alpha": 0.05},
        {},
    ),
    (equivalence.minimum_detectable_effect, {"se": 0.1}, {"se": {"5", "a float"}}),
    (power.games_for_width, {"half_width": 0.1, "draws": 0.1, "confidence": 0.9}, {}),
    (power.games_for_effect, {"effect": 0.1, "draws": 0.1, "power": 0.9, "alpha": 0.1}, {}),
    (
        power.two_variants,
        {
            "effect": 0.1, "draws": 0.1, "correlation": 0.5, "power": 0.9, "alpha": 0.1,
            "comparisons": 3,
        },
        {"correlation": {"None", "-1"}, "comparisons": {"5"}},
    ),
    (power.openings_for, {"games": 3, "games_per_opening": 2}, {"games": {"5"}}),
    (
        power.units_for_difference,
        {"deviation": 1, "difference": 0.1, "power": 0.9, "alpha": 0.1},
        {"deviation": {"5", "a float"}, "difference": {"5", "-1", "a float"}},
    ),
    (
        power.units_for_equivalence,
        {"deviation": 1, "difference": 0.01, "margin": 0.1, "power": 0.9, "alpha": 0.1},
        {name: {"5", "-1", "a float"} for name in ("deviation", "difference", "margin")},
    ),
    (
        ratings.fit_ratings,
        {
            "players": ["a", "b"], "results": GAMES, "first_move": True, "draws": True,
            "virtual": True, "anchor": "a", "bootstrap": 0, "seed": 0, "confidence": 0.9,
        },
        {"anchor": {"None"}, "seed": {"5"}}
        | {name: {"a bool"} for name in ("first_move", "draws", "virtual")},
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "arguments", "takes"), CASES, ids=[case[0].__name__ for case in CASES]
)
def test_what_is_wrong_is_refused_by_name(
    call: Callable[..., Any], arguments: dict[str, Any], takes: dict[str, set[str]]
) -> None:
    assert set(inspect.signature(call).parameters) == set(arguments)
    call(**arguments)
    for argument in arguments:
        for what, value in VALUES.items():
            error = refusal(call, **arguments | {argument: value})
            if error is None:
                assert what in takes.get(argument, set()), (argument, what)
            else:
                assert isinstance(error, ArgumentError), (argument, what, error)
                assert argument in str(error), (argument, what, str(error))
                assert len(str(error)) < 500
                str(error).encode()


MODULES = (entropy, equivalence, estimates, power, ratings, shares, survival)


def test_examples_give_what_they_say() -> None:
    for module in MODULES:
        failed, tried = doctest.testmod(module)
        assert failed == 0
        assert tried > 0, module


def test_no_public_function_is_left_out() -> None:
    there = {
        value
        for module in MODULES
        for name, value in vars(module).items()
        if inspect.isfunction(value)
        and value.__module__ == module.__name__
        and not name.startswith("_")
    }
    assert there == {case[0] for case in CASES}
