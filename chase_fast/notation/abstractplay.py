"""The notation of AbstractPlay: one text a turn.

Grammar (case and white space do not count; ``docs/notation.md`` tells more)::

    turn     = [ "{" cell *( "," cell ) "}" ] [ action ]
    action   = cell ( "-" / "x" ) cell [ direction ] / cell "=" value "," cell "=" value

The cells in braces receive the pips due, in order. ``x`` means that the moving die itself takes an
enemy die; what a bump or an exit of the chamber takes is written ``-`` like any other move. The
chamber is called e5. Only a turn in which the game ends for want of a decision has no action.
"""

from __future__ import annotations

from collections.abc import Iterable

from chase_fast._core import Kind, Move, Position, cell_name
from chase_fast.errors import IllegalMoveError, NotationError
from chase_fast.notation.scanner import Scanner, exchange
from chase_fast.notation.turn import (
    TurnWalk,
    check_length,
    landing,
    only_move,
    whole_turn,
)


def read_abstractplay(position: Position, text: str) -> list[Move]:
    """The decisions of a whole turn written as ``{d6,e4}e4-c1SW``.

    Read leniently: case and white space do not count, the halves of an exchange stand in either
    order, ``-`` and ``x`` mean the same, and the direction may be left out where only one legal
    move fits.

    Raises:
        NotationError: If the text is not a turn or not a complete one.
        AmbiguousNotationError: If the direction is left out and several moves fit.
        IllegalMoveError: If a decision is not legal at its place, with the reason.
        GameOverError: If the game is over in ``position``.
        ArgumentError: If ``position`` is none.
    """
    check_length(text)
    scanner = Scanner(text)
    walk = TurnWalk(position)
    if scanner.take("{"):
        while True:
            offset = scanner.offset
            walk.play(Move.parse(f"+{cell_name(scanner.cell())}"), offset)
            if scanner.expect(",", "}") == "}":
                break
    if scanner.at_end:
        return walk.finish(scanner.offset)
    walk.require_open("more text", scanner.offset)
    if walk.position.pips_due:
        raise NotationError(
            f"{walk.position.pips_due} pips are due to {walk.position.side_to_act.name.lower()}"
            " before the move; write the cells that receive them in braces first, as {a1,b2} (R9)",
            scanner.offset,
        )
    offset = scanner.offset
    walk.play(_action(walk.position, scanner), offset)
    return walk.finish(scanner.offset)


def _action(position: Position, scanner: Scanner) -> Move:
    offset = scanner.offset
    origin = scanner.cell()
    if scanner.expect("-", "x", "=") == "=":
        value = scanner.number(1, 6, "a value")
        scanner.expect(",")
        other = scanner.cell()
        scanner.expect("=")
        other_value = scanner.number(1, 6, "a value")
        scanner.end()
        return exchange(origin, value, other, other_value, offset)
    target = scanner.cell()
    direction = scanner.direction()
    scanner.end()
    if direction is None:
        return only_move(position, origin, target, offset)
    move = Move.parse(f"{cell_name(origin)}{direction.name}")
    if position.is_legal(move):
        reached, _ = landing(position, move)
        if reached != target:
            raise IllegalMoveError(
                f"{move} leads to {cell_name(reached)}, not to {cell_name(target)} as written (R6)"
            )
    return move


def write_abstractplay(position: Position, moves: Iterable[Move | str]) -> str:
    """A whole turn as AbstractPlay writes it, always with the direction.

    Raises:
        NotationError: If a text is not a decision, the decisions are not one whole turn, or the
            turn holds what AbstractPlay has no words for: a series of captures (R12, chain).
        IllegalMoveError: If a decision is not legal at its place, with the reason.
        ArgumentError: If ``position`` is none, or ``moves`` a single text.
    """
    raised: list[str] = []
    actions: list[str] = []
    for move, before in whole_turn(position, moves):
        if move.kind == Kind.DISTRIBUTION:
            assert move.cell is not None
            raised.append(cell_name(move.cell))
        elif move.kind == Kind.MOVE:
            assert move.cell is not None
            assert move.direction is not None
            target, captured = landing(before, move)
            mark = "x" if captured else "-"
            actions.append(f"{cell_name(move.cell)}{mark}{cell_name(target)}{move.direction.name}")
        else:
            actions.append(str(move))
    if len(actions) > 1 or "stop" in actions:
        raise NotationError(
            "AbstractPlay's notation has one move a turn and no word for a series of captures"
            f" (R12, chain): {' '.join(actions)}"
        )
    return (f"{{{','.join(raised)}}}" if raised else "") + "".join(actions)
