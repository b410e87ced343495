"""What is refused: one item, a whole call, hostile input; and what the refusal tells."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from chase_service import convert
from chase_service._pb.chase.v1 import errors_pb2, games_service_pb2
from chase_service._pb.chase.v1 import query_service_pb2 as pb
from chase_service.client import ItemError, ServiceError
from chase_service.config import Config
from chase_service.convert import _MAX_BATCH
from chase_service.engine import Work
from chase_service.limits import Limits
from chase_service.refusal import MAX_MESSAGE, Reason, Refusal, clean
from google.protobuf.message import Message
from google.rpc import error_details_pb2
from grpc_status import rpc_status

import chase_fast as cf
from tests.service.running import (
    PATIENCE,
    PLAY_GAMES,
    QUERY,
    Running,
    failure,
    running,
    wait_for,
)

pytestmark = pytest.mark.no_core

ROOT = Path(__file__).parents[2]

Code = grpc.StatusCode
GOOD = cf.Position.start().cfen
OVER = "f8/3Af4/4F1C2/5F3/9/4D4/9/1E2e4/5d3 b - 4/6"
A1E = cf.Move.parse("a1E").code
NO_MOVE = cf.Move.parse("a1SE").code

SMALL = dataclasses.replace(Limits.of(Config()), response_bytes=2000, games=100, items=50)


@pytest.fixture(scope="module")
def small() -> Iterator[Running]:
    """A server that takes less than others, and offers a program."""
    with running(limits=SMALL, programs={"other": "/no/such/program --secret"}) as started:
        yield started


def reasons(errors: Any) -> list[tuple[int, str, str]]:
    names = errors_pb2.ErrorReason
    return [
        (one.item, names.Name(one.reason).removeprefix("ERROR_REASON_"), one.field)
        for one in errors
    ]


def refused(server: Running, name: str, request: Message) -> tuple[Code, str, str]:
    """Code, reason and field of a call that fails; its details are those of gRPC's own package."""
    path = name if name.startswith("/") else QUERY + name
    call: Any = (
        server.channel.unary_stream(path)
        if name == PLAY_GAMES or "Stream" in name
        else server.channel.unary_unary(path)
    )
    with pytest.raises(grpc.RpcError) as raised:
        list(call(request.SerializeToString(), timeout=PATIENCE))
    failed: Any = raised.value
    status = rpc_status.from_call(failed)
    assert status is not None
    assert status.ByteSize() < 4096
    assert failed.details() == status.message
    info, field = error_details_pb2.ErrorInfo(), ""
    assert status.details[0].Unpack(info)
    assert info.domain == "chase-fast"
    for detail in status.details[1:]:
        bad = error_details_pb2.BadRequest()
        if detail.Unpack(bad):
            field = bad.field_violations[0].field
    return failed.code(), info.reason, field


def words_of(server: Running, name: str, request: Message) -> str:
    """What a call that fails says to people."""
    with pytest.raises(grpc.RpcError) as raised:
        server.call(name, request, pb.AnalyseResponse)
    return failure(raised.value)[1]


# ---- Items --------------------------------------------------------------------------------------


def test_a_bad_position_does_not_disturb_its_neighbours(server: Running) -> None:
    request = pb.LegalDecisionsRequest(
        positions=[GOOD, "nonsense", "", f"{GOOD} ", OVER], with_states=True
    )
    answer = server.call("LegalDecisions", request, pb.LegalDecisionsResponse)
    assert list(answer.counts) == [46, 0, 46, 0, 0]
    assert len(answer.decisions) == 92
    assert reasons(answer.errors) == [
        (1, "INVALID_POSITION", "positions"),
        (3, "INVALID_POSITION", "positions"),
    ]
    assert list(answer.states.winners) == [-1, -1, -1, -1, 0]


def test_what_is_wrong_with_a_position_is_told(server: Running) -> None:
    two = "abcdedcba/9/9/9/4A4/9/9/9/ABCDEDCBA r"
    answer = server.call(
        "LegalDecisions", pb.LegalDecisionsRequest(positions=[two]), pb.LegalDecisionsResponse
    )
    assert answer.errors[0].code == Code.INVALID_ARGUMENT.value[0]
    assert "(R4)" in answer.errors[0].message
    assert "26 pips" in answer.errors[0].message


