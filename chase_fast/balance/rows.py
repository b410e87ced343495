"""The rows of a cell as arrays, and sums of them by opening."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from chase_fast.cells import TERMINATIONS, Cell
from chase_fast.store import GAMES, Run

__all__ = ["CellRows", "read_cell"]

Floats = npt.NDArray[np.float64]

_LEFT_OUT: Final = {"cell", "variant", "red", "blue", "seed", "fault", "moves"}
_COLUMNS: Final = tuple(name for name in GAMES.names if name not in _LEFT_OUT)
_FINISHED: Final = {TERMINATIONS.index("aborted")}
CUT_SHORT: Final = TERMINATIONS.index("turn_limit")


class CellRows:
    """The games of a cell, in order of opening and game.

    Attributes:
        cell: What was played.
        column: Columns of ``games`` by name, each of shape (games,).
        openings: Numbers of the openings played, shape (openings,).
        index: Place of each game's opening among them, shape (games,).
    """

    def __init__(self, cell: Cell, columns: dict[str, npt.NDArray[Any]]) -> None:
        self.cell = cell
        # An aborted game has no result.
        counts = ~np.isin(columns["termination"], list(_FINISHED))
        self.column = {name: values[counts] for name, values in columns.items()}
        self.openings, self.index = np.unique(self.column["opening"], return_inverse=True)

    @property
    def games(self) -> int:
        """Games."""
        return len(self.index)

    @property
    def red_points(self) -> Floats:
        """Red's points in each game: 1, ½, 0."""
        winner = self.column["winner"]
        return np.select([winner < 0, winner == 0], [0.5, 1.0], 0.0).astype(np.float64)

    def totals(self, values: npt.ArrayLike) -> Floats:
        """Sums by opening, shape (openings,), of values by game, shape (games,)."""
        weights = np.asarray(values, np.float64)
        return np.bincount(self.index, weights, minlength=len(self.openings)).astype(np.float64)

    def means(self, values: npt.ArrayLike) -> Floats:
        """Likewise means."""
        return self.totals(values) / self.totals(np.ones(self.games))

    @property
    def red_scores(self) -> Floats:
        """Red's score in each opening."""
        return self.means(self.red_points)

    @property
    def drawn(self) -> npt.NDArray[np.bool_]:
        """Games without a winner that the turn limit did not cut short."""
        return (self.column["winner"] < 0) & ~self.cut_short

    @property
    def cut_short(self) -> npt.NDArray[np.bool_]:
        """Games that the turn limit ended."""
        return np.asarray(self.column["termination"] == CUT_SHORT)


def read_cell(run: Run, cell: Cell, columns: Sequence[str] = _COLUMNS) -> CellRows:
    """The games of a cell.

    Raises:
        StoreError: A file is missing or damaged.
    """
    parts = [rows for _, rows in run.read("games", columns, cell=cell.number)]
    empty = GAMES.empty_table().select(list(columns))
    return CellRows(
        cell,
        {
            name: np.concatenate([part.column(name).to_numpy() for part in [empty, *parts]])
            for name in columns
        },
    )
