"""Whole turns in our notation, in AbstractPlay's and in chase-ai's."""

from __future__ import annotations

import doctest
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chase_fast._core import Move, Position, Rules
from chase_fast.errors import (
    AmbiguousNotationError,
    ChaseError,
    GameOverError,
    IllegalMoveError,
    InvalidPositionError,
    NotationError,
)
from chase_fast.notation import (
    read_abstractplay,
    read_chase_ai,
    read_chase_ai_position,
    read_turn,
    write_abstractplay,
    write_chase_ai,
    write_chase_ai_position,
    write_turn,
)

START = Position.start()
# Nine pips are due to red: d6 takes five and e4 the other four.
NINE_DUE = Position.parse("abcdedcba/9/9/9/3B5/5A3/9/9/C1C1C1D2 r")
# Blue's die on i2 goes over the seam to e9.
OVER_THE_SEAM = Position.parse("1d1dedcbc/9/9/9/8A/9/9/9/1BCDEDCBA b")
CHAMBER = Position.parse("1bcdedcb1/9/9/9/5a3/4a4/5B3/9/A1CDEDCBA r - 1/1")
TWO_PATHS = Position.parse("abcde2ba/5c3/6d2/9/9/F8/9/9/1BCDECB2 r - 3/1")
WON = Position.parse("2bE2E1E/9/b1E1c2c1/2bcE3c/3b5/9/9/5c3/3b5 r - 5/0")
# Red's c6SE takes the die on b7, from where b7SE could take one more.
SERIES = Position.parse("D8/9/5C3/A4A3/5c2d/2C6/1DA2A3/e1D3d2/1eC3d2 r - 0/4", Rules(chain=True))
STOPPED = ["c6SE", "stop"]
TWICE = ["c6SE", "b7SE"]

Reader = Callable[[Position, str], list[Move]]
READERS: list[Reader] = [read_turn, read_abstractplay, read_chase_ai]
WRITERS = [write_turn, write_abstractplay, write_chase_ai]


def texts(moves: list[Move]) -> list[str]:
    return [str(move) for move in moves]


# ---- The three notations of the same turns ----------------------------------------------------

SAME = [
    (START, "a5NE", "a5-f8NE", "A5-F8"),
    (START, "a7=4,a8=1", "a7=4,a8=1", "A8-A7+=1"),
    (START, "a7=1,a8=4", "a7=1,a8=4", "A7-A8+=2"),
    (START, "a2NE", "a2-c3NE", "A2-C3"),
    (CHAMBER, "c6NW", "c6-e5NW", "C6-CH"),
    (NINE_DUE, "+d6 +e4 e4SW", "{d6,e4}e4-c1SW", "D6+=5 E4+=4 E4-C1"),
    (NINE_DUE, "+d6 +e4 a1NE", "{d6,e4}a1-d3NE", "D6+=5 E4+=4 A1-D3"),
    (OVER_THE_SEAM, "i2SW", "i2xe9SW", "I2-E9"),
    (TWO_PATHS, "d1E", "d1-d7E", None),
]


@pytest.mark.parametrize(("position", "own", "abstractplay", "chase_ai"), SAME)
def test_one_turn_in_three_notations(
    position: Position, own: str, abstractplay: str, chase_ai: str | None
) -> None:
    moves = [Move.parse(token) for token in own.split(" ")]
    assert read_turn(position, own) == moves
    assert write_turn(position, moves) == own
    assert read_abstractplay(position, abstractplay) == moves
    assert write_abstractplay(position, moves) == abstractplay
    if chase_ai is not None:
        assert read_chase_ai(position, chase_ai) == moves
        assert write_chase_ai(position, moves) == chase_ai


def test_writers_take_text_too() -> None:
    assert write_abstractplay(NINE_DUE, ["+d6", "+e4", "e4SW"]) == "{d6,e4}e4-c1SW"


