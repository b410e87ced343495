"""Means and standard errors from exact sums.

Sums of whole numbers are kept as Python integers, so that any split of the data into parts, added
up in any order, gives the same result to the last bit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from chase_fast._arguments import as_int, instance, shown
from chase_fast.errors import ArgumentError

Column = npt.NDArray[np.unsignedinteger[Any]]

_WORD = 2**64


def _check_count(value: object, name: str) -> None:
    number = as_int(value)
    if number is None or number < 0:
        raise ArgumentError(f"{name} is {shown(value)}, expected a whole number, 0 or more")


@dataclass(frozen=True, slots=True)
class Sums:
    """Number, sum, sum of squares and extremes of whole numbers.

    Attributes:
        count: How many numbers.
        total: Their sum.
        squares: The sum of their squares.
        lowest: The smallest of them, None without any.
        highest: The largest of them, None without any.

    Raises:
        ArgumentError: A field that is no whole number, 0 or more.
    """

    count: int = 0
    total: int = 0
    squares: int = 0
    lowest: int | None = None
    highest: int | None = None

    def __post_init__(self) -> None:
        fields = {"count": self.count, "total": self.total, "squares": self.squares}
        extremes = {"lowest": self.lowest, "highest": self.highest}
        given = {name: value for name, value in extremes.items() if value is not None}
        for name, value in (fields | given).items():
            _check_count(value, name)

    @classmethod
    def of(cls, column: Column) -> Sums:
        """The sums of an array of unsigned integers of at most 32 bits, shape (n,).

        Raises:
            ArgumentError: Another shape or type.
        """
        _check(column, "column")
        if not len(column):
            return cls()
        return cls(
            len(column),
            int(column.sum(dtype=np.uint64)),
            _dot(column, column),
            int(column.min()),
            int(column.max()),
        )

    def __add__(self, other: object) -> Sums:
        if not isinstance(other, Sums):
            return NotImplemented
        lowest = [value for value in (self.lowest, other.lowest) if value is not None]
        highest = [value for value in (self.highest, other.highest) if value is not None]
        return Sums(
            self.count + other.count,
            self.total + other.total,
            self.squares + other.squares,
            min(lowest, default=None),
            max(highest, default=None),
        )

    @property
    def mean(self) -> float | None:
        """The mean, None without numbers."""
        return self.total / self.count if self.count else None

    @property
    def standard_error(self) -> float | None:
        """Of the mean, from the sample variance (divisor n - 1); None for fewer than two."""
        if self.count < 2:
            return None
        n = self.count
        variance = Fraction(n * self.squares - self.total**2, n * (n - 1))
        return math.sqrt(variance / n)


@dataclass(frozen=True, slots=True)
class PairSums:
    """Sums of pairs of whole numbers, for the ratio of their totals.

    Attributes:
        upper: Sums of the first numbers, the numerator.
        lower: Sums of the second numbers, the denominator.
        products: The sum of the products of the pairs.

    Raises:
        ArgumentError: Sums that are none, or products that are no whole number, 0 or more.
    """

    upper: Sums = Sums()
    lower: Sums = Sums()
    products: int = 0

    def __post_init__(self) -> None:
        instance(self.upper, "upper", Sums, "Sums")
        instance(self.lower, "lower", Sums, "Sums")
        _check_count(self.products, "products")

    @classmethod
    def of(cls, upper: Column, lower: Column) -> PairSums:
        """The sums of two arrays as for `Sums.of`, of the same shape (n,).

        Raises:
            ArgumentError: Other shapes or types.
        """
        _check(upper, "upper")
        _check(lower, "lower")
        sums = cls(Sums.of(upper), Sums.of(lower))
        if len(upper) != len(lower):
            raise ArgumentError(f"{len(upper)} and {len(lower)} numbers are no pairs")
        return cls(sums.upper, sums.lower, _dot(upper, lower))

    def __add__(self, other: object) -> PairSums:
        if not isinstance(other, PairSums):
            return NotImplemented
        return PairSums(
            self.upper + other.upper, self.lower + other.lower, self.products + other.products
        )

    @property
    def ratio(self) -> float | None:
        """Total of the first by total of the second numbers; None if the latter is 0."""
        return self.upper.total / self.lower.total if self.lower.total else None

    @property
    def standard_error(self) -> float | None:
        """Of the ratio, for large samples; None for fewer than two pairs or a denominator of 0.

        Source: W. G. Cochran, Sampling Techniques, 3rd edition (1977), section 2.11, without the
        correction for finite populations.
        """
        n = self.lower.count
        if n < 2 or not self.lower.total:
            return None
        ratio = Fraction(self.upper.total, self.lower.total)
        residuals = (
            self.upper.squares - 2 * ratio * self.products + ratio * ratio * self.lower.squares
        )
        mean = Fraction(self.lower.total, n)
        return math.sqrt(residuals / (n - 1) / n / mean**2)


def _check(column: object, name: str) -> None:
    expected = "expected unsigned integers of at most 32 bits with 1 dimension"
    if not isinstance(column, np.ndarray):
        raise ArgumentError(f"{name} is {shown(column)}, {expected}")
    if column.ndim != 1 or column.dtype.kind != "u" or column.dtype.itemsize > 4:
        raise ArgumentError(
            f"{name} is an array of {column.dtype} with {column.ndim} dimensions, {expected}"
        )


def _dot(left: Column, right: Column) -> int:
    """The sum of products, exact: slices are short enough for 64 bits to hold their part of it."""
    if not len(left):
        return 0
    largest = int(left.max()) * int(right.max())
    step = (_WORD - 1) // max(largest, 1)
    left, right = left.astype(np.uint64), right.astype(np.uint64)
    return sum(
        int(np.dot(left[start : start + step], right[start : start + step]))
        for start in range(0, len(left), min(step, len(left)))
    )
