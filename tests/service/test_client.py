"""What the clients do when a server fails, and when it takes too long."""

from __future__ import annotations

import math
from contextlib import nullcontext, suppress
from typing import Any

import grpc
import pytest
from chase_service import calls
from chase_service._pb.chase.v1 import query_service_pb2 as pb
from chase_service.client import ServiceError
from chase_service.errors import DETAILS_KEY, status_of
from chase_service.refusal import Reason, Refusal
from hypothesis import given
from hypothesis import strategies as st

import chase_fast as cf
from tests.service.fakes import BOTH, Scripted
from tests.service.running import Running, wait_for

pytestmark = pytest.mark.no_core

Code = grpc.StatusCode

ANSWER = pb.PerftResponse(counts=[7]).SerializeToString()
GONE = Refusal(Reason.UNAVAILABLE, "gone", retry_after=3.5)


def fickle(*refusals: Refusal) -> Scripted:
    """A server that fails with the refusals it was given, then answers."""
    scripts: list[list[Any]] = [[one] for one in refusals]
    return Scripted("QueryService/Perft", *scripts, [ANSWER], shape="unary_unary")


@pytest.fixture(params=list(BOTH))
def client_of(request: pytest.FixtureRequest) -> Any:
    return BOTH[request.param]


@pytest.fixture
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The delays of the clients, which do not pass."""
    taken: list[float] = []

    async def nap(seconds: float) -> None:
        taken.append(seconds)

    monkeypatch.setattr("chase_service.client.blocking.time.sleep", taken.append)
    monkeypatch.setattr("chase_service.client.asynchronous.asyncio.sleep", nap)
    return taken


def test_a_client_tries_again_when_it_was_told_to(client_of: Any, naps: list[float]) -> None:
    gone = Refusal(Reason.UNAVAILABLE, "gone")
    with fickle(GONE, gone) as server, client_of(server.target) as client:
        assert client.perft([("", 1)]) == [7]
    assert len(server.requests) == 3
    assert naps[0] == 3.5
    assert 0 < naps[1] < 1


@pytest.mark.parametrize(
    "reason", [one for one in Reason if one is not Reason.UNAVAILABLE], ids=lambda one: one.name
)
def test_a_client_tries_nothing_else_again(
    client_of: Any, naps: list[float], reason: Reason
) -> None:
    refusal = Refusal(reason, "no", retry_after=1.0)
    with (
        fickle(refusal) as server,
        client_of(server.target) as client,
        pytest.raises(ServiceError) as raised,
    ):
        client.perft([("", 1)])
    assert (raised.value.reason, raised.value.retry_after) == (reason.name, 1.0)
    assert (len(server.requests), naps) == (1, [])


@pytest.mark.parametrize("attempts", [1, 3, calls.ATTEMPTS])
def test_a_client_gives_up(client_of: Any, naps: list[float], attempts: int) -> None:
    with fickle(*[GONE] * 20) as server:
        with client_of(server.target, attempts=attempts) as client:
            with pytest.raises(ServiceError):
                client.perft([("", 1)])
            assert len(server.requests) == attempts == len(naps) + 1
        # Nor does it wait for what its time does not allow.
        with client_of(server.target, timeout=3.0) as client, pytest.raises(ServiceError):
            client.perft([("", 1)])
        assert len(server.requests) == attempts + 1


def test_a_client_has_a_deadline_and_each_call_one_of_its_own(
    server: Running, client_of: Any
) -> None:
    endless = [(cf.Position.start().cfen, 11)]
    with client_of(server.target, timeout=0.05) as client:
        with pytest.raises(ServiceError) as raised:
            client.perft(endless)
        assert raised.value.code is Code.DEADLINE_EXCEEDED
        assert client.perft([("", 4)], timeout=math.inf) == [4_302_438]
    with client_of(server.target, timeout=None) as client:
        with pytest.raises(ServiceError) as raised:
            client.perft(endless, timeout=0.05)
        assert raised.value.code is Code.DEADLINE_EXCEEDED
        with pytest.raises(ServiceError) as raised:
            list(client.play_games("ab:nodes=100000", "random", openings=9, timeout=0.05))
        assert raised.value.code is Code.DEADLINE_EXCEEDED
    wait_for(lambda: server.busy == 0)


# ---- The policy ---------------------------------------------------------------------------------


class Failed(grpc.RpcError):
    """A call that failed, as gRPC has it."""

    def __init__(
        self, code: grpc.StatusCode, details: str = "", *, after: float | None = None
    ) -> None:
        self._code = code
        self._details = details
        status = status_of(Refusal(Reason.UNAVAILABLE, "no", retry_after=after))
        self._trailers = ((DETAILS_KEY, status.SerializeToString()),)

    def code(self) -> grpc.StatusCode:
        return self._code

    def details(self) -> str:
        return self._details

    def trailing_metadata(self) -> Any:
        return self._trailers


@given(
    steps=st.lists(st.sampled_from(["answer", *Code]), max_size=30),
    attempts=st.integers(1, 8),
    after=st.none() | st.integers(0, 100),
    timeout=st.none() | st.floats(0, 50) | st.just(math.inf),
)
def test_delays(steps: list[Any], attempts: int, after: int | None, timeout: float | None) -> None:
    """UNAVAILABLE alone, so often in a row, never beyond the deadline, never sooner than told."""
    tries = calls.Tries(timeout, attempts)
    failed = 0
    for step in steps:
        if step == "answer":
            tries.answered()
            failed = 0
            continue
        failed += 1
        # The longest delay there is, growing and chance included.
        late = timeout is not None and max(after or 0, 7.5) >= timeout
        if step is not Code.UNAVAILABLE or failed >= attempts:
            with pytest.raises(ServiceError) as raised:
                tries.delay(Failed(step, after=after))
            assert (raised.value.code, raised.value.retry_after) == (step, after)
            return
        with suppress(ServiceError) if late else nullcontext():
            delay = tries.delay(Failed(step, after=after))
            assert (after or 0) <= delay <= max(after or 0, 7.5)
            assert timeout is None or delay < timeout


def test_a_status_that_was_lost_is_asked_for_again() -> None:
    lost = Failed(Code.INTERNAL, "Internal error from Core")
    tries = calls.Tries(None, 3)
    assert tries.delay(lost) > 0
    assert tries.delay(lost) > 0
    with pytest.raises(ServiceError):
        tries.delay(lost)
