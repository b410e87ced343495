"""``chase-fast perft``: sequences of decisions or turns, counted."""

from __future__ import annotations

import time
from typing import Annotated, Any, Literal

import typer

import chase_fast as cf
from chase_fast.cli.options import (
    CfenArgument,
    JsonOption,
    PlayOption,
    RulesOption,
    ThreadsOption,
    integer,
    read_game,
    read_one_rules,
    threads_of,
)
from chase_fast.cli.output import note, say, say_json, si
from chase_fast.cli.progress import Bar


def perft(
    depth: Annotated[
        int,
        typer.Argument(
            metavar="DEPTH",
            parser=integer("DEPTH", 0, cf.MAX_PERFT_DEPTH),
            help="Length of the sequences.",
        ),
    ],
    cfen: CfenArgument = None,
    rules: RulesOption = None,
    play: PlayOption = None,
    unit: Annotated[
        Literal["decision", "turn"], typer.Option(help="What DEPTH counts.")
    ] = "decision",
    divide: Annotated[
        bool, typer.Option("--divide", help="Also print the count of each first decision.")
    ] = False,
    expect: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=integer("--expect", 0, 2**64 - 1),
            help="Fail, and print the counts of the first decisions, if it is not N.",
        ),
    ] = None,
    threads: ThreadsOption = None,
    json: JsonOption = False,
) -> None:
    """Count the sequences of DEPTH decisions, or turns."""
    if divide and depth == 0:
        raise typer.BadParameter(
            f"'0', expected an integer from 1 to {cf.MAX_PERFT_DEPTH} with --divide",
            param_hint="DEPTH",
        )
    position = read_game(cfen, read_one_rules(rules), play).position
    options: dict[str, Any] = {"unit": unit, "threads": threads_of(threads)}
    began = time.perf_counter()
    counts: dict[cf.Move, int] | None = None
    with Bar(f"perft {depth}", "decisions" if unit == "decision" else "turns") as bar:
        if divide or (expect is not None and depth > 0):
            counts = cf.divide(position, depth, **options, progress=bar.update)
            nodes = sum(counts.values())
        else:
            nodes = cf.perft(position, depth, **options, progress=bar.update)
    seconds = time.perf_counter() - began
    differs = expect is not None and nodes != expect
    shown = counts if counts is not None and (divide or differs) else {}
    if json:
        document = {
            "cfen": position.cfen,
            "rules": str(position.rules),
            "depth": depth,
            **options,
            "nodes": nodes,
            "expected": expect,
            "divide": {str(move): count for move, count in shown.items()} or None,
            "seconds": seconds,
        }
        say_json(document)
    else:
        digits = len(str(nodes))
        for move, count in shown.items():
            say(f"{move!s:<9}  {count:>{digits}}")
        say(f"{'total':<9}  {nodes}" if shown else str(nodes))
        if seconds > 0:
            note(f"{seconds:.2f} s, {si(nodes / seconds)} {unit}s/s")
    if differs:
        note(f"chase-fast: perft {depth} is {nodes}, expected {expect}")
        raise typer.Exit(1)
