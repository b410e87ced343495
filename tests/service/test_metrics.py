"""What a server tells Prometheus, against what was asked of it."""

from __future__ import annotations

import asyncio
import re
import socket
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from concurrent import futures
from pathlib import Path
from typing import Any

import grpc
import pytest
from chase_service._pb.chase.v1 import jobs_service_pb2
from chase_service._pb.chase.v1 import query_service_pb2 as pb
from chase_service.config import Config
from chase_service.limits import Limits
from chase_service.metrics.page import Page
from chase_service.rpc import Gate
from chase_service.server import AddressError, Options, StartError
from chase_service.watch import Ended
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry

import chase_fast as cf
from tests.service.running import ENDLESS, PATIENCE, QUERY, Running, failure, running, wait_for
from tests.service.watching import log_lines, page, risen, scraped

pytestmark = pytest.mark.no_core

Code = grpc.StatusCode
FREE = "127.0.0.1:0"
JOBS = "/chase.v1.JobsService/"


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running(metrics=FREE, commit="abc") as started:
        yield started


# ---- Calls --------------------------------------------------------------------------------------


def good(server: Running) -> None:
    server.client.perft([("", 1), ("nonsense", 1), ("", 2)])


def whole(server: Running) -> None:
    server.client.legal_decisions(["", "nonsense"])


def stream(server: Running) -> None:
    batch = pb.ApplyRequest(positions=["", ""], texts=["a1E", "a1SE"])
    assert len(list(server.talk("StreamApply", [pb.StreamApplyRequest(batch=batch)] * 3))) == 3


def games(server: Running) -> None:
    assert len(list(server.client.play_games("random", "random", openings=2, seed=1))) == 4


def failing(server: Running, path: str, data: bytes, code: Code) -> None:
    call: Any = server.channel.unary_unary(path)
    with pytest.raises(grpc.RpcError) as raised:
        call(data, timeout=PATIENCE)
    assert failure(raised.value)[0] is code


def refused(server: Running) -> None:
    failing(server, QUERY + "Perft", b"\xff", Code.INVALID_ARGUMENT)


def unknown(server: Running) -> None:
    failing(server, QUERY + "Nothing", b"\xff", Code.UNIMPLEMENTED)


def cancelled(server: Running) -> None:
    call: Any = server.channel.unary_unary(QUERY + "Perft")
    future = call.future(ENDLESS["Perft"].SerializeToString(), timeout=PATIENCE)
    wait_for(lambda: server.server.work > 0)
    future.cancel()
    wait_for(lambda: server.busy == 0)


# What each does: method, code, reason, items with a result, items without.
ASKED = {
    good: ("QueryService.Perft", "OK", "", 2, 1),
    whole: ("QueryService.LegalDecisions", "OK", "", 1, 1),
    stream: ("QueryService.StreamApply", "OK", "", 3, 3),
    games: ("GamesService.PlayGames", "OK", "", 4, 0),
    refused: ("QueryService.Perft", "INVALID_ARGUMENT", "INVALID_MESSAGE", 0, 0),
    unknown: ("other", "UNIMPLEMENTED", "", 0, 0),
    cancelled: ("QueryService.Perft", "CANCELLED", "", 0, 0),
}


@given(asked=st.lists(st.sampled_from(list(ASKED)), max_size=8))
def test_each_call_is_counted_and_has_its_line(
    server: Running, tmp_path_factory: pytest.TempPathFactory, asked: list[Any]
) -> None:
    before = scraped(server)
    with log_lines(tmp_path_factory.mktemp("log")) as lines:
        for one in asked:
            one(server)
    after = scraped(server)
    told = [ASKED[one] for one in asked]
    assert risen(before, after, "chase_calls_total") == Counter(
        (code, method) for method, code, *_ in told
    )
    seconds = risen(before, after, "chase_call_seconds_count")
    assert seconds == Counter((method,) for method, *_ in told)
    items: Counter[tuple[str, ...]] = Counter()
    for method, _, _, ok, error in told:
        items[method, "ok"] += ok
        items[method, "error"] += error
    assert risen(before, after, "chase_items_total") == +items
    seen = [
        (line["method"], line["code"], line["reason"], line["items"] - line["failed"],
         line["failed"])
        for line in lines.calls
    ]  # fmt: skip
    assert seen == told
    numbers = [line["call"] for line in lines.calls]
    assert numbers == sorted(set(numbers))


