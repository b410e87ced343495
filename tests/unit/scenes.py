"""Positions and decisions to draw, from random games under several rules."""

import random
from functools import cache
from typing import NamedTuple

from chase_fast._core import Move, Position, Rules

RULES = ("standard", "chain=yes,reserve=16", "wrap=no", "ricochet=no,handout=any", "reserve=6")


class Scene(NamedTuple):
    """A decision, and the positions before and after it."""

    before: Position
    move: Move
    position: Position


def _rare(position: Position, move: Move) -> bool:
    """Whether a die enters the chamber, or one that is bumped bounces or crosses the seam."""
    return any(
        step.kind == "left" or (step.kind == "push" and (step.wraps or step.ricochets))
        for step in position.trace(move)
    )


@cache
def scenes(*, games: int, every: int) -> tuple[Scene, ...]:
    """Scenes of some random games under each of ``RULES``; always the same.

    One decision in so many, and the first that are rare.
    """
    generator = random.Random(2024)
    found = []
    for text in RULES:
        rare = 0
        for _ in range(games):
            position = Position.start(Rules.parse(text))
            for number in range(150):
                moves = position.legal_moves
                if not len(moves):
                    break
                move = moves[generator.randrange(len(moves))]
                before, position = position, position.apply(move)
                if rare < 8 and _rare(before, move):
                    rare += 1
                elif number % every:
                    continue
                found.append(Scene(before, move, position))
    return tuple(found)
