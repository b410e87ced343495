"""Calls of JobsService, for tests."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pyarrow.parquet as pq
from chase_service._pb.chase.v1 import jobs_service_pb2 as pb

from tests.service.running import Running

JOBS = "/chase.v1.JobsService/"
PLAYERS = ["random", "greedy"]


def tournament(pairs: int = 20, players: list[str] | None = None, **more: Any) -> pb.JobSpec:
    job = pb.TournamentJob(players=players or PLAYERS, pairs=pairs, **more)
    return pb.JobSpec(seed=5, tournament=job)


def endless() -> pb.JobSpec:
    """Days of play."""
    return pb.JobSpec(self_play=pb.SelfPlayJob(player="ab:nodes=3000", pairs=10_000))


def create(server: Running, spec: pb.JobSpec, request_id: str = "") -> pb.Job:
    request = pb.CreateJobRequest(request_id=request_id, spec=spec)
    return server.call(f"{JOBS}CreateJob", request, pb.CreateJobResponse).job


def get(server: Running, job_id: str) -> pb.Job:
    return server.call(f"{JOBS}GetJob", pb.GetJobRequest(job_id=job_id), pb.GetJobResponse).job


def watch(server: Running, job_id: str, after: int = 0) -> Iterator[pb.Job]:
    request = pb.WatchJobRequest(job_id=job_id, after_sequence=after)
    for message in server.stream(f"{JOBS}WatchJob", request, pb.WatchJobResponse):
        yield message.job


def ended(server: Running, job_id: str) -> pb.Job:
    return list(watch(server, job_id))[-1]


def cancel(server: Running, job_id: str) -> pb.Job:
    request = pb.CancelJobRequest(job_id=job_id)
    return server.call(f"{JOBS}CancelJob", request, pb.CancelJobResponse).job


def delete(server: Running, job_id: str) -> None:
    request = pb.DeleteJobRequest(job_id=job_id)
    server.call(f"{JOBS}DeleteJob", request, pb.DeleteJobResponse)


def download(server: Running, job_id: str, name: str, offset: int = 0) -> bytes:
    request = pb.DownloadResultRequest(job_id=job_id, name=name, offset=offset)
    pieces = server.stream(f"{JOBS}DownloadResult", request, pb.DownloadResultResponse)
    return b"".join(piece.data for piece in pieces)


def listed(server: Running, **request: Any) -> pb.ListJobsResponse:
    return server.call(f"{JOBS}ListJobs", pb.ListJobsRequest(**request), pb.ListJobsResponse)


def rows_of(data: bytes) -> list[tuple[Any, ...]]:
    table = pq.read_table(io.BytesIO(data))
    columns = [table.column(name).to_pylist() for name in table.column_names]
    return sorted(zip(*columns, strict=True), key=lambda row: (row[0], row[4], row[5]))
