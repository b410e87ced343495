"""Reports: what stands in the document stands on the page, and nothing else happens."""

from __future__ import annotations

import copy
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chase_fast.errors import ArgumentError, InvalidPositionError
from chase_fast.report import html_report, markdown_report, write_report
from chase_fast.report import words as w
from chase_fast.report.document import checked
from tests.unit import report_documents as documents
from tests.unit.report_documents import DOCUMENTS, HOSTILE, Document
from tests.unit.report_reading import (
    ROOT,
    Element,
    html,
    markdown,
    page,
    read,
    rendered,
    squeezed,
    tables,
)

pytestmark = pytest.mark.no_core

ALL = pytest.mark.parametrize("name", DOCUMENTS)

# ---- Pages ------------------------------------------------------------------------------------


@ALL
def test_pages_are_well_formed(name: str) -> None:
    root = page(name)
    assert html(name).startswith("<!DOCTYPE html>\n")
    ids = [element.attributes["id"] for element in root.all() if "id" in element.attributes]
    assert len(set(ids)) == len(ids)
    links = [
        target
        for element in root.all()
        for key, value in element.attributes.items()
        if key == "href" or value.startswith("url(")
        for target in re.findall(r"#([^)]+)", value)
    ]
    assert set(links) <= set(ids)
    assert links
    for table in root.all("table"):
        widths = {
            len([c for c in row.children if isinstance(c, Element)]) for row in table.all("tr")
        }
        assert len(widths) == 1


@ALL
def test_pages_load_and_run_nothing(name: str) -> None:
    root = page(name)
    tags = {element.tag for element in root.all()}
    assert not tags & {"script", "link", "img", "iframe", "object", "embed", "base", "image"}
    for element in root.all():
        for key, value in element.attributes.items():
            assert not key.startswith("on")
            assert key not in ("src", "srcset", "action", "data")
            if key in ("href", "style", "clip-path", "fill"):
                assert "http" not in value and "//" not in value
    for sheet in root.all("style"):
        assert not re.search(r"url\(|@import|http", sheet.text)


@ALL
def test_the_policy_forbids_what_the_page_does_not_do(name: str) -> None:
    (policy,) = [meta for meta in page(name).all("meta") if "http-equiv" in meta.attributes]
    assert policy.attributes["content"].startswith("default-src 'none'")


@ALL
def test_every_plot_has_labelled_axes_and_an_n(name: str) -> None:
    plots = page(name).all("svg", class_="plot")
    for plot in plots:
        texts = [text.text for text in plot.all("text")]
        spoken = plot.attributes["aria-label"]
        found = re.search(r"; x: (.+?); y: (.+?); (n = [\d,]+.*)$", spoken)
        assert found is not None, spoken
        for part in found.groups():
            assert part in texts
    for board in page(name).all("svg", class_="heat"):
        assert any("n = 1,000 games" in text.text for text in board.all("text"))
        assert len(board.all("polygon")) == 81
    assert len(plots) == EXPECTED_PLOTS[name]


# Per player: score, difference, endings, survival, options, refused splits; per variant: dice and
# spare dice; the ladder.
EXPECTED_PLOTS = {
    "balance": 3 * 6 + 4 * 2 + 2,
    "bare balance": 1,
    "hostile balance": 2 * 6 + 3 * 2,
    "tournament": 2,
    "hostile tournament": 2,
    "sprt": 4,
    "bare tournament": 0,
}


@ALL
def test_pages_are_the_same_again(name: str) -> None:
    if name in ("sprt", "bare balance"):
        code = (
            "import sys; from tests.unit.report_documents import DOCUMENTS\n"
            "from chase_fast.report import html_report\n"
            f"sys.stdout.buffer.write(html_report(DOCUMENTS[{name!r}]()).encode())"
        )
        env = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": str(ROOT)}
        again = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, check=True
        )
        assert again.stdout.decode() == html(name)
    assert markdown_report(DOCUMENTS[name]()) == markdown(name)


# ---- What is said -----------------------------------------------------------------------------


@ALL
def test_sentences_stand_as_they_are(name: str) -> None:
    document = checked(DOCUMENTS[name]())
    for box, key in (("verdict", "verdicts"), ("warnings", "warnings")):
        wanted = list(document.get(key) or [])
        if box == "warnings" and not document["complete"]:
            wanted.insert(0, "This run has not ended: every figure is of the games played so far.")
        items = [item.text for found in page(name).all(id=box) for item in found.all("li")]
        assert items == wanted
        lists = rendered(markdown(name)).all("li")
        assert [item.text for item in lists if item.text in wanted][: len(wanted)] == wanted


