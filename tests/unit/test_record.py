"""Records of games: their fields and both formats."""

from __future__ import annotations

import copy
import datetime as dt
import json
import pickle

import pytest

from chase_fast._core import BLUE, RED, Move, Position, Rules
from chase_fast.errors import IllegalMoveError, RecordError
from chase_fast.game import Game, Outcome
from chase_fast.record import Record
from tests.unit.record_texts import FULL, NINE_DUE, SHORT, WON_BY, full_record

# ---- Fields ------------------------------------------------------------------------------------


def test_from_game_and_back() -> None:
    cfen, move = WON_BY
    game = Game.from_moves([move], start=Position.parse(cfen))
    record = game.to_record(red="Ann", blue="Ben", tags={"Round": "1"}, comments=["well"])
    assert record == Record.from_game(
        game, red="Ann", blue="Ben", tags=[("Round", "1")], comments=["well"]
    )
    assert record.outcome == Outcome(RED, "dice")
    assert record.result == "1-0"
    assert record.rules == Rules()
    assert record.to_game() == game
    assert record.headers == {
        "Red": "Ann",
        "Blue": "Ben",
        "Rules": "standard",
        "Start": cfen,
        "Result": "1-0",
        "Termination": "dice",
        "Round": "1",
    }


@pytest.mark.parametrize(
    ("outcome", "result"),
    [
        (None, "*"),
        (Outcome(None, "aborted"), "*"),
        (Outcome(None, "turn_limit"), "1/2-1/2"),
        (Outcome(RED, "illegal"), "1-0"),
        (Outcome(BLUE, "crash"), "0-1"),
        (Outcome(RED, "time"), "1-0"),
    ],
)
def test_a_referee_can_end_a_game(outcome: Outcome | None, result: str) -> None:
    record = Game.from_moves(["a5NE"]).to_record(outcome=outcome)
    assert record.result == result
    for other in (Record.from_text(record.to_text()), Record.from_json(record.to_json())):
        assert other == record
        assert other.outcome == outcome


def test_the_rules_have_the_last_word() -> None:
    game = Game.from_moves(["a5NE"])
    with pytest.raises(RecordError, match="1-0 by dice, but by the rules the game goes on"):
        game.to_record(outcome=Outcome(RED, "dice"))
    cfen, move = WON_BY
    won = Game.from_moves([move], start=Position.parse(cfen))
    with pytest.raises(RecordError, match=r"0-1 by time, but by the rules .* 1-0 by dice"):
        won.to_record(outcome=Outcome(BLUE, "time"))
    with pytest.raises(RecordError, match=r"the record says \*"):
        Record(start=won.start, moves=won.moves).to_text()


def test_decisions_are_checked_when_a_record_is_used() -> None:
    record = Record(start=Position.start(), moves=(Move.parse("a5SE"),))
    for use in (record.to_game, record.to_text, record.to_json):
        with pytest.raises(IllegalMoveError, match="a5"):
            use()


def test_comments_belong_to_turns() -> None:
    assert Game().to_record(comment="x").comment == "x"
    with pytest.raises(RecordError, match="comments on 2 turns of a game of 1"):
        Game.from_moves(["a5NE"]).to_record(comments=["a", "b"])
    assert Game().to_record(comments=["", ""]) == Game().to_record()


@pytest.mark.parametrize(
    ("tags", "reason"),
    [
        ({"": "x"}, "tag name ''"),
        ({"1st": "x"}, "tag name '1st', expected a letter"),
        ({"a b": "x"}, "tag name 'a b'"),
        ({"x" * 65: "x"}, "at most 63"),
        ({"Red": "x"}, "Red is a field of its own"),
        ({"result": "x"}, "tag result: Result is a field of its own"),
        ({"Round": "1", "round": "2"}, "tag round occurs twice"),
        ({"Round": "\ud800"}, "tag Round is not Unicode text"),
    ],
)
def test_tags_that_are_refused(tags: dict[str, str], reason: str) -> None:
    with pytest.raises(RecordError, match=reason):
        Game().to_record(tags=tags)


def test_other_fields_that_are_refused() -> None:
    with pytest.raises(RecordError, match="Red is not Unicode text"):
        Game().to_record(red="a\udfffb")
    with pytest.raises(RecordError, match="without a time"):
        Game().to_record(date=dt.datetime(2025, 1, 31, 12))


