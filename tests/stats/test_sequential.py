"""Error rates of the sequential test on pairs whose games hang together, and its known answers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from chase_fast.stats import elo, llr, pair_score, sprt_bounds
from chase_fast.stats.sprt import Model
from tests.stats.simulated import openings

pytestmark = pytest.mark.no_core


def test_likelihood_of_superiority_by_hand() -> None:
    """Scores ½ + 0.1 with standard error 0.05: Phi(2)."""
    # Of 24 pairs 9 with ½, 15 with 1½ points: mean 0.5625, variance 0.05859, error 0.04941.
    found = pair_score([0, 9, 0, 15, 0])
    assert found.los == pytest.approx(
        0.5 * (1 + math.erf(0.0625 / 0.049411 / math.sqrt(2))), abs=1e-5
    )
    assert found.nelo == pytest.approx(0.0625 / math.sqrt(2 * 0.05859375) * 800 / math.log(10))
    assert found.elo == pytest.approx(400 * math.log10(0.5625 / 0.4375))
    assert pair_score([13, 37, 50, 25, 3]).los == pytest.approx(0.00161, abs=5e-6)


def normalized(score: float, draws: float, likeness: float) -> float:
    """Normalized Elo of pairs whose games are alike with this chance, from their variance."""
    single = (1 - draws) / 4 - (score - 0.5) ** 2
    pair = single * (1 + likeness) / 2
    return (score - 0.5) / math.sqrt(2 * pair) * 800 / math.log(10)


def pairs(rng: np.random.Generator, score: float, draws: float, likeness: float) -> np.ndarray:
    """Classes of 20,000 pairs."""
    # A pair is one variant's opening: alike games are those of a single one, counted twice.
    (first,) = openings(rng, (20_000,), (score,), draws=draws, games=1)
    (second,) = openings(rng, (20_000,), (score,), draws=draws, games=1)
    alike = rng.random(20_000) < likeness
    return np.rint(2 * (first + np.where(alike, first, second))).astype(int)


def error_rate(
    truth: float,
    elo1: float,
    *,
    model: Model,
    draws: float,
    likeness: float,
    runs: int,
) -> tuple[float, float]:
    """Shares of matches that end with 0 and with `elo1`, looked at every 25 pairs."""
    low, high = sprt_bounds(0.05, 0.05)
    rng = np.random.default_rng([int(10 * draws), int(10 * likeness), int(truth * 1e4)])
    ends = [0, 0]
    for _ in range(runs):
        seen = pairs(rng, truth, draws, likeness)
        counts = np.zeros(5, int)
        for start in range(0, len(seen), 25):
            counts += np.bincount(seen[start : start + 25], minlength=5)
            ratio = llr(counts.tolist(), 0, elo1, model=model)
            if not low < ratio < high:
                ends[ratio >= high] += 1
                break
    return ends[0] / runs, ends[1] / runs


@pytest.mark.slow
@pytest.mark.parametrize(("draws", "likeness"), [(0.0, 0.0), (0.0, 0.6), (0.9, 0.0), (0.9, 0.6)])
@pytest.mark.parametrize("model", ["normalized", "logistic"])
def test_the_sequential_test_errs_as_rarely_as_it_promises(
    draws: float, likeness: float, model: Model
) -> None:
    truth = 0.56 if draws == 0 else 0.52
    apart = elo(truth) if model == "logistic" else normalized(truth, draws, likeness)
    assert apart is not None
    runs = 400
    allowed = 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)
    for score, wrong in ((0.5, 1), (truth, 0)):
        ends = error_rate(score, apart, model=model, draws=draws, likeness=likeness, runs=runs)
        assert sum(ends) == pytest.approx(1)
        assert 0 < ends[wrong] <= allowed
