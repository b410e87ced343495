"""Records of games: fields, both formats, streams, and what is refused."""

from __future__ import annotations

import copy
import datetime as dt
import gzip
import io
import json
import pickle
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chase_fast._core import BLUE, RED, Move, Position, Rules
from chase_fast.errors import ArgumentError, ChaseError, IllegalMoveError, RecordError
from chase_fast.game import Game, Outcome
from chase_fast.record import MAX_LINE, MAX_RECORD, Record, RecordWriter, read_records

WON_BY = ("e3e3e/8e/9/9/9/4e4/5B3/9/A1EE1CED1 r - 3/5", "c6NW")
NINE_DUE = "abcdedcba/9/9/9/3B5/5A3/9/9/C1C1C1D2 r - 4/1"

SHORT = """\
[Red "Ann"]
[Blue "Ben"]
[Rules "standard"]
[Result "*"]

1. a5NE 2. i5SE *
"""
FULL = """\
[Red "Ann \\"the die\\" Lee"]
[Blue "Ben\\\\Bob"]
[Date "2025-01-31"]
[Rules "chain=yes"]
[Start "abcdedcba/9/9/9/3B5/5A3/9/9/C1C1C1D2 r - 4/1"]
[Result "0-1"]
[Termination "time"]
[Event "Cup"]
[Round "1"]

{a long thought} 1. +d6 +e4 e4SW {nine pips} 2. i5SE {closing \\} brace} 0-1
"""


def full_record() -> Record:
    return Record(
        start=Position.parse(NINE_DUE, Rules(chain=True)),
        moves=tuple(map(Move.parse, ("+d6", "+e4", "e4SW", "i5SE"))),
        outcome=Outcome(BLUE, "time"),
        red='Ann "the die" Lee',
        blue="Ben\\Bob",
        date=dt.date(2025, 1, 31),
        tags=(("Event", "Cup"), ("Round", "1")),
        comment="a long thought",
        comments=("nine pips", "closing } brace"),
    )


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


# ---- Texts that are refused --------------------------------------------------------------------


