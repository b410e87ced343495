"""One text names a player: ``ab:nodes=10000,eps=0.05``.

Grammar: a player is a kind, then, after a colon, options ``name=value`` with commas between them.
A value has no commas and no quotes, or stands in double quotes, where a backslash goes before a
quote or a backslash that is meant. A name is given once. `OPTIONS` is the one table that says what
there is; parsing, help and documents follow it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from chase_fast._arguments import instance, shown
from chase_fast._core import (
    FULL_ROLLOUT,
    MAX_DEPTH,
    MAX_HASH_MIB,
    MAX_TEMP,
    REDUCE_ALL,
    REDUCTIONS,
    TREE_POLICIES,
)
from chase_fast.errors import NotationError

Value = int | float | str | bool
Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a kind of player.

    Attributes:
        name: As written.
        kind: ``int``, ``float``, ``yes/no``, ``text``, or ``reductions`` and ``rollout``, which
            have words besides numbers, or ``one of`` with `words`.
        default: Value where it is not given, or None where there is none.
        help: One line.
        low: Least number.
        high: Greatest number.
        words: What may be given instead of, or in place of, a number.
    """

    name: str
    kind: str
    default: Value | None
    help: str
    low: int | float = 0
    high: int | float = 0
    words: tuple[str, ...] = ()

    @property
    def allowed(self) -> str:
        """What may be given, in words."""
        match self.kind:
            case "int" | "float":
                number = "an integer" if self.kind == "int" else "a number"
                return f"{number} from {self.low} to {self.high}"
            case "yes/no":
                return "yes or no"
            case "text":
                return "a text"
            case "reductions":
                return f"all, none, or some of {', '.join(self.words)} joined by +"
            case "rollout":
                return f"an integer from {self.low} to {self.high}, or full"
            case _:
                return f"one of {', '.join(self.words)}"

    def read(self, text: str) -> Value:
        """The value that a text stands for; ValueError if it is not allowed."""
        match self.kind:
            case "int":
                return self._bounded(_digits(text))
            case "float":
                return self._bounded(_decimal(text))
            case "yes/no":
                return {"yes": True, "no": False}[text]
            case "reductions":
                return _mask(text)
            case "rollout":
                return FULL_ROLLOUT if text == "full" else self._bounded(_digits(text))
            case "text":
                if not text:
                    raise ValueError(text)
                return text
            case _:
                if text not in self.words:
                    raise ValueError(text)
                return text

    def _bounded(self, number: Number) -> Number:
        if not self.low <= number <= self.high:
            raise ValueError(number)
        return number

    def write(self, value: Value) -> str:
        """The text of a value; `read` gives it back."""
        match self.kind:
            case "yes/no":
                return "yes" if value else "no"
            case "reductions":
                return _mask_text(int(value))
            case "rollout":
                return "full" if value == FULL_ROLLOUT else str(value)
            case "float":
                return f"{value:.17g}" if float(f"{value:g}") != value else f"{value:g}"
            case "text":
                escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
                return f'"{escaped}"'
            case _:
                return str(value)


def _digits(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 20):
        raise ValueError(text)
    return int(text)


def _decimal(text: str) -> float:
    if not text.isascii() or set(text) - set("0123456789.e-+"):
        raise ValueError(text)
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _mask(text: str) -> int:
    if text in ("all", "none"):
        return REDUCE_ALL if text == "all" else 0
    bits = [1 << REDUCTIONS.index(word) for word in text.split("+")]
    if len(set(bits)) < len(bits):
        raise ValueError(text)
    return sum(bits)


def _mask_text(mask: int) -> str:
    if mask in (0, REDUCE_ALL):
        return "all" if mask else "none"
    return "+".join(word for bit, word in enumerate(REDUCTIONS) if mask >> bit & 1)


_MAX_COUNT: Final = 10**18
_MAX_SECONDS: Final = 10**6