@ALL
def test_markdown_has_the_same_tables(name: str) -> None:
    assert tables(rendered(markdown(name))) == tables(page(name))


def test_a_name_is_text_wherever_it_stands() -> None:
    for name in ("hostile balance", "hostile tournament"):
        for root in (page(name), rendered(markdown(name))):
            assert any(HOSTILE in one.text for one in [*root.all("td"), *root.all("th")])
            assert not root.all("script") and not root.all("em")
    text = page("hostile balance").all("h1")[0].text
    assert text == HOSTILE
    (command,) = page("hostile balance").all("pre", class_="command")
    assert command.text == HOSTILE


def test_unfit_characters_are_replaced() -> None:
    assert "_under\ufffdscore\ufffd\ufffd" in page("hostile balance").text
    for text in (html("hostile balance"), markdown("hostile balance")):
        assert not re.search("[\x00\x1b\u202e\ud800]", text)


def test_records_survive_fences() -> None:
    (record, *_rest) = rendered(markdown("balance")).all("pre")
    assert record.text == documents.RECORD + "\n"
    article = page("balance").all("article")[0]
    assert article.all("pre")[0].text == documents.RECORD
    assert len(article.all("svg")) == 2
    assert {board.attributes["class"] for board in article.all("svg")} == {"cf-board cf-auto"}


def test_the_verdict_tables_agree_with_the_document() -> None:
    document = documents.balance()
    heading, *rows = tables(page("balance"))[0]
    assert [row[:2] for row in rows] == [
        [variant, player] for player, _n in documents.PLAYERS for variant, _r in documents.VARIANTS
    ]
    by_name = {(cell["variant"], cell["player"]): cell for cell in document["cells"]}
    for row in rows:
        cell = by_name[row[0], row[1]]
        score = {key: f"{100 * value:.1f}" for key, value in cell["score"].items()}
        shown = dict(zip(heading, row, strict=True))
        interval = f"({score['low']} to {score['high']})"
        assert shown["first-mover score"] == f"{score['value']} % {interval}"
        assert shown["draws"] == f"{100 * cell['results']['draw']['share']:.1f} %"
        assert shown["against 50 %"] == "undecided"
        assert (shown["p"], shown["p, equivalence"]) == ("0.200", "0.400")
        assert (shown["detectable, points"], shown["openings still needed"]) == ("2.80", "4,200")
        assert (shown["openings"], shown["effective n"]) == ("500", "500")
        assert shown["games"] == "1,000" + (" (pilot)" if row[0] == "reserve=0" else "")
    _heading, *rows = tables(page("balance"))[1]
    numbers = ["0.300", "2.60", "5,100", "500", "220"]
    assert rows[0] == [
        *("reserve=0", "random", "+1.20 (−0.60 to +3.00)", "undecided", "< 0.001"), *numbers
    ]  # fmt: skip
    assert rows[1][2:4] == ["+2.40 (+0.60 to +4.20)", "undecided, unpaired"]
    assert rows[5][:5] == [
        *("chain=yes", "ab:nodes=300", "+3.60 (+1.80 to +5.40)", "different", "0.004")
    ]  # fmt: skip
    assert rows[5][7] == "–"


def test_unknown_values_are_shown_as_unknown() -> None:
    ((_heading, row), *_rest) = tables(page("bare balance"))
    assert row[2:9] == ["100.0 %", "0.0 %", "undecided", "–", "–", "–", "–"]
    assert "none: every game from the start" in page("bare balance").text
    heading, first, _second = tables(page("bare tournament"))[0]
    assert "rating, Elo" not in heading
    assert first[heading.index("score")] == "–"


