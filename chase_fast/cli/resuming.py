"""What is told when a run ends before its time: what is kept, and how to go on."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from chase_fast.agents import PlayerError
from chase_fast.cli.output import note

_FAILED = 1


@contextmanager
def resumable(command: str, out: str | None) -> Iterator[None]:
    """Says how to go on, wherever the run that is played in the block ends early.

    Args:
        command: That plays it.
        out: Its folder; None where nothing is kept.

    Raises:
        typer.Exit: The folder cannot be written, or a program does not start.
        KeyboardInterrupt: It was interrupted.
    """
    try:
        yield
    except KeyboardInterrupt:
        note(f"chase-fast {command}: {_kept(out)}")
        raise
    except PlayerError as error:
        note(f"chase-fast {command}: {error}")
        raise typer.Exit(_FAILED) from None
    except BrokenPipeError:
        raise
    except OSError as error:
        where = error.filename if error.filename is not None else out or "the temporary folder"
        note(f"chase-fast {command}: {where}: {error.strerror or error}\n{_kept(out)}")
        raise typer.Exit(_FAILED) from None
    except sqlite3.Error as error:
        where = out or "the temporary folder"
        note(f"chase-fast {command}: {where}: {error}\n{_kept(out)}")
        raise typer.Exit(_FAILED) from None


def _kept(out: str | None) -> str:
    if out is None:
        return "nothing was kept; with --out DIR a run can be gone on with"
    if not (Path(out) / "run.json").exists():
        return "nothing was played yet"
    return f"the games that were finished are in {out}; the same command with --resume goes on"
