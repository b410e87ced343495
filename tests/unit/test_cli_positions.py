"""The commands show, moves and perft, beside what the library says."""

from __future__ import annotations

from pathlib import Path

import pytest

import chase_fast as cf
from chase_fast.svg import board_svg
from chase_fast.textboard import text_board
from tests.unit.command_line import OVER, SERIES, SPLIT, Cli

# ---- show ------------------------------------------------------------------------------------


def test_show_the_start(cli: Cli) -> None:
    start = cf.Position.start()
    done = cli("show")
    assert done.err == ""
    assert done.out == (
        f"{text_board(start)}\n\n{start.cfen}\nstandard: red to act, 46 legal decisions\n"
    )


def test_show_takes_a_position_in_quotes_or_not(cli: Cli) -> None:
    position = cf.Position.parse(SPLIT)
    quoted, unquoted = cli("show", SPLIT), cli("show", *SPLIT.split())
    assert quoted == unquoted
    assert text_board(position) in quoted.out
    assert position.cfen in quoted.out
    assert "red to act, 1 legal decision, 9 pips due" in quoted.out


def test_show_marks_the_last_decision_played(cli: Cli) -> None:
    game = cf.Game.from_moves(["a5NE", "i5SE"])
    board = text_board(game.position, last_move="i5SE", before=game.positions[1])
    assert board in cli("show", "--play", "a5NE i5SE").out
    assert board in cli("show", "-p", "a5NE", "-p", "i5SE").out


def test_show_turned_and_in_ascii(cli: Cli) -> None:
    board = text_board(cf.Position.start(), orientation="blue", unicode=False)
    assert board in cli("show", "--orientation", "blue", "--ascii").out


def test_show_json(cli: Cli) -> None:
    document = cli("show", "--rules", "chain=yes", "--play", "a5NE", "--json").json
    position = cf.Position.start(cf.Rules(chain=True)).apply("a5NE")
    assert document == {
        "cfen": position.cfen,
        "rules": "chain=yes",
        "side_to_act": "blue",
        "capturing": None,
        "pips_due": 0,
        "spare": {"red": 1, "blue": 1},
        "dice": {"red": 9, "blue": 9},
        "pips": {"red": 25, "blue": 25},
        "legal_decisions": len(position.legal_moves),
        "winner": None,
        "termination": None,
        "last_decision": "a5NE",
        "board": position.board.tolist(),
    }


def test_show_says_how_a_game_ended(cli: Cli) -> None:
    assert "blue has won (no_decision)" in cli("show", OVER).out
    document = cli("show", OVER, "--json").json
    assert (document["winner"], document["termination"]) == ("blue", "no_decision")
    shuffle = 2 * "a1=2,a2=1 i8=1,i9=2 a1=1,a2=2 i8=2,i9=1 "
    drawn = cli("show", "--play", shuffle)
    assert "drawn (repetition)" in drawn.out
    document = cli("moves", "--play", shuffle, "--json").json
    assert (document["winner"], document["termination"]) == (None, "repetition")
    assert document["legal_decisions"] == len(document["decisions"]) == 0


def test_show_a_series(cli: Cli) -> None:
    cfen, move, cell = SERIES
    words = ("show", cfen, "-r", "russian", "-p", move)
    out = cli(*words).out
    assert "chain=yes: blue to act" in out
    assert f"may go on capturing with {cell}" in out
    assert cli(*words, "--json").json["capturing"] == cell


