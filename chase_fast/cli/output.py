"""What commands print: results on standard output, everything else on standard error."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from chase_fast.textboard import use_colour, use_unicode

# Where nobody looks at a terminal, nothing is cut to a width.
_UNLIMITED = 100_000

MARK = "^"
"""Alone on a line of a message: points at a place in the line above."""

_PREFIXES = ("", "k", "M", "G", "T")


def say(text: str) -> None:
    """A line, or several, of the result."""
    sys.stdout.write(text + "\n")


def note(text: str) -> None:
    """A line, or several, for whoever looks on: no part of the result."""
    if sys.stderr is None:
        return  # closed: nobody wants to know
    if sys.stdout is not None:
        # The result stands first where both go to the same place. What is wrong with standard
        # output shows again when it is flushed at the end, where it is answered for.
        with suppress(OSError, ValueError):
            sys.stdout.flush()
    sys.stderr.write(wrapped(text) + "\n")
    sys.stderr.flush()


def wrapped(text: str) -> str:
    """A message as it fits the terminal, if standard error is one: broken between words.

    Lines that fit stay as they are. A line with a mark under one of its places is not broken but
    cut, to what surrounds the place.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        return text
    room = Console(file=sys.stderr).width
    lines: list[str] = []
    for line in text.split("\n"):
        if line.strip() == MARK and lines:
            lines[-1:] = _cut(lines[-1], line, room)
        else:
            lines.append(line)
    return "\n".join(
        line if under.strip() == MARK else _broken(line, room)
        for line, under in zip(lines, (*lines[1:], ""), strict=True)
    )


def _cut(line: str, mark: str, room: int) -> tuple[str, str]:
    """What surrounds the marked place of a line that is too long, and the mark under it."""
    if len(line) <= room:
        return line, mark
    place = mark.index(MARK)
    first = max(0, min(place - room // 2, len(line) - room))
    shown = line[first : first + room]
    if first:
        shown = "..." + shown[3:]
    if first + room < len(line):
        shown = shown[:-3] + "..."
    return shown, " " * (place - first) + MARK


def _broken(line: str, room: int) -> str:
    if len(line) <= room:
        return line
    indent = " " * (len(line) - len(line.lstrip(" ")))
    return textwrap.fill(
        line.strip(" "),
        room,
        initial_indent=indent,
        subsequent_indent=f"{indent}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def say_json(document: Any) -> None:
    """The result as one JSON document: indented on a terminal, one line for a program."""
    indent = 2 if sys.stdout.isatty() else None
    say(json.dumps(document, indent=indent, allow_nan=False))


def with_unicode() -> bool:
    """Whether standard output can show more than ASCII."""
    return use_unicode(sys.stdout)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        title: Its head.
        align: Where its cells stand.
        style: A style of rich.
        fold: Whether its cells may be broken where the terminal is too narrow.
    """

    title: str
    align: Literal["left", "right"] = "left"
    style: str = ""
    fold: bool = False


def say_table(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
    """A table; a row of no cells is an empty line."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for column in columns:
        table.add_column(
            Text(column.title),
            justify=column.align,
            style=column.style,
            no_wrap=not column.fold,
            overflow="fold" if column.fold else "ellipsis",
        )
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console = stdout_console()
    with console.capture() as captured:
        console.print(table)
    # Padding is of no use to whoever reads the lines; with colours, they end behind it.
    say("\n".join(line.rstrip() for line in captured.get().splitlines()))


def stdout_console() -> Console:
    """A console of rich that follows the same rules about colour as the boards."""
    colour = use_colour(sys.stdout)
    unlimited = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    return Console(
        file=sys.stdout,
        force_terminal=colour,
        no_color=not colour,
        color_system="auto" if colour else None,
        width=_UNLIMITED if unlimited else None,
        highlight=False,
        markup=False,
        emoji=False,
    )


def width() -> int:
    """Columns of standard output; very many where it is no terminal."""
    return stdout_console().width


def si(number: float) -> str:
    """Three significant digits and a prefix: 4302438 is ``4.30 M``."""
    power = 0
    while abs(number) >= 999.5 and power < len(_PREFIXES) - 1:
        number /= 1000
        power += 1
    digits = 0 if abs(number) >= 99.95 or (power == 0 and number == int(number)) else 1
    digits += abs(number) < 9.995 and digits > 0
    return f"{number:.{digits}f} {_PREFIXES[power]}".rstrip()


def count(number: int, noun: str) -> str:
    """``1 game``, ``2 games``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
