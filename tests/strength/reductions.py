"""What each reduction is worth: ``python -m tests.strength.reductions``, on a quiet machine.

"At equal time" is made repeatable: the speed of both searches is measured, in nodes of processor
time on positions of games, alternating; then the one without the reduction gets the nodes that it
would search in the time of the other.
"""

from __future__ import annotations

import statistics
import sys
import time

from chase_fast import Position, Rules
from chase_fast._core import REDUCTIONS, StopFlag
from chase_fast.agents import make_player
from chase_fast.batch import processors
from chase_fast.game import Game
from chase_fast.match import play_match
from chase_fast.replay import playout_game

NODES = 3000
PAIRS = 400
SEED = 7
_ROUNDS = 5
_POSITIONS = 30


def without(name: str) -> str:
    """The player's text without one reduction; without all of them for ``all``."""
    rest = [one for one in REDUCTIONS if one != name]
    return "none" if name == "all" else "+".join(rest)


def nodes_per_second(reductions: str, games: list[Game]) -> float:
    """Nodes a second of processor time."""
    nodes = 0
    began = time.process_time()
    for game in games:
        with make_player(f"ab:nodes={NODES},reductions={reductions}") as player:
            nodes += player.search(game, stop=StopFlag()).nodes
    return nodes / (time.process_time() - began)


def main() -> None:
    """Prints a line of the table of docs/players.md for each reduction, and for all of them."""
    start = Position.start(Rules())
    games = [playout_game(start, n, seed=SEED, max_turns=20) for n in range(_POSITIONS)]
    games = [game for game in games if game.outcome is None]
    for name in (*REDUCTIONS, "all"):
        ratios = [
            nodes_per_second(without(name), games) / nodes_per_second("all", games)
            for _ in range(_ROUNDS)
        ]
        ratio = statistics.median(ratios)
        result = play_match(
            f"ab:nodes={NODES}",
            f"ab:nodes={round(NODES * ratio)},reductions={without(name)}",
            pairs=PAIRS,
            seed=SEED,
            workers=processors(),
        )
        found = result.summary
        sys.stdout.write(
            f"| `{name}` | {ratio:.2f} | {found.score:.1%} | {found.interval.low:.1%} to "
            f"{found.interval.high:.1%} |\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