def test_records_are_values() -> None:
    record = full_record()
    assert record == full_record()
    assert hash(record) == hash(full_record())
    assert pickle.loads(pickle.dumps(record)) == record
    assert copy.deepcopy(record) == record
    assert len({record, full_record(), Record(start=Position.start())}) == 2


# ---- The two formats ---------------------------------------------------------------------------


def test_text_of_a_full_record() -> None:
    assert full_record().to_text() == FULL
    assert Record.from_text(FULL) == full_record()


def test_json_of_a_full_record() -> None:
    text = full_record().to_json()
    assert "\n" not in text
    assert json.loads(text) == {
        "red": 'Ann "the die" Lee',
        "blue": "Ben\\Bob",
        "date": "2025-01-31",
        "rules": "chain=yes",
        "start": NINE_DUE,
        "result": "0-1",
        "termination": "time",
        "tags": {"Event": "Cup", "Round": "1"},
        "comment": "a long thought",
        "comments": {"1": "nine pips", "2": "closing } brace"},
        "turns": ["+d6 +e4 e4SW", "i5SE"],
    }
    assert Record.from_json(text) == full_record()


def test_the_shortest_records() -> None:
    empty = Record(start=Position.start())
    assert empty.to_text() == ('[Red "?"]\n[Blue "?"]\n[Rules "standard"]\n[Result "*"]\n\n*\n')
    assert json.loads(empty.to_json()) == {
        "red": "?", "blue": "?", "rules": "standard", "result": "*", "turns": [],
    }  # fmt: skip


def test_a_record_may_end_within_a_turn() -> None:
    game = Game.from_moves(["+d6"], start=Position.parse(NINE_DUE))
    record = game.to_record(outcome=Outcome(BLUE, "crash"), comments=["gone"])
    assert record.to_text().endswith("\n1. +d6 {gone} 0-1\n")
    assert Record.from_text(record.to_text()) == record
    assert Record.from_json(record.to_json()) == record


@pytest.mark.parametrize(
    "text",
    [
        'quote " backslash \\ brace { } bracket [ ]',
        "line\nfeed, return\r, tab\t, nul\0, escape\x1b, next line\x85",
        " leading, two  inside, trailing ",
        "  ",
        "žluťoučký kůň 骰子 🎲 \u2028\u2029\u00a0\ufeff",
        "\\n \\u0041 \\s \\",
        "x" * 300,
        "word " * 60,
        "}" * 100,
        "\\" * 100,
        "[Red] 1. a5NE 1-0 *",
        "*",
    ],
)
def test_texts_come_back(text: str) -> None:
    game = Game.from_moves(["a5NE", "i5SE"])
    record = game.to_record(
        red=text, blue=text, tags={"Note": text}, comment=text, comments=[text, text]
    )
    written = record.to_text()
    assert all(len(line) <= 80 for line in written.split("\n\n", 1)[1].split("\n"))
    assert "\n\n" not in written.split("\n\n", 1)[1]
    assert Record.from_text(written) == record
    assert Record.from_text(written.replace("\n", "\r\n")) == record
    assert record.to_json().isascii()
    assert Record.from_json(record.to_json()) == record


def test_lines_of_moves_are_filled() -> None:
    moves = ["a1=2,a2=1", "i1=2,i2=1", "a1=1,a2=2", "i1=1,i2=2"] * 10
    record = Game.from_moves(moves, rules=Rules(repetition="none")).to_record()
    lines = record.to_text().split("\n\n")[1].splitlines()
    assert (
        lines[0] == "1. a1=2,a2=1 2. i1=2,i2=1 3. a1=1,a2=2 4. i1=1,i2=2 5. a1=2,a2=1 6. i1=2,i2=1"
    )
    assert all(60 < len(line) <= 80 for line in lines[:-1])
    assert lines[-1].endswith(" *")


def test_spacing_of_a_text_does_not_matter() -> None:
    text = (
        '[ Red\t "Ann" ]  \n[Blue "Ben"]\n[Rules "standard"]\n[Result "*"]\n\n\n'
        "\t1.\n\na5NE{ two \n words }2. i5SE\n*  \n\n"
    )
    assert Record.from_text(text) == Record.from_text(SHORT.replace("2.", "{two words} 2."))