def changed(*pairs: str, text: str = SHORT) -> str:
    for old, new in zip(pairs[::2], pairs[1::2], strict=True):
        assert old in text
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (changed("[Red ", "[Blue "), 2, "tag Blue occurs twice"),
        (changed('[Red "Ann"]\n', ""), 4, "Red is missing; a record needs Red, Blue, Rules, Res"),
        (changed('[Result "*"]\n', ""), 4, "Result is missing"),
        (changed("[Red ", "[red "), 1, "tag red: write Red"),
        (changed("[Red ", "[R€d "), 1, "tag name 'R€d', expected a letter"),
        (changed('"Ann"', "Ann"), 1, 'is not a tag; expected \\[Name "value"\\]'),
        (changed('"Ann"]', '"Ann"'), 1, "is not a tag"),
        (changed('"Ann"', '"An"n"'), 1, "is not a tag"),
        (changed('"Ann"', '"An\\n\\x"'), 1, r"unknown escape \\x, expected one of"),
        (changed('"Ann"', '"An\\u12"'), 1, r"unknown escape \\u"),
        (changed('"Ann"', '"An\\ud800"'), 6, "tags: .*|not Unicode text"),
        (changed("standard", "chess"), 3, "Rules: .*chess"),
        (changed('"*"', '"2-0"'), 4, "Result '2-0', expected 1-0 or 0-1 or 1/2-1/2 or \\*"),
        (changed("[Result", '[Date "31.1.2025"]\n[Result'), 4, "Date '31.1.2025': expected year"),
        (changed("[Result", '[Date "2025-02-30"]\n[Result'), 4, "Date '2025-02-30'"),
        (changed("[Result", '[Date "20250131"]\n[Result'), 4, "Date '20250131'"),
        (changed("[Result", '[Start "x"]\n[Result'), 4, "Start: "),
        (changed("[Result", '[Termination "x"]\n[Result'), 5, "Termination 'x', expected one of"),
        (changed("[Result", '[Termination "dice"]\n[Result'), 5, "needs a winner"),
        (changed("[Result", '[Termination "turn_limit"]\n[Result'), 5, "means 1/2-1/2"),
        (changed("*", "1-0"), 4, "1-0 without a Termination, but by the rules the game goes on"),
        (changed("*", "1/2-1/2"), 4, "1/2-1/2 without a Termination"),
        (
            changed("*", "1-0", "[Result", '[Termination "dice"]\n[Result'),
            5,
            "1-0 by dice, but by the rules the game goes on",
        ),
        (changed("SE *", "SE 1-0"), 6, "the moves end in 1-0, but the tag Result says \\*"),
        (changed("SE *", "SE * 3. a1NE"), 6, "'3. a1NE' after the result"),
        (changed("SE *", "SE"), 6, "the file ends before the result"),
        (changed("1. a5NE 2. i5SE *", ""), 6, "the file ends before the result"),
        (changed("\n\n1. a5NE 2. i5SE *\n", ""), 4, "the file ends after the tags"),
        (changed("a5NE", "a5SE"), 6, "turn 1, 'a5SE': "),
        (changed("i5SE", "i5se"), 6, "turn 2, 'i5se': "),
        (changed("2. i5SE", "2. a1NE"), 6, "turn 2, 'a1NE': "),
        (changed("a5NE", "a" * 100), 6, "turn 1, 'a{37}...': "),
        (changed("2. i5SE", "3. i5SE"), 6, "turn number 3, expected 2"),
        (
            changed("1. a5NE", "a5NE"),
            6,
            "'a5NE' without its turn number; expected 1. or the result",
        ),
        (changed("2. i5SE", "i5SE"), 6, "'i5SE' without its turn number; expected 2."),
        (changed("2. i5SE", "2."), 6, "the result follows 2. without a decision"),
        (changed("1. a5NE", "1."), 6, "2. begins a turn before turn 0"),
        (changed("a5NE", "a5NE {"), 6, "the file ends inside the comment that begins on line 6"),
        (changed("a5NE", "a5NE {x\n\n}"), 7, "a blank line stands inside the comment .* line 6"),
        (changed("a5NE", "a5NE {x} {y}"), 6, "two comments in one place"),
        (changed("1. a5NE", "{x} {y} 1. a5NE"), 6, "two comments in one place"),
        (changed("a5NE", "a5NE {}"), 6, "empty comment"),
        (changed("a5NE", "{x} a5NE"), 6, "a comment stands between 1. and its decision"),
        (changed("a5NE", "a5NE {\\x}"), 6, r"unknown escape \\x, expected one of \\}, "),
        (changed("a5NE", "a5NE }"), 6, "'}' without its turn number"),
        (changed("[Red", "x\n[Red"), 1, "'x' outside a record"),
        ("", None, "no record in the text"),
        ("\n \n", None, "no record in the text"),
        (SHORT + "\n" + SHORT, None, "more than one record"),
        (SHORT + "x\n", 7, "'x' outside a record"),
        (changed("i5SE", "i5\0SE"), 6, "not text: character U\\+0000 at column 14"),
        (changed("i5SE", "i5SE\r*"), 6, "not text: character U\\+000D"),
        (changed("i5SE", "\ufeffi5SE"), 6, "not text: character U\\+FEFF"),
        (changed("Ann", "\ud800"), 1, "not UTF-8: byte 0xED is byte 7"),
        (changed("Ann", "n" * MAX_LINE), 1, f"line longer than {MAX_LINE} bytes"),
    ],
)
def test_bad_text(text: str, line: int | None, reason: str) -> None:
    with pytest.raises(RecordError, match=reason) as caught:
        Record.from_text(text)
    assert caught.value.line == line
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, ChaseError)


def test_a_turn_does_not_go_on_after_its_comment() -> None:
    text = changed("+d6 +e4", "+d6 {x} +e4", text=FULL)
    with pytest.raises(RecordError, match="turn 1 goes on after its comment") as caught:
        Record.from_text(text)
    assert caught.value.line == 11
    text = changed("+d6 +e4 e4SW {nine pips} 2.", "+d6 2. +e4", text=FULL)
    with pytest.raises(RecordError, match=r"2\. begins a turn before turn 1 is complete"):
        Record.from_text(text)


