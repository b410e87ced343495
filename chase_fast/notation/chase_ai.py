"""The notation of chase-ai: one text a decision, and a position text.

Grammar of a turn (case does not count, white space separates decisions)::

    turn         = decision *( space decision )
    decision     = cell "-" ( cell / "CH" )      ; a move; CH is the chamber
                 / cell "-" cell "+=" pips       ; an exchange: pips go from the first to the second
                 / cell "+=" pips                ; a distribution: pips given to the die

Directions are not written. Where two moves lead from one cell to the same other cell, the text does
not say which; it is then neither read nor written. The position text is the first two fields of
CFEN, board and side to act.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from chase_fast._arguments import instance
from chase_fast._core import Kind, Move, Position, Rules, cell_name, parse_cell
from chase_fast.errors import AmbiguousNotationError, InvalidPositionError, NotationError
from chase_fast.notation.scanner import Scanner, exchange
from chase_fast.notation.turn import (
    TurnWalk,
    check_length,
    landing,
    moves_between,
    only_move,
    whole_turn,
)

_CHAMBER = parse_cell("e5")


def read_chase_ai(position: Position, text: str) -> list[Move]:
    """The decisions of a whole turn written as ``D6+=2 E4+=1 E4-C1``.

    Raises:
        NotationError: If the text is not a turn, or not a complete one.
        AmbiguousNotationError: If several moves lead from the first cell to the second.
        IllegalMoveError: If a decision is not legal at its place, with the reason.
        GameOverError: If the game is over in ``position``.
        ArgumentError: If ``position`` is none.
    """
    check_length(text)
    walk = TurnWalk(position)
    for token in re.finditer(r"\S+", text):
        walk.require_open(token[0], token.start())
        scanner = Scanner(text, token.start(), token.end())
        walk.play(_decision(walk.position, scanner), token.start())
    return walk.finish(len(text))


def _decision(position: Position, scanner: Scanner) -> Move:
    begin = scanner.offset
    if scanner.looks_at("ch"):
        raise NotationError(
            "no die rests on the chamber, so no move begins there (R4); what leaves it is part of"
            " the move that entered it",
            begin,
        )
    cell = scanner.cell()
    if scanner.expect("-", "+=") == "+=":
        pips = scanner.number(1, 5, "a number of pips")
        scanner.end()
        return _distribution(position, cell, pips, begin)
    if scanner.take("ch"):
        scanner.end()
        return only_move(position, cell, _CHAMBER, begin)
    offset = scanner.offset
    other = scanner.cell()
    if other == _CHAMBER:
        raise NotationError("e5 is the chamber, which chase-ai calls CH", offset)
    if not scanner.take("+="):
        scanner.end()
        return only_move(position, cell, other, begin)
    offset = scanner.offset
    pips = scanner.number(1, 5, "a number of pips")
    scanner.end()
    value, other_value = abs(position.value_at(cell)), abs(position.value_at(other))
    if not (pips < value and other_value + pips <= 6):
        raise NotationError(
            f"{pips} pips cannot go from {cell_name(cell)} (value {value}) to {cell_name(other)}"
            f" (value {other_value}); both keep 1 to 6 (R10)",
            offset,
        )
    return exchange(cell, value - pips, other, other_value + pips, begin)


def _distribution(position: Position, cell: int, pips: int, offset: int) -> Move:
    """The distribution to ``cell``, if it is legal and gives just these pips (R9)."""
    move = Move.parse(f"+{cell_name(cell)}")
    if position.is_legal(move):
        given = _pips_given(position, move)
        if given != pips:
            raise NotationError(
                f"the die on {cell_name(cell)} receives {given} pips, not {pips} (R9)", offset
            )
    return move


def _pips_given(position: Position, move: Move) -> int:
    """Pips that a legal distribution hands out."""
    return position.pips_due - position.apply(move).pips_due


def write_chase_ai(position: Position, moves: Iterable[Move | str]) -> str:
    """A whole turn as chase-ai writes it.

    Raises:
        AmbiguousNotationError: If a move shares both of its cells with another one, so that the
            text would not say which.
        NotationError: If a text is not a decision, the decisions are not one whole turn, or one
            of them is ``stop`` (R12, chain), for which chase-ai has no word.
        IllegalMoveError: If a decision is not legal at its place, with the reason.
        ArgumentError: If ``position`` is none, or ``moves`` a single text.
    """
    return " ".join(_write(before, move) for move, before in whole_turn(position, moves))


def _write(position: Position, move: Move) -> str:
    if move.cell is None:
        raise NotationError("chase-ai has no word for stop (R12, chain)")
    cell = _name(move.cell)
    if move.kind == Kind.DISTRIBUTION:
        return f"{cell}+={_pips_given(position, move)}"
    if move.kind == Kind.EXCHANGE:
        assert move.other is not None
        assert move.value is not None
        other = _name(move.other)
        gained = move.value - abs(position.value_at(move.cell))
        return f"{other}-{cell}+={gained}" if gained > 0 else f"{cell}-{other}+={-gained}"
    target, _ = landing(position, move)
    candidates = tuple(str(other) for other in moves_between(position, move.cell, target))
    if len(candidates) > 1:
        raise AmbiguousNotationError(
            f"chase-ai writes no direction, and {cell}-{_name(target)} fits {len(candidates)}"
            f" moves: {', '.join(candidates)}",
            candidates,
        )
    return f"{cell}-{_name(target)}"


def _name(cell: int) -> str:
    return "CH" if cell == _CHAMBER else cell_name(cell).upper()


def read_chase_ai_position(text: str, rules: Rules | None = None) -> Position:
    """The position written as ``board side``, the first two fields of CFEN.

    Args:
        text: For example ``abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r``.
        rules: Rules to play it under, standard by default. Spare dice are what is missing on the
            board, so rules with ``recycle=no`` are refused.

    Raises:
        InvalidPositionError: If the text is not such a position, with the reasons.
    """
    _check_fields(text)
    return Position.parse(text, rules)


def _check_fields(text: object) -> None:
    """Refuse a third field, which a position text of our own may have."""
    fields = text.split(" ", 2) if isinstance(text, str) else []
    if len(fields) > 2:
        offset = len(fields[0]) + 1 + len(fields[1])
        reason = f"' ' at offset {offset}, expected the end after the two fields, board and side"
        raise InvalidPositionError((reason,), offset)


def write_chase_ai_position(position: Position) -> str:
    """The position as ``board side``; :func:`read_chase_ai_position` gives it back.

    Raises:
        ArgumentError: If ``position`` is none.
        NotationError: If the two fields do not tell everything: with a series of captures under
            way (R12, chain) or captured dice that are gone for good (R12, recycle).
    """
    instance(position, "position", Position, "a Position")
    text = " ".join(position.cfen.split(" ")[:2])
    if position.capturing is not None:
        raise NotationError("chase-ai's position text has no field for the capturing die")
    if not position.rules.recycle:
        raise NotationError("chase-ai's position text has no field for spare dice (recycle=no)")
    return text
