"""The calls of the contract: read, let the engine work, answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import aclosing
from functools import partial
from typing import Any, Final, TypeVar

from google.protobuf.descriptor import ServiceDescriptor
from google.protobuf.message import Message

from chase_service import convert
from chase_service._pb.chase.v1 import (
    games_service_pb2,
    query_service_pb2,
    system_service_pb2,
)
from chase_service.batches import Answer
from chase_service.engine import Engine, Work
from chase_service.refusal import Refusal
from chase_service.rpc import Call, Handler
from chase_service.wire import decode, wrapped

__all__ = ["Servicers"]

T = TypeVar("T")

# Microseconds that it takes to read a byte of a request: of texts, the most costly.
_READ_US: Final = 0.03


class Servicers:
    """All calls.

    Args:
        engine: Does the work.
        context: What the readers of requests have to know.
        commit: The commit that was built, or an empty text.
    """

    def __init__(self, engine: Engine, context: convert.Context, *, commit: str = "") -> None:
        self._engine = engine
        self._context = context
        self._version_answer = convert.version(context, commit)

    def services(self) -> list[tuple[ServiceDescriptor, Mapping[str, Handler]]]:
        """Services with the handlers of their calls, by name."""
        queries: dict[str, Handler] = {"StreamPlayoutGames": self._playout_games}
        for name in convert.READERS:
            queries[name] = partial(self._batch, name)
            queries[f"Stream{name}"] = partial(self._batches, name)
        return [
            (_service(query_service_pb2, "QueryService"), queries),
            (_service(games_service_pb2, "GamesService"), {"PlayGames": self._play_games}),
            (_service(system_service_pb2, "SystemService"), {"GetVersion": self._version}),
        ]

    # ---- Batches ------------------------------------------------------------------------------

    async def _batch(self, name: str, data: bytes, call: Call) -> bytes:
        kind = getattr(query_service_pb2, f"{name}Request")
        return await self._answer(name, lambda: decode(kind, data), len(data), call)

    async def _batches(self, name: str, data: bytes, call: Call) -> None:
        request_kind = getattr(query_service_pb2, f"Stream{name}Request")
        response_kind = getattr(query_service_pb2, f"Stream{name}Response")
        while (message := await call.read()) is not None:

            def read(message: bytes = message) -> Message:
                batch: Message = decode(request_kind, message).batch
                return batch

            answer = await call.timed(self._answer(name, read, len(message), call))
            await call.write(wrapped(response_kind, answer))

    async def _answer(self, name: str, read: Callable[[], Message], size: int, call: Call) -> bytes:
        self._engine.admit()
        reader = convert.READERS[name]
        batch: convert.Batch[Any] = await self._at_once(
            lambda: reader(read(), self._context), size, call
        )
        results = await self._engine.run(batch.works, call.stop)
        # A result is about as costly to write as a position to read.
        answer = await self._at_once(lambda: batch.answer(results), 40 * len(results), call)
        call.answered(answer.items, answer.failed)
        return answer.data

    async def _at_once(self, function: Callable[[], T], size: int, call: Call) -> T:
        """Reads or writes so many bytes, on the loop if they are few, else on a thread."""
        return await self._engine.submit(Work(lambda _: function(), _READ_US * size), call.stop)

    # ---- Streams of games -----------------------------------------------------------------------

    async def _playout_games(self, data: bytes, call: Call) -> None:
        request = decode(query_service_pb2.StreamPlayoutGamesRequest, data)
        self._engine.admit()
        works = await self._at_once(
            lambda: convert.playout_games(request, self._context), len(data), call
        )
        await self._send(works, call, ordered=True)

    async def _play_games(self, data: bytes, call: Call) -> None:
        request = decode(games_service_pb2.PlayGamesRequest, data)
        self._engine.admit()
        works: Iterator[Work[Answer]] = await self._engine.submit(
            Work(lambda stop: convert.games(request, self._context, stop), 1e6), call.stop
        )
        await self._send(works, call, ordered=False)

    async def _send(self, works: Iterable[Work[Answer]], call: Call, *, ordered: bool) -> None:
        async with aclosing(self._engine.portions(works, call.stop, ordered=ordered)) as portions:
            async for portion in portions:
                for message in portion:
                    if isinstance(message, Refusal):
                        raise message
                    await call.write(message.data)
                    call.answered(message.items)

    # ---- The server -----------------------------------------------------------------------------

    async def _version(self, data: bytes, call: Call) -> bytes:
        del call
        decode(system_service_pb2.GetVersionRequest, data)
        return self._version_answer


def _service(module: Any, name: str) -> ServiceDescriptor:
    service: ServiceDescriptor = module.DESCRIPTOR.services_by_name[name]
    return service
