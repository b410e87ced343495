"""Services that others wrote fail as ours do: nothing of an exception reaches the caller."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from chase_service.foreign import Guarded
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2_grpc

from tests.service.running import PATIENCE, Running, failure

pytestmark = pytest.mark.no_core

Code = grpc.StatusCode
HEALTH = "/grpc.health.v1.Health/"
REFLECTION = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"
CALLS = [f"{HEALTH}{name}" for name in ("Check", "Watch", "List")] + [REFLECTION]


def refused(channel: grpc.Channel, path: str, data: bytes) -> tuple[Code, str]:
    call: Any = channel.stream_stream(path)
    with pytest.raises(grpc.RpcError) as raised:
        list(call(iter([data]), timeout=PATIENCE))
    return failure(raised.value)


@pytest.mark.parametrize("path", CALLS)
def test_bytes_that_are_no_message(server: Running, path: str) -> None:
    assert refused(server.channel, path, b"\xff") == (
        Code.INVALID_ARGUMENT,
        "the bytes are no message of the call",
    )


def test_a_call_that_is_not_there(server: Running) -> None:
    assert refused(server.channel, f"{HEALTH}List", b"")[0] is Code.UNIMPLEMENTED


def test_a_refusal_of_theirs_stays_as_it_is(server: Running) -> None:
    request = health_pb2.HealthCheckRequest(service="nobody").SerializeToString()
    assert refused(server.channel, f"{HEALTH}Check", request)[0] is Code.NOT_FOUND


class Broken:
    """Both services, with faults."""

    async def Check(self, request: Any, context: Any) -> Any:
        raise OSError("secret")

    List = Check

    async def Watch(self, request: Any, context: Any) -> Any:
        await context.write(health_pb2.HealthCheckResponse())
        raise KeyError("secret")

    async def ServerReflectionInfo(self, requests: Any, context: Any) -> AsyncIterator[Any]:
        async for request in requests:
            yield await self.Check(request, context)


@pytest.mark.parametrize("path", [f"{HEALTH}Check", f"{HEALTH}Watch", REFLECTION])
def test_a_fault_of_theirs(server: Running, path: str, caplog: pytest.LogCaptureFixture) -> None:
    async def start() -> tuple[grpc.aio.Server, int]:
        other = grpc.aio.server()
        guarded: Any = Guarded(other)
        health_pb2_grpc.add_HealthServicer_to_server(Broken(), guarded)
        reflection_pb2_grpc.add_ServerReflectionServicer_to_server(Broken(), guarded)
        port = other.add_insecure_port("127.0.0.1:0")
        await other.start()
        return other, port

    other, port = server.run(start())
    try:
        with (
            caplog.at_level(logging.ERROR, "chase_service"),
            grpc.insecure_channel(f"127.0.0.1:{port}") as channel,
        ):
            code, text = refused(channel, path, b"")
        assert code is Code.INTERNAL
        assert text == "a fault of the server; its log says more"
        assert "secret" in caplog.text
    finally:
        server.run(other.stop(0))
