"""A histogram that costs next to nothing to add to."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

__all__ = ["Histogram"]


class Histogram:
    """Counts of values by size. Added to by one thread, read by any.

    Args:
        bounds: Upper bounds of the buckets, rising; one without a bound follows.
    """

    def __init__(self, bounds: Sequence[float]) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def add(self, value: float) -> None:
        """Counts a value."""
        self._counts[bisect_left(self._bounds, value)] += 1
        self.total += value

    def buckets(self) -> list[tuple[str, float]]:
        """How many values are at most each bound, as prometheus_client takes it."""
        names = [*(f"{bound:g}" for bound in self._bounds), "+Inf"]
        return list(zip(names, map(float, accumulate(list(self._counts))), strict=True))