def test_no_decision_after_the_end() -> None:
    cfen, move = WON_BY
    text = Game.from_moves([move], start=Position.parse(cfen)).to_record().to_text()
    with pytest.raises(RecordError, match="turn 2, 'i1SE': "):
        Record.from_text(text.replace("c6NW", "c6NW 2. i1SE"))
    with pytest.raises(RecordError, match=r"0-1 without .* ended 1-0 by dice"):
        Record.from_text(text.replace("1-0", "0-1").replace('[Termination "dice"]\n', ""))


GOOD: dict[str, Any] = {
    "red": "Ann", "blue": "Ben", "rules": "standard", "result": "*", "turns": ["a5NE", "i5SE"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"red": None}, "red: a JSON NoneType, expected a text"),
        ({"blue": 3}, "blue: a JSON int, expected a text"),
        ({"rules": "chess"}, "Rules: "),
        ({"result": "won"}, "Result 'won', expected"),
        ({"result": "1-0"}, "1-0 without a Termination"),
        ({"termination": "dice", "result": "1-0"}, "1-0 by dice, but by the rules"),
        ({"date": "yesterday"}, "Date 'yesterday'"),
        ({"start": "x"}, "Start: "),
        ({"turns": "a5NE"}, "turns: expected an array"),
        ({"turns": [5]}, "turn 1: a JSON int, expected a text"),
        ({"turns": [["a5NE"]]}, "turn 1: a JSON list"),
        ({"turns": [""]}, "turn 1, '': "),
        ({"turns": ["a5NE "]}, "turn 1: a space at offset 4 after the last decision"),
        ({"turns": [" a5NE"]}, "turn 1: a space at offset 0 before the first decision"),
        ({"start": NINE_DUE, "turns": ["+d6  +e4"]}, "turn 1: a space at offset 4 too many"),
        ({"turns": ["a5NE" * 300]}, "turn 1: text of 1200 characters"),
        ({"turns": ["a5NE i5SE"]}, "turn 1 has ended before 'i5SE'"),
        ({"turns": ["a5SE"]}, "turn 1, 'a5SE': "),
        ({"start": NINE_DUE, "turns": ["+d6", "+e4 e4SW"]}, "turn 1 is not complete, yet turn 2"),
        ({"tags": []}, "tags: a JSON list, expected an object"),
        ({"tags": {"Round": 1}}, "tags, Round: a JSON int"),
        ({"tags": {"R d": "1"}}, "tag name 'R d'"),
        ({"tags": {"Red": "1"}}, "tag Red is a key of its own: red"),
        ({"tags": {"rED": "1"}}, "tag rED: Red is a field of its own"),
        ({"tags": {"A": "1", "a": "1"}}, "tag a occurs twice"),
        ({"comment": 1}, "comment: a JSON int"),
        ({"comments": {"3": "x"}}, "comment on turn '3' of 2"),
        ({"comments": {"0": "x"}}, "comment on turn '0'"),
        ({"comments": {"01": "x"}}, "comment on turn '01'"),
        ({"comments": {"²": "x"}}, "comment on turn '²'"),
        ({"comments": {"1" * 5000: "x"}}, "comment on turn '1{37}...'"),
        ({"comments": {"1": ""}}, "empty comment on turn 1"),
        ({"comments": ["x"]}, "comments: a JSON list"),
        ({"moves": []}, "unknown key 'moves', expected red, blue, "),
        ({"red": "\ud800"}, "not Unicode text"),
    ],
)
def test_bad_json_values(change: dict[str, Any], reason: str) -> None:
    assert Record.from_json(json.dumps(GOOD)) == Record.from_text(SHORT)
    with pytest.raises(RecordError, match=reason) as caught:
        Record.from_json(json.dumps(GOOD | change))
    assert caught.value.line == 1


