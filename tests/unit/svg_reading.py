"""Reading SVG pictures back: elements, points, and where cells must lie."""

from math import hypot, sqrt
from typing import Any
from xml.etree import ElementTree as ET

from chase_fast._core import Position
from chase_fast.svg import board_svg
from tests.unit.scenes import Scene

NAMESPACE = "{http://www.w3.org/2000/svg}"
Points = list[tuple[float, float]]


def draw(position: Position, **options: Any) -> ET.Element:
    return ET.fromstring(board_svg(position, **options))


def draw_scene(scene: Scene, **options: Any) -> ET.Element:
    return draw(scene.position, last_move=scene.move, before=scene.before, **options)


def groups(root: ET.Element, attribute: str) -> list[ET.Element]:
    return [element for element in root.iter() if element.get(attribute) is not None]


def words(root: ET.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{NAMESPACE}text")]


def points(element: ET.Element) -> Points:
    pairs = [pair.split(",") for pair in element.attrib["points"].split()]
    return [(float(x), float(y)) for x, y in pairs]


def middle(rect: ET.Element) -> tuple[float, float]:
    x, y, width, height = (float(rect.attrib[key]) for key in ("x", "y", "width", "height"))
    return x + width / 2, y + height / 2


def centre(name: str, *, turned: bool = False) -> tuple[float, float]:
    """Where R1 puts a cell: 60 wide, hexagons on a corner, rows a, c, e, g, i further right."""
    row, column = "ihgfedcba".index(name[0]), int(name[1])
    x = 60 * (column - 1) + (60 if name[0] in "acegi" else 30)
    y = row * 60 / sqrt(3) * 1.5
    return (570 - x, 8 * 60 / sqrt(3) * 1.5 - y) if turned else (x, y)


def near(one: tuple[float, float], other: tuple[float, float], by: float = 0.02) -> bool:
    return hypot(one[0] - other[0], one[1] - other[1]) <= by


def on_line(
    start: tuple[float, float], through: tuple[float, float], to: tuple[float, float]
) -> bool:
    """Whether the way from ``start`` through a second point goes on through a third."""
    ux, uy = through[0] - start[0], through[1] - start[1]
    vx, vy = to[0] - start[0], to[1] - start[1]
    return abs(ux * vy - uy * vx) <= 0.05 * hypot(vx, vy) and ux * vx + uy * vy > 0


def by_role(root: ET.Element, role: str) -> list[ET.Element]:
    return [element for element in root.iter() if element.get("class") == f"cf-{role}"]


def hexagons(group: ET.Element) -> list[tuple[float, float]]:
    """The middles of the hexagons in a group."""
    corners = [list(zip(*points(hexagon), strict=True)) for hexagon in group]
    return [(sum(x) / 6, sum(y) / 6) for x, y in corners]
