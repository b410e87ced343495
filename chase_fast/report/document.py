"""The results document: what is checked of it before a report is made."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from chase_fast._arguments import shown
from chase_fast.errors import ArgumentError

SCHEMA = 1
"""The version of the document's form that this package reads."""

Document = dict[str, Any]

# Characters that XML forbids or that turn the text around them: they may stand in names that came
# from outside, and would break the pictures or let a name pass for another.
_UNFIT = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\ud800-\udfff\ufffe\uffff]"
)
_ALWAYS = ("title", "complete", "command", "seed", "created", "engine", "machine", "openings")
# What each kind has to have, at the top and in each item of its lists.
_REQUIRED: dict[str, dict[str, tuple[str, ...]]] = {
    "balance": {
        "": (*_ALWAYS, "base", "margin", "verdicts", "variants", "players", "cells", "comparisons"),
        "variants": ("name", "rules"),
        "players": ("name",),
        "cells": (
            *("variant", "player", "games", "openings", "effective_n", "score", "against_half"),
            *("results", "terminations", "metrics", "survival"),
        ),
        "comparisons": ("variant", "base", "player", "difference", "low", "high", "verdict"),
    },
    "tournament": {
        "": (*_ALWAYS, "format", "players", "pairs"),
        "players": ("name", "rating", "low", "high", "games", "score"),
        "pairs": ("a", "b", "games", "score", "low", "high", "elo"),
    },
}


def checked(document: Mapping[str, Any]) -> Document:
    """A copy that is plain JSON, with everything a report cannot do without.

    Characters that no page can hold are replaced.

    Raises:
        ArgumentError: Not a mapping, not JSON (a number that is none included), of another schema
            or kind, without a required entry, or with cells of variants or players that it does
            not list.
    """
    copy: Document = _clean(json.loads(json_text(document)))
    if copy.get("schema") != SCHEMA:
        raise ArgumentError(f"document['schema'] is {shown(copy.get('schema'))}, expected {SCHEMA}")
    kind = copy.get("kind")
    required = _REQUIRED.get(kind) if isinstance(kind, str) else None
    if required is None:
        kinds = " or ".join(repr(name) for name in _REQUIRED)
        raise ArgumentError(f"document['kind'] is {shown(kind)}, expected {kinds}")
    _require(copy, required[""], "document")
    for name, keys in required.items():
        for number, item in enumerate(copy[name] if name else ()):
            _require(item, keys, f"document[{name!r}][{number}]")
    if kind == "balance":
        _check_names(copy)
    return copy


def json_text(document: Mapping[str, Any]) -> str:
    """The document as JSON text, with one entry a line.

    Raises:
        ArgumentError: Not a mapping, or with something in it that JSON does not know.
    """
    if not isinstance(document, Mapping):
        raise ArgumentError(f"document is {shown(document)}, expected a mapping")
    try:
        return json.dumps(dict(document), indent=1, allow_nan=False) + "\n"
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"document cannot be written as JSON: {error}") from error


def _require(item: object, keys: tuple[str, ...], where: str) -> None:
    if not isinstance(item, dict):
        raise ArgumentError(f"{where} is {shown(item)}, expected a mapping")
    missing = [repr(key) for key in keys if key not in item]
    if missing:
        raise ArgumentError(f"{where} lacks {', '.join(missing)}")


def _check_names(document: Document) -> None:
    """Refuses what would silently be left out: results of what is not listed."""
    known = {
        "variant": {item["name"] for item in document["variants"]},
        "player": {item["name"] for item in document["players"]},
    }
    for part in ("cells", "comparisons"):
        for number, item in enumerate(document[part]):
            for role, names in known.items():
                if item[role] not in names:
                    raise ArgumentError(
                        f"document[{part!r}][{number}][{role!r}] is {shown(item[role])}, "
                        f"expected the name of one of the {role}s"
                    )


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return _UNFIT.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in value.items()}
    return value
