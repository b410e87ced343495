"""Statistics of counts: pure mathematics, which knows nothing of the game."""

from chase_fast.stats.intervals import Interval, wilson
from chase_fast.stats.sums import PairSums, Sums

__all__ = ["Interval", "PairSums", "Sums", "wilson"]
