"""What no client of ours would send, over the wire."""

from __future__ import annotations

import asyncio
import gzip
import logging
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import grpc
import pytest
from chase_service._pb.chase.v1 import games_service_pb2, jobs_service_pb2, system_service_pb2
from chase_service._pb.chase.v1 import query_service_pb2 as pb
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

from tests.service.mangling import Mangler
from tests.service.offline import MAX_DETAILS, SECRET, SMALL, TELLTALES
from tests.service.rawwire import PREFACE, Heard, conversation, exchange, frame_of, framed
from tests.service.running import PATIENCE, QUERY, Running, failure, running, wait_for

pytestmark = pytest.mark.no_core

Code = grpc.StatusCode

METHODS = [
    *(QUERY + name for name in ("LegalDecisions", "Apply", "Perft", "Playouts", "Analyse")),
    "/chase.v1.SystemService/GetVersion",
]


@pytest.mark.parametrize("path", METHODS)
@pytest.mark.parametrize("data", [b"\xff", b"\x0a\xff", b"\x0a\x02\xff\xfe", b"\x12\x05abc"])
def test_bytes_that_are_no_message(server: Running, path: str, data: bytes) -> None:
    call: Any = server.channel.unary_unary(path)
    try:
        call(data, timeout=PATIENCE)
    except grpc.RpcError as error:
        code, details = failure(error)
        assert code is Code.INVALID_ARGUMENT
        assert details
    else:
        # What a message does not know it keeps, as long as it is well formed.
        assert path.endswith("GetVersion")
        system_service_pb2.GetVersionRequest.FromString(data)


@pytest.mark.parametrize("name", ["StreamPerft", "StreamPlayoutGames", "StreamAnalyse"])
def test_bytes_that_are_no_message_of_a_stream(server: Running, name: str) -> None:
    call: Any = server.channel.stream_stream(QUERY + name)
    with pytest.raises(grpc.RpcError) as raised:
        list(call(iter([b"\xff\xff"]), timeout=PATIENCE))
    assert failure(raised.value)[0] is Code.INVALID_ARGUMENT


def test_a_call_that_does_not_exist(server: Running) -> None:
    for path in ("/chase.v1.QueryService/Nothing", "/chase.v1.JobsService/GetJob", "/x/y"):
        call: Any = server.channel.unary_unary(path)
        with pytest.raises(grpc.RpcError) as raised:
            call(b"", timeout=PATIENCE)
        assert failure(raised.value)[0] is Code.UNIMPLEMENTED


def test_a_request_that_is_too_large(server: Running) -> None:
    call: Any = server.channel.unary_unary(QUERY + "LegalDecisions")
    with pytest.raises(grpc.RpcError) as raised:
        call(b"\0" * (5 << 20), timeout=PATIENCE)
    assert failure(raised.value)[0] is Code.RESOURCE_EXHAUSTED


# ---- Bytes that no client of gRPC would send ----------------------------------------------------

PERFT = pb.PerftRequest(items=[pb.PerftItem(depth=1)]).SerializeToString()
BOMB = gzip.compress(b"\0" * (40 << 20))


def kinds_of(*modules: Any) -> dict[str, type[Message]]:
    """Requests of the calls of some services, by the path of the call."""
    return {
        f"/{service.full_name}/{method.name}": GetMessageClass(method.input_type)
        for module in modules
        for service in module.DESCRIPTOR.services_by_name.values()
        for method in service.methods
    }


