"""A small writer of SVG elements, and the drawing of one die."""

from collections.abc import Sequence
from typing import TypeAlias
from xml.sax.saxutils import escape, quoteattr

from chase_fast._core import Side
from chase_fast._geometry import Point
from chase_fast._palette import Theme, colours

Value: TypeAlias = str | float | Sequence[Point]
Attributes: TypeAlias = dict[str, Value]

DIE_HALF = 18.5
_PIP_STEP = 8.9
_PIP_RADIUS = 3.7
# Places of the pips on a die, in steps from its middle.
_PIPS: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((0, 0),),
    2: ((-1, 1), (1, -1)),
    3: ((-1, 1), (0, 0), (1, -1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}
# Width of the border and radius of the corners: blue has a heavy border and rounder corners, so
# that the sides differ in shape, too.
_SHAPES = {Side.RED: (1.5, 5.0), Side.BLUE: (3.5, 9.5)}


class Markup:
    """Collects elements as text.

    Attributes of elements are keyword arguments: ``_`` stands for ``-`` (and for nothing at
    the end), numbers are written with
    two decimals at most, a sequence of points as a list of coordinates. ``role`` gives an element
    its class and colours.
    """

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self._parts: list[str] = []
        self._open: list[str] = []

    def add(self, name: str, role: str = "", text: str = "", /, **attributes: Value) -> None:
        """Writes an element without children, but perhaps with text."""
        end = f">{escape(text)}</{name}>\n" if text else "/>\n"
        self._parts.append(self._start(name, role, attributes) + end)

    def open(self, name: str, role: str = "", /, **attributes: Value) -> None:
        """Begins an element that ``close`` ends."""
        self._parts.append(self._start(name, role, attributes) + ">\n")
        self._open.append(name)

    def close(self) -> None:
        """Ends the innermost open element."""
        self._parts.append(f"</{self._open.pop()}>\n")

    def text(self) -> str:
        """All that was written."""
        return "".join(self._parts)

    def write(self, text: str, at: Point, size: float, role: str, /, **attributes: Value) -> None:
        """Writes text whose middle line passes through a point."""
        baseline = at.y + 0.355 * size
        self.add("text", role, text, x=at.x, y=baseline, font_size=size, **attributes)

    def line(
        self, points: Sequence[Point], width: float, role: str, /, **attributes: Value
    ) -> None:
        """A line with round corners and ends."""
        self.add(
            "polyline",
            role,
            points=points,
            fill="none",
            stroke_width=width,
            stroke_linejoin="round",
            stroke_linecap="round",
            **attributes,
        )

    def circle(self, at: Point, radius: float, role: str = "", /, **attributes: Value) -> None:
        """A circle around a point."""
        self.add("circle", role, cx=at.x, cy=at.y, r=radius, **attributes)

    def square(
        self, at: Point, half: float, corner: float, role: str, /, **attributes: Value
    ) -> None:
        """A square around a point, with rounded corners."""
        x, y, side = at.x - half, at.y - half, 2 * half
        self.add("rect", role, x=x, y=y, width=side, height=side, rx=corner, **attributes)

    def die(self, at: Point, side: Side, value: int, half: float = DIE_HALF) -> None:
        """A die with its pips; value 0 is a spare die, which shows none."""
        scale = half / DIE_HALF
        border, corner = (scale * length for length in _SHAPES[side])
        name = side.name.lower()
        self.square(at, half - border / 2, corner, name, stroke_width=border)
        if value:
            self.open("g", f"{name}pip")
            for across, down in _PIPS[value]:
                self.circle(at.plus(Point(across, down), _PIP_STEP * scale), _PIP_RADIUS * scale)
            self.close()

    def _start(self, name: str, role: str, attributes: Attributes) -> str:
        named = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items()}
        if role:
            named = {"class": f"cf-{role}", **colours(role, self.theme), **named}
        return f"<{name}" + "".join(f" {key}={_quote(value)}" for key, value in named.items())


def _quote(value: Value) -> str:
    if isinstance(value, str):
        return quoteattr(value)
    if isinstance(value, (int, float)):
        return f'"{number(value)}"'
    return '"' + " ".join(f"{number(point.x)},{number(point.y)}" for point in value) + '"'


def number(value: float) -> str:
    """A coordinate with at most two decimals: short, and the same on every machine."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
