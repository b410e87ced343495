"""Writing a turn and reading it gives it back; whatever else is read is refused or sound."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chase_fast._core import Kind, Move, Position
from chase_fast.errors import AmbiguousNotationError, ChaseError, NotationError
from chase_fast.game import Game
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
from tests.property.games import games, turns

Result = TypeVar("Result")
Turn = tuple[Position, list[Move]]
READERS = (read_turn, read_abstractplay, read_chase_ai)


def tried(call: Callable[[], Result]) -> tuple[Result | None, Exception | None]:
    """What a call returns, or how it refuses."""
    try:
        return call(), None
    except ChaseError as error:
        return None, error


def in_series(moves: list[Move]) -> bool:
    """Whether the turn needs words that only our own notation has (R12, chain)."""
    actions = [move for move in moves if move.kind != Kind.DISTRIBUTION]
    return len(actions) > 1 or any(move.kind == Kind.STOP for move in actions)


@given(turns())
def test_own_turn_roundtrip(turn: Turn) -> None:
    position, moves = turn
    text = write_turn(position, moves)
    assert text == " ".join(map(str, moves))
    assert read_turn(position, text) == moves


@given(turns())
def test_abstractplay_roundtrip(turn: Turn) -> None:
    position, moves = turn
    if in_series(moves):
        with pytest.raises(NotationError, match="series"):
            write_abstractplay(position, moves)
        return
    text = write_abstractplay(position, moves)
    assert read_abstractplay(position, text) == moves
    assert read_abstractplay(position, " ".join(text.upper())) == moves
    assert read_abstractplay(position, text.replace("x", "-")) == moves


@given(turns())
def test_abstractplay_without_direction_is_the_same_or_ambiguous(turn: Turn) -> None:
    position, moves = turn
    if in_series(moves) or moves[-1].kind != Kind.MOVE:
        return
    bare = write_abstractplay(position, moves).rstrip("NEWS")
    read, error = tried(lambda: read_abstractplay(position, bare))
    if error is None:
        assert read == moves
    else:
        assert isinstance(error, AmbiguousNotationError)
        assert str(moves[-1]) in error.candidates
        assert len(error.candidates) > 1


@given(turns())
def test_abstractplay_exchange_in_either_order(turn: Turn) -> None:
    position, moves = turn
    if in_series(moves) or moves[-1].kind != Kind.EXCHANGE:
        return
    text = write_abstractplay(position, moves)
    braces, brace, action = text.rpartition("}")
    swapped = braces + brace + ",".join(reversed(action.split(",")))
    assert swapped != text
    assert read_abstractplay(position, swapped) == moves


@given(turns())
def test_chase_ai_roundtrip(turn: Turn) -> None:
    position, moves = turn
    text, error = tried(lambda: write_chase_ai(position, moves))
    if isinstance(error, AmbiguousNotationError):
        assert any(str(move) in error.candidates for move in moves)
        assert len(error.candidates) > 1
    elif text is None:
        assert isinstance(error, NotationError)
        assert any(move.kind == Kind.STOP for move in moves)
    else:
        assert read_chase_ai(position, text) == moves
        assert read_chase_ai(position, text.lower()) == moves


@given(games())
def test_chase_ai_position_roundtrip(game: Game) -> None:
    position = game.position
    if position.capturing is not None or not position.rules.recycle:
        with pytest.raises(NotationError):
            write_chase_ai_position(position)
    else:
        text = write_chase_ai_position(position)
        assert read_chase_ai_position(text, position.rules) == position


def check_reading(read: Callable[[Position, str], list[Move]], turn: Turn, text: str) -> None:
    """What is read is a legal whole turn; what is not read is refused as every input is."""
    position, _ = turn
    moves, error = tried(lambda: read(position, text))
    if moves is not None:
        assert read_turn(position, write_turn(position, moves)) == moves
        return
    assert isinstance(error, ValueError)
    if isinstance(error, NotationError) and error.offset is not None:
        assert 0 <= error.offset <= len(text)


@given(st.sampled_from(READERS), turns(), st.text(max_size=40))
def test_any_text(read: Callable[[Position, str], list[Move]], turn: Turn, text: str) -> None:
    check_reading(read, turn, text)


@given(
    st.sampled_from(READERS),
    turns(),
    st.text(alphabet="abcdefghi123456789CHx-+=,{} NESW\t", max_size=24),
)
def test_likely_text(read: Callable[[Position, str], list[Move]], turn: Turn, text: str) -> None:
    check_reading(read, turn, text)


@given(
    st.sampled_from(((read_turn, write_turn), (read_abstractplay, write_abstractplay))),
    turns(),
    st.integers(0, 60),
    st.sampled_from(["", "a", "1", "-", "=", ",", " ", "{", "}", "NE", "x", "+", "é", "\0"]),
)
def test_text_with_one_fault(
    notation: tuple[Callable[..., list[Move]], Callable[..., str]],
    turn: Turn,
    place: int,
    patch: str,
) -> None:
    read, write = notation
    if in_series(turn[1]):
        return
    text = write(*turn)
    check_reading(read, turn, text[:place] + patch + text[place + 1 :])
