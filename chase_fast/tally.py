"""Any number of random games summed up in constant memory: exact totals, means, errors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from chase_fast._arguments import instance
from chase_fast._core import GAME_DTYPE, Side, Termination
from chase_fast.batch import Playouts
from chase_fast.stats import Interval, PairSums, Sums, wilson

__all__ = ["COUNTERS", "TERMINATIONS", "Tally"]

COUNTERS: tuple[str, ...] = tuple(
    name for name in GAME_DTYPE.names or () if name not in ("winner", "termination")
)
"""The columns of `GAME_DTYPE` that count something, in its order."""

TERMINATIONS: tuple[Termination, ...] = tuple(
    word for word in Termination if word != Termination.NONE
)
"""The ways in which a playout ends, in the order of their codes."""


@dataclass(slots=True)
class Tally:
    """Totals of random games; batches may come in any number and order, with the same result.

    Attributes:
        games: Games so far.
        wins: Games won by red and by blue.
        terminations: Games that ended in each way.
        counters: For each of `COUNTERS` its sums over the games.
        options: Legal decisions and decisions of each game, for their ratio.
    """

    games: int = field(default=0, init=False)
    wins: dict[Side, int] = field(default_factory=lambda: dict.fromkeys(Side, 0), init=False)
    terminations: dict[Termination, int] = field(
        default_factory=lambda: dict.fromkeys(TERMINATIONS, 0), init=False
    )
    counters: dict[str, Sums] = field(
        default_factory=lambda: dict.fromkeys(COUNTERS, Sums()), init=False
    )
    options: PairSums = field(default_factory=PairSums, init=False)

    def add(self, batch: Playouts) -> None:
        """Counts the games of a batch in.

        Raises:
            ArgumentError: Not a batch.
        """
        rows = instance(batch, "batch", Playouts, "Playouts").array
        self.games += len(rows)
        for side in Side:
            self.wins[side] += int(np.count_nonzero(rows["winner"] == side))
        for word in TERMINATIONS:
            self.terminations[word] += int(np.count_nonzero(rows["termination"] == word))
        for name in COUNTERS:
            self.counters[name] += Sums.of(rows[name])
        self.options += PairSums.of(rows["options"], rows["decisions"])

    def merge(self, other: Tally) -> None:
        """Counts the games of another tally in.

        Raises:
            ArgumentError: Not a tally.
        """
        other = instance(other, "other", Tally, "a Tally")
        self.games += other.games
        for side in Side:
            self.wins[side] += other.wins[side]
        for word in TERMINATIONS:
            self.terminations[word] += other.terminations[word]
        for name in COUNTERS:
            self.counters[name] += other.counters[name]
        self.options += other.options

    @property
    def without_winner(self) -> int:
        """Games drawn or ended by the turn limit."""
        return self.games - sum(self.wins.values())

    @property
    def red_score(self) -> float | None:
        """Mean score of red: win 1, no winner ½; None without games."""
        points = self.wins[Side.RED] + self.without_winner / 2
        return points / self.games if self.games else None

    def red_score_interval(self, *, confidence: float = 0.95) -> Interval:
        """Wilson interval of `red_score`.

        Raises:
            ArgumentError: No games yet, or a confidence that is not between 0 and 1.
        """
        points = self.wins[Side.RED] + self.without_winner / 2
        return wilson(points, self.games, confidence=confidence)

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain numbers, for JSON; ``docs/cli.md`` lists the keys."""
        interval = self.red_score_interval() if self.games else None
        return {
            "games": self.games,
            "red_wins": self.wins[Side.RED],
            "blue_wins": self.wins[Side.BLUE],
            "without_winner": self.without_winner,
            "red_score": {
                "value": self.red_score,
                "low": interval.low if interval else None,
                "high": interval.high if interval else None,
            },
            "terminations": {str(word): games for word, games in self.terminations.items()},
            "options_per_decision": {
                "value": self.options.ratio,
                "standard_error": self.options.standard_error,
            },
            "per_game": {
                name: {
                    "total": sums.total,
                    "mean": sums.mean,
                    "standard_error": sums.standard_error,
                    "min": sums.lowest,
                    "max": sums.highest,
                }
                for name, sums in self.counters.items()
            },
        }
