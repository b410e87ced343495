"""The board in a report: heat maps, and the positions of sample games."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import quoteattr

from chase_fast._core import Position, Rules, cell_name
from chase_fast._geometry import (
    BOARD_WIDTH,
    CELLS,
    CHAMBER,
    COLUMNS,
    LAST_ROW_Y,
    RADIUS,
    ROW_PITCH,
    ROWS,
    Plane,
    Point,
    hexagon,
)
from chase_fast._markup import number
from chase_fast.report.words import fixed
from chase_fast.svg import board_svg

_SIDE, _TOP, _FOOT = 44.0, 40.0, 128.0
_STEPS = 6  # of the scale below the board
_TEXT = 25


def heat_map(values: Sequence[float], *, top: float, label: str, unit: str, n: str) -> str:
    """A board whose cells are the darker the higher their values, red at the bottom.

    Args:
        values: One for each cell, from i1 to a9; that of the chamber is not shown.
        top: The value of the darkest cells; above 0.
        label: What it shows, in words.
        unit: Of the values, for the scale.
        n: On how much it rests: ``n = ...``.
    """
    plane = Plane("red")
    left, upper = -_SIDE, -RADIUS - _TOP
    width, height = BOARD_WIDTH + 2 * _SIDE, LAST_ROW_Y + 2 * RADIUS + _TOP + _FOOT
    box = " ".join(number(value) for value in (left, upper, width, height))
    spoken = quoteattr(f"{label}; {unit}; {n}")
    parts = [f'<svg class="heat" viewBox="{box}" role="img" aria-label={spoken}>']
    for cell in range(CELLS):
        corners = hexagon(plane.centre(cell), RADIUS - 1)
        if cell == CHAMBER:
            parts.append(_hexagon(corners, 'class="chamber"', "e5: the chamber"))
            continue
        share = min(max(values[cell] / top, 0.0), 1.0)
        name = f"{cell_name(cell)}: {fixed(values[cell], 3)}"
        parts.append(_hexagon(corners, f'class="cell" fill-opacity="{number(share)}"', name))
    parts += _coordinates()
    parts += _scale(top, unit, n)
    return "".join([*parts, "</svg>"])


def sample_board(cfen: str, rules: str) -> str:
    """The picture of a position given as texts.

    Raises:
        InvalidPositionError: No valid position under these rules.
        InvalidRulesError: Rules that are none.
    """
    return board_svg(Position.parse(cfen, Rules.parse(rules)), size=360)


def _hexagon(corners: Sequence[Point], attributes: str, title: str) -> str:
    points = " ".join(f"{number(point.x)},{number(point.y)}" for point in corners)
    return f'<polygon {attributes} points="{points}"><title>{title}</title></polygon>'


def _coordinates() -> list[str]:
    """Row letters to the left, column numbers below row a."""
    below = LAST_ROW_Y + RADIUS + 28
    first = CELLS - COLUMNS
    return [
        *(_text(-26, row * ROW_PITCH + 9, cell_name(row * COLUMNS)[0]) for row in range(ROWS)),
        *(
            _text(Plane("red").centre(first + column).x, below, str(column + 1))
            for column in range(COLUMNS)
        ),
    ]


def _scale(top: float, unit: str, n: str) -> list[str]:
    """Steps from nothing to the darkest with their values, the unit, and the n."""
    y, width = LAST_ROW_Y + RADIUS + 52, 36.0
    ends = (fixed(0, 0), f"{top:.3g}")
    start = 60.0
    boxes = [
        f'<rect class="cell" x="{number(start + step * width)}" y="{number(y)}" '
        f'width="{number(width)}" height="22" fill-opacity="{number(step / (_STEPS - 1))}"/>'
        for step in range(_STEPS)
    ]
    end = start + _STEPS * width
    return [
        *boxes,
        _text(start - 10, y + 20, ends[0], "end"),
        _text(end + 10, y + 20, ends[1], "start"),
        _text(start - 24, y + 58, f"{unit}, {n}", "start"),
    ]


def _text(x: float, y: float, text: str, anchor: str = "middle") -> str:
    place = f'x="{number(x)}" y="{number(y)}" font-size="{_TEXT}" text-anchor="{anchor}"'
    return f"<text {place}>{text}</text>"
