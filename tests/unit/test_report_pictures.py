"""Pictures in reports: what is drawn is what the document says, in colours that can be read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chase_fast.report.boards import heat_map
from chase_fast.report.plots import (
    SERIES,
    VARIABLES,
    Curve,
    Frame,
    Row,
    curves,
    intervals,
    series_style,
)
from tests.unit import report_documents as documents
from tests.unit.report_reading import ROOT, Element, page, read

pytestmark = pytest.mark.no_core

FRAME = Frame("p", "A plot", "x (%)", "y", "n = 3 games")


def places(svg: str) -> list[tuple[float, float]]:
    """Where the marks of a plot stand."""
    return [
        (float(use.attributes["x"]), float(use.attributes["y"]))
        for use in read(svg).all("use")
        if "fill:" in use.attributes["style"] and f"#{SERIES[0][1:]}" in use.attributes["style"]
    ]


def assert_affine(values: Sequence[float], found: Sequence[float]) -> None:
    """Places follow values by one scale, to the hundredth of a point that is written."""
    first, last = values.index(min(values)), values.index(max(values))
    scale = (found[last] - found[first]) / (values[last] - values[first])
    for value, place in zip(values, found, strict=True):
        assert place == pytest.approx(found[first] + scale * (value - values[first]), abs=0.03)


def test_dots_stand_where_their_values_are() -> None:
    values = [0.45, 0.62, 0.5]
    rows = [Row(f"r{n}", v, v - 0.1, v + 0.1, "", SERIES[0]) for n, v in enumerate(values)]
    found = places(intervals(FRAME, rows, reference=0.5, margin=0.02))
    assert_affine(values, [x for x, _y in found])
    assert_affine([0.0, 1.0, 2.0], [y for _x, y in found])
    assert found[0][0] < found[1][0] and found[0][1] < found[2][1]


def test_points_of_a_line_stand_where_their_values_are() -> None:
    x, y = [1.0, 10.0, 100.0], [0.2, 0.9, 0.4]
    found = places(curves(FRAME, [Curve(SERIES[0], "", x, y, markers=True)], log_x=True))
    assert_affine([0.0, 1.0, 2.0], [place for place, _y in found])
    assert_affine(y, [place for _x, place in found])
    assert found[1][1] < found[0][1]


def test_one_scale_for_panels_side_by_side() -> None:
    narrow = [Row("a", 0.5, 0.49, 0.51, "", SERIES[0])]
    wide = [Row("b", 0.9, 0.1, 1.0, "", SERIES[0])]
    alone, beside, together = (
        places(svg)[0][0]
        for svg in (
            intervals(FRAME, narrow),
            intervals(FRAME, narrow, beside=wide),
            intervals(FRAME, [*narrow, *wide]),
        )
    )
    assert beside == together != alone


def test_cells_are_as_dark_as_their_values() -> None:
    values = [0.5 if cell == 7 else 0.25 if cell == 80 else 0.0 for cell in range(81)]
    cells = read(heat_map(values, top=0.5, label="a<b", unit="dice", n="n = 2 games")).all(
        "polygon"
    )
    shade = {
        cell.children[0].text: cell.attributes.get("fill-opacity")
        for cell in cells
        if isinstance(cell.children[0], Element)
    }
    assert shade["i8: 0.500"] == "1"
    assert shade["a9: 0.250"] == "0.5"
    assert shade["e5: the chamber"] is None
    assert sorted(value for value in shade.values() if value != "0" and value) == ["0.5", "1"]
    # Row i is half a cell further right (R1), and above row h.
    tops = {
        key: min(tuple(map(float, reversed(point.split(",")))) for point in points.split())
        for key, points in (
            (cell.children[0].text[:2], cell.attributes["points"])
            for cell in cells
            if isinstance(cell.children[0], Element)
        )
    }
    assert tops["i1"][0] < tops["h1"][0]
    assert tops["i1"][1] - tops["h1"][1] == pytest.approx(30)


@pytest.mark.parametrize("name", ["balance", "sprt"])
def test_pictures_have_the_colours_of_the_page_alone(name: str) -> None:
    sheet = page(name).all("style")[0].text
    defined = set(re.findall(r"(--[\w]+):", sheet))
    for plot in page(name).all("svg", class_="plot"):
        for element in plot.all():
            style = element.attributes.get("style", "")
            used = re.findall(r"var\((--\w+),#[0-9a-f]{6}\)", style)
            assert set(used) <= defined
            assert "#" not in re.sub(r"var\(--\w+,#[0-9a-f]{6}\)|url\(#[\w-]+\)", "", style)
            assert "font-family" not in style


def schemes() -> list[dict[str, str]]:
    sheet = (ROOT / "chase_fast" / "report" / "page.css").read_text(encoding="utf-8")
    found = re.findall(r":root \{(.*?)\}", sheet, re.DOTALL)
    return [dict(re.findall(r"(--\w+): (#[0-9a-f]{6});", one)) for one in found[:2]]


def luminance(colour: str) -> float:
    """Source: WCAG 2.1, relative luminance."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted(luminance(colour) for colour in (one, other))
    return (light + 0.05) / (dark + 0.05)