def test_a_tournament_shows_bounds_and_unbounded_elo() -> None:
    heading, first, second, *_middle, last = tables(page("tournament"))[0]
    rating = heading.index("rating, Elo")
    assert [row[rating : rating + 2] for row in (first, second, last)] == [
        ["> +900", "from +850"],
        ["+600", "+550 to +650"],
        ["< 0", "up to +50"],
    ]
    pairs = next(table for table in tables(page("tournament")) if table[0][0] == "first")
    elo = [row[pairs[0].index("Elo")] for row in pairs[1:]]
    # -400 log10(1/0.96 - 1) = 552.08, -400 log10(1/0.75 - 1) = 190.85
    assert elo == ["> +552"] * 3 + ["+191"] * 3
    cross = next(table for table in tables(page("tournament")) if table[0][0] == "score of")
    assert [row[1:] for row in cross[1:3]] == [
        ["", "100.0 %", "100.0 %", "100.0 %"],
        ["0.0 %", "", "75.0 %", "75.0 %"],
    ]


def test_the_test_of_two_players() -> None:
    rows = dict(tables(page("sprt"))[0])
    assert rows["state"] == "accepted H1"
    assert rows["log-likelihood ratio"] == "2.970"
    assert rows["accepts H0 at or below"] == "−2.944"
    assert rows["H1, nElo"] == "4.00"
    assert rows["pairs of games"] == "1,500"


def test_a_run_that_has_just_begun() -> None:
    document = documents.balance(levels=("outcome",))
    document["comparisons"] = []
    for left in (1, 0):
        document["cells"] = document["cells"][:left]
        root = read(html_report(document))
        assert tables(rendered(markdown_report(document))) == tables(root)
        assert len(root.all("svg", class_="plot")) == (4 if left else 0)
    test = documents.sprt()
    test["sprt"].update(path=[], pentanomial=[0] * 5, llr=0.0, state="running")
    test["pairs"][0].update(score=None, low=None, high=None, games=0, pentanomial=None)
    row = tables(read(html_report(test)))[3][1]
    assert row[2:4] == ["–", "–"]


def test_levels_that_were_not_counted_have_no_section() -> None:
    sections = {name: {s.attributes["id"] for s in page(name).all("section")} for name in DOCUMENTS}
    full = sections["balance"] - {"verdict", "warnings"}
    assert full == {
        "verdicts", "ladder", "results", "length", "turns", "refused", "heat", "moves", "metrics",
        "dynamics", "sensitivity", "samples", "made",
    }  # fmt: skip
    assert sections["bare balance"] == {"verdicts", "results", "made", "warnings"}


# ---- Numbers ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (w.percent(0.51349), "51.3 %"),
        (w.percent(0.00026), "0.03 %"),
        (w.percent(0.00001), "< 0.01 %"),
        (w.percent(0), "0.0 %"),
        (w.percent(None), "–"),
        (w.percent_with(0.5, 0.48, 0.52), "50.0 % (48.0 to 52.0)"),
        (w.percent_with(0.5, 0.4998, 0.5002), "50.00 % (49.98 to 50.02)"),
        (w.percent_with(0.0, 0.0, 0.0038), "0.00 % (0.00 to 0.38)"),
        (w.percent_with(0.5, None, None), "50.0 %"),
        (w.points_with(-0.0125, -0.03, 0.005), "−1.25 (−3.00 to +0.50)"),
        (w.points(-0.000001), "0.00"),
        (w.chance(0.0004), "< 0.001"),
        (w.chance(0.9996), "> 0.999"),
        (w.chance(0.0412), "0.041"),
        (w.measure(198.4123, 198.16, 198.66), "198.41 (198.16 to 198.66)"),
        (w.measure(198.4123, 190.0, 206.0), "198.4 (190.0 to 206.0)"),
        (w.measure(12345.6, 12000.0, 12700.0), "12,346 (12,000 to 12,700)"),
        (w.measure(33.0871, None, None), "33.09"),
        (w.measure(7, None, None), "7"),
        (w.measure(0.0145, 0.0125, 0.0165), "0.0145 (0.0125 to 0.0165)"),
        (w.whole(1234567), "1,234,567"),
        (w.counted([], "games"), "n = unknown number of games"),
        (w.counted([5, 1800, None], "games"), "n = 5 to 1,800 games"),
        (w.elo_text(-43.66, 0.4375, 0.4, 0.5), "−44"),
        (w.elo_text(None, 0.0, 0.0, 0.04), "< −552"),
        (w.elo_text(None, None, None, None), "–"),
        (w.elo_text(None, 1.0, None, None), "–"),
        (w.short("a  b\nc", 9), "a b c"),
        (w.short("abcdefghij", 5), "abcd…"),
    ],
)  # fmt: skip
def test_numbers_as_text(shown: str, expected: str) -> None:
    assert shown == expected


