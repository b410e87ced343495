"""Who plays whom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, pairwise
from typing import Final, Literal, TypeVar, get_args

from chase_fast._arguments import choice, elements, shown, whole_number
from chase_fast.agents import PlayerSpec
from chase_fast.errors import ArgumentError, NotationError

Format = Literal["round-robin", "gauntlet", "ladder"]
"""Everybody against everybody; the first ones against all others; neighbours."""

FORMATS: Final[tuple[Format, ...]] = get_args(Format)

T = TypeVar("T")


def schedule(players: Sequence[T], format: Format, *, seeds: int = 1) -> list[tuple[T, T]]:
    """The pairings of a tournament.

    Args:
        players: Two or more, in their order.
        format: One of `FORMATS`.
        seeds: Players that a gauntlet sends against all others (not against one another): the first
            ones, at least 1 and fewer than there are players. Other formats know none.

    Raises:
        ArgumentError: An argument that is not as described.

    >>> schedule("abcd", "ladder")
    [('a', 'b'), ('b', 'c'), ('c', 'd')]
    """
    choice(format, "format", FORMATS)
    if len(players) < 2:
        raise ArgumentError(f"players has {len(players)} of them, expected two or more")
    if format == "round-robin":
        found = list(combinations(players, 2))
    elif format == "ladder":
        found = list(pairwise(players))
    else:
        whole_number(seeds, "seeds", 1, len(players) - 1)
        found = [(one, other) for one in players[:seeds] for other in players[seeds:]]
    if format != "gauntlet" and seeds != 1:
        raise ArgumentError(f"seeds is {shown(seeds)}, but only a gauntlet has them")
    return found


def read_players(players: Iterable[PlayerSpec | str]) -> list[PlayerSpec]:
    """The players of a tournament, from their texts.

    Raises:
        NotationError: A text that names no player, with its place in the list.
        ArgumentError: Fewer than two, or one that is there twice, however it is written.
    """
    expected = "two or more players"
    given = list(elements(players, "players", expected))
    if len(given) < 2:
        raise ArgumentError(f"players has {len(given)} of them, expected {expected}")
    specs: dict[str, PlayerSpec] = {}
    for number, player in enumerate(given):
        spec = _read(player, f"players[{number}]")
        if str(spec) in specs:
            raise ArgumentError(
                f"players[{number}] is {str(spec)!r}, which is there already: every player is "
                "given once"
            )
        specs[str(spec)] = spec
    return list(specs.values())


def _read(player: PlayerSpec | str, name: str) -> PlayerSpec:
    if isinstance(player, PlayerSpec):
        return player
    try:
        return PlayerSpec.parse(player)
    except NotationError as error:
        raise NotationError(f"{name}: {error}") from None