@pytest.mark.parametrize(
    ("position", "text", "own"),
    [
        (START, "A5 - F8 ne", "a5NE"),
        (START, "a5-f8", "a5NE"),
        (START, "a5xf8", "a5NE"),
        (START, "a8=1,a7=4", "a7=4,a8=1"),
        (START, "\tA8 = 1 , A7 = 4\n", "a7=4,a8=1"),
        (NINE_DUE, " { D6 , E4 }\tE4 - C1 Sw", "+d6 +e4 e4SW"),
        (NINE_DUE, "{d6,e4}e4-c1", "+d6 +e4 e4SW"),
        (OVER_THE_SEAM, "I2-E9", "i2SW"),
        (NINE_DUE.apply("+d6"), "{e4}e4-c1", "+e4 e4SW"),
    ],
)
def test_abstractplay_is_read_leniently(position: Position, text: str, own: str) -> None:
    assert write_turn(position, read_abstractplay(position, text)) == own


@pytest.mark.parametrize(
    ("position", "text", "own"),
    [
        (START, "a5-f8", "a5NE"),
        (START, "  a8-a7+=1\n", "a7=4,a8=1"),
        (CHAMBER, "c6-ch", "c6NW"),
        (NINE_DUE, "d6+=5\te4+=4  e4-c1", "+d6 +e4 e4SW"),
    ],
)
def test_chase_ai_is_read_leniently(position: Position, text: str, own: str) -> None:
    assert write_turn(position, read_chase_ai(position, text)) == own


def test_a_capture_by_bump_or_exit_is_written_as_a_move() -> None:
    # The exits of c6NW take the dice on d5 and e6.
    assert CHAMBER.events("c6NW")["captures"] == 2
    assert write_abstractplay(CHAMBER, ["c6NW"]) == "c6-e5NW"


def test_a_turn_that_ends_the_game_after_a_distribution_has_no_move() -> None:
    # Red's only dice that could move are walled in once the pips are handed out.
    start = Position.parse("2bE2E1E/9/b1E1c2c1/2bcC3c/3b5/9/9/5c3/3b5 r - 5/0")
    after = start.apply("+f5")
    assert after.winner is not None
    assert write_turn(start, ["+f5"]) == "+f5"
    assert write_abstractplay(start, ["+f5"]) == "{f5}"
    assert write_chase_ai(start, ["+f5"]) == "F5+=2"
    for reader, text in zip(READERS, ["+f5", "{f5}", "F5+=2"], strict=True):
        assert texts(reader(start, text)) == ["+f5"]


# ---- Ambiguous texts --------------------------------------------------------------------------


def test_two_paths_are_told_apart_by_the_direction_only() -> None:
    paths = [move for move in ("d1E", "d1SW") if TWO_PATHS.is_legal(move)]
    assert paths == ["d1E", "d1SW"]
    for reader, text in ((read_abstractplay, "d1-d7"), (read_chase_ai, "D1-D7")):
        with pytest.raises(AmbiguousNotationError, match="d1E, d1SW") as caught:
            reader(TWO_PATHS, text)
        assert caught.value.candidates == ("d1E", "d1SW")
        assert caught.value.offset == 0
    with pytest.raises(AmbiguousNotationError, match="d1E, d1SW") as caught:
        write_chase_ai(TWO_PATHS, ["d1SW"])
    assert caught.value.candidates == ("d1E", "d1SW")
    assert texts(read_abstractplay(TWO_PATHS, "d1-d7SW")) == ["d1SW"]


def test_a_blocked_path_is_no_candidate() -> None:
    blocked = Position.parse("abcde2ba/5c3/6d2/9/9/F1A6/9/9/1BCDECA2 r - 2/1")
    assert not blocked.is_legal("d1E")
    assert texts(read_chase_ai(blocked, "D1-D7")) == ["d1SW"]
    assert write_chase_ai(blocked, ["d1SW"]) == "D1-D7"