def test_the_buckets_of_a_histogram_add_up(server: Running) -> None:
    good(server)
    figures = scraped(server)
    for name, label in (
        ("chase_call_seconds", "QueryService.Perft"),
        ("chase_event_loop_lag_seconds", ""),
    ):
        labels = (label,) if label else ()
        buckets = [
            value for key, value in figures.items()
            if key[0] == f"{name}_bucket" and key[2:] == labels
        ]  # fmt: skip
        assert len(buckets) > 10
        assert buckets == sorted(buckets)
        assert buckets[-1] == figures[(f"{name}_count", *labels)]


def test_a_deadline_is_counted_as_such(tmp_path: Path) -> None:
    limits = Limits.of(Config(max_item_seconds=0.05))
    with running(metrics=FREE, limits=limits) as short, log_lines(tmp_path) as lines:
        failing(
            short, QUERY + "Perft", ENDLESS["Perft"].SerializeToString(), Code.DEADLINE_EXCEEDED
        )
        figures = scraped(short)
    assert figures["chase_calls_total", "DEADLINE_EXCEEDED", "QueryService.Perft"] == 1
    assert [(line["code"], line["reason"]) for line in lines.calls] == [
        ("DEADLINE_EXCEEDED", "DEADLINE")
    ]


class Ending:
    """A call that gRPC ends when so many seconds were left."""

    def __init__(self, left: float | None) -> None:
        self.left = left

    def invocation_metadata(self) -> None:
        return None

    def peer(self) -> str:
        return "ipv4:127.0.0.1:5"

    def time_remaining(self) -> float | None:
        return self.left


@pytest.mark.parametrize(
    ("left", "code"),
    [(None, "CANCELLED"), (30.0, "CANCELLED"), (0.0, "DEADLINE_EXCEEDED"),
     (0.001, "DEADLINE_EXCEEDED")],
)  # fmt: skip
def test_grpc_cancels_at_the_deadline(left: float | None, code: str) -> None:
    seen: list[Ended] = []

    class Watcher:
        def items(self, method: str, items: int, failed: int) -> None: ...

        def ended(self, call: Ended) -> None:
            seen.append(call)

    async def endless(data: bytes, call: Any) -> bytes:
        await asyncio.sleep(PATIENCE)
        return data

    async def main() -> None:
        gate = Gate(Limits.of(Config()))
        gate.watchers.append(Watcher())
        context: Any = Ending(left)
        task = asyncio.ensure_future(
            gate.answer(endless, b"abc", context, method="Some.Method", stream=False, timed=False)
        )
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert [(call.method, call.code, call.request_bytes) for call in seen] == [
        ("Some.Method", code, 3)
    ]


def test_calls_that_come_too_late_are_counted() -> None:
    with running(metrics=FREE) as server:
        call: Any = server.channel.unary_unary(QUERY + "Playouts")
        asked = pb.PlayoutsRequest(items=[pb.PlayoutsItem(games=300_000)])
        future = call.future(asked.SerializeToString(), timeout=PATIENCE)
        wait_for(lambda: server.server.work > 0)
        assert scraped(server)["chase_calls_running",] == 1
        assert scraped(server)["chase_engine_busy_threads",] >= 1
        with futures.ThreadPoolExecutor(1) as pool:
            ending = pool.submit(server.run, server.server.drain())
            wait_for(lambda: bool(late(server)))
            assert late(server) == 1
            future.result(PATIENCE)
            ending.result(PATIENCE)


def late(server: Running) -> float:
    """Calls of GetVersion that were refused; makes one if there is none."""
    key = ("chase_calls_total", "UNAVAILABLE", "SystemService.GetVersion")
    if not (refusals := scraped(server).get(key, 0)):
        call: Any = server.channel.unary_unary("/chase.v1.SystemService/GetVersion")
        call.future(b"", timeout=PATIENCE).exception(PATIENCE)
    return refusals


