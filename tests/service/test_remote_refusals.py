"""``chase-fast remote``: what is refused, and interrupts."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from chase_service.client import JobState

from tests.service.remotely import HOLE, remote
from tests.service.running import PATIENCE, Running, running, wait_for


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(data=tmp_path_factory.mktemp("data")) as started:
        yield started


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["playout", "0"], "expected an integer from 1"),
        (["playout", "5", "--threads", "2"], "No such option"),
        (["playout", "5", "--out", "x.dat"], "ends in none of"),
        (["analyse", "--player", "ab:nodes=x"], "nodes"),
        (["analyse", "--player", "ext:cmd=sh"], "is no player of the server"),
        (["analyse", "--player", "ab:weights=x"], "not for callers"),
        (["analyse", "--player", "ab:nodes=100000001"], "the limit nodes of this server"),
        (["analyse", "nonsense r"], "CFEN"),
        (["match", "random", "nobody"], "is no player of the server"),
        (["match", "random", "greedy", "--max-turns", "3"], "expected more than the 4 turns"),
        (["balance", "--pairs", "10001"], "the limit pairs of this server"),
        (["balance", "--level", "x"], "expected some of turns, dynamics"),
        (["balance", "--margin", "60"], "below 50"),
        (["balance", "--variant", "reserve=99"], "--variant"),
        (["balance", "--detach", "--json"], "--detach"),
        (["watch", "nothing"], "there is no job nothing"),
    ],
)
def test_what_is_refused(server: Running, words: list[str], said: str) -> None:
    code, out, notes = remote(server, *words)
    assert (code, out) == (2, b"")
    assert said in notes
    assert "Traceback" not in notes


@pytest.mark.parametrize(
    "target",
    ["", "localhost", "http://a:1", "a b:1", "unix:/x", "h:123456", "h:65536", "::1:50051"],
)
def test_what_is_no_server(target: str) -> None:
    code, _, notes = remote(target, "playout", "5")
    assert code == 2
    assert "expected a host, a colon and a port" in notes


@pytest.mark.parametrize("words", [["playout", "5"], ["match", "random", "greedy"], ["jobs"]])
def test_no_server(words: list[str]) -> None:
    code, out, notes = remote(HOLE, *words)
    assert (code, out) == (1, b"")
    program = f"chase-fast remote {words[0]}"
    told = f"no server at {HOLE} in plain text (--tls, --ca); start one with chase-fast serve"
    assert notes == f"{program}: {told}\n"


ENDLESS = [
    ["playout", "1000000000"],
    ["playout", "1000000000", "--out", "rows.npy"],
    ["analyse", "--player", "ab:depth=30,hash=1"],
    ["match", "ab:depth=30", "random", "--pairs", "50"],
    ["balance", "--pairs", "10000", "--player", "ab:nodes=3000"],
]


@pytest.mark.parametrize("words", ENDLESS, ids=" ".join)
def test_an_interrupt_ends_the_work_on_the_server(
    server: Running, words: list[str], tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "chase_fast", "remote", words[0], "--server", server.target]
    done = sum(1 for _ in server.client.list_jobs())
    with (
        subprocess.Popen(
            [*command, *words[1:]], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process,
        ExitStack() as stack,
    ):
        stack.callback(process.kill)
        if words[0] == "balance":
            wait_for(lambda: sum(1 for _ in server.client.list_jobs()) > done)
            wait_for(lambda: next(server.client.list_jobs()).games_done > 0)
        else:
            wait_for(lambda: server.server.work > 0)
        process.send_signal(signal.SIGINT)
        out, notes = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (130, b"")
    assert b"Traceback" not in notes
    wait_for(lambda: server.busy == 0)
    if words[0] == "balance":
        job = next(server.client.list_jobs())
        *_, job = server.client.watch_job(job.job_id)
        assert job.state is JobState.CANCELLED
        assert job.job_id.encode() in notes
