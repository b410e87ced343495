"""Messages as bytes, and columns that never become Python numbers.

A packed field of fixed32 is, on the wire, its number, its length and the array itself, and the
pieces of a message may simply be joined.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy.typing as npt
from google.protobuf.message import DecodeError, Message

from chase_service._pb.chase.v1 import errors_pb2
from chase_service.refusal import Reason, Refusal

__all__ = ["Errors", "checked", "column", "decode", "field", "wrapped"]

M = TypeVar("M", bound=Message)


def decode(kind: type[M], data: bytes) -> M:
    """The message of some bytes.

    Raises:
        Refusal: INVALID_MESSAGE.
    """
    try:
        return kind.FromString(data)
    except DecodeError:
        name = kind.DESCRIPTOR.full_name
        raise Refusal(Reason.INVALID_MESSAGE, f"the bytes are no {name}") from None


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(kind: type[Message], name: str, data: bytes) -> bytes:
    """A field that is bytes on the wire: a packed column of fixed32, or a message."""
    if not data:
        return b""
    number = kind.DESCRIPTOR.fields_by_name[name].number
    return b"".join((_varint(number << 3 | 2), _varint(len(data)), data))


def column(kind: type[Message], name: str, values: npt.NDArray[Any]) -> bytes:
    """A column of fixed32 or sfixed32."""
    signed = values.dtype.kind == "i"
    return field(kind, name, values.astype("<i4" if signed else "<u4", copy=False).tobytes())


def wrapped(kind: type[Message], data: bytes) -> bytes:
    """The response of a stream that holds the response of a call."""
    number = kind.DESCRIPTOR.fields_by_name["batch"].number
    return b"".join((_varint(number << 3 | 2), _varint(len(data)), data))


def checked(limit: int, *parts: bytes) -> bytes:
    """The parts of a response joined.

    Raises:
        Refusal: OVER_LIMIT, if they are more than `limit` bytes.
    """
    size = sum(map(len, parts))
    if size > limit:
        raise Refusal(
            Reason.OVER_LIMIT,
            f"the response has {size} bytes, the limit response_bytes of this server is "
            f"{limit}; ask for less at a time",
        )
    return b"".join(parts)


class Errors:
    """Items without a result, or the first of them raised.

    Args:
        fail_fast: Whether it is raised.

    Attributes:
        rows: What was told so far.
    """

    def __init__(self, *, fail_fast: bool) -> None:
        self._fail_fast = fail_fast
        self.rows: list[errors_pb2.ItemError] = []

    def check(self, item: int, refusal: Refusal) -> None:
        """Raises the refusal of an item if it is to fail the call.

        Raises:
            Refusal: With the number of the item in its message.
        """
        if self._fail_fast:
            raise Refusal(
                refusal.reason, f"item {item}: {refusal.message}",
                field=refusal.field, retry_after=refusal.retry_after,
            )  # fmt: skip

    def add(self, item: int, refusal: Refusal) -> None:
        """Tells of an item, by rising number.

        Raises:
            Refusal: As `check`.
        """
        self.check(item, refusal)
        self.rows.append(
            errors_pb2.ItemError(
                item=item,
                code=int(refusal.code),
                reason=int(refusal.reason),  # type: ignore[arg-type]  # its number
                field=refusal.field,
                message=refusal.message,
            )
        )
