"""Positions: making, reading, refusing, looking, playing, comparing."""

from __future__ import annotations

import copy
import gc
import pickle
import sys
import types
from typing import Any

import numpy as np
import pytest

import chase_fast as cf
from chase_fast import (
    BLUE,
    RED,
    ArgumentError,
    GameOverError,
    IllegalMoveError,
    InvalidPositionError,
    Move,
    NotationError,
    Position,
    Rules,
    Side,
    Termination,
)
from tests.unit.positions import (
    CHAIN,
    FINITE,
    HANDOUT,
    LOST,
    SERIES,
    START,
    STUCK,
    TWO_CAPTURES,
    examples,
    start_board,
)

# ---- The start -------------------------------------------------------------------------------


def test_start() -> None:
    position = Position.start()
    assert position.cfen == str(position) == START
    assert position.rules == Rules()
    assert position.side_to_act is RED
    assert position.capturing is None
    assert position.spare == (1, 1)
    assert position.dice == (9, 9)
    assert position.pips == (25, 25)
    assert position.pips_due == 0
    assert position.winner is None
    assert position.termination is Termination.NONE
    assert np.array_equal(position.board, start_board())


def test_start_under_other_rules() -> None:
    rules = Rules(reserve=7, setup="123456111")
    position = Position.start(rules)
    assert position.cfen == "aaafedcba/9/9/9/9/9/9/9/ABCDEFAAA r - 7/7"
    assert position.rules == rules
    assert position != Position.start(Rules(reserve=7))


@pytest.mark.parametrize("rules", ["standard", 1, {}, Rules])
def test_rules_must_be_rules(rules: Any) -> None:
    calls: list[Any] = [
        lambda: Position.start(rules),
        lambda: Position.parse(START, rules),
        lambda: Position.from_array(start_board(), RED, rules=rules),
    ]
    for call in calls:
        with pytest.raises(ArgumentError, match="rules must be Rules or None, not "):
            call()


def test_positions_have_no_constructor() -> None:
    makers: list[Any] = [Position, lambda: Position.__new__(Position)]
    for make in makers:
        with pytest.raises(TypeError, match=r"Position has no public constructor; use Position\."):
            make()
    with pytest.raises(TypeError, match="not an acceptable base type"):
        type("MyPosition", (Position,), {})


# ---- Text ------------------------------------------------------------------------------------


@examples
def test_text_repr_pickle_and_copy_give_an_equal_position(cfen: str, rules: Rules) -> None:
    position = Position.parse(cfen, rules)
    assert position.cfen == cfen
    again = [
        eval(repr(position), {"Position": Position, "Rules": Rules}),
        copy.copy(position),
        copy.deepcopy(position),
        *[
            pickle.loads(pickle.dumps(position, protocol))
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
        ],
    ]
    for other in again:
        assert other == position
        assert hash(other) == hash(position)
        assert other.zobrist == position.zobrist == position._rehash()
        assert other.rules == rules
        assert other._consistent()


def test_repr_leaves_out_standard_rules() -> None:
    assert repr(Position.start()) == f"Position.parse('{START}')"
    assert repr(Position.start(CHAIN)) == f"Position.parse('{START}', Rules(chain=True))"


def test_fields_may_be_left_out_from_the_end() -> None:
    for text in (START, START[:-4], START[:-6]):
        assert Position.parse(text) == Position.start()
    assert Position.parse("1bcdedcb1/9/9/9/3a5/5a3/9/9/ABCDEDCBA r", CHAIN).spare == (1, 1)


def test_spare_dice_are_needed_where_the_board_does_not_tell() -> None:
    for text in (START[:-4], START[:-6]):
        with pytest.raises(InvalidPositionError, match="recycle=no") as refused:
            Position.parse(text, FINITE)
        assert refused.value.offset == len(text)


