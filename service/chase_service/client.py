"""Clients for Python, one that blocks and one for asyncio, with the same calls.

They know texts and numbers, not the engine: rules and positions are texts, decisions codes
(``Move.from_code`` of `chase_fast` reads them). Large batches are cut and put together again. A
call that finds no server is tried again, with the delay that the server named if it did.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, Final, Self, TypeVar

import grpc

from chase_service import calls
from chase_service._pb.chase.v1 import query_service_pb2, system_service_pb2
from chase_service.calls import (
    Analysed,
    Decisions,
    ItemError,
    Line,
    PlayedGame,
    ServiceError,
)

__all__ = [
    "Analysed",
    "AsyncClient",
    "Client",
    "Decisions",
    "ItemError",
    "Line",
    "PlayedGame",
    "ServiceError",
]

T = TypeVar("T")

_OPTIONS: Final = (("grpc.max_receive_message_length", 4 << 20),)


class Client:
    """A client that blocks. Threads may share it.

    Args:
        target: Host and port of the server.
        timeout: Seconds that a call may take, retries included, or None; each call has its own.
    """

    def __init__(self, target: str, *, timeout: float | None = 60.0) -> None:
        self._channel = grpc.insecure_channel(target, options=_OPTIONS)
        self._timeout = timeout

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection."""
        self._channel.close()

    def _run(self, plan: calls.Plan[T]) -> list[T]:
        deadline = calls.deadline_in(self._timeout)
        call: Any = self._channel.unary_unary(plan.path)
        results: list[T] = []
        for request in plan.requests:
            data = request.SerializeToString()
            for attempt in range(calls.ATTEMPTS):
                try:
                    answer: Any = call(data, timeout=calls.seconds_left(deadline))
                    break
                except grpc.RpcError as failed:
                    error = calls.error_of(failed)
                    delay = calls.delay_before(error, attempt, deadline)
                    if delay is None:
                        raise error from None
                    time.sleep(delay)
            results += plan.read(plan.response.FromString(answer))
        return results

    def version(self) -> system_service_pb2.GetVersionResponse:
        """Version, rules, players and limits of the server.

        Raises:
            ServiceError: As for all calls.
        """
        return self._run(calls.version())[0]

    def legal_decisions(
        self, positions: Sequence[str], *, rules: str = "", texts: bool = False
    ) -> list[Decisions | ItemError]:
        """The legal decisions of each position; an empty text is the start."""
        return self._run(calls.legal_decisions(positions, rules, texts=texts))

    def apply(
        self, items: Sequence[tuple[str, Sequence[int]]], *, rules: str = ""
    ) -> list[str | ItemError]:
        """Where each position leads by its decisions, as CFEN."""
        return self._run(calls.apply(items, rules))

    def perft(
        self, items: Sequence[tuple[str, int]], *, rules: str = "", turns: bool = False
    ) -> list[int | ItemError]:
        """Sequences of so many decisions, or turns, from each position."""
        return self._run(calls.perft(items, rules, turns=turns))

    def playouts(
        self, games: int, *, position: str = "", rules: str = "", seed: int = 0,
        first_game: int = 0, max_turns: int = 1000,
    ) -> query_service_pb2.PlayoutsResponse:  # fmt: skip
        """Exact sums over random games."""
        plan = calls.playouts(
            position, games, rules, seed=seed, first_game=first_game, max_turns=max_turns
        )
        return self._run(plan)[0]

    def analyse(
        self, positions: Sequence[str], player: str = "ab:nodes=200000", *, rules: str = "",
        lines: int = 1,
    ) -> list[Analysed | ItemError]:  # fmt: skip
        """What a player thinks of each position."""
        return self._run(calls.analyse(positions, player, rules, lines=lines))

    def play_games(
        self, player_a: str, player_b: str, *, openings: int, turns: int = 4, rules: str = "",
        seed: int = 0, max_turns: int = 400, decisions: bool = False,
    ) -> Iterator[PlayedGame]:  # fmt: skip
        """Games as they are finished; no deadline. To break off, close the iterator."""
        request = calls.games_request(
            player_a, player_b, openings=openings, turns=turns, rules=rules, seed=seed,
            max_turns=max_turns, decisions=decisions,
        )  # fmt: skip
        call: Any = self._channel.unary_stream(calls.PLAY_GAMES)
        stream = call(request.SerializeToString())
        try:
            for data in stream:
                yield from calls.games_of(data)
        except grpc.RpcError as failed:
            raise calls.error_of(failed) from None
        finally:
            stream.cancel()


