"""What callers hand over, and what is said where it is something else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, TypeVar

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

__all__ = ["ArgumentError", "asked", "at_least_one", "each_of", "item_fault", "shown"]

T = TypeVar("T")
M = TypeVar("M", bound=Message)

# Characters of a value that a message shows.
_SHOWN: Final = 60

_EXPECTED: Final = {
    FieldDescriptor.TYPE_STRING: "a text",
    FieldDescriptor.TYPE_BOOL: "True or False",
    FieldDescriptor.TYPE_UINT32: f"an integer from 0 to {2**32 - 1}",
    FieldDescriptor.TYPE_UINT64: f"an integer from 0 to {2**64 - 1}",
    FieldDescriptor.TYPE_ENUM: "a value of its enumeration",
}


class ArgumentError(ValueError):
    """An argument that is not what it is documented to be: nothing was asked of the server."""


def shown(value: object) -> str:
    """A value as messages have it: short."""
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def asked(kind: type[M], **fields: Any) -> M:
    """A message with these fields.

    Raises:
        ArgumentError: It cannot hold one of them, which is named as in the contract.
    """
    try:
        return kind(**fields)
    except (TypeError, ValueError):
        for name, value in fields.items():
            try:
                kind(**{name: value})
            except (TypeError, ValueError):
                expected = _expected(kind.DESCRIPTOR.fields_by_name[name])
                message = f"{name} is {shown(value)}, expected {expected}"
                raise ArgumentError(message) from None
        raise


def _expected(field: Any) -> str:  # a descriptor of either implementation
    message = field.message_type
    return _EXPECTED[field.type] if message is None else f"a {message.name}"


def item_fault(
    request: Callable[[Sequence[Any]], object], items: Sequence[Any], first: int, expected: str
) -> ArgumentError | None:
    """Which of some items no request can be made of; None: each of them is right.

    Args:
        request: Makes one of some items.
        items: Among them the faulty one.
        first: Number of the first of them.
        expected: What an item is.
    """
    for number, item in enumerate(items, first):
        try:
            request([item])
        except (TypeError, ValueError):
            return ArgumentError(f"item {number} is {shown(item)}, expected {expected}")
    return None


def each_of(items: Iterable[T]) -> Iterator[T]:
    """The items of an iterable; a text is none here, though Python sees one of letters.

    Raises:
        ArgumentError: It is none.
    """
    if not isinstance(items, str | bytes):
        try:
            return iter(items)
        except TypeError:
            pass
    raise ArgumentError(f"the items are {shown(items)}, expected an iterable of them")


def at_least_one(name: str, number: object) -> None:
    """Refuses what is no number from 1 on.

    Raises:
        ArgumentError: It is none.
    """
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise ArgumentError(f"{name} is {shown(number)}, expected an integer from 1 on")
