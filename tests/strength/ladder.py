"""The ladder of players, and the table of docs/players.md: ``python -m tests.strength.ladder``."""

from __future__ import annotations

import sys
from typing import NamedTuple

from chase_fast import Rules
from chase_fast.batch import processors
from chase_fast.match import MatchResult, play_match

SEED = 2026


class Rung(NamedTuple):
    """Two players and the least share of the points that the stronger one has to take."""

    stronger: str
    weaker: str
    least: float
    pairs: int = 200

    def __str__(self) -> str:
        return f"{self.stronger} - {self.weaker}"


LADDER = (
    Rung("greedy", "random", 0.6),
    Rung("ab:nodes=100", "greedy", 0.6),
    Rung("ab:nodes=1000", "ab:nodes=100", 0.6),
    Rung("ab:nodes=10000", "ab:nodes=1000", 0.6),
    Rung("ab:nodes=100000", "ab:nodes=10000", 0.6),
    Rung("ab:nodes=10000", "greedy", 0.95),
    Rung("mcts:sims=3000", "greedy", 0.95),
    Rung("mcts:sims=3000", "ab:nodes=10000", 0.3),
)


def played(rung: Rung) -> MatchResult:
    """The match of a rung."""
    return play_match(
        rung.stronger,
        rung.weaker,
        rules=Rules(),
        pairs=rung.pairs,
        seed=SEED,
        workers=processors(),
    )


def main() -> None:
    """Plays everything and prints a line of the table for each."""
    for rung in LADDER:
        result = played(rung)
        found = result.summary
        sys.stdout.write(
            f"| `{rung.stronger}` | `{rung.weaker}` | {rung.least:.0%} | {found.score:.1%} | "
            f"{found.interval.low:.1%} to {found.interval.high:.1%} |\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
