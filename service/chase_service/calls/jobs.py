"""The calls of jobs, and files of results that are whole or not there."""

from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

import grpc
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from chase_service._pb.chase.v1 import jobs_service_pb2 as pb
from chase_service.calls.arguments import asked
from chase_service.calls.failures import ServiceError
from chase_service.calls.plans import Plan, call_path, one
from chase_service.calls.results import Job, JobFile, JobState
from chase_service.calls.streams import Reading

__all__ = [
    "Download",
    "PartFile",
    "Watch",
    "cancel_job",
    "create_job",
    "delete_job",
    "file_of",
    "get_job",
    "job_page",
]

_PIECE = 1 << 20


def create_job(spec: pb.JobSpec, request_id: str) -> Plan[None, Job]:
    """A call of CreateJob; it always has an id, so that it can be tried again."""
    request = asked(pb.CreateJobRequest, request_id=request_id or uuid.uuid4().hex, spec=spec)
    return one("Jobs", "CreateJob", request, pb.CreateJobResponse, lambda one: _job(one.job))


def get_job(job_id: str) -> Plan[None, Job]:
    """A call of GetJob."""
    request = asked(pb.GetJobRequest, job_id=job_id)
    return one("Jobs", "GetJob", request, pb.GetJobResponse, lambda one: _job(one.job))


def job_page(
    state: JobState | None, page_size: int, token: str
) -> Plan[None, tuple[list[Job], str]]:
    """A call of ListJobs: the jobs of a page, and the token of the next one, empty at the end."""
    request = asked(pb.ListJobsRequest, page_size=page_size, page_token=token, state=state or 0)
    return one(
        "Jobs", "ListJobs", request, pb.ListJobsResponse,
        lambda page: ([_job(one) for one in page.jobs], page.next_page_token),
    )  # fmt: skip


def cancel_job(job_id: str) -> Plan[None, Job]:
    """A call of CancelJob."""
    request = asked(pb.CancelJobRequest, job_id=job_id)
    return one("Jobs", "CancelJob", request, pb.CancelJobResponse, lambda one: _job(one.job))


def delete_job(job_id: str) -> Plan[None, None]:
    """A call of DeleteJob."""
    request = asked(pb.DeleteJobRequest, job_id=job_id)
    return one("Jobs", "DeleteJob", request, pb.DeleteJobResponse, lambda _: None)


def _job(message: pb.Job) -> Job:
    try:
        state = JobState(message.state)
    except ValueError:
        text = f"job {message.job_id} is in state {message.state}, which this client does not know"
        raise ServiceError(grpc.StatusCode.INTERNAL, text) from None
    return Job(
        job_id=message.job_id,
        request_id=message.request_id,
        spec=message.spec,
        state=state,
        sequence=message.sequence,
        games_done=message.games_done,
        games_total=message.games_total,
        created=_time(message.create_time),
        started=_time(message.start_time),
        ended=_time(message.end_time),
        message=message.message,
        files=tuple(JobFile(one.name, one.bytes, one.sha256) for one in message.files),
    )


def _time(stamp: Timestamp) -> datetime | None:
    """A time that is absent reads as the year 1970."""
    return stamp.ToDatetime(UTC) if stamp.ToNanoseconds() else None


def file_of(job: Job, name: str) -> JobFile:
    """A file of a job.

    Raises:
        ServiceError: NOT_FOUND; FAILED_PRECONDITION while the job has not ended.
    """
    for file in job.files:
        if file.name == name:
            return file
    if not job.done:
        raise ServiceError(
            grpc.StatusCode.FAILED_PRECONDITION,
            f"job {job.job_id} has not ended, it has no files yet", reason="WRONG_STATE",
        )  # fmt: skip
    there = ", ".join(file.name for file in job.files) or "none"
    raise ServiceError(
        grpc.StatusCode.NOT_FOUND, f"job {job.job_id} has no file of that name, it has: {there}",
        reason="NOT_FOUND", field="name",
    )  # fmt: skip


