"""The commands with players in them: analyse, play, match, players, engine, tune."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

import chase_fast as cf
from chase_fast._core import FEATURES
from chase_fast.agents import load_weights
from chase_fast.cli import main
from chase_fast.cli.entry import EntryError, read_entry
from chase_fast.record import read_records

START = cf.Position.start()
LEGAL = START.legal_moves


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Any:
    def feed(*lines: str) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))

    return feed


# ---- What a person enters ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("1", str(LEGAL[0])),
        (" 46 ", str(LEGAL[45])),
        ("a5NE", "a5NE"),
        ("a5ne", "a5NE"),
        ("A5 NE", "a5NE"),
        ("a5=4 a6", "a5=4,a6=5"),
        ("a6=5, a5", "a5=4,a6=5"),
        ("A5=4 , A6", "a5=4,a6=5"),
        ("a5=4,a6=5", "a5=4,a6=5"),
    ],
)
def test_one_decision_is_meant(text: str, decision: str) -> None:
    assert str(read_entry(text, LEGAL, LEGAL).move) == decision


@pytest.mark.parametrize("move", LEGAL, ids=str)
def test_every_text_is_its_decision(move: cf.Move) -> None:
    for text in (str(move), str(move).lower(), f"  {str(move).upper()} "):
        assert read_entry(text, LEGAL, ()).move == move


def test_cells_list_what_begins_there() -> None:
    found = read_entry("a5", LEGAL, ()).choices
    assert {str(move) for move in found} >= {"a5NE", "a5NW", "a5=4,a6=5", "a4=5,a5=4"}
    assert all("a5" in str(move) for move in found)
    pairs = read_entry("a6 a5", LEGAL, ()).choices
    assert pairs and all(str(move).startswith("a5=") and ",a6=" in str(move) for move in pairs)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0", "there is no number 0, expected 1 to 46"),
        ("47", "there is no number 47"),
        ("e5", "nothing legal begins on e5"),
        ("i5", "nothing legal begins on i5"),
        ("a1 a3", "nothing legal begins on a1 and a3"),
        ("a1=6 a2", "no exchange of a1 and a2 makes a1 a 6"),
        ("castle", "is no number, decision or cell"),
        ("a5 a6 a7", "is no number, decision or cell"),
        ("é", "is no number"),
        ("٣", "is no number"),
    ],
)
def test_what_stands_for_nothing(text: str, words: str) -> None:
    with pytest.raises(EntryError, match=words):
        read_entry(text, LEGAL, LEGAL)


# ---- play --------------------------------------------------------------------------------------


def test_a_game_is_played(typed: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    typed(
        "help", "list", "a5", "1", "hint", "moves", "board", "nonsense", "", f"save {path}", "quit"
    )
    assert main(["play", "--against", "ab:depth=1"]) == 0
    out = capsys.readouterr().out
    for word in ("You are red", "a5=3 a6", "Type a number.", "blue: ", "is no number", "saved "):
        assert word in out
    [record] = read_records(path)
    assert record.moves[0] in START.legal_moves
    assert (record.red, record.blue) == ("human", "ab:depth=1")


def test_taking_back_restores_the_position(
    typed: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "game.jsonl"
    typed("a1NE", "back", "back", "a5NE")
    assert main(["play", "--against", "greedy", "--save", str(path)]) == 0
    assert "there is nothing to take back" in capsys.readouterr().out
    [record] = read_records(path)
    assert str(record.moves[0]) == "a5NE"
    assert record.to_game().turn_count == 2


def test_a_whole_game_as_blue_ends_with_its_result(
    typed: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(*["1"] * 400)
    assert main(["play", "--side", "blue", "--against", "ab:nodes=100"]) == 0
    assert "red has won" in capsys.readouterr().out


def test_resigning_and_the_end_of_the_input(typed: Any, capsys: pytest.CaptureFixture[str]) -> None:
    typed("resign")
    assert main(["play"]) == 0
    assert "blue wins by your resignation" in capsys.readouterr().out
    typed()
    assert main(["play"]) == 0


# ---- analyse -----------------------------------------------------------------------------------


def test_the_start_is_compared_decision_by_decision(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyse", "--player", "ab:depth=1", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert {line["pv"][0] for line in document["lines"]} == {str(move) for move in LEGAL}
    scores = [line["score"] for line in document["lines"]]
    assert scores == sorted(scores, reverse=True)


def test_lines_with_boards(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["analyse", "--play", "a5NE", "-n", "2", "--boards", "--player", "ab:depth=2"]
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert out.count("Blue <>") == 3
    assert "\n1. i" in out and "\n2. i" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["analyse", "--player", "ab:nodes=0"], "nodes is '0', expected an integer"),
        (["analyse", "--lines", "0"], "expected an integer from 1"),
        (["match", "ab", "foo"], "unknown player 'foo'"),
        (["match", "ab", "ab", "--pairs", "0"], "expected an integer from 1"),
        (["match", "random", "random", "--turns", "0"], "no more than 1 are to be found"),
        (["play", "--against", "ab:time=0"], "time is '0', expected a number"),
        (["players", "chess"], "expected one of random, greedy"),
        (["engine", "--player", 'ext:cmd="x"'], "not another program"),
        (["tune", "--out", "/does/not/exist/w.json"], "there is no folder"),
        (["analyse", "--player", 'ab:weights="/does/not/exist"'], "No such file"),
        (["analyse", "--player", "ab:hash=1048576"], "this machine has"),
    ],
)
def test_mistakes_are_told(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert words in told
    assert "Traceback" not in told


@pytest.mark.parametrize("command", ["analyse", "play"])
def test_a_program_that_does_not_start(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    option = "--player" if command == "analyse" else "--against"
    assert main([command, option, 'ext:cmd="/does/not/exist"']) == 1
    assert "does not start" in capsys.readouterr().err


# ---- players, tune -----------------------------------------------------------------------------


def test_players_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["players", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert set(document) == {"random", "greedy", "ab", "mcts", "ext"}
    assert document["ab"]["options"]["nodes"]["allowed"].startswith("an integer from 1")
    assert main(["players", "mcts"]) == 0
    assert "rollout=" in capsys.readouterr().out


def test_tuning_writes_the_same_file_on_any_number_of_threads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = []
    for threads in ("1", "2"):
        path = tmp_path / f"{threads}.json"
        arguments = ["--games", "120", "--rounds", "2", "--nodes", "30", "--threads", threads]
        assert main(["tune", "--rules", "reserve=2", "--out", str(path), *arguments]) == 0
        files.append(path.read_bytes())
        assert load_weights(cf.Rules(), path).rules == "reserve=2"
    assert files[0] == files[1]
    assert len(capsys.readouterr().out.splitlines()) == 2 * len(FEATURES)


def test_tuning_names_the_extra_that_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # As the module finder answers for a package that is not installed.
    monkeypatch.setattr("chase_fast.cli.rundirs.find_spec", {}.get)
    assert main(["tune", "--out", str(tmp_path / "w.json")]) == 2
    assert "pip install 'chase-fast[stats]'" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
