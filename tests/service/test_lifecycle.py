"""How calls end before they are done, and how the server does."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import time
from collections.abc import Iterator
from concurrent import futures
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import pytest
from chase_service._pb.chase.v1 import query_service_pb2 as pb
from chase_service._pb.chase.v1.games_service_pb2 import (
    GeneratedOpenings,
    PlayGamesRequest,
    PlayGamesResponse,
)
from chase_service.client import ServiceError
from chase_service.config import Config
from chase_service.limits import Limits
from chase_service.server import AddressError, Options, Server, StartError, check_address, serve
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

from tests.service.running import (
    ENDLESS,
    PATIENCE,
    PLAY_GAMES,
    QUERY,
    Running,
    failure,
    running,
    wait_for,
)

pytestmark = pytest.mark.no_core

Code = grpc.StatusCode

# ---- Calls --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ENDLESS)
def test_a_call_that_is_cancelled_leaves_nothing_behind(server: Running, name: str) -> None:
    call: Any = server.channel.unary_unary(QUERY + name)
    future = call.future(ENDLESS[name].SerializeToString(), timeout=PATIENCE)
    wait_for(lambda: server.server.work > 0)
    future.cancel()
    wait_for(lambda: server.busy == 0)
    assert server.client.perft([("", 1)]) == [46]


@pytest.mark.parametrize("name", ENDLESS)
def test_a_deadline_ends_the_work(server: Running, name: str) -> None:
    call: Any = server.channel.unary_unary(QUERY + name)
    with pytest.raises(grpc.RpcError) as raised:
        call(ENDLESS[name].SerializeToString(), timeout=0.05)
    assert failure(raised.value)[0] is Code.DEADLINE_EXCEEDED
    wait_for(lambda: server.busy == 0)


def test_a_deadline_of_a_millisecond(server: Running) -> None:
    call: Any = server.channel.unary_unary(QUERY + "Perft")
    for _ in range(20):
        with pytest.raises(grpc.RpcError) as raised:
            call(ENDLESS["Perft"].SerializeToString(), timeout=0.001)
        assert failure(raised.value)[0] is Code.DEADLINE_EXCEEDED
    wait_for(lambda: server.busy == 0)


def test_no_call_takes_longer_than_the_server_lets_it() -> None:
    limits = Limits.of(Config(max_item_seconds=0.05))
    with running(limits=limits) as short:
        with pytest.raises(ServiceError) as raised:
            short.client.perft([("", 12)])
        assert (raised.value.code, raised.value.reason) == (Code.DEADLINE_EXCEEDED, "DEADLINE")
        wait_for(lambda: short.busy == 0)
        deep = pb.StreamPerftRequest(batch=pb.PerftRequest(items=[pb.PerftItem(depth=12)]))
        quick = pb.StreamPerftRequest(batch=pb.PerftRequest(items=[pb.PerftItem(depth=1)]))
        answers = short.talk("StreamPerft", [quick, deep])
        assert pb.StreamPerftResponse.FromString(next(answers)).batch.counts == [46]
        with pytest.raises(grpc.RpcError) as failed:
            next(answers)
        assert failure(failed.value)[0] is Code.DEADLINE_EXCEEDED


def test_games_that_were_sent_stay_true_when_the_rest_is_cancelled(server: Running) -> None:
    request = PlayGamesRequest(
        player_a="greedy",
        player_b="random",
        generated=GeneratedOpenings(count=500),
        max_turns=100_000,
    )
    call: Any = server.channel.unary_stream(PLAY_GAMES)
    stream = call(request.SerializeToString(), timeout=PATIENCE)
    first = PlayGamesResponse.FromString(next(stream))
    assert len(first.winners) >= 2
    stream.cancel()
    wait_for(lambda: server.busy == 0)


def test_a_stream_that_is_not_read_does_not_run_ahead(server: Running) -> None:
    """Back-pressure: what nobody takes is not played."""
    item = pb.PlayoutsItem(games=10_000_000)
    request = pb.StreamPlayoutGamesRequest(item=item, batch=5000)
    call: Any = server.channel.unary_stream(QUERY + "StreamPlayoutGames")
    stream = call(request.SerializeToString(), timeout=PATIENCE)
    next(stream)

    def look_again() -> object:
        time.sleep(0.001)
        return server.busy - server.server.calls

    # It has stopped, with most games unplayed: a piece takes longer than all these looks.
    wait_for(lambda: all(look_again() == 0 for _ in range(50)))
    assert server.server.calls == 1
    stream.cancel()
    wait_for(lambda: server.busy == 0)


def wrapped(depth: int) -> bytes:
    batch = pb.PerftRequest(items=[pb.PerftItem(depth=depth)])
    return pb.StreamPerftRequest(batch=batch).SerializeToString()


def test_a_half_closed_stream_gets_all_its_answers(server: Running) -> None:
    call: Any = server.channel.stream_stream(QUERY + "StreamPerft")
    answers = list(call(iter([wrapped(1), wrapped(2), wrapped(3)]), timeout=PATIENCE))
    counts = [pb.StreamPerftResponse.FromString(data).batch.counts[0] for data in answers]
    assert counts == [46, 2114, 95_578]
    assert list(call(iter([]), timeout=PATIENCE)) == []
    wait_for(lambda: server.busy == 0)


def test_a_stream_answers_before_it_has_all_requests(server: Running) -> None:
    answered: list[int] = []

    def has_answers(count: int) -> bool:
        return len(answered) == count

    def requests() -> Iterator[bytes]:
        for depth in (1, 2, 3):
            wait_for(partial(has_answers, depth - 1))
            yield wrapped(depth)

    call: Any = server.channel.stream_stream(QUERY + "StreamPerft")
    answers = call(requests(), timeout=PATIENCE)
    # Each is put into the list as it comes.
    answered.extend(pb.StreamPerftResponse.FromString(data).batch.counts[0] for data in answers)
    assert answered == [46, 2114, 95_578]


def test_a_stream_is_cancelled_between_its_messages(server: Running) -> None:
    def requests() -> Iterator[bytes]:
        yield wrapped(1)
        wait_for(lambda: server.server.calls == 0)

    call: Any = server.channel.stream_stream(QUERY + "StreamPerft")
    stream = call(requests(), timeout=PATIENCE)
    next(stream)
    stream.cancel()
    wait_for(lambda: server.busy == 0)


def test_a_stream_whose_caller_is_silent_ends() -> None:
    limits = Limits.of(Config(idle_seconds=0.05))
    with running(limits=limits) as server:
        call: Any = server.channel.stream_stream(QUERY + "StreamPerft")

        with pytest.raises(grpc.RpcError) as raised:
            list(call(held(server), timeout=PATIENCE))
        assert failure(raised.value)[0] is Code.DEADLINE_EXCEEDED


# ---- The server ---------------------------------------------------------------------------------


def health_of(server: Running, name: str) -> int:
    call: Any = server.channel.unary_unary("/grpc.health.v1.Health/Check")
    data = call(health_pb2.HealthCheckRequest(service=name).SerializeToString(), timeout=PATIENCE)
    status: int = health_pb2.HealthCheckResponse.FromString(data).status
    return status


def test_health(server: Running) -> None:
    for name in ("", "chase.v1.QueryService", "chase.v1.GamesService", "chase.v1.SystemService"):
        assert health_of(server, name) == health_pb2.HealthCheckResponse.SERVING
    with pytest.raises(grpc.RpcError) as raised:
        health_of(server, "chase.v1.JobsService")
    assert failure(raised.value)[0] is Code.NOT_FOUND


def test_reflection(server: Running) -> None:
    call: Any = server.channel.stream_stream(
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"
    )
    asked = reflection_pb2.ServerReflectionRequest(list_services="")
    (data,) = call(iter([asked.SerializeToString()]), timeout=PATIENCE)
    answer = reflection_pb2.ServerReflectionResponse.FromString(data)
    names = {one.name for one in answer.list_services_response.service}
    assert {"chase.v1.QueryService", "chase.v1.GamesService", "chase.v1.SystemService"} <= names


def test_a_port_has_one_server(server: Running) -> None:
    with pytest.raises(StartError, match=f"cannot listen on {server.target}"):
        Running(Options(listen=server.target))
    assert server.client.perft([("", 1)]) == [46]


@pytest.mark.parametrize("listen", ["127.0.0.1:0", "127.9.9.9:1", "[::1]:65535", "localhost:1"])
def test_addresses_of_this_machine(listen: str) -> None:
    check_address(listen, insecure=False)


@pytest.mark.parametrize("listen", ["0.0.0.0:1", "[::]:1", "192.168.1.2:1", "example.org:1"])
def test_addresses_that_others_reach(listen: str) -> None:
    with pytest.raises(AddressError, match="--insecure"):
        check_address(listen, insecure=False)
    check_address(listen, insecure=True)


@pytest.mark.parametrize(
    "listen",
    ["", "127.0.0.1", ":1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "h:-1",
     "::1:1", "a b:1", "h:" + "1" * 5000],
)  # fmt: skip
def test_addresses_that_are_none(listen: str) -> None:
    for insecure in (False, True):
        with pytest.raises(AddressError, match="expected a host, a colon and a port"):
            check_address(listen, insecure=insecure)


def test_the_end_waits_for_calls_and_takes_no_new_ones() -> None:
    with running() as server:
        slow: Any = server.channel.unary_unary(QUERY + "Playouts")
        games = pb.PlayoutsRequest(items=[pb.PlayoutsItem(games=20_000)]).SerializeToString()
        future = slow.future(games, timeout=PATIENCE)
        wait_for(lambda: server.server.calls == 1)
        ending = futures.ThreadPoolExecutor(1).submit(server.run, server.server.drain())
        wait_for(lambda: refuses(server))
        assert pb.PlayoutsResponse.FromString(future.result(PATIENCE)).results[0].games == 20_000
        assert ending.result(PATIENCE) is True


def refuses(server: Running) -> bool:
    call: Any = server.channel.unary_unary("/chase.v1.SystemService/GetVersion")
    answer = call.future(b"", timeout=PATIENCE)
    code: Any = answer.code()
    assert code in (Code.OK, Code.UNAVAILABLE)
    return code is Code.UNAVAILABLE


def test_the_end_stops_what_takes_too_long() -> None:
    with running(config=Config(grace_seconds=0.05)) as server:
        call: Any = server.channel.unary_unary(QUERY + "Perft")
        future = call.future(ENDLESS["Perft"].SerializeToString(), timeout=PATIENCE)
        stream: Any = server.channel.stream_stream(QUERY + "StreamPerft")
        idle = stream(held(server), timeout=PATIENCE)
        wait_for(lambda: server.server.calls == 2 and server.server.work > 0)
        assert server.run(server.server.drain()) is False
        assert future.code() is Code.UNAVAILABLE
        with pytest.raises(grpc.RpcError) as raised:
            next(idle)
        assert failure(raised.value)[0] is Code.UNAVAILABLE
        assert server.busy == 0


def held(server: Running) -> Iterator[bytes]:
    """A stream of requests that has none yet, and stays open while the server has calls."""
    wait_for(lambda: server.server.calls > 0)
    wait_for(lambda: server.server.calls == 0)
    yield from ()


def test_the_end_is_told_before_it_comes() -> None:
    with running() as server:
        call: Any = server.channel.unary_stream("/grpc.health.v1.Health/Watch")
        watch = call(health_pb2.HealthCheckRequest().SerializeToString(), timeout=PATIENCE)
        states = [health_pb2.HealthCheckResponse.FromString(next(watch)).status]
        busy: Any = server.channel.unary_unary(QUERY + "Playouts")
        games = pb.PlayoutsRequest(items=[pb.PlayoutsItem(games=20_000)]).SerializeToString()
        future = busy.future(games, timeout=PATIENCE)
        wait_for(lambda: server.server.calls == 1)
        ending = futures.ThreadPoolExecutor(1).submit(server.run, server.server.drain())
        states.append(health_pb2.HealthCheckResponse.FromString(next(watch)).status)
        assert states == [
            health_pb2.HealthCheckResponse.SERVING,
            health_pb2.HealthCheckResponse.NOT_SERVING,
        ]
        assert future.result(PATIENCE)
        assert ending.result(PATIENCE)


def test_a_name_is_refused_if_one_of_its_addresses_is_served() -> None:
    with running() as server:
        other = Options(listen=f"localhost:{server.server.port}")

        async def start() -> None:
            await Server(other).start()

        with pytest.raises(StartError, match="in use"):
            server.run(start())


def test_what_is_served_with_is_out_of_the_collector_before_calls_come(tmp_path: Path) -> None:
    # Its rounds would hold the event loop for as long as they take to look through all modules.
    frozen: list[int] = []

    class Ending(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if "serving on" in record.getMessage():
                frozen.append(gc.get_freeze_count())
                os.kill(os.getpid(), signal.SIGTERM)

    ending = Ending(logging.INFO)
    log = logging.getLogger("chase_service")
    level = log.level
    log.addHandler(ending)
    log.setLevel(logging.INFO)
    try:
        assert asyncio.run(serve(Options(listen="127.0.0.1:0", data=tmp_path)))
    finally:
        log.removeHandler(ending)
        log.setLevel(level)
        gc.unfreeze()
    assert frozen[0] > 10_000