class Watch(Reading[Job]):
    """A job whenever it has changed, until it has ended."""

    path = call_path("Jobs", "WatchJob")

    def __init__(self, job_id: str, after: int) -> None:
        self._request = asked(pb.WatchJobRequest, job_id=job_id, after_sequence=after)
        self._done = False

    def request(self) -> Message | None:
        """See `Reading.request`."""
        if self._done:
            return None
        return self._request

    def read(self, data: bytes) -> Iterable[Job]:
        """See `Reading.read`."""
        job = _job(pb.WatchJobResponse.FromString(data).job)
        self._request.after_sequence = max(self._request.after_sequence, job.sequence)
        self._done = job.done
        return (job,)

    def ended(self) -> None:
        """See `Reading.ended`."""
        if not self._done:
            message = f"the server ended the stream before job {self._request.job_id} has ended"
            raise ServiceError(grpc.StatusCode.INTERNAL, message)


class Download(Reading[bytes]):
    """A file of a job, from some byte on.

    Args:
        job_id: Of the job.
        file: What it should be.
        have: Bytes that are there.
        digest: SHA-256 of them.
    """

    path = call_path("Jobs", "DownloadResult")

    def __init__(
        self, job_id: str, file: JobFile, have: int = 0, digest: hashlib._Hash | None = None
    ) -> None:
        self._job_id = job_id
        self._file = file
        self._have = have
        self._digest = hashlib.sha256() if digest is None else digest

    def request(self) -> Message | None:
        """See `Reading.request`."""
        if self._have == self._file.bytes:
            return None
        return pb.DownloadResultRequest(
            job_id=self._job_id, name=self._file.name, offset=self._have
        )

    def read(self, data: bytes) -> Iterable[bytes]:
        """See `Reading.read`."""
        piece = pb.DownloadResultResponse.FromString(data).data
        self._have += len(piece)
        if self._have > self._file.bytes:
            raise self._wrong(f"has more than the {self._file.bytes} bytes that the job tells of")
        self._digest.update(piece)
        return (piece,)

    def ended(self) -> None:
        """See `Reading.ended`."""
        if self._have < self._file.bytes:
            raise self._wrong(f"ended after {self._have} of {self._file.bytes} bytes")

    def check(self) -> None:
        """Compares what came with what should have.

        Raises:
            ServiceError: DATA_LOSS, it is something else.
        """
        if self._digest.hexdigest() != self._file.sha256:
            raise self._wrong("is not what the job tells of: its SHA-256 is another")

    def _wrong(self, what: str) -> ServiceError:
        return ServiceError(grpc.StatusCode.DATA_LOSS, f"{self._file.name} {what}")


class PartFile:
    """A file that appears under its name when all of it has come; until then ``NAME.part``.

    A context manager. A part of an earlier try is gone on with, unless it is too long. One that
    turns out to be wrong is removed.

    Args:
        job_id: Of the job.
        file: What it should be.
        path: Where to.

    Attributes:
        reading: What is missing.

    Raises:
        OSError: It cannot be opened.
    """

    def __init__(self, job_id: str, file: JobFile, path: str | Path) -> None:
        self._path = Path(path)
        self._part = self._path.with_name(f"{self._path.name}.part")
        self._stream = self._part.open("a+b")
        digest, have = hashlib.sha256(), 0
        try:
            self._stream.seek(0)
            while piece := self._stream.read(_PIECE):
                digest.update(piece)
                have += len(piece)
            if have > file.bytes:
                self._stream.truncate(0)
                digest, have = hashlib.sha256(), 0
        except BaseException:
            self._stream.close()
            raise
        self.reading = Download(job_id, file, have, digest)

    def write(self, piece: bytes) -> None:
        """Adds a piece.

        Raises:
            OSError: It cannot be written.
        """
        self._stream.write(piece)

    def finish(self) -> None:
        """Checks the whole, and gives it its name.

        Raises:
            ServiceError: DATA_LOSS, it is something else.
            OSError: It cannot be written.
        """
        try:
            self.reading.check()
        except ServiceError:
            self._part.unlink()
            raise
        self._stream.flush()
        os.fsync(self._stream.fileno())
        self._part.replace(self._path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stream.close()
