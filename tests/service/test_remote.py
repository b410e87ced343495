"""``chase-fast remote``: what the local commands print, by the work of a server."""

from __future__ import annotations

import gzip
import io
import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
import trustme
from chase_service._pb.chase.v1 import games_service_pb2 as games_pb
from chase_service._pb.chase.v1 import jobs_service_pb2 as jobs_pb
from chase_service._pb.chase.v1 import query_service_pb2 as pb
from chase_service._pb.chase.v1 import system_service_pb2 as system_pb
from chase_service.client import JobState
from chase_service.refusal import Reason, Refusal
from chase_service.server import Options
from chase_service.tokens import Role, new_token
from hypothesis import given, settings
from hypothesis import strategies as st

from chase_fast import Rules
from chase_fast.cli import main
from chase_fast.tally import COUNTERS
from tests.service.certificates import HOST, Folder, chain
from tests.service.fakes import Scripted
from tests.service.running import PATIENCE, Running, running, wait_for

HOLE = "127.0.0.1:1"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    data = tmp_path_factory.mktemp("data")
    program = f'{sys.executable} -c "import sys; sys.exit(1)"'
    with running(data=data, programs={"broken": program}) as started:
        yield started


def ran(*words: str) -> tuple[int, bytes, str]:
    """A command's exit code, result and messages."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
    err = io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(list(words))
    out.flush()
    buffer: Any = out.buffer
    return code, buffer.getvalue(), err.getvalue()


def remote(server: Running | str, command: str, *words: str) -> tuple[int, bytes, str]:
    target = server if isinstance(server, str) else server.target
    return ran("remote", command, "--server", target, *words)


# ---- What the local commands print --------------------------------------------------------------

SAME = [
    ["playout", "300", "--seed", "3"],
    ["playout", "250", "--seed", "4", "--rules", "chain=yes", "--rules", "russian", "--all"],
    ["playout", "100", "--first-game", "9", "--max-turns", "60", "--play", "a5NE i5SE"],
    ["playout", "1"],
    ["analyse", "--player", "ab:nodes=2000"],
    ["analyse", "--player", "mcts:sims=200,seed=4", "--play", "a5NE i5SE", "--boards"],
    ["analyse", "--player", "greedy", "--lines", "5", "--rules", "reserve=2", "--json"],
    ["analyse", "fb2D3D/c8/1F7/9/3d5/7f1/9/5F3/5E2d r", "--player", "ab:depth=2", "--json"],
    ["match", "greedy", "ab:nodes=50", "--pairs", "12", "--seed", "4"],
    ["match", "greedy", "random", "--pairs", "9", "--rules", "chain=yes", "--turns", "2", "--json"],
    ["match", "random", "random", "--pairs", "5", "--max-turns", "30", "--json"],
    ["balance", "--pairs", "8", "--player", "random"],
    ["balance", "--variant", "reserve=2", "--variant", "standard", "--pairs", "6", "--player",
     "greedy", "--player", "ab:nodes=20", "--seed", "7", "--level", "turns", "--margin", "3"],
]  # fmt: skip


@pytest.mark.parametrize("words", SAME, ids=" ".join)
def test_the_output_is_that_of_the_local_command(server: Running, words: list[str]) -> None:
    code, expected, notes = ran(*words)
    assert code == 0, notes
    got = remote(server, *words)
    assert got[0] == 0, got[2]
    assert got[1] == expected
    # Warnings are the same; how long it took and what is under way are not.
    warnings = [line for line in notes.splitlines() if "cut short" in line or "few" in line]
    assert all(line in got[2] for line in warnings)


@given(
    seed=st.integers(0, 2**64 - 1),
    first=st.integers(0, 2**63),
    games=st.integers(1, 40),
    turns=st.integers(1, 200),
    rules=st.sampled_from([*Rules.PRESETS, "reserve=3,chain=yes"]),
)
@settings(max_examples=15)
def test_random_games_are_the_same_whatever_is_asked(
    server: Running, seed: int, first: int, games: int, turns: int, rules: str
) -> None:
    words = [str(games), "--seed", str(seed), "--first-game", str(first), "--rules", rules]
    words += ["--max-turns", str(turns), "--all"]
    assert remote(server, "playout", *words)[:2] == ran("playout", *words)[:2]


def without(document: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name not in names}


def test_json_differs_in_what_is_not_of_the_work(server: Running) -> None:
    words = ["playout", "50", "--json", "--rules", "standard", "--rules", "reserve=0"]
    here, there = json.loads(ran(*words)[1]), json.loads(remote(server, *words)[1])
    assert list(here) == list(there)
    assert there["threads"] is None
    for document in (here, there):
        assert [without(one, "speed") for one in document["results"]] == [
            without(one, "speed") for one in here["results"]
        ]
    words = ["balance", "--pairs", "6", "--player", "greedy", "--json"]
    here, there = json.loads(ran(*words)[1]), json.loads(remote(server, *words)[1])
    assert list(here) == list(there)
    assert without(here, "command", "created") == without(there, "command", "created")


def content(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


@pytest.mark.parametrize(
    ("words", "option", "name"),
    [
        *((["playout", "150", "--seed", "5"], "--out", f"rows.{end}") for end in ("npy", "csv")),
        *((["playout", "9", "--seed", "5"], "--out", f"games.{end}") for end in ("txt", "jsonl")),
        *(
            (["match", "greedy", "random", "--pairs", "4"], "--games", f"games.{end}")
            for end in ("txt", "jsonl", "txt.gz")
        ),
    ],
)
def test_files_are_those_of_the_local_command(
    server: Running, tmp_path: Path, words: list[str], option: str, name: str
) -> None:
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
    here, there = tmp_path / "here" / name, tmp_path / "there" / name
    expected = ran(*words, option, str(here))
    got = remote(server, *words, option, str(there))
    assert got[:2] == expected[:2]
    assert content(there) == content(here)
    assert f"wrote {there}" in got[2]


def test_what_is_asked_for_in_parts_is_the_same(
    server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chase_service.remote.playout._PART", 70)
    monkeypatch.setattr("chase_service.remote.match._PART", 3)
    for words in (["playout", "250"], ["match", "greedy", "random", "--pairs", "10", "--json"]):
        assert remote(server, *words)[:2] == ran(*words)[:2]


def test_a_program_of_the_server_plays(server: Running) -> None:
    """Its name is asked for; what it did wrong is not told."""
    words = ["match", "greedy", "broken", "--pairs", "2"]
    code, out, _ = remote(server, *words)
    assert code == 0
    assert b"B  broken\n" in out
    assert b"fault       4 x broken lost by crash\n" in out


def test_the_server_stands_in_the_environment(
    server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHASE_FAST_SERVER", server.target)
    assert ran("remote", "playout", "5")[0] == 0
    assert ran("remote", "playout", "5", "--server", HOLE)[0] == 1


# ---- Jobs ---------------------------------------------------------------------------------------


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


# ---- What goes wrong ----------------------------------------------------------------------------


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


@pytest.mark.parametrize("target", ["", "localhost", "http://a:1", "a b:1", "unix:/x", "h:123456"])
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


# ---- Certificates and tokens --------------------------------------------------------------------


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, Path]]:
    """A server that wants certificates and tokens, and the folder with those of its callers."""
    folder = tmp_path_factory.mktemp("guarded")
    files, ca = Folder(folder, client_ca=True), trustme.CA()
    files.put(ca.issue_cert(HOST))
    files.put_client_ca(ca)
    (folder / "ca.pem").write_bytes(ca.cert_pem.bytes())
    leaf = ca.issue_cert("caller")
    (folder / "mine.pem").write_bytes(chain(leaf))
    (folder / "mine.key").write_bytes(leaf.private_key_pem.bytes())
    lines = []
    for role in (Role.QUERY, Role.JOB):
        made, text = new_token(role.name.lower(), [role])
        lines.append(f"{made.line}\n")
        (folder / f"{made.name}.token").write_text(f"{text}\n")
    (folder / "tokens").write_text("".join(lines))
    (folder / "binary").write_bytes(b"\xff\xfe")
    with running(data=folder / "data", tls=files.files, tokens=folder / "tokens") as started:
        yield started, folder


CERTIFICATES = ["--ca", "ca.pem", "--cert", "mine.pem", "--key", "mine.key"]


def as_caller(guarded: tuple[Running, Path], *words: str) -> tuple[int, bytes, str]:
    server, folder = guarded
    known = {path.name for path in folder.iterdir()}
    return remote(server, *(str(folder / word) if word in known else word for word in words))


def test_certificates_and_tokens(guarded: tuple[Running, Path]) -> None:
    asked = ["playout", "20", *CERTIFICATES, "--token-file", "query.token"]
    assert as_caller(guarded, *asked)[:2] == ran("playout", "20")[:2]
    # A token that may not ask for the version still reaches its jobs.
    assert as_caller(guarded, "jobs", *CERTIFICATES, "--token-file", "job.token")[0] == 0


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([*CERTIFICATES], 2, "token"),
        ([*CERTIFICATES, "--token-file", "job.token"], 2, "role"),
        ([*CERTIFICATES, "--token-file", "binary"], 2, "holds no token"),
        ([*CERTIFICATES, "--token-file", "nowhere"], 2, "cannot read"),
        ([*CERTIFICATES[:4], "--token-file", "query.token"], 2, "cert and key go together"),
        ([*CERTIFICATES[:2], "--token-file", "query.token"], 1, "trusted connection"),
        (["--token-file", "query.token", "--server", "example.org:1"], 2, "in plain text"),
    ],
)
def test_callers_that_are_not_let_in(
    guarded: tuple[Running, Path], words: list[str], code: int, said: str
) -> None:
    got = as_caller(guarded, "playout", "20", *words)
    assert got[:2] == (code, b"")
    assert said in got[2]
    assert "Traceback" not in got[2]


# ---- Servers that cannot be trusted -------------------------------------------------------------

VERSION = system_pb.GetVersionResponse(players=["random"]).SerializeToString()


def fake(path: str, *scripts: Any, shape: str = "unary_unary", more: Scripted | None = None) -> Any:
    known = Scripted("SystemService/GetVersion", *[[VERSION]] * 9, shape="unary_unary", beside=more)
    return Scripted(path, *scripts, shape=shape, beside=known)


def sums(**wrong: Any) -> bytes:
    columns = [5] * len(COUNTERS)
    right: dict[str, Any] = {
        "games": 5, "red_wins": 5, "terminations": [5, 0, 0, 0], "totals": columns,
        "squares": columns, "lowest": columns, "highest": columns,
    }  # fmt: skip
    counters = wrong.pop("counters", COUNTERS)
    result = pb.PlayoutsResult(**{**right, **wrong})
    return pb.PlayoutsResponse(counters=counters, results=[result]).SerializeToString()


@pytest.mark.parametrize(
    "answer",
    [
        sums(counters=["turns"]),
        sums(counters=COUNTERS[::-1]),
        sums(games=6),
        sums(totals=[5]),
        sums(terminations=[5]),
    ],
)
def test_sums_that_are_none(answer: bytes) -> None:
    with fake("QueryService/Playouts", [answer]) as server:
        code, out, notes = remote(server.target, "playout", "5")
    assert (code, out) == (1, b"")
    assert "is not understood" in notes


@pytest.mark.parametrize("columns", [{"winner": [0] * 5}, {"winner": [7] * 2}, {}])
def test_columns_that_are_none(columns: dict[str, Any], tmp_path: Path) -> None:
    answer = pb.StreamPlayoutGamesResponse(**columns).SerializeToString()
    with fake("QueryService/StreamPlayoutGames", [answer], shape="unary_stream") as server:
        where = tmp_path / "x.csv"
        code, out, _ = remote(server.target, "playout", "5", "--out", str(where))
    assert (code, out) == (1, b"")
    assert not where.exists()


@pytest.mark.parametrize("codes", [[], [2**32 - 1], [0], [40]])
def test_lines_that_cannot_be_played(codes: list[int]) -> None:
    line = pb.AnalysisLine(decisions=codes)
    answer = pb.AnalyseResponse(results=[pb.AnalyseResult(lines=[line])]).SerializeToString()
    with fake("QueryService/Analyse", [answer]) as server:
        code, out, notes = remote(server.target, "analyse", "--player", "random")
    assert (code, out) == (1, b"")
    assert "is not understood" in notes


@pytest.mark.parametrize(
    "wrong",
    [
        {"pairs": [9, 9]},
        {"games": [0, 7]},
        {"winners": [0, 5]},
        {"terminations": [1, 99]},
        {"terminations": [4, 4]},  # nobody wins by the turn limit
        {"decision_counts": [0, 0]},  # not even the opening
        {"decision_counts": [1, 1], "decisions": [7, 7]},
    ],
)
def test_games_that_none_can_be(wrong: dict[str, Any]) -> None:
    right: dict[str, Any] = {
        "pairs": [0, 0], "games": [0, 1], "winners": [0, 0], "terminations": [1, 1],
        "turns": [9, 9], "decision_counts": [0, 0],
    }  # fmt: skip
    answer = games_pb.PlayGamesResponse(**{**right, **wrong}).SerializeToString()
    with fake("GamesService/PlayGames", [answer], shape="unary_stream") as server:
        words = ["match", "random", "random", "--pairs", "1"]
        code, out, notes = remote(server.target, *words)
    assert (code, out) == (1, b"")
    assert "is not understood" in notes


def test_messages_do_not_reach_the_terminal_raw() -> None:
    refusal = Refusal(Reason.OVERLOADED, "x", retry_after=2.0)
    refusal.message = "\x1b[31mred\x07"
    with fake("QueryService/Playouts", [refusal]) as server:
        code, _, notes = remote(server.target, "playout", "5")
    assert code == 1
    assert "\x1b" not in notes
    assert "\x07" not in notes
    assert "asked again after 2 seconds" in notes


@pytest.mark.parametrize("name", ["../x", "/etc/x", "..", ".x", "a/b", ""])
def test_names_of_files_do_not_lead_elsewhere(name: str, tmp_path: Path) -> None:
    job = jobs_pb.Job(job_id="J", state=jobs_pb.JOB_STATE_SUCCEEDED)
    job.files.add(name=name, bytes=0, sha256="")
    answer = jobs_pb.GetJobResponse(job=job).SerializeToString()
    out = tmp_path / "out"
    with fake("JobsService/GetJob", *[[answer]] * 3) as server:
        code, _, notes = remote(server.target, "download", "J", "--out", str(out))
    assert code == 1
    assert "no name of a file" in notes
    assert [path.name for path in tmp_path.rglob("*")] == ["out"]
