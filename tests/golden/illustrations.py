"""The pictures of the documents, kept in ``docs/img`` and used by docs/rules.md and README.md."""

import re
from dataclasses import dataclass, field
from html import escape
from math import sqrt
from typing import Any

from chase_fast._core import Direction, Position, Rules, cell_name, neighbour, parse_cell
from chase_fast._geometry import CHAMBER, Plane, Point
from chase_fast._markup import Markup
from chase_fast._palette import colours
from chase_fast.svg import Arrow, board_svg

SIZE = 560

# Dice that only make up a side's total (R5) stand on these cells of its end row where they can.
_HOME = {1: [f"a{n}" for n in range(1, 10)], -1: [f"i{n}" for n in range(9, 0, -1)]}
TOTAL = 25


@dataclass(frozen=True)
class Scene:
    """A position given by the dice that matter, and what is drawn on it.

    Attributes:
        red: Red dice as "c2=3 c5=2"; further dice on row a make up the total.
        blue: Blue dice likewise, with further dice on row i.
        act: The side to act, 0 red or 1 blue.
        due: Pips that the side to act lacks.
        most: Highest value of the further dice.
        rules: Rules text.
        first: A decision made before ``move``, which is not drawn; "" for none.
        move: The decision drawn as the last one, "" for none.
        options: Further options of ``board_svg``.
    """

    red: str = ""
    blue: str = ""
    act: int = 0
    due: int = 0
    most: int = 4
    rules: str = "standard"
    first: str = ""
    move: str = ""
    options: dict[str, Any] = field(default_factory=dict)

    def position(self) -> Position:
        """The position before the decision that is drawn."""
        board = [0] * 81
        for side, (sign, text) in enumerate(((1, self.red), (-1, self.blue))):
            dice = dict(die.split("=") for die in text.split())
            for name, value in dice.items():
                board[parse_cell(name)] = sign * int(value)
            lacking = TOTAL - sum(map(int, dice.values())) - (self.due if side == self.act else 0)
            for name in _HOME[sign]:
                if lacking and not board[parse_cell(name)]:
                    board[parse_cell(name)] = sign * min(lacking, self.most)
                    lacking -= min(lacking, self.most)
        position = Position.from_array(board, self.act, rules=Rules.parse(self.rules))
        return position.apply(self.first) if self.first else position

    def svg(self) -> str:
        """The picture."""
        before = self.position()
        options: dict[str, Any] = {"size": SIZE, **self.options}
        if not self.move:
            return board_svg(before, **options)
        return board_svg(before.apply(self.move), last_move=self.move, before=before, **options)


def _around(name: str) -> tuple[Arrow, ...]:
    """Arrows from a cell to its neighbours (R2)."""
    beside = (neighbour(parse_cell(name), direction) for direction in Direction)
    return tuple((name, cell_name(cell)) for cell in beside if cell is not None)


SCENES = {
    "turn": Scene("c8=3", "i5=5 h4=1 d8=2", act=1, due=3, first="+h4", move="i5SE"),
    "directions": Scene("c3=4 f7=4", options={"arrows": (*_around("c3"), *_around("f7"))}),
    "wrap": Scene("d7=5", "f1=2", move="d7E", options={"arrows": ("f1NW",)}),
    "ricochet": Scene("g2=5", most=6, move="g2NE"),
    "two-paths": Scene("d1=6", options={"arrows": ("d1E", "d1SW"), "highlight": ("d7",)}),
    "bumps": Scene("c2=3 c5=2 c6=4", "c7=3", move="c2E"),
    "split": Scene("e8=3 d6=1", "f6=4", move="e8W"),
    "whole": Scene("b4=3", most=3, rules="reserve=0", move="b4NE"),
    "double-capture": Scene("a3=4", "e4=3 d6=2", move="a3NE"),
    "distribution": Scene(
        blue="g3=2 g6=2 h8=4", act=1, due=5, move="+g3", options={"highlight": ("g6",)}
    ),
    "exchange": Scene("f1=2 f9=4", move="f1=4,f9=2"),
    "series": Scene(
        "c2=3", "c5=2 f7=4 c8=3", rules="chain=yes", move="c2E", options={"arrows": ("c5NE", "c5E")}
    ),
}

START_SCENES = {"start": "", "ring": "a1W"}

# ---- A move that is illegal (R7) --------------------------------------------------------------

# No picture of the library shows what cannot be played, so that this one is drawn here.
_BARRED = ("b4", "d5", "e5")
_SHAFT, _HEAD, _HEAD_HALF = 5.0, 12.0, 7.25
_CROSS_ARM, _CROSS_HALF = 23.0, 4.8


def forbidden_svg() -> str:
    """A bump that would end in the chamber: dashed arrows, and a cross where it fails."""
    plane, under, above = Plane("red"), Markup("auto"), Markup("auto")
    start, die, chamber = (plane.centre(parse_cell(name)) for name in _BARRED)
    _dashed_arrow(under, start, die, gap=22.0)
    _dashed_arrow(under, die, chamber, gap=17.0)
    cross = _cross(chamber)
    above.add("polygon", "casing", points=cross, stroke_width=6, stroke_linejoin="round")
    above.add("polygon", "red", points=cross, stroke_width=1.5, stroke_linejoin="round")
    picture = Scene("b4=2 d5=3").svg()
    first_die = picture.index("<g data-die=")
    end = picture.rindex("</svg>")
    return "".join(
        (picture[:first_die], under.text(), picture[first_die:end], above.text(), picture[end:])
    )


