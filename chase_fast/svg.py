"""Pictures of the board as standalone SVG, in pure Python.

No scripts, no fonts, no ``id`` attributes: a picture can stand in a file, in an ``img`` element or
inline in an HTML page beside others.
"""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, Protocol, TypeAlias

from chase_fast._arguments import as_int, choice, elements, instance, shown
from chase_fast._arrows import ArrowPainter
from chase_fast._core import Move, Position, Side, cell_name
from chase_fast._geometry import (
    BOARD_WIDTH,
    CELLS,
    CHAMBER,
    COLUMNS,
    LAST_ROW_Y,
    RADIUS,
    ROW_PITCH,
    ROWS,
    Cell,
    Orientation,
    Plane,
    Point,
    cell_indices,
    hexagon,
)
from chase_fast._lastmove import LastMove, Mark, due_text, explain, explain_pair
from chase_fast._markup import DIE_HALF, Attributes, Markup
from chase_fast._palette import Theme, check_theme, style_sheet
from chase_fast.errors import ArgumentError

Arrow: TypeAlias = Move | str | tuple[Cell, Cell]
Coordinates: TypeAlias = bool | Literal["cells"]

MIN_SIZE, MAX_SIZE = 64, 8192

_MARGIN_X = 66.0
_MARGIN_Y = 78.0
_WIDTH = BOARD_WIDTH + 2 * _MARGIN_X
_HEIGHT = LAST_ROW_Y + 2 * (RADIUS + _MARGIN_Y)
_STRIP_Y = RADIUS + 53.0  # from the middle of an end row to that of the strip beside it
_FONT = "system-ui, 'Segoe UI', 'DejaVu Sans', 'Liberation Sans', Arial, sans-serif"


class Ending(Protocol):
    """What ``game_svg`` needs of the outcome of a game."""

    @property
    def winner(self) -> Side | None:
        """Who won; None if nobody."""


class GameLike(Protocol):
    """What ``game_svg`` needs of a game."""

    @property
    def position(self) -> Position:
        """The current position."""

    @property
    def moves(self) -> Sequence[Move]:
        """The decisions made so far."""

    @property
    def positions(self) -> Sequence[Position]:
        """The positions from the first on; number n is the one before move n."""

    @property
    def outcome(self) -> Ending | None:
        """How it ended; None while it goes on."""


def board_svg(
    position: Position,
    *,
    last_move: Move | str | None = None,
    before: Position | None = None,
    orientation: Orientation = "red",
    theme: Theme = "auto",
    size: int = 640,
    coordinates: Coordinates = True,
    highlight: Iterable[Cell] = (),
    arrows: Iterable[Arrow] = (),
) -> str:
    """Draws a position, and on request the decision that led to it.

    The dotted edges are the seam (R2), the heavy ones the end rows that ricochet (R3); under rules
    without wrap or ricochet they are plain. Where an arrow crosses the seam the same number stands
    on both sides, and a ricochet is marked on the edge where the die bounced off. Violet is the
    path of the moving die, teal an exit from the chamber (L left, R right, R8) or an exchange,
    orange a bump (R7). A small die with a cross shows what was captured, a number with a sign the
    pips won or lost.

    Args:
        position: What to draw.
        last_move: The decision that led to ``position``; requires ``before``.
        before: The position in which it was made.
        orientation: The side that sits at the bottom.
        theme: Colours; "auto" follows the viewer's preference.
        size: Width of the picture in pixels, 64 to 8192; the height follows from it.
        coordinates: True for row letters and column numbers at the edges, "cells" for the name of
            each cell in the cell, False for none.
        highlight: Cells to tint, by number or name.
        arrows: Decisions that are legal in ``position``, drawn as the last move is but in grey,
            and pairs of cells, joined by a straight arrow.

    Returns:
        The text of an SVG document.

    Raises:
        ArgumentError: An option outside what is listed here, one of ``last_move`` and ``before``
            without the other, or both not leading to ``position``.
        IllegalMoveError: ``last_move`` is not legal in ``before``, or an arrow in ``position``.
        NotationError: Text that names no cell or decision.
    """
    instance(position, "position", Position, "a Position")
    states = _states(position, position.winner is not None, position.winner)
    style = _style(orientation, theme, size, coordinates, highlight, arrows)
    return _draw(position, last_move, before, states, style)


