"""The counts behind a static score, from their definitions in ``players.h``."""

from __future__ import annotations

from collections import Counter

from .board import CHAMBER, DIRECTIONS, SIZE, neighbours
from .model import MAX_VALUE, RED, RefPosition
from .moves import IllegalMoveError, Move

__all__ = ["features"]

MOST_TO_LOSE = 9
MOST_SPARE = 3


def ray_ends(position: RefPosition, side: int) -> list[int]:
    """Where the free rays of a side's dice end, one entry for each ray (R6)."""
    move = Move(position.rules, position.board_dict())
    ends = []
    for cell in position.dice(side):
        for direction in DIRECTIONS:
            try:
                ends.append(move.walk(cell, direction).cell)
            except IllegalMoveError:
                continue
    return ends


def own_counts(position: RefPosition, side: int) -> Counter[str]:
    """The counts of one side that do not look at the other side's dice."""
    dice, ends = position.dice(side), ray_ends(position, side)
    counts = Counter(f"value_{value}" for value in dice.values())
    fewest = -(-position.rules.total // MAX_VALUE)
    counts[f"dice_{min(max(len(dice) - fewest, 0), MOST_TO_LOSE)}"] = 1
    for cell in dice:
        row = cell // SIZE
        counts[f"row_{SIZE - 1 - row if side == RED else row}"] += 1
        counts["linked"] += any(other in dice for other in neighbours(cell, position.rules))
        counts["guarded"] += cell in ends
    counts["mobility"] = len(ends)
    counts["reach"] = len(set(ends))
    if CHAMBER in ends:
        counts["split_line" if position.spare[side] else "whole_line"] = 1
    for number in range(1, MOST_SPARE + 1):
        counts[f"spare_{number}"] = int(position.spare[side] >= number)
    return counts


def attacked(position: RefPosition, side: int) -> tuple[int, int]:
    """How many dice of a side the other one attacks: those not guarded, and those guarded."""
    ours, theirs = ray_ends(position, side), ray_ends(position, 1 - side)
    hit = [cell for cell in position.dice(side) if cell in theirs]
    guarded = sum(cell in ours for cell in hit)
    return len(hit) - guarded, guarded


def features(position: RefPosition) -> Counter[str]:
    """All counts by name; those that are not there are 0."""
    me, other = position.side, 1 - position.side
    counts = own_counts(position, me)
    counts.subtract(own_counts(position, other))
    act_loose, act_guarded = attacked(position, other)
    wait_loose, wait_guarded = attacked(position, me)
    counts["act_loose"] = act_loose
    counts["act_guarded"] = act_guarded
    counts["act_any"] = int(act_loose >= 1)
    counts["wait_loose"] = -wait_loose
    counts["wait_guarded"] = -wait_guarded
    counts["wait_any"] = -int(wait_loose >= 1)
    counts["wait_two"] = -int(wait_loose >= 2)
    counts["tempo"] = 1
    return counts
