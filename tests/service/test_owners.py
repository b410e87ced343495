"""Whose jobs are whose: by the wire, and in bases of earlier versions."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from chase_service._pb.chase.v1 import jobs_service_pb2 as pb
from chase_service.jobs.records import JobBase, State
from chase_service.server import Options
from chase_service.tokens import Role, new_token
from google.protobuf.message import Message

from tests.service.running import PATIENCE, Running, failure, running, start_fault

pytestmark = pytest.mark.no_core

Code = grpc.StatusCode
JOBS = "/chase.v1.JobsService/"
SPEC = pb.JobSpec(self_play=pb.SelfPlayJob(player="random", pairs=2))
LONG = pb.JobSpec(self_play=pb.SelfPlayJob(player="ab:nodes=3000", pairs=10_000))


class Caller:
    """Calls of one who has a token, or none."""

    def __init__(self, server: Running, token: str | None) -> None:
        self._server = server
        self._metadata = () if token is None else (("authorization", f"Bearer {token}"),)

    def _call(self, name: str, request: Message) -> Any:
        kind = getattr(pb, f"{name}Response")
        return self._server.call(f"{JOBS}{name}", request, kind, metadata=self._metadata)

    def _stream(self, name: str, request: Message) -> list[Any]:
        call: Any = self._server.channel.unary_stream(f"{JOBS}{name}")
        kind = getattr(pb, f"{name}Response")
        data = request.SerializeToString()
        answers = call(data, timeout=PATIENCE, metadata=self._metadata)
        return [kind.FromString(answer) for answer in answers]

    def create(self, spec: pb.JobSpec = SPEC, request_id: str = "") -> pb.CreateJobResponse:
        made: pb.CreateJobResponse = self._call(
            "CreateJob", pb.CreateJobRequest(spec=spec, request_id=request_id)
        )
        return made

    def get(self, job_id: str) -> pb.Job:
        job: pb.Job = self._call("GetJob", pb.GetJobRequest(job_id=job_id)).job
        return job

    def listed(self) -> list[str]:
        found, token = [], ""
        while True:
            request = pb.ListJobsRequest(page_size=1, page_token=token)
            page = self._call("ListJobs", request)
            found += [job.job_id for job in page.jobs]
            token = page.next_page_token
            if not token:
                return found

    def watch(self, job_id: str) -> pb.Job:
        job: pb.Job = self._stream("WatchJob", pb.WatchJobRequest(job_id=job_id))[-1].job
        return job

    def cancel(self, job_id: str) -> pb.Job:
        job: pb.Job = self._call("CancelJob", pb.CancelJobRequest(job_id=job_id)).job
        return job

    def delete(self, job_id: str) -> None:
        self._call("DeleteJob", pb.DeleteJobRequest(job_id=job_id))

    def download(self, job_id: str) -> bytes:
        request = pb.DownloadResultRequest(job_id=job_id, name="games.parquet")
        return b"".join(piece.data for piece in self._stream("DownloadResult", request))


# Of one job.
CALLS = (Caller.get, Caller.watch, Caller.cancel, Caller.delete, Caller.download)

MADE = {
    name: new_token(name, roles)
    for name, roles in {"ann": [Role.JOB], "bob": [Role.JOB], "root": [Role.ADMIN]}.items()
}


@pytest.fixture(scope="module")
def tokens(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tokens") / "tokens"
    path.write_text("".join(f"{token.line}\n" for token, _ in MADE.values()))
    return path


@pytest.fixture
def server(tokens: Path, tmp_path: Path) -> Iterator[Running]:
    with running(tokens=tokens, data=tmp_path / "data") as started:
        yield started


def caller(server: Running, name: str) -> Caller:
    return Caller(server, MADE[name][1])


def refused(call: Any, *arguments: Any) -> tuple[Code, str]:
    with pytest.raises(grpc.RpcError) as raised:
        call(*arguments)
    return failure(raised.value)


def test_jobs_of_others_are_not_there(server: Running) -> None:
    ann, bob = caller(server, "ann"), caller(server, "bob")
    under_way = ann.create(LONG).job
    done = bob.create().job
    assert (under_way.owner, done.owner) == ("ann", "bob")
    for call in CALLS:
        # As for a job that never was, but for its id.
        for mine, job in ((bob, under_way), (ann, done)):
            expected = refused(call, mine, "none")
            assert expected[0] is Code.NOT_FOUND
            found = refused(call, mine, job.job_id)
            assert found == (expected[0], expected[1].replace("none", job.job_id))
    assert ann.listed() == [under_way.job_id]
    assert bob.listed() == [done.job_id]
    assert ann.get(under_way.job_id).state in (pb.JOB_STATE_QUEUED, pb.JOB_STATE_RUNNING)
    ann.cancel(under_way.job_id)
    assert ann.watch(under_way.job_id).state == pb.JOB_STATE_CANCELLED
    assert bob.watch(done.job_id).state == pb.JOB_STATE_SUCCEEDED
    assert bob.download(done.job_id)
    bob.delete(done.job_id)
    assert bob.listed() == []


def test_admins_see_all(server: Running) -> None:
    ann, root = caller(server, "ann"), caller(server, "root")
    job, own = ann.create(LONG).job, root.create().job
    assert root.listed() == [own.job_id, job.job_id]
    assert root.get(job.job_id).owner == "ann"
    root.cancel(job.job_id)
    assert root.watch(job.job_id).state == pb.JOB_STATE_CANCELLED
    root.delete(job.job_id)
    assert ann.listed() == []
    assert refused(ann.get, own.job_id)[0] is Code.NOT_FOUND


def test_each_has_its_own_request_ids(server: Running) -> None:
    first = {name: caller(server, name).create(SPEC, "once") for name in MADE}
    again = {name: caller(server, name).create(SPEC, "once") for name in MADE}
    assert len({made.job.job_id for made in first.values()}) == len(MADE)
    for name in MADE:
        assert (first[name].known, again[name].known) == (False, True)
        assert first[name].job.job_id == again[name].job.job_id
        assert again[name].job.owner == name


def test_jobs_outlive_the_tokens(tokens: Path, tmp_path: Path) -> None:
    """Of a server without tokens everybody sees all; its jobs are nobody's on one that has them."""
    with running(data=tmp_path) as server:
        nobody = Caller(server, None).create().job
        assert nobody.owner == ""
    with running(data=tmp_path, tokens=tokens) as server:
        ann = caller(server, "ann").create().job
        assert caller(server, "ann").listed() == [ann.job_id]
        assert caller(server, "root").listed() == [ann.job_id, nobody.job_id]
        assert refused(caller(server, "ann").get, nobody.job_id)[0] is Code.NOT_FOUND
    with running(data=tmp_path) as server:
        assert Caller(server, None).listed() == [ann.job_id, nobody.job_id]


