"""Room for jobs: what is refused where there is none, and what a full disk does."""

from __future__ import annotations

import errno
import os
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
from chase_service._pb.chase.v1 import jobs_service_pb2 as pb
from chase_service.client import JobState, ServiceError
from chase_service.config import Config
from chase_service.jobs import manager, points
from chase_service.jobs.running import Running as Job

from tests.service.jobs import create, delete, ended, endless, listed, tournament
from tests.service.running import Running, running, wait_for
from tests.service.watching import log_lines

pytestmark = pytest.mark.no_core

Code = grpc.StatusCode


def refused(call: Callable[..., Any], *arguments: Any, **options: Any) -> ServiceError:
    """A call of the client that finds no room."""
    with pytest.raises(ServiceError) as raised:
        call(*arguments, **options)
    assert raised.value.code is Code.RESOURCE_EXHAUSTED
    return raised.value


def pragma(server: Running, text: str) -> int:
    """Changes the base of the server's jobs."""
    jobs: Any = server.server
    base = jobs._jobs._base
    with base._lock:
        row: tuple[int] | None = base._base.execute(f"pragma {text}").fetchone()
    return 0 if row is None else row[0]


# ---- Limits -------------------------------------------------------------------------------------


def test_no_more_jobs_are_kept_than_the_limit(tmp_path: Path) -> None:
    with running(data=tmp_path, config=Config(max_kept_jobs=2)) as server:
        first = server.client.create_job(tournament(pairs=1), request_id="first").job_id
        ended(server, first)
        create(server, tournament(pairs=1))
        error = refused(server.client.create_job, tournament(pairs=1))
        assert (error.reason, error.retry_after) == ("KEPT_JOBS", None)
        assert "the limit kept_jobs of this server; delete some" in str(error)
        assert server.client.create_job(tournament(pairs=1), request_id="first").job_id == first
        delete(server, first)
        assert create(server, tournament(pairs=1)).job_id != first


def test_a_disk_that_is_nearly_full_takes_no_job(tmp_path: Path) -> None:
    with running(data=tmp_path) as server:
        known = server.client.create_job(tournament(pairs=1), request_id="known").job_id
    with running(data=tmp_path, config=Config(min_free_mib=1 << 30)) as server:
        error = refused(server.client.create_job, tournament(pairs=1))
        assert error.reason == "STORAGE"
        assert error.retry_after is not None
        assert server.client.create_job(tournament(pairs=1), request_id="known").job_id == known
        assert ended(server, known).state == pb.JOB_STATE_SUCCEEDED
        assert len(listed(server).jobs) == 1


# ---- Disks that fail ----------------------------------------------------------------------------


def test_a_full_disk_takes_no_job_until_there_is_room(tmp_path: Path) -> None:
    with running(data=tmp_path) as server:
        create(server, endless())
        pragma(server, f"max_page_count = {pragma(server, 'page_count')}")

        def fill() -> None:
            for _ in range(100):
                server.client.create_job(tournament())

        with log_lines(tmp_path) as log:
            error = refused(fill)
        assert error.reason == "STORAGE"
        assert error.retry_after is not None
        assert str(tmp_path) not in repr(error)
        faults = [line for line in log.all if "traceback" in line]
        assert "database or disk is full" in faults[0]["traceback"]
        before = len(listed(server, page_size=100).jobs)
        refused(server.client.create_job, tournament(), request_id="later")
        assert len(listed(server, page_size=100).jobs) == before
        pragma(server, "max_page_count = 1000000")
        server.client.create_job(tournament(), request_id="later")
        assert len(listed(server, page_size=100).jobs) == before + 1


def test_a_disk_that_cannot_be_written_is_not_a_fault_of_the_server(tmp_path: Path) -> None:
    with running(data=tmp_path) as server:
        done = ended(server, create(server, tournament(pairs=1)).job_id).job_id
        waiting = create(server, endless()).job_id
        pragma(server, "query_only = 1")
        client = server.client
        for call in (
            lambda: client.create_job(tournament()),
            lambda: client.cancel_job(waiting),
            lambda: client.delete_job(done),
        ):
            error = refused(call)
            assert error.reason == "STORAGE"
            assert error.retry_after is not None
        assert (tmp_path / "jobs" / done / "results" / "games.parquet").exists()
        pragma(server, "query_only = 0")
        client.cancel_job(waiting)
        client.delete_job(done)
        assert ended(server, waiting).state == pb.JOB_STATE_CANCELLED
        assert not (tmp_path / "jobs" / done).exists()


def test_what_is_wrong_with_the_base_itself_stays_a_fault(tmp_path: Path) -> None:
    with running(data=tmp_path) as server:
        with sqlite3.connect(tmp_path / "jobs.sqlite") as other:
            other.execute("alter table job rename to gone")
        other.close()
        with pytest.raises(ServiceError) as raised:
            server.client.create_job(tournament())
        assert (raised.value.code, raised.value.reason) == (Code.INTERNAL, "INTERNAL")


def test_a_job_whose_files_find_no_room_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manager, "RETRY_SECONDS", 0.01)
    tries: list[Path] = []

    def fill(point: str) -> None:
        if point == "finish: child":
            (part,) = tmp_path.glob("data/jobs/*/results.part")
            tries.append(part)
            if len(tries) == 1:
                (part / "games.parquet").symlink_to("/dev/full")

    monkeypatch.setattr(points, "hook", fill)
    with log_lines(tmp_path) as log, running(data=tmp_path / "data") as server:
        job = ended(server, create(server, tournament(pairs=1)).job_id)
    assert job.state == pb.JOB_STATE_SUCCEEDED, job.message
    assert len(tries) == 2
    (told,) = [line for line in log.all if "wrote errors" in line["message"]]
    assert (told["level"], told["job"]) == ("error", job.job_id)
    assert os.strerror(28) in told["traceback"]


def test_a_job_whose_files_cannot_be_read_does_not_stand_in_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manager, "RETRY_SECONDS", 0.01)
    damaged = threading.Event()
    damaged.set()
    play = Job.play

    def failing(job: Job) -> None:
        if job.name == names[0] and damaged.is_set():
            raise OSError(errno.EIO, "the disk fails")
        play(job)

    names: list[str] = []
    with running(data=tmp_path) as server:
        waiting = create(server, endless()).job_id
        names += [create(server, tournament(pairs=1)).job_id for _ in range(3)]
        monkeypatch.setattr(Job, "play", failing)
        server.client.cancel_job(waiting)
        for name in names[1:]:
            assert ended(server, name).state == pb.JOB_STATE_SUCCEEDED
        assert server.client.get_job(names[0]).state is JobState.QUEUED
        damaged.clear()
        assert ended(server, names[0]).state == pb.JOB_STATE_SUCCEEDED


# ---- What goes wrong beside the server ----------------------------------------------------------


def test_the_log_tells_what_the_process_for_the_files_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damage(point: str) -> None:
        if point == "run: played":
            for path in tmp_path.glob("data/jobs/*/run/*/*.parquet"):
                path.write_bytes(b"nothing")

    monkeypatch.setattr(points, "hook", damage)
    with log_lines(tmp_path) as log, running(data=tmp_path / "data") as server:
        job = ended(server, create(server, tournament(pairs=1)).job_id)
        assert job.state == pb.JOB_STATE_FAILED
        assert job.message == "a fault of the server; its log says more"
        wait_for(lambda: "fault in job" in log.text)
    told, fault = [line for line in log.all if "traceback" in line]
    assert told["job"] == fault["job"] == job.job_id
    assert told["level"] == "error"
    assert told["traceback"].startswith("Traceback")
    assert "finish" in told["traceback"]