class AsyncClient:
    """The same calls for asyncio; made and used in one event loop.

    Args:
        target: Host and port of the server.
        timeout: Seconds that a call may take, retries included, or None; each call has its own.
    """

    def __init__(self, target: str, *, timeout: float | None = 60.0) -> None:
        self._channel = grpc.aio.insecure_channel(target, options=_OPTIONS)
        self._timeout = timeout

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the connection."""
        await self._channel.close()

    async def _run(self, plan: calls.Plan[T]) -> list[T]:
        deadline = calls.deadline_in(self._timeout)
        call: Any = self._channel.unary_unary(plan.path)
        results: list[T] = []
        for request in plan.requests:
            data = request.SerializeToString()
            for attempt in range(calls.ATTEMPTS):
                try:
                    answer: Any = await call(data, timeout=calls.seconds_left(deadline))
                    break
                except grpc.RpcError as failed:
                    error = calls.error_of(failed)
                    delay = calls.delay_before(error, attempt, deadline)
                    if delay is None:
                        raise error from None
                    await asyncio.sleep(delay)
            results += plan.read(plan.response.FromString(answer))
        return results

    async def version(self) -> system_service_pb2.GetVersionResponse:
        """See `Client.version`."""
        return (await self._run(calls.version()))[0]

    async def legal_decisions(
        self, positions: Sequence[str], *, rules: str = "", texts: bool = False
    ) -> list[Decisions | ItemError]:
        """See `Client.legal_decisions`."""
        return await self._run(calls.legal_decisions(positions, rules, texts=texts))

    async def apply(
        self, items: Sequence[tuple[str, Sequence[int]]], *, rules: str = ""
    ) -> list[str | ItemError]:
        """See `Client.apply`."""
        return await self._run(calls.apply(items, rules))

    async def perft(
        self, items: Sequence[tuple[str, int]], *, rules: str = "", turns: bool = False
    ) -> list[int | ItemError]:
        """See `Client.perft`."""
        return await self._run(calls.perft(items, rules, turns=turns))

    async def playouts(
        self, games: int, *, position: str = "", rules: str = "", seed: int = 0,
        first_game: int = 0, max_turns: int = 1000,
    ) -> query_service_pb2.PlayoutsResponse:  # fmt: skip
        """See `Client.playouts`."""
        plan = calls.playouts(
            position, games, rules, seed=seed, first_game=first_game, max_turns=max_turns
        )
        return (await self._run(plan))[0]

    async def analyse(
        self, positions: Sequence[str], player: str = "ab:nodes=200000", *, rules: str = "",
        lines: int = 1,
    ) -> list[Analysed | ItemError]:  # fmt: skip
        """See `Client.analyse`."""
        return await self._run(calls.analyse(positions, player, rules, lines=lines))

    async def play_games(
        self, player_a: str, player_b: str, *, openings: int, turns: int = 4, rules: str = "",
        seed: int = 0, max_turns: int = 400, decisions: bool = False,
    ) -> AsyncIterator[PlayedGame]:  # fmt: skip
        """See `Client.play_games`."""
        request = calls.games_request(
            player_a, player_b, openings=openings, turns=turns, rules=rules, seed=seed,
            max_turns=max_turns, decisions=decisions,
        )  # fmt: skip
        call: Any = self._channel.unary_stream(calls.PLAY_GAMES)
        stream = call(request.SerializeToString())
        try:
            async for data in stream:
                for game in calls.games_of(data):
                    yield game
        except grpc.RpcError as failed:
            raise calls.error_of(failed) from None
        finally:
            stream.cancel()
