"""Positions made from numbers: what is taken, what is refused, and that nothing wraps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import chase_fast as cf
from chase_fast import BLUE, RED, InvalidPositionError, Position, Rules
from tests.unit.positions import CHAIN, FINITE, START, examples, start_board


@examples
def test_numbers_give_an_equal_position(cfen: str, rules: Rules) -> None:
    position = Position.parse(cfen, rules)
    for board in (
        position.board,
        position.board.reshape(9, 9),
        position.board.astype(np.int64),
        position.board.tolist(),
        position.board[::-1][::-1],
        np.asfortranarray(position.board.reshape(9, 9)),
        position.board.astype(">i2"),
    ):
        made = Position.from_array(
            board,
            position.side_to_act,
            spare=position.spare,
            capturing=position.capturing,
            rules=rules,
        )
        assert made == position
        assert made._consistent()


def test_unsigned_boards_hold_red_dice_only() -> None:
    board = np.zeros(81, np.uint8)
    board[72:] = [1, 2, 3, 4, 5, 4, 3, 2, 1]
    lone = Position.from_array(board, BLUE)
    assert lone.cfen == "9/9/9/9/9/9/9/9/ABCDEDCBA b - 1/10"
    assert lone.winner is RED


def test_spare_dice_follow_from_the_board() -> None:
    assert Position.from_array(start_board(), 0) == Position.start()
    with pytest.raises(InvalidPositionError, match=r"spare dice must be given.*recycle=no"):
        Position.from_array(start_board(), 0, rules=FINITE)
    made = Position.from_array(start_board(), 0, spare=(0, 1), rules=FINITE)
    assert made.spare == (0, 1)


def test_nothing_of_the_callers_memory_is_kept() -> None:
    board = start_board().astype(np.int8)
    position = Position.from_array(board, RED)
    board[:] = 0
    assert position == Position.start()


@pytest.mark.parametrize("side", [np.int8(1), BLUE, 1])
def test_side_may_be_any_integer_type(side: Any) -> None:
    assert Position.from_array(start_board(), side).side_to_act is BLUE


WRONG_BOARDS: list[tuple[Any, str]] = [
    (np.zeros(80, np.int8), r"shape \(80,\), expected \(81,\) or \(9, 9\)"),
    (np.zeros((9, 9, 1), np.int8), r"shape \(9, 9, 1\)"),
    (np.zeros((3, 27), np.int8), r"shape \(3, 27\)"),
    ([], r"shape \(0,\)"),
    (5, r"shape \(\)"),
    (None, r"shape \(\)"),
    (START, r"shape \(\)"),
    ([[0] * 9] * 8 + [[0] * 8], "cannot be read as an array"),
    (np.zeros(81), "dtype float64, expected integers"),
    (np.zeros(81, bool), "dtype bool"),
    (np.zeros(81, complex), "dtype complex128"),
    (["A"] * 81, "dtype <U1"),
    ([None] * 81, "dtype object"),
    ([2**70] * 81, "dtype object"),
    (np.zeros(81, "M8[s]"), "dtype datetime64"),
    (np.zeros(81, [("value", np.int8)]), "dtype"),
]


@pytest.mark.parametrize(("board", "reason"), WRONG_BOARDS, ids=map(str, range(len(WRONG_BOARDS))))
def test_wrong_boards_are_refused(board: Any, reason: str) -> None:
    with pytest.raises(InvalidPositionError, match=reason):
        Position.from_array(board, RED)


@pytest.mark.parametrize("value", [7, 127, 128, 255, 256 + 1, 300, 9999])
@pytest.mark.parametrize("sign", [1, -1])
def test_values_never_wrap(value: int, sign: int) -> None:
    board = start_board()
    board[cf.parse_cell("e4")] = sign * value
    with pytest.raises(InvalidPositionError) as refused:
        Position.from_array(board, RED)
    name = "red" if sign > 0 else "blue"
    assert refused.value.reasons == (
        f"die at e4 has value {value}, expected 1 to 6",
        f"{name} shows {25 + value} pips, expected at most its total of 25",
    )


@pytest.mark.parametrize("value", [10_000, 2**31, 2**32 + 1, 2**63 - 1, -(2**63), -(2**32)])
def test_values_beyond_any_sense_are_refused(value: int) -> None:
    board = start_board()
    board[cf.parse_cell("e4")] = value
    with pytest.raises(InvalidPositionError, match=f"die at e4 has value {value}, expected 1 to 6"):
        Position.from_array(board, RED)


def test_a_large_die_on_the_chamber_is_named_as_given() -> None:
    board = start_board()
    board[cf.parse_cell("e5")] = -1000
    with pytest.raises(InvalidPositionError) as refused:
        Position.from_array(board, RED)
    assert refused.value.reasons[:2] == (
        "die at e5 has value 1000, expected 1 to 6",
        "die of value 1000 at e5: no die rests on the chamber (R4)",
    )


WRONG_NUMBERS: list[tuple[dict[str, Any], str]] = [
    ({"side": 2}, "side to act is 2, expected 0"),
    ({"side": -1}, "side to act is -1, expected 0"),
    ({"side": 2**40}, "side to act is 1099511627776, expected 0"),
    ({"side": True}, "side to act is True, expected 0"),
    ({"side": None}, "side to act is None, expected 0"),
    ({"side": "r"}, "side to act is 'r', expected 0"),
    ({"spare": (2, 1)}, "red has 11 dice on the board and spare, expected exactly 10"),
    ({"spare": (1, -1)}, "blue has -1 spare dice, expected 0 or more"),
    ({"spare": (257, 1)}, "red has 266 dice"),
    ({"spare": (1, 2**31)}, "spare dice of blue is 2147483648, expected 0 or more"),
    ({"spare": (1.0, 1)}, "spare dice of red is 1.0, expected 0 or more"),
    ({"spare": (1,)}, "spare must be the spare dice of red and blue, not (1,)"),
    ({"spare": (1, 1, 1)}, "spare must be the spare dice"),
    ({"spare": 1}, "spare must be the spare dice of red and blue, not 1"),
    ({"spare": "11"}, "spare must be the spare dice"),
    ({"capturing": 81}, "capturing die on cell number 81, expected 0 to 80 or none"),
    ({"capturing": -1}, "capturing die on cell number -1"),
    ({"capturing": 256 + 72}, "capturing die on cell number 328"),
    ({"capturing": 2**32}, "capturing cell is 4294967296, expected 0 to 80 or None"),
    ({"capturing": "a1"}, "capturing cell is 'a1', expected 0 to 80 or None"),
    ({"capturing": 72}, "capturing die at a1 cannot capture"),
    ({"spare": (1, 10**5000)}, "an int of 16610 bits"),
]


@pytest.mark.parametrize(
    ("numbers", "reason"), WRONG_NUMBERS, ids=map(str, range(len(WRONG_NUMBERS)))
)
def test_wrong_numbers_are_refused(numbers: dict[str, Any], reason: str) -> None:
    arguments: dict[str, Any] = {"board": start_board(), "side": RED, "rules": CHAIN, **numbers}
    with pytest.raises(InvalidPositionError) as refused:
        Position.from_array(**arguments)
    assert reason in str(refused.value)
