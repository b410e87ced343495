"""The board as text for a terminal.

Rows stand half a cell apart as on the board (R1). A die is its value in brackets, ``[3]`` for red
and ``<3>`` for blue, so that the sides differ without colour. Every character takes one column on
every terminal: those that East Asian terminals may draw twice as wide are avoided.
"""

import os
from dataclasses import dataclass
from typing import TextIO

from chase_fast._arguments import choice, flag, shown
from chase_fast._core import Move, Position, Side, cell_name
from chase_fast._geometry import CELLS, CHAMBER, COLUMNS, Orientation
from chase_fast._lastmove import LastMove, Mark, due_text, explain_pair
from chase_fast.errors import ArgumentError

_BRACKETS = {Side.RED: ("[", "]"), Side.BLUE: ("<", ">")}


@dataclass(frozen=True, slots=True)
class _Signs:
    """What stands on cells without a die, and before cells of the last decision."""

    empty: str
    path: str
    chamber: str
    acts: str
    marks: dict[Mark, str]


_UNICODE = _Signs(
    empty="\N{BULLET OPERATOR}",
    path="\N{RING OPERATOR}",
    chamber=3 * "\N{LIGHT SHADE}",
    acts="\N{BLACK RIGHT-POINTING SMALL TRIANGLE}",
    marks={
        Mark.ORIGIN: "\N{WHITE BULLET}",
        Mark.LANDED: "\N{BLACK RIGHT-POINTING SMALL TRIANGLE}",
        Mark.CHANGED: "=",
        Mark.CAPTURED: "\N{MULTIPLICATION X}",
    },
)
_ASCII = _Signs(
    empty=".",
    path=":",
    chamber="###",
    acts=">",
    marks={Mark.ORIGIN: "o", Mark.LANDED: ">", Mark.CHANGED: "=", Mark.CAPTURED: "x"},
)

# Parameters of the ANSI sequence "select graphic rendition" (ECMA-48).
_RED, _BLUE, _MARK, _FAINT, _STRONG = "1;97;41", "1;97;44", "1;33", "2", "1"


def text_board(
    position: Position,
    *,
    colour: bool = False,
    last_move: Move | str | None = None,
    before: Position | None = None,
    orientation: Orientation = "red",
    unicode: bool = True,
) -> str:
    """Draws a position as text, 48 columns wide and 13 lines high (14 with the last decision).

    The colons at the sides are the seam (R2; bars under rules without wrap), the shaded cell is
    the chamber. Before a cell of the last decision stands a sign: a ring where the moving die
    set out, a triangle where a die landed or was pushed to, a cross where one was captured, ``=``
    where the value changed; small rings are the path. The last line tells it: ``~`` crosses the
    seam, ``^`` is a ricochet, ``x3`` the capture of a 3.

    Args:
        position: What to draw.
        colour: Whether to use ANSI colours; see ``use_colour``.
        last_move: The decision that led to ``position``; requires ``before``.
        before: The position in which it was made.
        orientation: The side that sits at the bottom.
        unicode: False for ASCII only; see ``use_unicode``.

    Returns:
        Lines separated by line feeds, without one at the end.

    Raises:
        ArgumentError: An option outside what is listed here, one of ``last_move`` and ``before``
            without the other, or both not leading to ``position``.
        IllegalMoveError: ``last_move`` is not legal in ``before``.
        NotationError: ``last_move`` is text that is no decision.
    """
    choice(orientation, "orientation", ("red", "blue"))
    flag(colour, "colour")
    flag(unicode, "unicode")
    last = explain_pair(position, last_move, before)
    board = _Board(position, last, _UNICODE if unicode else _ASCII, colour)
    turned = orientation == "blue"
    order = list(range(CELLS))[:: -1 if turned else 1]
    rows = [order[first : first + COLUMNS] for first in range(0, CELLS, COLUMNS)]
    upper = Side.RED if turned else Side.BLUE
    lines = [
        board.player(upper),
        board.columns(rows[0], turned),
        *(board.row(row, turned) for row in rows),
        board.columns(rows[-1], turned),
        board.player(upper.other),
    ]
    if last is not None:
        lines.append(f"  {last.side.name.capitalize()} {last.text}")
    return "\n".join(lines)


