"""Requests that nobody would send who means well."""

from __future__ import annotations

from typing import Any

import grpc
import pytest
from chase_service import convert
from chase_service._pb.chase.v1 import query_service_pb2 as pb
from chase_service._pb.chase.v1 import system_service_pb2
from chase_service.config import Config
from chase_service.engine import StopFlag
from chase_service.limits import Limits
from chase_service.players import Players
from chase_service.refusal import MAX_MESSAGE, Refusal
from google.protobuf.message import Message
from hypothesis import given, settings
from hypothesis import strategies as st

import chase_fast as cf
from tests.service.running import PATIENCE, QUERY, Running, failure

pytestmark = pytest.mark.no_core

Code = grpc.StatusCode
GOOD = cf.Position.start().cfen
OVER = "f8/3Af4/4F1C2/5F3/9/4D4/9/1E2e4/5d3 b - 4/6"
A1E = cf.Move.parse("a1E").code

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


TEXTS = st.one_of(
    st.text(max_size=40),
    st.sampled_from(["", GOOD, OVER, "9/" * 5000, "\0", "ab:depth=2", "a" * 5000, "\ud7ff"]),
)
NUMBERS = st.one_of(st.integers(0, 3), st.sampled_from([A1E, 2**18 - 1, 2**31, 2**32 - 1]))
REQUESTS = st.one_of(
    st.builds(
        pb.LegalDecisionsRequest,
        rules=TEXTS, positions=st.lists(TEXTS, max_size=4), with_texts=st.booleans(),
        with_states=st.booleans(), fail_fast=st.booleans(),
    ),
    st.builds(
        pb.ApplyRequest,
        rules=TEXTS, positions=st.lists(TEXTS, max_size=3), counts=st.lists(NUMBERS, max_size=3),
        decisions=st.lists(NUMBERS, max_size=4), texts=st.lists(TEXTS, max_size=2),
    ),
    st.builds(
        pb.PerftRequest,
        items=st.lists(
            st.builds(
                pb.PerftItem,
                position=TEXTS, depth=st.sampled_from([0, 1, 2, 99, 2**32 - 1]),
                unit=st.integers(0, 9), divide=st.booleans(),
            ),
            max_size=3,
        ),
    ),
    st.builds(
        pb.PlayoutsRequest,
        items=st.lists(
            st.builds(
                pb.PlayoutsItem,
                position=TEXTS, games=st.sampled_from([0, 1, 2, 2**63, 2**64 - 1]),
                seed=st.sampled_from([0, 2**64 - 1]), first_game=st.sampled_from([0, 2**64 - 1]),
                max_turns=st.sampled_from([0, 1, 2**32 - 1]),
            ),
            max_size=2,
        ),
    ),
    st.builds(
        pb.AnalyseRequest,
        items=st.lists(
            st.builds(
                pb.AnalyseItem,
                position=TEXTS, decisions=st.lists(NUMBERS, max_size=3),
                player=st.one_of(TEXTS, st.just("ab:depth=1")),
                lines=st.sampled_from([0, 1, 324, 2**32 - 1]),
            ),
            max_size=2,
        ),
    ),
)  # fmt: skip


def outcome(request: Any) -> Message | Refusal:
    """What the readers make of a request, without a server around them."""
    limits = Limits.of(Config())
    context = convert.Context(limits, Players({}, limits))
    name = type(request).__name__.removesuffix("Request")
    try:
        batch = convert.READERS[name](request, context)
        results: list[Any] = []
        for work in batch.works:
            try:
                results.append(work.run(StopFlag()))
            except Refusal as refusal:
                results.append(refusal)
        data, items, failed = batch.answer(results)
    except Refusal as refusal:
        return refusal
    answer: Any = getattr(pb, f"{name}Response").FromString(data)
    asked = request.positions if name in ("LegalDecisions", "Apply") else request.items
    assert (items, failed) == (len(asked), len(answer.errors))
    message: Message = answer
    return message


@settings(max_examples=300, deadline=None)
@given(REQUESTS)
def test_whatever_is_asked_is_answered_or_refused_in_order(request_: Any) -> None:
    found: Any = outcome(request_)
    messages = [found.message] if isinstance(found, Refusal) else []
    for error in [] if messages else found.errors:
        assert error.code
        assert error.reason
        messages.append(error.message)
    assert all(message.isprintable() for message in messages)
    assert all(0 < len(message) <= MAX_MESSAGE for message in messages)
