"""The verification mode against its twin, which looks at everything."""

from __future__ import annotations

from collections import Counter

import pytest

from chase_fast._core import CorePlayer, Evaluator, Move, Position, StopFlag
from tests.reference.minimax import TooManyError, Twin
from tests.unit.vectors import mixed_positions, shipped_evaluator


def verified(evaluator: Evaluator, position: Position, depth: int, *, table: bool = True) -> int:
    """The score of the verification mode."""
    player = CorePlayer(evaluator, "ab", depth=depth, verify=True, table=table, hash_mib=1)
    return player.search(position, [], StopFlag()).lines[0].score


def compare(position: Position, most: int) -> int:
    """Compares at depths 1 to 3; returns the last one that the twin could afford."""
    evaluator = shipped_evaluator(position.rules)
    twin = Twin(evaluator, most)
    for depth in (1, 2, 3):
        try:
            expected = twin.score(position, depth)
        except TooManyError:
            return depth - 1
        for table in (True, False):
            got = verified(evaluator, position, depth, table=table)
            assert got == expected, (str(position.rules), position.cfen, depth, table)
    return 3


def compare_many(seed: int, wanted: int, most: int) -> Counter[int]:
    """Compares until so many positions were; returns how many to which depth."""
    depths: Counter[int] = Counter()
    rules = set()
    for position in mixed_positions(seed):
        depth = compare(position, most)
        depths[depth] += 1
        if depth:
            rules.add(str(position.rules))
        if depths.total() - depths[0] == wanted:
            break
    assert depths.total() - depths[0] == wanted
    assert len(rules) >= min(wanted // 2, 17), "rule sets of the vectors, of which there are 17"
    return depths


def test_few() -> None:
    depths = compare_many(1, 24, 4_000)
    assert depths[2] + depths[3] >= 12
    assert depths[3] >= 2


@pytest.mark.slow
def test_many() -> None:
    depths = compare_many(2, 200, 60_000)
    assert depths[2] + depths[3] >= 120
    assert depths[3] >= 30