def test_callers_cannot_make_up_labels(server: Running) -> None:
    unknown(server)
    before = page(server)
    channel: Any = server.channel
    calls = [
        channel.unary_unary(f"/{service}/Made-up-{number}").future(b"", timeout=PATIENCE)
        for number in range(500)
        for service in ("chase.v1.QueryService", f"made.up.Service{number}")
    ]
    assert {call.code() for call in calls} == {Code.UNIMPLEMENTED}
    after = page(server)
    assert len(after.splitlines()) == len(before.splitlines())
    assert "ade-up" not in after and "made" not in after
    figures = scraped(server)
    assert figures["chase_calls_total", "UNIMPLEMENTED", "other"] >= 1000


# ---- What was done ------------------------------------------------------------------------------


def test_games_and_nodes(server: Running) -> None:
    before = scraped(server)
    server.client.playouts(1500, seed=3)
    item = pb.PlayoutsItem(games=700)
    request = pb.StreamPlayoutGamesRequest(item=item, batch=300)
    answers = server.stream("StreamPlayoutGames", request, pb.StreamPlayoutGamesResponse)
    assert len(list(answers)) == 3
    games(server)
    found: Any = server.client.analyse([""], "ab:depth=3")[0]
    after = scraped(server)
    assert risen(before, after, "chase_games_total") == {(): 1500 + 700 + 4}
    assert risen(before, after, "chase_nodes_total") == {(): found.nodes}
    assert found.nodes > 0
    items = risen(before, after, "chase_items_total")
    assert items["QueryService.StreamPlayoutGames", "ok"] == 700
    assert items["QueryService.Playouts", "ok"] == 1


def test_work_on_threads_and_on_the_loop(server: Running) -> None:
    before = scraped(server)
    server.client.perft([("", 1)])
    between = scraped(server)
    assert not risen(before, between, "chase_engine_batches_total")
    assert risen(before, between, "chase_engine_inline_total")[()] >= 1
    server.client.playouts(2000)
    assert risen(between, scraped(server), "chase_engine_batches_total")[()] >= 1


def create(server: Running, player: str, pairs: int) -> str:
    """A job; its id."""
    job = jobs_service_pb2.SelfPlayJob(player=player, pairs=pairs)
    spec = jobs_service_pb2.JobSpec(seed=5, self_play=job)
    request = jobs_service_pb2.CreateJobRequest(spec=spec)
    made = server.call(f"{JOBS}CreateJob", request, jobs_service_pb2.CreateJobResponse)
    return made.job.job_id


def states(server: Running) -> dict[str, float]:
    """Jobs by state, those states left out in which there are none."""
    return {
        key[1]: value for key, value in scraped(server).items() if key[0] == "chase_jobs" and value
    }


def test_jobs(tmp_path: Path) -> None:
    with running(data=tmp_path, metrics=FREE) as server:
        assert page(server).count("chase_jobs{") == 5
        assert states(server) == {}
        create(server, "random", 20)
        wait_for(lambda: states(server) == {"succeeded": 1})
        assert scraped(server)["chase_games_total",] == 40
        slow = create(server, "ab:nodes=100000", 20)
        create(server, "random", 20)
        wait_for(lambda: states(server) == {"succeeded": 1, "running": 1, "queued": 1})
        cancel = jobs_service_pb2.CancelJobRequest(job_id=slow)
        server.call(f"{JOBS}CancelJob", cancel, jobs_service_pb2.CancelJobResponse)
        wait_for(lambda: states(server) == {"succeeded": 2, "cancelled": 1})


def test_games_of_a_job_are_counted_where_they_are_played(tmp_path: Path) -> None:
    with running(data=tmp_path, metrics=FREE) as server:
        create(server, "greedy:eps=0.5", 3000)
        wait_for(lambda: scraped(server)["chase_games_total",] > 0)
    with running(data=tmp_path, metrics=FREE) as again:
        wait_for(lambda: states(again) == {"succeeded": 1})
        assert 0 < scraped(again)["chase_games_total",] < 6000


