"""Results of games between players, as arrays for a fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from chase_fast._arguments import as_int, elements, shown
from chase_fast.errors import ArgumentError
from chase_fast.stats.arrays import Floats
from chase_fast.stats.classes import MOST

Results: TypeAlias = Mapping[tuple[str, str], Sequence[int]]
"""Wins, draws and losses of red by (red, blue)."""

# Of fewer units the bootstrap sees too little of their spread.
FEW: Final = 10


class Table(NamedTuple):
    """Results by unit and kind of game.

    Attributes:
        kinds: Red and blue player of each kind, by number, in order; length p.
        units: Wins, draws and losses of red of each unit and kind, shape (u, p, 3).
        strata: Groups of units, each of one and the same kinds. All units in one group where such
            groups would have fewer than `FEW`.
    """

    kinds: list[tuple[int, int]]
    units: Floats
    strata: list[list[int]]

    def total(self) -> Floats:
        """Of all units, shape (p, 3)."""
        return np.asarray(self.units.sum(axis=0))

    def both_ways(self) -> Table:
        """With a kind for either side of every two players that met."""
        kinds = sorted({kind for red, blue in self.kinds for kind in ((red, blue), (blue, red))})
        units = np.zeros((len(self.units), len(kinds), 3))
        units[:, [kinds.index(kind) for kind in self.kinds]] = self.units
        return Table(kinds, units, self.strata)

    def reach(self, players: int) -> npt.NDArray[np.bool_]:
        """Whether a player scored against another, or against one who did, and so on.

        Two players who do not reach each other have no finite difference of ratings. Shape (n, n),
        of bools, True on the diagonal.
        """
        found = np.eye(players, dtype=bool)
        for (red, blue), (wins, draws, losses) in zip(self.kinds, self.total(), strict=True):
            found[red, blue] |= wins + draws > 0
            found[blue, red] |= losses + draws > 0
        for middle in range(players):
            found |= found[:, middle : middle + 1] & found[middle]
        return found

    def design(self, players: int, *, first_move: bool) -> Floats:
        """What each rating, and the first move, adds to red's lead in each kind of game."""
        found = np.zeros((len(self.kinds), players + first_move))
        for row, (red, blue) in zip(found, self.kinds, strict=True):
            row[red], row[blue] = 1, -1
            if first_move:
                row[-1] = 1
        return found


def player_names(players: Iterable[str]) -> list[str]:
    """An argument with the players' names.

    Raises:
        ArgumentError: It is none.
    """
    expected = "two or more different names"
    names = list(elements(players, "players", expected))
    if len(names) < 2 or not all(isinstance(name, str) for name in names):
        raise ArgumentError(f"players is a list of {len(names)}, expected {expected}")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ArgumentError(f"players has {shown(twice)} twice, expected {expected}")
    return names


def table(names: list[str], results: Iterable[Results]) -> Table:
    """Reads results of several units.

    Args:
        names: Of all players.
        results: Of each unit; those without games are left out.

    Raises:
        ArgumentError: They are none, or do not connect all players.
    """
    mapping = "a mapping of results by (red, blue), or one for each opening"
    index = {name: place for place, name in enumerate(names)}
    rows = []
    for unit in elements(results, "results", mapping):
        if not isinstance(unit, Mapping):
            raise ArgumentError(f"results has {shown(unit)}, expected {mapping}")
        read = {_kind(who, index): _counts(who, counts) for who, counts in unit.items()}
        row = {kind: counts for kind, counts in read.items() if any(counts)}
        if row:
            rows.append(row)
    order = sorted({kind for row in rows for kind in row})
    _check_connected(names, order)
    place = {kind: number for number, kind in enumerate(order)}
    units = np.zeros((len(rows), len(order), 3))
    strata: dict[frozenset[tuple[int, int]], list[int]] = {}
    for number, row in enumerate(rows):
        strata.setdefault(frozenset(row), []).append(number)
        for kind, counts in row.items():
            units[number, place[kind]] = counts
    groups = list(strata.values())
    if min(map(len, groups)) < FEW:
        groups = [list(range(len(rows)))]
    return Table(order, units, groups)


def _kind(who: Any, index: dict[str, int]) -> tuple[int, int]:
    if (
        isinstance(who, tuple)
        and len(who) == 2
        and all(isinstance(one, str) and one in index for one in who)
        and who[0] != who[1]
    ):
        return index[who[0]], index[who[1]]
    raise ArgumentError(f"results has {shown(who)}, expected two of the players, (red, blue)")


def _counts(who: tuple[str, str], counts: object) -> list[int]:
    given = list(counts) if isinstance(counts, Sequence | np.ndarray) else []
    whole = [n for n in map(as_int, given) if n is not None and 0 <= n <= MOST]
    if len(given) != 3 or len(whole) != 3:
        raise ArgumentError(
            f"results[{shown(who)}] is {shown(counts)}, expected wins, draws and losses of red"
        )
    return whole


def _check_connected(names: list[str], kinds: list[tuple[int, int]]) -> None:
    known, left = {0}, list(kinds)
    while near := [kind for kind in left if (kind[0] in known) or (kind[1] in known)]:
        known.update(*near)
        left = [kind for kind in left if kind not in near]
    if len(known) < len(names):
        apart = next(name for place, name in enumerate(names) if place not in known)
        raise ArgumentError(
            f"results do not connect {shown(names[0])} and {shown(apart)}, expected games that do"
        )
