"""Messages about texts show what was typed, and where; whatever it was."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

import chase_fast as cf
from chase_fast import notation
from tests.unit.arguments import DUE, START, refusal

CHARACTERS = ["é", "\N{FULLWIDTH DIGIT ONE}", "\N{GAME DIE}", "ж", "中"]
UNPRINTABLE = ["\0", "\n", "\x7f", "\x85", "\u202e", "\ud800", "\udfff", "\U000e0001"]
NOTATIONS: dict[str, tuple[Callable[[str], Any], str]] = {
    "Move.parse": (cf.Move.parse, "a5NE"),
    "Position.parse": (cf.Position.parse, START.cfen),
    "read_turn": (lambda text: notation.read_turn(DUE, text), "+d6 +e4 e4SW"),
    "read_abstractplay": (lambda text: notation.read_abstractplay(DUE, text), "{d6,e4}e4-c1SW"),
    "read_chase_ai": (lambda text: notation.read_chase_ai(DUE, text), "D6+=5 E4+=4 E4-C1"),
    "read_chase_ai_position": (
        notation.read_chase_ai_position,
        notation.write_chase_ai_position(START),
    ),
}


@pytest.mark.parametrize("name", NOTATIONS)
def test_offsets_and_characters_are_those_of_the_text(name: str) -> None:
    """Wherever a foreign character stands, the message shows it or what lies before it."""
    read, text = NOTATIONS[name]
    read(text)
    for place in range(len(text) + 1):
        for char in CHARACTERS + UNPRINTABLE:
            for wrong in (text[:place] + char + text[place:], text[:place] + char):
                if char.isspace() and name in ("read_abstractplay", "read_chase_ai"):
                    continue
                with pytest.raises((cf.NotationError, cf.InvalidPositionError)) as caught:
                    read(wrong)
                message, offset = str(caught.value), getattr(caught.value, "offset", None)
                assert offset is not None
                # A cell is refused as a whole, from its first character on.
                assert place - 1 <= offset <= place, (wrong, message)
                message.encode()
                assert message.isprintable()
                if "pips are due to red before the move" in message:
                    continue
                assert f"at offset {offset}" in message, (wrong, message)
                if offset == place and char in CHARACTERS:
                    assert f"'{char}' at offset" in message, (wrong, message)


@pytest.mark.parametrize("char", CHARACTERS)
def test_rules_are_quoted_as_they_were_typed(char: str) -> None:
    for text in (char, f"{char}=1", f"reserve={char}", f"standard,{char}", f"ch{char}in=yes"):
        with pytest.raises(cf.InvalidRulesError) as caught:
            cf.Rules.parse(text)
        assert char in str(caught.value)
        assert "\\x" not in str(caught.value)
    with pytest.raises(cf.InvalidRulesError, match=rf"^'{char}{{5,}}\.\.\.' at offset 0"):
        cf.Rules.parse(100 * char)


def test_any_text_whatever_is_refused_in_printable_words() -> None:
    source = random.Random(5)
    letters = "a1NE+=,;- {}/9Ar\0\n\x1b\x85é\u0301\ud800\udfff\U0001f3b2\uffff\u200b"
    readers = [*(read for read, _ in NOTATIONS.values()), cf.Rules.parse, cf.parse_cell]
    for _ in range(300):
        text = "".join(source.choices(letters, k=source.randrange(60)))
        for read in readers:
            error = refusal(read, text)
            assert error is None or isinstance(error, cf.ChaseError)
            assert error is None or isinstance(error, ValueError)
            assert str(error).isprintable()
            str(error).encode()