_SEED = Option("seed", "int", 0, "of its random numbers", 0, 2**64 - 1)
_EPS = Option("eps", "float", 0.0, "share of its turns played at random", 0, 1)
_TEMP = Option(
    "temp", "int", 0, "chooses among near-best decisions: the loss, in thousandths of a die, at "
    "which one has 1/e of the best one's chance", 0, MAX_TEMP,
)  # fmt: skip
_WEIGHTS = Option("weights", "text", None, "weight file instead of the one for the rules")
_TIME = Option("time", "float", None, "seconds a decision", 0.001, _MAX_SECONDS)
_HASH = Option("hash", "int", 64, "most MiB of its table or tree", 1, MAX_HASH_MIB)
_NODES = Option(
    "nodes", "int", None, "nodes (decisions applied) it may search at a time", 1, _MAX_COUNT
)
_DEPTH = Option("depth", "int", None, "decisions it looks ahead", 1, MAX_DEPTH)

OPTIONS: Final[Mapping[str, tuple[Option, ...]]] = {
    "random": (_SEED,),
    "greedy": (_SEED, _EPS, _TEMP, _WEIGHTS),
    "ab": (
        _NODES, _DEPTH, _TIME, _SEED, _EPS, _TEMP, _HASH,
        Option("threads", "int", 1, "threads that share the table; with more than one, games "
               "cannot be repeated exactly", 1, 256),
        Option("table", "yes/no", True, "uses a transposition table"),
        Option("reductions", "reductions", REDUCE_ALL, "ways to search less than everything",
               words=REDUCTIONS),
        Option("verify", "yes/no", False, "the exact minimax score over the quiescence, slowly"),
        _WEIGHTS,
    ),
    "mcts": (
        Option("sims", "int", None, "simulations a decision", 1, _MAX_COUNT),
        _TIME, _SEED, _EPS, _TEMP, _HASH,
        Option("policy", "one of", "puct", "how it descends the tree", words=TREE_POLICIES),
        Option("c", "float", 1.5, "constant of exploration; 0.3 if it is not given with policy=uct",
               0.001, 100),
        Option("rollout", "rollout", 8, "random decisions before the evaluation; full: to the end "
               "of the game", 0, 1000),
        _WEIGHTS,
    ),
    "ext": (
        Option("cmd", "text", None, "command line of a program that speaks the protocol; split "
               "like a shell does, never run by one"),
        _NODES, _DEPTH, _TIME,
        Option("timeout", "float", 60.0, "seconds after which it has lost on time; beyond its "
               "time= where that is given, then 0.5 if not said", 0.1, _MAX_SECONDS),
    ),
}  # fmt: skip
"""Kinds of players and their options, in the order in which they are printed."""

SUMMARIES: Final[Mapping[str, str]] = {
    "random": "any legal decision, each with the same chance",
    "greedy": "the decision with the best evaluation after its turn",
    "ab": "alpha-beta; nodes=10000 if no limit is given",
    "mcts": "tree search; sims=1000 if no limit is given",
    "ext": "another program",
}
"""One line for each kind."""

_LIMITS: Final = {
    "ab": ({"nodes", "depth", "time"}, "nodes", 10_000),
    "mcts": ({"sims", "time"}, "sims", 1000),
}