@pytest.mark.parametrize(
    ("score", "bounded", "sign"),
    [(0, "above", "<"), (1, "below", ">"), (0.0, "below", "<"), (0.3, "above", "<"),
     (0.3, "below", ">"), (0, None, "")],
)  # fmt: skip
def test_the_sign_of_a_bound(score: float, bounded: str | None, sign: str) -> None:
    assert w.bound_sign({"score": score, "bounded": bounded}) == sign


# ---- Any names --------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(max_size=30), min_size=2, max_size=3, unique=True), st.text())
def test_any_names_do(names: list[str], command: str) -> None:
    document = documents.bare_tournament()
    document["players"] = [{**document["players"][0], "name": name} for name in names]
    document["command"] = command
    root, text = read(html_report(document)), rendered(markdown_report(document))
    shown = [table[1:] for table in tables(root)[:1]]
    cleaned = [item["name"] for item in checked(document)["players"]]
    assert [row[0] for row in shown[0]] == [squeezed(name) for name in cleaned]
    assert tables(text) == tables(root)


# ---- Refusals ---------------------------------------------------------------------------------


def changed(change: Callable[[Document], object]) -> Document:
    document = documents.bare_balance()
    change(document)
    return document


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (None, "document is None, expected a mapping"),
        ([], "document is a list, expected a mapping"),
        (changed(lambda d: d.pop("schema")), "document['schema'] is None, expected 1"),
        (changed(lambda d: d.update(schema=2)), "document['schema'] is 2, expected 1"),
        (
            changed(lambda d: d.update(kind="x")),
            "document['kind'] is 'x', expected 'balance' or 'tournament'",
        ),
        (changed(lambda d: d.update(kind=[])), "document['kind'] is a list"),
        (changed(lambda d: d.pop("base")), "document lacks 'base'"),
        (changed(lambda d: d["cells"][0].pop("score")), "document['cells'][0] lacks 'score'"),
        (
            changed(lambda d: d.update(players=[3])),
            "document['players'][0] is 3, expected a mapping",
        ),
        (
            changed(lambda d: d["cells"][0].update(variant="y")),
            "document['cells'][0]['variant'] is 'y', expected the name of one of the variants",
        ),
        (changed(lambda d: d.update(seed=float("nan"))), "document cannot be written as JSON"),
        (changed(lambda d: d.update(seed={1, 2})), "document cannot be written as JSON"),
    ],
)
def test_what_is_no_document(document: Any, message: str, tmp_path: Path) -> None:
    for call in (html_report, markdown_report, lambda one: write_report(one, tmp_path / "new")):
        with pytest.raises(ArgumentError) as caught:
            call(document)
        assert message in str(caught.value)
    assert not (tmp_path / "new").exists()


def test_a_board_that_is_none_is_refused() -> None:
    document = documents.bare_tournament()
    board = {"caption": "", "cfen": "9/9/9", "rules": "standard"}
    document["samples"] = [{"title": "", "text": "", "boards": [board]}]
    with pytest.raises(InvalidPositionError):
        html_report(document)


# ---- Files ------------------------------------------------------------------------------------

FILES = ("report.html", "report.json", "report.md")


def contents(folder: Path) -> Mapping[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.iterdir())}


def test_three_files_are_written(tmp_path: Path) -> None:
    document = DOCUMENTS["bare tournament"]()
    kept = copy.deepcopy(document)
    assert write_report(document, tmp_path / "a" / "b") == tmp_path / "a" / "b" / "report.html"
    assert document == kept
    found = contents(tmp_path / "a" / "b")
    assert tuple(found) == FILES
    assert found["report.html"] == html("bare tournament")
    assert found["report.md"] == markdown("bare tournament")
    assert json.loads(found["report.json"]) == document


def test_surrogates_can_be_written(tmp_path: Path) -> None:
    document = DOCUMENTS["bare tournament"]()
    document["title"] = "a\ud800b"
    write_report(document, tmp_path)
    assert "<h1>a\ufffdb</h1>" in contents(tmp_path)["report.html"]
    assert json.loads(contents(tmp_path)["report.json"]) == document


def test_a_full_disk_leaves_the_old_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = DOCUMENTS["bare tournament"]()
    write_report(document, tmp_path)
    before = contents(tmp_path)

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_report({**document, "title": "new"}, tmp_path)
    assert contents(tmp_path) == before
