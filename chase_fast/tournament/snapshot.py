"""A tournament while it is played, for whoever watches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chase_fast.cells import Cell
from chase_fast.runner import Progress
from chase_fast.stats.elo import PairScore, pair_score
from chase_fast.stats.ratings import Ratings
from chase_fast.tournament.sequential import SequentialTest
from chase_fast.tournament.standings import player_names, rate


@dataclass(frozen=True, slots=True)
class Snapshot:
    """How far a tournament has come; what it holds changes as more is played.

    Attributes:
        cells: Who plays whom.
        progress: Games and points by cell, pace, time left.
        test: The sequential test, if it is one.
    """

    cells: Sequence[Cell]
    progress: Progress
    test: SequentialTest | None = None

    def scores(self) -> dict[str, tuple[int, float]]:
        """Games and points of each player so far."""
        found = dict.fromkeys(player_names(self.cells), (0, 0.0))
        for cell, scores in zip(self.cells, self.progress.scores, strict=True):
            played = scores.points >= 0
            games = int(played.sum())
            points = float(np.where(played, scores.points, 0).sum()) / 2
            for player, more in ((cell.a, points), (cell.b, games - points)):
                before = found[str(player)]
                found[str(player)] = before[0] + games, before[1] + more
        return found

    def summary(self, cell: int = 0) -> PairScore | None:
        """Score and Elo of the first player of a cell so far; None before there is a game."""
        pentanomial = self.progress.scores[cell].pentanomial()
        return pair_score(pentanomial) if any(pentanomial) else None

    def ratings(self) -> Ratings | None:
        """Ratings so far, with intervals of normal theory; None before all have met."""
        return rate(self.cells, self.progress.scores, bootstrap=0)

    def path(self) -> list[tuple[int, float]]:
        """Openings and log-likelihood ratio at the looks of the test so far."""
        if self.test is None:
            return []
        return self.test.path(self.progress.scores[0])
