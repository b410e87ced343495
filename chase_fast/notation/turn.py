"""A whole turn on one line in our own notation, and what all notations share.

Grammar (decisions as in docs/rules.md; exactly one space between two of them)::

    turn         = decision *( " " decision )
    decision     = distribution / move / exchange / "stop"
    distribution = "+" cell
    move         = cell direction
    exchange     = cell "=" value "," cell "=" value
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from chase_fast._arguments import elements, instance, shown
from chase_fast._core import Kind, Move, Position, cell_name, move_at, move_of
from chase_fast.errors import (
    AmbiguousNotationError,
    GameOverError,
    IllegalMoveError,
    NotationError,
)
from chase_fast.game import DECISIONS

MAX_TURN_TEXT = 1000
"""Longest turn text that is looked at, in characters. A turn has at most 52 decisions (two for
each of 25 dice, and two more), of at most 9 characters and a separator."""


def read_turn(position: Position, text: str) -> list[Move]:
    """The decisions of a whole turn written as ``+d6 +e4 e4SW``.

    Args:
        position: Where the turn begins; may lie in the middle of a turn, then its rest is read.
        text: The decisions, single spaces between them, none before or after.

    Raises:
        NotationError: If the text is not a turn, is not finished, or goes on after its end;
            ``offset`` is the first faulty character of the whole text.
        IllegalMoveError: If a decision is not legal at its place, with the reason.
        GameOverError: If the game is over in ``position``.
        ArgumentError: If ``position`` is none.
    """
    check_length(text)
    walk = TurnWalk(position)
    for begin, end in decision_places(text):
        walk.play(move_at(text, begin, end), begin)
    return walk.finish(len(text))


def decision_places(text: str) -> Iterator[tuple[int, int]]:
    """Where each decision of a turn stands in the text: its first character, and the one after it.

    Raises:
        NotationError: At a space that does not stand alone between two decisions.
    """
    begin = 0
    for token in text.split(" "):
        if text and not token:
            raise _needless_space(text, begin)
        yield begin, begin + len(token)
        begin += len(token) + 1


def _needless_space(text: str, begin: int) -> NotationError:
    """The refusal of a space, where a decision should begin."""
    last = len(text.rstrip(" "))
    if not begin:
        place, where = 0, "before the first decision"
    elif begin >= last:
        place, where = last, "after the last decision"
    else:
        place, where = begin, "too many before the next decision"
    return NotationError(
        f"a space at offset {place} {where}, expected exactly one between two decisions", place
    )


def write_turn(position: Position, moves: Iterable[Move | str]) -> str:
    """A whole turn on one line; :func:`read_turn` gives the same decisions back.

    Raises:
        NotationError: If a text is not a decision, or the decisions are not one whole turn.
        IllegalMoveError: If a decision is not legal at its place, with the reason.
        ArgumentError: If ``position`` is none, or ``moves`` a single text.
    """
    return " ".join(str(move) for move, _ in whole_turn(position, moves))


class TurnWalk:
    """Plays the decisions of one turn and refuses what is not exactly one turn."""

    def __init__(self, position: Position) -> None:
        instance(position, "position", Position, "a Position")
        if position.winner is not None:
            raise GameOverError(
                f"the game is over ({position.winner.name.lower()} has won, R11): no turn to come"
            )
        self.position = position
        self.moves: list[Move] = []
        self._side = position.side_to_act

    @property
    def ended(self) -> bool:
        """Whether the other side has to act, or the game is over."""
        return self.position.side_to_act != self._side or self.position.winner is not None

    def require_open(self, text: str, offset: int | None) -> None:
        """Refuse ``text``, which begins at ``offset``, if the turn has ended before it."""
        if self.ended:
            raise NotationError(f"the turn has ended before {text}; expected one turn", offset)

    def play(self, move: Move, offset: int | None = None) -> None:
        """Play one more decision; ``offset`` is where its text begins."""
        self.require_open(str(move), offset)
        try:
            self.position = self.position.apply(move)
        except IllegalMoveError as error:
            number = len(self.moves) + 1
            raise IllegalMoveError(f"decision {number} of the turn, {move}: {error}") from error
        self.moves.append(move)

    def finish(self, offset: int | None = None) -> list[Move]:
        """The decisions, once the turn is complete; ``offset`` is the end of the text."""
        if not self.ended:
            due = self.position.pips_due
            if due:
                missing = f"{due} pips are still due (R9)"
            elif self.position.capturing is not None:
                missing = "a further capture or stop is missing (R12, chain)"
            else:
                missing = "a move or an exchange is missing"
            raise NotationError(f"the turn is not complete: {missing}", offset)
        return self.moves


def whole_turn(position: Position, moves: Iterable[Move | str]) -> list[tuple[Move, Position]]:
    """Each decision of exactly one turn with the position it is made in."""
    walk = TurnWalk(position)
    places = []
    for item in elements(moves, "moves", DECISIONS):
        move = move_of(item)
        places.append((move, walk.position))
        walk.play(move)
    walk.finish()
    return places


def check_length(text: object) -> None:
    """Refuse what is no text, or longer than any turn, before looking into it."""
    if not isinstance(text, str):
        raise NotationError(f"the text of a turn is {shown(text)}, expected a str")
    if len(text) > MAX_TURN_TEXT:
        raise NotationError(
            f"text of {len(text)} characters, a turn has at most {MAX_TURN_TEXT}", MAX_TURN_TEXT
        )


def landing(position: Position, move: Move) -> tuple[int, bool]:
    """Cell on which the die of a legal move lands, and whether it takes an enemy die there.

    A die that ends on the chamber lands on e5; what it then takes at an exit is not counted.
    """
    last = [step for step in position.trace(move) if step.kind == "ray"][-1]
    return last.target, bool(last.captured)


def moves_between(position: Position, origin: int, target: int) -> list[Move]:
    """The legal moves of the die on ``origin`` that land on ``target``, in canonical order."""
    return [
        move
        for move in position.legal_moves
        if move.kind == Kind.MOVE and move.cell == origin and landing(position, move)[0] == target
    ]


def only_move(position: Position, origin: int, target: int, offset: int | None) -> Move:
    """The one legal move from ``origin`` to ``target``, for texts without a direction.

    Raises:
        IllegalMoveError: If there is none.
        AmbiguousNotationError: If there are several (R6: two paths can lead to one cell).
    """
    candidates = moves_between(position, origin, target)
    if not candidates:
        raise IllegalMoveError(no_move(position, origin, target))
    if len(candidates) > 1:
        names = tuple(str(move) for move in candidates)
        raise AmbiguousNotationError(
            f"{cell_name(origin)} to {cell_name(target)} fits {len(names)} moves: "
            f"{', '.join(names)}; say which by its first direction",
            names,
            offset,
        )
    return candidates[0]


def no_move(position: Position, origin: int, target: int) -> str:
    """Why no die moves from ``origin`` to ``target``."""
    value = position.value_at(origin)
    own = value > 0 if position.side_to_act == 0 else value < 0
    if not own:
        side = position.side_to_act.name.lower()
        return f"no {side} die on {cell_name(origin)}, and it is {side}'s turn (R6)"
    if position.pips_due:
        return f"{position.pips_due} pips are due and come before a move (R9)"
    cells = sorted(
        {
            landing(position, move)[0]
            for move in position.legal_moves
            if move.kind == Kind.MOVE and move.cell == origin
        }
    )
    reach = ", ".join(cell_name(cell) for cell in cells) or "no cell"
    return (
        f"the die on {cell_name(origin)} (value {abs(value)}) has no legal move to"
        f" {cell_name(target)}; it reaches {reach} (R6)"
    )
