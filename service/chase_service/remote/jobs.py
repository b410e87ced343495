"""``chase-fast remote jobs`` and what can be done with one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from chase_fast.cli.options import JsonOption
from chase_fast.cli.output import Column, note, say, say_json, say_table
from chase_service.refusal import clean
from chase_service.remote.connection import Connection, connected
from chase_service.remote.results import (
    OutOption,
    follow,
    interruptible,
    save_files,
    tell_result,
)

if TYPE_CHECKING:
    from datetime import datetime

    from chase_service.client import Job

__all__ = ["cancel", "delete", "download", "jobs", "watch"]

JobArgument = Annotated[str, typer.Argument(metavar="JOB", help="The id of a job.")]

_COLUMNS = (
    Column("job"),
    Column("kind"),
    Column("state"),
    Column("games", "right"),
    Column("of", "right"),
    Column("created"),
)


def jobs(connection: Connection, json: JsonOption = False) -> None:
    """List the jobs of a server, the latest first.

    'games' are played, 'of' so many; before a job begins that is not known. Those of balance are
    more than was asked for: some games vary openings and weights, to see what that changes.
    """
    with connected("jobs", connection) as client:
        found = [_row(job) for job in client.list_jobs()]
    if json:
        say_json(found)
        return
    say_table(
        _COLUMNS,
        [
            [
                row["job"], row["kind"], row["state"], f"{row['games_done']:,}",
                f"{row['games_total']:,}" if row["games_total"] else "-", row["created"] or "",
            ]
            for row in found
        ],
    )  # fmt: skip
    if any(row["kind"] == "balance" for row in found):
        note("Games of balance: those of its rows, and those that vary openings and weights.")


def watch(connection: Connection, job: JobArgument, json: JsonOption = False) -> None:
    """Wait until a job has ended, and print what it found. Ctrl-C leaves the job alone."""
    with (
        connected("watch", connection) as client,
        interruptible(client, connection, job, cancels=False),
    ):
        tell_result(client, follow(client, connection, client.get_job(job)), json=json)


def cancel(connection: Connection, job: JobArgument) -> None:
    """End a job early; what it has played is kept."""
    with connected("cancel", connection) as client:
        found = client.cancel_job(job)
    if not found.done:
        # What it has played is written, which takes a moment.
        note(f"job {found.job_id} is being cancelled")
    elif found.state.name == "CANCELLED":
        note(f"job {found.job_id} is cancelled")
    else:
        note(f"job {found.job_id} had ended: {found.state.name.lower()}")


def download(connection: Connection, job: JobArgument, out: OutOption = None) -> None:
    """Get the files of a job that has ended, or list them without --out."""
    with connected("download", connection) as client:
        found = client.get_job(job)
        if not found.done:
            raise typer.BadParameter(f"job {found.job_id} has not ended", param_hint="JOB")
        if out is None:
            for file in found.files:
                say(f"{file.bytes:>12,}  {clean(file.name)}")
        else:
            save_files(client, found, out)


def delete(connection: Connection, job: JobArgument) -> None:
    """Remove a job that has ended, and its files."""
    with connected("delete", connection) as client:
        client.delete_job(job)
    note(f"job {job} is deleted")


def _row(job: Job) -> dict[str, Any]:
    return {
        "job": job.job_id,
        "kind": job.spec.WhichOneof("kind"),
        "state": job.state.name.lower(),
        "games_done": job.games_done,
        "games_total": job.games_total or None,
        "created": _time(job.created),
        "started": _time(job.started),
        "ended": _time(job.ended),
        "message": clean(job.message) or None,
    }


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.strftime("%Y-%m-%dT%H:%M:%SZ")
