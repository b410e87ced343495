"""A game: a first position and the decisions made since, with repetition and outcome.

A :class:`~chase_fast.Position` knows what the rules say about one moment; this module adds
what only a history can tell: repetition (R11, R12), turns, and taking back.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

from chase_fast._arguments import elements, instance, shown
from chase_fast._core import RED, Move, Position, Rules, Side, move_of
from chase_fast.errors import ArgumentError, GameOverError

if TYPE_CHECKING:
    from chase_fast.record import Record

TERMINATIONS = (
    "dice",
    "no_decision",
    "repetition",
    "turn_limit",
    "illegal",
    "crash",
    "time",
    "aborted",
)
"""How a game can end, in the order of its codes 1 to 8: by the rules (the first three), by the
limit a match sets, by a player's fault (the next three), or not at all (``aborted``: the game
does not count)."""

DECISIONS = "decisions one by one, such as 'a5NE i5SE'.split()"
"""What is expected where a single text was given for several decisions."""

RULE_TERMINATIONS = frozenset(TERMINATIONS[:3])
"""Ends that follow from the rules (R11, R12); the others are a referee's decision."""

_DECISIVE = frozenset({"dice", "no_decision", "illegal", "crash", "time"})

# R12, repetition = moves: the last 12 turns are three times the same 4-turn sequence.
_SEQUENCE_TURNS = 4
_SEQUENCE_TIMES = 3

