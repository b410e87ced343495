"""``chase-fast remote``: jobs that are left to a server, watched, cancelled, downloaded."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from chase_service.server import Options

from tests.service.remotely import ran, remote
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
    assert f"wrote {out / 'report.html'}" in notes
    assert {path.name for path in out.iterdir()} == {
        "games.parquet", "report.html", "report.json", "report.md",
    }  # fmt: skip
    assert json.loads((out / "report.json").read_bytes()) == json.loads(printed)
    code, _, notes = remote(server, "balance", *words, "--out", str(out))
    assert (code, "is not empty" in notes) == (2, True)


def test_a_job_that_is_left_to_the_server(server: Running, tmp_path: Path) -> None:
    slow = ["--pairs", "10000", "--player", "ab:nodes=3000"]
    job_id = remote(server, "balance", *slow, "--detach")[1].decode().strip()
    rows = json.loads(remote(server, "jobs", "--json")[1])
    assert (rows[0]["job"], rows[0]["kind"]) == (job_id, "balance")
    assert job_id in remote(server, "jobs")[1].decode()
    assert remote(server, "download", job_id)[0] == 2
    assert remote(server, "delete", job_id)[0] == 2
    assert remote(server, "cancel", job_id)[0] == 0
    code, out, notes = remote(server, "watch", job_id)
    assert (code, out) == (1, b"")
    assert f"job {job_id} was cancelled" in notes
    assert remote(server, "cancel", job_id)[2] == f"job {job_id} has ended: cancelled\n"
    assert remote(server, "delete", job_id)[0] == 0
    assert remote(server, "watch", job_id)[0] == 2


def test_a_job_is_watched_later(server: Running, tmp_path: Path) -> None:
    words = ["--pairs", "6", "--player", "greedy"]
    job_id = remote(server, "balance", *words, "--detach")[1].decode().strip()
    assert remote(server, "watch", job_id)[:2] == ran("balance", *words)[:2]
    names = remote(server, "download", job_id)[1].decode().split()[1::2]
    # As a download that was broken off leaves it: what is missing is added.
    part = server.client.read_result(job_id, "report.md")[:100]
    (tmp_path / "report.md.part").write_bytes(part)
    assert remote(server, "download", job_id, "--out", str(tmp_path))[0] == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == names


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
