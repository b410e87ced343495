"""What both record formats say about a game, checked once."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping

from chase_fast._core import Position, Rules
from chase_fast.errors import ChaseError, RecordError
from chase_fast.game import Game
from chase_fast.record.model import OWN_TAGS, RESULTS, Record, outcome_of, shorten

REQUIRED = ("Red", "Blue", "Rules", "Result")
"""Tags without which a record is refused."""

Fail = Callable[[str, str], RecordError]
"""Makes the error for a tag: called with its name and the reason."""

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def new_game(values: Mapping[str, str], fail: Fail) -> Game:
    """The game before its first decision, from the tags.

    Raises:
        RecordError: Made by ``fail``, if a tag is missing or says what is not allowed.
    """
    for name in REQUIRED:
        if name not in values:
            raise fail(name, f"{name} is missing; a record needs {', '.join(REQUIRED)}")
    if values["Result"] not in RESULTS:
        raise fail(
            "Result", f"Result {shorten(values['Result'])!r}, expected {' or '.join(RESULTS)}"
        )
    name = "Rules"
    try:
        rules = Rules.parse(values["Rules"])
        name = "Start"
        start = Position.parse(values["Start"], rules) if "Start" in values else None
    except ChaseError as error:
        raise fail(name, f"{name}: {error}") from error
    return Game(start, rules)


def new_record(
    game: Game, values: Mapping[str, str], comment: str, comments: Mapping[int, str], fail: Fail
) -> Record:
    """The record of a game that has been played through.

    Args:
        game: From :func:`new_game`, with all decisions pushed.
        values: All tags.
        comment: What is said before the first turn.
        comments: What is said after turn n, from 0.
        fail: Makes the error for a tag.

    Raises:
        RecordError: Made by ``fail``, if a tag says what is not allowed or the result contradicts
            the rules.
    """
    date = None
    if "Date" in values:
        try:
            if not _DATE.fullmatch(values["Date"]):
                raise ValueError("expected year-month-day as in 2025-01-31")
            date = dt.date.fromisoformat(values["Date"])
        except ValueError as error:
            raise fail("Date", f"Date {shorten(values['Date'])!r}: {error}") from error
    name = "Result"
    try:
        outcome = outcome_of(game, values["Result"], values.get("Termination"))
        name = "tags"
        return Record(
            start=game.start,
            moves=game.moves,
            outcome=outcome,
            red=values["Red"],
            blue=values["Blue"],
            date=date,
            tags=tuple(item for item in values.items() if item[0] not in OWN_TAGS),
            comment=comment,
            comments=tuple(comments.get(turn, "") for turn in range(max(comments, default=-1) + 1)),
        )
    except RecordError as error:
        raise fail(name, error.reason) from error
