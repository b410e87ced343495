"""The calls of JobsService."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import aclosing
from typing import Final

from google.protobuf.descriptor import ServiceDescriptor

from chase_service._pb.chase.v1 import jobs_service_pb2 as pb
from chase_service.jobmessages import (
    job_message,
    page_of,
    read_request_id,
    read_spec,
    token_after,
)
from chase_service.jobs import Jobs, read_piece
from chase_service.limits import Limits
from chase_service.players import Players
from chase_service.refusal import Reason, Refusal, over_limit
from chase_service.rpc import Call, Handler
from chase_service.tokens import Role
from chase_service.wire import decode

__all__ = ["JobCalls"]

# Bytes of a message that could have more: of a file, or of a page, which ends before it has.
_PIECE: Final = 1 << 20


class JobCalls:
    """The calls of JobsService.

    Args:
        jobs: All jobs.
        limits: Of the server.
        players: Reads the texts of players.
    """

    def __init__(self, jobs: Jobs, limits: Limits, players: Players) -> None:
        self._jobs = jobs
        self._limits = limits
        self._players = players

    def services(self) -> list[tuple[ServiceDescriptor, Mapping[str, Handler]]]:
        """The service with the handlers of its calls, by name."""
        methods: dict[str, Handler] = {
            "CreateJob": self._create,
            "GetJob": self._get,
            "ListJobs": self._list,
            "WatchJob": self._watch,
            "CancelJob": self._cancel,
            "DeleteJob": self._delete,
            "DownloadResult": self._download,
        }
        return [(pb.DESCRIPTOR.services_by_name["JobsService"], methods)]

    async def _create(self, data: bytes, call: Call) -> bytes:
        request = decode(pb.CreateJobRequest, data)
        request_id = read_request_id(request.request_id)
        spec, work = read_spec(request.spec, self._limits, self._players)
        job, known = await self._jobs.create(request_id, spec, work, owner=_owner(call))
        return pb.CreateJobResponse(job=job_message(job), known=known).SerializeToString()

    async def _get(self, data: bytes, call: Call) -> bytes:
        job = self._jobs.get(decode(pb.GetJobRequest, data).job_id, owner=_sees(call))
        return pb.GetJobResponse(job=job_message(job)).SerializeToString()

    async def _list(self, data: bytes, call: Call) -> bytes:
        before, state, size = page_of(decode(pb.ListJobsRequest, data))
        # One more tells whether there is a page that follows.
        found = self._jobs.page(before=before, state=state, most=size + 1, owner=_sees(call))
        jobs: list[pb.Job] = []
        left = _PIECE
        for job in found[:size]:
            message = job_message(job, files=False)
            left -= message.ByteSize()
            if jobs and left < 0:
                break
            jobs.append(message)
        token = token_after(found[len(jobs) - 1], state) if len(found) > len(jobs) else ""
        return pb.ListJobsResponse(jobs=jobs, next_page_token=token).SerializeToString()

    async def _watch(self, data: bytes, call: Call) -> None:
        request = decode(pb.WatchJobRequest, data)
        watching = self._jobs.watch(request.job_id, request.after_sequence, owner=_sees(call))
        async with aclosing(watching) as jobs:
            async for job in jobs:
                await call.write(pb.WatchJobResponse(job=job_message(job)).SerializeToString())

    async def _cancel(self, data: bytes, call: Call) -> bytes:
        name = decode(pb.CancelJobRequest, data).job_id
        job = await self._jobs.cancel(name, owner=_sees(call))
        return pb.CancelJobResponse(job=job_message(job)).SerializeToString()

    async def _delete(self, data: bytes, call: Call) -> bytes:
        await self._jobs.delete(decode(pb.DeleteJobRequest, data).job_id, owner=_sees(call))
        return pb.DeleteJobResponse().SerializeToString()

    async def _download(self, data: bytes, call: Call) -> None:
        request = decode(pb.DownloadResultRequest, data)
        path, size = self._jobs.file(request.job_id, request.name, owner=_sees(call))
        offset: int = request.offset
        if offset > size:
            raise over_limit("offset", offset, "bytes of the file", size)
        while offset < size:
            try:
                piece = await asyncio.to_thread(read_piece, path, offset, _PIECE)
            except FileNotFoundError:
                raise Refusal(Reason.NOT_FOUND, "the job was deleted", field="job_id") from None
            if not piece:
                return
            await call.write(pb.DownloadResultResponse(data=piece).SerializeToString())
            offset += len(piece)


def _owner(call: Call) -> str:
    """What a job that is created is marked with; empty where nobody has a token."""
    return "" if call.token is None else call.token.name


def _sees(call: Call) -> str | None:
    """Whose jobs alone exist for a call; None: all do, as it may see them or nobody has a token."""
    return None if call.token is None or call.token.may(Role.ADMIN) else call.token.name
