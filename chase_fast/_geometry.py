"""Where the cells of the board lie in the plane, for everything that draws it.

Units are those of the picture: a cell is 60 wide. The hexagons stand on a corner, so that E and W
are neighbours side by side (R2) and rows a, c, e, g, i stand half a cell further right (R1). The
x axis runs to the right and the y axis down, as in SVG. Seen from blue's side the board is turned
by a half turn, which is a point reflection.
"""

from collections.abc import Iterable, Sequence
from math import hypot, sqrt
from typing import Literal, NamedTuple, SupportsIndex, TypeAlias

from chase_fast._arguments import as_int, choice, shown
from chase_fast._core import Direction, TraceStep, parse_cell
from chase_fast.errors import ArgumentError

Cell: TypeAlias = SupportsIndex | str
Orientation: TypeAlias = Literal["red", "blue"]

ROWS = COLUMNS = 9
CELLS = ROWS * COLUMNS
CHAMBER = 40
CELL_WIDTH = 60.0
RADIUS = CELL_WIDTH / sqrt(3)
ROW_PITCH = 1.5 * RADIUS
BOARD_WIDTH = (COLUMNS + 0.5) * CELL_WIDTH
LAST_ROW_Y = (ROWS - 1) * ROW_PITCH
# How far across the seam an arrow is drawn, as a part of one step: far enough to be seen beyond
# the edge (at one half), not so far that arrows of different directions meet in the margin.
SEAM_REACH = 0.85


class Point(NamedTuple):
    """A point or a vector in the picture."""

    x: float
    y: float

    def plus(self, other: "Point", factor: float = 1.0) -> "Point":
        """This point moved by ``factor`` times ``other``."""
        return Point(self.x + factor * other.x, self.y + factor * other.y)

    def towards(self, other: "Point", length: float) -> "Point":
        """The point ``length`` away from this one in the direction of ``other``."""
        distance = hypot(other.x - self.x, other.y - self.y)
        return self.plus(Point(other.x - self.x, other.y - self.y), length / distance)

    def outwards(self) -> "Point":
        """The corner of the unit square (-1 or 1 each) in this direction, the upper if level."""
        return Point(-1.0 if self.x < 0 else 1.0, 1.0 if self.y > 0 else -1.0)


_STEPS = {
    Direction.E: Point(CELL_WIDTH, 0.0),
    Direction.NE: Point(CELL_WIDTH / 2, -ROW_PITCH),
    Direction.NW: Point(-CELL_WIDTH / 2, -ROW_PITCH),
    Direction.W: Point(-CELL_WIDTH, 0.0),
    Direction.SW: Point(-CELL_WIDTH / 2, ROW_PITCH),
    Direction.SE: Point(CELL_WIDTH / 2, ROW_PITCH),
}


class Run(NamedTuple):
    """A part of a path that crosses no seam.

    Attributes:
        points: At least two; the ends stand beyond the edge of the board where the path crosses
            the seam, otherwise all are centres of cells.
        enters: Whether the first point is beyond the edge.
        leaves: Whether the last point is beyond the edge.
    """

    points: tuple[Point, ...]
    enters: bool
    leaves: bool


class Plane:
    """The board as seen from one side."""

    def __init__(self, orientation: Orientation) -> None:
        """Takes the side that sits at the bottom of the picture.

        Raises:
            ArgumentError: ``orientation`` is neither "red" nor "blue".
        """
        choice(orientation, "orientation", ("red", "blue"))
        self.turned = orientation == "blue"

    def at(self, point: Point) -> Point:
        """A point given as red sees it, in the picture."""
        return Point(BOARD_WIDTH - point.x, LAST_ROW_Y - point.y) if self.turned else point

    def centre(self, cell: int) -> Point:
        """The centre of a cell (0 = i1 to 80 = a9)."""
        row, column = divmod(cell, COLUMNS)
        shift = 0.5 if row % 2 == 0 else 0.0
        return self.at(Point((column + 0.5 + shift) * CELL_WIDTH, row * ROW_PITCH))

    def beside(self, cell: int, offset: Point) -> Point:
        """The centre of a cell moved by a vector that is given as red sees it."""
        return self.centre(cell).plus(offset, -1 if self.turned else 1)

    def corners(self, cell: int, *numbers: int) -> list[Point]:
        """Corners of a cell: 0 is the one towards row i, the others follow clockwise (for red)."""
        offsets = hexagon(Point(0.0, 0.0))
        return [self.beside(cell, offsets[number]) for number in numbers]

    def end_row_edge(self, cell: int) -> list[Point]:
        """The outer edge of a cell of row i or row a, from column 1 towards column 9."""
        return self.corners(cell, 5, 0, 1) if cell < COLUMNS else self.corners(cell, 4, 3, 2)

    def step(self, direction: Direction) -> Point:
        """The vector of one step in a direction."""
        vector = _STEPS[direction]
        return Point(-vector.x, -vector.y) if self.turned else vector

    def runs(self, steps: Sequence[TraceStep]) -> list[Run]:
        """The path of one die as lines that break where it crosses the seam."""
        runs: list[Run] = []
        points = [self.centre(steps[0].origin)]
        enters = False
        for step in steps:
            target = self.centre(step.target)
            if step.wraps:
                vector = self.step(step.direction)
                points.append(points[-1].plus(vector, SEAM_REACH))
                runs.append(Run(tuple(points), enters, leaves=True))
                points, enters = [target.plus(vector, -SEAM_REACH)], True
            points.append(target)
        runs.append(Run(tuple(points), enters, leaves=False))
        return runs


def hexagon(centre: Point, radius: float = RADIUS) -> tuple[Point, ...]:
    """The six corners of a cell, clockwise from the topmost."""
    half = radius * sqrt(3) / 2
    offsets = (
        Point(0.0, -radius),
        Point(half, -radius / 2),
        Point(half, radius / 2),
        Point(0.0, radius),
        Point(-half, radius / 2),
        Point(-half, -radius / 2),
    )
    return tuple(centre.plus(offset) for offset in offsets)


def cell_index(cell: Cell) -> int:
    """The number of a cell given as number or name ("e4").

    Raises:
        ArgumentError: A number outside 0 to 80, or neither a number nor a name.
        NotationError: Text that names no cell.
    """
    if isinstance(cell, str):
        return parse_cell(cell)
    number = as_int(cell)
    if number is None or not 0 <= number < CELLS:
        raise ArgumentError(f"cell is {shown(cell)}, expected 0 to {CELLS - 1} or a name, i1 to a9")
    return number


def cell_indices(cells: Iterable[Cell]) -> tuple[int, ...]:
    """The numbers of several cells; raises as ``cell_index``."""
    return tuple(cell_index(cell) for cell in cells)
