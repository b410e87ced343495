"""Which ratings the results do not bound: those along which the likelihood never falls.

A direction in the space of parameters is one of recession if, for every outcome seen, no other
outcome of the same kind of game gains more along it. A likelihood that is concave in exponents has
a finite maximum just where there is no such direction but those that change no chance.
Needs the extra `stats` (scipy).

Source: A. Albert, J. A. Anderson, On the existence of maximum likelihood estimates in logistic
regression models, Biometrika 71 (1984), 1-10.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from chase_fast.stats.arrays import Floats

# What a linear program may leave of a 0.
_ZERO: Final = 1e-6


def unbounded(
    design: Floats, results: Floats, targets: Floats, *, draws: bool
) -> list[tuple[bool, bool]]:
    """Whether combinations of parameters can fall, and rise, without end.

    Args:
        design: What each parameter adds to x (see `davidson`), for each kind of game, (p, k).
        results: Wins, draws and losses of red, of each kind, shape (p, 3).
        targets: The combinations, shape (t, k).
        draws: Whether the model has a draw term.

    Returns:
        For each target whether it can fall and whether it can rise.
    """
    from scipy.optimize import linprog  # costs import time, and is not always there

    held = _conditions(design, results, draws)
    padded = np.pad(targets, ((0, 0), (0, held.shape[1] - targets.shape[1])))
    found = []
    for target in padded:
        ends = [
            linprog(sign * target, A_ub=-held, b_ub=np.zeros(len(held)), bounds=(-1, 1)).fun
            for sign in (1, -1)
        ]
        found.append((bool(ends[0] < -_ZERO), bool(ends[1] < -_ZERO)))
    return found


def _conditions(design: Floats, results: Floats, draws: bool) -> Floats:
    """Rows that must not be negative along a direction of recession; the last column is nu's."""
    won, drawn, lost = (results > 0).T
    half = design / 2
    if not draws:
        return np.concatenate([half[won | drawn], -half[lost | drawn]])

    def rows(which: npt.NDArray[np.bool_], x: Floats, nu: float) -> Floats:
        return np.concatenate([x[which], np.full((int(which.sum()), 1), nu)], axis=1)

    return np.concatenate([
        rows(won, half, -1), rows(won, design, 0),
        rows(drawn, half, 1), rows(drawn, -half, 1),
        rows(lost, -half, -1), rows(lost, -design, 0),
    ])  # fmt: skip
