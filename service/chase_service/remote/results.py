"""Jobs while they run, and what they leave."""

from __future__ import annotations

import json as json_text
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from chase_fast.cli.balance import say_balance
from chase_fast.cli.output import note, say, say_json
from chase_fast.cli.progress import Bar
from chase_fast.cli.rundirs import EXIT_FAILED
from chase_fast.errors import ArgumentError
from chase_service.refusal import clean
from chase_service.remote.connection import AnswerError

if TYPE_CHECKING:
    from chase_service.client import Client, Job
    from chase_service.remote.connection import Connection

__all__ = ["OutOption", "check_out", "follow", "interruptible", "save_files", "tell_result"]

OutOption = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", metavar="DIR", help="Keep the files of the job in this folder.",
        show_default="nothing is kept here",
    ),
]  # fmt: skip

_REPORT: Final = "report.json"
# Names come from the server and become paths.
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def check_out(out: Path | None) -> None:
    """Refuses a folder that has something in it, before any work.

    Raises:
        typer.BadParameter: It has, or is no folder.
    """
    if out is None or not out.exists():
        return
    if not out.is_dir():
        raise typer.BadParameter(f"{str(out)!r} is no folder", param_hint="--out")
    if any(out.iterdir()):
        raise typer.BadParameter(f"{str(out)!r} is not empty", param_hint="--out")


def follow(client: Client, connection: Connection, job: Job) -> Job:
    """Shows how far a job has come until it has ended.

    Raises:
        typer.Exit: It failed.
    """
    from chase_service.client import JobState, ServiceError

    kind, began, before = job.spec.WhichOneof("kind") or "job", False, 0
    try:
        with (
            Bar(kind.replace("_", "-"), "games") as bar,
            closing(client.watch_job(job.job_id)) as states,
        ):
            for job in states:
                if job.state is JobState.RUNNING and not began:
                    began, before = True, job.games_done
                    bar.begin(before)
                done, total = job.games_done, job.games_total or None
                bar.update(done, total, done - before, _words(job))
    except ServiceError as error:
        if error.code.name == "UNAVAILABLE":
            again = connection.again("watch", job.job_id)
            note(f"The job goes on when the server is back: {again}")
        raise
    if job.state is JobState.FAILED:
        note(f"chase-fast remote: job {job.job_id} failed: {clean(job.message)}")
        raise typer.Exit(EXIT_FAILED)
    return job


def _words(job: Job) -> str:
    """What a job does that plays no games."""
    if job.state.name == "QUEUED":
        return "waits for its turn"
    if job.done or job.games_done < job.games_total:
        return ""
    return "making the report" if job.games_total else "begins"


@contextmanager
def interruptible(
    client: Client, connection: Connection, job_id: str, *, cancels: bool
) -> Iterator[None]:
    """Ctrl-C in the block says what becomes of a job, and how to come back to it.

    Args:
        client: Of the server.
        connection: How it is reached.
        job_id: Of the job.
        cancels: Whether the job ends then, unless all of its games are played.
    """
    try:
        yield
    except KeyboardInterrupt:
        job = client.get_job(job_id)
        files = connection.again("download", job_id, "--out", "DIR")
        if job.done:
            words = f"has ended; its files: {files}"
        elif cancels and not (job.games_total and job.games_done == job.games_total):
            done = client.cancel_job(job_id).done
            words = f"is {'' if done else 'being '}cancelled; what it has played: {files}"
        else:
            words = f"goes on; to come back to it: {connection.again('watch', job_id)}"
        note(f"interrupted; job {job_id} {words}")
        raise


def tell_result(client: Client, job: Job, *, json: bool) -> None:
    """Prints what a job found.

    Raises:
        typer.Exit: It was cancelled, and found nothing.
    """
    from chase_service.client import JobState

    if _REPORT not in {file.name for file in job.files}:
        if job.state is JobState.SUCCEEDED:
            note(f"job {job.job_id} is done; its kind has no report")
            return
        names = ", ".join(clean(file.name) for file in job.files)
        note(
            f"chase-fast remote: job {job.job_id} was cancelled, it has no report"
            + (f" but {names}" if names else "")
        )
        raise typer.Exit(EXIT_FAILED)
    document = _document(client.read_result(job.job_id, _REPORT))
    if json:
        say_json(document)
    elif document["kind"] == "balance":
        say_balance(document)
    else:
        for sentence in document["verdicts"]:
            say(clean(str(sentence)))


def _document(data: bytes) -> dict[str, Any]:
    from chase_fast.report.document import checked

    try:
        return dict(checked(json_text.loads(data)))
    except (ValueError, ArgumentError) as error:
        raise AnswerError(f"{_REPORT} is no report ({error})") from None


def save_files(client: Client, job: Job, out: Path | None) -> None:
    """Downloads the files of a job.

    Raises:
        OSError: One cannot be written.
    """
    if out is None:
        return
    out.mkdir(parents=True, exist_ok=True)
    for file in job.files:
        if not _NAME.fullmatch(file.name):
            raise AnswerError(f"{clean(file.name)!r} is no name of a file")
        client.download(job.job_id, file.name, out / file.name)
        note(f"wrote {out / file.name} ({file.bytes:,} bytes)")
