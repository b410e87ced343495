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
from chase_service.calls.arguments import asked, at_least_one, each_of, item_fault
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
M = TypeVar("M", bound=Message)
Item = TypeVar("Item")

ITEMS: Final = 1000
"""Items that are asked for at a time."""

Position = str | tuple[str, Sequence[int]]
"""A CFEN, an empty one being the start; or one with the codes of the decisions made from there."""


def call_path(service: str, call: str) -> str:
    """What gRPC calls a call of one of our services."""
    return f"/chase.v1.{service}Service/{call}"


def batches(items: Iterable[Item], size: int) -> Iterator[Sequence[Item]]:
    """So many items at a time, read no further than that.

    Raises:
        ArgumentError: It is no iterable, or a text, or the size is not 1 or more.
    """
    at_least_one("batch", size)
    rest = each_of(items)
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
    at_least_one("batch", size)
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
        item: What an item is, in words.
    """

    service: str
    call: str
    request: Callable[[Sequence[Item]], Message]
    response: type[Message]
    read: Callable[[Any], list[T]]
    item: str = "nothing"

    @property
    def path(self) -> str:
        """Of the call."""
        return call_path(self.service, self.call)

    @property
    def stream_path(self) -> str:
        """Of the form that takes any number of batches."""
        return call_path(self.service, f"Stream{self.call}")

    def ask(self, items: Sequence[Item], first: int = 0) -> bytes:
        """What asks for these items.

        Args:
            items: Some of those of the call.
            first: Number of the first of them.

        Raises:
            ArgumentError: One of them is none.
        """
        return self._request(items, first).SerializeToString()

    def results(self, answer: bytes, count: int) -> list[T]:
        """What an answer says of so many items.

        Raises:
            ServiceError: It is not an answer to that.
        """
        return self._counted(self.response.FromString(answer), count)

    def ask_stream(self, items: Sequence[Item], first: int) -> bytes:
        """As `ask`, for the stream."""
        kind = getattr(pb, f"Stream{self.call}Request")
        data: bytes = kind(batch=self._request(items, first)).SerializeToString()
        return data

    def results_of_stream(self, answer: bytes, count: int) -> list[T]:
        """As `results`, for the stream."""
        kind = getattr(pb, f"Stream{self.call}Response")
        return self._counted(kind.FromString(answer).batch, count)

    def _request(self, items: Sequence[Item], first: int) -> Message:
        try:
            return self.request(items)
        except (TypeError, ValueError):
            if fault := item_fault(self.request, items, first, self.item):
                raise fault from None
            raise

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

    Raises:
        ArgumentError: There may be none.
    """

    def __init__(self, plan: Plan[Item, T], most: int) -> None:
        at_least_one("ahead", most)
        self._plan = plan
        self._most = most
        self._sent: deque[Sequence[Item]] = deque()
        self._answered = 0  # items

    def __len__(self) -> int:
        return len(self._sent)

    @property
    def room(self) -> bool:
        """Whether another may be sent."""
        return len(self._sent) < self._most

    def send(self, items: Sequence[Item]) -> bytes:
        """What asks for one more batch.

        Raises:
            ArgumentError: One of its items is none.
        """
        first = self._answered + sum(map(len, self._sent))
        data = self._plan.ask_stream(items, first)
        self._sent.append(items)
        return data

    def again(self) -> Iterator[bytes]:
        """What asks a new stream for all of them."""
        return (self._plan.ask_stream(items, self._answered) for items in tuple(self._sent))

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
        count = len(self._sent.popleft())
        self._answered += count
        return self._plan.results_of_stream(data, count)


def one(
    service: str, call: str, request: Message, response: type[Message], read: Callable[[Any], T]
) -> Plan[None, T]:
    """A call with one request and one result."""
    return Plan(service, call, lambda _: request, response, lambda answer: [read(answer)])


def _with(shared: M, **fields: Any) -> M:
    """A message with what is the same for all items, and some fields more."""
    made = type(shared)(**fields)
    made.MergeFrom(shared)
    return made


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
    shared = asked(pb.LegalDecisionsRequest, rules=rules, with_texts=texts)

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
        lambda part: _with(shared, positions=part), pb.LegalDecisionsResponse, read, "a CFEN",
    )  # fmt: skip


