"""The sequential test of two players, looked at after fixed numbers of openings and never between.

The openings have an order, and a look takes in the first so many of them, all of which are played:
so neither the number of threads nor chance decides where it ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal, Self

import numpy as np

from chase_fast._arguments import whole_number
from chase_fast.errors import ArgumentError
from chase_fast.openings import MAX_OPENINGS
from chase_fast.runner import CellScores
from chase_fast.stats.sprt import Model, llr, sprt_bounds

DEFAULT_CHECKPOINT: Final = 50

State = Literal["running", "accepted H0", "accepted H1", "ended undecided"]
"""Where a test stands."""


@dataclass(frozen=True, slots=True)
class SequentialTest:
    """What is tested: whether A is better than B by `elo0` or by `elo1`.

    Attributes:
        elo0: Difference under H0, in Elo of the model, -200 to 200.
        elo1: Difference under H1, above it.
        alpha: Chance to accept H1 where H0 is true, above 0 and below ½.
        beta: Chance to accept H0 where H1 is true, likewise.
        model: What differences are measured in.
        checkpoint: Openings between two looks, at least 1.
        bounds: Where to stop: at or below the first for H0, at or above the second for H1.

    Raises:
        ArgumentError: An attribute that is not as described.
    """

    elo0: float = 0.0
    elo1: float = 5.0
    alpha: float = 0.05
    beta: float = 0.05
    model: Model = "normalized"
    checkpoint: int = DEFAULT_CHECKPOINT
    bounds: tuple[float, float] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "bounds", sprt_bounds(self.alpha, self.beta))
        llr((1, 1, 1, 1, 1), self.elo0, self.elo1, model=self.model)  # refuses what it cannot use
        # So that 5 and 5.0 make the same run.
        for name in ("elo0", "elo1", "alpha", "beta"):
            object.__setattr__(self, name, float(getattr(self, name)))
        if not self.elo0 < self.elo1:
            raise ArgumentError(f"elo1 is {self.elo1:g}, expected more than elo0, {self.elo0:g}")
        whole_number(self.checkpoint, "checkpoint", 1, MAX_OPENINGS)

    def llr(self, pentanomial: Sequence[int]) -> float:
        """The log-likelihood ratio of openings by A's points: 0, ½, 1, 1½ and 2."""
        return llr(pentanomial, self.elo0, self.elo1, model=self.model)

    def decided(self, ratio: float) -> bool:
        """Whether it has reached a bound."""
        return not self.bounds[0] < ratio < self.bounds[1]

    def enough(self, openings: int, scores: Sequence[CellScores]) -> bool:
        """Whether it is decided after so many openings of the one cell that there is."""
        return self.decided(self.llr(scores[0].pentanomial(openings)))

    def state(self, ratio: float | None, *, ended: bool) -> State:
        """Where the test stands.

        Args:
            ratio: At the last look; None before there was one.
            ended: Whether no more is to be played.
        """
        if ratio is not None and self.decided(ratio):
            return "accepted H0" if ratio <= self.bounds[0] else "accepted H1"
        return "ended undecided" if ended else "running"

    def path(self, scores: CellScores) -> list[tuple[int, float]]:
        """Openings and ratio at each look, up to that which decides.

        Args:
            scores: Of the games that were played; the last look is after all their openings.
        """
        gaps = np.flatnonzero((scores.points < 0).any(axis=0))
        whole = int(gaps[0]) if len(gaps) else scores.points.shape[1]
        found: list[tuple[int, float]] = []
        for look in (*range(self.checkpoint, scores.pairs, self.checkpoint), scores.pairs):
            if look > whole or (found and self.decided(found[-1][1])):
                break
            found.append((look, self.llr(scores.pentanomial(look))))
        return found

    def describe(self) -> dict[str, Any]:
        """What `from_description` makes it of again: numbers and texts."""
        known = asdict(self)
        del known["bounds"]
        return known

    @classmethod
    def from_description(cls, description: Mapping[str, Any]) -> Self:
        """The test of a description.

        Raises:
            ArgumentError: It describes none.
        """
        return cls(**description)
