"""From a player's text to a player."""

from __future__ import annotations

from chase_fast._core import Rules
from chase_fast.agents.base import Player
from chase_fast.agents.core import CoreAgent
from chase_fast.agents.spec import PlayerSpec


def make_player(
    player: PlayerSpec | str, rules: Rules | None = None, *, start: bool = True
) -> Player:
    """A player for some rules.

    Args:
        player: Its text, or that parsed.
        rules: What it plays under, by default the standard rules.
        start: Whether a program is started at once, to see that it does, or by its first game.

    Raises:
        NotationError: The text names no player.
        ArgumentError: Its table would be larger than memory.
        WeightsError: Its weight file cannot be read.
        PlayerError: A program that does not start.
    """
    spec = player if isinstance(player, PlayerSpec) else PlayerSpec.parse(player)
    if rules is None:
        rules = Rules()
    if spec.kind != "ext":
        return CoreAgent(spec, rules)
    from chase_fast.agents.external import ExternalAgent  # processes cost import time

    return ExternalAgent(spec, rules, start=start)
