"""One move, carried out literally on a board that is a dictionary (R6 to R8).

A board maps cells to dice, red positive and blue negative; an empty cell is not a key.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .board import CHAMBER, Step, leaves_end_row, step, turn_left
from .rules import RefRules

Board = dict[int, int]


class IllegalMoveError(Exception):
    """The move breaks R6 or R7 somewhere, so the whole move is illegal."""


@dataclass
class Move:
    """A move under way: the board as it stands and what has happened so far."""

    rules: RefRules
    board: Board
    direct_capture: int | None = None  # the cell, if the moving die itself captured (R6)
    captured: list[int] = field(default_factory=list)
    chains: list[int] = field(default_factory=list)  # dice pushed, chain by chain
    split: bool = False
    whole_exit: bool = False
    refused: bool = False
    ricochets: int = 0
    wraps: int = 0

    def step(self, cell: int, direction: str) -> Step:
        """One step of any die; IllegalMoveError where R12 makes it impossible."""
        taken = step(cell, direction, self.rules)
        if taken is None:
            raise IllegalMoveError("a step over an edge that does not exist")
        self.ricochets += taken.bounced
        self.wraps += taken.crossed_seam
        return taken

    def walk(self, origin: int, direction: str) -> Step:
        """The last step of the die at ``origin``, all cells before it being free (R6)."""
        if leaves_end_row(origin, direction):
            raise IllegalMoveError("no first direction leads over an end row")
        here = Step(origin, direction, bounced=False, crossed_seam=False)
        steps = abs(self.board[origin])
        for number in range(1, steps + 1):
            here = self.step(here.cell, here.direction)
            if number < steps and (here.cell in self.board or here.cell == CHAMBER):
                raise IllegalMoveError("the path is blocked")
        return here

    def land(self, die: int, cell: int, direction: str) -> None:
        """Put a die down: an empty cell, a capture, or a chain of bumps (R6, R7)."""
        pushed = 0
        while True:
            stood_there = self.board.get(cell)
            self.board[cell] = die
            if stood_there is None:
                break
            if is_enemy(stood_there, die):
                self.captured.append(stood_there)
                break
            taken = self.step(cell, direction)
            if taken.cell == CHAMBER:
                raise IllegalMoveError("a bump into the chamber")
            die, cell, direction = stood_there, taken.cell, taken.direction
            pushed += 1
        self.chains.append(pushed)

    def leave_chamber(self, die: int, direction: str) -> None:
        """One die, whole or half, leaves the chamber in its exit direction (R8)."""
        taken = self.step(CHAMBER, direction)
        self.land(die, taken.cell, taken.direction)


def is_enemy(die: int, other: int) -> bool:
    """Whether two dice are of different colours."""
    return (die > 0) != (other > 0)


def play_move(board: Board, origin: int, first: str, spare: int, rules: RefRules) -> Move:
    """The move of the die at ``origin`` in its first direction, played to its end.

    Args:
        board: The board before the move; it is left as it is.
        origin: The cell of the moving die.
        first: The first direction (R6).
        spare: Spare dice of the moving side before the move (R8).
        rules: The rule set.

    Raises:
        IllegalMoveError: The move is illegal.
    """
    move = Move(rules, dict(board))
    last = move.walk(origin, first)
    die = move.board.pop(origin)  # R7: the origin is empty from now on
    if last.cell != CHAMBER:
        target = move.board.get(last.cell)
        if target is not None and is_enemy(target, die):
            move.direct_capture = last.cell
        move.land(die, last.cell, last.direction)
        return move

    left = turn_left(last.direction, 2)
    right = turn_left(last.direction, -2)
    colour = 1 if die > 0 else -1
    value = abs(die)
    if value >= 2 and spare > 0:
        move.split = True
        move.leave_chamber(colour * (value - value // 2), left)
        move.leave_chamber(colour * (value // 2), right)
    else:
        move.whole_exit = True
        move.refused = value >= 2
        move.leave_chamber(die, left)
    return move
