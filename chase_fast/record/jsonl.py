"""The machine format of records: one JSON object a line.

Keys (``docs/notation.md`` has an example)::

    red, blue     names of the players                                          required
    rules         canonical text of the rules                                   required
    result        "1-0", "0-1", "1/2-1/2" or "*"                                required
    turns         one text a turn: its decisions, single spaces between them    required
    termination   how the game ended
    date          "2025-01-31"
    start         CFEN of the first position, if it is not the start of the rules
    tags          object of further tags, name to text
    comment       what is said before the first turn
    comments      object, turn number from "1" to what is said after that turn
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from chase_fast.errors import ChaseError, NotationError, RecordError
from chase_fast.game import Game
from chase_fast.notation.turn import check_length, decision_places
from chase_fast.record.fields import Fail, new_game, new_record
from chase_fast.record.lines import MAX_RECORD, Lines
from chase_fast.record.model import OWN_TAGS, Record, check_tag_name, shorten

_TAG_KEYS = {name.lower(): name for name in OWN_TAGS}
_KEYS = (*_TAG_KEYS, "tags", "comment", "comments", "turns")


def format_json(record: Record) -> str:
    """The record as one line of ASCII, without its line feed.

    Raises:
        IllegalMoveError: If a decision is not legal at its place.
        RecordError: If the record is wrong in itself or longer than readers accept.
    """
    game = record.to_game()
    own = len(record.headers) - len(record.tags)
    value: dict[str, Any] = {
        name.lower(): text for name, text in list(record.headers.items())[:own]
    }
    if record.tags:
        value["tags"] = dict(record.tags)
    if record.comment:
        value["comment"] = record.comment
    if record.comments:
        value["comments"] = {
            str(turn): text for turn, text in enumerate(record.comments, 1) if text
        }
    value["turns"] = [" ".join(map(str, turn)) for turn in game.turns]
    text = json.dumps(value, separators=(",", ":"))
    if len(text) > MAX_RECORD:
        raise RecordError(f"the record is longer than {MAX_RECORD} bytes")
    return text


def read_json(lines: Lines) -> Record | None:
    """The next record, or None at the end; blank lines are passed over.

    Raises:
        RecordError: If it is not sound; the next line holds the next record.
    """
    line: str | None = ""
    while line is not None and not line.strip(" \t"):
        lines.begin_record()
        line = lines.read()
    if line is None:
        return None
    try:
        value = json.loads(line, object_pairs_hook=_object)
    except RecordError as error:
        raise lines.error(error.reason) from error
    except RecursionError as error:
        raise lines.error("not a record: JSON nested too deeply") from error
    except ValueError as error:
        raise lines.error(f"not JSON: {error}") from error
    return _record(value, lambda name, reason: lines.error(reason))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for key, item in pairs:
        if key in value:
            raise RecordError(f"{shorten(key)!r} occurs twice")
        value[key] = item
    return value


def _record(value: Any, fail: Fail) -> Record:
    if not isinstance(value, dict):
        raise fail("", f"a JSON {type(value).__name__}, expected an object with {', '.join(_KEYS)}")
    for key in value:
        if key not in _KEYS:
            raise fail("", f"unknown key {shorten(key)!r}, expected {', '.join(_KEYS)}")
    values = {name: _text(value[key], key, fail) for key, name in _TAG_KEYS.items() if key in value}
    for name, text in _texts(value, "tags", fail).items():
        try:
            check_tag_name(name)
        except RecordError as error:
            raise fail("tags", error.reason) from error
        if name in OWN_TAGS:
            raise fail("tags", f"tag {name} is a key of its own: {name.lower()}")
        values[name] = text
    comment = _text(value.get("comment", ""), "comment", fail)
    game = new_game(values, fail)
    turns = value.get("turns")
    if not isinstance(turns, list):
        raise fail("turns", "turns: expected an array of texts, one a turn")
    for number, turn in enumerate(turns, 1):
        _play_turn(game, number, _text(turn, f"turn {number}", fail), fail)
    comments = {}
    for key, text in _texts(value, "comments", fail).items():
        allowed = 1 <= len(key) <= 9 and key.isascii() and key.isdigit() and key[0] != "0"
        if not allowed or int(key) > len(turns):
            raise fail("comments", f"comment on turn {shorten(key)!r} of {len(turns)}")
        if not text:
            raise fail("comments", f"empty comment on turn {key}")
        comments[int(key) - 1] = text
    return new_record(game, values, comment, comments, fail)


def _play_turn(game: Game, number: int, text: str, fail: Fail) -> None:
    """Push the decisions of a turn; only the last turn of a game may be unfinished."""
    if not game.turn_ended:
        raise fail("turns", f"turn {number - 1} is not complete, yet turn {number} follows")
    try:
        check_length(text)
        places = list(decision_places(text))
    except NotationError as error:
        raise fail("turns", f"turn {number}: {error}") from error
    for begin, end in places:
        token = text[begin:end]
        if game.turn_count == number and game.turn_ended:
            raise fail("turns", f"turn {number} has ended before {shorten(token)!r}")
        try:
            game.push(token)
        except ChaseError as error:
            raise fail("turns", f"turn {number}, {shorten(token)!r}: {error}") from error


def _text(value: Any, what: str, fail: Fail) -> str:
    if not isinstance(value, str):
        raise fail(what, f"{what}: a JSON {type(value).__name__}, expected a text")
    return value


def _texts(value: Mapping[str, Any], key: str, fail: Fail) -> dict[str, str]:
    texts = value.get(key, {})
    if not isinstance(texts, dict):
        raise fail(key, f"{key}: a JSON {type(texts).__name__}, expected an object of texts")
    return {name: _text(text, f"{key}, {shorten(name)}", fail) for name, text in texts.items()}
