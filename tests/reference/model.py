"""The rules of Chase as a position that knows its decisions: slow, literal, obvious.

Sides are 0 for red and 1 for blue. Nothing here is cached and nothing is precomputed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .board import (
    CELL_BY_NAME,
    CELLS,
    CHAMBER,
    DIRECTIONS,
    OPPOSITE,
    cell_name,
    half_turn_cell,
    neighbours,
)
from .moves import Board, IllegalMoveError, Move, is_enemy, play_move
from .rules import RefRules
from .text import Fields, read_cfen, write_cfen

RED, BLUE = 0, 1
SIDE_NAMES = ("red", "blue")
MAX_VALUE = 6


@dataclass(frozen=True)
class Decision:
    """One legal decision: its text, the position after it, and the move, if it is one."""

    text: str
    after: RefPosition
    move: Move | None = None


@dataclass(frozen=True)
class RefPosition:
    """A position under a rule set. It may be built invalid: ``faults`` tells (R13)."""

    rules: RefRules
    board: tuple[int, ...]
    side: int
    capturing: int | None
    spare: tuple[int, int]

    # Text and start

    @classmethod
    def start(cls, rules: RefRules) -> RefPosition:
        """The start: each side's home row read from its own left to its own right (R5)."""
        board = [0] * CELLS
        for index, value in enumerate(rules.setup):
            board[CELL_BY_NAME[f"a{index + 1}"]] = int(value)
            board[CELL_BY_NAME[f"i{9 - index}"]] = -int(value)
        return cls(rules, tuple(board), RED, None, (rules.reserve, rules.reserve))

    @classmethod
    def parse(cls, cfen: str, rules: RefRules) -> RefPosition:
        """Read a CFEN.

        Raises:
            ValueError: The first syntax error, or all reasons why the position is invalid (R13).
        """
        fields = read_cfen(cfen, rules)
        position = cls(rules, fields.board, fields.side, fields.capturing, fields.spare)
        faults = position.faults()
        if faults:
            raise ValueError("; ".join(faults))
        return position

    @property
    def cfen(self) -> str:
        """The position's text, all four fields."""
        return write_cfen(Fields(self.board, self.side, self.capturing, self.spare))

    # Counting dice

    def dice(self, side: int) -> dict[int, int]:
        """The cells and the values of a side's dice on the board, by cell."""
        sign = 1 if side == RED else -1
        return {cell: abs(die) for cell, die in enumerate(self.board) if die * sign > 0}

    def lacking(self, side: int) -> int:
        """The pips a side shows less than its total (R5, R9)."""
        return self.rules.total - sum(self.dice(side).values())

    def has_lost_by_dice(self, side: int) -> bool:
        """Whether a side can no longer show its total (R11)."""
        return MAX_VALUE * len(self.dice(side)) < self.rules.total

    @property
    def pips_due(self) -> int:
        """The pips that the side to act lacks (R9); a side that has lost keeps them due (R11)."""
        return self.lacking(self.side)

    @property
    def winner(self) -> int | None:
        """The winner, for want of dice or of a decision of the other side (R11)."""
        for side in (RED, BLUE):
            if self.has_lost_by_dice(side):
                return 1 - side
        return None if self.decisions() else 1 - self.side

    # Decisions

    def legal(self) -> list[str]:
        """The texts of all legal decisions in the canonical order; none in a won game (R11)."""
        return [decision.text for decision in self.decisions()]

    def apply(self, text: str) -> RefPosition:
        """The position after a decision; ValueError if the decision is not legal."""
        return self.find(text).after

    def find(self, text: str) -> Decision:
        """The legal decision of this text; ValueError if there is none."""
        for decision in self.decisions():
            if decision.text == text:
                return decision
        raise ValueError(f"{text!r} is not legal in {self.cfen!r}")

    def decisions(self) -> list[Decision]:
        """All legal decisions in the canonical order.

        That is: distributions by cell; or, in a series, its captures by direction, then stop; or
        moves by cell and direction, then exchanges by first cell, second cell and new value.
        """
        if self.has_lost_by_dice(RED) or self.has_lost_by_dice(BLUE):
            return []
        if self.capturing is not None:
            stop = Decision("stop", replace(self, side=1 - self.side, capturing=None))
            return [*self.captures_from(self.capturing), stop]
        if self.pips_due > 0:
            return self.distributions()
        return self.moves() + self.exchanges()

    def distributions(self) -> list[Decision]:
        """The dice that may be raised now (R9, or R12 with ``handout`` any)."""
        own = self.dice(self.side)
        found = []
        for cell, value in own.items():
            may_rise = value < MAX_VALUE
            if self.rules.handout == "lowest":
                may_rise = may_rise and value == min(own.values())
            if may_rise:
                raised = value + min(self.pips_due, MAX_VALUE - value)
                after = replace(self, board=self.board_with({cell: raised}))
                found.append(Decision(f"+{cell_name(cell)}", after))
        return found

    def moves(self) -> list[Decision]:
        """All legal moves (R6 to R8)."""
        return [move for cell in self.dice(self.side) for move in self.moves_from(cell)]

    def moves_from(self, origin: int) -> list[Decision]:
        """The legal moves of one die."""
        found = []
        for direction in DIRECTIONS:
            try:
                move = play_move(
                    self.board_dict(), origin, direction, self.spare[self.side], self.rules
                )
            except IllegalMoveError:
                continue
            text = f"{cell_name(origin)}{direction}"
            found.append(Decision(text, self.after_move(move), move))
        return found

    def captures_from(self, origin: int) -> list[Decision]:
        """The direct captures of one die, which go on a series (R12 chain)."""
        return [
            decision
            for decision in self.moves_from(origin)
            if decision.move is not None and decision.move.direct_capture is not None
        ]

    def can_capture_directly(self, cell: int) -> bool:
        """Whether the die of the side to act that stands on the cell can capture (R12 chain)."""
        for direction in DIRECTIONS:
            try:
                last = Move(self.rules, self.board_dict()).walk(cell, direction)
            except IllegalMoveError:
                continue
            target = self.board[last.cell]
            if target != 0 and is_enemy(target, self.board[cell]):
                return True
        return False

    def after_move(self, move: Move) -> RefPosition:
        """The position after a move: spare dice (R8, R9) and whose turn it is (R12 chain)."""
        spare = list(self.spare)
        if move.split:
            spare[self.side] -= 1
        if self.rules.recycle:
            spare[1 - self.side] += len(move.captured)
        board = tuple(move.board.get(cell, 0) for cell in range(CELLS))
        same_side = replace(self, board=board, capturing=None, spare=(spare[RED], spare[BLUE]))
        if (
            self.rules.chain
            and move.direct_capture is not None
            and not same_side.has_lost_by_dice(1 - self.side)
            and same_side.can_capture_directly(move.direct_capture)
        ):
            return replace(same_side, capturing=move.direct_capture)
        return replace(same_side, side=1 - self.side)

    def exchanges(self) -> list[Decision]:
        """All legal exchanges (R10)."""
        own = self.dice(self.side)
        found = []
        for first in own:
            for second in sorted(neighbours(first, self.rules)):
                if second not in own or second < first:
                    continue
                both = own[first] + own[second]
                for value in range(1, MAX_VALUE + 1):
                    rest = both - value
                    if value == own[first] or not 1 <= rest <= MAX_VALUE:
                        continue
                    text = f"{cell_name(first)}={value},{cell_name(second)}={rest}"
                    board = self.board_with({first: value, second: rest})
                    found.append(Decision(text, replace(self, board=board, side=1 - self.side)))
        return found

    def board_dict(self) -> Board:
        """The board as a dictionary of the dice that stand on it."""
        return {cell: die for cell, die in enumerate(self.board) if die != 0}

    def board_with(self, values: dict[int, int]) -> tuple[int, ...]:
        """The board with new values of dice of the side to act."""
        sign = 1 if self.side == RED else -1
        return tuple(
            sign * values[cell] if cell in values else die for cell, die in enumerate(self.board)
        )

    # Validity

    def faults(self) -> list[str]:
        """Every reason why the position is invalid (R13); none if it is valid."""
        if len(self.board) != CELLS:
            return [f"board has {len(self.board)} cells, expected {CELLS}"]
        found = []
        if self.board[CHAMBER] != 0:
            found.append("die on the chamber e5")
        for cell, die in enumerate(self.board):
            if abs(die) > MAX_VALUE:
                found.append(f"die at {cell_name(cell)} has value {abs(die)}, expected 1 to 6")
        for side in (RED, BLUE):
            found.extend(self.pip_faults(side))
            found.extend(self.spare_faults(side))
        if self.capturing is not None:
            found.extend(self.series_faults(self.capturing))
        return found

    def pip_faults(self, side: int) -> list[str]:
        """Faults of the pips that a side shows, series of captures apart."""
        lacking = self.lacking(side)
        shown = f"{SIDE_NAMES[side]} shows {self.rules.total - lacking} pips"
        if lacking < 0:
            return [f"{shown}, more than its total {self.rules.total}"]
        if lacking > 0 and side != self.side and self.capturing is None:
            return [f"{shown}, not its total {self.rules.total}, though it is not to act"]
        return []

    def spare_faults(self, side: int) -> list[str]:
        """Faults of a side's spare dice."""
        name, spare, rules = SIDE_NAMES[side], self.spare[side], self.rules
        dice = spare + len(self.dice(side))
        found = []
        if spare < 0:
            found.append(f"{name} has {spare} spare dice")
        if rules.recycle and dice != rules.dice:
            found.append(f"{name} has {dice} dice with its spare ones, expected {rules.dice}")
        if not rules.recycle and dice > rules.dice:
            found.append(f"{name} has {dice} dice with its spare ones, at most {rules.dice}")
        if not rules.recycle and spare > rules.reserve:
            found.append(f"{name} has {spare} spare dice, at most {rules.reserve}")
        return found

    def series_faults(self, cell: int) -> list[str]:
        """Faults of a series of captures by the die on this cell (R12 chain)."""
        other = 1 - self.side
        found = []
        if not self.rules.chain:
            found.append("a capturing die, but the rules have no series of captures")
        if cell not in self.dice(self.side):
            found.append(f"no die of {SIDE_NAMES[self.side]} on {cell_name(cell)} to capture with")
        elif not self.can_capture_directly(cell):
            found.append(f"the capturing die on {cell_name(cell)} cannot capture")
        if self.lacking(self.side) > 0:
            found.append(f"{SIDE_NAMES[self.side]} lacks pips in its series of captures")
        if self.lacking(other) == 0:
            found.append(f"{SIDE_NAMES[other]} lacks no pips after a capture")
        if self.has_lost_by_dice(other):
            found.append(f"{SIDE_NAMES[other]} has lost, so no series goes on")
        return found

    # Symmetry

    def half_turn(self) -> RefPosition:
        """The board turned by 180 degrees, colours and side to act swapped.

        The game is symmetric under it only with ``wrap``: rows b, d, f, h stand half a cell off,
        so turning the board about the chamber takes their column 1 across the seam.

        Raises:
            ValueError: The rules are without ``wrap``.
        """
        if not self.rules.wrap:
            raise ValueError("without wrap the half-turn is no symmetry of the board")
        board = [0] * CELLS
        for cell, die in enumerate(self.board):
            board[half_turn_cell(cell)] = -die
        capturing = None if self.capturing is None else half_turn_cell(self.capturing)
        red, blue = self.spare
        return RefPosition(self.rules, tuple(board), 1 - self.side, capturing, (blue, red))


