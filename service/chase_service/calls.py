"""What both clients share: what calls are made of, what becomes of answers and of failures."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

import grpc
from google.protobuf.message import DecodeError, Message
from google.rpc import error_details_pb2, status_pb2

from chase_service._pb.chase.v1 import (
    errors_pb2,
    games_service_pb2,
    query_service_pb2,
    system_service_pb2,
)

__all__ = [
    "ATTEMPTS",
    "PLAY_GAMES",
    "Analysed",
    "Decisions",
    "ItemError",
    "Line",
    "Plan",
    "PlayedGame",
    "ServiceError",
    "analyse",
    "apply",
    "deadline_in",
    "delay_before",
    "error_of",
    "games_of",
    "games_request",
    "legal_decisions",
    "perft",
    "playouts",
    "seconds_left",
    "version",
]

pb = query_service_pb2
T = TypeVar("T")

_ITEMS: Final = 1000
ATTEMPTS: Final = 5
_FIRST_DELAY: Final = 0.1
_LONGEST_DELAY: Final = 5.0
_DETAILS_KEY: Final = "grpc-status-details-bin"


class ServiceError(Exception):
    """A call that failed.

    Attributes:
        code: gRPC's.
        reason: A name of ErrorReason without its prefix, empty where the server gave none.
        message: For people.
        field: Of the request, empty where it is not one field.
        retry_after: Seconds after which the server wants to be asked again, or None.
    """

    def __init__(
        self, code: grpc.StatusCode, message: str, *, reason: str = "", field: str = "",
        retry_after: float | None = None,
    ) -> None:  # fmt: skip
        super().__init__(f"{code.name}: {message}")
        self.code = code
        self.reason = reason
        self.message = message
        self.field = field
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class ItemError:
    """An item without a result, in its place among the results.

    Attributes:
        code: Number of gRPC's code.
        reason: A name of ErrorReason without its prefix.
        field: Of the request.
        message: For people.
    """

    code: int
    reason: str
    field: str
    message: str


@dataclass(frozen=True, slots=True)
class Decisions:
    """Legal decisions of a position: codes, and texts if they were asked for."""

    decisions: tuple[int, ...]
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of an analysis: score in thousandths of a die, depth, nodes, decisions as codes."""

    score: int
    depth: int
    nodes: int
    decisions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Analysed:
    """What a search found: lines, best first, and what it took."""

    lines: tuple[Line, ...]
    depth: int
    nodes: int
    sims: int


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game of PlayGames.

    Attributes:
        pair: Number of the pair.
        game: 0: player A is red, 1: player B is.
        winner: 0 red, 1 blue, None nobody.
        termination: Its code.
        turns: Turns played.
        decisions: Codes, if they were asked for.
    """

    pair: int
    game: int
    winner: int | None
    termination: int
    turns: int
    decisions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Plan(Generic[T]):
    """Calls, one after the other, and what is made of each response."""

    path: str
    requests: Iterable[Message]
    response: type[Message]
    read: Callable[[Any], list[T]]


def _path(service: str, call: str) -> str:
    return f"/chase.v1.{service}Service/{call}"


def _cut(items: Sequence[T]) -> Iterator[Sequence[T]]:
    return (items[start : start + _ITEMS] for start in range(0, len(items), _ITEMS))


def _placed(count: int, errors: Iterable[errors_pb2.ItemError]) -> dict[int, ItemError]:
    placed = {
        error.item: ItemError(
            error.code,
            errors_pb2.ErrorReason.Name(error.reason).removeprefix("ERROR_REASON_"),
            error.field,
            error.message,
        )
        for error in errors
    }
    if any(item >= count for item in placed):
        raise ServiceError(grpc.StatusCode.INTERNAL, "the response has errors of other items")
    return placed


def legal_decisions(positions: Sequence[str], rules: str, *, texts: bool) -> Plan[Any]:
    """Calls of LegalDecisions."""

    def read(response: pb.LegalDecisionsResponse) -> list[Decisions | ItemError]:
        errors = _placed(len(response.counts), response.errors)
        codes, words = tuple(response.decisions), tuple(response.texts)
        found: list[Decisions | ItemError] = []
        begin = 0
        for item, count in enumerate(response.counts):
            end = begin + count
            found.append(errors.get(item) or Decisions(codes[begin:end], words[begin:end]))
            begin = end
        return found

    return Plan(
        _path("Query", "LegalDecisions"),
        (
            pb.LegalDecisionsRequest(rules=rules, positions=part, with_texts=texts)
            for part in _cut(positions)
        ),
        pb.LegalDecisionsResponse,
        read,
    )


def apply(items: Sequence[tuple[str, Sequence[int]]], rules: str) -> Plan[Any]:
    """Calls of Apply."""

    def read(response: pb.ApplyResponse) -> list[str | ItemError]:
        errors = _placed(len(response.positions), response.errors)
        return [errors.get(item) or cfen for item, cfen in enumerate(response.positions)]

    return Plan(
        _path("Query", "Apply"),
        (
            pb.ApplyRequest(
                rules=rules,
                positions=[position for position, _ in part],
                counts=[len(decisions) for _, decisions in part],
                decisions=[code for _, decisions in part for code in decisions],
            )
            for part in _cut(items)
        ),
        pb.ApplyResponse,
        read,
    )


def perft(items: Sequence[tuple[str, int]], rules: str, *, turns: bool) -> Plan[Any]:
    """Calls of Perft."""
    unit = pb.PERFT_UNIT_TURN if turns else pb.PERFT_UNIT_DECISION

    def read(response: pb.PerftResponse) -> list[int | ItemError]:
        errors = _placed(len(response.counts), response.errors)
        return [errors.get(item) or count for item, count in enumerate(response.counts)]

    return Plan(
        _path("Query", "Perft"),
        (
            pb.PerftRequest(
                rules=rules,
                items=[
                    pb.PerftItem(position=position, depth=depth, unit=unit)
                    for position, depth in part
                ],
            )
            for part in _cut(items)
        ),
        pb.PerftResponse,
        read,
    )


def analyse(positions: Sequence[str], player: str, rules: str, *, lines: int) -> Plan[Any]:
    """Calls of Analyse."""

    def read(response: pb.AnalyseResponse) -> list[Analysed | ItemError]:
        errors = _placed(len(response.results), response.errors)
        return [
            errors.get(item)
            or Analysed(
                tuple(
                    Line(line.score, line.depth, line.nodes, tuple(line.decisions))
                    for line in result.lines
                ),
                result.depth,
                result.nodes,
                result.sims,
            )
            for item, result in enumerate(response.results)
        ]

    return Plan(
        _path("Query", "Analyse"),
        (
            pb.AnalyseRequest(
                rules=rules,
                items=[pb.AnalyseItem(position=one, player=player, lines=lines) for one in part],
            )
            for part in _cut(positions)
        ),
        pb.AnalyseResponse,
        read,
    )


def playouts(
    position: str, games: int, rules: str, *, seed: int, first_game: int, max_turns: int
) -> Plan[pb.PlayoutsResponse]:
    """A call of Playouts."""
    item = pb.PlayoutsItem(
        position=position, games=games, seed=seed, first_game=first_game, max_turns=max_turns
    )
    request = pb.PlayoutsRequest(rules=rules, items=[item], fail_fast=True)
    return Plan(
        _path("Query", "Playouts"), [request], pb.PlayoutsResponse, lambda response: [response]
    )


def version() -> Plan[system_service_pb2.GetVersionResponse]:
    """A call of GetVersion."""
    return Plan(
        _path("System", "GetVersion"),
        [system_service_pb2.GetVersionRequest()],
        system_service_pb2.GetVersionResponse,
        lambda response: [response],
    )


PLAY_GAMES: Final = _path("Games", "PlayGames")


def games_request(
    player_a: str, player_b: str, *, openings: int, turns: int, rules: str, seed: int,
    max_turns: int, decisions: bool,
) -> games_service_pb2.PlayGamesRequest:  # fmt: skip
    """The request of PlayGames."""
    return games_service_pb2.PlayGamesRequest(
        rules=rules, player_a=player_a, player_b=player_b, seed=seed, max_turns=max_turns,
        generated=games_service_pb2.GeneratedOpenings(count=openings, turns=turns),
        with_decisions=decisions,
    )  # fmt: skip


def games_of(data: bytes) -> Iterator[PlayedGame]:
    """The games of a response of PlayGames."""
    response = games_service_pb2.PlayGamesResponse.FromString(data)
    codes, begin = tuple(response.decisions), 0
    for row, count in enumerate(response.decision_counts):
        end = begin + count if codes else begin
        winner = response.winners[row]
        yield PlayedGame(
            response.pairs[row], response.games[row], None if winner < 0 else winner,
            response.terminations[row], response.turns[row], codes[begin:end],
        )  # fmt: skip
        begin = end


def error_of(error: grpc.RpcError) -> ServiceError:
    """What a failed call says, with the details that the server gave."""
    failed: Any = error  # gRPC's classes for it share no type that says so
    code, message = failed.code(), failed.details() or ""
    trailers = dict(failed.trailing_metadata() or ())
    try:
        status = status_pb2.Status.FromString(trailers.get(_DETAILS_KEY, b""))
    except DecodeError:
        status = status_pb2.Status()
    reason = field = ""
    retry_after: float | None = None
    for detail in status.details:
        info, request, retry = (
            error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest(),
            error_details_pb2.RetryInfo(),
        )  # fmt: skip
        if detail.Unpack(info):
            reason = info.reason
        elif detail.Unpack(request) and request.field_violations:
            field = request.field_violations[0].field
        elif detail.Unpack(retry):
            retry_after = retry.retry_delay.ToNanoseconds() / 1e9
    return ServiceError(code, message, reason=reason, field=field, retry_after=retry_after)


def delay_before(error: ServiceError, attempt: int, deadline: float | None) -> float | None:
    """Seconds to wait before the next attempt, or None if there is none."""
    if error.code is not grpc.StatusCode.UNAVAILABLE or attempt + 1 >= ATTEMPTS:
        return None
    # Others fail at the same time, and should not all come back at the same time.
    delay = min(_FIRST_DELAY * 2**attempt, _LONGEST_DELAY) * random.uniform(0.5, 1.5)
    delay = max(delay, error.retry_after or 0.0)
    return None if deadline is not None and time.monotonic() + delay >= deadline else delay


def seconds_left(deadline: float | None) -> float | None:
    """Until a deadline."""
    return None if deadline is None else max(deadline - time.monotonic(), 0.0)


def deadline_in(seconds: float | None) -> float | None:
    """The deadline in so many seconds from now, of `time.monotonic`."""
    return None if seconds is None else time.monotonic() + seconds
