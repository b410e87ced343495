"""Arguments and options that commands share, and how their text is read."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated

import typer

from chase_fast import (
    MAX_TURN_LIMIT,
    Game,
    InvalidPositionError,
    NotationError,
    Position,
    Rules,
)
from chase_fast.batch import MAX_SEED, MAX_THREADS, processors
from chase_fast.cli.output import MARK
from chase_fast.errors import ChaseError, InvalidRulesError
from chase_fast.openings import MAX_OPENING_TURNS

# What a decision looks like, whether or not it can be one; exchanges are whole.
_EXCHANGE = r"[a-i][1-9]=[1-6],[a-i][1-9]=[1-6]"
_DECISION = re.compile(
    rf"{_EXCHANGE}|[a-i][1-9](?:NE|NW|SE|SW|E|W)|\+[a-i][1-9]|stop", re.IGNORECASE
)
# In lists that others write commas stand between decisions, and numbers before turns.
_PIECE = re.compile(rf"{_EXCHANGE}|[^,;\s]+", re.IGNORECASE)
_TURN_NUMBER = re.compile(r"(?<!\S)\d+\.")
_EXAMPLE = "a5NE i5SE"

# No number that is allowed anywhere has more; Python itself refuses to read very long ones.
_MOST_DIGITS = 30


def integer(hint: str, low: int, high: int) -> Callable[[str | int], int]:
    """What reads an integer from the command line, for ``parser=`` of typer.

    Digits alone are read: ``2.0``, ``1_0``, ``1e2`` and spaces are refused.

    Args:
        hint: The option or argument, for messages.
        low: The lowest value allowed, 0 or more.
        high: The highest.

    Returns:
        A function that raises `typer.BadParameter` for any other text; integers, such as a
        default, it hands back.
    """

    def read(text: str | int) -> int:
        if isinstance(text, int):
            return text
        if re.fullmatch(f"[0-9]{{1,{_MOST_DIGITS}}}", text) and low <= int(text) <= high:
            return int(text)
        reason = f"{reprlib.repr(text)}, expected an integer from {low} to {high} in decimal digits"
        if _DECISION.fullmatch(text):
            reason += f"\nseveral decisions need quotes: --play {_EXAMPLE!r}"
        raise typer.BadParameter(reason, param_hint=hint)

    return read


RulesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--rules",
        "-r",
        metavar="TEXT",
        help="A name, options such as reserve=2,chain=yes, or both; 'chase-fast rules' lists them.",
        show_default="standard",
    ),
]

SeveralRulesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--rules",
        "-r",
        metavar="TEXT",
        help="As 'chase-fast rules' lists them; give it several times to compare.",
        show_default="standard",
    ),
]

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]

CfenArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="CFEN", help="A position, in quotes or not.", show_default="the start of the rules"
    ),
]

PlayOption = Annotated[
    list[str] | None,
    typer.Option(
        "--play",
        "-p",
        metavar="DECISIONS",
        help="Make these decisions first, such as 'a5NE i5SE'; may be repeated.",
    ),
]

ThreadsOption = Annotated[
    int | None,
    typer.Option(
        "--threads",
        "-t",
        metavar="N",
        parser=integer("--threads", 1, MAX_THREADS),
        help="Threads; results do not depend on it.",
        show_default="one for each processor",
    ),
]

SeedOption = Annotated[
    int,
    typer.Option(metavar="N", parser=integer("--seed", 0, MAX_SEED), help="Of openings and games."),
]

WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers",
        "-w",
        metavar="N",
        parser=integer("--workers", 1, MAX_THREADS),
        help="Games played side by side; results do not depend on it.",
        show_default="one for each processor",
    ),
]

OpeningTurnsOption = Annotated[
    int,
    typer.Option(
        metavar="K",
        parser=integer("--opening-turns", 0, MAX_OPENING_TURNS),
        help="Random turns of each opening, an even number.",
    ),
]

OpeningsOption = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Read the openings from there, a line of decisions each."),
]

BoundOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        parser=integer("--bound", 0, 32000),
        help="Refuse openings whose evaluation is beyond so many thousandths of a die.",
    ),
]

MaxTurnsOption = Annotated[
    int,
    typer.Option(
        metavar="N",
        parser=integer("--max-turns", 1, MAX_TURN_LIMIT),
        help="Turns after the opening after which a game ends without a winner.",
    ),
]

# Longer texts would not fit under their error message on most terminals.
_LONGEST_SHOWN = 100


def read_rules(text: str) -> Rules:
    """Rules from ``--rules``.

    Raises:
        typer.BadParameter: It cannot be read.
    """
    try:
        return Rules.parse(text)
    except InvalidRulesError as error:
        raise typer.BadParameter(str(error), param_hint="--rules") from error


def read_one_rules(texts: list[str] | None) -> Rules:
    """Rules from the ``--rules`` of a command that takes one.

    Args:
        texts: All that were given; none is ``standard``.

    Raises:
        typer.BadParameter: There are several, or it cannot be read.
    """
    if texts and len(texts) > 1:
        raise typer.BadParameter(
            f"given {len(texts)} times, but this command takes one", param_hint="--rules"
        )
    return read_rules(texts[0] if texts else "standard")


def read_game(words: list[str] | None, rules: Rules, play: list[str] | None) -> Game:
    """The game that starts at a position and goes on with some decisions.

    Args:
        words: The CFEN, as one word or one for each of its fields; None is the start.
        rules: The rules.
        play: Texts of one or more decisions each.

    Raises:
        typer.BadParameter: A text that cannot be read, or a decision that is not legal.
    """
    if words:
        cfen = " ".join(words)
        try:
            start = Position.parse(cfen, rules)
        except InvalidPositionError as error:
            reasons = _stray_decisions(cfen, play) or _explain(error.reasons, cfen, error.offset)
            raise typer.BadParameter("\n".join(reasons), param_hint="CFEN") from error
    else:
        start = Position.start(rules)
    game = Game(start)
    for text in (text for texts in play or () for text in texts.split()):
        try:
            game.push(text)
        except NotationError as error:
            reasons = [*_explain([str(error)], text, error.offset), *_better_form(play or [])]
            raise typer.BadParameter("\n".join(reasons), param_hint="--play") from error
        except ChaseError as error:
            raise typer.BadParameter(f"{text}: {error}", param_hint="--play") from error
    return game


def threads_of(given: int | None) -> int:
    """The number of threads: as given, or one for each processor this process may use."""
    return processors() if given is None else given


def _explain(reasons: Iterable[str], text: str, offset: int | None) -> list[str]:
    """Every reason on a line of its own, and a mark under the place in the text."""
    lines = list(reasons)
    if offset is not None and len(text) <= _LONGEST_SHOWN and text.isprintable():
        lines += [text, f"{' ' * offset}{MARK}"]
    return lines


def _better_form(texts: Sequence[str]) -> list[str]:
    """How decisions should have been written, if they can be told for all that."""
    given = " ".join(texts)
    form = _read_loosely(given)
    if form is None or form == given:
        return []
    return [f"expected decisions with spaces between them, as in --play {form!r}"]


def _stray_decisions(text: str, play: Sequence[str] | None) -> list[str]:
    """What to do about decisions that stand where a position is expected."""
    form = _read_loosely(" ".join((*(play or ()), text)))
    if form is None or not _DECISION.match(text):
        return []
    return [f"{text!r} is no position; decisions are made with --play {form!r}"]


def _read_loosely(text: str) -> str | None:
    """Decisions in the form that is read; None for what does not look like decisions."""
    pieces = _PIECE.findall(_TURN_NUMBER.sub("", text))
    if not pieces or not all(map(_DECISION.fullmatch, pieces)):
        return None
    form = " ".join(map(_canonical, pieces))
    return form if len(form) <= _LONGEST_SHOWN else _EXAMPLE


def _canonical(decision: str) -> str:
    """A decision with its letters as they are read: all lower case but a direction."""
    low = decision.lower()
    return low[:2] + low[2:].upper() if low[2:].isalpha() and low != "stop" else low
