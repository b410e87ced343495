"""The survival curve, against statsmodels and lifetimes of a known distribution."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.duration.survfunc import SurvfuncRight

from chase_fast.errors import ArgumentError
from chase_fast.stats import wilson
from chase_fast.stats.survival import kaplan_meier

pytestmark = pytest.mark.no_core

COUNTS = st.lists(st.integers(0, 6), max_size=15)


@given(COUNTS, COUNTS)
def test_the_curve_is_that_of_statsmodels(ended: list[int], censored: list[int]) -> None:
    if not any(ended) and not any(censored):
        with pytest.raises(ArgumentError, match="hold no game"):
            kaplan_meier(ended, censored)
        return
    found = kaplan_meier(ended, censored)
    assert len(found.turn) == max(len(ended), len(censored))
    assert np.all(np.diff(found.alive) <= 0)
    assert np.all((found.low >= 0) & (found.low <= found.alive))
    assert np.all((found.high <= 1) & (found.high >= found.alive))
    if not any(ended[1:]):
        return
    # Theirs knows no turn 0.
    times = np.repeat(np.arange(len(ended)), ended) + 1
    cuts = np.repeat(np.arange(len(censored)), censored) + 1
    status = np.repeat([1, 0], [len(times), len(cuts)])
    known = SurvfuncRight(np.concatenate([times, cuts]), status)
    places = known.surv_times.astype(int) - 1
    assert found.alive[places] == pytest.approx(known.surv_prob, abs=1e-12)
    assert np.all(found.at_risk[places] == known.n_risk)
    # The interval's ends on the scale log(-log S) lie as far off as Greenwood's error says.
    inner = (known.surv_prob > 1e-9) & (known.surv_prob < 1 - 1e-9)
    at = places[inner]
    logs = np.log(found.alive[at])
    reach = 1.959963984540054 * known.surv_prob_se[inner] / found.alive[at] / -logs
    assert np.log(-np.log(found.low[at])) - np.log(-logs) == pytest.approx(reach)
    assert np.log(-logs) - np.log(-np.log(found.high[at])) == pytest.approx(reach)


def test_a_curve_by_hand() -> None:
    found = kaplan_meier([0, 1, 2, 1], [0, 0, 1])
    assert found.turn.tolist() == [0, 1, 2, 3]
    assert found.at_risk.tolist() == [5, 5, 4, 1]
    assert found.alive == pytest.approx([1, 0.8, 0.4, 0])


def test_before_the_first_end_and_after_the_last_there_is_doubt() -> None:
    found = kaplan_meier([0, 0, 50], [0])
    assert found.alive.tolist() == [1, 1, 0]
    assert found.low[:2] == pytest.approx([wilson(50, 50).low] * 2)
    assert found.high[2] == pytest.approx(wilson(0, 50).high)
    # One game left is not enough to take back what was known of all.
    found = kaplan_meier([0, 999, 1], [])
    assert found.high[2] == found.high[1] < 0.01


@pytest.mark.parametrize("turn", [30, pytest.param(190, marks=pytest.mark.slow), 400])
def test_the_interval_keeps_its_promise(turn: int) -> None:
    """2,000 runs of 400 games of geometric length, a third of them cut short at random."""
    rng = np.random.default_rng(turn)
    lengths = rng.geometric(1 / 190, (2000, 400))
    limits = np.where(rng.random((2000, 400)) < 1 / 3, rng.integers(1, 600, (2000, 400)), 600)
    truth = (1 - 1 / 190) ** turn
    held = 0
    for length, limit in zip(lengths, limits, strict=True):
        over = length <= limit
        found = kaplan_meier(np.bincount(length[over]), np.bincount(limit[~over], minlength=601))
        held += found.low[turn] <= truth <= found.high[turn]
    assert 0.93 <= held / 2000 <= 0.97


@pytest.mark.parametrize(
    ("ended", "censored", "message"),
    [
        ([-1], [0], r"ended\[0\] is -1, expected whole numbers from 0"),
        ([1], [0.5], "censored is a list of float64"),
        ([], [], "ended and censored hold no game"),
    ],
)
def test_what_is_no_histogram_is_refused(
    ended: list[int], censored: list[int], message: str
) -> None:
    with pytest.raises(ArgumentError, match=message):
        kaplan_meier(ended, censored)


def test_a_confidence_is_refused() -> None:
    with pytest.raises(ArgumentError, match="confidence is 1, expected"):
        kaplan_meier([1], [1], confidence=1)