def half_turn_decision(text: str) -> str:
    """The text of the same decision after ``RefPosition.half_turn``."""

    def turned(name: str) -> str:
        return cell_name(half_turn_cell(CELL_BY_NAME[name]))

    if text == "stop":
        return text
    if text.startswith("+"):
        return f"+{turned(text[1:])}"
    if "=" in text:
        parts = [(turned(part[:2]), part[2:]) for part in text.split(",")]
        parts.sort(key=lambda part: CELL_BY_NAME[part[0]])
        return ",".join(name + value for name, value in parts)
    return turned(text[:2]) + OPPOSITE[text[2:]]


def perft(position: RefPosition, depth: int, unit: str) -> int:
    """The number of sequences of ``depth`` decisions, or turns, from a position.

    A game that has ended adds nothing at greater depth; repetition is ignored; from the middle of
    a turn its rest counts as one turn.

    Args:
        position: Where to start.
        depth: How many decisions or turns, from 0.
        unit: ``decision`` or ``turn``.

    Raises:
        ValueError: The unit is another one.
    """
    if unit not in ("decision", "turn"):
        raise ValueError(f"unit is {unit!r}, expected decision or turn")
    if depth == 0:
        return 1
    count = 0
    for decision in position.decisions():
        same_turn = unit == "turn" and decision.after.side == position.side
        count += perft(decision.after, depth if same_turn else depth - 1, unit)
    return count


def events(position: RefPosition, text: str) -> dict[str, int]:
    """What happens in one decision; ValueError if it is not legal.

    ``double``, ``split``, ``refused``, ``whole_exit``, ``exchange`` and ``distribution`` are bools,
    the rest counts. Ricochets and wraps are those of all dice that move.
    """
    move = position.find(text).move
    if move is None:
        move = Move(position.rules, {})
    return {
        "captures": len(move.captured),
        "double": len(move.captured) == 2,
        "split": move.split,
        "refused": move.refused,
        "whole_exit": move.whole_exit,
        "bumps": sum(move.chains),
        "longest_chain": max(move.chains, default=0),
        "exchange": "=" in text,
        "distribution": text.startswith("+"),
        "ricochets": move.ricochets,
        "wraps": move.wraps,
    }