def test_each_decision_is_refused_for_its_own_reason(server: Running) -> None:
    decisions = [A1E, NO_MOVE, 2**32 - 1, A1E, A1E, 0]
    request = pb.ApplyRequest(positions=["", "", "", OVER, "x", ""], decisions=decisions)
    answer = server.call("Apply", request, pb.ApplyResponse)
    assert reasons(answer.errors) == [
        (1, "ILLEGAL_DECISION", "decisions[1]"),
        (2, "INVALID_DECISION", "decisions[2]"),
        (3, "GAME_OVER", "decisions[3]"),
        (4, "INVALID_POSITION", "positions"),
        (5, "ILLEGAL_DECISION", "decisions[5]"),
    ]
    assert [bool(cfen) for cfen in answer.positions] == [True] + [False] * 5


def test_a_sequence_fails_where_it_is_wrong(server: Running) -> None:
    request = pb.ApplyRequest(positions=["", ""], counts=[2, 1], texts=["a1E", "a1E", "a5NE"])
    answer = server.call("Apply", request, pb.ApplyResponse)
    assert reasons(answer.errors) == [(0, "ILLEGAL_DECISION", "texts[1]")]
    assert answer.positions[1] == cf.Position.start().apply("a5NE").cfen


def test_items_of_perft_playouts_and_analysis(server: Running) -> None:
    perft = server.call(
        "Perft",
        pb.PerftRequest(
            items=[
                pb.PerftItem(depth=13),
                pb.PerftItem(depth=2),
                pb.PerftItem(divide=True),
                pb.PerftItem(position="x", depth=2),
                pb.PerftItem(depth=1, divide=True),
            ]
        ),
        pb.PerftResponse,
    )
    assert reasons(perft.errors) == [
        (0, "OVER_LIMIT", "depth"),
        (2, "INVALID_FIELD", "depth"),
        (3, "INVALID_POSITION", "position"),
    ]
    assert list(perft.counts) == [0, 2114, 0, 0, 46]
    assert list(perft.branches) == [0, 0, 0, 0, 46]
    playouts = server.call(
        "Playouts",
        pb.PlayoutsRequest(
            items=[
                pb.PlayoutsItem(),
                pb.PlayoutsItem(games=3),
                pb.PlayoutsItem(games=2, first_game=2**64 - 1),
                pb.PlayoutsItem(games=2, max_turns=100_001),
            ]
        ),
        pb.PlayoutsResponse,
    )
    assert reasons(playouts.errors) == [
        (0, "INVALID_FIELD", "games"),
        (2, "INVALID_FIELD", "first_game"),
        (3, "INVALID_FIELD", "max_turns"),
    ]
    assert [one.games for one in playouts.results] == [0, 3, 0, 0]
    analyse = server.call(
        "Analyse",
        pb.AnalyseRequest(
            items=[
                pb.AnalyseItem(position=OVER),
                pb.AnalyseItem(player="ab:depth=1"),
                pb.AnalyseItem(player="ab:deep=1"),
                pb.AnalyseItem(player="ab:depth=1", lines=325),
                pb.AnalyseItem(player="ab:depth=1", decisions=[A1E, A1E]),
            ]
        ),
        pb.AnalyseResponse,
    )
    assert reasons(analyse.errors) == [
        (0, "GAME_OVER", "decisions"),
        (2, "INVALID_PLAYER", "player"),
        (3, "INVALID_FIELD", "lines"),
        (4, "ILLEGAL_DECISION", "decisions[1]"),
    ]
    assert [len(one.lines) for one in analyse.results] == [0, 1, 0, 0, 0]


@pytest.mark.parametrize(
    ("name", "request_"),
    [
        ("LegalDecisions", pb.LegalDecisionsRequest(positions=["", "x"], fail_fast=True)),
        ("Apply", pb.ApplyRequest(positions=["x"], texts=["a1E"], fail_fast=True)),
        ("Perft", pb.PerftRequest(items=[pb.PerftItem(position="x")], fail_fast=True)),
        (
            "Playouts",
            pb.PlayoutsRequest(items=[pb.PlayoutsItem(position="x", games=1)], fail_fast=True),
        ),
        ("Analyse", pb.AnalyseRequest(items=[pb.AnalyseItem(position="x")], fail_fast=True)),
    ],
)
def test_fail_fast(server: Running, name: str, request_: Message) -> None:
    code, reason, field = refused(server, name, request_)
    assert (code, reason) == (Code.INVALID_ARGUMENT, "INVALID_POSITION")
    assert field in ("position", "positions")


