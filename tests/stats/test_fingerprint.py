"""Uniform random play against figures of an independent program (docs/fingerprint.md).

Each mean must lie within 4 standard errors of the published one. Both samples have an error, and a
published figure is rounded: the allowance is 4 sqrt(ours² + theirs²) plus half a unit of its last
digit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

import chase_fast as cf

FAST, FULL = 4_000, 100_000
SEED = 20_260_101


@dataclass(frozen=True)
class Figure:
    """A published mean, the unit of its last digit, and the standard error published with it."""

    rules: str
    name: str
    low: float
    unit: float
    error: float | None = None  # None: from our spread and their number of games
    high: float | None = None  # some were published as a range over several rule sets
    games: int = 250_000


FIGURES = [
    Figure("standard", "decisions", 198.4, 0.1, 0.25 / 1.96),
    Figure("standard", "turns", 188.7, 0.1),
    Figure("standard", "options per decision", 33.09, 0.01),
    Figure("standard", "options without distributions", 34.69, 0.01),
    Figure("standard", "distributions", 0.0487, 0.0001),
    Figure("standard", "options per distribution", 1.84, 0.01),
    Figure("standard", "red score", 0.4979, 0.0001, 0.0020 / 1.96),
    Figure("standard", "repetitions", 0.00026, 0.00001),
    Figure("standard", "splits", 1.41, 0.01),
    Figure("standard", "double captures", 0.0145, 0.0001),
    Figure("chain=yes", "decisions", 183.6, 0.1, 0.5 / 1.96),
    Figure("handout=any", "decisions", 201.7, 0.1, 0.5 / 1.96),
    Figure("reserve=0", "decisions", 195.1, 0.1, 0.6 / 1.96),
    Figure("reserve=0", "splits", 1.03, 0.01, games=40_000),
    *(
        Figure(f"reserve={n}", "decisions", 197.5, 0.1, 0.6 / 1.96, high=197.8)
        for n in (2, 3, 7, 16)
    ),
]


@cache
def games(rules: str, count: int) -> cf.Playouts:
    start = cf.Position.start(cf.Rules.parse(rules))
    played = cf.playouts(start, count, seed=SEED, threads=2, max_turns=cf.MAX_TURN_LIMIT)
    assert not np.any(played.termination == cf.Termination.TURN_LIMIT)
    return played


def mean(values: npt.NDArray[np.float64]) -> tuple[float, float]:
    return float(values.mean()), float(values.std(ddof=1) / math.sqrt(len(values)))


def ratio(over: npt.NDArray[np.float64], under: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Pooled ratio and its standard error, games being the independent unit (delta method)."""
    value = float(over.sum() / under.sum())
    residual = over - value * under
    return value, float(residual.std(ddof=1) / math.sqrt(len(over)) / under.mean())


def measure(played: cf.Playouts, name: str) -> tuple[float, float]:
    column = {key: played.array[key].astype(np.float64) for key in cf.GAME_DTYPE.names or ()}
    decisions, handed = column["decisions"], column["distributions"]
    match name:
        case "options per decision":
            return ratio(column["options"], decisions)
        case "options without distributions":
            return ratio(column["options"] - column["distribution_options"], decisions - handed)
        case "distributions":
            return ratio(handed, decisions)
        case "options per distribution":
            return ratio(column["distribution_options"], handed)
        case "red score":
            return mean(
                (1.0 - column["winner"]) * (column["winner"] >= 0) + 0.5 * (column["winner"] < 0)
            )
        case "repetitions":
            value, _ = mean((played.termination == cf.Termination.REPETITION).astype(np.float64))
            # Too rare for its own spread: the error that the published share implies.
            return value, math.sqrt(0.00026 / len(played))
        case "double captures":
            return mean(column["double_captures"])
        case _:
            return mean(column[name])


def check(figure: Figure, count: int) -> None:
    value, error = measure(games(figure.rules, count), figure.name)
    theirs = figure.error if figure.error is not None else error * math.sqrt(count / figure.games)
    allowance = 4 * math.hypot(error, theirs) + figure.unit / 2
    high = figure.low if figure.high is None else figure.high
    assert figure.low - allowance <= value <= high + allowance, (
        f"{figure.rules}: {figure.name} {value:.5g}, published {figure.low} ± {allowance:.2g}"
    )


def title(figure: Figure) -> str:
    return f"{figure.rules}-{figure.name}"


@pytest.mark.parametrize("figure", FIGURES, ids=title)
def test_sample(figure: Figure) -> None:
    check(figure, FAST)


@pytest.mark.slow
@pytest.mark.parametrize("figure", FIGURES, ids=title)
def test_full(figure: Figure) -> None:
    check(figure, FULL)
