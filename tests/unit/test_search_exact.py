"""The verification mode against its twin, which looks at everything."""

from __future__ import annotations

from collections import Counter

import pytest

from chase_fast._core import (
    MAX_DECISIONS,
    SCORE_WIN,
    CorePlayer,
    Evaluator,
    Move,
    Position,
    StopFlag,
)
from tests.unit.minimax import TooManyError, Twin
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
    assert depths[2] + depths[3] >= 6
    assert depths[3] >= 2


@pytest.mark.slow
def test_many() -> None:
    depths = compare_many(2, 200, 40_000)
    assert depths[2] + depths[3] >= 60
    assert depths[3] >= 30


# The code of i1E is 0. Red on i1 wins by it.
I1E_WINS = "E4e3/4e4/1e7/e8/9/1e2E4/E1E6/6E2/9 r - 5/5"


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("table", [True, False])
def test_the_first_code_is_a_decision(depth: int, table: bool) -> None:
    position = Position.parse(I1E_WINS)
    evaluator = shipped_evaluator(position.rules)
    player = CorePlayer(evaluator, "ab", depth=depth, verify=True, table=table, hash_mib=1)
    line = player.search(position, [], StopFlag()).lines[0]
    assert line.pv == (Move.parse("i1E"),)
    assert line.score == SCORE_WIN - 1


def test_every_decision_has_its_line() -> None:
    for position in mixed_positions(3)[:200]:
        evaluator = shipped_evaluator(position.rules)
        player = CorePlayer(evaluator, "ab", nodes=300, hash_mib=1)
        for _ in range(2):  # the second time the table knows the best one
            lines = player.search(position, [], StopFlag(), lines=MAX_DECISIONS).lines
            first = [line.pv[0] for line in lines]
            assert len(set(first)) == len(first)
            assert set(first) == set(position.legal_moves)