# ---- Calls --------------------------------------------------------------------------------------


def test_batches_have_from_one_to_so_many_items(server: Running) -> None:
    for name in convert.READERS:
        field = "positions" if name in ("LegalDecisions", "Apply") else "items"
        kind = getattr(pb, f"{name}Request")
        assert refused(server, name, kind()) == (Code.INVALID_ARGUMENT, "INVALID_FIELD", field)
    many = pb.LegalDecisionsRequest(positions=[""] * 4097)
    too_many = (Code.OUT_OF_RANGE, "OVER_LIMIT", "positions")
    assert refused(server, "LegalDecisions", many) == too_many
    most = pb.LegalDecisionsRequest(positions=[""] * 4096)
    answer = server.call("LegalDecisions", most, pb.LegalDecisionsResponse)
    assert set(answer.counts) == {46}
    assert len(answer.counts) == 4096


def test_lines_of_a_call_are_added_up(server: Running) -> None:
    request = pb.AnalyseRequest(items=[pb.AnalyseItem(lines=324)] * 203)
    expected = (Code.OUT_OF_RANGE, "OVER_LIMIT", "items")
    assert refused(server, "Analyse", request) == expected
    assert words_of(server, "Analyse", request).startswith("the number of lines is 65772, ")


def test_a_history_has_a_limit(server: Running) -> None:
    item = pb.AnalyseItem(decisions=[A1E] * 4097)
    request = pb.AnalyseRequest(items=[item], fail_fast=True)
    expected = (Code.OUT_OF_RANGE, "OVER_LIMIT", "decisions")
    assert refused(server, "Analyse", request) == expected
    assert "the number of decisions is 4097, " in words_of(server, "Analyse", request)
    request_ = play(given=opening(decisions=[A1E] * 4097))
    expected = (Code.OUT_OF_RANGE, "OVER_LIMIT", "openings[0].decisions")
    assert refused(server, PLAY_GAMES, request_) == expected


def test_options_of_a_player_have_limits(server: Running) -> None:
    request = pb.AnalyseRequest(items=[pb.AnalyseItem(player="ab:nodes=100000001")], fail_fast=True)
    expected = (Code.OUT_OF_RANGE, "OVER_LIMIT", "player")
    assert refused(server, "Analyse", request) == expected
    assert "player: nodes is 100000001, " in words_of(server, "Analyse", request)


def test_rules_fail_the_call(server: Running) -> None:
    request = pb.LegalDecisionsRequest(rules="reserve=17", positions=[""])
    expected = (Code.INVALID_ARGUMENT, "INVALID_RULES", "rules")
    assert refused(server, "LegalDecisions", request) == expected


def test_fields_of_apply_have_to_fit_together(server: Running) -> None:
    bad = [
        pb.ApplyRequest(positions=["", ""], decisions=[A1E]),
        pb.ApplyRequest(positions=[""], decisions=[A1E], texts=["a1E"]),
        pb.ApplyRequest(positions=[""], counts=[1, 1], decisions=[A1E, A1E]),
        pb.ApplyRequest(positions=[""], counts=[2], decisions=[A1E]),
    ]
    for request in bad:
        assert refused(server, "Apply", request)[:2] == (Code.INVALID_ARGUMENT, "INVALID_FIELD")
    huge = pb.ApplyRequest(positions=["", ""], counts=[2**32 - 1, 1], decisions=[A1E])
    assert refused(server, "Apply", huge) == (Code.OUT_OF_RANGE, "OVER_LIMIT", "counts")
    assert words_of(server, "Apply", huge).startswith("the number of decisions is 4294967296, ")


def test_a_response_that_would_be_too_large_is_refused(small: Running) -> None:
    request = pb.LegalDecisionsRequest(positions=[""] * 10)  # 46 codes of four bytes each
    answer = small.call("LegalDecisions", request, pb.LegalDecisionsResponse)
    assert len(answer.decisions) == 460
    request.positions.append("")
    with pytest.raises(ServiceError, match="the limit response_bytes of this server is 2000"):
        small.client.legal_decisions([""] * 11)
    assert refused(small, "LegalDecisions", request)[:2] == (Code.OUT_OF_RANGE, "OVER_LIMIT")


