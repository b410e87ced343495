"""``chase-fast remote``: jobs that are left to a server, watched, cancelled, downloaded."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, Self

import pytest
from chase_service._pb.chase.v1 import jobs_service_pb2 as pb
from chase_service.client import Client
from chase_service.remote.connection import Connection
from chase_service.remote.results import interruptible
from chase_service.server import Options

from tests.service.fakes import Scripted
from tests.service.remotely import fake, ran, remote
from tests.service.running import PATIENCE, Running, running, wait_for


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(data=tmp_path_factory.mktemp("data")) as started:
        yield started


def test_the_files_of_a_job_are_kept(server: Running, tmp_path: Path) -> None:
    words = ["--pairs", "6", "--player", "random"]
    out = tmp_path / "out"
    code, printed, notes = remote(server, "balance", *words, "--out", str(out), "--json")
    assert code == 0
    written = {path.name: path.stat().st_size for path in out.iterdir()}
    assert set(written) == {"games.parquet", "report.html", "report.json", "report.md"}
    job_id = next(server.client.list_jobs()).job_id
    assert notes.splitlines() == [
        f"job {job_id}",
        *(f"wrote {out / name} ({written[name]:,} bytes)" for name in sorted(written)),
    ]
    assert json.loads((out / "report.json").read_bytes()) == json.loads(printed)
    code, _, notes = remote(server, "balance", *words, "--out", str(out))
    assert (code, "is not empty" in notes) == (2, True)


def test_a_job_that_is_left_to_the_server(server: Running, tmp_path: Path) -> None:
    slow = ["--pairs", "10000", "--player", "ab:nodes=3000"]
    job_id = remote(server, "balance", *slow, "--detach")[1].decode().strip()
    rows = json.loads(remote(server, "jobs", "--json")[1])
    assert (rows[0]["job"], rows[0]["kind"]) == (job_id, "balance")
    code, table, notes = remote(server, "jobs")
    assert job_id in table.decode()
    assert "Games of balance: " in notes
    waiting = remote(server, "balance", *slow, "--detach")[1].decode().strip()
    (row,) = (row for row in remote(server, "jobs")[1].decode().splitlines() if waiting in row)
    assert row.split()[2:5] == ["queued", "0", "-"]
    assert remote(server, "cancel", waiting)[2] == f"job {waiting} is cancelled\n"
    assert remote(server, "download", job_id)[0] == 2
    assert remote(server, "delete", job_id)[0] == 2
    assert remote(server, "cancel", job_id) == (0, b"", f"job {job_id} is being cancelled\n")
    code, out, notes = remote(server, "watch", job_id)
    assert (code, out) == (1, b"")
    assert f"job {job_id} was cancelled" in notes
    assert remote(server, "cancel", job_id)[2] == f"job {job_id} is cancelled\n"
    assert remote(server, "delete", job_id) == (0, b"", f"job {job_id} is deleted\n")
    assert remote(server, "watch", job_id)[0] == 2


def test_a_job_is_watched_later(server: Running, tmp_path: Path) -> None:
    words = ["--pairs", "6", "--player", "greedy"]
    job_id = remote(server, "balance", *words, "--detach")[1].decode().strip()
    assert remote(server, "watch", job_id)[:2] == ran("balance", *words)[:2]
    assert remote(server, "cancel", job_id)[2] == f"job {job_id} had ended: succeeded\n"
    names = remote(server, "download", job_id)[1].decode().split()[1::2]
    # As a download that was broken off leaves it: what is missing is added.
    part = server.client.read_result(job_id, "report.md")[:100]
    (tmp_path / "report.md.part").write_bytes(part)
    assert remote(server, "download", job_id, "--out", str(tmp_path))[0] == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == names


# ---- What is shown and said meanwhile -----------------------------------------------------------


def as_it_stands(state: pb.JobState, done: int = 0, total: int = 0) -> pb.Job:
    spec = pb.JobSpec(balance=pb.BalanceJob(variants=["standard"]))
    return pb.Job(job_id="J", spec=spec, state=state, games_done=done, games_total=total)


class SeenBar:
    """In place of the bar, notes what it would show."""

    seen: ClassVar[list[Any]] = []

    def __init__(self, title: str, unit: str) -> None:
        self.seen[:] = [(title, unit)]

    def begin(self, done: int) -> None:
        self.seen.append(("begin", done))

    def update(self, *shown: Any) -> None:
        self.seen.append(shown)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        pass


def seen(monkeypatch: pytest.MonkeyPatch, *states: pb.Job) -> list[Any]:
    """What the bar of watch shows of a job that goes through these states."""
    monkeypatch.setattr("chase_service.remote.results.Bar", SeenBar)
    answers = [pb.WatchJobResponse(job=job).SerializeToString() for job in states]
    found = pb.GetJobResponse(job=states[0]).SerializeToString()
    watch = Scripted("JobsService/WatchJob", answers)
    with fake("JobsService/GetJob", [found], more=watch) as server:
        remote(server.target, "watch", "J")
    return SeenBar.seen


def test_the_bar_tells_what_a_job_does(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = seen(
        monkeypatch,
        as_it_stands(pb.JOB_STATE_QUEUED),
        as_it_stands(pb.JOB_STATE_RUNNING),
        as_it_stands(pb.JOB_STATE_RUNNING, 4, 10),
        as_it_stands(pb.JOB_STATE_RUNNING, 10, 10),
        as_it_stands(pb.JOB_STATE_CANCELLED, 10, 10),
    )
    assert shown == [
        ("balance", "games"),
        (0, None, 0, "waits for its turn"),
        ("begin", 0),
        (0, None, 0, "begins"),
        (4, 10, 4, ""),
        (10, 10, 10, "making the report"),
        (10, 10, 10, ""),
    ]


def test_the_pace_is_that_of_what_was_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = seen(
        monkeypatch,
        as_it_stands(pb.JOB_STATE_RUNNING, 900, 1000),
        as_it_stands(pb.JOB_STATE_RUNNING, 904, 1000),
        as_it_stands(pb.JOB_STATE_CANCELLED, 904, 1000),
    )
    assert shown[1:4] == [("begin", 900), (900, 1000, 0, ""), (904, 1000, 4, "")]


BACK = "--server h:1 --ca 'my root.pem' --insecure"


@pytest.mark.parametrize(
    ("job", "cancels", "said", "cancelled"),
    [
        (
            as_it_stands(pb.JOB_STATE_RUNNING, 4, 10), True,
            "is being cancelled; what it has played: "
            f"chase-fast remote download J --out DIR {BACK}", True,
        ),
        (
            as_it_stands(pb.JOB_STATE_RUNNING, 10, 10), True,
            f"goes on; to come back to it: chase-fast remote watch J {BACK}", False,
        ),
        (
            as_it_stands(pb.JOB_STATE_RUNNING, 4, 10), False,
            f"goes on; to come back to it: chase-fast remote watch J {BACK}", False,
        ),
        (
            as_it_stands(pb.JOB_STATE_SUCCEEDED, 10, 10), True,
            f"has ended; its files: chase-fast remote download J --out DIR {BACK}", False,
        ),
    ],
    ids=["playing", "reporting", "watched", "ended"],
)  # fmt: skip
def test_an_interrupt_says_how_to_come_back(
    job: pb.Job, cancels: bool, said: str, cancelled: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    connection = Connection("h:1", ca=Path("my root.pem"), insecure=True)
    cancel = Scripted(
        "JobsService/CancelJob", [pb.CancelJobResponse(job=job).SerializeToString()],
        shape="unary_unary",
    )  # fmt: skip
    answer = pb.GetJobResponse(job=job).SerializeToString()
    with (
        fake("JobsService/GetJob", [answer], more=cancel) as server,
        Client(server.target) as client,
        pytest.raises(KeyboardInterrupt),
        interruptible(client, connection, "J", cancels=cancels),
    ):
        raise KeyboardInterrupt
    assert capsys.readouterr().err == f"interrupted; job J {said}\n"
    assert len(cancel.requests) == cancelled


def test_a_server_that_goes_in_the_middle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chase_service.remote.connection._ATTEMPTS", 1)
    server = Running(Options(listen="127.0.0.1:0", data=tmp_path))
    wanted = ["balance", "--pairs", "10000", "--player", "ab:nodes=3000"]
    told: list[tuple[int, bytes, str]] = []
    asking = threading.Thread(target=lambda: told.append(remote(server, *wanted)), daemon=True)
    asking.start()
    wait_for(lambda: any(job.games_done for job in server.client.list_jobs()))
    (job,) = server.client.list_jobs()
    server.close()
    asking.join(PATIENCE)
    ((code, out, notes),) = told
    assert (code, out) == (1, b"")
    assert f"chase-fast remote watch {job.job_id}" in notes
    assert "Traceback" not in notes