def game_svg(
    game: GameLike,
    *,
    orientation: Orientation = "red",
    theme: Theme = "auto",
    size: int = 640,
    coordinates: Coordinates = True,
    highlight: Iterable[Cell] = (),
    arrows: Iterable[Arrow] = (),
) -> str:
    """Draws the current position of a game with its last decision; see ``board_svg``.

    Raises:
        ArgumentError, IllegalMoveError, NotationError: As for ``board_svg``; not a game.
    """
    if not all(hasattr(game, name) for name in ("position", "moves", "positions", "outcome")):
        raise ArgumentError(f"game is {shown(game)}, expected a Game")
    instance(game.position, "the game's position", Position, "a Position")
    played, outcome = len(game.moves), game.outcome
    over, winner = (True, outcome.winner) if outcome is not None else (False, None)
    style = _style(orientation, theme, size, coordinates, highlight, arrows)
    return _draw(
        game.position,
        game.moves[played - 1] if played else None,
        game.positions[played - 1] if played else None,
        _states(game.position, over, winner),
        style,
    )


class _Style(NamedTuple):
    """The options of ``board_svg``."""

    orientation: Orientation
    theme: Theme
    size: int
    coordinates: Coordinates
    highlight: tuple[Cell, ...]
    arrows: tuple[Arrow, ...]


def _style(
    orientation: Orientation,
    theme: Theme,
    size: int,
    coordinates: Coordinates,
    highlight: Iterable[Cell],
    arrows: Iterable[Arrow],
) -> _Style:
    """The options, those that are several things read."""
    cells = elements(highlight, "highlight", "several cells, such as ['e4', 36]")
    pairs = elements(arrows, "arrows", "several decisions or pairs of cells, such as ['a5NE']")
    return _Style(orientation, theme, size, coordinates, tuple(cells), tuple(pairs))


def _draw(
    position: Position,
    last_move: Move | str | None,
    before: Position | None,
    states: dict[Side, str],
    style: _Style,
) -> str:
    plane = Plane(style.orientation)
    check_theme(style.theme)
    choice(style.coordinates, "coordinates", (True, False, "cells"))
    size = _size(style.size)
    highlight = cell_indices(style.highlight)
    last = explain_pair(position, last_move, before)
    plans, links = _read_arrows(position, style.arrows)
    picture = _Picture(position, plane, style.theme, last)
    picture.begin(size, states)
    picture.cells(highlight)
    picture.edges()
    picture.names(style.coordinates)
    picture.origin()
    painter = ArrowPainter(picture.out, plane, position)
    if last is not None:
        painter.decision(last)
    for plan in plans:
        painter.decision(plan, plan=True)
    for origin, target in links:
        painter.link(origin, target)
    picture.dice()
    picture.captures()
    painter.badges()
    picture.strips(states)
    picture.out.close()
    return picture.out.text()


def _size(size: object) -> int:
    number = as_int(size)
    if number is None or not MIN_SIZE <= number <= MAX_SIZE:
        raise ArgumentError(
            f"size is {shown(size)}, expected a whole number {MIN_SIZE} to {MAX_SIZE}"
        )
    return number


def _states(position: Position, over: bool, winner: Side | None) -> dict[Side, str]:
    """What is said of each side, or of the one of which something is said."""
    if not over:
        return {position.side_to_act: "to act"}
    return {winner: "has won"} if winner is not None else dict.fromkeys(Side, "drawn")


def _read_arrows(
    position: Position, arrows: Iterable[Arrow]
) -> tuple[list[LastMove], list[tuple[int, int]]]:
    plans: list[LastMove] = []
    links: list[tuple[int, int]] = []
    for arrow in arrows:
        if isinstance(arrow, Move | str):
            plans.append(explain(position, arrow, position.apply(arrow)))
            continue
        links.append(_link(arrow))
    return plans, links


