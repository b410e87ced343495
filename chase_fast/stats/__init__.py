"""Statistics of counts: pure mathematics, which knows nothing of the game."""

from chase_fast.stats.elo import PairScore, elo, pair_score
from chase_fast.stats.intervals import Interval, wilson
from chase_fast.stats.sprt import Model, llr, sprt_bounds
from chase_fast.stats.sums import PairSums, Sums

__all__ = [
    "Interval",
    "Model",
    "PairScore",
    "PairSums",
    "Sums",
    "elo",
    "llr",
    "pair_score",
    "sprt_bounds",
    "wilson",
]
