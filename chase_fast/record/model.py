"""One game as plain data."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from chase_fast._arguments import elements, instance, shown
from chase_fast._core import BLUE, RED, Move, Position, Rules
from chase_fast.errors import ArgumentError, RecordError
from chase_fast.game import DECISIONS, RULE_TERMINATIONS, TERMINATIONS, Game, Outcome

UNKNOWN = "?"
"""Name of a player nobody knows."""

OWN_TAGS = ("Red", "Blue", "Date", "Rules", "Start", "Result", "Termination")
"""Tags that are fields of a record, in the order in which they are written."""

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
"""Red won, blue won, drawn, unfinished or aborted."""

_WINNERS = {"1-0": RED, "0-1": BLUE}
_TAG_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_OWN = {name.lower(): name for name in OWN_TAGS}


@dataclass(frozen=True)
class Record:
    """A game with what is known about it.

    A record is checked when it is read, written or turned into a game: every decision is legal
    where it stands, and the outcome agrees with the rules. Records compare by value, hash and
    pickle.

    Attributes:
        start: The first position; it carries the rules.
        moves: All decisions.
        outcome: How the game ended, or None for one that goes on (result ``*``).
        red: Name of the player of the red dice.
        blue: Name of the player of the blue dice.
        date: Day the game was played, or None.
        tags: Further tags as (name, value), in order. A name is a letter followed by at most 63
            letters, digits or ``_``; two names that differ in case only count as the same one.
        comment: What is said before the first turn.
        comments: ``comments[n]`` is what is said after turn ``n`` (from 0), "" where nothing is;
            may be shorter than the number of turns.

    Raises:
        RecordError: For a field of another type, a tag name that is not allowed or occurs twice,
            or text that is not Unicode (a lone surrogate).
    """

    start: Position
    moves: tuple[Move, ...] = ()
    outcome: Outcome | None = None
    red: str = UNKNOWN
    blue: str = UNKNOWN
    date: dt.date | None = None
    tags: tuple[tuple[str, str], ...] = ()
    comment: str = ""
    comments: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        instance(self.start, "start", Position, "a Position", RecordError)
        moves = tuple(elements(self.moves, "moves", DECISIONS, RecordError))
        for number, move in enumerate(moves, 1):
            instance(move, f"decision {number}", Move, "a Move", RecordError)
        if self.outcome is not None:
            instance(self.outcome, "outcome", Outcome, "an Outcome or None", RecordError)
        if self.date is not None:
            instance(self.date, "date", dt.date, "a datetime.date or None", RecordError)
        if isinstance(self.date, dt.datetime):
            raise RecordError(f"date is {self.date}, expected a day without a time")
        comments = list(elements(self.comments, "comments", "a text for each turn", RecordError))
        while comments and type(comments[-1]) is str and not comments[-1]:
            comments.pop()
        # So that records that say the same are equal.
        object.__setattr__(self, "moves", moves)
        object.__setattr__(self, "tags", _pairs(self.tags))
        object.__setattr__(self, "comments", tuple(comments))
        seen = set(_OWN)
        for name, value in self.tags:
            check_tag_name(name)
            if name.lower() in _OWN:
                raise RecordError(f"tag {name}: {_OWN[name.lower()]} is a field of its own")
            if name.lower() in seen:
                raise RecordError(f"tag {name} occurs twice")
            seen.add(name.lower())
            _check_text(f"tag {name}", value)
        for what, text in (("Red", self.red), ("Blue", self.blue), ("comment", self.comment)):
            _check_text(what, text)
        for number, text in enumerate(self.comments, 1):
            _check_text(f"comment of turn {number}", text)

    @classmethod
    def from_game(
        cls,
        game: Game,
        *,
        red: str = UNKNOWN,
        blue: str = UNKNOWN,
        date: dt.date | None = None,
        outcome: Outcome | None = None,
        tags: Mapping[str, str] | Iterable[tuple[str, str]] = (),
        comment: str = "",
        comments: Sequence[str] = (),
    ) -> Self:
        """The record of a game.

        Args:
            game: The game; its rules, first position and decisions are taken over.
            red: Name of the player of the red dice.
            blue: Name of the player of the blue dice.
            date: Day the game was played.
            outcome: How it ended if the rules do not tell: by ``turn_limit``, ``illegal``,
                ``crash``, ``time`` or ``aborted``.
            tags: Further tags, a mapping or pairs of name and value.
            comment: What is said before the first turn.
            comments: What is said after each turn.

        Raises:
            RecordError: If ``outcome`` contradicts the rules, there are more comments than turns,
                or a field is not allowed.
            ArgumentError: If ``game`` is none.
        """
        instance(game, "game", Game, "a Game")
        record = cls(
            start=game.start,
            moves=game.moves,
            outcome=game.outcome if outcome is None else outcome,
            red=red,
            blue=blue,
            date=date,
            tags=_pairs(tags),
            comment=comment,
            comments=tuple(elements(comments, "comments", "a text for each turn", RecordError)),
        )
        record.check(game)
        return record

    def to_game(self) -> Game:
        """The game, played through from its first position.

        Raises:
            IllegalMoveError: If a decision is not legal at its place.
            RecordError: If the outcome contradicts the rules, or there are more comments than
                turns.
        """
        game = Game.from_moves(self.moves, start=self.start)
        self.check(game)
        return game

    def check(self, game: Game) -> None:
        """Refuse an outcome or comments that ``game``, the game of this record, contradicts.

        Raises:
            RecordError: With what is wrong.
            ArgumentError: If ``game`` is none.
        """
        instance(game, "game", Game, "a Game")
        check_outcome(game, self.outcome)
        if len(self.comments) > game.turn_count:
            raise RecordError(
                f"comments on {len(self.comments)} turns of a game of {game.turn_count}"
            )

    @property
    def rules(self) -> Rules:
        """The rules the game is played under."""
        return self.start.rules

    @property
    def result(self) -> str:
        """``1-0`` red won, ``0-1`` blue won, ``1/2-1/2`` drawn, ``*`` unfinished or aborted."""
        return "*" if self.outcome is None else self.outcome.result

    @property
    def headers(self) -> dict[str, str]:
        """All tags as they are written, our own ones first; what says nothing is left out."""
        headers = {"Red": self.red, "Blue": self.blue}
        if self.date is not None:
            headers["Date"] = self.date.isoformat()
        headers["Rules"] = str(self.rules)
        if self.start != Position.start(self.rules):
            headers["Start"] = self.start.cfen
        headers["Result"] = self.result
        if self.outcome is not None:
            headers["Termination"] = self.outcome.termination
        headers.update(self.tags)
        return headers

    def to_text(self) -> str:
        """The record in the text format, ending in a line feed.

        Raises:
            IllegalMoveError: If a decision is not legal at its place.
            RecordError: If the record is wrong in itself or too long (``MAX_LINE``,
                ``MAX_RECORD``).
        """
        from chase_fast.record.text import format_text

        return format_text(self)

    @classmethod
    def from_text(cls, text: str) -> Record:
        """The one record in ``text``.

        Raises:
            RecordError: If it is not exactly one sound record; ``line`` counts within ``text``.
        """
        from chase_fast.record.stream import read_one

        return read_one(text, "text")

    def to_json(self) -> str:
        """The record as one line of JSON, without its line feed.

        Raises:
            IllegalMoveError: If a decision is not legal at its place.
            RecordError: If the record is wrong in itself or too long (``MAX_RECORD``).
        """
        from chase_fast.record.jsonl import format_json

        return format_json(self)

    @classmethod
    def from_json(cls, text: str) -> Record:
        """The record in one line of JSON.

        Raises:
            RecordError: If it is not one sound record.
        """
        from chase_fast.record.stream import read_one

        return read_one(text, "json")


def check_tag_name(name: object) -> None:
    """Refuse what cannot be the name of a tag.

    Raises:
        RecordError: With what is allowed.
    """
    if not isinstance(name, str) or not _TAG_NAME.fullmatch(name):
        raise RecordError(
            f"tag name {shown(name)}, expected a letter and at most 63 letters, digits or _"
        )


def shorten(text: str) -> str:
    """Text fit for an error message."""
    return text if len(text) <= 40 else f"{text[:37]}..."


def check_outcome(game: Game, claimed: Outcome | None) -> None:
    """Refuse an outcome that the rules contradict.

    Raises:
        RecordError: If the rules say otherwise, or deny an end that is claimed to follow from them.
    """
    ruled = game.outcome
    if ruled is not None:
        if claimed != ruled:
            raise RecordError(
                f"the record says {_words(claimed)}, but by the rules the game ended"
                f" {_words(ruled)} (R11, R12)"
            )
    elif claimed is not None and claimed.termination in RULE_TERMINATIONS:
        raise RecordError(
            f"the record says {_words(claimed)}, but by the rules the game goes on (R11, R12)"
        )


def outcome_of(game: Game, result: str, termination: str | None) -> Outcome | None:
    """The outcome that Result and Termination state.

    Without a termination, a finished game must have ended by the rules.

    Raises:
        RecordError: If the two do not go together or the rules say otherwise.
    """
    ruled = game.outcome
    if termination is None:
        stated = "*" if ruled is None else ruled.result
        if result != stated:
            by_rules = "goes on" if ruled is None else f"ended {_words(ruled)}"
            raise RecordError(
                f"Result is {result} without a Termination, but by the rules the game {by_rules}"
                " (R11, R12)"
            )
        return ruled
    if termination not in TERMINATIONS:
        raise RecordError(f"Termination {termination!r}, expected one of {', '.join(TERMINATIONS)}")
    try:
        outcome = Outcome(_WINNERS.get(result), termination)
    except ArgumentError as error:
        raise RecordError(f"Result {result} does not go with its Termination: {error}") from error
    if outcome.result != result:
        raise RecordError(
            f"Result {result} does not go with Termination {termination}, which means"
            f" {outcome.result}"
        )
    check_outcome(game, outcome)
    return outcome


def _words(outcome: Outcome | None) -> str:
    return "*" if outcome is None else f"{outcome.result} by {outcome.termination}"


def _pairs(tags: Mapping[str, str] | Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Tags as pairs of name and value, which are still to be checked."""
    expected = "a mapping, or pairs of name and value"
    given = tags.items() if isinstance(tags, Mapping) else tags
    return tuple(_pair(pair, expected) for pair in elements(given, "tags", expected, RecordError))


def _pair(pair: object, expected: str) -> tuple[Any, Any]:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise RecordError(f"one of the tags is {shown(pair)}, expected {expected}")
    return pair[0], pair[1]


def _check_text(what: str, text: object) -> None:
    if not isinstance(text, str):
        raise RecordError(f"{what} is {shown(text)}, expected text")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise RecordError(
            f"{what} is not Unicode text: lone surrogate {text[error.start]!r} at offset"
            f" {error.start}"
        ) from error