@pytest.mark.parametrize("key", ["red", "blue", "rules", "result", "turns"])
def test_missing_json_keys(key: str) -> None:
    value = GOOD.copy()
    del value[key]
    with pytest.raises(RecordError, match=f"(?i){key}"):
        Record.from_json(json.dumps(value))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[]", "a JSON list, expected an object"),
        ("null", "a JSON NoneType"),
        ("{", "not JSON: "),
        ("{} x", "not JSON: "),
        ('{"red":"a","red":"b"}', "'red' occurs twice"),
        ("[" * 100_000, "nested too deeply|not JSON"),
        ('{"red":' + "9" * 5000 + "}", "not JSON|red: a JSON int"),
        ('{"red":"\0"}', "not text: character U\\+0000"),
        ('{"red":"' + "x" * MAX_RECORD + '"}', f"line longer than {MAX_RECORD} bytes"),
        ("", "no record in the text"),
        ('{"a":1}\n{"a":1}', "unknown key 'a'"),
    ],
)
def test_bad_json(text: str, reason: str) -> None:
    with pytest.raises(RecordError, match=reason):
        Record.from_json(text)


def test_what_readers_would_refuse_is_not_written() -> None:
    with pytest.raises(RecordError, match="tag Note takes a line longer"):
        Game().to_record(tags={"Note": "x" * MAX_LINE}).to_text()
    fits = Game().to_record(tags={"Note": "x" * (MAX_LINE - len('[Note ""]'))})
    assert Record.from_text(fits.to_text()) == fits
    long = Game().to_record(comment="x" * (MAX_RECORD + 1))
    with pytest.raises(RecordError, match="the record is longer"):
        long.to_text()
    with pytest.raises(RecordError, match="the record is longer"):
        long.to_json()


# ---- Streams -----------------------------------------------------------------------------------


def some_records() -> list[Record]:
    return [Record.from_text(SHORT), full_record(), Game().to_record(red="Cid")]


@pytest.mark.parametrize("name", ["a.txt", "a.jsonl", "a.txt.gz", "a.json.gz", "a.ndjson", "a"])
def test_files(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with RecordWriter(path) as writer:
        for record in some_records():
            writer.write(record)
        assert writer.count == 3
    assert list(read_records(path)) == some_records()
    assert list(read_records(str(path))) == some_records()
    with RecordWriter(str(path), append=True) as writer:
        writer.write(Game.from_moves(["a5NE"]))
    assert list(read_records(path)) == [*some_records(), Game.from_moves(["a5NE"]).to_record()]
    data = path.read_bytes()
    data = gzip.decompress(data) if name.endswith(".gz") else data
    assert data[:1] == (b"{" if "json" in name else b"[")
    with RecordWriter(path) as writer:
        writer.write(full_record())
    assert list(read_records(path)) == [full_record()]


def test_nothing_is_written_of_a_bad_record() -> None:
    stream = io.StringIO()
    with RecordWriter(stream) as writer:
        writer.write(full_record())
        before = stream.getvalue()
        with pytest.raises(IllegalMoveError):
            writer.write(Record(start=Position.start(), moves=(Move.parse("a5SE"),)))
        assert stream.getvalue() == before
        assert writer.count == 1
    assert stream.getvalue() == FULL + "\n"


@pytest.mark.parametrize("format", ["text", "json"])
def test_file_objects(format: Any) -> None:
    stream = io.StringIO()
    writer = RecordWriter(stream, format=format)
    for record in some_records():
        writer.write(record)
    writer.close()
    assert not stream.closed
    text = stream.getvalue()
    assert list(read_records(io.StringIO(text))) == some_records()
    assert list(read_records(io.BytesIO(text.encode()), format=format)) == some_records()


def test_standard_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", out)
    record = Game().to_record(red="骰子")
    with RecordWriter("-") as writer:
        writer.write(record)
        writer.flush()
    written = out.buffer.getvalue()
    assert written.decode() == record.to_text() + "\n"
    monkeypatch.setattr(
        sys, "stdin", io.TextIOWrapper(io.BytesIO(written + b"x"), encoding="ascii")
    )
    records = read_records("-")
    assert next(records) == record
    with pytest.raises(RecordError, match=r"^<stdin>:8: 'x' outside a record"):
        next(records)


def test_reading_is_lazy() -> None:
    records = read_records(io.StringIO(SHORT + "\n" + "x"))
    assert next(records) == Record.from_text(SHORT)
    with pytest.raises(RecordError):
        next(records)


def test_arguments() -> None:
    with pytest.raises(ArgumentError, match="format is 'pgn', expected auto, text, json"):
        read_records("-", format="pgn")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="format is 'pgn'"):
        RecordWriter("-", format="pgn")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="on_error is 'ignore'"):
        read_records("-", on_error="ignore")  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        next(read_records("/no/such/file"))


