"""The model behind ratings: Bradley and Terry's, with draws and an advantage of the first move.

For a game of red i against blue j let x = r_i - r_j + f. Win, draw and loss are as exp(x/2) : nu :
exp(-x/2). Without the draw term, a win is as likely as 1 / (1 + exp(-x)), and a draw counts as half
a win. The log-likelihood is concave in (r, f, log nu), so that Newton's method finds its maximum.

Sources: R. A. Bradley, M. E. Terry, Rank analysis of incomplete block designs, Biometrika 39
(1952), 324-345; R. R. Davidson, On extending the Bradley-Terry model to accommodate ties in paired
comparison experiments, Journal of the American Statistical Association 65 (1970), 317-328; R. R.
Davidson, R. J. Beaver, On extending the Bradley-Terry model to incorporate within-pair order
effects, Biometrics 33 (1977), 693-702.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from chase_fast.stats.arrays import Floats

# A step of this size leaves nothing to gain.
_CLOSE: Final = 1e-10
_STEPS: Final = 200
_HALVINGS: Final = 40

# Longer steps may overshoot so far that the way back is long.
_LONGEST: Final = 2.0


class Fitted(NamedTuple):
    """Maxima of the likelihood for several sets of results.

    Attributes:
        parameters: Of each set, shape (s, k); the last one is log nu if there is a draw term.
        information: Minus the second derivatives, shape (s, k, k).
    """

    parameters: Floats
    information: Floats


def fit(design: Floats, results: Floats, *, draws: bool) -> Fitted:
    """Fits the model to each of several sets of results.

    Args:
        design: What each parameter adds to x, for each kind of game, shape (p, k).
        results: Wins, draws and losses of red, of each kind, shape (s, p, 3). The maximum must
            exist, and with a draw term each set has a draw.
        draws: Whether there is a draw term, a parameter more than `design` has.
    """
    sets, width = len(results), design.shape[1] + draws
    found = np.zeros((sets, width))
    if draws:
        # Nearer to the end than 1 where there are few draws or little else.
        decided = results[:, :, 0].sum(1) + results[:, :, 2].sum(1)
        found[:, -1] = np.log(2 * results[:, :, 1].sum(1) / np.maximum(decided, 0.5))
    height, slope, bend = _derivatives(design, results, found, draws)
    for _ in range(_STEPS):
        step = np.linalg.solve(bend, slope[:, :, None])[:, :, 0]
        largest = np.abs(step).max(axis=1, initial=0.0)
        if largest.max(initial=0.0) < _CLOSE:
            break
        step *= np.minimum(1.0, _LONGEST / np.maximum(largest, _CLOSE))[:, None]
        for _ in range(_HALVINGS):
            there = _derivatives(design, results, found + step, draws)
            lower = there[0] < height - 1e-9 * np.abs(height)
            if not lower.any():
                break
            step[lower] /= 2
        found = found + step
        height, slope, bend = there
    return Fitted(found, bend)


def _derivatives(
    design: Floats, results: Floats, parameters: Floats, draws: bool
) -> tuple[Floats, Floats, Floats]:
    """Log-likelihood, gradient, and minus the second derivatives; (s,), (s, k), (s, k, k)."""
    if not draws:
        return _without_draws(design, results, parameters)
    x = parameters[:, :-1] @ design.T
    # Logarithms of the three weights, and of their sum.
    weights = np.stack([x / 2, np.broadcast_to(parameters[:, -1:], x.shape), -x / 2], axis=2)
    logs = weights - np.logaddexp.reduce(weights, axis=2)[:, :, None]
    height = (results * logs).sum(axis=(1, 2))
    shares = np.exp(logs)
    games = results.sum(axis=2)
    lead = (shares[:, :, 0] - shares[:, :, 2]) / 2
    decided = 1 - shares[:, :, 1]
    by_x = (results[:, :, 0] - results[:, :, 2]) / 2 - games * lead
    by_nu = results[:, :, 1] - games * shares[:, :, 1]
    slope = np.concatenate([by_x @ design, by_nu.sum(1)[:, None]], axis=1)
    bend = np.empty((len(x), slope.shape[1], slope.shape[1]))
    bend[:, :-1, :-1] = _weighted(design, games * (decided / 4 - lead**2))
    bend[:, -1, -1] = (games * shares[:, :, 1] * decided).sum(1)
    bend[:, :-1, -1] = bend[:, -1, :-1] = -(games * shares[:, :, 1] * lead) @ design
    return height, slope, bend


def _without_draws(
    design: Floats, results: Floats, parameters: Floats
) -> tuple[Floats, Floats, Floats]:
    x = parameters @ design.T
    points, games = results[:, :, 0] + results[:, :, 1] / 2, results.sum(axis=2)
    height = (points * x - games * np.logaddexp(0, x)).sum(axis=1)
    share = np.exp(-np.logaddexp(0, -x))
    slope = (points - games * share) @ design
    return height, slope, _weighted(design, games * share * (1 - share))


def _weighted(design: Floats, weights: Floats) -> Floats:
    """Sums of outer products of the design's rows; (p, k), (s, p) -> (s, k, k)."""
    return np.asarray(np.einsum("pi,sp,pj->sij", design, weights, design, optimize=True))