def test_columns_of_games_fit_a_response_whatever_the_server_takes() -> None:
    (field,) = (one for one in dataclasses.fields(Config) if one.name == "max_response_bytes")
    # A varint holds seven bits a byte.
    row = sum(-(-cf.GAME_DTYPE[name].itemsize * 8 // 7) for name in cf.GAME_DTYPE.names or ())
    assert row * _MAX_BATCH < field.metadata["low"]


def test_games_of_a_call_are_added_up(small: Running) -> None:
    items = [pb.PlayoutsItem(games=60), pb.PlayoutsItem(games=41)]
    expected = (Code.OUT_OF_RANGE, "OVER_LIMIT", "items")
    assert refused(small, "Playouts", pb.PlayoutsRequest(items=items)) == expected
    request = pb.StreamPlayoutGamesRequest(item=pb.PlayoutsItem(games=101))
    assert refused(small, "StreamPlayoutGames", request)[0] is Code.OUT_OF_RANGE
    request = pb.StreamPlayoutGamesRequest(item=pb.PlayoutsItem(games=1), batch=10_001)
    assert refused(small, "StreamPlayoutGames", request)[2] == "batch"


def play(**fields: Any) -> games_service_pb2.PlayGamesRequest:
    fields = {"player_a": "greedy", "player_b": "random", **fields}
    if "given" not in fields and "generated" not in fields:
        fields["generated"] = games_service_pb2.GeneratedOpenings(count=1)
    return games_service_pb2.PlayGamesRequest(**fields)


def opening(**fields: Any) -> games_service_pb2.GivenOpenings:
    return games_service_pb2.GivenOpenings(openings=[games_service_pb2.Opening(**fields)])


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (play(player_a="sh"), (Code.PERMISSION_DENIED, "PLAYER_REFUSED", "player_a")),
        (play(player_b="ab:x=1"), (Code.INVALID_ARGUMENT, "INVALID_PLAYER", "player_b")),
        (play(rules="?"), (Code.INVALID_ARGUMENT, "INVALID_RULES", "rules")),
        (play(max_turns=4), (Code.INVALID_ARGUMENT, "INVALID_FIELD", "max_turns")),
        (play(max_turns=100_001), (Code.INVALID_ARGUMENT, "INVALID_FIELD", "max_turns")),
        (
            play(generated=games_service_pb2.GeneratedOpenings()),
            (Code.INVALID_ARGUMENT, "INVALID_FIELD", "generated.count"),
        ),
        (
            play(generated=games_service_pb2.GeneratedOpenings(count=10_001)),
            (Code.OUT_OF_RANGE, "OVER_LIMIT", "generated.count"),
        ),
        (
            play(generated=games_service_pb2.GeneratedOpenings(count=47, turns=1)),
            (Code.INVALID_ARGUMENT, "INVALID_FIELD", "generated.count"),
        ),
        (
            play(given=games_service_pb2.GivenOpenings()),
            (Code.INVALID_ARGUMENT, "INVALID_FIELD", "openings"),
        ),
        (
            play(given=opening(decisions=[NO_MOVE])),
            (Code.FAILED_PRECONDITION, "ILLEGAL_DECISION", "openings[0].decisions[0]"),
        ),
        (
            play(given=opening(position=OVER)),
            (Code.FAILED_PRECONDITION, "GAME_OVER", "openings[0].decisions"),
        ),
        (
            games_service_pb2.PlayGamesRequest(player_a="random", player_b="random"),
            (Code.INVALID_ARGUMENT, "INVALID_FIELD", "openings"),
        ),
    ],
)
def test_games_are_refused(
    server: Running, request_: Message, expected: tuple[Code, str, str]
) -> None:
    assert refused(server, PLAY_GAMES, request_) == expected


# ---- Faults of players -------------------------------------------------------------------------


def test_a_program_that_does_not_start_tells_nothing_of_itself(small: Running) -> None:
    """It has lost its games; where it should have been is the operator's secret."""
    request = play(player_b="other")
    (message,) = small.stream(PLAY_GAMES, request, games_service_pb2.PlayGamesResponse)
    assert list(message.terminations) == [6, 6]
    assert list(message.winners) == [0, 1]
    assert b"secret" not in message.SerializeToString()
    answer = small.call(
        "Analyse", pb.AnalyseRequest(items=[pb.AnalyseItem(player="other")]), pb.AnalyseResponse
    )
    assert reasons(answer.errors) == [(0, "INTERNAL", "")]
    assert b"secret" not in answer.SerializeToString()


