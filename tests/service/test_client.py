"""What the client does when a server fails, and when it takes too long."""

from __future__ import annotations

from concurrent import futures
from typing import Any

import grpc
import pytest
from chase_service import calls
from chase_service._pb.chase.v1 import query_service_pb2 as pb
from chase_service.client import Client, ServiceError
from chase_service.errors import DETAILS_KEY, status_of
from chase_service.refusal import Reason, Refusal

import chase_fast as cf
from tests.service.running import Running, wait_for

pytestmark = pytest.mark.no_core

Code = grpc.StatusCode


class Fickle:
    """A server that fails with the refusals it was given, then answers."""

    def __init__(self, *refusals: Refusal) -> None:
        self.refusals = list(refusals)
        self.asked = 0
        self.server = grpc.server(futures.ThreadPoolExecutor(1))
        handler: Any = grpc.unary_unary_rpc_method_handler(self.answer)
        self.server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler("chase.v1.QueryService", {"Perft": handler}),)
        )
        self.target = f"127.0.0.1:{self.server.add_insecure_port('127.0.0.1:0')}"
        self.server.start()

    def answer(self, request: bytes, context: Any) -> bytes:
        self.asked += 1
        if self.refusals:
            refusal = self.refusals.pop(0)
            status = status_of(refusal)
            context.set_trailing_metadata(((DETAILS_KEY, status.SerializeToString()),))
            code = next(code for code in grpc.StatusCode if code.value[0] == status.code)
            context.abort(code, status.message)
        return pb.PerftResponse(counts=[7]).SerializeToString()


@pytest.fixture
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The delays of the client, which do not pass."""
    taken: list[float] = []
    monkeypatch.setattr("chase_service.client.time.sleep", taken.append)
    return taken


GONE = Refusal(Reason.UNAVAILABLE, "gone", retry_after=3.5)


def test_the_client_tries_again_when_it_was_told_to(naps: list[float]) -> None:
    fickle = Fickle(GONE, Refusal(Reason.UNAVAILABLE, "gone"))
    with Client(fickle.target) as client:
        assert client.perft([("", 1)]) == [7]
    assert fickle.asked == 3
    assert naps[0] == 3.5
    assert 0 < naps[1] < 1
    fickle.server.stop(None)


@pytest.mark.parametrize("reason", [Reason.OVERLOADED, Reason.INTERNAL, Reason.DEADLINE])
def test_the_client_tries_nothing_else_again(naps: list[float], reason: Reason) -> None:
    fickle = Fickle(Refusal(reason, "no", retry_after=1.0))
    with Client(fickle.target) as client, pytest.raises(ServiceError) as raised:
        client.perft([("", 1)])
    assert (raised.value.reason, raised.value.retry_after) == (reason.name, 1.0)
    assert (fickle.asked, naps) == (1, [])
    fickle.server.stop(None)


def test_the_client_gives_up(naps: list[float]) -> None:
    fickle = Fickle(*[GONE] * 20)
    with Client(fickle.target) as client, pytest.raises(ServiceError):
        client.perft([("", 1)])
    assert fickle.asked == calls.ATTEMPTS == len(naps) + 1
    # Nor does it wait for what its time does not allow.
    with Client(fickle.target, timeout=3.0) as client, pytest.raises(ServiceError):
        client.perft([("", 1)])
    assert fickle.asked == calls.ATTEMPTS + 1
    fickle.server.stop(None)


def test_the_client_has_a_deadline(server: Running) -> None:
    with Client(server.target, timeout=0.05) as client, pytest.raises(ServiceError) as raised:
        client.perft([(cf.Position.start().cfen, 11)])
    assert raised.value.code is Code.DEADLINE_EXCEEDED
    wait_for(lambda: server.busy == 0)
