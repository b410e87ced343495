"""What was measured of late: items a second, and how estimates compare with the clock."""

from __future__ import annotations

import math
from typing import Final

# Seconds over which what was measured is averaged.
_MEMORY: Final = 1.0
# Seconds of estimated work that were as estimated, before anything was measured.
_PRIOR: Final = 0.01


class Rate:
    """Items, or anything else that is counted, a second, averaged over the last moments.

    Args:
        now: The time, in seconds.
    """

    __slots__ = ("_rate", "_since")

    def __init__(self, now: float) -> None:
        self._rate = 0.0
        self._since = now

    def rate(self, now: float) -> float:
        """How many a second."""
        return self._rate * math.exp((self._since - now) / _MEMORY)

    def recent(self, now: float) -> float:
        """How many in the last moments."""
        return self.rate(now) * _MEMORY

    def add(self, count: float, now: float) -> None:
        """Notes so many more."""
        self._rate = self.rate(now) + count / _MEMORY
        self._since = now


class Slowness:
    """By what factor work takes longer than estimated.

    Estimates know the work, but not this machine, nor what else its processors do.

    Args:
        now: The time, in seconds.
    """

    __slots__ = ("_estimated", "_since", "_taken")

    def __init__(self, now: float) -> None:
        self._taken = 0.0
        self._estimated = 0.0
        self._since = now

    def factor(self, now: float) -> float:
        """1 if all is as estimated, or nothing was measured of late."""
        left = math.exp((self._since - now) / _MEMORY)
        return (self._taken * left + _PRIOR) / (self._estimated * left + _PRIOR)

    def add(self, taken: float, estimated: float, now: float) -> None:
        """Notes work that took so many seconds and was estimated to take so many."""
        left = math.exp((self._since - now) / _MEMORY)
        self._taken = self._taken * left + taken
        self._estimated = self._estimated * left + estimated
        self._since = now
