"""Why something is refused, as data: one exception for items and for calls.

Knows neither gRPC nor protobuf. What callers are told is written here or by the readers of
`chase_fast`, which speak of what the caller sent and of nothing else; the text of any other
exception stays on the server.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from chase_fast.errors import (
    ChaseError,
    GameOverError,
    IllegalMoveError,
    InvalidPositionError,
    InvalidRulesError,
    NotationError,
)

__all__ = ["MAX_MESSAGE", "Code", "Reason", "Refusal", "invalid", "over_limit", "refusal_of"]

MAX_MESSAGE: Final = 300
"""Most characters of a message."""


class Code(IntEnum):
    """The codes of gRPC that the service gives."""

    CANCELLED = 1
    INVALID_ARGUMENT = 3
    DEADLINE_EXCEEDED = 4
    NOT_FOUND = 5
    PERMISSION_DENIED = 7
    RESOURCE_EXHAUSTED = 8
    FAILED_PRECONDITION = 9
    OUT_OF_RANGE = 11
    INTERNAL = 13
    UNAVAILABLE = 14
    UNAUTHENTICATED = 16


class Reason(IntEnum):
    """ErrorReason of the contract, without its prefix."""

    INVALID_MESSAGE = 1
    INVALID_RULES = 2
    INVALID_POSITION = 3
    INVALID_DECISION = 4
    ILLEGAL_DECISION = 5
    GAME_OVER = 6
    INVALID_PLAYER = 7
    PLAYER_REFUSED = 8
    INVALID_FIELD = 9
    OVER_LIMIT = 10
    DEADLINE = 11
    OVERLOADED = 12
    UNAVAILABLE = 13
    NOT_FOUND = 14
    INTERNAL = 15
    WRONG_STATE = 16
    UNAUTHENTICATED = 17
    ROLE_MISSING = 18
    KEPT_JOBS = 19
    STORAGE = 20


_CODES: Final = {
    Reason.ILLEGAL_DECISION: Code.FAILED_PRECONDITION,
    Reason.GAME_OVER: Code.FAILED_PRECONDITION,
    Reason.PLAYER_REFUSED: Code.PERMISSION_DENIED,
    Reason.OVER_LIMIT: Code.OUT_OF_RANGE,
    Reason.DEADLINE: Code.DEADLINE_EXCEEDED,
    Reason.OVERLOADED: Code.RESOURCE_EXHAUSTED,
    Reason.UNAVAILABLE: Code.UNAVAILABLE,
    Reason.NOT_FOUND: Code.NOT_FOUND,
    Reason.INTERNAL: Code.INTERNAL,
    Reason.WRONG_STATE: Code.FAILED_PRECONDITION,
    Reason.UNAUTHENTICATED: Code.UNAUTHENTICATED,
    Reason.ROLE_MISSING: Code.PERMISSION_DENIED,
    Reason.KEPT_JOBS: Code.RESOURCE_EXHAUSTED,
    Reason.STORAGE: Code.RESOURCE_EXHAUSTED,
}


class Refusal(Exception):  # noqa: N818 - an answer like any other, not a fault
    """An item or a call without a result.

    Attributes:
        reason: Why, for programs.
        message: Why, for people: printable, at most `MAX_MESSAGE` characters.
        field: What was wrong in the request, empty where it is not one field.
        retry_after: Seconds after which the same may succeed, or None.
    """

    def __init__(
        self, reason: Reason, message: str, *, field: str = "", retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = clean(message)
        self.field = field
        self.retry_after = retry_after

    @property
    def code(self) -> Code:
        """The code of gRPC that goes with the reason."""
        return _CODES.get(self.reason, Code.INVALID_ARGUMENT)


def clean(text: str) -> str:
    """Text that a terminal or a log can show: printable ASCII, not too long."""
    shown = "".join(
        letter if " " <= letter <= "~" else letter.encode("unicode_escape").decode()
        for letter in text[:MAX_MESSAGE].replace("\n", " ")
    )
    return shown if len(shown) <= MAX_MESSAGE else shown[: MAX_MESSAGE - 3] + "..."


def invalid(field: str, message: str) -> Refusal:
    """The refusal of a field outside its documented range."""
    return Refusal(Reason.INVALID_FIELD, message, field=field)


def over_limit(field: str, value: object, name: str, limit: object, *, what: str = "") -> Refusal:
    """The refusal of what is more than a limit.

    Args:
        field: Of the request.
        value: What it asks for.
        name: Of the limit, as in GetVersion.
        limit: The most.
        what: What the value is, for people, where it is not that of the field.
    """
    message = f"{what or field} is {value}, the limit {name} of this server is {limit}"
    return Refusal(Reason.OVER_LIMIT, message, field=field)


_READERS: Final = (
    (InvalidRulesError, Reason.INVALID_RULES),
    (InvalidPositionError, Reason.INVALID_POSITION),
    (NotationError, Reason.INVALID_DECISION),
    (GameOverError, Reason.GAME_OVER),
    (IllegalMoveError, Reason.ILLEGAL_DECISION),
)


def refusal_of(error: ChaseError, field: str) -> Refusal:
    """The refusal of a text or decision that `chase_fast` refused.

    Raises:
        ChaseError: `error` itself, if it says something of the server rather than of the text.
    """
    for kind, reason in _READERS:
        if isinstance(error, kind):
            return Refusal(reason, str(error), field=field)
    raise error
