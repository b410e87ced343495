"""Checks of columns of numbers, and of single numbers, that the statistics take."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from chase_fast._arguments import shown
from chase_fast.errors import ArgumentError
from chase_fast.stats.classes import MOST
from chase_fast.stats.intervals import is_number

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]


def column(
    value: object, name: str, *, least: int = 1, low: float = -math.inf, high: float = math.inf
) -> Floats:
    """An argument with finite numbers in one row, as an array of shape (n,).

    Args:
        value: A sequence or an array of numbers (not bools).
        name: Of the argument, for the message.
        least: Numbers that there must be.
        low: The smallest number allowed.
        high: The largest number allowed.

    Raises:
        ArgumentError: It is none.
    """
    given = _array(value)
    between = "" if math.isinf(low) and math.isinf(high) else f" from {low:g} to {high:g}"
    expected = f"expected at least {least} finite number{'s' * (least != 1)}{between}, in one row"
    if given is None or given.ndim != 1 or given.dtype.kind not in "iuf":
        raise ArgumentError(f"{name} is {_described(value, given)}, {expected}")
    if len(given) < least:
        raise ArgumentError(f"{name} has {len(given)} numbers, {expected}")
    numbers = given.astype(np.float64)
    wrong = np.flatnonzero(~(np.isfinite(numbers) & (numbers >= low) & (numbers <= high)))
    if len(wrong):
        place = int(wrong[0])
        raise ArgumentError(f"{name}[{place}] is {shown(float(numbers[place]))}, {expected}")
    return numbers


def histogram(value: object, name: str, *, empty: bool = False) -> Counts:
    """An argument with a count for each of the numbers 0, 1, 2, ..., as an array of shape (n,).

    Args:
        value: A sequence or an array of whole numbers.
        name: Of the argument, for the message.
        empty: Whether all counts may be 0, or there may be none.

    Raises:
        ArgumentError: It is none.
    """
    given = _array(value)
    above = "" if empty else ", one of them above 0"
    expected = f"expected whole numbers from 0 to {MOST} in one row{above}"
    if given is not None and given.shape == (0,):
        given = np.zeros(0, np.int64)
    if given is None or given.ndim != 1 or given.dtype.kind not in "iu":
        raise ArgumentError(f"{name} is {_described(value, given)}, {expected}")
    wrong = np.flatnonzero((given < 0) | (given > MOST))
    if len(wrong):
        place = int(wrong[0])
        raise ArgumentError(f"{name}[{place}] is {shown(int(given[place]))}, {expected}")
    if not empty and not given.any():
        raise ArgumentError(f"{name} holds {len(given)} counts of 0, {expected}")
    return given.astype(np.int64)


def fraction(value: object, name: str) -> float:
    """An argument above 0 and below 1.

    Raises:
        ArgumentError: It is not.
    """
    if not is_number(value) or not 0 < value < 1:
        raise ArgumentError(f"{name} is {shown(value)}, expected a number between 0 and 1")
    return float(value)


def number(value: object, name: str, low: float, high: float, *, above: bool = False) -> float:
    """An argument from `low` to `high`; with `above`, `low` itself is not allowed.

    Raises:
        ArgumentError: It is not.
    """
    if not is_number(value) or not low <= value <= high or (above and value == low):
        least = f"above {low:g} and at most" if above else f"from {low:g} to"
        raise ArgumentError(f"{name} is {shown(value)}, expected a number {least} {high:g}")
    return float(value)


def _array(value: object) -> npt.NDArray[Any] | None:
    """None for what numpy makes no array of, and for texts."""
    if isinstance(value, str | bytes | bytearray):
        return None
    try:
        return np.asarray(value)
    except (ValueError, TypeError, OverflowError):
        return None


def _described(value: object, given: npt.NDArray[Any] | None) -> str:
    if given is None or given.ndim == 0:
        return shown(value)
    return f"{shown(value)} of {given.dtype} with {given.ndim} dimensions"
