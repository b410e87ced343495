"""What one decision did to the board, in the terms in which it is drawn and told."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import groupby

from chase_fast._arguments import instance
from chase_fast._core import Kind, Move, Position, Side, TraceStep, cell_name, move_of
from chase_fast._geometry import CHAMBER
from chase_fast.errors import ArgumentError


class Mark(Enum):
    """What happened on a cell; later members outrank earlier ones."""

    PATH = 1  # passed by the moving die
    ORIGIN = 2  # left by the moving die
    LANDED = 3  # entered by a die that stayed, or was pushed on later
    CHANGED = 4  # new value by an exchange or a distribution
    CAPTURED = 5  # a die was captured here


@dataclass(frozen=True, slots=True)
class LastMove:
    """A legal decision and its effects.

    Attributes:
        move: The decision.
        side: Who made it.
        ray: The steps of the moving die (R6), empty unless it is a move.
        exits: The one or two steps out of the chamber (R8).
        pushes: One step for each die bumped (R7), in the order in which they happened.
        gains: Pips won or lost, by cell, in an exchange or a distribution (R9, R10).
        marks: What happened, by cell.
        text: The same in words, such as "a9E: a9~a1, push a1-a2": ``~`` crosses the seam, ``^``
            is a ricochet, ``x3`` the capture of a 3.
    """

    move: Move
    side: Side
    ray: tuple[TraceStep, ...]
    exits: tuple[TraceStep, ...]
    pushes: tuple[TraceStep, ...]
    gains: dict[int, int]
    marks: dict[int, Mark]
    text: str


def explain(before: Position, move: Move | str, after: Position) -> LastMove:
    """The effects of a decision that led from ``before`` to ``after``.

    Raises:
        IllegalMoveError: The decision is not legal in ``before``.
        NotationError: ``move`` is neither a `Move` nor text that is a decision.
        ArgumentError: It leads to another position than ``after``.
    """
    move = move_of(move)
    reached = before.apply(move)
    if reached != after:
        raise ArgumentError(
            f"{move} leads from the position before to {reached.cfen!r}, not to the position "
            f"drawn, {after.cfen!r}"
        )
    steps = before.trace(move)
    ray, exits, pushes = (
        tuple(step for step in steps if step.kind in kinds)
        for kinds in (("ray",), ("left", "right"), ("push",))
    )
    changed = [] if move.kind in (Kind.MOVE, Kind.STOP) else [move.cell, move.other]
    gains = {
        cell: abs(after.value_at(cell)) - abs(before.value_at(cell))
        for cell in changed
        if cell is not None
    }
    return LastMove(
        move=move,
        side=before.side_to_act,
        ray=ray,
        exits=exits,
        pushes=pushes,
        gains=gains,
        marks=_marks(steps, gains),
        text=_words(move, steps, gains),
    )


def explain_pair(
    position: Position, last_move: Move | str | None, before: Position | None
) -> LastMove | None:
    """The last move of a picture: both or neither of ``last_move`` and ``before`` are given.

    Raises:
        ArgumentError: ``position`` or ``before`` is no position, only one of the two is given, or
            they do not lead to ``position``.
        IllegalMoveError: ``last_move`` is not legal in ``before``.
        NotationError: ``last_move`` is text that is no decision.
    """
    instance(position, "position", Position, "a Position")
    if before is not None:
        instance(before, "before", Position, "a Position or None")
    if last_move is None and before is None:
        return None
    if last_move is None or before is None:
        given, missing = ("before", "last_move") if last_move is None else ("last_move", "before")
        raise ArgumentError(
            f"{given} is given without {missing}, expected both: a decision and the position in "
            f"which it was made"
        )
    return explain(before, last_move, position)


def due_text(position: Position, side: Side) -> str:
    """The pips that a side lacks (R9) in words, "" if none; a side that has lost gets none.

    Both sides can lack pips in turn: the one to act, and during a series (R12) the other.
    """
    due = 0 if position.winner is not None else position.rules.total - position.pips[side]
    return f"{due} {'pip' if due == 1 else 'pips'} due" if due else ""


def _marks(steps: Sequence[TraceStep], gains: dict[int, int]) -> dict[int, Mark]:
    marks = dict.fromkeys(gains, Mark.CHANGED)

    def put(cell: int, mark: Mark) -> None:
        if cell not in marks or mark.value > marks[cell].value:
            marks[cell] = mark

    for number, step in enumerate(steps):
        last_of_ray = number + 1 == len(steps) or steps[number + 1].kind != "ray"
        if number == 0:
            put(step.origin, Mark.ORIGIN)
        if step.captured:
            put(step.target, Mark.CAPTURED)
        elif (step.kind == "ray" and not last_of_ray) or step.target == CHAMBER:
            put(step.target, Mark.PATH)
        else:
            put(step.target, Mark.LANDED)
    return marks


def _words(move: Move, steps: Sequence[TraceStep], gains: dict[int, int]) -> str:
    parts = [f"{cell_name(cell)} {gain:+d}" for cell, gain in gains.items()]
    for kind, group in groupby(steps, key=lambda step: step.kind):
        run = list(group)
        if kind == "ray":
            parts.append(_chain(run))
        elif kind == "push":
            parts.append(f"push {_chain(run)}")
        else:
            parts.append(f"{kind} {run[0].value} {_chain(run)}")
    return f"{move}: {', '.join(parts)}" if parts else str(move)


def _chain(steps: Sequence[TraceStep]) -> str:
    text = cell_name(steps[0].origin)
    for step in steps:
        joint = ("^" if step.ricochets else "") + ("~" if step.wraps else "")
        text += (joint or "-") + cell_name(step.target)
        text += f"x{step.captured}" if step.captured else ""
    return text