def apply(rules: str) -> Plan[tuple[str, Sequence[int]], str | ItemError]:
    """Calls of Apply, for positions and decisions."""
    shared = asked(pb.ApplyRequest, rules=rules)

    def request(part: Sequence[tuple[str, Sequence[int]]]) -> Message:
        return _with(
            shared,
            positions=[position for position, _ in part],
            counts=[len(decisions) for _, decisions in part],
            decisions=[code for _, decisions in part for code in decisions],
        )

    def read(response: pb.ApplyResponse) -> list[str | ItemError]:
        errors = _placed(len(response.positions), response.errors)
        return [errors.get(item) or cfen for item, cfen in enumerate(response.positions)]

    item = "a CFEN and the codes of decisions"
    return Plan("Query", "Apply", request, pb.ApplyResponse, read, item)


def perft(rules: str, *, turns: bool) -> Plan[tuple[str, int], int | ItemError]:
    """Calls of Perft, for positions and depths."""
    shared = asked(pb.PerftRequest, rules=rules)
    unit = pb.PERFT_UNIT_TURN if turns else pb.PERFT_UNIT_DECISION

    def request(part: Sequence[tuple[str, int]]) -> Message:
        items = [pb.PerftItem(position=one, depth=depth, unit=unit) for one, depth in part]
        return _with(shared, items=items)

    def read(response: pb.PerftResponse) -> list[int | ItemError]:
        errors = _placed(len(response.counts), response.errors)
        return [errors.get(item) or count for item, count in enumerate(response.counts)]

    item = "a CFEN and a depth from 0 on"
    return Plan("Query", "Perft", request, pb.PerftResponse, read, item)


def analyse(player: str, rules: str, *, lines: int) -> Plan[Position, Analysed | ItemError]:
    """Calls of Analyse, for positions, or positions with the decisions since."""
    shared = asked(pb.AnalyseRequest, rules=rules)
    search = asked(pb.AnalyseItem, player=player, lines=lines)

    def item(given: Position) -> pb.AnalyseItem:
        position, decisions = (given, ()) if isinstance(given, str) else given
        return _with(search, position=position, decisions=decisions)

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
        lambda part: _with(shared, items=[item(one) for one in part]), pb.AnalyseResponse, read,
        "a CFEN, or one and the codes of decisions",
    )  # fmt: skip


def playouts(
    games: int, rules: str, *, seed: int, first_game: int, max_turns: int
) -> Plan[str, pb.PlayoutsResult | ItemError]:
    """Calls of Playouts, for positions."""
    shared = asked(pb.PlayoutsRequest, rules=rules)
    series = asked(
        pb.PlayoutsItem, games=games, seed=seed, first_game=first_game, max_turns=max_turns
    )

    def request(part: Sequence[str]) -> Message:
        return _with(shared, items=[_with(series, position=one) for one in part])

    def read(response: pb.PlayoutsResponse) -> list[pb.PlayoutsResult | ItemError]:
        errors = _placed(len(response.results), response.errors)
        return [errors.get(item) or sums for item, sums in enumerate(response.results)]

    return Plan("Query", "Playouts", request, pb.PlayoutsResponse, read, "a CFEN")


def playouts_from(
    position: str, games: int, rules: str, *, seed: int, first_game: int, max_turns: int
) -> Plan[None, pb.PlayoutsResponse]:
    """A call of Playouts for one position, with the names of what is counted."""
    item = asked(
        pb.PlayoutsItem, position=position, games=games, seed=seed, first_game=first_game,
        max_turns=max_turns,
    )  # fmt: skip
    request = asked(pb.PlayoutsRequest, rules=rules, items=[item], fail_fast=True)
    return one("Query", "Playouts", request, pb.PlayoutsResponse, lambda response: response)


def version() -> Plan[None, system_service_pb2.GetVersionResponse]:
    """A call of GetVersion."""
    return one(
        "System", "GetVersion", system_service_pb2.GetVersionRequest(),
        system_service_pb2.GetVersionResponse, lambda response: response,
    )  # fmt: skip