BAD_BETWEEN = {
    "truncated after the tags": '[Red "X"]\n[Blue "Y"]\n[Rules "standard"]\n[Result "*"]\n\n',
    "truncated in the tags": '[Red "X"]\n[Bl\n\n',
    "truncated in the moves": SHORT.replace(" *", "") + "\n",
    "truncated in a comment": SHORT.replace("2.", "{x").replace(" *", "") + "\n",
    "illegal decision": SHORT.replace("a5NE", "a5SE") + "\n",
    "wrong result": SHORT.replace('"*"', '"1-0"') + "\n",
    "no tags": "1. a5NE *\n\n",
    "binary": "\x00\x01\x02\n\n",
    "a tag in a comment": SHORT.replace("2. i5SE", "{x\n[Red y} i5SE") + "\n",
    "long line": "x" * (3 * MAX_LINE) + "\n\n",
}


@pytest.mark.parametrize("bad", BAD_BETWEEN.values(), ids=BAD_BETWEEN.keys())
def test_reading_goes_on_after_a_bad_text(bad: str) -> None:
    text = "".join((SHORT, "\n", bad, FULL, "\n", bad, SHORT))
    good = [Record.from_text(SHORT), full_record(), Record.from_text(SHORT)]
    assert list(read_records(io.StringIO(text), on_error="skip")) == good
    errors: list[RecordError] = []
    assert list(read_records(io.BytesIO(text.encode()), on_error=errors.append)) == good
    assert len(errors) == 2
    first = SHORT.count("\n") + 2
    second = first + bad.count("\n") + FULL.count("\n") + 1
    for error, line in zip(errors, (first, second), strict=True):
        assert error.source == "<stream>"
        assert error.line is not None
        assert line <= error.line <= line + bad.count("\n")
    records = read_records(io.StringIO(text))
    assert next(records) == good[0]
    with pytest.raises(RecordError) as caught:
        next(records)
    assert caught.value.line == errors[0].line


def test_reading_goes_on_after_a_bad_line_of_json() -> None:
    good = full_record().to_json()
    bad = ["{}", "x", good[:-5], "[1]", '"\ud800"', '{"red":"' + "x" * MAX_RECORD + '"}', "\0"]
    text = "\n".join([good, *[f"{line}\n\n{good}" for line in bad]])
    errors: list[RecordError] = []
    stream = io.BytesIO(text.encode(errors="surrogatepass"))
    assert list(read_records(stream, on_error=errors.append)) == [full_record()] * 8
    assert [error.line for error in errors] == [2, 5, 8, 11, 14, 17, 20]


def test_a_long_first_line_of_json_is_read_whole() -> None:
    record = Game().to_record(comment="x" * (3 * MAX_LINE))
    text = record.to_json() + "\n"
    assert list(read_records(io.StringIO(text * 2))) == [record] * 2
    assert list(read_records(io.BytesIO(text.encode() * 2))) == [record] * 2


@pytest.mark.parametrize("format", ["text", "json"])
def test_byte_order_mark_and_crlf(format: str) -> None:
    record = full_record()
    text = record.to_text() if format == "text" else record.to_json()
    for data in ("\ufeff" + text, "\n \n" + text, text.replace("\n", "\r\n"), text.rstrip("\n")):
        assert list(read_records(io.BytesIO(data.encode()))) == [record]
        assert list(read_records(io.StringIO(data))) == [record]