def _dashed_arrow(out: Markup, start: Point, end: Point, *, gap: float) -> None:
    tip, base = end.towards(start, gap), end.towards(start, gap + _HEAD)
    line = (start, base)
    out.line(line, _SHAFT + 3, "casing")
    out.line(line, _SHAFT, "ghost", stroke_dasharray="5 9")
    across = Point(base.y - tip.y, tip.x - base.x)
    corners = (tip, *(base.plus(across, side * _HEAD_HALF / _HEAD) for side in (1, -1)))
    out.add("polygon", "casing", points=corners, stroke_width=3)
    out.add("polygon", "faint", points=corners)


def _cross(centre: Point) -> list[Point]:
    """The outline of a cross, its arms along the diagonals."""
    corners = []
    for along in (Point(1, -1), Point(1, 1), Point(-1, 1), Point(-1, -1)):
        across = Point(-along.y, along.x)
        tip = centre.plus(along, _CROSS_ARM / sqrt(2))
        half = _CROSS_HALF / sqrt(2)
        inner = centre.plus(along, half).plus(across, half)
        corners += [tip.plus(across, -half), tip.plus(across, half), inner]
    return corners


# ---- The six ways into the chamber ------------------------------------------------------------

# Where a die of value 3 sets out to arrive in each direction, and what is seen of the board.
_ARRIVALS = {"E": "e2", "NE": "b4", "NW": "b7", "W": "e8", "SW": "h7", "SE": "h4"}
_REACH_X, _REACH_Y = 216.0, 187.0
_CAPTION = 34.0
_GAP = 12.0


def _crop(svg: str, x: float, y: float) -> str:
    """The surroundings of the chamber, as an element inside another picture."""
    centre = Plane("red").centre(CHAMBER)
    box = (centre.x - _REACH_X, centre.y - _REACH_Y, 2 * _REACH_X, 2 * _REACH_Y)
    opening = (
        f'<svg x="{x:g}" y="{y:g}" width="{box[2]:g}" height="{box[3]:g}" '
        f'viewBox="{" ".join(f"{number:.2f}" for number in box)}" class="cf-board cf-auto" '
        f'font-family="sans-serif">'
    )
    return re.sub(r"\A<svg\b[^>]*>", opening, svg)


def exits_svg() -> str:
    """Six boards side by side, each cut down to the chamber and what surrounds it (R8)."""
    width, height = 3 * 2 * _REACH_X + 4 * _GAP, 2 * (2 * _REACH_Y + _CAPTION) + 3 * _GAP
    text, page = colours("text", "auto")["fill"], colours("page", "auto")["fill"]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="900" '
        f'height="{round(900 * height / width)}" viewBox="0 0 {width:g} {height:g}" role="img" '
        f'class="cf-board cf-auto" font-family="system-ui, sans-serif">',
        "<title>The six ways into the chamber and out of it</title>",
        f'<rect class="cf-page" width="{width:g}" height="{height:g}" rx="14" fill="{page}"/>',
    ]
    for number, (direction, cell) in enumerate(_ARRIVALS.items()):
        row, column = divmod(number, 3)
        x = _GAP + column * (2 * _REACH_X + _GAP)
        y = _GAP + row * (2 * _REACH_Y + _CAPTION + _GAP)
        scene = Scene(f"{cell}=3", move=f"{cell}{direction}")
        parts.append(
            f'<text class="cf-text" x="{x + _REACH_X:g}" y="{y + 24:g}" font-size="24" '
            f'text-anchor="middle" fill="{text}">{escape(_told(scene, direction))}</text>'
        )
        parts.append(_crop(scene.svg().rstrip(), x, y + _CAPTION))
    return "\n".join((*parts, "</svg>\n"))


def _told(scene: Scene, direction: str) -> str:
    left, right = (
        step for step in scene.position().trace(scene.move) if step.kind in ("left", "right")
    )
    exits = (f"{cell_name(step.target)} {step.direction.name}" for step in (left, right))
    return f"arrives {direction}: " + ", ".join(
        f"{side} {text}" for side, text in zip(("left", "right"), exits, strict=True)
    )


# ---- All --------------------------------------------------------------------------------------


def _start(move: str) -> str:
    start = Position.start()
    if not move:
        return board_svg(start, size=SIZE)
    return board_svg(start.apply(move), last_move=move, before=start, size=SIZE)


def files() -> dict[str, str]:
    """The pictures by name."""
    drawn = {f"{name}.svg": scene.svg() for name, scene in SCENES.items()}
    drawn |= {f"{name}.svg": _start(move) for name, move in START_SCENES.items()}
    drawn["exits.svg"] = exits_svg()
    drawn["forbidden.svg"] = forbidden_svg()
    return drawn