def test_a_loop_that_is_kept_busy_is_late(server: Running) -> None:
    before = scraped(server)
    server.loop.call_soon_threadsafe(time.sleep, 0.4)
    key = ("chase_event_loop_lag_seconds_sum",)
    # It is asked every tenth of a second, so that it is at least three tenths late once.
    wait_for(lambda: scraped(server)[key] - before[key] > 0.25)


def test_what_is_served_is_told(server: Running) -> None:
    figures = scraped(server)
    assert figures["chase_build_info", "abc", cf.Rules().isa, cf.__version__] == 1
    assert figures["process_resident_memory_bytes",] > 0
    assert figures["process_open_fds",] > 0


# ---- The page -----------------------------------------------------------------------------------


def test_a_server_says_nothing_unless_it_is_asked_to() -> None:
    with running() as quiet:
        assert quiet.server.metrics_port == 0
        assert quiet.client.perft([("", 1)]) == [46]


def test_the_page_ends_with_the_server() -> None:
    with running(metrics=FREE) as server:
        port = server.server.metrics_port
        assert page(server)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), PATIENCE)


def test_a_port_in_use_is_refused_and_nothing_is_kept(server: Running, tmp_path: Path) -> None:
    taken = f"127.0.0.1:{server.server.metrics_port}"
    for _ in range(2):  # the folder is free again
        with pytest.raises(
            StartError, match=f"metrics on {re.escape(taken)}: .* in use.*--metrics"
        ):
            Running(Options(listen=FREE, metrics=taken, data=tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = free.getsockname()
    own = f"127.0.0.1:{address[1]}"
    with pytest.raises(StartError, match="cannot listen"):
        Running(Options(listen=server.target, metrics=own, data=tmp_path))
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address, PATIENCE)
    with running(metrics=FREE, data=tmp_path) as other:
        assert page(other)
    assert page(server)


def test_others_reach_the_figures_only_if_that_is_meant() -> None:
    with pytest.raises(AddressError, match=r"metrics is '0.0.0.0:0'.*--insecure"):
        Running(Options(listen=FREE, metrics="0.0.0.0:0"))
    with running(metrics="0.0.0.0:0", insecure=True) as server:
        assert page(server)


def test_it_listens_on_ipv6() -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6")
    with running(metrics="[::1]:0") as server:
        url = f"http://[::1]:{server.server.metrics_port}/metrics"
        with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
            assert b"chase_calls_running" in answer.read()


def test_readers_that_say_nothing_are_few(server: Running) -> None:
    address = ("127.0.0.1", server.server.metrics_port)
    silent = [socket.create_connection(address, PATIENCE) for _ in range(8)]
    try:
        with socket.create_connection(address, PATIENCE) as one_more:
            assert one_more.recv(1) == b""  # turned away
    finally:
        for one in silent:
            one.close()
    wait_for(lambda: answers(server))


def test_places_of_readers_come_back_where_no_thread_can_be_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = Page("127.0.0.1", 0, CollectorRegistry())
    url = f"http://127.0.0.1:{shown.port}/metrics"

    class Failing(threading.Thread):
        def start(self) -> None:
            raise RuntimeError("can't start new thread")

    try:
        with monkeypatch.context() as patched:
            patched.setattr("socketserver.threading.Thread", Failing)
            for _ in range(20):
                with pytest.raises(OSError):
                    urllib.request.urlopen(url, timeout=PATIENCE)
        with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
            assert answer.status == 200
    finally:
        shown.close()


def answers(server: Running) -> bool:
    try:
        return bool(page(server))
    except OSError:
        return False


def test_a_fault_in_the_figures_is_told_in_the_log_alone(tmp_path: Path) -> None:
    class Broken:
        def collect(self) -> Any:
            raise RuntimeError("a secret")

    registry = CollectorRegistry()
    registry.register(Broken())
    shown = Page("127.0.0.1", 0, registry)
    try:
        with log_lines(tmp_path) as lines, pytest.raises(urllib.error.HTTPError) as raised:
            urllib.request.urlopen(f"http://127.0.0.1:{shown.port}/metrics", timeout=PATIENCE)
        with raised.value as error:
            assert (error.code, error.read()) == (500, b"")
    finally:
        shown.close()
    (line,) = lines.all
    assert "a secret" in line["traceback"]