_THREEFOLD = 3


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended.

    Attributes:
        winner: The side that won, or None (drawn, or aborted); red is 0, so compare it with
            ``is not None``.
        termination: One of :data:`TERMINATIONS`.

    Raises:
        ArgumentError: For a termination that does not exist or does not go with the winner:
            ``dice``, ``no_decision``, ``illegal``, ``crash`` and ``time`` have a winner,
            ``repetition``, ``turn_limit`` and ``aborted`` have none.
    """

    winner: Side | None
    termination: str

    def __post_init__(self) -> None:
        if not _is_termination(self.termination):
            raise ArgumentError(
                f"unknown termination {shown(self.termination)}, expected {', '.join(TERMINATIONS)}"
            )
        if self.winner is not None:
            instance(self.winner, "winner", Side, "RED, BLUE or None")
        if (self.winner is not None) != (self.termination in _DECISIVE):
            needs = "needs a winner" if self.termination in _DECISIVE else "has no winner"
            raise ArgumentError(f"an end by {self.termination} {needs}, got {shown(self.winner)}")

    @property
    def result(self) -> str:
        """``1-0`` red won, ``0-1`` blue won, ``1/2-1/2`` drawn, ``*`` aborted."""
        if self.winner is not None:
            return "1-0" if self.winner == RED else "0-1"
        return "*" if self.termination == "aborted" else "1/2-1/2"


def _is_termination(word: object) -> bool:
    return isinstance(word, str) and word in TERMINATIONS


class Game:
    """A game in progress or finished; decisions are pushed and popped.

    Args:
        start: First position; by default the start of ``rules`` (R5).
        rules: Rules to start under, standard by default. A position has its rules already,
            so only one of the two is needed; if both are given they must agree.

    Raises:
        ArgumentError: If ``start`` is no position, or one under other rules than ``rules``.

    >>> game = Game()
    >>> str(game.push("a1=2,a2=1"))
    'a1=2,a2=1'
    >>> game.position.side_to_act.name
    'BLUE'
    >>> str(game.pop())
    'a1=2,a2=1'
    """

    __slots__ = (
        "_counts",
        "_drawn",
        "_moves",
        "_positions",
        "_repetition",
        "_turn_ended",
        "_turn_starts",
    )

    def __init__(self, start: Position | None = None, rules: Rules | None = None) -> None:
        if rules is not None:
            instance(rules, "rules", Rules, "Rules or None; Rules.parse reads text")
        if start is None:
            start = Position.start(rules)
        instance(start, "start", Position, "a Position or None; Position.parse reads text")
        if rules is not None and rules != start.rules:
            raise ArgumentError(
                f"the first position is under the rules {start.rules}, not {rules}; leave rules out"
            )
        self._positions: list[Position] = [start]
        self._moves: list[Move] = []
        # Index of the first decision of each turn.
        self._turn_starts: list[int] = []
        self._turn_ended = True
        self._repetition = start.rules.repetition
        self._drawn = False
        # A dict compares positions with ==, so that equal hashes alone never make a repetition.
        self._counts: dict[Position, int] = {start: 1}

    @classmethod
    def from_moves(
        cls,
        moves: Iterable[Move | str],
        *,
        start: Position | None = None,
        rules: Rules | None = None,
    ) -> Self:
        """The game in which these decisions were made one after the other.

        Args:
            moves: The decisions, each a `Move` or its text. One text for all of them is refused;
                ``"a5NE i5SE".split()`` makes a list of it.
            start: As for the constructor, like ``rules``.
            rules: Rules to start under.

        Raises:
            ArgumentError: If ``moves`` is a single text or nothing that can be iterated over.
            NotationError: If a text is not a decision.
            IllegalMoveError: If a decision is not legal at its place; GameOverError after the end.
        """
        game = cls(start, rules)
        for move in elements(moves, "moves", DECISIONS):
            game.push(move)
        return game

    def push(self, move: Move | str) -> Move:
        """Make a decision, given as a `Move` or as text, and return it.

        Raises:
            NotationError: If it is neither, or a text that is not a decision.
            IllegalMoveError: If it is not legal here, with the reason; the game stays as it was.
            GameOverError: If the game has ended (R11).
        """
        move = move_of(move)
        if self._drawn:
            raise GameOverError(f"{move} comes after the game was drawn by repetition (R11, R12)")
        before = self._positions[-1]
        after = before.apply(move)
        if self._turn_ended:
            self._turn_starts.append(len(self._moves))
        self._turn_ended = after.side_to_act != before.side_to_act
        self._moves.append(move)
        self._positions.append(after)
        count = self._counts.get(after, 0) + 1
        self._counts[after] = count
        if self._repetition == "threefold":
            self._drawn = count >= _THREEFOLD
        elif self._repetition == "moves":
            self._drawn = self._moves_repeat()
        return move

    def pop(self) -> Move:
        """Take the last decision back and return it.

        Raises:
            ArgumentError: If no decision has been made.
        """
        if not self._moves:
            raise ArgumentError("no decision to take back: the game is at its first position")
        move = self._moves.pop()
        self._turn_ended = self._turn_starts[-1] == len(self._moves)
        if self._turn_ended:
            self._turn_starts.pop()
        last = self._positions.pop()
        self._counts[last] -= 1
        if not self._counts[last]:
            del self._counts[last]
        # It was no end of the game, or the decision would not have been taken.
        self._drawn = False
        return move

    @property
    def start(self) -> Position:
        """The first position."""
        return self._positions[0]

    @property
    def position(self) -> Position:
        """The position now."""
        return self._positions[-1]

    @property
    def rules(self) -> Rules:
        """The rules the game is played under."""
        return self._positions[0].rules

    @property
    def moves(self) -> tuple[Move, ...]:
        """All decisions so far."""
        return tuple(self._moves)

    @property
    def positions(self) -> tuple[Position, ...]:
        """All positions so far: the first one, and one after each decision."""
        return tuple(self._positions)

    @property
    def turns(self) -> tuple[tuple[Move, ...], ...]:
        """The decisions grouped into turns; the last turn may be unfinished."""
        bounds = (*self._turn_starts, len(self._moves))
        return tuple(tuple(self._moves[begin:end]) for begin, end in pairwise(bounds))

    @property
    def turn_count(self) -> int:
        """Number of turns so far, an unfinished one included."""
        return len(self._turn_starts)

    @property
    def turn_ended(self) -> bool:
        """Whether the next decision begins a turn (also true at the first position)."""
        return self._turn_ended

    @property
    def legal_moves(self) -> Sequence[Move]:
        """The decisions that :meth:`push` takes; empty when the game is over, drawn included."""
        return () if self._drawn else self._positions[-1].legal_moves

    @property
    def repetition_count(self) -> int:
        """How often the position now has occurred in this game, 1 or more (R11)."""
        return self._counts[self._positions[-1]]

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended by the rules (R11, R12), or None while it goes on."""
        position = self._positions[-1]
        winner = position.winner
        if winner is not None:
            return Outcome(winner, str(position.termination))
        return Outcome(None, "repetition") if self._drawn else None

    def _moves_repeat(self) -> bool:
        """R12, repetition = moves. Only the end of a turn can bring it about."""
        turns = _SEQUENCE_TURNS * _SEQUENCE_TIMES
        if len(self._turn_starts) < turns or not self._turn_ended:
            return False
        starts = [*self._turn_starts[-turns:], len(self._moves)]
        sequences = [
            [
                self._moves[starts[turn] : starts[turn + 1]]
                for turn in range(first, first + _SEQUENCE_TURNS)
            ]
            for first in range(0, turns, _SEQUENCE_TURNS)
        ]
        return all(sequence == sequences[0] for sequence in sequences)

    def copy(self) -> Self:
        """An independent copy; positions and decisions are shared, being immutable."""
        other = object.__new__(type(self))
        other._positions = self._positions.copy()
        other._moves = self._moves.copy()
        other._turn_starts = self._turn_starts.copy()
        other._turn_ended = self._turn_ended
        other._repetition = self._repetition
        other._drawn = self._drawn
        other._counts = self._counts.copy()
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def __eq__(self, other: object) -> bool:
        """Same rules, first position and decisions."""
        if not isinstance(other, Game):
            return NotImplemented
        return (
            self.rules == other.rules
            and self._positions[0] == other._positions[0]
            and self._moves == other._moves
        )

    __hash__ = None  # type: ignore[assignment]  # a game changes

    def __reduce__(self) -> tuple[Any, ...]:
        return _replay, (self._positions[0], tuple(self._moves))

    def __repr__(self) -> str:
        start = self._positions[0]
        where = []
        if start != Position.start(start.rules):
            where.append(f"start={start!r}")
        elif start.rules != Rules():
            where.append(f"rules={start.rules!r}")
        if not self._moves:
            return f"Game({', '.join(where)})"
        moves = repr([str(move) for move in self._moves])
        return f"Game.from_moves({', '.join((moves, *where))})"

    def _repr_svg_(self) -> str:
        # Pictures are a later layer; imported here so that a game costs no more than the core.
        from chase_fast.svg import game_svg

        return game_svg(self)

    def to_record(
        self,
        *,
        red: str = "?",
        blue: str = "?",
        date: dt.date | None = None,
        outcome: Outcome | None = None,
        tags: Mapping[str, str] | Iterable[tuple[str, str]] = (),
        comment: str = "",
        comments: Sequence[str] = (),
    ) -> Record:
        """This game as a record; the fields are those of :meth:`Record.from_game`.

        Args:
            red: Name of the player of the red dice.
            blue: Name of the player of the blue dice.
            date: Day the game was played.
            outcome: How the game ended if the rules do not tell (lost on time, aborted, ...).
            tags: Further tags, a mapping or pairs of name and value.
            comment: What is said before the first turn.
            comments: What is said after each turn.

        Raises:
            RecordError: If ``outcome`` contradicts the rules, there are more comments than turns,
                or a text is not allowed.
        """
        # Records are built on games, not the other way round.
        from chase_fast.record import Record

        return Record.from_game(
            self,
            red=red,
            blue=blue,
            date=date,
            outcome=outcome,
            tags=tags,
            comment=comment,
            comments=comments,
        )


def _replay(start: Position, moves: tuple[Move, ...]) -> Game:
    """Rebuild a pickled game."""
    return Game.from_moves(moves, start=start)
