"""Records that are refused: texts and JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from chase_fast._core import Position
from chase_fast.errors import ChaseError, RecordError
from chase_fast.game import Game
from chase_fast.record import MAX_LINE, MAX_RECORD, Record
from tests.unit.record_texts import FULL, NINE_DUE, SHORT, WON_BY

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