def test_ambiguous_errors_are_pickled_whole() -> None:
    error = AmbiguousNotationError("which", ("d1E", "d1SW"), 3)
    other = pickle.loads(pickle.dumps(error))
    assert (str(other), other.candidates, other.offset) == ("which", ("d1E", "d1SW"), 3)
    assert isinstance(other, NotationError)


# ---- Refusals ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reader", "position", "text", "offset", "reason"),
    [
        (read_turn, START, "", 0, "the end at offset 0, expected a cell"),
        (read_turn, START, " ", 0, "a space at offset 0 before the first decision"),
        (read_turn, START, " a5NE", 0, "a space at offset 0 before the first decision"),
        (read_turn, START, "a5NE ", 4, "a space at offset 4 after the last decision"),
        (read_turn, START, "a5NE  ", 4, "a space at offset 4 after the last decision"),
        (read_turn, NINE_DUE, "+d6 +e4 e4SW ", 12, "a space at offset 12 after the last"),
        (read_turn, NINE_DUE, "+d6  +e4 e4SW", 4, "a space at offset 4 too many"),
        (read_turn, NINE_DUE, "+d6 +e4   e4SW", 8, "a space at offset 8 too many"),
        (read_turn, NINE_DUE, "+d6\t+e4 e4SW", 3, r"'\\x09' at offset 3, expected the end of the"),
        (read_turn, NINE_DUE, "+d6 +e4 e4sw", 10, "'s' at offset 10, expected a direction"),
        (read_turn, NINE_DUE, "+d6 +é4 e4SW", 5, "'é' at offset 5, expected a cell"),
        (read_turn, NINE_DUE, "+d6 +e4 e4\ud800", 10, r"'\\ud800' at offset 10, expected a dir"),
        (read_turn, NINE_DUE, "+d6 + e4SW", 5, "the end at offset 5, expected a cell"),
        (read_turn, NINE_DUE, "+d6 +e4", 7, "a move or an exchange is missing"),
        (read_turn, NINE_DUE, "+d6", 3, "4 pips are still due"),
        (read_turn, START, "a5NE i5SE", 5, "has ended before i5SE"),
        (read_turn, START, "a5NE" * 300, 1000, "at most 1000"),
        (read_abstractplay, START, "", 0, "a move or an exchange is missing"),
        (read_abstractplay, START, "a5", 2, "the end at offset 2, expected '-' or 'x' or '='"),
        (read_abstractplay, START, "a5-", 3, "expected a cell, a1 to i9"),
        (read_abstractplay, START, "j5-f8", 0, "'j' at offset 0, expected a cell"),
        (read_abstractplay, START, "a5-f0", 3, "expected a cell"),
        (read_abstractplay, START, "a5 - f8 nn", 8, "expected the end of the turn"),
        (read_abstractplay, START, "a5-f8NEx", 7, "expected the end of the turn"),
        (read_abstractplay, START, "a7=7,a8=1", 3, "expected a value, 1 to 6"),
        (read_abstractplay, START, "a7=41,a8=1", 3, "expected a value, 1 to 6"),
        (read_abstractplay, START, "a7=4;a8=1", 4, "expected ','"),
        (read_abstractplay, START, "a7=4,a8", 7, "expected '='"),
        (read_abstractplay, START, "a7=4,a8=1,a9=1", 9, "expected the end of the turn"),
        (read_abstractplay, START, "stop", 0, "expected a cell"),
        (read_abstractplay, NINE_DUE, "{d6", 3, "expected ',' or '}'"),
        (read_abstractplay, NINE_DUE, "{}", 1, "expected a cell"),
        (read_abstractplay, NINE_DUE, "{d6}e4-c1", 4, "4 pips are due to red before the move"),
        (read_abstractplay, NINE_DUE, "e4-c1SW", 0, "9 pips are due to red before the move"),
        (read_abstractplay, NINE_DUE, "{d6,e4}", 7, "a move or an exchange is missing"),
        (read_abstractplay, START, "a" * 2000, 1000, "at most 1000"),
        (read_chase_ai, START, "", 0, "a move or an exchange is missing"),
        (read_chase_ai, START, "A5", 2, "expected '-' or '\\+='"),
        (read_chase_ai, START, "A5-", 3, "expected a cell"),
        (read_chase_ai, START, "A5-E5", 3, "chase-ai calls CH"),
        (read_chase_ai, START, "CH-E4", 0, "no die rests on the chamber"),
        (read_chase_ai, START, "A5-F8NE", 5, "expected the end of the turn"),
        (read_chase_ai, START, "A5 - F8", 2, "expected '-' or '\\+='"),
        (read_chase_ai, START, "A8-A7+=2", 7, "2 pips cannot go from a8 \\(value 2\\)"),
        (read_chase_ai, START, "A8-A7+=0", 7, "a number of pips, 1 to 5"),
        (read_chase_ai, START, "A8-A7+=12", 7, "a number of pips, 1 to 5"),
        (read_chase_ai, START, "A8-A7+=", 7, "a number of pips, 1 to 5"),
        (read_chase_ai, START, "A5-F8 I5-D7", 6, "has ended before"),
        (read_chase_ai, NINE_DUE, "D6+=3 E4+=4 E4-C1", 0, "receives 5 pips, not 3"),
        (read_chase_ai, NINE_DUE, "D6+=5 E4+=5 E4-C1", 6, "receives 4 pips, not 5"),
        (read_chase_ai, NINE_DUE, "D6+=5 E4+=4", 11, "a move or an exchange is missing"),
    ],
)
def test_syntax(reader: Reader, position: Position, text: str, offset: int, reason: str) -> None:
    with pytest.raises(NotationError, match=reason) as caught:
        reader(position, text)
    assert caught.value.offset == offset
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("reader", "position", "text", "reason"),
    [
        (read_turn, START, "a5SE", "decision 1 of the turn, a5SE: "),
        (read_turn, NINE_DUE, "+d6 +a1", "decision 2 of the turn, \\+a1: "),
        (read_turn, START, "+a1", "\\+a1"),
        (read_abstractplay, START, "a5-f9", "the die on a5 \\(value 5\\) has no legal move to f9"),
        (read_abstractplay, START, "a5-f9NE", "a5NE leads to f8, not to f9"),
        (read_abstractplay, START, "a5-f8E", "a5E: the path .* blocked at a6"),
        (read_abstractplay, START, "a5-f8SE", "a5SE"),
        (read_abstractplay, START, "b5-f8", "no red die on b5"),
        (read_abstractplay, START, "i5-d7", "no red die on i5"),
        (read_abstractplay, START, "a7=5,a8=1", "a7=5,a8=1"),
        (read_abstractplay, START, "a1=2,a3=2", "a1 and a3 are not neighbours"),
        (read_abstractplay, START, "a7=4,a7=4", "found a7 twice"),
        (read_abstractplay, START, "{a1}a5-f8", "\\+a1"),
        (read_abstractplay, NINE_DUE, "{e4,d6}e4-c1", "\\+e4"),
        (read_chase_ai, START, "A5-F9", "it reaches .*f8"),
        (read_chase_ai, START, "A5-CH", "has no legal move to e5"),
        (read_chase_ai, START, "B5-F9", "no red die on b5"),
        (read_chase_ai, START, "A1+=3", "\\+a1"),
        (read_chase_ai, START, "I5-I4+=1", "i4=5,i5=4"),
        (read_chase_ai, NINE_DUE, "D6+=5 E4-C1", "4 pips are due and come before a move"),
        (read_chase_ai, NINE_DUE, "E4+=4", "\\+e4"),
    ],
)
def test_illegal(reader: Reader, position: Position, text: str, reason: str) -> None:
    with pytest.raises((IllegalMoveError, NotationError), match=reason) as caught:
        reader(position, text)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, ChaseError)


