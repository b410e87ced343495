"""Calls for many items: what is asked for some of them, and what the answer says of each."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Generic, TypeVar

import grpc
from google.protobuf.message import Message

from chase_service._pb.chase.v1 import (
    errors_pb2,
    query_service_pb2,
    system_service_pb2,
)
from chase_service.calls.failures import ServiceError
from chase_service.calls.results import Analysed, Decisions, ItemError, Line

__all__ = [
    "ITEMS",
    "Ahead",
    "Plan",
    "Position",
    "analyse",
    "apply",
    "batches",
    "batches_async",
    "call_path",
    "legal_decisions",
    "one",
    "perft",
    "playouts",
    "playouts_from",
    "version",
]

pb = query_service_pb2
T = TypeVar("T")
Item = TypeVar("Item")

ITEMS: Final = 1000
"""Items that are asked for at a time."""

Position = str | tuple[str, Sequence[int]]
"""A CFEN, an empty one being the start; or one with the codes of the decisions made from there."""


def call_path(service: str, call: str) -> str:
    """What gRPC calls a call of one of our services."""
    return f"/chase.v1.{service}Service/{call}"


def batches(items: Iterable[Item], size: int) -> Iterator[Sequence[Item]]:
    """So many items at a time, read no further than that."""
    rest = iter(items)
    while part := list(islice(rest, size)):
        yield part


async def batches_async(
    items: Iterable[Item] | AsyncIterable[Item], size: int
) -> AsyncIterator[Sequence[Item]]:
    """As `batches`."""
    if not isinstance(items, AsyncIterable):
        for part in batches(items, size):
            yield part
        return
    found: list[Item] = []
    async for item in items:
        found.append(item)
        if len(found) == size:
            yield found
            found = []
    if found:
        yield found


@dataclass(frozen=True, slots=True)
class Plan(Generic[Item, T]):
    """A call that takes items and gives a result for each.

    Attributes:
        service: Name of the service, without its end.
        call: Name of the call.
        request: The message that asks for some items.
        response: What answers it.
        read: The results in an answer.
    """

    service: str
    call: str
    request: Callable[[Sequence[Item]], Message]
    response: type[Message]
    read: Callable[[Any], list[T]]

    @property
    def path(self) -> str:
        """Of the call."""
        return call_path(self.service, self.call)

    @property
    def stream_path(self) -> str:
        """Of the form that takes any number of batches."""
        return call_path(self.service, f"Stream{self.call}")

    def ask(self, items: Sequence[Item]) -> bytes:
        """What asks for these items."""
        return self.request(items).SerializeToString()

    def results(self, answer: bytes, count: int) -> list[T]:
        """What an answer says of so many items.

        Raises:
            ServiceError: It is not an answer to that.
        """
        return self._counted(self.response.FromString(answer), count)

    def ask_stream(self, items: Sequence[Item]) -> bytes:
        """As `ask`, for the stream."""
        kind = getattr(pb, f"Stream{self.call}Request")
        data: bytes = kind(batch=self.request(items)).SerializeToString()
        return data

    def results_of_stream(self, answer: bytes, count: int) -> list[T]:
        """As `results`, for the stream."""
        kind = getattr(pb, f"Stream{self.call}Response")
        return self._counted(kind.FromString(answer).batch, count)

    def _counted(self, response: Message, count: int) -> list[T]:
        found = self.read(response)
        if len(found) != count:
            message = f"the response has {len(found)} results for {count} items"
            raise ServiceError(grpc.StatusCode.INTERNAL, message)
        return found


class Ahead(Generic[Item, T]):
    """Batches of a stream that were sent and are not answered yet.

    Args:
        plan: Of the call.
        most: How many there may be.
    """

    def __init__(self, plan: Plan[Item, T], most: int) -> None:
        if most < 1:
            raise ValueError(f"ahead is {most}, expected 1 or more")
        self._plan = plan
        self._most = most
        self._sent: deque[Sequence[Item]] = deque()

    def __len__(self) -> int:
        return len(self._sent)

    @property
    def room(self) -> bool:
        """Whether another may be sent."""
        return len(self._sent) < self._most

    def send(self, items: Sequence[Item]) -> bytes:
        """What asks for one more batch."""
        self._sent.append(items)
        return self._plan.ask_stream(items)

    def again(self) -> Iterator[bytes]:
        """What asks a new stream for all of them."""
        return map(self._plan.ask_stream, tuple(self._sent))

    def answered(self, data: bytes | None) -> list[T]:
        """The results of the first of them.

        Args:
            data: The answer; None: the stream has ended.

        Raises:
            ServiceError: It is not an answer to that.
        """
        if data is None:
            message = f"the server ended a stream with {len(self)} batches unanswered"
            raise ServiceError(grpc.StatusCode.INTERNAL, message)
        return self._plan.results_of_stream(data, len(self._sent.popleft()))


def one(
    service: str, call: str, request: Message, response: type[Message], read: Callable[[Any], T]
) -> Plan[None, T]:
    """A call with one request and one result."""
    return Plan(service, call, lambda _: request, response, lambda answer: [read(answer)])


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


def legal_decisions(rules: str, *, texts: bool) -> Plan[str, Decisions | ItemError]:
    """Calls of LegalDecisions, for positions."""

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
        "Query", "LegalDecisions",
        lambda part: pb.LegalDecisionsRequest(rules=rules, positions=part, with_texts=texts),
        pb.LegalDecisionsResponse, read,
    )  # fmt: skip


def apply(rules: str) -> Plan[tuple[str, Sequence[int]], str | ItemError]:
    """Calls of Apply, for positions and decisions."""

    def request(part: Sequence[tuple[str, Sequence[int]]]) -> Message:
        return pb.ApplyRequest(
            rules=rules,
            positions=[position for position, _ in part],
            counts=[len(decisions) for _, decisions in part],
            decisions=[code for _, decisions in part for code in decisions],
        )

    def read(response: pb.ApplyResponse) -> list[str | ItemError]:
        errors = _placed(len(response.positions), response.errors)
        return [errors.get(item) or cfen for item, cfen in enumerate(response.positions)]

    return Plan("Query", "Apply", request, pb.ApplyResponse, read)


def perft(rules: str, *, turns: bool) -> Plan[tuple[str, int], int | ItemError]:
    """Calls of Perft, for positions and depths."""
    unit = pb.PERFT_UNIT_TURN if turns else pb.PERFT_UNIT_DECISION

    def request(part: Sequence[tuple[str, int]]) -> Message:
        items = [pb.PerftItem(position=one, depth=depth, unit=unit) for one, depth in part]
        return pb.PerftRequest(rules=rules, items=items)

    def read(response: pb.PerftResponse) -> list[int | ItemError]:
        errors = _placed(len(response.counts), response.errors)
        return [errors.get(item) or count for item, count in enumerate(response.counts)]

    return Plan("Query", "Perft", request, pb.PerftResponse, read)


def analyse(player: str, rules: str, *, lines: int) -> Plan[Position, Analysed | ItemError]:
    """Calls of Analyse, for positions, or positions with the decisions since."""

    def item(given: Position) -> pb.AnalyseItem:
        position, decisions = (given, ()) if isinstance(given, str) else given
        return pb.AnalyseItem(position=position, decisions=decisions, player=player, lines=lines)

    def read(response: pb.AnalyseResponse) -> list[Analysed | ItemError]:
        errors = _placed(len(response.results), response.errors)
        return [
            errors.get(number)
            or Analysed(
                tuple(
                    Line(line.score, line.depth, line.nodes, tuple(line.decisions))
                    for line in result.lines
                ),
                result.depth,
                result.nodes,
                result.sims,
            )
            for number, result in enumerate(response.results)
        ]

    return Plan(
        "Query", "Analyse",
        lambda part: pb.AnalyseRequest(rules=rules, items=[item(one) for one in part]),
        pb.AnalyseResponse, read,
    )  # fmt: skip


def playouts(
    games: int, rules: str, *, seed: int, first_game: int, max_turns: int
) -> Plan[str, pb.PlayoutsResult | ItemError]:
    """Calls of Playouts, for positions."""

    def request(part: Sequence[str]) -> Message:
        items = [
            pb.PlayoutsItem(
                position=one, games=games, seed=seed, first_game=first_game, max_turns=max_turns
            )
            for one in part
        ]
        return pb.PlayoutsRequest(rules=rules, items=items)

    def read(response: pb.PlayoutsResponse) -> list[pb.PlayoutsResult | ItemError]:
        errors = _placed(len(response.results), response.errors)
        return [errors.get(item) or sums for item, sums in enumerate(response.results)]

    return Plan("Query", "Playouts", request, pb.PlayoutsResponse, read)


def playouts_from(
    position: str, games: int, rules: str, *, seed: int, first_game: int, max_turns: int
) -> Plan[None, pb.PlayoutsResponse]:
    """A call of Playouts for one position, with the names of what is counted."""
    item = pb.PlayoutsItem(
        position=position, games=games, seed=seed, first_game=first_game, max_turns=max_turns
    )
    request = pb.PlayoutsRequest(rules=rules, items=[item], fail_fast=True)
    return one("Query", "Playouts", request, pb.PlayoutsResponse, lambda response: response)


def version() -> Plan[None, system_service_pb2.GetVersionResponse]:
    """A call of GetVersion."""
    return one(
        "System", "GetVersion", system_service_pb2.GetVersionRequest(),
        system_service_pb2.GetVersionResponse, lambda response: response,
    )  # fmt: skip
