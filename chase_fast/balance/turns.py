"""The level ``turns``: what the board is like turn by turn, and where on it things happen."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from chase_fast.cells import Cell
from chase_fast.store import Run

__all__ = ["heat", "turn_bands"]

_WHAT: Final = ("options", "dice_red", "dice_blue", "spare_red", "spare_blue")
_QUANTILES: Final = {"p10": 0.1, "p50": 0.5, "p90": 0.9}

Counts = npt.NDArray[np.int64]


def turn_bands(run: Run, cell: Cell) -> dict[str, Any] | None:
    """Median and 10-90 % band of each column by turn, over the games that reach it.

    Options are those of a turn's first decision, dice and spare dice those when it begins. None
    where no rows of turns were kept.
    """
    counts: dict[str, Counts] = {name: np.zeros((0, 1), np.int64) for name in _WHAT}
    for _, rows in run.read("turns", ["turn", *_WHAT], cell=cell.number):
        turn = rows.column("turn").to_numpy().astype(np.int64) - 1
        for name in _WHAT:
            counts[name] = _added(counts[name], turn, rows.column(name).to_numpy())
    if not len(counts["options"]):
        return None
    games = counts["options"].sum(axis=1)
    return {
        "turn": list(range(1, len(games) + 1)),
        "games": games.tolist(),
        **{name: _bands(counts[name]) for name in _WHAT},
    }


def _added(counts: Counts, turn: Counts, values: npt.NDArray[Any]) -> Counts:
    """The histogram by turn, shape (turns, values), grown as needed."""
    shape = (
        max(len(counts), int(turn.max(initial=-1)) + 1),
        max(counts.shape[1], int(values.max(initial=0)) + 1),
    )
    grown = np.zeros(shape, np.int64)
    grown[: counts.shape[0], : counts.shape[1]] = counts
    flat = np.bincount(turn * shape[1] + values, minlength=shape[0] * shape[1])
    return grown + flat.reshape(shape)


def _bands(counts: Counts) -> dict[str, list[int]]:
    """The least value that so many of a turn's games do not exceed."""
    below = counts.cumsum(axis=1)
    total = below[:, -1:]
    return {
        name: np.argmax(below >= np.ceil(q * total), axis=1).tolist()
        for name, q in _QUANTILES.items()
    }


def heat(run: Run, cell: Cell, games: int) -> dict[str, Any] | None:
    """What happens where on the board; None where that was not kept.

    By cell: the share of turns at whose beginning a die stands there, captures a game, and moves
    a game that end there.

    Args:
        run: Opened.
        cell: What was played.
        games: Its number of games.
    """
    sums = {name: np.zeros(81) for name in ("occupied", "captured", "arrived")}
    for _, rows in run.read("heat", cell=cell.number):
        square = rows.column("square").to_numpy()
        for name, total in sums.items():
            total += np.bincount(square, rows.column(name).to_numpy(), minlength=81)
    turns = sum(len(rows) for _, rows in run.read("turns", ["turn"], cell=cell.number))
    if not turns or not games:
        return None
    return {
        "occupied": (sums["occupied"] / turns).tolist(),
        "captured": (sums["captured"] / games).tolist(),
        "arrived": (sums["arrived"] / games).tolist(),
        "games": games,
    }