@dataclass(frozen=True, slots=True)
class PlayerSpec:
    """What a player's text says; equal when it says the same.

    Attributes:
        kind: One of `OPTIONS`.
        given: The options that were given, and the default limit if none was, in the order of
            `OPTIONS`.
    """

    kind: str
    given: tuple[tuple[str, Value], ...]

    @classmethod
    def parse(cls, text: str) -> PlayerSpec:
        """Reads a player's text.

        Raises:
            NotationError: What is wrong, where, and what is allowed.
        """
        instance(text, "player", str, "a text such as ab:nodes=1000")
        kind, colon, rest = text.partition(":")
        if kind not in OPTIONS:
            raise NotationError(f"unknown player {shown(kind)}, expected {', '.join(OPTIONS)}", 0)
        table = {option.name: option for option in OPTIONS[kind]}
        values: dict[str, Value] = {}
        for offset, name, value in _items(rest, len(kind) + 1) if colon else ():
            if name not in table:
                raise NotationError(
                    f"unknown option {shown(name)} of {kind}, expected {', '.join(table)}", offset
                )
            if name in values:
                raise NotationError(f"option {name} is given twice", offset)
            try:
                values[name] = table[name].read(value)
            except (ValueError, KeyError):
                raise NotationError(
                    f"{name} is {shown(value)}, expected {table[name].allowed}", offset
                ) from None
        return cls._of(kind, values)

    @classmethod
    def _of(cls, kind: str, values: dict[str, Value]) -> PlayerSpec:
        limits, name, default = _LIMITS.get(kind, (set(values), "", 0))
        if kind in _LIMITS and not limits & set(values):
            values = {**values, name: default}
        if kind == "ext" and "cmd" not in values:
            raise NotationError('ext needs cmd="..."', None)
        order = [option.name for option in OPTIONS[kind]]
        return cls(kind, tuple((name, values[name]) for name in order if name in values))

    def get(self, name: str) -> Any:
        """The value of an option, its default where it was not given."""
        for given, value in self.given:
            if given == name:
                return value
        return next(option.default for option in OPTIONS[self.kind] if option.name == name)

    @property
    def reproducible(self) -> bool:
        """Whether its games depend on nothing but rules, opening, players and seed.

        Programs, clocks and several threads do not let them.
        """
        if self.kind == "ext":
            return False
        if self.kind in ("ab", "mcts") and self.get("time") is not None:
            return False
        return self.kind != "ab" or self.get("threads") == 1

    @property
    def deterministic(self) -> bool:
        """Whether it plays without chance: from the same position always the same."""
        return (
            self.kind == "ab"
            and self.reproducible
            and not self.get("eps")
            and not self.get("temp")
        )

    def replace(self, **changes: Value | None) -> PlayerSpec:
        """The same player with other options; None takes one away.

        Raises:
            NotationError: An option that this kind does not have.
        """
        values = dict(self.given)
        for name, value in changes.items():
            if name not in {option.name for option in OPTIONS[self.kind]}:
                raise NotationError(f"unknown option {shown(name)} of {self.kind}")
            values.pop(name, None)
            if value is not None:
                values[name] = value
        return self._of(self.kind, values)

    def __str__(self) -> str:
        table = {option.name: option for option in OPTIONS[self.kind]}
        items = ",".join(f"{name}={table[name].write(value)}" for name, value in self.given)
        return f"{self.kind}:{items}" if items else self.kind


def _items(text: str, offset: int) -> Iterator[tuple[int, str, str]]:
    """Offset, name and value of each option."""
    at = 0
    while True:
        name, equals, _ = text[at:].partition("=")
        if not equals or not name or "," in name or '"' in name:
            raise NotationError(f"expected name=value, got {shown(text[at:])}", offset + at)
        start = at + len(name) + 1
        value, end = _quoted(text, start, offset) if text[start : start + 1] == '"' else (None, 0)
        if value is None:
            comma = text.find(",", start)
            end = len(text) if comma < 0 else comma
            value = text[start:end]
            if '"' in value:
                where = offset + start + value.index('"')
                raise NotationError("a quote may only stand around a whole value", where)
        yield offset + at, name, value
        if end == len(text):
            return
        if text[end] != ",":
            raise NotationError(f"expected a comma, got {shown(text[end])}", offset + end)
        at = end + 1


def _quoted(text: str, start: int, offset: int) -> tuple[str, int]:
    """The value that begins with a quote at `start`, and where it ends."""
    out: list[str] = []
    at = start + 1
    while at < len(text):
        if text[at] == '"':
            return "".join(out), at + 1
        if text[at] == "\\" and text[at + 1 : at + 2] in ('"', "\\"):
            at += 1
        out.append(text[at])
        at += 1
    raise NotationError("the quote is not closed", offset + start)
