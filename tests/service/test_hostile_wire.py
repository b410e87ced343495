"""What no client of ours would send, over the wire."""

from __future__ import annotations

from typing import Any

import grpc
import pytest
from chase_service._pb.chase.v1 import system_service_pb2

from tests.service.running import PATIENCE, QUERY, Running, failure

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