WRONG_TEXTS = [
    ("", 0),
    (" ", 0),
    (START + " ", 41),
    (" " + START, 0),
    (START.replace("r", "w"), 34),
    (START.replace("9/9/9/", "9/45/9/", 1), 13),
    (START.replace("a/", "a/a", 1), 11),
    (START.replace("ABCDEDCBA", "ABCDEDCBG"), 32),
    (START.replace("1/1", "1000000/1"), None),
    (START.replace("1/1", "99999999999999999999/1"), None),
    (START + "\n", 41),
    (START.replace("/", "\0", 1), 9),
    (START + "\0", 41),
    (START.replace("a", "á", 1), 0),
    (START.replace(" r", "\u2003r"), 33),
    (START.replace("E", "\ud800"), 28),
    ("ａbcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r", 0),
    ("/" * 2_000_000, 0),
    (START * 50_000, 41),
    ("é" * 1_000_000, 0),
    ("9/9/9/9/9/9/9/9/9 r - é", 22),
]


@pytest.mark.parametrize(("text", "offset"), WRONG_TEXTS, ids=map(str, range(len(WRONG_TEXTS))))
def test_wrong_text_is_refused_with_its_place(text: str, offset: int | None) -> None:
    with pytest.raises(InvalidPositionError) as refused:
        Position.parse(text)
    if offset is not None:
        assert refused.value.offset == offset
    assert refused.value.offset is not None
    assert len(refused.value.reasons) == 1
    assert 20 < len(str(refused.value)) < 250
    again = pickle.loads(pickle.dumps(refused.value))
    assert (again.reasons, again.offset) == (refused.value.reasons, refused.value.offset)


@pytest.mark.parametrize("text", [None, 1, START.encode(), [START], Position.start()])
def test_text_must_be_str(text: Any) -> None:
    with pytest.raises(InvalidPositionError, match="a position text must be a str, not "):
        Position.parse(text)


def test_text_may_be_of_numpy() -> None:
    assert Position.parse(np.array([START])[0]) == Position.start()


def test_all_reasons_are_given_at_once() -> None:
    with pytest.raises(InvalidPositionError) as refused:
        Position.parse("bbcdedcba/9/9/9/4A4/9/9/9/1BCDEDCBA b a2 3/1")
    assert refused.value.offset is None
    assert refused.value.reasons == (
        "die of value 1 at e5: no die rests on the chamber (R4)",
        "blue shows 26 pips, expected at most its total of 25",
        "red has 12 dice on the board and spare, expected exactly 10",
        "capturing die at a2, but the rules have no series of captures (chain=no)",
        "capturing die at a2, but there is no die of blue, the side to act",
        "red lacks no pips, but the other side is in a series of captures",
    )
    assert str(refused.value) == "; ".join(refused.value.reasons)


# ---- Looking ---------------------------------------------------------------------------------


def test_a_series_shows_its_die() -> None:
    position = Position.parse(SERIES, CHAIN)
    assert position.capturing == cf.parse_cell("e8")
    assert position.side_to_act is BLUE
    assert position.pips_due == 0


def test_pips_due() -> None:
    position = Position.parse(HANDOUT)
    assert position.pips_due == 25 - position.pips[BLUE] > 0
    assert position.spare == (0, 2)
    assert position.dice == (10, 8)


@pytest.mark.parametrize(
    ("cfen", "termination", "winner"),
    [(LOST, Termination.DICE, RED), (STUCK, Termination.NO_DECISION, BLUE)],
)
def test_lost_games(cfen: str, termination: Termination, winner: Side) -> None:
    position = Position.parse(cfen)
    assert position.winner is winner
    assert position.termination is termination
    assert position.side_to_act is winner.other
    for call in (position.apply, position.move, position.trace, position.events):
        with pytest.raises(GameOverError, match=r"the game is over: \w+ has lost \(R11\)"):
            call("a1NE")
        with pytest.raises(NotationError):
            call("a1ne")
    assert not position.is_legal("a1NE")


def test_codes_and_their_names() -> None:
    assert [(int(side), side.name, side.other.name) for side in Side] == [
        (0, "RED", "BLUE"),
        (1, "BLUE", "RED"),
    ]
    assert [direction.name for direction in cf.Direction] == ["E", "NE", "NW", "W", "SW", "SE"]
    assert [str(termination) for termination in Termination] == [
        "none", "dice", "no_decision", "repetition", "turn_limit",
    ]  # fmt: skip
    for code in (*Side, *cf.Direction, *cf.Kind, *Termination):
        assert pickle.loads(pickle.dumps(code)) is code


