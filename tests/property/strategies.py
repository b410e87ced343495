"""What hypothesis draws: rule sets, and any valid position under them, dense ones included."""

from __future__ import annotations

import random

from hypothesis import strategies as st

import chase_fast as cf
from tests.reference import RefPosition, RefRules

CHAMBER = 40
SETUPS = ["123454321", "143252341", "234565432", "123456111", "111111111", "666666666"]


@st.composite
def rule_sets(draw: st.DrawFn) -> RefRules:
    """Every option of R12, the defaults more often than not."""
    return RefRules(
        reserve=draw(st.sampled_from([1, 1, 1, 0, 2, 3, 6, 7, 16]) | st.integers(0, 16)),
        recycle=draw(st.sampled_from([True, True, False])),
        chain=draw(st.booleans()),
        handout=draw(st.sampled_from(["lowest", "any"])),
        setup=draw(
            st.sampled_from([SETUPS[0], *SETUPS]) | st.from_regex("[1-6]{9}", fullmatch=True)
        ),
        wrap=draw(st.sampled_from([True, True, True, False])),
        ricochet=draw(st.sampled_from([True, True, True, False])),
        repetition=draw(st.sampled_from(["threefold", "moves", "none"])),
    )


def engine_rules(rules: RefRules) -> cf.Rules:
    """The same rules for the engine."""
    return cf.Rules(
        reserve=rules.reserve,
        recycle=rules.recycle,
        chain=rules.chain,
        handout=rules.handout,
        setup=rules.setup,
        wrap=rules.wrap,
        ricochet=rules.ricochet,
        repetition=rules.repetition,
    )


def engine_position(position: RefPosition) -> cf.Position:
    """The same position for the engine."""
    return cf.Position.parse(position.cfen, engine_rules(position.rules))


def _values(chance: random.Random, dice: int, total: int) -> list[int]:
    values = [1] * dice
    for _ in range(total - dice):
        values[chance.choice([i for i, value in enumerate(values) if value < 6])] += 1
    return values


@st.composite
def positions(draw: st.DrawFn) -> RefPosition:
    """Any position that R13 allows outside a series: each side's dice anywhere, in any number.

    Dice crowd around one row at times, which makes chains long, and the side to act may lack pips.
    """
    rules = draw(rule_sets())
    chance = draw(st.randoms(use_true_random=False))
    most = 9 + rules.reserve
    least = -(-rules.total // 6)
    # The wish for many dice gives way to what the total allows.
    wish = draw(st.sampled_from([9, 9, 12, 18, 25]))
    side = chance.randrange(2)
    row = chance.choice([0, 1, 3, 4, 5, 8])
    crowded = draw(st.booleans())
    cells = [cell for cell in range(81) if cell != CHAMBER]
    chance.shuffle(cells)
    if crowded:
        cells.sort(key=lambda cell: abs(cell // 9 - row) + chance.random() * 2)
    board = [0] * 81
    counts = []
    for owner in (0, 1):
        total = rules.total
        if owner == side and chance.random() < 0.2:
            total -= chance.randint(1, min(10, total - 1))
        low = min(least, total)
        dice = min(max(chance.randint(low, max(low, wish)), -(-total // 6)), most, total)
        if 6 * dice < total:
            total = 6 * dice
        for value in _values(chance, dice, total):
            board[cells.pop(chance.randrange(min(len(cells), 2 * dice)))] = value * (1 - 2 * owner)
        counts.append(dice)
    if rules.recycle:
        spare = (most - counts[0], most - counts[1])
    else:
        spare = (
            chance.randint(0, min(rules.reserve, most - counts[0])),
            chance.randint(0, min(rules.reserve, most - counts[1])),
        )
    return RefPosition(rules, tuple(board), side, None, spare)