def test_utf16_is_named() -> None:
    with pytest.raises(RecordError, match=r"^<stream>:1: not UTF-8: byte 0xFF .*UTF-16\?"):
        next(read_records(io.BytesIO(SHORT.encode("utf-16-le").join((b"\xff\xfe", b"")))))


def test_a_text_object_that_cannot_be_decoded_ends_the_reading() -> None:
    data = (SHORT + "\n").encode() + b"\xff" + SHORT.encode()
    errors: list[RecordError] = []
    stream = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")
    assert list(read_records(stream, on_error=errors.append)) == []
    assert "not utf-8: byte 0xFF" in str(errors[0])
    assert len(errors) == 1


@pytest.mark.parametrize("damage", ["truncated", "not gzip", "garbage"])
def test_damaged_gzip(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "games.txt.gz"
    packed = gzip.compress((SHORT + "\n").encode() * 2000, mtime=0)
    half = len(packed) // 2
    path.write_bytes(
        {
            "truncated": packed[:half],
            "not gzip": SHORT.encode(),
            "garbage": packed[:half] + bytes(64) + packed[half + 64 :],
        }[damage]
    )
    errors: list[RecordError] = []
    read = list(read_records(path, on_error=errors.append))
    assert len(read) < 2000
    assert errors[-1].source == str(path)
    assert "damaged or truncated gzip data" in str(errors[-1])
    with pytest.raises(RecordError):
        list(read_records(path))


def test_errors_are_pickled_whole() -> None:
    for error in (RecordError("bad", "a.txt", 3), RecordError("bad", None, 3), RecordError("bad")):
        other = pickle.loads(pickle.dumps(error))
        assert str(other) == str(error)
        assert (other.reason, other.source, other.line) == (error.reason, error.source, error.line)
    assert str(RecordError("bad", "a.txt", 3)) == "a.txt:3: bad"
    assert str(RecordError("bad", "a.txt")) == "a.txt: bad"
    assert str(RecordError("bad", None, 3)) == "line 3: bad"


# ---- Memory ------------------------------------------------------------------------------------


class Repeated(io.RawIOBase):
    """A binary stream that gives the same bytes over and over."""

    def __init__(self, data: bytes, times: int) -> None:
        self._pieces: Iterator[bytes] = iter([data] * times)
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._rest = self._rest or next(self._pieces, b"")
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count


def peak_of_reading(data: bytes, times: int) -> tuple[int, int]:
    """Records read and the largest amount of memory in use meanwhile, in bytes."""
    stream = io.BufferedReader(Repeated(data, times))
    tracemalloc.start()
    try:
        count = sum(1 for _ in read_records(stream, on_error="skip"))
        return count, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("format", ["text", "json"])
def test_memory_does_not_grow_with_the_number_of_records(format: str) -> None:
    record = full_record()
    data = (record.to_text() + "\n" if format == "text" else record.to_json() + "\n").encode()
    peak_of_reading(data, 20)  # caches of the modules used
    few, peak_of_few = peak_of_reading(data, 50)
    many, peak_of_many = peak_of_reading(data, 600)
    assert (few, many) == (50, 600)
    # Free lists of the interpreter come and go; 550 records kept would take 700,000 bytes.
    assert peak_of_many < peak_of_few + 200_000


def test_memory_does_not_grow_with_the_length_of_a_line() -> None:
    line = b"x" * 100_000
    count, peak = peak_of_reading(line, 200)
    assert count == 0
    assert peak < 10 * MAX_LINE


def test_the_records_of_the_documentation() -> None:
    path = Path(__file__).parents[2] / "docs" / "notation.md"
    blocks = path.read_text(encoding="utf-8").split("```")
    (text,) = [block for block in blocks if block.startswith("\n[Red")]
    (line,) = [block for block in blocks if block.startswith('\n{"red"')]
    assert Record.from_text(text) == Record.from_json(line)
    assert Record.from_json(line).to_json() == line.strip()
    assert Record.from_text(text).to_text() == text.lstrip("\n")
