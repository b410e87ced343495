"""How a person enters a decision: by number, by text, or by the cells it begins with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from chase_fast import Kind, Move, cell_name
from chase_fast.errors import ChaseError

_CELL = re.compile(r"[a-i][1-9]")
_EXCHANGE = re.compile(r"([a-i][1-9])\s*=\s*([1-6])[\s,]+([a-i][1-9])")


class EntryError(ChaseError, ValueError):
    """What was entered stands for no decision; says what would."""


@dataclass(frozen=True, slots=True)
class Entered:
    """What an entry stands for.

    Attributes:
        move: The decision, if there is just one that fits.
        choices: Those that fit, if there are several, for the person to choose from.
    """

    move: Move | None
    choices: tuple[Move, ...] = ()


def read_entry(text: str, legal: Sequence[Move], listed: Sequence[Move]) -> Entered:
    """The decision, or decisions, that an entry stands for.

    Understood, with any case and spacing: a number of the list shown last; the text of a decision;
    a cell: everything that begins there; two cells: the exchanges between them; ``a1=3 a2``: the
    exchange after which a1 shows 3.

    Args:
        text: What was typed.
        legal: The legal decisions.
        listed: Those shown last, which numbers refer to.

    Raises:
        EntryError: Nothing legal fits.
    """
    words = text.lower().split()
    joined = "".join(words)
    if joined.isdigit() and joined.isascii() and len(joined) <= 4:
        if not 1 <= int(joined) <= len(listed):
            raise EntryError(f"there is no number {joined}, expected 1 to {len(listed)}")
        return Entered(listed[int(joined) - 1])
    by_text = {str(move).lower(): move for move in legal}
    if joined in by_text:
        return Entered(by_text[joined])
    if exchange := _EXCHANGE.fullmatch(text.lower().strip()):
        return _of_exchange(exchange[1], int(exchange[2]), exchange[3], legal)
    cells = _CELL.findall(joined)
    if not cells or "".join(cells) != joined.lstrip("+") or len(cells) > 2:
        raise EntryError(f"{text.strip()!r} is no number, decision or cell; type help")
    fitting = tuple(move for move in legal if cells[0] in _begins(move))
    if len(cells) == 2:
        fitting = tuple(move for move in fitting if _between(move) == set(cells))
    if not fitting:
        raise EntryError(f"nothing legal begins on {' and '.join(cells)}; type list")
    return Entered(fitting[0]) if len(fitting) == 1 else Entered(None, fitting)


def _of_exchange(first: str, value: int, second: str, legal: Sequence[Move]) -> Entered:
    for move in legal:
        if move.kind == Kind.EXCHANGE and _between(move) == {first, second}:
            shows = move.value if cell_name(_cell(move)) == first else move.other_value
            if shows == value:
                return Entered(move)
    raise EntryError(f"no exchange of {first} and {second} makes {first} a {value} (R10)")


def _cell(move: Move) -> int:
    assert move.cell is not None
    return move.cell


def _between(move: Move) -> set[str]:
    """The two cells of an exchange."""
    if move.kind != Kind.EXCHANGE or move.other is None:
        return set()
    return {cell_name(_cell(move)), cell_name(move.other)}


def _begins(move: Move) -> set[str]:
    """The cells by which a person may call a decision."""
    if move.kind == Kind.STOP:
        return set()
    return _between(move) or {cell_name(_cell(move))}
