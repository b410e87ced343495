"""Positions that several tests look at."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from chase_fast import Rules

START = "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 1/1"
CHAIN = Rules(chain=True)
FINITE = Rules(recycle=False)
SERIES = "1a1Dd2dd/2a6/9/6b2/7d1/3e5/9/9/ABACFCC2 b e8 2/2"
# Blue has lost dice and has to hand out pips.
HANDOUT = "9/9/3e2A2/2EAaCD2/2cA1eb2/2bBAaD2/3Ca4/9/9 b - 0/2"
# Blue has four dice, too few for 25 pips (R11).
LOST = "ffff5/9/9/9/9/9/9/9/ABCDEDCBA b - 1/6"
# No path of red's five fives is free, and no two of them are neighbours.
STUCK = "2bE2E1E/9/b1E1c2c1/2bcE3c/3b5/9/9/5c3/3b5 r - 5/0"
# Red's 2 on c6 goes two steps north-east over d6 to e6, or north-west into the chamber: it splits
# into a 1 for each exit and takes both blue dice there.
TWO_CAPTURES = "1bcdedcb1/9/9/9/5a3/4a4/5B3/9/A1CDEDCBA r - 1/1"

EXAMPLES = [
    (START, Rules()),
    (HANDOUT, Rules()),
    (STUCK, Rules()),
    (LOST, Rules()),
    (TWO_CAPTURES, Rules()),
    (SERIES, CHAIN),
    (START, FINITE),
    (START.replace("1/1", "0/1"), FINITE),
    ("AaAaAaAaA/aAaAaAaAa/AaAaAaAaA/9/9/aAaAaAaAa/AaAaAaAaA/aAaAa4/9 r - 0/0", Rules(reserve=16)),
]
examples = pytest.mark.parametrize(("cfen", "rules"), EXAMPLES, ids=map(str, range(len(EXAMPLES))))


def start_board() -> npt.NDArray[np.int64]:
    board = np.zeros(81, np.int64)
    board[72:] = [1, 2, 3, 4, 5, 4, 3, 2, 1]
    board[:9] = [-1, -2, -3, -4, -5, -4, -3, -2, -1]
    return board
