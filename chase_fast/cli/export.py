"""``chase-fast export``: the games of a run as records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from chase_fast.cli.files import STANDARD, record_writer, writing_packed
from chase_fast.cli.options import integer
from chase_fast.cli.output import count, note
from chase_fast.cli.progress import Bar
from chase_fast.cli.rundirs import need


def read_target(text: str) -> str:
    """The value of ``--to``.

    Raises:
        typer.BadParameter: There is no such format.
    """
    if text not in ("auto", "text", "json"):
        raise typer.BadParameter(f"{text!r}, expected one of auto, text, json")
    return text


def export(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="The folder of a run.")],
    out: Annotated[
        str,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Write there: lines of JSON if the name ends in .jsonl, otherwise text; .gz may "
            "follow. - is standard output.",
        ),
    ] = STANDARD,
    to: Annotated[
        str,
        typer.Option(
            metavar="FORMAT", callback=read_target, help="text or json, whatever the name."
        ),
    ] = "auto",
    games: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=integer("--games", 1, 10**12),
            help="No more than the first N.",
            show_default="all",
        ),
    ] = None,
) -> None:
    """Write the games of a run as records.

    Games whose decisions were not kept are played again, which gives the same ones.
    """
    need("export", "store")
    from chase_fast.runs import opened, records

    target: Literal["auto", "text", "json"] = "auto"
    if to != "auto":
        target = "text" if to == "text" else "json"
    written = 0
    with opened(Path(folder)) as (run, plan):
        total = sum(chunk.rows for chunk in run.chunks())
        if games is not None:
            total = min(total, games)
        with writing_packed(out, param_hint="--out") as stream, Bar("export", "games") as bar:
            writer = record_writer(stream, out, target)
            for record in records(run, plan, most=games):
                writer.write(record)
                written += 1
                bar.update(written, total, written)
            writer.flush()
    if out != STANDARD:
        note(f"wrote {count(written, 'game')} to {out}")
