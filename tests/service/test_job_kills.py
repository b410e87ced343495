"""A server that is killed at any point of a job: the next one keeps all that was promised."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import grpc
import pytest
from chase_service._pb.chase.v1 import jobs_service_pb2 as pb
from chase_service.config import processors
from chase_service.jobs.points import POINTS

from chase_fast.store import Chunk, Run
from tests.service.jobs import cancel, create, delete, download, ended, listed, rows_of, tournament
from tests.service.running import Running, failure, running, wait_for

pytestmark = pytest.mark.no_core

# Points that are reached again and again while a job is played.
OFTEN = ("run: part", "run: chunk", "run: progress", "change: in the transaction")

KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from chase_service.jobs import points
from chase_service.server import Options, Server

folder, name, times = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
parts = os.open(folder / "parts", os.O_CREAT | os.O_WRONLY | os.O_APPEND)

def hook(reached):
    global times
    if reached == "run: part":
        os.write(parts, b".")
    if reached == name:
        times -= 1
        if times == 0:
            os.kill(os.getpid(), signal.SIGKILL)

points.hook = hook

async def main():
    server = Server(Options(listen="127.0.0.1:0", data=folder))
    await server.start()
    print(server.port, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


class Told(NamedTuple):
    """What the server acknowledged before it was killed.

    Attributes:
        job: The job, as it was last seen.
        deleting: Whether it was asked to delete it.
    """

    job: pb.Job | None = None
    deleting: bool = False


@contextmanager
def doomed(folder: Path, point: str, times: int) -> Iterator[Running]:
    """A server that is killed when it is at a point for the so manieth time."""
    child = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(folder), point, str(times)],
        stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert child.stdout is not None
    with child:
        server = Running.__new__(Running)
        server.channel = grpc.insecure_channel(f"127.0.0.1:{int(child.stdout.readline())}")
        try:
            yield server
        finally:
            server.channel.close()
            child.kill()
        assert child.wait() == -signal.SIGKILL


def life_of_a_job(server: Running, spec: pb.JobSpec, *, cancelling: bool) -> Told:
    """All calls of a job, until the server is gone."""
    told = Told()
    try:
        told = Told(create(server, spec, "mine"))
        assert told.job is not None
        if cancelling:
            cancel(server, told.job.job_id)
        told = Told(ended(server, told.job.job_id), deleting=True)
        assert told.job is not None
        delete(server, told.job.job_id)
    except grpc.RpcError as error:
        if failure(error)[0] is not grpc.StatusCode.UNAVAILABLE:
            raise
        return told
    raise AssertionError("the server lived on")


def chunks_of(folder: Path) -> dict[Path, Chunk]:
    """The chunks that are stored, by the folder of their run."""
    found: dict[Path, Chunk] = {}
    for description in (folder / "jobs").glob("*/run/run.json"):
        with Run.open(description.parent, write=False) as run:
            found |= {
                description.parent / name: chunk for chunk in run.chunks() for name in chunk.files
            }
    return found


def kill_and_go_on(folder: Path, point: str, times: int, pairs: int) -> None:
    """One round."""
    spec = tournament(pairs, ["random", "ab:nodes=300"])
    cancelling = point.startswith("cancel")
    with doomed(folder, point, times) as server:
        told = life_of_a_job(server, spec, cancelling=cancelling)
    stored = chunks_of(folder)
    before = {path: path.stat().st_mtime_ns for path in stored}
    kept = {(chunk.cell, chunk.first) for chunk in stored.values()}
    if not told.deleting:
        # What was begun and is not there is all that is to be played again.
        assert len((folder / "parts").read_bytes()) - len(kept) <= processors()
    began = time.monotonic()
    with running(data=folder) as after:
        found = [job for job in listed(after).jobs if not told.job or job.job_id == told.job.job_id]
        print(f"{point}, {times}: serves again after {time.monotonic() - began:.2f} s")
        if told.deleting and not found:
            wait_for(lambda: not list((folder / "jobs").iterdir()))
            return
        job = ended(after, create(after, spec, "mine").job_id)
        if told.job is not None:
            assert [one.job_id for one in found] == [told.job.job_id] == [job.job_id]
        if cancelling:
            assert job.state in (pb.JOB_STATE_CANCELLED, pb.JOB_STATE_SUCCEEDED)
        else:
            assert job.state == pb.JOB_STATE_SUCCEEDED
        # No file was written again.
        assert {path: path.stat().st_mtime_ns for path in before} == before
        if not job.files:
            assert job.state == pb.JOB_STATE_CANCELLED
            return
        games = rows_of(download(after, job.job_id, "games.parquet"))
        assert len({row[4:6] for row in games}) == len(games) == job.games_done
        if job.state == pb.JOB_STATE_SUCCEEDED:
            assert len(games) == 2 * pairs


@pytest.mark.parametrize(
    "point", ["create: row", "run: chunk", "change: in the transaction", "finish: files",
              "delete: row"],
)  # fmt: skip
def test_killed_at_a_point(tmp_path: Path, point: str) -> None:
    kill_and_go_on(tmp_path, point, 2 if point in OFTEN else 1, 30)


def test_there_are_enough_points() -> None:
    assert len(set(POINTS)) == len(POINTS) >= 20


@pytest.mark.slow
@pytest.mark.parametrize("times", range(1, 6))
@pytest.mark.parametrize("point", POINTS)
def test_killed_at_every_point(tmp_path: Path, point: str, times: int) -> None:
    """More than a hundred rounds."""
    # Progress is noted five times a second, which takes more games.
    noting = point in ("run: progress", "change: in the transaction")
    pairs = 1500 if noting else 60 + 40 * times
    kill_and_go_on(tmp_path, point, times if point in OFTEN else 1, pairs)