@pytest.mark.parametrize("reader", READERS)
def test_no_turn_after_the_end_of_the_game(reader: Reader) -> None:
    with pytest.raises(GameOverError, match="blue has won"):
        reader(WON, "a1E")


@pytest.mark.parametrize("writer", WRITERS)
def test_writers_refuse_what_is_not_one_turn(writer: Any) -> None:
    with pytest.raises(NotationError, match="not complete"):
        writer(NINE_DUE, ["+d6"])
    with pytest.raises(NotationError, match="has ended before"):
        writer(START, ["a5NE", "i5SE"])
    with pytest.raises(IllegalMoveError, match="a5SE"):
        writer(START, ["a5SE"])
    with pytest.raises(NotationError):
        writer(START, ["a5-f8"])
    with pytest.raises(GameOverError):
        writer(WON, [])


# ---- Series of captures (R12, chain) ----------------------------------------------------------


def test_series_in_our_notation() -> None:
    for turn in (STOPPED, TWICE):
        assert write_turn(SERIES, turn) == " ".join(turn)
        assert texts(read_turn(SERIES, " ".join(turn))) == turn
    with pytest.raises(NotationError, match="a further capture or stop is missing"):
        read_turn(SERIES, "c6SE")


def test_series_in_other_notations() -> None:
    for turn in (STOPPED, TWICE):
        with pytest.raises(NotationError, match="no word for a series"):
            write_abstractplay(SERIES, turn)
    with pytest.raises(NotationError, match="a further capture or stop is missing"):
        read_abstractplay(SERIES, "c6xb7SE")
    middle = SERIES.apply("c6SE")
    with pytest.raises(NotationError, match="no word for a series"):
        write_abstractplay(middle, ["stop"])
    # The rest of a series that is one capture is like any other turn.
    rest = write_abstractplay(middle, ["b7SE"])
    assert texts(read_abstractplay(middle, rest)) == ["b7SE"]
    with pytest.raises(NotationError, match="no word for stop"):
        write_chase_ai(SERIES, STOPPED)
    text = write_chase_ai(SERIES, TWICE)
    assert texts(read_chase_ai(SERIES, text)) == TWICE


