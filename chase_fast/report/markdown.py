"""A report as Markdown, in the dialect of GitHub."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import assert_never

from chase_fast.report.parts import Block, Code, Figure, Game, Prose, Report, Section, Table

# What means something anywhere, what does so at the start of a line, and the number of a list.
_SPECIAL = re.compile(r"([\\`*_\[\]<|~$]|&(?=#?\w+;))")
_AT_START = re.compile(r"^([-+](?= )|[#>=])")
_NUMBERED = re.compile(r"^(\d+)(?=[.)] )")


def markdown_text(report: Report) -> str:
    """The whole report; text from outside stays text."""
    parts = [f"# {_text(report.title)}", _text(" · ".join(report.facts))]
    if report.verdicts:
        parts += ["## Verdict", _list(report.verdicts)]
    if report.warnings:
        parts += ["## Warnings", _list(report.warnings)]
    for section in report.sections:
        parts += _section(section)
    return "\n\n".join(part for part in parts if part) + "\n"


def _section(section: Section) -> Iterator[str]:
    yield f"## {_text(section.title)}"
    for block in section.blocks:
        yield from _block(block)


def _block(block: Block) -> Iterator[str]:
    match block:
        case Table():
            yield from _table(block)
        case Figure():
            # The picture is in the HTML file; here are its numbers, where no table has them yet.
            if block.table is not None:
                yield from _table(block.table)
        case Prose():
            yield _list(block.lines)
        case Code():
            yield _fence(block.text)
        case Game():
            yield f"### {_text(block.title)}"
            yield _fence(block.record)
        case _:
            assert_never(block)


def _table(table: Table) -> Iterator[str]:
    yield _text(table.caption)
    marks = [":--" if column in table.text else "--:" for column in range(len(table.headings))]
    lines = [[_text(text) for text in table.headings], marks]
    lines += [[_text(text) for text in row] for row in table.rows]
    yield "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _list(lines: Sequence[str]) -> str:
    return "\n".join(f"- {_text(line)}" for line in lines)


def _fence(text: str) -> str:
    """Text kept as it is, between fences that are longer than any in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text.rstrip()}\n{fence}"


def _text(text: str) -> str:
    """Text on one line that Markdown shows as it is."""
    line = _SPECIAL.sub(r"\\\1", " ".join(text.split()))
    return _AT_START.sub(r"\\\1", _NUMBERED.sub(r"\1\\", line))
