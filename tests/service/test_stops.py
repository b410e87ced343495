"""Work that nobody waits for any more ends wherever it is: while it is read, drawn, made again."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from chase_service import convert
from chase_service._pb.chase.v1 import games_service_pb2 as games_pb
from chase_service._pb.chase.v1 import jobs_service_pb2 as jobs_pb
from chase_service._pb.chase.v1 import query_service_pb2 as pb
from chase_service.batcher import AGAIN, Answer, Ending, Stop
from chase_service.batches import Context, many
from chase_service.config import Config
from chase_service.engine import StopFlag, Stopped, Work
from chase_service.jobs.threads import ChunkThreads
from chase_service.limits import Limits
from chase_service.players import Players
from chase_service.queries import replayed
from chase_service.wire import Errors, decode
from google.protobuf.message import Message

import chase_fast as cf
from chase_fast.openings import random_openings
from tests.service.jobs import cancel, create, ended, get, tournament
from tests.service.running import PATIENCE, PLAY_GAMES, QUERY, Running, failure, running, wait_for

pytestmark = pytest.mark.no_core

LIMITS = Limits.of(Config())
CONTEXT = Context(LIMITS, Players({}, LIMITS))
HISTORY = [move.code for move in next(random_openings(cf.Rules(), 60, 1)).moves]
# Where this one cannot be legal, whatever was before: it moves a die of the wrong side.
WRONG = [*HISTORY[:9], HISTORY[8]]


def histories(decisions: list[int], items: int = 3, **more: Any) -> pb.AnalyseRequest:
    item = pb.AnalyseItem(player="random", decisions=decisions)
    return pb.AnalyseRequest(items=[item] * items, **more)


def given(decisions: list[int], openings: int = 3) -> games_pb.PlayGamesRequest:
    opening = games_pb.Opening(decisions=decisions)
    return games_pb.PlayGamesRequest(
        player_a="random", player_b="random",
        given=games_pb.GivenOpenings(openings=[opening] * openings),
    )  # fmt: skip


def generated(turns: int, count: int = 100) -> games_pb.PlayGamesRequest:
    return games_pb.PlayGamesRequest(
        player_a="random", player_b="random",
        generated=games_pb.GeneratedOpenings(count=count, turns=turns),
    )  # fmt: skip


def ending(items: list[Any], last: int, stop: StopFlag, taken: list[Any]) -> Iterator[Any]:
    """The items; the flag is set when so many of them were taken."""
    for item in items:
        taken.append(item)
        if len(taken) == last:
            stop.set()
        yield item


# ---- While it is read ---------------------------------------------------------------------------


def test_a_history_is_made_again_no_further() -> None:
    stop, taken = StopFlag(), list[int]()
    with pytest.raises(Stopped):
        replayed(cf.Position.start(), ending(HISTORY, 5, stop, taken), "decisions", stop)
    assert len(taken) == 5


def test_items_are_read_no_further() -> None:
    stop, taken, read = StopFlag(), list[int](), list[int]()

    def note(item: int) -> list[Work[int]]:
        read.append(item)
        return []

    items = ending(list(range(100)), 7, stop, taken)
    with pytest.raises(Stopped):
        many(items, note, Errors(fail_fast=False), lambda *_: b"", stop)
    assert len(taken) == 7
    assert len(read) == 6


@pytest.mark.parametrize(
    ("name", "request_"),
    [
        ("Analyse", histories(HISTORY)),
        ("Perft", pb.PerftRequest(items=[pb.PerftItem(depth=1)])),
        ("Playouts", pb.PlayoutsRequest(items=[pb.PlayoutsItem(games=1)])),
    ],
)
def test_readers_have_a_flag(name: str, request_: Message) -> None:
    stop = StopFlag()
    stop.set()
    with pytest.raises(Stopped):
        convert.READERS[name](request_, CONTEXT, stop)


@pytest.mark.parametrize(
    ("name", "request_"),
    [
        ("Analyse", histories(HISTORY)),
        ("Apply", pb.ApplyRequest(positions=[""] * 3, counts=[0] * 3)),
        ("LegalDecisions", pb.LegalDecisionsRequest(positions=["x"] * 3)),
    ],
)
def test_so_has_their_work(name: str, request_: Message) -> None:
    batch = convert.READERS[name](request_, CONTEXT, StopFlag())
    stop = StopFlag()
    stop.set()
    for work in batch.works:
        with pytest.raises(Stopped):
            work.run(stop)


@pytest.mark.parametrize(
    ("name", "request_"),
    [
        ("Analyse", histories(HISTORY)),
        ("Perft", pb.PerftRequest(items=[pb.PerftItem(depth=1)] * 3)),
        ("Playouts", pb.PlayoutsRequest(items=[pb.PlayoutsItem(games=1)] * 3)),
    ],
)
def test_so_has_the_writing_of_their_answer(name: str, request_: Any) -> None:
    request_.items[1].position = "x"
    batch = convert.READERS[name](request_, CONTEXT, StopFlag())
    results = [work.run(StopFlag()) for work in batch.works]
    stop = StopFlag()
    stop.set()
    with pytest.raises(Stopped):
        batch.answer(results, stop)
    # Whoever was stopped by the work of others begins again, and says the same.
    told = [batch.answer(results, StopFlag()) for _ in range(2)]
    assert told[0] == told[1]
    assert told[0].failed == 1


@pytest.mark.parametrize("request_", [given([]), given(HISTORY), generated(0, 1), generated(4)])
def test_openings_of_a_call_have_a_flag(request_: games_pb.PlayGamesRequest) -> None:
    stop = StopFlag()
    stop.set()
    with pytest.raises(Stopped):
        list(convert.games(request_, CONTEXT, stop))


def test_the_games_of_openings_have_a_flag_before_they_are_played(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def play(*_: Any, **__: Any) -> Any:
        raise AssertionError("it was played")

    monkeypatch.setattr("chase_service.queries.play_pair", play)
    stop = StopFlag()
    stop.set()
    for work in convert.games(given(HISTORY), CONTEXT, StopFlag()):
        with pytest.raises(Stopped):
            work.run(stop)


def test_histories_are_made_again_with_their_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """So thousands of games are not there at the same time, and threads share them."""
    made: list[int] = []

    def note(*arguments: Any) -> cf.Game:
        made.append(1)
        return replayed(*arguments)

    monkeypatch.setattr("chase_service.queries.replayed", note)
    batch = convert.READERS["Analyse"](histories(HISTORY, 50), CONTEXT, StopFlag())
    assert not made
    batch.works[0].run(StopFlag())
    assert made == [1]


def test_with_fail_fast_nothing_is_searched_where_a_history_is_wrong(
    server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    def search(*_: Any, **__: Any) -> Any:
        raise AssertionError("it was searched")

    monkeypatch.setattr("chase_service.queries.analyse", search)
    request = histories(HISTORY, fail_fast=True)
    request.items.append(pb.AnalyseItem(player="random", decisions=WRONG))
    with pytest.raises(grpc.RpcError) as raised:
        server.call("Analyse", request, pb.AnalyseResponse)
    code, words = failure(raised.value)
    assert code is grpc.StatusCode.FAILED_PRECONDITION
    assert words.startswith("item 3: ")


def test_a_call_that_was_cancelled_leaves_no_work(server: Running) -> None:
    for name, request in (
        (QUERY + "Analyse", histories(HISTORY, 4096)),
        (PLAY_GAMES, given(HISTORY, 4096)),
        (PLAY_GAMES, generated(100, 10_000)),
    ):
        method: Any = server.channel.unary_stream(name)
        call = method(request.SerializeToString(), timeout=PATIENCE)
        wait_for(lambda: server.busy > 0)
        call.cancel()
        wait_for(lambda: server.busy == 0)


# ---- Not on the loop ----------------------------------------------------------------------------


def on_threads(server: Running) -> Callable[[Any], Any]:
    """Makes functions that raise an error if they are called on the loop of the server."""
    loop: list[threading.Thread] = []

    async def note() -> None:
        loop.append(threading.current_thread())

    server.run(note())

    def wrapped(function: Any) -> Any:
        def call(*arguments: Any) -> Any:
            assert threading.current_thread() not in loop, "it was done on the loop"
            return function(*arguments)

        return call

    return wrapped


@pytest.mark.parametrize(
    ("name", "request_"),
    [
        ("Analyse", pb.AnalyseRequest(items=[pb.AnalyseItem(player="random")] * 200)),
        ("Perft", pb.PerftRequest(items=[pb.PerftItem()] * 1000)),
        ("Playouts", pb.PlayoutsRequest(items=[pb.PlayoutsItem()] * 1000)),
    ],
)
def test_many_items_of_few_bytes_are_read_on_a_thread(
    server: Running, monkeypatch: pytest.MonkeyPatch, name: str, request_: Any
) -> None:
    guarded = on_threads(server)(convert.READERS[name])
    monkeypatch.setitem(convert.READERS, name, guarded)
    kind = getattr(pb, f"{name}Response")
    server.call(name, request_, kind)


@pytest.mark.parametrize(
    ("name", "request_"),
    [
        (PLAY_GAMES, given(HISTORY, 1000)),
        (QUERY + "StreamPlayoutGames", pb.StreamPlayoutGamesRequest(rules="x" * 100_000)),
        (QUERY + "Analyse", histories(HISTORY, 1000)),
    ],
)
def test_long_requests_are_decoded_on_a_thread(
    server: Running, monkeypatch: pytest.MonkeyPatch, name: str, request_: Message
) -> None:
    monkeypatch.setattr("chase_service.servicers.decode", on_threads(server)(decode))
    method: Any = server.channel.unary_stream(name)
    call = method(request_.SerializeToString(), timeout=PATIENCE)
    try:
        next(call)
    except grpc.RpcError as error:
        assert failure(error)[0] is grpc.StatusCode.INVALID_ARGUMENT  # noqa: PT017 - of the rules
    call.cancel()
    wait_for(lambda: server.busy == 0)


# ---- The openings of a job ----------------------------------------------------------------------


# A minute or more.
MANY = tournament(10_000, opening_turns=100)


def test_a_job_that_draws_openings_is_cancelled(tmp_path: Path) -> None:
    with running(data=tmp_path) as server:
        job_id = create(server, MANY).job_id
        drawing(server, job_id)
        cancel(server, job_id)
        job = ended(server, job_id)
        assert job.state == jobs_pb.JOB_STATE_CANCELLED
        assert not job.files
        small = jobs_pb.JobSpec(self_play=jobs_pb.SelfPlayJob(player="random", pairs=5))
        after = ended(server, create(server, small).job_id)
        assert after.state == jobs_pb.JOB_STATE_SUCCEEDED


def test_a_server_that_ends_does_not_wait_for_openings(tmp_path: Path) -> None:
    with running(data=tmp_path) as server:
        job_id = create(server, MANY).job_id
        drawing(server, job_id)
    with running(data=tmp_path) as server:
        assert get(server, job_id).state == jobs_pb.JOB_STATE_RUNNING
        cancel(server, job_id)
        assert ended(server, job_id).state == jobs_pb.JOB_STATE_CANCELLED


def drawing(server: Running, job_id: str) -> None:
    """Waits until the openings of a job are being drawn."""
    wait_for(lambda: get(server, job_id).state == jobs_pb.JOB_STATE_RUNNING)
    wait_for(lambda: server.server._engine.figures().busy_threads > 0)


class Pushy:
    """Background threads on which everything is asked once to make room."""

    def __init__(self) -> None:
        self.calls = 0

    async def run_background(self, chunk: Callable[[Stop], Any]) -> Answer[Any]:
        while True:
            self.calls += 1
            room = Stop()
            if self.calls == 1:
                room.set()
            result = await asyncio.to_thread(chunk, room)
            if result is not AGAIN:
                return Answer(Ending.RESULT, result)


def test_what_is_done_before_the_chunks_makes_room_and_begins_again() -> None:
    seen: list[bool] = []

    def part(stop: StopFlag) -> str | None:
        seen.append(stop.is_set())
        return None if stop.is_set() else "done"

    async def use() -> tuple[str | None, int]:
        background = Pushy()
        threads = ChunkThreads(asyncio.get_running_loop(), background)
        return await asyncio.to_thread(threads.alone, part), background.calls

    assert asyncio.run(use()) == ("done", 2)
    assert seen == [True, False]


def test_it_ends_with_the_run() -> None:
    async def use() -> object:
        background = Pushy()
        threads = ChunkThreads(asyncio.get_running_loop(), background)

        def part(stop: StopFlag) -> str | None:
            threads.interrupt()
            return None if stop.is_set() else "done"

        return await asyncio.to_thread(threads.alone, part)

    assert asyncio.run(use()) is None