def test_show_writes_a_picture(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "board.svg"
    done = cli("show", "--play", "a5NE", "--svg", file, "--theme", "dark", "--size", 300)
    before = cf.Position.start()
    wanted = board_svg(
        before.apply("a5NE"), last_move="a5NE", before=before, theme="dark", size=300
    )
    assert file.read_text(encoding="utf-8") == wanted
    assert (done.out, done.err) == ("", f"wrote {file}\n")
    assert cli("show", "--svg", "-").out == board_svg(before)
    both = cli("show", "--svg", file, "--json")
    assert both.json["cfen"] == before.cfen
    assert file.read_text(encoding="utf-8") == board_svg(before)
    assert list(tmp_path.iterdir()) == [file]


# ---- moves -----------------------------------------------------------------------------------


def test_moves_lists_all_decisions_in_order(cli: Cli) -> None:
    done = cli("moves")
    lines = done.out.splitlines()[2:48]
    assert [line.split()[:2] for line in lines] == [
        [str(number), str(move)] for number, move in enumerate(cf.Position.start().legal_moves, 1)
    ]
    assert lines[0].split(maxsplit=2)[2] == ("a1-a2, push a2-a3-a4-a5-a6-a7-a8-a9~a1   bumps 8")
    # What they are the decisions of comes last, in the same stream as they.
    start = cf.Position.start()
    assert done.out.endswith(f"\n\n{start.cfen}\nstandard: red to act, 46 legal decisions\n")
    assert done.err == ""


@pytest.mark.parametrize(
    ("cfen", "move", "effect"),
    [
        ("F7F/9/1d7/3DE4/ff1e3Dd/9/9/9/9 b", "e2NE", ""),
        ("4fFF2/9/1d7/E8/e7e/9/1e7/2D6/D8 b", "i5SW", "bumps 1"),
        ("fb2D3D/c8/1F7/9/3d5/7f1/9/5F3/5E2d r", "g2NE", "takes 4 on e4, splits"),
        ("5F1fd/7D1/9/2c6/5a3/3bf4/7Fc/9/D2E5 r", "c8SW", "takes 6 on d5, takes 1 on e6, splits"),
        ("f8/9/6F2/c5E2/c7f/2dCcA3/3DA4/7A1/1B3B3 r", "d6NW",
         "takes 3 on d5, leaves the chamber whole"),
        ("a1dceaf1a/9/6b2/2C6/5Bb2/4B4/9/A8/3BDDDAB r", "a7NW",
         "does not split: no spare die, bumps 1"),
        ("F7F/1D7/1d7/4E4/ff1e3Dd/9/9/9/9 r", "e8NE", "takes 4 on g2, bumps 2, wins"),
        (SPLIT, "+d6", "4 still due"),
        (SERIES[0], SERIES[1], "takes 2 on e6, may capture again"),
    ],
)  # fmt: skip
def test_effects_in_words(cli: Cli, cfen: str, move: str, effect: str) -> None:
    rules = "chain=yes" if cfen == SERIES[0] else "standard"
    rows = [line.split(maxsplit=2) for line in cli("moves", cfen, "-r", rules).out.splitlines()]
    (row,) = (row for row in rows if row[1:2] == [move])
    path, _, found = row[2].partition("   ")
    assert path
    assert found.strip() == effect


def test_moves_json(cli: Cli) -> None:
    document = cli("moves", SPLIT, "--play", "+d6 +e4", "--json").json
    position = cf.Position.parse(SPLIT).apply("+d6").apply("+e4")
    assert document["cfen"] == position.cfen
    assert document["legal_decisions"] == len(position.legal_moves)
    for found, move in zip(document["decisions"], position.legal_moves, strict=True):
        assert found["text"] == str(move)
        assert cf.Move.from_code(found["code"]) == move
        assert found["kind"] == move.kind.name.lower()
        assert found["after"] == position.apply(move).cfen
        assert found["events"] == position.events(move)
        assert found["winner"] is None
        steps = [(step["from"], step["to"], step["kind"]) for step in found["steps"]]
        assert steps == [
            (cf.cell_name(step.origin), cf.cell_name(step.target), step.kind)
            for step in position.trace(move)
        ]
        assert found["direction"] == (None if move.direction is None else move.direction.name)
        assert found["value"] == move.value
    kinds = {found["kind"] for found in cli("moves", "--json").json["decisions"]}
    assert kinds == {"move", "exchange"}
    (due,) = cli("moves", SPLIT, "--json").json["decisions"]
    assert (due["kind"], due["cell"], due["steps"]) == ("distribution", "d6", [])


def test_moves_of_a_finished_game(cli: Cli) -> None:
    assert cli("moves", OVER).out == f"{OVER}\nstandard: blue has won (no_decision)\n"


# ---- perft -----------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", ["decision", "turn"])
def test_perft(cli: Cli, unit: str) -> None:
    start = cf.Position.start()
    for depth in range(4):
        done = cli("perft", depth, "--unit", unit)
        assert done.out == f"{cf.perft(start, depth, unit)}\n"
    document = cli("perft", 3, "--unit", unit, "--threads", 2, "--json").json
    assert document.pop("seconds") >= 0
    assert document == {
        "cfen": start.cfen,
        "rules": "standard",
        "depth": 3,
        "unit": unit,
        "threads": 2,
        "nodes": cf.perft(start, 3, unit),
        "expected": None,
        "divide": None,
    }


def test_perft_divide(cli: Cli) -> None:
    position = cf.Position.start(cf.Rules(wrap=False)).apply("a5NE")
    counts = cf.divide(position, 2)
    words = ("perft", 2, "--rules", "wrap=no", "--play", "a5NE", "--divide")
    lines = [line.split() for line in cli(*words).out.splitlines()]
    assert lines[:-1] == [[str(move), str(count)] for move, count in counts.items()]
    assert lines[-1] == ["total", str(sum(counts.values()))]
    document = cli(*words, "--json").json
    assert document["divide"] == {str(move): count for move, count in counts.items()}


def test_perft_that_is_not_as_expected_prints_the_divide(cli: Cli) -> None:
    assert cli("perft", 2, "--expect", 2114).out == "2114\n"
    done = cli("perft", 2, "--expect", 2115, code=1)
    assert done.out == cli("perft", 2, "--divide").out
    assert "perft 2 is 2114, expected 2115" in done.err
    document = cli("perft", 2, "--expect", 2115, "--json", code=1).json
    assert (document["nodes"], document["expected"]) == (2114, 2115)
    assert len(document["divide"]) == 46
    assert cli("perft", 0, "--expect", 1).out == "1\n"
    assert cli("perft", 0, "--expect", 2, code=1).out == "1\n"
