"""What commands share that play runs: the folder's options, and what is said of it."""

from __future__ import annotations

import json
import shlex
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from chase_fast.agents import PlayerError
from chase_fast.cli import EXIT_USAGE
from chase_fast.cli.output import note
from chase_fast.errors import StoreError

OutOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="DIR",
        help="Keep the run in this folder, missing or empty, and write the report there.",
        show_default="nothing is kept",
    ),
]
ResumeOption = Annotated[
    bool,
    typer.Option(
        "--resume",
        help="Go on with the run in --out; begin it if there is none, tell it if it is finished.",
    ),
]

EXIT_FAILED = 1


def need(command: str, *extras: str) -> None:
    """Ends the command where packages of an extra are missing."""
    packages = {
        "stats": ("scipy", "statsmodels"),
        "store": ("pyarrow",),
        "report": ("matplotlib", "jinja2"),
        "service": ("grpc", "grpc_status", "grpc_health", "prometheus_client", "cryptography"),
    }
    missing = [extra for extra in extras if any(find_spec(one) is None for one in packages[extra])]
    if missing:
        names = ",".join(missing)
        note(
            f"chase-fast {command}: needs the extra {names!r}.\n"
            f"Install it with: pip install 'chase-fast[{names}]', in a clone: make build"
        )
        raise typer.Exit(EXIT_USAGE)


def check_folder(out: Path | None, resume: bool) -> None:
    """Refuses what cannot be meant."""
    if resume and out is None:
        raise typer.BadParameter("needs --out, the folder of the run", param_hint="--resume")


@contextmanager
def keeping(command: str, out: Path | None, words: Sequence[str] | None = None) -> Iterator[None]:
    """Says how to go on with a run that is broken off, and what is wrong with its folder.

    Args:
        command: Name of the command, for messages.
        out: Folder of the run; None where nothing is kept.
        words: A command line that repeats the run; by default as the run has it.

    Raises:
        typer.Exit: The folder cannot be used, or a program among the players does not start.
        KeyboardInterrupt: It was interrupted.
    """
    try:
        yield
    except KeyboardInterrupt:
        if out is None:
            note("interrupted; without --out nothing is kept")
        elif (out / "run.json").exists():
            note(f"interrupted; what is finished is kept. To go on: {_again(out, words)}")
        raise
    except StoreError as error:
        note(f"chase-fast {command}: {error}")
        raise typer.Exit(EXIT_USAGE) from None
    except PlayerError as error:
        note(f"chase-fast {command}: {error}")
        raise typer.Exit(EXIT_FAILED) from None
    except (OSError, sqlite3.Error) as error:
        where, reason = out, str(error)
        if isinstance(error, OSError):
            where, reason = error.filename or out, error.strerror or reason
        note(f"chase-fast {command}: {where}: {reason}")
        if out is not None and (out / "run.json").exists():
            note(f"What is finished is kept. To go on: {_again(out, words)}")
        raise typer.Exit(EXIT_FAILED) from None


def _again(out: Path, words: Sequence[str] | None) -> str:
    """The command line that goes on with a run."""
    if words is None:
        words = json.loads((out / "run.json").read_bytes())["command"]
    more = [] if "--out" in words else ["--out", str(out)]
    return shlex.join([*words, *more, *([] if "--resume" in words else ["--resume"])])


def tell_damaged(damaged: Sequence[str]) -> None:
    """Names files that were damaged."""
    for name in damaged:
        note(f"{name} was damaged or missing; its games were played again")


def write_pages(document: dict[str, Any], out: Path | None) -> None:
    """Writes the report of a kept run, and says where."""
    if out is None:
        return
    from chase_fast.report import write_report  # matplotlib costs import time

    note(f"wrote {write_report(document, out)}")
