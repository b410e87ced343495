"""Pictures as SVG: their content is read back and compared with the position and the rules."""

import re
from collections import Counter
from dataclasses import dataclass
from math import hypot, sqrt
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from chase_fast._core import Move, Position, Rules, Side, cell_name
from chase_fast._palette import Theme
from chase_fast.errors import ArgumentError, ChaseError, IllegalMoveError, NotationError
from chase_fast.svg import board_svg, game_svg
from tests.golden import pictures, refresh
from tests.unit.scenes import scenes
from tests.unit.svg_reading import (
    NAMESPACE,
    by_role,
    centre,
    draw,
    groups,
    hexagons,
    middle,
    near,
    points,
    words,
)

START = Position.start()
SPLIT = Position.parse("1bcdedcb1/9/9/9/5a3/4a4/5B3/9/A1CDEDCBA r - 1/1")
SCENES = scenes(games=1, every=16)


@pytest.mark.parametrize("theme", ["light", "dark", "auto"])
def test_document_stands_alone(theme: Theme) -> None:
    text = board_svg(START, theme=theme)
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
            if position.winner is None and side is not position.side_to_act:
                # Only a series (R12) leaves the other side short of its total.
                lacks = position.rules.total - position.pips[side]
                assert (lacks > 0) == (position.capturing is not None)
            else:
                lacks = position.pips_due if acts else 0
            assert any(f"{lacks} pip" in word for word in text) == (lacks > 0)
            assert any("due" in word for word in text) == (lacks > 0)
    due = draw(SPLIT.apply("c6NW"))
    assert "2 pips due" in words(due)


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
