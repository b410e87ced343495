"""The cylinder of 81 hexagonal cells: names, directions, one step (R1 to R4).

A cell is an int in reading order, 0 = i1 to 80 = a9, so row 0 is ``i``, row 8 is ``a``, and
column 0 is written ``1``.
"""

from __future__ import annotations

from typing import NamedTuple

from .rules import RefRules

SIZE = 9
CELLS = SIZE * SIZE
ROWS = "ihgfedcba"
TOP, BOTTOM = 0, SIZE - 1

DIRECTIONS = ("E", "NE", "NW", "W", "SW", "SE")  # counter-clockwise, 60 degrees apart
OPPOSITE = {"E": "W", "NE": "SW", "NW": "SE", "W": "E", "SW": "NE", "SE": "NW"}
RICOCHET = {"NE": "SE", "SE": "NE", "NW": "SW", "SW": "NW"}  # R3: the vertical part flips
ROW_CHANGE = {"E": 0, "NE": -1, "NW": -1, "W": 0, "SW": 1, "SE": 1}


def cell_name(cell: int) -> str:
    """The cell's name, ``i1`` to ``a9`` (R1)."""
    row, column = divmod(cell, SIZE)
    return f"{ROWS[row]}{column + 1}"


CELL_BY_NAME = {cell_name(cell): cell for cell in range(CELLS)}
CHAMBER = CELL_BY_NAME["e5"]  # R4


class Step(NamedTuple):
    """Where one step leads, in which direction the die arrives, and what it met on the way."""

    cell: int
    direction: str
    bounced: bool
    crossed_seam: bool


def is_right_shifted(row: int) -> bool:
    """Whether the row stands half a cell to the right of its neighbours (R1)."""
    return ROWS[row] in "acegi"


def leaves_end_row(cell: int, direction: str) -> bool:
    """Whether a step would leave the board over its top or bottom row (R3)."""
    return not 0 <= cell // SIZE + ROW_CHANGE[direction] < SIZE


def column_change(row: int, direction: str) -> int:
    """How the column changes by one step from a cell of this row (R2)."""
    if direction == "E":
        return 1
    if direction == "W":
        return -1
    if direction in ("NE", "SE"):
        return 1 if is_right_shifted(row) else 0
    return 0 if is_right_shifted(row) else -1


def step(cell: int, direction: str, rules: RefRules) -> Step | None:
    """One step with wrap (R2) and ricochet (R3); None where an option of R12 forbids it."""
    bounced = leaves_end_row(cell, direction)
    if bounced:
        if not rules.ricochet:
            return None
        direction = RICOCHET[direction]
    row, column = divmod(cell, SIZE)
    column += column_change(row, direction)
    crossed_seam = not 0 <= column < SIZE
    if crossed_seam and not rules.wrap:
        return None
    row += ROW_CHANGE[direction]
    return Step(row * SIZE + column % SIZE, direction, bounced, crossed_seam)


def neighbours(cell: int, rules: RefRules) -> list[int]:
    """The cells next to a cell, in order of direction; no ricochet makes a neighbour (R2, R10)."""
    found = []
    for direction in DIRECTIONS:
        if not leaves_end_row(cell, direction):
            taken = step(cell, direction, rules)
            if taken is not None:
                found.append(taken.cell)
    return found


def turn_left(direction: str, sixths: int) -> str:
    """The direction this many times 60 degrees to the left, as seen by the moving die (R8)."""
    return DIRECTIONS[(DIRECTIONS.index(direction) + sixths) % len(DIRECTIONS)]


def half_turn_cell(cell: int) -> int:
    """The cell's image when the board is turned by 180 degrees about the chamber.

    Rows a, c, e, g, i take column c to 10 - c. The other rows stand half a cell to the left, so
    there it is 11 - c, and column 1 stays column 1 across the seam.
    """
    row, column = divmod(cell, SIZE)
    column = SIZE - 1 - column if is_right_shifted(row) else SIZE - column
    return (SIZE - 1 - row) * SIZE + column % SIZE
