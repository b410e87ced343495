"""Counts of results by class, best last: three classes of games, five of game pairs."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Final

from chase_fast._arguments import as_int, elements, shown
from chase_fast.errors import ArgumentError

GAMES: Final = (0.0, 0.5, 1.0)
"""Scores of a lost, drawn and won game."""

PAIRS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Mean scores of two games with 0, ½, 1, 1½ and 2 points."""

MOST: Final = 10**9
"""Of each class."""


def class_counts(value: Iterable[int], name: str, *classes: tuple[float, ...]) -> list[int]:
    """An argument with a count for each of some classes, at least one of them above 0.

    Raises:
        ArgumentError: It is none.
    """
    lengths = {len(scores) for scores in classes}
    number = " or ".join({3: "three", 5: "five"}[length] for length in sorted(lengths))
    expected = f"{number} whole numbers up to {MOST}, one of them above 0"
    given = list(islice(elements(value, name, expected), max(lengths) + 1))
    counts = [n for n in map(as_int, given) if n is not None and 0 <= n <= MOST]
    if len(given) not in lengths or len(counts) != len(given) or not any(counts):
        raise ArgumentError(f"{name} is [{', '.join(map(shown, given))}], expected {expected}")
    return counts
