"""First turns of games, so that players without chance do not play the same game twice."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from chase_fast._arguments import whole_number
from chase_fast._core import Position, Rules
from chase_fast.errors import ArgumentError
from chase_fast.game import Game
from chase_fast.replay import playout_game

__all__ = ["MAX_OPENING_TURNS", "random_openings"]

MAX_OPENING_TURNS = 100

# Candidates in a row that bring nothing new before it is taken that there is nothing more.
_PATIENCE = 2000


def random_openings(rules: Rules, turns: int, *, seed: int = 0) -> Iterator[Game]:
    """Different unfinished games of so many uniformly random turns.

    The n-th one depends on the arguments alone. Different means that they end in different
    positions. Candidate k is the playout with index k of the seed, cut off after so many turns.

    Args:
        rules: What they are played under.
        turns: 0 to `MAX_OPENING_TURNS`.
        seed: 0 to 2**64 - 1.

    Yields:
        Games.

    Raises:
        ArgumentError: A number outside its range, or there are no more.
    """
    whole_number(turns, "turns", 0, MAX_OPENING_TURNS)
    start = Position.start(rules)
    if turns == 0:
        yield Game(start)
        raise ArgumentError("there is one opening of 0 turns; ask for more turns")
    seen: set[Position] = set()
    fruitless = 0
    for candidate in count():
        game = playout_game(start, candidate, seed=seed, max_turns=turns)
        if game.outcome is None and game.turn_count == turns and game.position not in seen:
            seen.add(game.position)
            fruitless = 0
            yield game
        elif (fruitless := fruitless + 1) == _PATIENCE:
            raise ArgumentError(
                f"found no more than {len(seen)} openings of {turns} turns; ask for more turns"
            )
