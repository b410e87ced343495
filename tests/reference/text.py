"""Position text (CFEN), read strictly: the first syntax fault ends the reading."""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from .board import CELL_BY_NAME, CELLS, ROWS, SIZE, cell_name
from .rules import RefRules

RED_DICE = "ABCDEF"
BLUE_DICE = "abcdef"
SIDES = "rb"
PLAIN_DECIMALS = re.compile(r"(0|[1-9][0-9]*)/(0|[1-9][0-9]*)")


class Fields(NamedTuple):
    """What a CFEN says, before R13 is asked."""

    board: tuple[int, ...]
    side: int
    capturing: int | None
    spare: tuple[int, int]


def _fault(what: str, offset: int) -> NoReturn:
    raise ValueError(f"{what} at offset {offset}")


def _read_row(text: str, start: int) -> list[int]:
    """The nine cells of one row; ``start`` is its offset in the whole text."""
    cells: list[int] = []
    after_digit = False
    for offset, sign in enumerate(text, start):
        if sign in RED_DICE:
            cells.append(RED_DICE.index(sign) + 1)
        elif sign in BLUE_DICE:
            cells.append(-BLUE_DICE.index(sign) - 1)
        elif sign in "123456789":
            if after_digit:
                _fault("two digits side by side", offset)
            cells.extend([0] * int(sign))
        else:
            _fault(f"{sign!r} is neither a die nor a number of empty cells", offset)
        after_digit = sign in "123456789"
        if len(cells) > SIZE:
            _fault("row of more than nine cells", offset)
    if len(cells) < SIZE:
        _fault("row of fewer than nine cells", start + len(text))
    return cells


def _read_board(text: str) -> tuple[int, ...]:
    board: list[int] = []
    offset = 0
    for number, row in enumerate(text.split("/")):
        if number == len(ROWS):
            _fault("more than nine rows", offset - 1)
        board.extend(_read_row(row, offset))
        offset += len(row) + 1
    if len(board) < CELLS:
        _fault("fewer than nine rows", len(text))
    return tuple(board)


def read_cfen(text: str, rules: RefRules) -> Fields:
    """The fields of a CFEN under ``rules``.

    Raises:
        ValueError: A syntax error; the message names its offset.
    """
    fields = text.split(" ")
    offsets = [sum(len(field) + 1 for field in fields[:i]) for i in range(len(fields))]
    board = _read_board(fields[0])
    if len(fields) < 2:
        _fault("side to act missing", len(text))
    if fields[1] not in ("r", "b"):
        _fault(f"side to act is {fields[1]!r}, expected r or b", offsets[1])
    side = SIDES.index(fields[1])
    capturing = None
    if len(fields) > 2 and fields[2] != "-":
        if fields[2] not in CELL_BY_NAME:
            _fault(f"capturing die is {fields[2]!r}, expected a cell or -", offsets[2])
        capturing = CELL_BY_NAME[fields[2]]
    if len(fields) > 3:
        match = PLAIN_DECIMALS.fullmatch(fields[3])
        if match is None:
            _fault(f"spare dice are {fields[3]!r}, expected two numbers", offsets[3])
        spare = (int(match[1]), int(match[2]))
    elif rules.recycle:
        red = sum(die > 0 for die in board)
        blue = sum(die < 0 for die in board)
        spare = (rules.dice - red, rules.dice - blue)
    else:
        _fault("spare dice missing, which recycle=no requires", len(text))
    if len(fields) > 4:
        _fault("text after the last field", offsets[4] - 1)
    return Fields(board, side, capturing, spare)


def _row_text(row: tuple[int, ...]) -> str:
    text = ""
    empty = 0
    for die in row:
        if die == 0:
            empty += 1
            continue
        if empty:
            text += str(empty)
            empty = 0
        text += RED_DICE[die - 1] if die > 0 else BLUE_DICE[-die - 1]
    return text + str(empty) if empty else text


def write_cfen(fields: Fields) -> str:
    """The full CFEN, all four fields."""
    rows = [_row_text(fields.board[i : i + SIZE]) for i in range(0, CELLS, SIZE)]
    capturing = "-" if fields.capturing is None else cell_name(fields.capturing)
    red, blue = fields.spare
    return f"{'/'.join(rows)} {SIDES[fields.side]} {capturing} {red}/{blue}"
