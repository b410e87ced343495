"""Players that callers may name. Others would run commands or read files for a stranger."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from chase_fast.agents import PlayerSpec
from chase_fast.errors import ArgumentError, NotationError
from chase_service.limits import Limits
from chase_service.refusal import Reason, Refusal, over_limit

__all__ = ["KINDS", "Players"]

KINDS: Final = ("random", "greedy", "ab", "mcts")
"""Kinds that the engine plays itself."""

_NAME: Final = re.compile(r"[a-z][a-z0-9_-]{0,31}")
_MAX_TEXT: Final = 500

# Options that name a file or a command.
_REFUSED: Final = frozenset({"weights", "cmd"})
_OF_PROGRAMS: Final = ("nodes", "depth", "time")

# Options and the field of `Limits` that bounds them.
_BOUNDED: Final = {
    "nodes": "nodes",
    "sims": "sims",
    "depth": "depth",
    "time": "seconds",
    "hash": "hash_mib",
    "threads": "threads",
}


class Players:
    """Reads the texts of players as they come from the wire.

    Args:
        programs: Command lines by the name under which the operator offers them.
        limits: What their options may be.

    Raises:
        ArgumentError: A name that is no name, or that of a kind, or a command that is empty.
    """

    def __init__(self, programs: Mapping[str, str], limits: Limits) -> None:
        self._limits = limits
        self._programs: dict[str, PlayerSpec] = {}
        for name, command in programs.items():
            if not _NAME.fullmatch(name) or name in KINDS or name == "ext":
                raise ArgumentError(
                    f"engine is {name!r}, expected a name of lower-case letters, digits, - and _ "
                    f"that is not {', '.join(KINDS)} or ext"
                )
            if not command.strip():
                raise ArgumentError(f"engine {name} has no command")
            self._programs[name] = PlayerSpec.parse("ext:cmd=x").replace(cmd=command)

    @property
    def names(self) -> tuple[str, ...]:
        """What a player's text may begin with."""
        return (*KINDS, *self._programs)

    def read(self, text: str, field: str) -> PlayerSpec:
        """The player that a text names.

        Args:
            text: From the wire.
            field: Where it stood, for the refusal.

        Raises:
            Refusal: PLAYER_REFUSED before anything else is looked at, INVALID_PLAYER, OVER_LIMIT.
        """
        kind, _, rest = text[:_MAX_TEXT].partition(":")
        if kind not in self.names:
            raise _refused(field, f"expected one of {', '.join(self.names)}")
        # Only texts that name files or commands need quotes.
        names = {item.partition("=")[0].strip().lower() for item in rest.split(",")}
        if '"' in rest or names & _REFUSED:
            raise _refused(field, "options that name a file or a command are not for callers")
        if len(text) > _MAX_TEXT:
            raise _invalid(field, f"longer than {_MAX_TEXT} characters")
        try:
            spec = self._parsed(kind, text, rest)
        except NotationError as error:
            raise _invalid(field, str(error)) from None
        for option, value in spec.given:
            bound = getattr(self._limits, _BOUNDED.get(option, ""), None)
            if bound is not None and value > bound:
                raise over_limit(field, value, _BOUNDED[option], bound, what=f"{field}: {option}")
        return spec

    def _parsed(self, kind: str, text: str, rest: str) -> PlayerSpec:
        if kind in KINDS:
            return PlayerSpec.parse(text)
        names = [item.partition("=")[0].strip().lower() for item in rest.split(",")] if rest else []
        wrong = [name for name in names if name not in _OF_PROGRAMS]
        if wrong:
            expected = ", ".join(_OF_PROGRAMS)
            raise NotationError(f"unknown option {wrong[0]!r:.40} of {kind}, expected {expected}")
        # Those that there are have those of ab for their grammar, and its command is ours.
        given = PlayerSpec.parse(f"ab:{rest}").given if rest else ()
        return self._programs[kind].replace(**dict(given))


def _refused(field: str, why: str) -> Refusal:
    return Refusal(Reason.PLAYER_REFUSED, f"{field}: this player is refused, {why}", field=field)


def _invalid(field: str, why: str) -> Refusal:
    return Refusal(Reason.INVALID_PLAYER, f"{field}: {why}", field=field)
