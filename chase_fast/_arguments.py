"""Checks of arguments that may be anything, each in one place, and how they are shown in messages.

Knows no engine. What is refused raises `ArgumentError`, or the class that the caller names; the
message tells the argument's name, its value and what is allowed.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from enum import IntEnum
from typing import Any, TypeVar

import numpy as np

from chase_fast.errors import ArgumentError

T = TypeVar("T")

Refusal = Callable[[str], Exception]

# Characters of a text that a message shows.
_SHOWN = 40


class Code(IntEnum):
    """Base of the enumerations: members are numbers, but only where their enumeration is meant.

    So a direction is not taken for a side, nor a side for a number of games.
    """


def shown(value: object) -> str:
    """`value` for a message: short, and never by code of its own class."""
    if isinstance(value, str):
        text = str.__str__(value)
        return repr(text) if len(text) <= _SHOWN else repr(text[: _SHOWN - 3]) + "..."
    if type(value) is int:
        # Very long ints refuse to be printed.
        bits = value.bit_length()
        return str(value) if bits <= 128 else f"an int of {bits} bits"
    if type(value) is bool or type(value) is float or value is None:
        return repr(value)
    if isinstance(value, Code):
        return f"{type(value).__name__}.{value.name}"
    if type(value) is tuple and len(value) <= 3 and not any(type(item) is tuple for item in value):
        items = [shown(item) for item in value]
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in tuple('aeiou') else 'a'} {name}"


def as_int(value: object, *, code: type[Code] | None = None) -> int | None:
    """`value` as an int, or None if it is none.

    Neither bools nor floats are, nor members of enumerations other than `code`.
    """
    if type(value) is int:
        return value
    if isinstance(value, bool | np.bool_) or (isinstance(value, Code) and type(value) is not code):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def whole_number(value: object, name: str, low: int, high: int) -> int:
    """`value` as an int from `low` to `high`."""
    number = as_int(value)
    if number is None or not low <= number <= high:
        given = shown(value if number is None else number)
        raise ArgumentError(f"{name} is {given}, expected an integer from {low} to {high}")
    return number


def instance(
    value: object, name: str, kind: type[T], expected: str, refuse: Refusal = ArgumentError
) -> T:
    """`value` if it is of a class; `expected` says so in words ("a Position")."""
    if not isinstance(value, kind):
        raise refuse(f"{name} is {shown(value)}, expected {expected}")
    return value


def elements(
    value: Iterable[T], name: str, expected: str, refuse: Refusal = ArgumentError
) -> Iterator[T]:
    """What an iterable yields; a text is none here, though Python sees one of letters."""
    if not isinstance(value, str | bytes | bytearray):
        try:
            return iter(value)
        except TypeError:
            pass
    raise refuse(f"{name} is {shown(value)}, expected {expected}")


def flag(value: object, name: str) -> bool:
    """`value` as a bool, if it is one."""
    if not isinstance(value, bool | np.bool_):
        raise ArgumentError(f"{name} is {shown(value)}, expected True or False")
    return bool(value)


def callback(value: Any, name: str) -> None:
    """Refuses what is neither None nor can be called."""
    if value is not None and not callable(value):
        raise ArgumentError(f"{name} is {shown(value)}, expected a function or None")


def choice(value: object, name: str, allowed: tuple[object, ...]) -> None:
    """Refuses what is not one of `allowed`, or is merely equal to it (1 and True)."""
    if not any(value is one or (type(value) is str and value == one) for one in allowed):
        choices = ", ".join(repr(one) for one in allowed)
        raise ArgumentError(f"{name} is {shown(value)}, expected one of {choices}")
