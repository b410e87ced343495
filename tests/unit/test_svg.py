"""Pictures as SVG: their content is read back and compared with the position and the rules."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot, sqrt
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from chase_fast._core import Kind, Move, Position, Rules, Side, TraceStep, cell_name
from chase_fast.errors import ArgumentError, ChaseError, IllegalMoveError, NotationError
from chase_fast.svg import board_svg, game_svg
from tests.golden import pictures, refresh
from tests.unit.scenes import Scene, scenes

NAMESPACE = "{http://www.w3.org/2000/svg}"
START = Position.start()
SPLIT = Position.parse("1bcdedcb1/9/9/9/5a3/4a4/5B3/9/A1CDEDCBA r - 1/1")

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


SCENES = scenes(games=1, every=16)
MOVES = [scene for scene in SCENES if scene.move.kind is Kind.MOVE]


def test_scenes_show_everything_that_is_drawn() -> None:
    steps = [step for scene in MOVES for step in scene.before.trace(scene.move)]
    seen = Counter(step.kind for step in steps)
    assert all(seen[kind] >= 5 for kind in ("ray", "left", "right", "push"))
    for kind in ("ray", "push"):
        assert any(step.wraps for step in steps if step.kind == kind)
        assert any(step.ricochets for step in steps if step.kind == kind)
    assert any(step.captured for step in steps)
    assert {scene.move.kind for scene in SCENES} == {*Kind} - {Kind.STOP}


@pytest.mark.parametrize("theme", ["light", "dark", "auto"])
def test_document_stands_alone(theme: str) -> None:
    text = board_svg(START, theme=theme)  # type: ignore[arg-type]
    root = ET.fromstring(text)
    assert root.tag == f"{NAMESPACE}svg"
    assert root.attrib["width"] == "640"
    left, top, width, height = map(float, re.split("[ ,]", root.attrib["viewBox"]))
    assert int(root.attrib["height"]) == round(640 * height / width)
    assert [child.tag for child in root][:2] == [f"{NAMESPACE}title", f"{NAMESPACE}desc"]
    assert root[0].text == root.attrib["aria-label"] == "Chase board, red to act"
    assert START.cfen in (root[1].text or "")
    assert not re.search(r"\bid=|href|url\(|<script|@import", text)
    for element in root.iter():
        for x, y in points(element) if "points" in element.attrib else []:
            assert left <= x <= left + width
            assert top <= y <= top + height


def test_theme_auto_is_the_light_one_with_a_style_sheet_for_dark() -> None:
    auto = board_svg(START, theme="auto")
    sheet = re.search(r"<style>@media \(prefers-color-scheme:dark\)\{(.*)\}</style>\n", auto)
    assert sheet is not None
    bare = auto.replace(sheet[0], "").replace("cf-board cf-auto", "cf-board")
    assert bare == board_svg(START, theme="light")
    rules = dict(re.findall(r"\.cf-auto \.(cf-\w+)\{([^}]*)\}", sheet[1]))
    dark = draw(START, theme="dark")
    for element in dark.iter():
        role = element.get("class", "")
        for part in rules[role].split(";") if role in rules else []:
            name, colour = part.split(":")
            assert element.attrib[name] == colour
    used = {element.get("class") for element in dark.iter()} - {None, "cf-board"}
    assert used <= rules.keys()


@pytest.mark.parametrize("turned", [False, True])
def test_dice_are_those_of_the_board(turned: bool) -> None:
    for scene in SCENES:
        root = draw(scene.position, orientation="blue" if turned else "red")
        found = {}
        for group in groups(root, "data-die"):
            name, side = group.attrib["data-die"], group.attrib["data-side"]
            rect, pips = group.find(f"{NAMESPACE}rect"), group.findall(f".//{NAMESPACE}circle")
            assert rect is not None
            assert near(middle(rect), centre(name, turned=turned))
            places = {(float(pip.attrib["cx"]), float(pip.attrib["cy"])) for pip in pips}
            assert len(places) == len(pips)
            x, y = middle(rect)
            assert all(max(abs(px - x), abs(py - y)) < 15 for px, py in places)
            # A die looks the same from both sides of the table.
            assert all(any(near((2 * x - px, 2 * y - py), q) for q in places) for px, py in places)
            title = group.find(f"{NAMESPACE}title")
            assert title is not None
            assert title.text == f"{name}: {side} {len(pips)}"
            assert name not in found
            found[name] = len(pips) if side == "red" else -len(pips)
        board = scene.position.board
        assert found == {cell_name(cell): int(board[cell]) for cell in range(81) if board[cell]}


def test_strips_tell_spare_dice_who_acts_and_pips_due() -> None:
    for scene in SCENES:
        position = scene.position
        root = draw(position)
        for side in Side:
            (strip,) = [
                group
                for group in groups(root, "data-strip")
                if group.attrib["data-strip"] == side.name.lower()
            ]
            text = words(strip)
            assert text[0] == side.name.capitalize()
            assert f"{position.spare[side]} spare" in text
            assert len(groups(strip, "data-spare")) == position.spare[side]
            acts = position.winner is None and side is position.side_to_act
            assert ("to act" in text) == acts
            assert ("has won" in text) == (position.winner is side)
            assert any("due" in word for word in text) == (acts and position.pips_due > 0)
    due = draw(SPLIT.apply("c6NW"))
    assert "2 pips due" in words(due)


def paths(scene: Scene) -> list[tuple[str, list[TraceStep]]]:
    """The arrows that a move should have: its ray, and each other step alone."""
    steps = scene.before.trace(scene.move)
    ray = [step for step in steps if step.kind == "ray"]
    kinds = {"left": "exit", "right": "exit", "push": "push"}
    others = [(kinds[step.kind], [step]) for step in steps if step.kind != "ray"]
    return [
        ("ray", ray),
        *(one for one in others if one[0] == "exit"),
        *(one for one in others if one[0] == "push"),
    ]


def check_path(
    group: ET.Element, steps: Sequence[TraceStep], position: Position, *, turned: bool
) -> None:
    """The lines of an arrow run through the centres of its cells and break at the seam."""
    lines = [points(element) for element in groups(group, "data-line")]
    assert len(lines) == 1 + sum(step.wraps for step in steps)
    assert near(lines[0][0], centre(cell_name(steps[0].origin), turned=turned))
    line, place = lines[0], 0
    for step in steps[:-1]:
        place += 1
        if step.wraps:
            assert place == len(line) - 1
            check_crossing(line[-2:], lines[lines.index(line) + 1][:2], step, turned=turned)
            line, place = lines[lines.index(line) + 1], 1
        assert near(line[place], centre(cell_name(step.target), turned=turned))
    last, target = steps[-1], centre(cell_name(steps[-1].target), turned=turned)
    if last.wraps:
        assert place + 1 == len(line) - 1
        check_crossing(line[-2:], [lines[-1][0], target], last, turned=turned)
        line, place = lines[-1], 0
    assert place + 1 == len(line) - 1
    head = group.find(f"{NAMESPACE}polygon")
    assert head is not None
    tip = points(head)[0]
    assert on_line(line[-2], line[-1], target)
    assert on_line(line[-2], tip, target)
    # The tip touches the die that stands there: 37 wide, met level or at 60 degrees.
    distance = hypot(tip[0] - target[0], tip[1] - target[1])
    if last.target == 40:
        assert distance < 10
    else:
        assert position.value_at(last.target)
        assert 18 < distance < 22


def check_crossing(leaving: Points, entering: Points, step: TraceStep, *, turned: bool) -> None:
    """Both halves of a step across the seam run as if the board went on there."""
    (x0, y0), (x1, y1) = leaving
    (x2, y2), (x3, y3) = entering
    assert near((x0, y0), centre(cell_name(step.origin), turned=turned))
    assert near((x3, y3), centre(cell_name(step.target), turned=turned))
    assert near((x1 - x0, y1 - y0), (x3 - x2, y3 - y2), 0.03)
    # More than half a step: beyond the edge, in the direction that was taken.
    assert 30 < hypot(x1 - x0, y1 - y0) < 60
    along = (step.direction.name in ("E", "NE", "SE")) != turned
    assert (x1 > x0) == along
    rise = {"N": -1, "S": 1}.get(step.direction.name[0], 0) * (-1 if turned else 1)
    assert (y1 > y0 + 1) - (y1 < y0 - 1) == rise


@pytest.mark.parametrize("turned", [False, True])
def test_arrows_follow_the_trace(turned: bool) -> None:
    for scene in MOVES:
        root = draw_scene(scene, orientation="blue" if turned else "red")
        arrows = groups(root, "data-arrow")
        expected = paths(scene)
        assert [group.attrib["data-arrow"] for group in arrows] == [kind for kind, _ in expected]
        for group, (_, steps) in zip(arrows, expected, strict=True):
            assert group.attrib["data-from"] == cell_name(steps[0].origin)
            assert group.attrib["data-to"] == cell_name(steps[-1].target)
            check_path(group, steps, scene.position, turned=turned)


def test_marks_of_ricochets_crossings_exits_and_captures() -> None:
    for scene in MOVES:
        root = draw_scene(scene)
        trace = scene.before.trace(scene.move)
        bounced = sorted(cell_name(step.origin) for step in trace if step.ricochets)
        marks = groups(root, "data-ricochet")
        assert sorted(mark.attrib["data-ricochet"] for mark in marks) == bounced
        for mark in marks:
            x, y = centre(mark.attrib["data-ricochet"])
            outer = y + (-60 if y < 100 else 60) / sqrt(3)
            assert any(near(point, (x, outer)) for point in points(mark))
        badges = groups(root, "data-badge")
        numbers = Counter(
            b.attrib["data-text"] for b in badges if b.get("data-badge") == "crossing"
        )
        assert numbers == {str(n + 1): 2 for n in range(sum(step.wraps for step in trace))}
        letters = [b.attrib["data-text"] for b in badges if b.get("data-badge") == "exit"]
        assert letters == [step.kind[0].upper() for step in trace if step.kind in ("left", "right")]
        captured = {cell_name(step.target): step.captured for step in trace if step.captured}
        shown = {
            group.attrib["data-captured"]: sum(
                pip.get("class") is None for pip in group.iter(f"{NAMESPACE}circle")
            )
            for group in groups(root, "data-captured")
        }
        assert shown == captured
        for group in groups(root, "data-captured"):
            roles = {rect.get("class") for rect in group.iter(f"{NAMESPACE}rect")}
            assert roles == {"cf-page", f"cf-{scene.before.side_to_act.other.name.lower()}"}


def by_role(root: ET.Element, role: str) -> list[ET.Element]:
    return [element for element in root.iter() if element.get("class") == f"cf-{role}"]


def hexagons(group: ET.Element) -> list[tuple[float, float]]:
    """The middles of the hexagons in a group."""
    corners = [list(zip(*points(hexagon), strict=True)) for hexagon in group]
    return [(sum(x) / 6, sum(y) / 6) for x, y in corners]


def test_cells_touched_are_tinted() -> None:
    for scene in SCENES[::2]:
        (group,) = by_role(draw_scene(scene), "touched")
        trace = scene.before.trace(scene.move)
        touched = {scene.move.cell, scene.move.other} - {None}
        touched |= {step.target for step in trace if step.kind != "ray"}
        ray = [step.target for step in trace if step.kind == "ray"]
        touched |= set(ray[-1:]) - {40}
        wanted = sorted(centre(cell_name(cell)) for cell in touched if cell is not None)
        found = sorted(hexagons(group))
        assert len(found) == len(wanted)
        assert all(any(near(one, other) for other in found) for one in wanted)
    (group,) = by_role(draw(START), "touched")
    assert len(group) == 0


def test_orientation_is_a_point_reflection() -> None:
    for scene in MOVES[::4]:
        red, blue = (draw_scene(scene, orientation=side) for side in ("red", "blue"))
        for attribute in ("data-line", "data-edge", "data-ricochet"):
            pairs = list(zip(groups(red, attribute), groups(blue, attribute), strict=True))
            assert pairs or attribute == "data-ricochet"
            for one, other in pairs:
                reflected = [(570 - x, 480 / sqrt(3) * 1.5 - y) for x, y in points(one)]
                assert all(map(near, reflected, points(other)))
    top, bottom = (group.attrib["data-strip"] for group in groups(draw(START), "data-strip"))
    assert (top, bottom) == ("blue", "red")
    turned = draw(START, orientation="blue")
    assert [g.attrib["data-strip"] for g in groups(turned, "data-strip")] == ["red", "blue"]


def test_exchange_is_a_double_arrow_with_the_pips_moved() -> None:
    seam = Position.parse("8d/B8/4eC2b/c1d2D1d1/3C5/B8/E7A/7E1/c8 b - 2/3")
    for before, text, parts, gains in (
        (seam, "g9=1,f1=4", 2, ["\N{MINUS SIGN}1", "+1"]),
        (START, "a3=5,a4=2", 1, ["+2", "\N{MINUS SIGN}2"]),
    ):
        root = draw(before.apply(text), last_move=text, before=before)
        (group,) = groups(root, "data-arrow")
        assert group.attrib["data-arrow"] == "exchange"
        assert len(groups(group, "data-line")) == parts
        tips = [points(head)[0] for head in group.findall(f"{NAMESPACE}polygon")]
        assert len(tips) == 2
        for name in (text[:2], text[5:7]):
            assert sum(near(tip, centre(name), 22) for tip in tips) == 1
        badges = groups(root, "data-badge")
        found = [b.attrib["data-text"] for b in badges if b.attrib["data-badge"] == "gain"]
        assert found == gains
        # Each badge stands on the far side of its die, where the arrow does not run.
        gain_badges = [b for b in badges if b.attrib["data-badge"] == "gain"]
        for badge, name in zip(gain_badges, (text[:2], text[5:7]), strict=True):
            circle = badge.find(f"{NAMESPACE}circle")
            assert circle is not None
            at = float(circle.attrib["cx"]), float(circle.attrib["cy"])
            assert near(at, centre(name), 30)
            assert min(hypot(at[0] - x, at[1] - y) for x, y in tips) > 30


def test_distribution_shows_the_pips_won() -> None:
    before = SPLIT.apply("c6NW")
    root = draw(before.apply("+i8"), last_move=Move.parse("+i8"), before=before)
    (badge,) = groups(root, "data-badge")
    assert (badge.attrib["data-badge"], badge.attrib["data-text"]) == ("gain", "+2")
    circle = badge.find(f"{NAMESPACE}circle")
    assert circle is not None
    assert near((float(circle.attrib["cx"]), float(circle.attrib["cy"])), centre("i8"), 30)
    assert not groups(root, "data-arrow")


def test_capturing_die_is_ringed() -> None:
    before = Position.parse(
        "3b5/3ba4/1e4E2/8c/1B6c/1e4BA1/9/C2Bd2F1/7D1 r - 17/17",
        Rules.parse("chain=yes,reserve=16"),
    )
    (ring,) = groups(draw(before.apply("g7SW")), "data-capturing")
    assert near((float(ring.attrib["cx"]), float(ring.attrib["cy"])), centre("b5"))
    assert not groups(draw(before), "data-capturing")
    stopped = before.apply("g7SW")
    root = draw(stopped.apply("stop"), last_move="stop", before=stopped)
    assert not groups(root, "data-arrow")
    assert "stop" in words(root)


def test_edges_show_the_rules() -> None:
    def edges(rules: str) -> Counter[str | None]:
        root = draw(Position.start(Rules.parse(rules)))
        return Counter(edge.get("data-edge") for edge in groups(root, "data-edge"))

    assert edges("standard") == {"end-row": 2, "seam": 2}
    assert edges("wrap=no") == {"end-row": 2, "wall": 2}
    widths = [
        next(e.attrib["stroke-width"] for e in groups(draw(position), "data-edge"))
        for position in (START, Position.start(Rules.parse("ricochet=no")))
    ]
    assert float(widths[0]) > float(widths[1])


def test_coordinates() -> None:
    edges, cells, none = (
        Counter(words(draw(START, coordinates=choice))) for choice in (True, "cells", False)
    )
    assert edges - none == Counter([*"abcdefghi", *"123456789"] * 2)
    assert cells - none == Counter(cell_name(cell) for cell in range(81))


def test_highlight_takes_numbers_and_names() -> None:
    (group,) = by_role(draw(START, highlight=["i1", 80, np.int8(1)]), "highlight")
    for found, name in zip(hexagons(group), ("i1", "a9", "i2"), strict=True):
        assert near(found, centre(name))


def test_highlight_of_the_chamber_is_seen_around_it() -> None:
    def reach(group: ET.Element) -> float:
        return max(hypot(x - cx, y - cy) for hexagon in group for x, y in points(hexagon))

    cx, cy = centre("e5")
    root = draw(START, highlight=["e5"])
    (highlight,), (chamber,) = by_role(root, "highlight"), by_role(root, "chamber")
    assert reach(highlight) > reach(chamber) + 4
    (plain,) = by_role(draw(START), "chamber")
    assert near((reach(plain), 0), (60 / sqrt(3), 0))


def test_arrows_for_decisions_and_pairs_of_cells() -> None:
    root = draw(START, arrows=["a5NW", Move.parse("a1=2,a2=1"), ("i1", 44)])
    kinds = [group.attrib["data-arrow"] for group in groups(root, "data-arrow")]
    assert kinds == ["ray", "exchange", "link"]
    ray, _, link = groups(root, "data-arrow")
    for group, origin, target in ((ray, "a5", "f3"), (link, "i1", "e9")):
        (line,) = groups(group, "data-line")
        head = group.find(f"{NAMESPACE}polygon")
        assert head is not None
        assert near(points(line)[0], centre(origin))
        assert near(points(head)[0], centre(target))
    assert {e.get("class") for e in groups(root, "data-line")} == {"cf-plan"}


@dataclass(frozen=True)
class Ended:
    winner: Side | None


class Played:
    """A game as ``game_svg`` wants it."""

    def __init__(self, *moves: str, outcome: Ended | None = None) -> None:
        self.moves = [Move.parse(text) for text in moves]
        self.positions = [START]
        for move in self.moves:
            self.positions.append(self.positions[-1].apply(move))
        self.position = self.positions[-1]
        self.outcome = outcome


def test_game_is_drawn_with_its_last_decision() -> None:
    game = Played("a9NE", "i9SE")
    expected = board_svg(
        game.position,
        last_move="i9SE",
        before=game.positions[1],
        orientation="blue",
        theme="dark",
        size=300,
        coordinates=False,
        highlight=["e4"],
        arrows=[("a1", "a2")],
    )
    drawn = game_svg(
        game,
        orientation="blue",
        theme="dark",
        size=300,
        coordinates=False,
        highlight=["e4"],
        arrows=[("a1", "a2")],
    )
    assert drawn == expected
    assert game_svg(Played()) == board_svg(START)


@pytest.mark.parametrize(
    ("ended", "title", "states"),
    [
        (Ended(None), "Chase board, drawn", ["drawn", "drawn"]),
        (Ended(Side.BLUE), "Chase board, blue has won", ["has won"]),
    ],
)
def test_game_that_has_ended_says_how(ended: Ended, title: str, states: list[str]) -> None:
    root = ET.fromstring(game_svg(Played("a9NE", outcome=ended)))
    assert root[0].text == title
    assert [w for w in words(root) if w in ("drawn", "has won", "to act")] == states


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"orientation": "green"}, ArgumentError, "orientation is 'green', expected one of 'red'"),
        ({"theme": "Dark"}, ArgumentError, "theme is 'Dark', expected one of 'light', 'dark'"),
        ({"theme": None}, ArgumentError, "theme is None"),
        ({"size": 63}, ArgumentError, "size is 63, expected a whole number 64 to 8192"),
        ({"size": 8193}, ArgumentError, "size is 8193"),
        ({"size": True}, ArgumentError, "size is True"),
        ({"size": 640.0}, ArgumentError, "size is 640.0"),
        ({"coordinates": "edges"}, ArgumentError, "coordinates is 'edges', expected one of True"),
        ({"coordinates": 1}, ArgumentError, "coordinates is 1"),
        ({"highlight": [81]}, ArgumentError, "cell is 81, expected 0 to 80"),
        ({"highlight": [-1]}, ArgumentError, "cell is -1"),
        ({"highlight": [4.0]}, ArgumentError, "cell is 4.0"),
        ({"highlight": ["e10"]}, NotationError, "e10"),
        ({"arrows": [("a1",)]}, ArgumentError, "expected a decision or two different cells"),
        ({"arrows": [("a1", 72)]}, ArgumentError, "expected a decision or two different cells"),
        ({"arrows": ["a5E"]}, IllegalMoveError, "blocked at a6 (R6)"),
        ({"arrows": ["nonsense"]}, NotationError, "offset 0"),
        ({"last_move": "a9NE"}, ArgumentError, "last_move is given without before"),
        ({"before": START}, ArgumentError, "before is given without last_move"),
        ({"last_move": "a9NE", "before": START}, ArgumentError, "not to the position drawn"),
        ({"last_move": "a5E", "before": START}, IllegalMoveError, "blocked at a6 (R6)"),
        ({"last_move": "nonsense", "before": START}, NotationError, "offset 0"),
    ],
)
def test_refusals_name_what_is_wrong(
    options: dict[str, Any], error: type[ChaseError], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)) as caught:
        board_svg(START, **options)
    assert isinstance(caught.value, ValueError)


def test_colours_of_the_sides_differ_in_lightness() -> None:
    def lightness(colour: str) -> float:
        """Relative luminance after WCAG 2.1."""
        parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for theme in ("light", "dark"):
        fills = {e.get("class"): e.get("fill", "") for e in draw(START, theme=theme).iter()}
        for one, other in (
            ("red", "blue"),
            ("red", "redpip"),
            ("blue", "bluepip"),
            ("page", "text"),
        ):
            dark, light = sorted(lightness(fills[f"cf-{role}"]) for role in (one, other))
            # The contrast that WCAG 2.1 asks of text (success criterion 1.4.3).
            assert (light + 0.05) / (dark + 0.05) >= 4.5, (theme, one, other)


@pytest.mark.parametrize("name", [f"{n}.svg" for n, c in pictures.CASES.items() if c.svg])
def test_golden_pictures(name: str) -> None:
    kept = (refresh.folder("pictures") / name).read_text(encoding="utf-8")
    assert pictures.files()[name] == kept, "see python -m tests.golden.refresh"