def test_value_at_takes_numbers_and_names() -> None:
    position = Position.start()
    assert [position.value_at(cell) for cell in range(81)] == start_board().tolist()
    assert position.value_at("a5") == 5
    assert position.value_at("i5") == -5
    value_at: Any = position.value_at
    assert value_at(np.int16(76)) == 5
    for wrong in (-1, 81, 1.5, None):
        with pytest.raises(ArgumentError, match="cell must be an int from 0 to 80"):
            value_at(wrong)
    with pytest.raises(NotationError, match="'k1' is no cell"):
        position.value_at("k1")


def test_board_is_a_read_only_copy() -> None:
    position = Position.start()
    board = position.board
    assert board.dtype == np.int8
    assert board.shape == (81,)
    with pytest.raises(ValueError, match="read-only"):
        board[0] = 3
    with pytest.raises(ValueError, match="WRITEABLE"):
        board.flags.writeable = True
    del position
    gc.collect()
    assert np.array_equal(board, start_board())


@pytest.mark.parametrize("name", ["rules", "cfen", "side_to_act", "spare", "board", "anything"])
def test_positions_cannot_be_changed(name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(Position.start(), name, None)


def test_picture_comes_from_the_svg_module(monkeypatch: pytest.MonkeyPatch) -> None:
    svg: Any = types.ModuleType("chase_fast.svg")
    svg.board_svg = lambda position: f"<svg>{position}</svg>"
    monkeypatch.setitem(sys.modules, "chase_fast.svg", svg)
    assert Position.start()._repr_svg_() == f"<svg>{START}</svg>"


# ---- Playing ---------------------------------------------------------------------------------


def test_apply_makes_a_new_position() -> None:
    before = Position.start()
    after = before.apply("a1NE")
    assert after == before.apply(Move.parse("a1NE"))
    assert after.cfen == "abcdedcba/9/9/9/9/9/9/1A7/1BCDEDCBA b - 1/1"
    assert before == Position.start()


@examples
def test_legal_decisions_apply_and_others_do_not(cfen: str, rules: Rules) -> None:
    position = Position.parse(cfen, rules)
    legal = set(position.legal_moves)
    texts = [f"{cf.cell_name(cell)}{d.name}" for cell in range(81) for d in cf.Direction]
    texts += [f"+{cf.cell_name(cell)}" for cell in range(81)] + ["stop", "a1=2,a2=1", "i1=1,i2=2"]
    for move in legal | set(map(Move.parse, texts)):
        assert position.is_legal(move) is position.is_legal(str(move)) is (move in legal)
        if move in legal:
            after = position.apply(move)
            assert after._consistent()
            assert after.zobrist == after._rehash()
            assert after == position.apply(str(move)) == Position.parse(after.cfen, rules)
            assert position.move(str(move)) is move
        else:
            for call in (position.apply, position.move, position.trace, position.events):
                with pytest.raises(IllegalMoveError, match=r"R\d"):
                    call(move)
    assert position == Position.parse(cfen, rules)


@pytest.mark.parametrize(
    ("cfen", "rules", "text", "reason"),
    [
        (START, Rules(), "a1SE", "a1 is on an end row: no move sets out SE from there (R6)"),
        (START, Rules(), "a2E", "the path of value 2 E from a2 is blocked at a3 (R6)"),
        (START, Rules(), "i1SE", "no die of red, the side to act, at i1 (R6)"),
        (START, Rules(), "+a1", "red has no pips to hand out (R9)"),
        (START, Rules(), "stop", "stop ends a series of captures, and there is none (R12 chain)"),
        (START, Rules(), "a1=3,a2=1", "show 3 pips together, the exchange gives them 4 (R10)"),
        (START, Rules(), "a1=2,a3=2", "a1 and a3 are not neighbours (R10)"),
        (HANDOUT, Rules(), "f5E", "pips first (R9)"),
        (HANDOUT, Rules(), "+g4", "pips go to a die of lowest value (R9)"),
        (SERIES, CHAIN, "i2E", "in a series only direct captures of the die at e8, or stop"),
    ],
)
def test_refusals_say_why(cfen: str, rules: Rules, text: str, reason: str) -> None:
    with pytest.raises(IllegalMoveError) as refused:
        Position.parse(cfen, rules).apply(text)
    assert reason in str(refused.value)
    assert type(refused.value) is IllegalMoveError


@pytest.mark.parametrize("move", [None, 0, 5.0, b"a1NE", ["a1NE"], Position.start()])
def test_a_decision_must_be_a_move_or_text(move: Any) -> None:
    position = Position.start()
    for call in (position.apply, position.is_legal, position.trace, position.events, position.move):
        with pytest.raises(NotationError, match="a decision must be a Move or its text, not "):
            call(move)


def test_trace_and_events_of_a_split_that_takes_two() -> None:
    position = Position.parse(TWO_CAPTURES)
    steps = position.trace("c6NW")
    assert [
        (s.kind, cf.cell_name(s.origin), cf.cell_name(s.target), s.direction.name, s.value,
         s.captured)
        for s in steps
    ] == [
        ("ray", "c6", "d6", "NW", 2, 0),
        ("ray", "d6", "e5", "NW", 2, 0),
        ("left", "e5", "d5", "SW", 1, 1),
        ("right", "e5", "e6", "E", 1, 1),
    ]  # fmt: skip
    assert position.events("c6NW") == {
        "captures": 2,
        "entered": 1,
        "split": 1,
        "refused": 0,
        "bumps": 0,
        "longest_chain": 0,
        "ricochets": 0,
        "wraps": 0,
    }
    assert position.apply("c6NW").pips_due == 2
    assert position == Position.parse(TWO_CAPTURES)


def test_trace_and_events_of_a_bump_over_the_seam() -> None:
    position = Position.start()
    assert position.trace("a1=2,a2=1") == ()
    steps = position.trace(Move.parse("a1W"))
    assert [(step.kind, step.wraps, step.value) for step in steps[:2]] == [
        ("ray", 1, 1),
        ("push", 0, 1),
    ]
    events = position.events("a1W")
    assert events["wraps"] == sum(step.wraps for step in steps)
    assert events["bumps"] == sum(step.kind == "push" for step in steps)


# ---- As a value ------------------------------------------------------------------------------


def test_positions_are_equal_by_value() -> None:
    # Two orders of the same decisions lead to the same position.
    one, two = Position.start(), Position.start()
    for text in ("a1NE", "i1SW", "a5NE", "i5SW"):
        one = one.apply(text)
    for text in ("a5NE", "i5SW", "a1NE", "i1SW"):
        two = two.apply(text)
    assert one == two
    assert hash(one) == hash(two)
    assert one.zobrist == two.zobrist
    assert len({one, two}) == 1


def test_positions_differ_by_side_spare_dice_and_rules() -> None:
    different = [
        Position.start(),
        Position.parse(START.replace(" r ", " b ")),
        Position.start().apply("a1NE"),
        Position.start(CHAIN),
        Position.start(FINITE),
        Position.parse(START.replace("1/1", "0/1"), FINITE),
        Position.parse(START.replace("1/1", "1/0"), FINITE),
    ]
    assert len(set(different)) == len({p.zobrist for p in different}) == len(different)
    assert all((a == b) is (a is b) for a in different for b in different)
    assert Position.start() != START


@examples
def test_half_turn_swaps_the_sides(cfen: str, rules: Rules) -> None:
    position = Position.parse(cfen, rules)
    turned = position.half_turn()
    assert turned.half_turn() == position
    assert turned.side_to_act is position.side_to_act.other
    assert turned.spare == position.spare[::-1]
    assert turned.dice == position.dice[::-1]
    assert turned.pips == position.pips[::-1]
    assert turned.pips_due == position.pips_due
    assert len(turned.legal_moves) == len(position.legal_moves)
    assert (turned.winner is None) is (position.winner is None)
    # Turned decisions lead to turned positions.
    after = {position.apply(move).half_turn() for move in position.legal_moves}
    assert after == {turned.apply(move) for move in turned.legal_moves}


def test_half_turn_needs_a_cylinder() -> None:
    with pytest.raises(ArgumentError, match="wrap=no"):
        Position.start(Rules(wrap=False)).half_turn()


def test_half_turn_of_the_start_gives_blue_the_move() -> None:
    assert Position.start().half_turn().cfen == START.replace(" r ", " b ")