KINDS: Final = kinds_of(
    pb, games_service_pb2, jobs_service_pb2, system_service_pb2, health_pb2, reflection_pb2
)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server that does little for a call."""
    data = tmp_path_factory.mktemp("data") / "of the server"
    with running(limits=SMALL, programs={"mine": SECRET}, data=data) as started:
        yield started


def check(heard: Heard) -> None:
    """Fails if something was heard that no caller may hear."""
    for code, text, details in heard.statuses:
        assert code != Code.UNKNOWN.value[0]
        assert len(details) < MAX_DETAILS
        assert not [one for one in TELLTALES if one in text and one not in OF_GRPC]
    assert not [one for one in TELLTALES if one.encode() in heard.raw and one not in OF_GRPC]


# gRPC says "Error parsing 'grpc-encoding' metadata", and the like, of what it reads itself; and
# ErrorInfo is the name of a detail.
OF_GRPC: Final = ("Error",)


@pytest.mark.parametrize(
    ("data", "codes"),
    [
        (conversation(framed(PERFT)), {Code.OK}),
        (conversation(framed(PERFT) * 2), {Code.OK, Code.INTERNAL}),
        (conversation(framed(PERFT, length=3)), {Code.INVALID_ARGUMENT, Code.INTERNAL}),
        (conversation(framed(PERFT, flag=1)), {Code.INTERNAL}),
        (conversation(framed(PERFT, flag=255)), {Code.INVALID_ARGUMENT, Code.INTERNAL}),
        (conversation(framed(gzip.compress(PERFT), flag=1), {"grpc-encoding": "gzip"}), {Code.OK}),
        (conversation(framed(PERFT, flag=1), {"grpc-encoding": "gzip"}), {Code.INTERNAL}),
        (conversation(framed(PERFT, flag=1), {"grpc-encoding": "deflate"}), {Code.INTERNAL}),
        (
            conversation(framed(PERFT, flag=1), {"grpc-encoding": "../x"}),
            {Code.INTERNAL, Code.UNIMPLEMENTED},
        ),
        (conversation(framed(BOMB, flag=1), {"grpc-encoding": "gzip"}), {Code.RESOURCE_EXHAUSTED}),
        (conversation(framed(PERFT, length=2**32 - 1)), {Code.RESOURCE_EXHAUSTED}),
        (conversation(framed(PERFT), {"grpc-timeout": "0n"}), {Code.DEADLINE_EXCEEDED}),
        (conversation(framed(PERFT), {":path": "../../etc/passwd"}), {Code.UNIMPLEMENTED}),
        (conversation(framed(PERFT), {":path": "/" + "x" * 5000}), {Code.UNIMPLEMENTED}),
        (conversation(framed(PERFT), {":path": ""}), {Code.UNIMPLEMENTED}),
        (conversation(framed(PERFT), {"grpc-status": "3", "grpc-message": "x"}), {Code.OK}),
    ],
    ids=[
        "good", "twice", "short", "flag", "no flag", "packed", "not gzip", "not deflate",
        "no encoding", "bomb", "4 GiB", "no time", "path", "long path", "no path", "status",
    ],
)  # fmt: skip
def test_a_call_that_is_not_quite_one(small: Running, data: bytes, codes: set[Code]) -> None:
    heard = asyncio.run(exchange(small.target, data))
    check(heard)
    assert [code for code, _, _ in heard.statuses] != []
    assert {code for code, _, _ in heard.statuses} <= {code.value[0] for code in codes}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        PREFACE[:9],
        PREFACE,
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        bytes.fromhex("1603010200010001fc0303"),
        conversation(b""),
        conversation(b"\0\0"),
        conversation(framed(PERFT, length=300)),
        conversation(framed(PERFT, length=300), end=False),
        conversation(framed(PERFT), {"grpc-timeout": "x"}),
        conversation(framed(PERFT), {"te": None}),
        conversation(framed(PERFT), {":method": "GET"}),
        conversation(framed(PERFT), {":path": None}),
        conversation(framed(PERFT), {"x-bin": "!!!"}),
        conversation(framed(PERFT), {"X": "1"}),
    ],
)
def test_what_is_no_call_at_all(small: Running, data: bytes) -> None:
    check(asyncio.run(exchange(small.target, data, quiet=0.1)))
    assert_well(small)


def assert_well(server: Running) -> None:
    """A server that serves, with nothing left of those that were there before."""
    wait_for(lambda: server.busy == 0)
    assert server.client.perft([("", 2)]) == [2114]


def connection(chance: random.Random) -> bytes:
    """All that a client sends who means no good."""
    others = list(KINDS.values())
    mangler = Mangler(chance)
    draw = chance.random()
    if draw < 0.1:
        return chance.choice((b"", PREFACE)) + chance.randbytes(chance.choice((1, 9, 50, 3000)))
    if draw < 0.2:
        frames = [
            frame_of(
                chance.randrange(12), chance.randrange(256), chance.choice((0, 1, 2, 3, 2**31 - 1)),
                chance.randbytes(chance.choice((0, 1, 4, 5, 8, 40))),
            )
            for _ in range(chance.randrange(1, 9))
        ]  # fmt: skip
        return b"".join((PREFACE, frame_of(4, 0, 0, b""), *frames))
    path, kind = chance.choice(list(KINDS.items()))
    if draw < 0.5:
        data = conversation(framed(mangler.message(kind)), {":path": path})
        for _ in range(chance.choice((1, 1, 2, 5))):
            data = mangler.changed(data, others)
        return data
    body = b"".join(
        framed(
            mangler.request(kind, others)[:20_000],
            flag=chance.choice((0, 0, 0, 0, 1, 2, 255)),
            length=chance.choice((None, None, None, 0, 5, 70_000, 2**32 - 1)),
        )
        for _ in range(chance.choice((1, 1, 1, 2)))
    )
    encoding = chance.choice((None, None, "gzip", "identity", "x"))
    return conversation(body, end=draw < 0.95, headers={":path": path, "grpc-encoding": encoding})


def descriptors() -> int:
    """Open files and connections of this process, which is the server, too."""
    return len(list(Path("/proc/self/fd").iterdir()))


# Connections of each part; the first part is in the fast tests.
PART: Final = 250
PARTS: Final = 20
SIDE_BY_SIDE: Final = 25


@pytest.mark.parametrize(
    "part", [pytest.param(part, marks=pytest.mark.slow if part else ()) for part in range(PARTS)]
)
def test_very_many_connections(small: Running, part: int, caplog: pytest.LogCaptureFixture) -> None:
    async def talk() -> list[Heard]:
        free = asyncio.Semaphore(SIDE_BY_SIDE)

        async def one(number: int) -> Heard:
            async with free:
                data = connection(random.Random(f"{part}/{number}"))
                return await exchange(small.target, data, quiet=0.05)

        return await asyncio.gather(*map(one, range(PART)))

    assert_well(small)  # whose own connection stays
    before = descriptors()
    with caplog.at_level(logging.ERROR, "chase_service"):
        heard = asyncio.run(talk())
    for number, one in enumerate(heard):
        try:
            check(one)
        except AssertionError as error:
            error.add_note(f"{part}/{number}: {one}")
            raise
    codes = {code for one in heard for code, _, _ in one.statuses}
    assert {Code.OK.value[0], Code.INVALID_ARGUMENT.value[0]} <= codes
    assert_well(small)
    wait_for(lambda: descriptors() <= before)
    faults = [one for one in caplog.records if one.name == "chase_service"]
    assert all(one.exc_info and "secret-program" in str(one.exc_info[1]) for one in faults)