def use_colour(stream: TextIO) -> bool:
    """Whether to write ANSI colours to a stream.

    The environment decides, and where it says nothing, whether the stream is a terminal:
    ``NO_COLOR`` (not empty) forbids colours (no-color.org), ``FORCE_COLOR`` or ``CLICOLOR_FORCE``
    (neither empty nor 0) demands them, ``TERM=dumb`` forbids them on a terminal.

    Raises:
        ArgumentError: Not a stream.
    """
    if not callable(getattr(stream, "isatty", None)):
        raise ArgumentError(f"stream is {shown(stream)}, expected a text stream")
    environment = os.environ
    if environment.get("NO_COLOR"):
        return False
    forced = ("FORCE_COLOR", "CLICOLOR_FORCE")
    if any(environment.get(name, "0") not in ("", "0") for name in forced):
        return True
    return environment.get("TERM") != "dumb" and bool(stream.isatty())


def use_unicode(stream: TextIO) -> bool:
    """Whether the encoding of a stream has the characters of the Unicode board.

    Raises:
        ArgumentError: Not a text stream.
    """
    if not hasattr(stream, "encoding"):
        raise ArgumentError(f"stream is {shown(stream)}, expected a text stream")
    signs = (_UNICODE.empty, _UNICODE.path, _UNICODE.chamber, _UNICODE.acts)
    try:
        "".join((*signs, *_UNICODE.marks.values())).encode(stream.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


class _Board:
    def __init__(
        self, position: Position, last: LastMove | None, signs: _Signs, colour: bool
    ) -> None:
        self.position = position
        self.marks = last.marks if last is not None else {}
        self.signs = signs
        self.colour = colour

    def player(self, side: Side) -> str:
        """The line of a side: whether it acts, spare dice, pips due."""
        position = self.position
        acts = position.winner is None and position.side_to_act is side
        notes = [f"{position.spare[side]} spare"]
        if acts:
            notes.append("to act")
            if position.capturing is not None:
                notes.append(f"capturing with {cell_name(position.capturing)}")
        elif position.winner is side:
            notes.append("has won")
        due = due_text(position, side)
        if due:
            notes.append(due)
        name = self._paint(f"{side.name.capitalize():4}", _STRONG)
        brackets = self._paint("".join(_BRACKETS[side]), _BLUE if side else _RED)
        return f"{self.signs.acts if acts else ' '} {name} {brackets}  {', '.join(notes)}"

    def columns(self, row: list[int], turned: bool) -> str:
        """The numbers above or below an end row."""
        names = "".join(f"   {cell_name(cell)[1]}" for cell in row)
        return self._paint(f"   {_indent(row, turned)}{names}", _FAINT)

    def row(self, row: list[int], turned: bool) -> str:
        """A row of cells between the two sides of the seam."""
        letter = self._paint(cell_name(row[0])[0], _FAINT)
        edge = self._paint(":" if self.position.rules.wrap else "|", _FAINT)
        indent = _indent(row, turned)
        cells = "".join(self._cell(cell) for cell in row)
        return f"{letter}  {indent}{edge}{cells} {edge}{(2 - len(indent)) * ' '}  {letter}"

    def _cell(self, cell: int) -> str:
        mark = self.marks.get(cell)
        sign = self.signs.marks.get(mark, " ") if mark is not None else " "
        return self._paint(sign, _MARK) + self._content(cell, mark)

    def _content(self, cell: int, mark: Mark | None) -> str:
        value = self.position.value_at(cell)
        if cell == CHAMBER:
            return self._paint(self.signs.chamber, _MARK if mark else _FAINT)
        if not value:
            if mark is Mark.PATH:
                return self._paint(f" {self.signs.path} ", _MARK)
            return self._paint(f" {self.signs.empty} ", _FAINT)
        side = Side.RED if value > 0 else Side.BLUE
        opening, closing = _BRACKETS[side]
        return self._paint(f"{opening}{abs(value)}{closing}", _BLUE if side else _RED)

    def _paint(self, text: str, rendition: str) -> str:
        return f"\x1b[{rendition}m{text}\x1b[0m" if self.colour and text.strip() else text


def _indent(row: list[int], turned: bool) -> str:
    shifted = row[0] // COLUMNS % 2 == 0
    return "  " if shifted != turned else ""
