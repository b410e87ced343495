"""Sections that reports of both kinds have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from chase_fast.report.boards import sample_board
from chase_fast.report.document import Document
from chase_fast.report.parts import Block, Code, Game, KeyEntry, Panel, Section, Table
from chase_fast.report.plots import css, series_style
from chase_fast.report.words import UNKNOWN, percent, percent_with, whole

UNFINISHED = "This run has not ended: every figure is of the games played so far."

TERMINATIONS = {
    "dice": "too few dice",
    "no_decision": "no legal decision",
    "repetition": "repetition",
    "turn_limit": "turn limit",
    "illegal": "illegal decision",
    "crash": "crash",
    "time": "time",
}
"""How games end, in words; what stands in no such list keeps its name."""


def facts(document: Document) -> list[str]:
    """What stands below the title."""
    engine = document["engine"]
    return [f"Chase Fast {engine.get('version', UNKNOWN)}", str(document["created"])]


def warnings_of(document: Document) -> list[str]:
    """What to bear in mind; first of all that a run has not ended."""
    unfinished = [] if document["complete"] else [UNFINISHED]
    return unfinished + list(document.get("warnings") or [])


def key_of(names: Sequence[str]) -> list[KeyEntry]:
    """The key of lines drawn in the styles of their numbers; none for a single line."""
    styles = [series_style(number) for number in range(len(names))]
    entries = [
        KeyEntry(css(colour), dash, name)
        for (colour, dash), name in zip(styles, names, strict=True)
    ]
    return entries if len(entries) > 1 else []


def termination_names(rows: Sequence[Sequence[Mapping[str, Any]]]) -> list[str]:
    """All terminations of several lists, each once, in the order in which they first appear."""
    return list(dict.fromkeys(item["name"] for row in rows for item in row))


def termination_label(name: str) -> str:
    """A termination in words."""
    return TERMINATIONS.get(name, name)


def termination_cell(rows: Sequence[Mapping[str, Any]], name: str) -> str:
    """The share of a termination with its interval; 0 where the list has it not."""
    for row in rows:
        if row["name"] == name:
            return percent_with(row["share"], row.get("low"), row.get("high"))
    return percent(0.0)


def samples(document: Document) -> list[Section]:
    """The sample games, if there are any."""
    blocks: list[Block] = []
    for sample in document.get("samples") or []:
        boards = [
            Panel(board.get("caption", ""), partial(sample_board, board["cfen"], board["rules"]))
            for board in sample.get("boards") or []
        ]
        blocks.append(Game(sample.get("title", ""), boards, sample.get("text", "")))
    return [Section("samples", "Sample games", blocks)] if blocks else []


def how_made(document: Document, more: Sequence[tuple[str, str]] = ()) -> Section:
    """Versions, machine, openings and seed, and the command that repeats the run."""
    engine, openings = document["engine"], document["openings"] or {}
    commit = engine.get("commit")
    version = str(engine.get("version", UNKNOWN)) + (f", commit {commit}" if commit else "")
    rows = [
        ("Chase Fast", version),
        ("Instruction set", str(engine.get("isa", UNKNOWN))),
        ("Python", str(engine.get("python", UNKNOWN))),
        ("Machine", str(document["machine"])),
        ("Made", str(document["created"])),
        ("Seed", str(document["seed"])),
        *_openings(openings),
        ("Turn limit of a game", whole(document.get("max_turns"))),
        *more,
        ("Result hash", str(document.get("result_hash") or UNKNOWN)),
    ]
    table = Table(("", ""), rows, "What was used", frozenset({0, 1}))
    return Section("made", "How it was made", [table, Code(document["command"])])


def _openings(openings: Mapping[str, Any]) -> list[tuple[str, str]]:
    if not openings:
        return [("Openings", "none: every game from the start")]
    source = openings.get("source")
    number = f"{whole(openings.get('count'))} of {openings.get('turns', UNKNOWN)} turns each"
    refused = openings.get("refused_share")
    rows = [
        ("Openings", number + (f", from {source}" if source else "")),
        ("Hash of the openings", str(openings.get("sha256") or UNKNOWN)),
    ]
    if refused is not None:
        rows.append(("Candidates refused as openings", percent(refused)))
    return rows
