"""Arrows and marks of the last decision in SVG pictures, compared with the trace of the move."""

from collections import Counter
from collections.abc import Sequence
from math import hypot, sqrt
from xml.etree import ElementTree as ET

import pytest

from chase_fast._core import Kind, Move, Position, TraceStep, cell_name
from tests.unit.scenes import Scene, scenes
from tests.unit.svg_reading import (
    NAMESPACE,
    Points,
    by_role,
    centre,
    draw,
    draw_scene,
    groups,
    hexagons,
    near,
    on_line,
    points,
)

START = Position.start()
SPLIT = Position.parse("1bcdedcb1/9/9/9/5a3/4a4/5B3/9/A1CDEDCBA r - 1/1")
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


def test_exchange_is_an_arrow_from_who_gives_to_who_gains() -> None:
    seam = Position.parse("8d/B8/4eC2b/c1d2D1d1/3C5/B8/E7A/7E1/c8 b - 2/3")
    for before, text, parts, gains in (
        (seam, "g9=1,f1=4", 2, ["\N{MINUS SIGN}1", "+1"]),
        (START, "a3=5,a4=2", 1, ["+2", "\N{MINUS SIGN}2"]),
    ):
        root = draw(before.apply(text), last_move=text, before=before)
        (group,) = groups(root, "data-arrow")
        assert group.attrib["data-arrow"] == "exchange"
        assert len(groups(group, "data-line")) == parts
        names = [text[:2], text[5:7]]
        giver, taker = names if gains[1].startswith("+") else names[::-1]
        assert (group.attrib["data-from"], group.attrib["data-to"]) == (giver, taker)
        (head,) = group.findall(f"{NAMESPACE}polygon")
        tip, *base = points(head)
        assert near(tip, centre(taker), 22)
        # The head is shorter than the room between the dice, so that a shaft is seen behind it.
        assert all(hypot(x - tip[0], y - tip[1]) < 15 for x, y in base)
        badges = groups(root, "data-badge")
        found = [b.attrib["data-text"] for b in badges if b.attrib["data-badge"] == "gain"]
        assert found == gains
        # Each badge stands on the far side of its die, where the arrow does not run.
        gain_badges = [b for b in badges if b.attrib["data-badge"] == "gain"]
        for badge, name in zip(gain_badges, names, strict=True):
            circle = badge.find(f"{NAMESPACE}circle")
            assert circle is not None
            at = float(circle.attrib["cx"]), float(circle.attrib["cy"])
            assert near(at, centre(name), 30)
            assert hypot(at[0] - tip[0], at[1] - tip[1]) > 30


def test_distribution_shows_the_pips_won() -> None:
    before = SPLIT.apply("c6NW")
    root = draw(before.apply("+i8"), last_move=Move.parse("+i8"), before=before)
    (badge,) = groups(root, "data-badge")
    assert (badge.attrib["data-badge"], badge.attrib["data-text"]) == ("gain", "+2")
    circle = badge.find(f"{NAMESPACE}circle")
    assert circle is not None
    assert near((float(circle.attrib["cx"]), float(circle.attrib["cy"])), centre("i8"), 30)
    assert not groups(root, "data-arrow")