def test_both_schemes_can_be_read() -> None:
    light, dark = schemes()
    assert light.keys() == dark.keys()
    assert {light[name]: name for name in VARIABLES.values()} == VARIABLES
    for scheme in (light, dark):
        for ground in ("--page", "--card"):
            for text in ("--ink", "--faint", "--accent"):
                assert contrast(scheme[text], scheme[ground]) >= 4.5
        assert contrast(scheme["--ink"], scheme["--warn"]) >= 4.5
        for number in range(len(SERIES)):
            assert contrast(scheme[f"--s{number}"], scheme["--card"]) >= 3
            assert contrast(scheme[f"--s{number}"], scheme["--page"]) >= 3


def plot(name: str, label: str) -> Element:
    """The one plot of a page whose description starts so."""
    (found,) = [
        svg
        for svg in page(name).all("svg", class_="plot")
        if svg.attributes["aria-label"].startswith(label)
    ]
    return found


def test_the_ladder_shows_the_cells_of_the_document() -> None:
    cells = [cell for cell in documents.balance()["cells"] if cell["player"] != "random"]
    marks = [
        (int(number[1]), float(use.attributes["x"]), float(use.attributes["y"]))
        for use in plot("balance", "first-mover score (%) by nodes").all("use")
        if (number := re.search(r"fill: var\(--s(\d)", use.attributes["style"]))
        and "stroke" in use.attributes["style"]
    ]
    assert len(marks) == len(cells)
    cells.sort(key=lambda one: [name for name, _rules in documents.VARIANTS].index(one["variant"]))
    assert [number for number, _x, _y in marks] == [0, 0, 1, 1, 2, 2, 3, 3]
    assert_affine([cell["score"]["value"] for cell in cells], [y for _n, _x, y in marks])
    assert_affine([1.0, 2.0] * 4, [x for _n, x, _y in marks])


def test_bars_are_as_long_as_their_shares() -> None:
    widths = []
    for path in plot("balance", "How games end, ab:nodes=300;").all("path"):
        if "fill: var(--s" in path.attributes.get("style", ""):
            x = [float(place) for place in re.findall(r"[ML] (-?[\d.]+) ", path.attributes["d"])]
            widths.append(max(x) - min(x))
    cell = documents.balance()["cells"][4]
    shares = [item["share"] for item in cell["terminations"]]
    assert len(widths) == len(shares) * len(documents.VARIANTS)
    for share, width in zip(shares, widths, strict=False):
        assert width / sum(widths[: len(shares)]) == pytest.approx(share, abs=0.001)


def test_a_survival_curve_only_falls() -> None:
    (line,) = [
        path.attributes["d"]
        for path in plot("balance", "Games still going on, random").all("path")
        if "fill: none; stroke: var(--s0" in path.attributes.get("style", "")
    ]
    points = [(float(x), float(y)) for x, y in re.findall(r"[ML] (\S+) (\S+)", line)]
    assert points == sorted(points)
    assert len(points) > 20


ENDS = st.none() | st.floats(-0.5, 1.5)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(ENDS, ENDS, ENDS), min_size=1, max_size=3), st.booleans())
def test_any_values_can_be_drawn(values: list[tuple[Any, Any, Any]], shares: bool) -> None:
    rows = [Row("a", *ends, "", SERIES[0]) for ends in values]
    assert read(intervals(FRAME, rows, reference=0.5, shares=shares)).all("path")
    y, low, high = zip(*values, strict=True)
    for log in (False, True):
        line = Curve(SERIES[0], "6 3", range(1, len(y) + 1), y, low, high, steps=not log)
        assert read(curves(FRAME, [line], shares=shares, log_x=log)).all("path")


def test_lines_differ() -> None:
    assert len({series_style(number) for number in range(32)}) == 32