def _link(arrow: object) -> tuple[int, int]:
    """The cells that an arrow joins."""
    cells = cell_indices(arrow) if isinstance(arrow, tuple) else ()
    if len(cells) != 2 or cells[0] == cells[1]:
        raise ArgumentError(
            f"arrow is {shown(arrow)}, expected a decision or two different cells, as a tuple"
        )
    return cells[0], cells[1]


class _Picture:
    """The parts of the picture, painted in the order of the calls."""

    def __init__(
        self, position: Position, plane: Plane, theme: Theme, last: LastMove | None
    ) -> None:
        self.position = position
        self.plane = plane
        self.last = last
        self.out = Markup(theme)

    def begin(self, size: int, states: dict[Side, str]) -> None:
        """The root element, what is said to those who cannot see it, and the background."""
        out, position, last = self.out, self.position, self.last
        facts = [f"{_name(side)} {state}" for side, state in states.items()]
        title = f"Chase board, {facts[0] if len(facts) == 1 else 'drawn'}"
        description = f"Position {position.cfen}, rules {position.rules}."
        if last is not None:
            description += f" Last decision, by {_name(last.side)}: {last.text}."
        auto = out.theme == "auto"
        left, top = -_MARGIN_X, -RADIUS - _MARGIN_Y
        out.open(
            "svg",
            xmlns="http://www.w3.org/2000/svg",
            width=size,
            height=round(size * _HEIGHT / _WIDTH),
            viewBox=(Point(left, top), Point(_WIDTH, _HEIGHT)),
            role_="img",
            aria_label=title,
            class_="cf-board cf-auto" if auto else "cf-board",
            font_family=_FONT,
        )
        out.add("title", "", title)
        out.add("desc", "", description)
        if auto:
            out.add("style", "", style_sheet())
        out.add("rect", "page", x=left, y=top, width=_WIDTH, height=_HEIGHT, rx=14)

    def cells(self, highlight: Sequence[int]) -> None:
        """The hexagons: plain, touched by the last decision, highlighted, the chamber."""
        out = self.out
        outline: Attributes = {"stroke_width": 1.5, "stroke_linejoin": "round"}
        out.open("g", "cell", **outline)
        for cell in range(CELLS):
            if cell != CHAMBER:
                self._hexagon(cell, RADIUS)
        out.close()
        marks = self.last.marks if self.last else {}
        touched = [cell for cell, mark in marks.items() if mark is not Mark.PATH]
        for role, chosen in (("touched", touched), ("highlight", highlight)):
            out.open("g", role)
            for cell in chosen:
                self._hexagon(cell, RADIUS - 1.5)
            out.close()
        out.open("g", "chamber", **outline)
        for inset in (6.5, 13.0) if CHAMBER in highlight else (0.0, 6.5, 13.0):
            self._hexagon(CHAMBER, RADIUS - inset)
        out.close()

    def edges(self) -> None:
        """The outline of the board: the two end rows and the two sides of the seam."""
        out, rules = self.out, self.position.rules
        for row in (range(COLUMNS), range(CELLS - COLUMNS, CELLS)):
            line = [point for cell in row for point in self.plane.end_row_edge(cell)]
            out.line(line, 4 if rules.ricochet else 1.5, "cushion", data_edge="end-row")
        for first, numbers in ((0, (5, 4)), (COLUMNS - 1, (1, 2))):
            column = range(first, CELLS, COLUMNS)
            line = [point for cell in column for point in self.plane.corners(cell, *numbers)]
            if rules.wrap:
                out.line(line, 3, "gap")
                out.line(line, 3.5, "seam", stroke_dasharray="0.1 7", data_edge="seam")
            else:
                out.line(line, 1.5, "cushion", data_edge="wall")

    def names(self, coordinates: Coordinates) -> None:
        """Row letters and column numbers at the edges, or the name of each cell in it."""
        out = self.out
        if coordinates == "cells":
            for cell in range(CELLS):
                at = self.plane.centre(cell).plus(Point(0, 25))
                out.write(cell_name(cell), at, 9, "faint", text_anchor="middle")
        elif coordinates:
            for row in range(ROWS):
                for x in (-48.0, BOARD_WIDTH + 48.0):
                    at = self.plane.at(Point(x, row * ROW_PITCH))
                    out.write(cell_name(row * COLUMNS)[0], at, 15, "faint", text_anchor="middle")
            for cell in (*range(COLUMNS), *range(CELLS - COLUMNS, CELLS)):
                away = RADIUS + 15
                at = self.plane.beside(cell, Point(0, -away if cell < COLUMNS else away))
                out.write(cell_name(cell)[1], at, 15, "faint", text_anchor="middle")

    def origin(self) -> None:
        """The place that the moving die has left, unless another die stands there now."""
        if self.last is not None and self.last.ray:
            cell = self.last.ray[0].origin
            if not self.position.value_at(cell):
                dashes: Attributes = {
                    "fill": "none",
                    "stroke_width": 1.5,
                    "stroke_dasharray": "4 3",
                }
                self.out.square(self.plane.centre(cell), DIE_HALF, 5, "ghost", **dashes)

    def dice(self) -> None:
        """All dice of the board."""
        out = self.out
        for cell in range(CELLS):
            value = self.position.value_at(cell)
            if not value:
                continue
            at, side = self.plane.centre(cell), Side.RED if value > 0 else Side.BLUE
            if cell == self.position.capturing:
                ring: Attributes = {"fill": "none", "stroke_width": 4, "stroke_dasharray": "10 3.6"}
                out.circle(at, 26, "capturing", data_capturing=cell_name(cell), **ring)
            out.open("g", data_die=cell_name(cell), data_side=_name(side))
            out.add("title", "", f"{cell_name(cell)}: {_name(side)} {abs(value)}")
            out.die(at, side, abs(value))
            out.close()

    def captures(self) -> None:
        """A small die with a cross at each cell where one was captured."""
        if self.last is None:
            return
        out = self.out
        for step in (*self.last.ray, *self.last.exits, *self.last.pushes):
            if step.captured:
                # Behind the capturing die, where its arrow does not run.
                corner = self.plane.step(step.direction).outwards()
                at = self.plane.centre(step.target).plus(corner, 18.5)
                out.open("g", data_captured=cell_name(step.target))
                out.square(at, 11.5, 5, "page")
                out.die(at, self.last.side.other, step.captured, 10)
                disc = at.plus(corner, 9)
                out.circle(disc, 6.5, "text")
                for rise in (-3.0, 3.0):
                    line = (disc.plus(Point(-3, rise)), disc.plus(Point(3, -rise)))
                    out.line(line, 2, "cross")
                out.close()

    def strips(self, states: dict[Side, str]) -> None:
        """Above and below the board: who acts, spare dice, pips due, the last decision."""
        upper = Side.RED if self.plane.turned else Side.BLUE
        self._strip(upper, -_STRIP_Y, states.get(upper, ""))
        self._strip(upper.other, LAST_ROW_Y + _STRIP_Y, states.get(upper.other, ""))

    def _strip(self, side: Side, y: float, state: str) -> None:
        position, out = self.position, self.out
        spare = position.spare[side]
        out.open("g", data_strip=_name(side))
        out.die(Point(-46, y), side, 0, 10)
        name = _name(side).capitalize()
        out.write(name, Point(-28, y), 15, "text", font_weight="bold")
        if state:
            width = 68.0
            out.add("rect", "text", x=18, y=y - 11, width=width, height=22, rx=11)
            at = Point(18 + width / 2, y)
            out.write(state, at, 14, "page", text_anchor="middle")
        out.write(f"{spare} spare", Point(100, y), 15, "text")
        for number in range(spare):
            out.open("g", data_spare=_name(side))
            out.die(Point(184 + 15.5 * number, y), side, 0, 6.5)
            out.close()
        notes = [str(self.last.move)] if self.last is not None and self.last.side is side else []
        due = due_text(position, side)
        notes += [due] if due else []
        at = Point(BOARD_WIDTH + 52, y)
        out.write(" \N{MIDDLE DOT} ".join(notes), at, 15, "text", text_anchor="end")
        out.close()

    def _hexagon(self, cell: int, radius: float) -> None:
        self.out.add("polygon", points=hexagon(self.plane.centre(cell), radius))


def _name(side: Side) -> str:
    return side.name.lower()
