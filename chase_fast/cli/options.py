"""Arguments and options that commands share, and how their text is read."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable, Iterable
from typing import Annotated

import typer

from chase_fast import Game, InvalidPositionError, NotationError, Position, Rules
from chase_fast.batch import MAX_THREADS, processors
from chase_fast.errors import ChaseError, InvalidRulesError

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
        raise typer.BadParameter(
            f"{reprlib.repr(text)}, expected an integer from {low} to {high} in decimal digits",
            param_hint=hint,
        )

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
            raise typer.BadParameter(
                _explain(error.reasons, cfen, error.offset), param_hint="CFEN"
            ) from error
    else:
        start = Position.start(rules)
    game = Game(start)
    for text in (text for texts in play or () for text in texts.split()):
        try:
            game.push(text)
        except NotationError as error:
            reasons = _explain([str(error)], text, error.offset)
            raise typer.BadParameter(reasons, param_hint="--play") from error
        except ChaseError as error:
            raise typer.BadParameter(f"{text}: {error}", param_hint="--play") from error
    return game


def threads_of(given: int | None) -> int:
    """The number of threads: as given, or one for each processor this process may use."""
    return processors() if given is None else given


def _explain(reasons: Iterable[str], text: str, offset: int | None) -> str:
    """Every reason on a line of its own, and a mark under the place in the text."""
    lines = list(reasons)
    if offset is not None and len(text) <= _LONGEST_SHOWN and text.isprintable():
        lines += [text, f"{' ' * offset}^"]
    return "\n".join(lines)
