"""Reads lenient notations character by character, keeping the place for error messages."""

from __future__ import annotations

from chase_fast._core import Direction, Move, cell_name, parse_cell
from chase_fast.errors import NotationError

# Longest first, so that "ne" is not read as something shorter.
_DIRECTIONS = sorted((direction.name for direction in Direction), key=len, reverse=True)


class Scanner:
    """A cursor over text in which case and white space do not count.

    Args:
        text: What to read. ``offset`` counts its characters from 0, white space included.
        begin: First character to read.
        end: Where to stop before, by default the end of the text.
    """

    def __init__(self, text: str, begin: int = 0, end: int | None = None) -> None:
        self._text = text
        self._length = len(text) if end is None else end
        self._places = [n for n in range(begin, self._length) if not text[n].isspace()]
        self._chars = [text[place].lower() for place in self._places]
        self._next = 0

    @property
    def offset(self) -> int:
        """Where the next character stands in the text."""
        return self._places[self._next] if self._next < len(self._places) else self._length

    @property
    def at_end(self) -> bool:
        """Whether only white space is left."""
        return self._next == len(self._chars)

    def looks_at(self, word: str) -> bool:
        """Whether ``word`` (lower case) comes next."""
        return self._chars[self._next : self._next + len(word)] == list(word)

    def take(self, *words: str) -> str | None:
        """Step over the first of ``words`` that comes next and return it, or None."""
        for word in words:
            if self.looks_at(word):
                self._next += len(word)
                return word
        return None

    def expect(self, *words: str) -> str:
        """As :meth:`take`, but one of the words must come next."""
        word = self.take(*words)
        if word is None:
            raise self.error(" or ".join(repr(choice) for choice in words))
        return word

    def cell(self) -> int:
        """The cell that comes next."""
        name = "".join(self._chars[self._next : self._next + 2])
        if len(name) != 2 or name[0] not in "abcdefghi" or name[1] not in "123456789":
            raise self.error("a cell, a1 to i9")
        self._next += 2
        return parse_cell(name)

    def number(self, low: int, high: int, what: str) -> int:
        """The one-digit number that comes next."""
        digit = "".join(self._chars[self._next : self._next + 1])
        # A second digit would make another number, not the end of this one.
        after = "".join(self._chars[self._next + 1 : self._next + 2])
        allowed = [str(number) for number in range(low, high + 1)]
        if digit not in allowed or (after and after in "0123456789"):
            raise self.error(f"{what}, {low} to {high}")
        self._next += 1
        return int(digit)

    def direction(self) -> Direction | None:
        """The direction that comes next, or None."""
        word = self.take(*(name.lower() for name in _DIRECTIONS))
        return None if word is None else Direction[word.upper()]

    def end(self) -> None:
        """Refuse anything that is left."""
        if not self.at_end:
            raise self.error("the end of the turn")

    def error(self, expected: str) -> NotationError:
        """A refusal of what comes next."""
        place = self.offset
        found = "the end" if self.at_end else repr(self._text[place])
        return NotationError(f"{found} at offset {place}, expected {expected}", place)


def exchange(first: int, value: int, second: int, other_value: int, offset: int) -> Move:
    """An exchange whose cells are named in either order (R10).

    Raises:
        NotationError: If the cells are the same; ``offset`` is where the exchange begins.
        IllegalMoveError: If the cells are not neighbours.
    """
    if first == second:
        raise NotationError(f"an exchange needs two dice, found {cell_name(first)} twice", offset)
    halves = sorted(((first, value), (second, other_value)))
    return Move.parse(",".join(f"{cell_name(cell)}={value}" for cell, value in halves))
