"""Decisions as objects, and the sequence of the legal ones."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import chase_fast as cf
from chase_fast import (
    DECISION_DTYPE,
    ArgumentError,
    Direction,
    IllegalMoveError,
    Kind,
    LegalMoves,
    Move,
    NotationError,
    Position,
    Rules,
)

CELLS = range(81)

CHAIN = Rules(chain=True)
# One position of each sort of decisions: blue in a series of captures, blue with pips to hand out
# to one of three equal dice, red without a legal decision.
SERIES = Position.parse("1a1Dd2dd/2a6/9/6b2/7d1/3e5/9/9/ABACFCC2 b e8 2/2", CHAIN)
HANDOUT = Position.parse("9/9/3e2A2/2EAaCD2/2cA1eb2/2bBAaD2/3Ca4/9/9 b - 0/2")
OVER = Position.parse("2bE2E1E/9/b1E1c2c1/2bcE3c/3b5/9/9/5c3/3b5 r - 5/0")


def texts_of_all_decisions() -> Iterator[str]:
    """The texts of the decisions that exist, by the grammar of the notation."""
    for cell in CELLS:
        yield f"+{cf.cell_name(cell)}"
        for direction in Direction:
            yield f"{cf.cell_name(cell)}{direction.name}"
            other = cf.neighbour(cell, direction)
            if other is not None and other > cell:
                for value in range(1, 7):
                    for other_value in range(1, 7):
                        yield (f"{cf.cell_name(cell)}={value},{cf.cell_name(other)}={other_value}")
    yield "stop"


ALL_TEXTS = list(texts_of_all_decisions())


# ---- Cells -----------------------------------------------------------------------------------


def test_cells_are_numbered_in_reading_order() -> None:
    assert [cf.cell_name(cell) for cell in (0, 8, 9, 40, 72, 80)] == [
        "i1", "i9", "h1", "e5", "a1", "a9",
    ]  # fmt: skip
    assert [cf.parse_cell(cf.cell_name(cell)) for cell in CELLS] == list(CELLS)


@pytest.mark.parametrize("cell", [-1, 81, 2**70, 1.0, "a1", None, True])
def test_no_such_cell_number(cell: Any) -> None:
    for call in (cf.cell_name, lambda cell: cf.neighbour(cell, 0)):
        with pytest.raises(ArgumentError, match="cell must be an int from 0 to 80"):
            call(cell)


@pytest.mark.parametrize(
    ("text", "offset"),
    [("", 0), ("a", 1), ("a0", 1), ("j1", 0), ("A1", 0), ("a10", 2), (" a1", 0), ("a1\0", 2),
     ("é1", 0), ("a\ud800", 1), ("a1" * 10**6, 2), (None, None), (5, None)],
    ids=map(str, range(13)),
)  # fmt: skip
def test_no_such_cell_name(text: Any, offset: int | None) -> None:
    with pytest.raises(NotationError, match="expected 'a1' to 'i9'") as refused:
        cf.parse_cell(text)
    assert refused.value.offset == offset
    assert len(str(refused.value)) < 100


def test_neighbours_join_at_the_seam_and_end_at_the_end_rows() -> None:
    def beside(name: str) -> list[str | None]:
        found = [cf.neighbour(cf.parse_cell(name), direction) for direction in Direction]
        return [None if cell is None else cf.cell_name(cell) for cell in found]

    # R2: rows a, c, e, g, i stand half a cell to the right of the others.
    assert beside("e5") == ["e6", "f6", "f5", "e4", "d5", "d6"]
    assert beside("d5") == ["d6", "e5", "e4", "d4", "c4", "c5"]
    assert beside("a9") == ["a1", "b1", "b9", "a8", None, None]
    assert beside("h1") == ["h2", "i1", "i9", "h9", "g9", "g1"]
    assert beside("i4") == ["i5", None, None, "i3", "h4", "h5"]


@pytest.mark.parametrize("direction", [-1, 6, "E", None])
def test_no_such_direction(direction: Any) -> None:
    with pytest.raises(ArgumentError, match="direction must be an int from 0 to 5"):
        cf.neighbour(0, direction)


# ---- Move ------------------------------------------------------------------------------------


def test_each_decision_is_one_object_whatever_it_is_made_from() -> None:
    for text in ALL_TEXTS:
        move = Move.parse(text)
        assert str(move) == text
        assert Move.parse(text) is move
        assert Move.from_code(move.code) is move
    assert len({Move.parse(text) for text in ALL_TEXTS}) == len(ALL_TEXTS)


def is_code(code: int) -> bool:
    try:
        return Move.from_code(code).code == code
    except ArgumentError:
        return False


def test_other_codes_are_refused() -> None:
    assert {code for code in range(1 << 18) if is_code(code)} == {
        Move.parse(text).code for text in ALL_TEXTS
    }


@pytest.mark.parametrize("code", [-1, 1 << 18, 2**32, 2**64, 10**5000, 1.0, True, None, "a1NE"],
                         ids=map(str, range(9)))  # fmt: skip
def test_codes_out_of_range_are_refused(code: Any) -> None:
    with pytest.raises(ArgumentError, match="code must be an int from 0 to 262143, not "):
        Move.from_code(code)


def test_code_may_be_of_numpy() -> None:
    move = Move.parse("a1NE")
    code: Any = np.uint32(move.code)
    assert Move.from_code(code) is move


@pytest.mark.parametrize("text", ["a1NE", "i9W", "a1=2,a2=1", "i1=6,i9=1", "+e4", "stop"])
def test_repr_pickle_and_copy_give_the_same_object(text: str) -> None:
    move = Move.parse(text)
    assert repr(move) == f"Move.parse('{text}')"
    assert eval(repr(move), {"Move": Move}) is move
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(move, protocol)) is move
    assert copy.copy(move) is move
    assert copy.deepcopy(move) is move


def test_equality_hash_and_order() -> None:
    move: Any = Move.parse("a1NE")
    assert move == Move.parse("a1NE")
    assert move != Move.parse("a1E")
    assert move != "a1NE"
    assert hash(move) == hash(Move.parse("a1NE"))
    with pytest.raises(TypeError):
        sorted([move, Move.parse("a1E")])


def fields(text: str) -> tuple[object, ...]:
    move = Move.parse(text)
    return move.kind, move.cell, move.direction, move.other, move.value, move.other_value


def test_fields_are_none_where_they_do_not_apply() -> None:
    a1, a2, i1, i9, e4 = map(cf.parse_cell, ("a1", "a2", "i1", "i9", "e4"))
    assert fields("a1NE") == (Kind.MOVE, a1, Direction.NE, None, None, None)
    assert fields("a1=2,a2=1") == (Kind.EXCHANGE, a1, None, a2, 2, 1)
    assert fields("i1=6,i9=1") == (Kind.EXCHANGE, i1, None, i9, 6, 1)
    assert fields("+e4") == (Kind.DISTRIBUTION, e4, None, None, None, None)
    assert fields("stop") == (Kind.STOP, None, None, None, None, None)


@pytest.mark.parametrize("name", ["code", "cell", "kind", "anything"])
def test_moves_cannot_be_changed(name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(Move.parse("a1NE"), name, 1)


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("", 0),
        (" a1NE", 0),
        ("a1NE ", None),
        ("A1NE", 0),
        ("a1ne", None),
        ("a1", None),
        ("a1N", None),
        ("a1NEE", None),
        ("j1NE", 0),
        ("a0NE", 0),
        ("a10NE", None),
        ("+", 1),
        ("+a1 ", 3),
        ("+A1", 1),
        ("stop ", None),
        ("Stop", 0),
        ("a1=0,a2=3", 3),
        ("a1=7,a2=1", 3),
        ("a1=2 a2=1", 4),
        ("a1=2,a2", 7),
        ("a1=2,a2=1,", 9),
        ("a2=1,a1=2", None),
        ("a1=1,a1=1", None),
        ("a1NE\0", None),
        ("\0", 0),
        ("á1NE", 0),
        ("a1=2,á2=1", 5),
        ("a1=\ud800", 3),
        ("\U0001f3b2", 0),
        ("a1=2,a2=1" * 10**6, 9),
    ],
    ids=map(str, range(30)),
)
def test_wrong_text_is_refused(text: str, offset: int | None) -> None:
    with pytest.raises(NotationError) as refused:
        Move.parse(text)
    assert len(str(refused.value)) > 20
    if offset is not None:
        assert refused.value.offset == offset
    copied = pickle.loads(pickle.dumps(refused.value))
    assert (str(copied), copied.offset) == (str(refused.value), refused.value.offset)


@pytest.mark.parametrize("text", [None, 5, b"a1NE", ["a1NE"], Move.parse("a1NE")])
def test_text_must_be_str(text: Any) -> None:
    with pytest.raises(NotationError, match="text of a decision must be a str, not "):
        Move.parse(text)


def test_exchange_needs_neighbours() -> None:
    with pytest.raises(IllegalMoveError, match="a1 and a3 are not neighbours"):
        Move.parse("a1=2,a3=1")


def test_moves_have_no_constructor() -> None:
    for make in (
        Move,
        LegalMoves,
        lambda: Move.__new__(Move),
        lambda: LegalMoves.__new__(LegalMoves),
    ):
        with pytest.raises(TypeError, match="has no public constructor"):
            make()


# ---- LegalMoves ------------------------------------------------------------------------------


@pytest.fixture
def moves() -> LegalMoves:
    return Position.start().legal_moves


def test_start_has_46_in_canonical_order(moves: LegalMoves) -> None:
    listed = list(moves)
    assert len(moves) == len(listed) == len(set(listed)) == 46
    assert [str(move) for move in listed[:5]] == ["a1E", "a1NE", "a1NW", "a1W", "a2NE"]
    assert [str(move) for move in listed[-2:]] == ["a7=4,a8=1", "a8=1,a9=2"]
    keys = [(move.kind, move.cell, move.direction or 0, move.other or 0, move.value or 0)
            for move in listed]  # fmt: skip
    assert keys == sorted(keys)
    assert repr(moves) == "<LegalMoves: 46>"


def test_behaves_like_the_list_of_its_moves(moves: LegalMoves) -> None:
    listed = list(Position.start().legal_moves)
    fresh = Position.start()
    for index in range(-46, 46):
        assert fresh.legal_moves[index] is listed[index]  # without a list
    assert list(moves) == listed
    for index in range(-46, 46):
        assert moves[index] is listed[index]  # with one
    assert list(reversed(moves)) == listed[::-1]
    for part in (slice(None), slice(3, 9), slice(None, None, -1), slice(40, 99), slice(5, 5)):
        assert fresh.legal_moves[part] == listed[part]
        assert type(fresh.legal_moves[part]) is list
    assert moves[np.int64(3)] is listed[3]


@pytest.mark.parametrize("index", [46, -47, 2**40])
def test_index_out_of_range(moves: LegalMoves, index: int) -> None:
    for _ in range(2):
        with pytest.raises(IndexError):
            moves[index]
        list(moves)


@pytest.mark.parametrize("index", ["a1NE", None, 1.0])
def test_index_must_be_an_integer(moves: LegalMoves, index: Any) -> None:
    for _ in range(2):
        with pytest.raises(TypeError):
            moves[index]
        list(moves)


def test_is_a_sequence(moves: LegalMoves) -> None:
    assert isinstance(moves, Sequence)
    match moves:
        case [first, *rest]:
            assert first is moves[0]
            assert rest == moves[1:]
        case _:
            pytest.fail("a sequence pattern does not match")
    assert moves


def test_contains_moves_and_texts(moves: LegalMoves) -> None:
    listed = set(moves)
    for text in ALL_TEXTS:
        move = Move.parse(text)
        assert (move in moves) is (text in moves) is (move in listed)
        assert moves.count(move) == moves.count(text) == (move in listed)


@pytest.mark.parametrize("thing", ["", "a1ne", "a1NE\0", "a1=2,a3=1", "\ud800", 5, None, b"a1NE"])
def test_contains_nothing_else(moves: LegalMoves, thing: object) -> None:
    assert thing not in moves
    assert moves.count(thing) == 0


def test_index_of_moves_and_texts(moves: LegalMoves) -> None:
    for index, move in enumerate(list(moves)):
        assert moves.index(move) == moves.index(str(move)) == index
    assert moves.index("a2NE", 4) == moves.index("a2NE", 4, 5) == moves.index("a2NE", -46) == 4


def test_index_of_what_is_not_there(moves: LegalMoves) -> None:
    with pytest.raises(IllegalMoveError, match=r"no move sets out SE from there \(R6\)"):
        moves.index("a1SE")
    for span in ((5,), (0, 4), (-3,)):
        with pytest.raises(IllegalMoveError, match="a2NE is none of the legal moves from"):
            moves.index("a2NE", *span)
    with pytest.raises(NotationError):
        moves.index("a2ne")


def test_equal_to_sequences_of_the_same_moves(moves: LegalMoves) -> None:
    assert moves == Position.start().legal_moves
    assert moves == list(moves)
    assert moves == tuple(moves)
    assert hash(moves) == hash(tuple(moves))
    assert moves != list(moves)[1:]
    assert moves != list(moves)[::-1]
    assert moves != [str(move) for move in moves]
    assert moves != Position.start().apply("a1NE").legal_moves
    assert moves != 46


def test_pickle(moves: LegalMoves) -> None:
    assert pickle.loads(pickle.dumps(moves)) == moves


def test_other_sorts_of_decisions() -> None:
    assert [str(move) for move in SERIES.legal_moves] == ["e8SW", "e8SE", "stop"]
    assert [str(move) for move in HANDOUT.legal_moves] == ["+f5", "+d6", "+c5"]
    assert "stop" in SERIES.legal_moves
    assert "stop" not in HANDOUT.legal_moves


def test_none_when_the_game_is_over() -> None:
    moves = OVER.legal_moves
    assert len(moves) == 0
    assert not moves
    assert list(moves) == moves[:] == []
    assert moves == ()
    assert "a1NE" not in moves
    assert moves.array.shape == (0,)
    with pytest.raises(IndexError):
        moves[0]
    with pytest.raises(cf.GameOverError):
        moves.index("a1NE")


def rows_of(moves: LegalMoves) -> list[object]:
    def number(field: int | None) -> int:
        return 255 if field is None else int(field)

    rows: list[object] = []
    for move in moves:
        direction: int | None = move.direction
        if move.kind is Kind.EXCHANGE:
            assert move.cell is not None
            direction = next(d for d in Direction if cf.neighbour(move.cell, d) == move.other)
        rows.append(
            (int(move.kind), number(move.cell), number(direction), number(move.other),
             number(move.value), number(move.other_value))
        )  # fmt: skip
    return rows


@pytest.mark.parametrize("position", [Position.start(), SERIES, HANDOUT, OVER], ids=str)
def test_array_has_the_fields_of_the_moves(position: Position) -> None:
    moves = position.legal_moves
    array = moves.array
    assert array.dtype == DECISION_DTYPE
    assert array.shape == (len(moves),)
    assert array.tolist() == rows_of(moves)
    assert not array.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        array["cell"] = 0


@pytest.mark.parametrize("position", [Position.start(), SERIES, HANDOUT, OVER], ids=str)
def test_codes_are_those_of_the_moves(position: Position) -> None:
    moves = position.legal_moves
    assert moves.codes.dtype == np.uint32
    assert moves.codes.tolist() == [move.code for move in moves]
    assert not moves.codes.flags.writeable


def test_array_is_independent_of_the_position() -> None:
    array = Position.start().legal_moves.array
    assert (
        array["kind"].tolist().count(Kind.MOVE) + array["kind"].tolist().count(Kind.EXCHANGE) == 46
    )
    with pytest.raises(ValueError, match="WRITEABLE"):
        array.flags.writeable = True