# ---- Bases of earlier versions ------------------------------------------------------------------

VERSION_0 = """
create table if not exists job (
    number integer primary key autoincrement,
    id text not null unique,
    request_id text unique,
    spec blob not null,
    work text not null,
    state integer not null,
    cancelling integer not null default 0,
    sequence integer not null default 1,
    games_done integer not null default 0,
    games_total integer not null default 0,
    created integer not null,
    started integer not null default 0,
    ended integer not null default 0,
    message text not null default '',
    files text not null default '[]'
) strict;
create index if not exists job_state on job (state, number);
insert into job (number, id, request_id, spec, work, state, games_done, created, ended, message)
values
    (3, 'THREE', 'mine', x'0102', '{}', 4, 17, 5, 9, 'it failed'),
    (7, 'SEVEN', null, x'', '{}', 1, 0, 6, 0, ''),
    (8, 'EIGHT', null, x'', '{}', 2, 0, 6, 0, '');
"""


def test_a_base_without_owners(tmp_path: Path) -> None:
    path = tmp_path / "jobs.sqlite"
    with sqlite3.connect(path) as base:
        base.executescript(VERSION_0)
    base.close()
    for _ in range(2):  # it is changed once
        jobs = JobBase(path)
        found = jobs.page(before=None, state=None, most=10)
        assert [(job.number, job.id, job.owner) for job in found] == [
            (8, "EIGHT", ""), (7, "SEVEN", ""), (3, "THREE", ""),
        ]  # fmt: skip
        three = found[2]
        assert (three.request_id, three.spec, three.state) == ("mine", b"\1\2", State.FAILED)
        assert (three.games_done, three.created, three.ended) == (17, 5, 9)
        assert (three.message, three.files) == ("it failed", ())
        assert jobs.create("mine", b"\1\2", "{}", check=lambda *_: None) == (three, True)
        following = jobs.next()
        assert following is not None
        assert following.id == "EIGHT"
        jobs.close()
    jobs = JobBase(path)
    job, known = jobs.create("mine", b"", "{}", check=lambda *_: None, owner="ann")
    assert (job.number, job.owner, known) == (9, "ann", False)
    jobs.close()


def test_a_base_of_a_later_version(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "jobs.sqlite") as base:
        base.execute("pragma user_version = 2")
    base.close()
    assert "a later version of this program" in start_fault(Options(data=tmp_path))