# ---- Faults of the server -----------------------------------------------------------------------


def fault(*_: Any) -> Any:
    raise RuntimeError("/home/operator/secret is broken")


def test_a_fault_of_the_server_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with running() as broken:
        monkeypatch.setitem(convert.READERS, "Perft", fault)
        request = pb.PerftRequest(items=[pb.PerftItem()])
        assert refused(broken, "Perft", request) == (Code.INTERNAL, "INTERNAL", "")
        monkeypatch.setattr(convert, "tally_of", lambda piece: Work(fault, 1e6))
        items = [pb.PlayoutsItem(games=1)]
        answer = broken.call("Playouts", pb.PlayoutsRequest(items=items), pb.PlayoutsResponse)
        assert reasons(answer.errors) == [(0, "INTERNAL", "")]
        assert b"secret" not in answer.SerializeToString()


def test_too_much_work_is_refused_with_a_time_to_come_back() -> None:
    with running(config=Config(threads=1, max_queue_items=1)) as full:
        call: Any = full.channel.unary_unary(QUERY + "Perft")
        deep = pb.PerftRequest(items=[pb.PerftItem(depth=9)]).SerializeToString()
        # One has the thread for long work, and it or one more the place to wait for it.
        slow = [call.future(deep, timeout=PATIENCE) for _ in range(3)]
        wait_for(lambda: any(one.done() for one in slow))
        ended = [one for one in slow if one.done()]
        assert len(ended) < 3
        assert {one.code() for one in ended} == {Code.RESOURCE_EXHAUSTED}
        with pytest.raises(ServiceError) as raised:
            full.client.perft([("", 9)])
        assert raised.value.code is Code.RESOURCE_EXHAUSTED
        assert raised.value.reason == "OVERLOADED"
        assert raised.value.retry_after is not None
        assert raised.value.retry_after > 0
        # For short work there are a thread and a place still.
        assert full.client.perft([("", 4)]) == [4_302_438]
        for one in slow:
            one.cancel()


@pytest.mark.parametrize("priority", ["urgent", "0", "", "High"])
def test_a_priority_that_is_none(server: Running, priority: str) -> None:
    request = pb.PerftRequest(items=[pb.PerftItem(depth=5)])
    metadata = (("chase-priority", priority),)
    with pytest.raises(grpc.RpcError) as raised:
        server.call("Perft", request, pb.PerftResponse, metadata=metadata)
    code, text = failure(raised.value)
    assert (code, text) == (
        Code.INVALID_ARGUMENT, "chase-priority is not one of high, normal, low",
    )  # fmt: skip


@pytest.mark.parametrize("priority", ["high", "normal", "low"])
def test_a_priority_changes_no_answer(server: Running, priority: str) -> None:
    request = pb.PerftRequest(items=[pb.PerftItem(depth=4)])
    metadata = (("chase-priority", priority),)
    answer = server.call("Perft", request, pb.PerftResponse, metadata=metadata)
    assert list(answer.counts) == [4_302_438]


# ---- Words --------------------------------------------------------------------------------------


def test_reasons_are_those_of_the_contract() -> None:
    contract = {
        name.removeprefix("ERROR_REASON_"): number
        for name, number in errors_pb2.ErrorReason.items()
        if number
    }
    assert {reason.name: int(reason) for reason in Reason} == contract


def test_codes_are_those_that_the_contract_tells() -> None:
    text = (ROOT / "proto" / errors_pb2.DESCRIPTOR.name).read_text(encoding="utf-8")
    for reason in Reason:
        above = text.split(f"  ERROR_REASON_{reason.name} =")[0].rsplit("\n  ERROR_REASON", 1)[-1]
        assert f" {Refusal(reason, '').code.name}." in " ".join(above.split()), reason


def test_messages_are_printable_and_short() -> None:
    assert clean("a\nb\tc\x1b[1m\ud800é") == "a b\\tc\\x1b[1m\\ud800\\xe9"
    assert len(clean("é" * 1000)) == MAX_MESSAGE


def test_item_errors_reach_the_caller_of_the_client(server: Running) -> None:
    good, bad = server.client.perft([("", 1), ("x", 1)])
    assert good == 46
    assert isinstance(bad, ItemError)
    assert (bad.code, bad.reason, bad.field) == (3, "INVALID_POSITION", "position")
