"""The reference model of the rules against the golden vectors and against the rule book."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.reference import (
    RefGame,
    RefPosition,
    RefRules,
    events,
    half_turn_decision,
    perft,
)

pytestmark = pytest.mark.no_core

VECTORS = Path(__file__).parents[1] / "golden" / "vectors"
WINNERS = {None: None, "red": 0, "blue": 1}
FAST_NODES = 31_000  # of one perft entry; about two seconds of pure Python
SLOW_NODES = 200_000
START = "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA"


def read_lines(name: str) -> list[dict[str, Any]]:
    text = (VECTORS / name).read_text(encoding="ascii")
    return [json.loads(line) for line in text.splitlines()]


def read(name: str) -> Any:
    return json.loads((VECTORS / name).read_text(encoding="ascii"))


POSITIONS = read_lines("positions.jsonl")
SPECIAL = read_lines("special.jsonl")
TEXTS = read("texts.json")


def position_of(entry: dict[str, Any]) -> RefPosition:
    return RefPosition.parse(entry["cfen"], RefRules(**entry["rules"]))


def check_entry(entry: dict[str, Any]) -> int:
    """Everything a vector says of its position; returns how many decisions it has."""
    position = position_of(entry)
    assert position.cfen == entry["cfen"]
    assert position.winner == WINNERS[entry["winner"]]
    decisions = position.decisions()
    assert [decision.text for decision in decisions] == list(entry["legal"])
    for decision in decisions:
        assert decision.after.cfen == entry["legal"][decision.text], decision.text
        assert decision.after.faults() == [], decision.text
    return len(decisions)


# The golden vectors


def test_all_positions() -> None:
    assert len(POSITIONS) == 720
    assert sum(check_entry(entry) for entry in POSITIONS) == 19_195


@pytest.mark.parametrize("entry", SPECIAL, ids=lambda entry: str(entry["label"]))
def test_special_position(entry: dict[str, Any]) -> None:
    check_entry(entry)


def perft_cases() -> list[Any]:
    cases = []
    for number, entry in enumerate(read("perft.json")):
        for unit in ("decision", "turn"):
            for depth, nodes in enumerate(entry[f"{unit}s"], 1):
                if nodes > SLOW_NODES:
                    continue
                marks = [] if nodes <= FAST_NODES else [pytest.mark.slow]
                name = f"{number}-{unit}-{depth}"
                cases.append(pytest.param(entry, unit, depth, nodes, id=name, marks=marks))
    return cases


@pytest.mark.parametrize(("entry", "unit", "depth", "nodes"), perft_cases())
def test_perft(entry: dict[str, Any], unit: str, depth: int, nodes: int) -> None:
    assert perft(position_of(entry), depth, unit) == nodes


def test_perft_zero_and_units() -> None:
    start = RefPosition.start(RefRules())
    assert perft(start, 0, "turn") == perft(start, 0, "decision") == 1
    with pytest.raises(ValueError, match="unit"):
        perft(start, 1, "ply")


@pytest.mark.parametrize("text", TEXTS["accept"])
def test_text_accepted(text: str) -> None:
    position = RefPosition.parse(text, RefRules())
    assert RefPosition.parse(position.cfen, RefRules()) == position


@pytest.mark.parametrize("text", TEXTS["refuse"])
def test_text_refused(text: str) -> None:
    with pytest.raises(ValueError, match=" "):
        RefPosition.parse(text, RefRules())


@pytest.mark.parametrize("entry", TEXTS["repetition"], ids=["threefold", "moves"])
def test_repetition(entry: dict[str, Any]) -> None:
    game = RefGame(RefPosition.start(RefRules(**entry["rules"])))
    for number, text in enumerate(entry["decisions"], 1):
        game.push(text)
        assert game.drawn == game.over == (number == entry["drawn_after"])
    assert (game.winner, game.termination) == (None, "repetition")
    with pytest.raises(ValueError, match="finished"):
        game.push(entry["decisions"][0])


# Games


def test_no_repetition_rule() -> None:
    game = RefGame(RefPosition.start(RefRules(repetition="none")))
    for _ in range(4):
        for text in ("a1=2,a2=1", "i1=2,i2=1", "a1=1,a2=2", "i1=1,i2=2"):
            game.push(text)
    assert not game.over


def test_game_won_for_want_of_dice() -> None:
    game = RefGame(position_of(SPECIAL[0]))
    game.push("c6NW")
    assert (game.winner, game.termination, game.drawn) == (0, "dice", False)
    assert game.position.legal() == []
    with pytest.raises(ValueError, match="finished"):
        game.push("a1E")


def test_game_won_for_want_of_a_decision() -> None:
    game = RefGame(position_of(SPECIAL[3]))
    assert (game.winner, game.termination, game.drawn) == (1, "no_decision", False)


def test_turns_are_whole() -> None:
    """A series of captures is one turn, and so is a distribution with the move after it."""
    rules = RefRules(chain=True)
    start = RefPosition.parse("1bcdedcb1/9/9/9/9/9/2Aaa4/9/1BCDEDCBA r - 1/1", rules)
    series = start.apply("c3E")
    assert series.cfen == "1bcdedcb1/9/9/9/9/9/3Aa4/9/1BCDEDCBA r c4 1/2"
    assert series.legal() == ["c4E", "stop"]
    assert series.apply("stop").cfen == "1bcdedcb1/9/9/9/9/9/3Aa4/9/1BCDEDCBA b - 1/2"
    game = RefGame(start)
    for text in ("c3E", "c4E", "+i2"):
        game.push(text)
    assert game.position.cfen == "1dcdedcb1/9/9/9/9/9/4A4/9/1BCDEDCBA b - 1/3"
    game.push("i2SW")
    assert game.turns == [["c3E", "c4E"], ["+i2", "i2SW"]]


# Decisions


def test_illegal_decisions_are_refused() -> None:
    start = RefPosition.start(RefRules())
    for text in ("", "a1SE", "A1NE", "a1ne", "a1NE ", "a2=1,a1=2", "a1=1,a2=2", "+a1", "stop"):
        with pytest.raises(ValueError, match="not legal"):
            start.apply(text)


def test_left_chain_is_finished_before_the_right_half_lands() -> None:
    """The golden vectors do not tell the order of R8: here both chains meet on e1."""
    cfen = "abcdedcba/9/9/9/5CCAC/1A2A4/1C1B1B3/2AC5/2B6 r - 1/4"
    after = RefPosition.parse(cfen, RefRules(reserve=4)).apply("c6NW")
    assert after.cfen == "abcdedcba/9/9/9/CA3ACCA/1C2A4/1A1A5/2BB5/2C6 b - 0/4"


def test_cell_entered_twice_gives_up_the_die_that_stands_there_now() -> None:
    """The golden vectors have no such chain (R7): 18 dice lie on a line that comes back to h1.

    The moving die takes h1, pushes all of them on by one, and is itself pushed on to g1 by the
    last of them, the 3 from i9.
    """
    rules = RefRules(reserve=10, setup="123333322")
    cfen = "Afffd3C/BA6A/1A5AA/2A4A1/2A3A2/3A2A2/3A1A3/4AA3/4A4 r - 0/15"
    start = RefPosition.parse(cfen, rules)
    after = "Bfffd3A/CA6A/AA5A1/2A4A1/2A3A2/3A2A2/3A1A3/4AA3/4A4 b - 0/15"
    assert start.apply("g9NE").cfen == after
    expected = {"bumps": 19, "longest_chain": 19, "ricochets": 3, "wraps": 2}
    assert events(start, "g9NE") == NOTHING | expected


def test_half_turn_is_a_symmetry() -> None:
    for entry in POSITIONS[::3]:
        position = position_of(entry)
        if not position.rules.wrap:
            with pytest.raises(ValueError, match="wrap"):
                position.half_turn()
            continue
        turned = position.half_turn()
        assert turned.half_turn() == position
        assert turned.faults() == []
        after = {half_turn_decision(d.text): d.after.half_turn() for d in position.decisions()}
        assert after == {d.text: d.after for d in turned.decisions()}


@pytest.mark.parametrize(
    ("text", "turned"),
    [("a1NE", "i9SW"), ("b1W", "h1E"), ("b2SE", "h9NW"), ("+e5", "+e5"), ("stop", "stop")]
    + [("a1=2,a2=1", "i8=1,i9=2")],
)
def test_half_turn_decision(text: str, turned: str) -> None:
    assert half_turn_decision(text) == turned
    assert half_turn_decision(turned) == text


def test_half_turn_of_the_start() -> None:
    for setup in ("123454321", "143252341", "123456111"):
        start = RefPosition.start(RefRules(setup=setup))
        assert start.half_turn().board == start.board


# Events

NOTHING = {
    "captures": 0,
    "double": False,
    "split": False,
    "refused": False,
    "whole_exit": False,
    "bumps": 0,
    "longest_chain": 0,
    "exchange": False,
    "distribution": False,
    "ricochets": 0,
    "wraps": 0,
}
EVENTS = [
    ({}, f"{START} r", "a1W", {"bumps": 8, "longest_chain": 8, "wraps": 1}),
    ({}, f"{START} r", "a1E", {"bumps": 8, "longest_chain": 8, "wraps": 1}),
    ({}, f"{START} r", "a1NE", {}),
    ({}, f"{START} r", "a1=2,a2=1", {"exchange": True}),
    ({}, "abcdedcba/9/9/9/9/9/9/2C6/AB1DEDCBA r", "b3SE", {"ricochets": 1}),
    # b1 crosses the seam to a9 and pushes the die there, which bounces up to b9.
    (
        {},
        "abcdedcba/9/9/9/9/9/9/A8/1BCDEDCBA r",
        "b1SW",
        {"bumps": 1, "longest_chain": 1, "ricochets": 1, "wraps": 1},
    ),
    ({}, SPECIAL[5]["cfen"], "c6NW", {"captures": 2, "double": True, "split": True}),
    (
        {"reserve": 0},
        "abcdedcba/9/9/9/9/9/5B3/9/A1CDEDCBA r",
        "c6NW",
        {"refused": True, "whole_exit": True},
    ),
    # Value 1 leaves whole although a spare die is there; the die on d5 is pushed to c4.
    (
        {},
        "abcdedcba/9/9/9/9/4BA3/9/9/1C1DEDCBA r",
        "d6NW",
        {"whole_exit": True, "bumps": 1, "longest_chain": 1},
    ),
    ({}, "1bcdedcba/9/9/9/9/9/9/9/ABCDEDCBA b - 1/2", "+i9", {"distribution": True}),
]


@pytest.mark.parametrize(("rules", "cfen", "text", "expected"), EVENTS)
def test_events(rules: dict[str, Any], cfen: str, text: str, expected: dict[str, int]) -> None:
    position = RefPosition.parse(cfen, RefRules(**rules))
    assert events(position, text) == NOTHING | expected


def test_events_agree_with_the_boards() -> None:
    for entry in POSITIONS[::12]:
        position = position_of(entry)
        side = position.side
        for text, cfen in entry["legal"].items():
            after = RefPosition.parse(cfen, position.rules)
            found = events(position, text)
            own, enemy = (
                len(after.dice(who)) - len(position.dice(who)) for who in (side, 1 - side)
            )
            assert (found["split"], found["captures"]) == (own, -enemy)
            assert found["double"] == (found["captures"] == 2)
            assert found["longest_chain"] <= found["bumps"]
            assert found["exchange"] == ("=" in text)
            assert found["distribution"] == ("+" in text)


# Validity


@pytest.mark.parametrize(
    ("rules", "cfen", "reasons"),
    [
        ({}, "1bcdedcba/9/9/9/9/9/9/9/ABCDEDCBA b", []),
        ({}, "1bcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r", ["blue shows 24 pips, not"]),
        ({}, "1bcdedcba/9/9/9/4A4/9/9/9/1BCDEDCBA b", ["chamber"]),
        (
            {},
            "bbcdedcba/9/9/9/9/9/9/9/BBCDEDCBA r - 2/1",
            ["red shows 26 pips, more", "red has 11 dice", "blue shows 26 pips, more"],
        ),
        ({}, f"{START} r a1 1/1", ["no series", "cannot capture", "blue lacks no pips"]),
        ({"chain": True}, f"{START} r a1", ["cannot capture", "blue lacks no pips"]),
        ({"chain": True}, f"{START} r e5", ["no die of red on e5", "blue lacks no pips"]),
        (
            {"chain": True},
            "f8/9/9/9/4f4/9/9/9/1BCDEDCBA r a2",
            ["red lacks pips", "cannot capture", "blue has lost", "chamber"],
        ),
        ({"recycle": False}, "1bcdedcba/9/9/9/9/9/9/9/1BCDEDCBA r - 1/1", ["blue shows 24"]),
        (
            {"recycle": False},
            f"{START} r - 2/0",
            ["red has 11 dice with its spare ones, at most 10", "red has 2 spare dice, at most 1"],
        ),
        ({"reserve": 0}, "aabcdedcb/a8/9/9/9/9/9/9/ABCDEDCBA b", ["blue has -1 spare dice", "26"]),
    ],
)
def test_faults(rules: dict[str, Any], cfen: str, reasons: list[str]) -> None:
    if not reasons:
        assert RefPosition.parse(cfen, RefRules(**rules)).faults() == []
        return
    with pytest.raises(ValueError, match=reasons[0]) as caught:
        RefPosition.parse(cfen, RefRules(**rules))
    message = str(caught.value)
    assert all(reason in message for reason in reasons)
    assert len(message.split("; ")) == len(reasons)


def test_faults_of_a_position_that_was_built() -> None:
    start = RefPosition.start(RefRules())
    board = list(start.board)
    board[72] = 7
    assert RefPosition(start.rules, tuple(board), 0, None, (-1, 1)).faults() == [
        "die at a1 has value 7, expected 1 to 6",
        "red shows 31 pips, more than its total 25",
        "red has -1 spare dice",
        "red has 8 dice with its spare ones, expected 10",
    ]


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("", 0),
        ("abcdedcba/45/9/9/9/9/9/9/ABCDEDCBA r", 11),
        ("gbcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r", 0),
        (f"{START} w", 34),
        (f"{START} r ", 36),
        (f"{START} r - 01/1", 38),
        (f"{START} r - 1/1 0", 41),
    ],
)
def test_syntax_errors_name_their_offset(text: str, offset: int) -> None:
    with pytest.raises(ValueError, match=f"at offset {offset}$"):
        RefPosition.parse(text, RefRules())


def test_spare_field_is_required_without_recycling() -> None:
    with pytest.raises(ValueError, match="recycle"):
        RefPosition.parse(f"{START} r -", RefRules(recycle=False))


@pytest.mark.parametrize(
    "fields",
    [{"reserve": 17}, {"reserve": -1}, {"handout": "some"}, {"repetition": "twofold"}]
    + [{"setup": "12345432"}, {"setup": "123474321"}],
)
def test_rules_out_of_range(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="expected"):
        RefRules(**fields)
