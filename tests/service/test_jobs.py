"""Jobs by the wire: taken in once, played to what the library plays, kept over the end."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import grpc
import pyarrow.parquet as pq
import pytest
from chase_service._pb.chase.v1 import jobs_service_pb2 as pb
from chase_service._pb.chase.v1 import query_service_pb2 as query_pb
from chase_service.config import Config
from chase_service.limits import Limits
from chase_service.server import Options, Server, StartError
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from chase_fast import Rules
from chase_fast.store import Run
from chase_fast.tournament import play_tournament
from tests.service.jobs import (
    JOBS,
    PLAYERS,
    cancel,
    create,
    delete,
    download,
    ended,
    endless,
    get,
    listed,
    rows_of,
    tournament,
    watch,
)  # fmt: skip
from tests.service.running import Running, failure, running, wait_for

pytestmark = pytest.mark.no_core

Code = grpc.StatusCode
DONE = {pb.JOB_STATE_SUCCEEDED, pb.JOB_STATE_FAILED, pb.JOB_STATE_CANCELLED}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data") / "of the server"


@pytest.fixture(scope="module")
def server(data: Path) -> Iterator[Running]:
    with running(data=data, programs={"mine": "secret-command --key"}) as started:
        yield started


def refused(call: Any, *arguments: Any, **options: Any) -> tuple[Code, str]:
    with pytest.raises(grpc.RpcError) as raised:
        call(*arguments, **options)
    return failure(raised.value)


# ---- What comes of them -------------------------------------------------------------------------


def test_a_tournament_is_that_of_the_library(server: Running, tmp_path: Path) -> None:
    job = ended(server, create(server, tournament()).job_id)
    assert job.state == pb.JOB_STATE_SUCCEEDED, job.message
    assert (job.games_done, job.games_total) == (40, 40)
    assert job.create_time.ToNanoseconds() <= job.start_time.ToNanoseconds()
    assert job.start_time.ToNanoseconds() <= job.end_time.ToNanoseconds()
    names = {file.name for file in job.files}
    assert names == {"games.parquet", "report.html", "report.json", "report.md"}
    for file in job.files:
        content = download(server, job.job_id, file.name)
        assert len(content) == file.bytes
        assert hashlib.sha256(content).hexdigest() == file.sha256
    own = tmp_path / "own"
    result = play_tournament(PLAYERS, pairs=20, seed=5, out=own)
    told = json.loads(download(server, job.job_id, "report.json"))
    expected_document = json.loads(json.dumps(result.document))
    for document in (told, expected_document):
        for name in ("command", "created"):  # how and when it was asked for
            del document[name]
    assert told == expected_document
    with Run.open(own, write=False) as run:
        expected = [
            tuple(row.values()) for _, rows in run.read("games") for row in rows.to_pylist()
        ]
    games = rows_of(download(server, job.job_id, "games.parquet"))
    assert games == sorted(expected, key=lambda row: (row[0], row[4], row[5]))


def test_the_other_kinds(server: Running) -> None:
    specs = [
        pb.JobSpec(
            sprt=pb.SprtJob(player_a="greedy", player_b="random", elo0=0, elo1=100, pairs=1000)
        ),
        pb.JobSpec(
            balance=pb.BalanceJob(
                variants=["", "reserve=2"], players=["random"], pairs=10, levels=["turns"]
            )
        ),
        pb.JobSpec(self_play=pb.SelfPlayJob(player="greedy", pairs=10, with_decisions=True)),
    ]
    jobs = [create(server, spec) for spec in specs]
    sprt, balance, self_play = (ended(server, job.job_id) for job in jobs)
    assert [sprt.state, balance.state, self_play.state] == [pb.JOB_STATE_SUCCEEDED] * 3
    # Greedy wins each game, so that the test is decided at its first look.
    assert sprt.games_done == sprt.games_total == 100
    assert {"turns.parquet", "heat.parquet", "report.html"} <= {file.name for file in balance.files}
    assert balance.spec.balance.variants == [str(Rules()), str(Rules(reserve=2))]
    assert [file.name for file in self_play.files] == ["games.parquet"]
    games = pq.read_table(io.BytesIO(download(server, self_play.job_id, "games.parquet")))
    assert all(games.column("moves").to_pylist())


def test_openings_that_the_rules_have_not(server: Running) -> None:
    # Fewer than there are sequences, but some of these lead to the same board.
    job = ended(server, create(server, tournament(pairs=2_114, opening_turns=2)).job_id)
    assert job.state == pb.JOB_STATE_FAILED
    assert "openings" in job.message
    assert not job.files


def test_what_is_not_in_the_contract_is_not_kept(server: Running) -> None:
    unknown = b"\x78\x01" * 1_500_000  # a number in field 15, which there is not
    job = create(server, pb.JobSpec.FromString(tournament().SerializeToString() + unknown))
    assert job.ByteSize() < 1000
    assert job.spec == create(server, tournament()).spec
    assert listed(server, page_size=100).ByteSize() < 1 << 20


def test_a_page_ends_before_it_is_too_large(
    server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [create(server, tournament()) for _ in range(5)]
    # As large as two jobs, and a job is on its page however large it is.
    for size, expected in ((2 * made[0].ByteSize() + 10, 2), (1, 1)):
        monkeypatch.setattr("chase_service.jobcalls._PIECE", size)
        found: list[str] = []
        token = ""
        while len(found) < len(made):
            page = listed(server, page_size=100, page_token=token)
            assert len(page.jobs) == expected or not page.next_page_token
            found += [job.job_id for job in page.jobs]
            token = page.next_page_token
        assert found[: len(made)] == [job.job_id for job in reversed(made)]


# ---- One after the other ------------------------------------------------------------------------


def test_a_request_creates_one_job(server: Running) -> None:
    first = create(server, tournament(), "once")
    request = pb.CreateJobRequest(request_id="once", spec=tournament(max_turns=1000))
    again = server.call(f"{JOBS}CreateJob", request, pb.CreateJobResponse)
    assert again.known  # the default, in words
    assert again.job.job_id == first.job_id
    assert refused(create, server, tournament(pairs=21), "once")[0] is Code.INVALID_ARGUMENT
    assert refused(create, server, tournament(), "no spaces")[0] is Code.INVALID_ARGUMENT


def test_pages_hold_each_job_once(tmp_path: Path) -> None:
    with running(data=tmp_path) as server:
        first = create(server, endless()).job_id
        made = [first] + [create(server, tournament()).job_id for _ in range(6)]
        cancel(server, made[3])
        found, token = [], ""
        while True:
            page = listed(server, page_size=3, page_token=token)
            found += [job.job_id for job in page.jobs]
            token = page.next_page_token
            if len(found) == 3:
                create(server, tournament())  # later than the page; not on those that follow
            if not token:
                break
        assert found == made[::-1]
        gone = listed(server, state=pb.JOB_STATE_CANCELLED)
        assert [job.job_id for job in gone.jobs] == [made[3]]
        for wrong in ({"page_token": "x"}, {"page_token": "é"}, {"page_size": 101}, {"state": 9}):
            assert refused(listed, server, **wrong)[0] is Code.INVALID_ARGUMENT
        token = listed(server, page_size=3).next_page_token
        code, _ = refused(listed, server, page_token=token, state=pb.JOB_STATE_QUEUED)
        assert code is Code.INVALID_ARGUMENT


def test_cancel_watch_and_delete(server: Running) -> None:
    job_id = create(server, endless()).job_id
    seen: list[pb.Job] = []
    for job in watch(server, job_id):
        seen.append(job)
        if job.games_done:
            break
    assert refused(delete, server, job_id)[0] is Code.FAILED_PRECONDITION
    assert refused(download, server, job_id, "games.parquet")[0] is Code.FAILED_PRECONDITION
    # Whoever comes back with the last number that was seen gets what is later, and all of it.
    seen.append(next(iter(watch(server, job_id, seen[-1].sequence))))
    cancel(server, job_id)
    seen += watch(server, job_id, seen[-1].sequence)
    numbers = [job.sequence for job in seen]
    assert numbers == sorted(numbers)
    assert [job.games_done for job in seen] == sorted(job.games_done for job in seen)
    assert seen[-1].state == pb.JOB_STATE_CANCELLED
    assert [file.name for file in seen[-1].files] == ["games.parquet"]
    games = rows_of(download(server, job_id, "games.parquet"))
    assert len(games) == seen[-1].games_done > 0
    # One that has ended is told at once, even to those who know.
    assert list(watch(server, job_id, numbers[-1])) == [seen[-1]]
    assert cancel(server, job_id) == seen[-1]
    delete(server, job_id)
    for call in (get, cancel, delete):
        assert refused(call, server, job_id)[0] is Code.NOT_FOUND


def test_watchers_hear_at_least_every_second(tmp_path: Path) -> None:
    with running(data=tmp_path) as server:
        create(server, endless())
        waiting = create(server, tournament()).job_id
        messages = watch(server, waiting)
        found = [next(messages) for _ in range(3)]
        assert len({job.sequence for job in found}) == 1


def test_queries_are_answered_while_jobs_play(server: Running) -> None:
    job_id = create(server, endless()).job_id
    wait_for(lambda: get(server, job_id).games_done > 0)
    before = get(server, job_id).games_done
    request = query_pb.PerftRequest(items=[query_pb.PerftItem(depth=4)] * 8)
    for _ in range(3):
        counts = server.call("Perft", request, query_pb.PerftResponse).counts
        assert counts == [4_302_438] * 8
    wait_for(lambda: get(server, job_id).games_done > before)
    cancel(server, job_id)
    assert ended(server, job_id).state == pb.JOB_STATE_CANCELLED


# ---- Refusals -----------------------------------------------------------------------------------


# Each needs openings of its own.
BOARDS = [
    f"setup={setup}" for setup in ("123454321", "213454321", "543212345", "132454231", "2" * 9)
]


def balance(variants: list[str], pairs: int = 10_000, **more: Any) -> pb.JobSpec:
    job = pb.BalanceJob(variants=variants, players=["random"], pairs=pairs, **more)
    return pb.JobSpec(balance=job)


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        (pb.JobSpec(), Code.INVALID_ARGUMENT),
        (tournament(players=["random"]), Code.INVALID_ARGUMENT),
        (tournament(players=["random", "random:"]), Code.INVALID_ARGUMENT),
        (tournament(players=["random", "random"]), Code.INVALID_ARGUMENT),
        (tournament(players=["random", "ext:cmd=sh"]), Code.PERMISSION_DENIED),
        (tournament(players=["random", "ab:weights=/etc/passwd"]), Code.PERMISSION_DENIED),
        (tournament(players=["random", "/bin/sh"]), Code.PERMISSION_DENIED),
        (tournament(players=["random", "ab:nodes=1000000000000"]), Code.OUT_OF_RANGE),
        (tournament(pairs=0), Code.INVALID_ARGUMENT),
        (tournament(pairs=10_001), Code.OUT_OF_RANGE),
        (tournament(opening_turns=3), Code.INVALID_ARGUMENT),
        (tournament(pairs=2_115, opening_turns=2), Code.INVALID_ARGUMENT),
        (tournament(pairs=2, opening_turns=0), Code.INVALID_ARGUMENT),
        (tournament(max_turns=100_001), Code.INVALID_ARGUMENT),
        (tournament(rules="reserve=99"), Code.INVALID_ARGUMENT),
        (
            tournament(10_000, [f"ab:nodes={n}" for n in range(1, 65)]),
            Code.OUT_OF_RANGE,
        ),
        (
            pb.JobSpec(sprt=pb.SprtJob(player_a="greedy", player_b="random", pairs=9)),
            Code.INVALID_ARGUMENT,
        ),
        (
            pb.JobSpec(balance=pb.BalanceJob(variants=["", ""], players=["random"], pairs=9)),
            Code.INVALID_ARGUMENT,
        ),
        (balance(["", "setup=666666666"], 9, opening_turns=0), Code.INVALID_ARGUMENT),
        (balance(BOARDS, opening_turns=100), Code.INVALID_ARGUMENT),
    ],
)  # fmt: skip
def test_specs_that_are_refused(server: Running, spec: pb.JobSpec, code: grpc.StatusCode) -> None:
    before = len(listed(server, page_size=100).jobs)
    assert refused(create, server, spec)[0] is code
    assert len(listed(server, page_size=100).jobs) == before


def test_variants_with_one_setup_share_their_openings(server: Running) -> None:
    """So the same number of variants is no reason for a refusal."""
    variants = [f"reserve={reserve}" for reserve in (1, 2, 3)] + ["chain=yes", "recycle=no"]
    job_id = create(server, balance(variants, opening_turns=100)).job_id
    assert cancel(server, job_id).job_id == job_id
    assert ended(server, job_id).state == pb.JOB_STATE_CANCELLED


def test_variants_with_other_setups_have_openings_of_their_own(server: Running) -> None:
    job = ended(server, create(server, balance(["", "setup=666666666"], 3)).job_id)
    assert (job.state, job.message) == (pb.JOB_STATE_SUCCEEDED, "")


def test_the_limit_of_games_names_the_field_that_makes_them(server: Running) -> None:
    spec = tournament(10_000, [f"ab:nodes={n}" for n in range(1, 65)])
    with pytest.raises(grpc.RpcError) as raised:
        create(server, spec)
    status = rpc_status.from_call(raised.value)
    assert status is not None
    bad = error_details_pb2.BadRequest()
    assert any(detail.Unpack(bad) for detail in status.details)
    assert [one.field for one in bad.field_violations] == ["spec.tournament.pairs"]
    assert status.message.startswith("the number of games is 40320000, ")


@pytest.mark.parametrize("name", ["", "..", "../run/run.json", "run.json", "/etc/passwd", "\0"])
def test_names_that_are_no_files(server: Running, name: str) -> None:
    job = ended(server, create(server, tournament(), "files").job_id)
    assert refused(download, server, job.job_id, name)[0] is Code.NOT_FOUND
    assert refused(download, server, "../jobs", "games.parquet")[0] is Code.NOT_FOUND
    size = job.files[0].bytes
    assert download(server, job.job_id, job.files[0].name, size) == b""
    whole = download(server, job.job_id, job.files[0].name)
    assert download(server, job.job_id, job.files[0].name, 10) == whole[10:]
    assert refused(download, server, job.job_id, job.files[0].name, size + 1)[0] is (
        Code.OUT_OF_RANGE
    )


def test_the_command_of_a_program_stays_with_the_operator(server: Running) -> None:
    job = ended(server, create(server, tournament(2, ["random", "mine"])).job_id)
    assert job.state == pb.JOB_STATE_SUCCEEDED, job.message
    for file in job.files:
        content = download(server, job.job_id, file.name)
        at = content.find(b"secret")
        assert at < 0, (file.name, content[max(0, at - 200) : at + 100])
    columns = pq.read_table(io.BytesIO(download(server, job.job_id, "games.parquet")))
    assert set(columns.column("red").to_pylist()) == {"random", "mine"}


def test_no_more_jobs_than_the_limit(tmp_path: Path) -> None:
    with running(data=tmp_path, limits=Limits.of(Config(max_jobs=2))) as server:
        create(server, endless(), "first")
        create(server, tournament())
        assert refused(create, server, tournament())[0] is Code.RESOURCE_EXHAUSTED
        assert create(server, endless(), "first").job_id  # known, so no more


def test_a_job_that_plays_too_long_fails(tmp_path: Path) -> None:
    with running(data=tmp_path, limits=Limits.of(Config(max_job_seconds=0.5))) as server:
        job = ended(server, create(server, endless()).job_id)
    assert job.state == pb.JOB_STATE_FAILED
    assert job.message == "not done within 0.5 seconds of play"


def test_two_servers_do_not_share_a_folder(server: Running, data: Path) -> None:
    async def second() -> None:
        Server(Options(listen="127.0.0.1:0", data=data))

    with pytest.raises(StartError, match="another server"):
        server.run(second())


# ---- The end and what follows -------------------------------------------------------------------


def test_what_is_under_way_goes_on(tmp_path: Path) -> None:
    spec = pb.JobSpec(self_play=pb.SelfPlayJob(player="ab:nodes=3000", pairs=300))
    with running(data=tmp_path) as server:
        job_id = create(server, spec).job_id
        wait_for(lambda: get(server, job_id).games_done >= 10)
    with running(data=tmp_path) as server:
        before = get(server, job_id)
        assert before.state == pb.JOB_STATE_RUNNING
        assert before.games_done >= 10
        cancel(server, job_id)
        job = ended(server, job_id)
        assert job.games_done >= before.games_done
        games = rows_of(download(server, job_id, "games.parquet"))
        assert len({(row[0], row[4], row[5]) for row in games}) == len(games) == job.games_done


# ---- Calls that cross each other ----------------------------------------------------------------


def test_jobs_go_on_whatever_callers_do_at_the_same_time(tmp_path: Path) -> None:
    """Created, cancelled and deleted by many without waiting: the next job is played."""
    with running(data=tmp_path) as server:

        def hurry(number: int) -> None:
            job_id = create(server, tournament(pairs=5 + number)).job_id
            for call in (cancel, delete, delete, delete):
                try:
                    call(server, job_id)
                except grpc.RpcError as error:
                    if failure(error)[0] not in (Code.FAILED_PRECONDITION, Code.NOT_FOUND):
                        raise

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(hurry, range(30)))
        last = create(server, tournament()).job_id
        assert ended(server, last).state == pb.JOB_STATE_SUCCEEDED
        known = {job.job_id for job in listed(server).jobs}
        wait_for(lambda: {path.name for path in (tmp_path / "jobs").iterdir()} <= known)


def test_what_a_caller_began_is_done_when_it_is_gone(tmp_path: Path) -> None:
    """Deadlines of a creation and a deletion that pass at any moment leave nothing half done."""
    with running(data=tmp_path) as server:
        spec = pb.JobSpec(self_play=pb.SelfPlayJob(player="random", pairs=1))
        for number in range(16):
            request = pb.CreateJobRequest(request_id=f"r{number}", spec=spec)
            with suppress(grpc.RpcError):
                server.call(
                    f"{JOBS}CreateJob", request, pb.CreateJobResponse, timeout=0.001 * number
                )
        # No other call wakes the player up.
        wait_for(lambda: all(job.state in DONE for job in listed(server).jobs))
        made = [job.job_id for job in listed(server).jobs]
        for number, job_id in enumerate(made):
            with suppress(grpc.RpcError):
                server.call(
                    f"{JOBS}DeleteJob", pb.DeleteJobRequest(job_id=job_id), pb.DeleteJobResponse,
                    timeout=0.0003 * (number % 12),
                )  # fmt: skip

        def whole() -> bool:
            known = {job.job_id for job in listed(server).jobs}
            return {path.name for path in (tmp_path / "jobs").iterdir()} <= known

        wait_for(whole)


def test_modules_in_the_folder_of_the_server_are_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit(1)")
    monkeypatch.chdir(tmp_path)
    with running(data=tmp_path / "data") as server:
        job_id = create(server, tournament(pairs=1)).job_id
        assert ended(server, job_id).state == pb.JOB_STATE_SUCCEEDED


@pytest.mark.parametrize("field", ["alpha", "beta"])
def test_a_chance_that_no_games_could_show_is_refused(server: Running, field: str) -> None:
    job = pb.SprtJob(player_a="random", player_b="greedy", elo1=5, pairs=5)
    setattr(job, field, 1e-320)
    code, text = refused(create, server, pb.JobSpec(sprt=job))
    assert code is Code.INVALID_ARGUMENT
    assert "expected 1e-9 or more, and below 0.5" in text
