"""``chase-fast remote jobs`` and what can be done with one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from chase_fast.cli.options import JsonOption
from chase_fast.cli.output import Column, note, say, say_json, say_table
from chase_service.refusal import clean
from chase_service.remote.connection import Connection, connected
from chase_service.remote.results import OutOption, follow, save_files, tell_result

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
    """List the jobs of a server, the latest first."""
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
                f"{row['games_total']:,}" if row["games_total"] else "", row["created"] or "",
            ]
            for row in found
        ],
    )  # fmt: skip


def watch(connection: Connection, job: JobArgument, json: JsonOption = False) -> None:
    """Wait until a job has ended, and print what it found. Ctrl-C leaves the job alone."""
    with connected("watch", connection) as client:
        tell_result(client, follow(client, job), json=json)


def cancel(connection: Connection, job: JobArgument) -> None:
    """End a job early; what it has played is kept."""
    with connected("cancel", connection) as client:
        found = client.cancel_job(job)
    note(f"job {found.job_id} is cancelled" if not found.done else _ended(found))


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
    note("deleted")


def _ended(job: Job) -> str:
    return f"job {job.job_id} has ended: {job.state.name.lower()}"


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