# ---- Position text of chase-ai ----------------------------------------------------------------


def test_chase_ai_position() -> None:
    text = "a2de2ba/9/b8/Ec2c1E2/C1DB4b/5B3/9/9/AA3A2A b"
    position = read_chase_ai_position(text)
    assert position.side_to_act.name == "BLUE"
    assert position.pips_due == 2
    assert position.value_at("e1") == 3
    assert write_chase_ai_position(position) == text
    assert write_chase_ai_position(START) == "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r"
    many = Position.start(Rules(reserve=3)).apply("a1NE")
    assert read_chase_ai_position(write_chase_ai_position(many), Rules(reserve=3)) == many


def test_chase_ai_position_refusals() -> None:
    with pytest.raises(
        InvalidPositionError, match="at offset 35, expected the end after the two fields"
    ) as caught:
        read_chase_ai_position(START.cfen)
    assert caught.value.offset == START.cfen.index(" -")
    with pytest.raises(InvalidPositionError):
        read_chase_ai_position("abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA w")
    with pytest.raises(NotationError, match="recycle=no"):
        write_chase_ai_position(Position.start(Rules(recycle=False)))
    with pytest.raises(NotationError, match="capturing die"):
        write_chase_ai_position(SERIES.apply("c6SE"))


def test_the_examples_of_the_documentation() -> None:
    path = Path(__file__).parents[2] / "docs" / "notation.md"
    failed, tried = doctest.testfile(str(path), module_relative=False, encoding="utf-8")
    assert tried > 10
    assert failed == 0
