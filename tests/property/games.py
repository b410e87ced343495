"""Hypothesis strategies of games made from legal decisions."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from chase_fast._core import Move, Position, Rules
from chase_fast.game import Game

RULES = (
    "standard",
    "rulebook",
    "russian",
    "wikipedia",
    "reserve=0",
    "reserve=6,chain=yes",
    "recycle=no",
    "recycle=no,chain=yes,reserve=3",
    "wrap=no,ricochet=no",
    "repetition=moves,setup=111111111",
    "setup=666666666,handout=any",
)


def random_game(rules: str, seed: int, decisions: int) -> Game:
    """A game of so many random decisions, fewer if it ends before."""
    choose = random.Random(seed)
    game = Game(rules=Rules.parse(rules))
    while game.outcome is None and len(game.moves) < decisions:
        game.push(choose.choice(game.legal_moves))
    return game


def games(most: int = 300) -> st.SearchStrategy[Game]:
    """Games under many rules, finished or not."""
    return st.builds(
        random_game, st.sampled_from(RULES), st.integers(0, 2**32), st.integers(0, most)
    )


def random_turn(game: Game, seed: int) -> tuple[Position, list[Move]] | None:
    """The position of a game and a random rest of its turn; None where the game is over."""
    choose = random.Random(seed)
    position = game.position
    walk, moves = position, []
    while walk.winner is None and walk.side_to_act == position.side_to_act:
        moves.append(choose.choice(walk.legal_moves))
        walk = walk.apply(moves[-1])
    return (position, moves) if moves else None


def turns() -> st.SearchStrategy[tuple[Position, list[Move]]]:
    """Positions with a whole turn that is legal there."""
    drawn = st.builds(random_turn, games(), st.integers(0, 2**32))
    return drawn.filter(bool).map(lambda turn: turn or (Position.start(), []))
