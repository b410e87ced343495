"""Calls that fail: what they say, and which are tried again, and when."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Container
from typing import Any, Final

import grpc
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2

from chase_service.calls.arguments import ArgumentError, shown

__all__ = ["ATTEMPTS", "ServiceError", "Tries", "checked_attempts", "error_of"]

ATTEMPTS: Final = 5
"""Times that a call is tried, unless the client was made with another number."""

_FIRST_DELAY: Final = 0.1
_LONGEST_DELAY: Final = 5.0
_FOR_EVER: Final = 1e9
_DETAILS_KEY: Final = "grpc-status-details-bin"
# What grpc.aio says when it has written to a stream that the server had ended, in place of the
# status that the server gave (grpc/grpc#36066). Asked again, the server says it again.
_LOST: Final = (grpc.StatusCode.INTERNAL, "Internal error from Core")
_AGAIN: Final = frozenset({grpc.StatusCode.UNAVAILABLE})


class ServiceError(Exception):
    """A call that failed.

    Attributes:
        code: gRPC's.
        reason: A name of ErrorReason without its prefix, empty where the server gave none.
        message: For people.
        field: Of the request, empty where it is not one field.
        retry_after: Seconds after which the server wants to be asked again, or None.
    """

    def __init__(
        self, code: grpc.StatusCode, message: str, *, reason: str = "", field: str = "",
        retry_after: float | None = None,
    ) -> None:  # fmt: skip
        super().__init__(f"{code.name}: {message}")
        self.code = code
        self.reason = reason
        self.message = message
        self.field = field
        self.retry_after = retry_after


def error_of(error: grpc.RpcError) -> ServiceError:
    """What a failed call says, with the details that the server gave."""
    failed: Any = error  # gRPC's classes for it share no type that says so
    code, message = failed.code(), failed.details() or ""
    trailers = dict(failed.trailing_metadata() or ())
    try:
        status = status_pb2.Status.FromString(trailers.get(_DETAILS_KEY, b""))
    except DecodeError:
        status = status_pb2.Status()
    reason = field = ""
    retry_after: float | None = None
    for detail in status.details:
        info, request, retry = (
            error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest(),
            error_details_pb2.RetryInfo(),
        )  # fmt: skip
        if detail.Unpack(info):
            reason = info.reason
        elif detail.Unpack(request) and request.field_violations:
            field = request.field_violations[0].field
        elif detail.Unpack(retry):
            retry_after = retry.retry_delay.ToNanoseconds() / 1e9
    return ServiceError(code, message, reason=reason, field=field, retry_after=retry_after)


def checked_attempts(attempts: object) -> int:
    """A number of attempts, as the clients are made with.

    Raises:
        ArgumentError: It is none.
    """
    if not isinstance(attempts, int) or isinstance(attempts, bool) or attempts < 1:
        raise ArgumentError(f"attempts is {shown(attempts)}, expected an integer from 1 on")
    return attempts


def _seconds(timeout: object) -> float | None:
    """A bound of time, None for those that are none."""
    if timeout is None:
        return None
    if (
        isinstance(timeout, bool)
        or not isinstance(timeout, int | float)
        or not -math.inf <= timeout <= math.inf  # which nan is not
    ):
        raise ArgumentError(f"timeout is {shown(timeout)}, expected seconds, a number")
    # gRPC takes what is beyond its own range for a time that has passed.
    return timeout if timeout < _FOR_EVER else None


class Tries:
    """The time of one call, and how often it is tried again.

    Args:
        timeout: Seconds that it may take, all attempts included; None and infinity: no bound.
        attempts: Failures in a row, without an answer between them, after which it is given up.

    Raises:
        ArgumentError: The timeout is no number.
    """

    def __init__(self, timeout: float | None, attempts: int) -> None:
        seconds = _seconds(timeout)
        self._deadline = None if seconds is None else time.monotonic() + seconds
        self._attempts = attempts
        self._failed = 0

    @property
    def seconds_left(self) -> float | None:
        """Until the deadline, None where there is none."""
        return None if self._deadline is None else max(self._deadline - time.monotonic(), 0.0)

    def answered(self) -> None:
        """Notes an answer: what fails from now on is a new failure."""
        self._failed = 0

    def delay(self, failed: grpc.RpcError, again: Container[grpc.StatusCode] = _AGAIN) -> float:
        """Seconds to wait before the next attempt.

        Args:
            failed: How this one failed.
            again: Codes after which there is a next one.

        Raises:
            ServiceError: There is none.
        """
        error = error_of(failed)
        attempt, self._failed = self._failed, self._failed + 1
        known = error.code in again or (error.code, error.message) == _LOST
        if not known or self._failed >= self._attempts:
            raise error from None
        # Others fail at the same time, and should not all come back at the same time.
        delay = min(_FIRST_DELAY * (1 << attempt), _LONGEST_DELAY) * random.uniform(0.5, 1.5)
        delay = max(delay, error.retry_after or 0.0)
        left = self.seconds_left
        if left is not None and delay >= left:
            raise error from None
        return delay
