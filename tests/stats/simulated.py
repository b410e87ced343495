"""Openings of two games with a known truth, for tests of what the statistics promise."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def thresholds(score: float, draws: float) -> tuple[float, float]:
    """Where a uniform number begins to mean a draw, and a win, with the given mean score."""
    lost = 1 - score - draws / 2
    assert 0 <= lost <= 1 - draws
    return lost, lost + draws


def openings(
    rng: np.random.Generator,
    shape: tuple[int, ...],
    scores: tuple[float, ...],
    *,
    draws: float = 0.0,
    correlation: float = 0.0,
    games: int = 2,
) -> list[Floats]:
    """Mean scores of openings under several variants.

    With chance `correlation` an opening is alike under all variants: each game hangs on one
    uniform number that they share. Variants of the same score then have just that correlation.
    """
    alike = rng.random(shape) < correlation
    common = rng.random((*shape, games))
    found = []
    for score in scores:
        own = rng.random((*shape, games))
        number = np.where(alike[..., None], common, own)
        drawn, won = thresholds(score, draws)
        points = (number >= drawn) * 0.5 + (number >= won) * 0.5
        found.append(points.mean(axis=-1))
    return found


def near(share: float, truth: float, trials: int, *, sigmas: float = 4.0) -> bool:
    """Whether a share seen in so many trials fits a true one."""
    return abs(share - truth) <= sigmas * float(np.sqrt(truth * (1 - truth) / trials)) + 1e-12
