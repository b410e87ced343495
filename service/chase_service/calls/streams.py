"""Calls that answer with a stream, and where they go on when it breaks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, Final, Generic, TypeVar

import grpc
from google.protobuf.message import Message

from chase_service._pb.chase.v1 import games_service_pb2, query_service_pb2
from chase_service.calls.arguments import ArgumentError, asked, item_fault, shown
from chase_service.calls.failures import ServiceError
from chase_service.calls.plans import ITEMS, call_path
from chase_service.calls.results import PlayedGame

__all__ = ["Games", "Openings", "PlayoutGames", "Reading"]

pb = games_service_pb2
T = TypeVar("T")

Openings = int | Sequence[tuple[str, Sequence[int]]]
"""So many drawn at random, or positions where they begin with the codes of their decisions."""

# A server lets no call take longer than its limit, whatever the caller's deadline.
_AGAIN: Final = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED})
_NEVER: Final[frozenset[grpc.StatusCode]] = frozenset()

# Games of one call of StreamPlayoutGames; servers take more, and not all of them as many.
_GAMES: Final = 1_000_000


class Reading(ABC, Generic[T]):
    """A stream that is read, in one call or several.

    Attributes:
        path: Of the call.
        again: Codes after which it goes on with another call.
    """

    path: str
    again: frozenset[grpc.StatusCode] = _AGAIN

    @abstractmethod
    def request(self) -> Message | None:
        """What is still to be asked for; None at the end."""

    @abstractmethod
    def read(self, data: bytes) -> Iterable[T]:
        """What a message of the stream says."""

    @abstractmethod
    def ended(self) -> None:
        """The server has ended the stream in order.

        Raises:
            ServiceError: It was not at its end.
        """


class PlayoutGames(Reading[query_service_pb2.StreamPlayoutGamesResponse]):
    """Random games, in order of their index."""

    path = call_path("Query", "StreamPlayoutGames")

    def __init__(
        self, position: str, games: int, rules: str, *, seed: int, first_game: int,
        max_turns: int, batch: int,
    ) -> None:  # fmt: skip
        item = asked(
            query_service_pb2.PlayoutsItem, position=position, games=games, seed=seed,
            first_game=first_game, max_turns=max_turns,
        )  # fmt: skip
        self._request = asked(
            query_service_pb2.StreamPlayoutGamesRequest, rules=rules, item=item, batch=batch
        )
        self._next = first_game
        self._end = first_game + games
        self._part_end = first_game

    def request(self) -> Message | None:
        """See `Reading.request`."""
        if self._next == self._end:
            return None
        games = min(self._end - self._next, _GAMES)
        self._part_end = self._next + games
        self._request.item.games = games
        self._request.item.first_game = self._next
        return self._request

    def read(self, data: bytes) -> Iterable[query_service_pb2.StreamPlayoutGamesResponse]:
        """See `Reading.read`."""
        response = query_service_pb2.StreamPlayoutGamesResponse.FromString(data)
        if response.first_game != self._next:
            message = f"game {response.first_game} came, expected {self._next}"
            raise ServiceError(grpc.StatusCode.INTERNAL, message)
        self._next += len(response.winner)
        return (response,)

    def ended(self) -> None:
        """See `Reading.ended`."""
        if self._next < self._part_end:
            message = f"the server ended the stream before game {self._part_end - 1}"
            raise ServiceError(grpc.StatusCode.INTERNAL, message)


class Games(Reading[PlayedGame]):
    """Games of two players.

    Those from given openings are asked for some at a time, and go on with the first pair that has
    not come; a pair that has come before is left out. Those from openings drawn by the server
    begin again only if none has come.
    """

    path = call_path("Games", "PlayGames")

    def __init__(
        self, player_a: str, player_b: str, *, openings: Openings, turns: int, rules: str,
        seed: int, first_pair: int, max_turns: int, decisions: bool,
    ) -> None:  # fmt: skip
        self._request = asked(
            pb.PlayGamesRequest, rules=rules, player_a=player_a, player_b=player_b, seed=seed,
            first_pair=first_pair, max_turns=max_turns, with_decisions=decisions,
        )  # fmt: skip
        self._openings = openings
        if isinstance(openings, int):
            self._generated = asked(pb.GeneratedOpenings, count=openings, turns=turns)
            self._count = openings
        else:
            self._count = _number_of(openings)
        self._first = first_pair
        self._next = 0  # the first opening whose pair has not come
        self._come: set[int] = set()  # those after it whose pair has
        self._part_end = 0

    def request(self) -> Message | None:
        """See `Reading.request`."""
        if self._next == self._count:
            return None
        request = self._request
        request.first_pair = self._first + self._next
        if isinstance(self._openings, int):
            self._part_end = self._count
            request.generated.CopyFrom(self._generated)
            return request
        self._part_end = min(self._next + ITEMS, self._count)
        part = self._openings[self._next : self._part_end]
        try:
            request.given.CopyFrom(_given(part))
        except (TypeError, ValueError):
            expected = "a CFEN and the codes of the decisions made from there"
            if fault := item_fault(_given, part, self._next, expected):
                raise fault from None
            raise
        return request

    def read(self, data: bytes) -> Iterable[PlayedGame]:
        """See `Reading.read`."""
        response = pb.PlayGamesResponse.FromString(data)
        known = frozenset(self._come)
        games: list[PlayedGame] = []
        codes, begin = tuple(response.decisions), 0
        for row, count in enumerate(response.decision_counts):
            end = begin + count if codes else begin
            winner = response.winners[row]
            place = response.pairs[row] - self._first
            if place >= self._next and place not in known:
                games.append(
                    PlayedGame(
                        response.pairs[row], response.games[row],
                        None if winner < 0 else winner, response.terminations[row],
                        response.turns[row], codes[begin:end],
                    )
                )  # fmt: skip
                self._come.add(place)
            begin = end
        while self._next in self._come:
            self._come.remove(self._next)
            self._next += 1
        if games and isinstance(self._openings, int):
            self.again = _NEVER
        return games

    def ended(self) -> None:
        """See `Reading.ended`."""
        if self._next < self._part_end:
            message = f"the server ended the stream without pair {self._first + self._next}"
            raise ServiceError(grpc.StatusCode.INTERNAL, message)


def _given(openings: Sequence[tuple[str, Sequence[int]]]) -> pb.GivenOpenings:
    return pb.GivenOpenings(
        openings=[pb.Opening(position=one, decisions=codes) for one, codes in openings]
    )


def _number_of(openings: Any) -> int:
    if isinstance(openings, Sequence) and not isinstance(openings, str):
        return len(openings)
    raise ArgumentError(f"openings is {shown(openings)}, expected how many, or a list of them")
