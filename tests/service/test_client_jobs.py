"""Jobs by the clients: made once, watched and downloaded through whatever happens to the server."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, assert_type

import pytest
from chase_service._pb.chase.v1 import jobs_service_pb2 as pb
from chase_service.client import (
    AsyncClient,
    Client,
    Job,
    JobFile,
    JobSpec,
    JobState,
    SelfPlayJob,
    ServiceError,
    TournamentJob,
)
from chase_service.refusal import Reason, Refusal
from chase_service.server import Options
from google.protobuf.timestamp_pb2 import Timestamp

from tests.service.fakes import BOTH, GONE, LATE, Scripted
from tests.service.running import PATIENCE, Running, running, wait_for

pytestmark = pytest.mark.no_core

SHORT = JobSpec(seed=5, tournament=TournamentJob(players=["random", "greedy"], pairs=10))
ENDLESS = JobSpec(self_play=SelfPlayJob(player="ab:nodes=3000", pairs=10_000))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(data=tmp_path_factory.mktemp("data")) as started:
        yield started


@pytest.fixture(params=list(BOTH))
def client_of(request: pytest.FixtureRequest) -> Any:
    return BOTH[request.param]


@pytest.fixture
def client(server: Running, client_of: Any) -> Iterator[Any]:
    with client_of(server.target, timeout=PATIENCE) as made:
        yield made


# ---- By a server --------------------------------------------------------------------------------


def test_a_job_from_its_beginning_to_its_end(client: Any, tmp_path: Path) -> None:
    made = client.create_job(SHORT)
    assert made.created <= datetime.now(UTC)
    assert not made.done and not made.files and made.request_id
    seen = list(client.watch_job(made.job_id))
    job = seen[-1]
    assert [one.sequence for one in seen] == sorted(one.sequence for one in seen)
    assert [one.done for one in seen] == [False] * (len(seen) - 1) + [True]
    assert job == client.get_job(made.job_id)
    assert (job.state, job.games_done, job.games_total) == (JobState.SUCCEEDED, 20, 20)
    assert job.created <= job.started <= job.ended
    assert job.spec.tournament.opening_turns == 4  # filled in
    for file in job.files:
        content = client.read_result(job.job_id, file.name)
        assert len(content) == file.bytes
        assert hashlib.sha256(content).hexdigest() == file.sha256
        assert client.download(job.job_id, file.name, tmp_path / file.name) == file
        assert (tmp_path / file.name).read_bytes() == content
    assert sorted(path.name for path in tmp_path.iterdir()) == [one.name for one in job.files]
    client.delete_job(job.job_id)
    with pytest.raises(ServiceError) as raised:
        client.get_job(job.job_id)
    assert raised.value.reason == "NOT_FOUND"


def test_a_job_is_cancelled(client: Any) -> None:
    job = client.create_job(ENDLESS)
    with pytest.raises(ServiceError) as raised:
        client.read_result(job.job_id, "games.parquet")
    assert raised.value.reason == "WRONG_STATE"
    with pytest.raises(ServiceError) as raised:
        client.delete_job(job.job_id)
    assert raised.value.reason == "WRONG_STATE"
    client.cancel_job(job.job_id)
    *_, last = client.watch_job(job.job_id, after=job.sequence)
    assert last.state is JobState.CANCELLED
    with pytest.raises(ServiceError) as raised:
        client.read_result(job.job_id, "report.json")
    assert raised.value.reason == "NOT_FOUND"


def test_the_same_request_is_the_same_job(client: Any, client_of: Any) -> None:
    name = f"mine-{client_of.__name__}"
    first = client.create_job(SHORT, request_id=name)
    assert client.create_job(SHORT, request_id=name).job_id == first.job_id
    assert client.create_job(SHORT).job_id != client.create_job(SHORT).job_id
    with pytest.raises(ServiceError) as raised:
        client.create_job(ENDLESS, request_id=name)
    assert (raised.value.reason, raised.value.field) == ("INVALID_FIELD", "request_id")


def test_pages_hold_each_job_once(client_of: Any, tmp_path: Path) -> None:
    with running(data=tmp_path) as server, client_of(server.target, timeout=PATIENCE) as client:
        made = [client.create_job(ENDLESS).job_id for _ in range(5)]
        client.cancel_job(made[2])
        for size in (1, 2, 5, 100):
            assert [job.job_id for job in client.list_jobs(page_size=size)] == made[::-1]
        gone = client.list_jobs(state=JobState.CANCELLED)
        assert [job.job_id for job in gone] == [made[2]]
        for job_id in made:
            client.cancel_job(job_id)


def test_a_watch_goes_on_when_the_server_comes_back(client_of: Any, tmp_path: Path) -> None:
    first = Running(Options(listen="127.0.0.1:0", data=tmp_path))
    job = first.client.create_job(ENDLESS)
    seen: list[Job] = []

    def watch() -> None:
        with client_of(first.target, attempts=20) as client:
            seen.extend(client.watch_job(job.job_id))

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    wait_for(lambda: any(one.games_done for one in seen))
    first.close()
    told = len(seen)
    second = Running(Options(listen=first.target, data=tmp_path))
    try:
        wait_for(lambda: len(seen) > told)
        second.client.cancel_job(job.job_id)
        watching.join(PATIENCE)
    finally:
        second.close()
    assert [one.sequence for one in seen] == sorted(one.sequence for one in seen)
    assert seen[-1].state is JobState.CANCELLED


def test_a_download_goes_on_when_the_server_comes_back(client_of: Any, tmp_path: Path) -> None:
    data, out = tmp_path / "data", tmp_path / "report.html"
    with running(data=data) as first:
        job = first.client.create_job(SHORT)
        *_, job = first.client.watch_job(job.job_id)
        content = first.client.read_result(job.job_id, "report.html")
    # As it is left by one that was broken off.
    part = out.with_name("report.html.part")
    part.write_bytes(content[: len(content) // 3])
    with running(data=data) as second, client_of(second.target, timeout=PATIENCE) as client:
        client.download(job.job_id, "report.html", out)
    assert out.read_bytes() == content
    assert not part.exists()


# ---- By a server that fails ---------------------------------------------------------------------


def message(state: int, sequence: int, **more: Any) -> pb.Job:
    made: Any = {"state": state, "sequence": sequence, "create_time": Timestamp(seconds=1)}
    return pb.Job(job_id="J", **made, **more)


def watched(state: int, sequence: int) -> bytes:
    return pb.WatchJobResponse(job=message(state, sequence)).SerializeToString()


def test_a_watch_goes_on_from_what_it_has_seen(client_of: Any) -> None:
    scripts: list[list[Any]] = [
        [GONE],
        [watched(2, 3), GONE],
        [LATE],
        [watched(2, 3), watched(3, 4)],
    ]
    with Scripted("JobsService/WatchJob", *scripts) as fake, client_of(fake.target) as client:
        seen = list(client.watch_job("J", after=2))
        after = [pb.WatchJobRequest.FromString(one).after_sequence for one in fake.requests]
    assert [job.sequence for job in seen] == [3, 3, 4]
    assert after == [2, 2, 3, 3]


@pytest.mark.parametrize("code", ["NOT_FOUND", "OVERLOADED", "INTERNAL", "WRONG_STATE"])
def test_a_watch_that_is_refused(client_of: Any, code: str) -> None:
    refusal = Refusal(Reason[code], "no", retry_after=2.5)
    with (
        Scripted("JobsService/WatchJob", [watched(2, 3), refusal]) as fake,
        client_of(fake.target) as client,
        pytest.raises(ServiceError) as raised,
    ):
        list(client.watch_job("J"))
    assert (raised.value.reason, raised.value.retry_after) == (code, 2.5)
    assert len(fake.requests) == 1


@pytest.mark.parametrize("script", [[], [watched(2, 3)], [watched(9, 3)]])
def test_a_watch_of_a_server_that_is_wrong(client_of: Any, script: list[bytes]) -> None:
    with (
        Scripted("JobsService/WatchJob", script) as fake,
        client_of(fake.target) as client,
        pytest.raises(ServiceError) as raised,
    ):
        list(client.watch_job("J"))
    assert raised.value.code.name == "INTERNAL"


def test_a_job_that_was_perhaps_created_is_asked_for_by_its_name(client_of: Any) -> None:
    done = pb.CreateJobResponse(job=message(1, 1), known=True).SerializeToString()
    with (
        Scripted("JobsService/CreateJob", [GONE], [done], shape="unary_unary") as fake,
        client_of(fake.target) as client,
    ):
        job = client.create_job(SHORT)
        names = {pb.CreateJobRequest.FromString(one).request_id for one in fake.requests}
    assert (job.started, job.ended) == (None, None)
    assert len(fake.requests) == 2
    assert len(names) == 1
    assert names != {""}


CONTENT = bytes(range(256)) * 4
FILE = JobFile("games.parquet", len(CONTENT), hashlib.sha256(CONTENT).hexdigest())


def shelf(*scripts: Sequence[bytes | Refusal], file: JobFile = FILE) -> Scripted:
    """A server with one job, which has one file."""
    files = [pb.JobFile(name=file.name, bytes=file.bytes, sha256=file.sha256)]
    job = pb.GetJobResponse(job=message(3, 9, files=files)).SerializeToString()
    jobs = Scripted("JobsService/GetJob", [job], shape="unary_unary")
    return Scripted("JobsService/DownloadResult", *scripts, beside=jobs)


def piece(begin: int, end: int) -> bytes:
    return pb.DownloadResultResponse(data=CONTENT[begin:end]).SerializeToString()


def offsets(fake: Scripted) -> list[int]:
    return [pb.DownloadResultRequest.FromString(one).offset for one in fake.requests]


BROKEN: list[list[Any]] = [[piece(0, 300), piece(300, 400), GONE], [LATE], [piece(400, 1024)]]


def test_a_download_goes_on_from_what_it_has(client_of: Any, tmp_path: Path) -> None:
    with shelf(*BROKEN) as fake, client_of(fake.target) as client:
        assert client.read_result("J", FILE.name) == CONTENT
        assert offsets(fake) == [0, 400, 400]
    with shelf(*BROKEN) as fake, client_of(fake.target) as client:
        client.download("J", FILE.name, tmp_path / "out")
        assert (tmp_path / "out").read_bytes() == CONTENT
        assert offsets(fake) == [0, 400, 400]


@pytest.mark.parametrize("have", [0, 1, 1023, 1024])
def test_a_download_takes_what_an_earlier_one_left(
    client_of: Any, tmp_path: Path, have: int
) -> None:
    (tmp_path / "out.part").write_bytes(CONTENT[:have])
    scripts = [[piece(have, 1024)]] if have < 1024 else []
    with shelf(*scripts) as fake, client_of(fake.target) as client:
        assert client.download("J", FILE.name, tmp_path / "out") == FILE
        assert offsets(fake) == ([have] if have < 1024 else [])
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out").read_bytes() == CONTENT


def test_a_part_that_is_too_long_is_begun_again(client_of: Any, tmp_path: Path) -> None:
    (tmp_path / "out.part").write_bytes(CONTENT + b"x")
    with shelf([piece(0, 1024)]) as fake, client_of(fake.target) as client:
        client.download("J", FILE.name, tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == CONTENT


def test_a_broken_download_leaves_its_part(client_of: Any, tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(b"before")
    with (
        shelf([piece(0, 10), Refusal(Reason.INTERNAL, "no")]) as fake,
        client_of(fake.target) as client,
        pytest.raises(ServiceError),
    ):
        client.download("J", FILE.name, tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == b"before"
    assert (tmp_path / "out.part").read_bytes() == CONTENT[:10]


WRONG = [
    ([piece(0, 1000)], "ended after 1000 of 1024 bytes"),
    ([piece(0, 1024), piece(0, 1)], "more than the 1024 bytes"),
    ([piece(1, 1024), piece(0, 1)], "SHA-256"),
]


@pytest.mark.parametrize(("script", "said"), WRONG)
@pytest.mark.parametrize("to_file", [False, True])
def test_what_is_not_what_the_job_tells_of_is_lost(
    client_of: Any, tmp_path: Path, script: Sequence[bytes | Refusal], said: str, to_file: bool
) -> None:
    with (
        shelf(script) as fake,
        client_of(fake.target) as client,
        pytest.raises(ServiceError, match=said) as raised,
    ):
        client.download("J", FILE.name, tmp_path / "out") if to_file else (
            client.read_result("J", FILE.name)
        )
    assert raised.value.code.name == "DATA_LOSS"
    assert not (tmp_path / "out").exists()
    # What is wrong as a whole is of no use to the next try.
    assert (tmp_path / "out.part").exists() == (to_file and said != "SHA-256")


def test_an_empty_file(client_of: Any, tmp_path: Path) -> None:
    empty = JobFile("games.parquet", 0, hashlib.sha256().hexdigest())
    with shelf(file=empty) as fake, client_of(fake.target) as client:
        client.download("J", empty.name, tmp_path / "out")
        assert fake.requests == []
    assert (tmp_path / "out").read_bytes() == b""


# ---- Types --------------------------------------------------------------------------------------


def check_types(client: Client) -> None:
    """Never called: for mypy."""
    assert_type(client.create_job(SHORT), Job)
    assert_type(next(client.list_jobs()), Job)
    assert_type(client.read_result("J", "x"), bytes)
    assert_type(client.download("J", "x", "path"), JobFile)
    with closing(client.watch_job("J")) as jobs:
        assert_type(next(jobs).state, JobState)


async def check_types_of_the_other(client: AsyncClient) -> None:
    """Never called: for mypy."""
    assert_type(await client.create_job(SHORT), Job)
    assert_type([job async for job in client.watch_job("J")], list[Job])
    assert_type(await client.read_result("J", "x"), bytes)
