"""The calls of the contract: read, let the engine work, answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import aclosing
from functools import partial
from typing import Any, Final

from google.protobuf.descriptor import ServiceDescriptor
from google.protobuf.message import Message

from chase_service import convert
from chase_service._pb.chase.v1 import (
    games_service_pb2,
    query_service_pb2,
    system_service_pb2,
)
from chase_service.batches import Answer, Batch
from chase_service.engine import Engine, StopFlag, Work
from chase_service.refusal import Refusal
from chase_service.rpc import Call, Handler
from chase_service.wire import decode, wrapped

__all__ = ["Servicers"]

# Microseconds, about: of a byte that is read, of a result that is written, of openings to draw.
_READ_US: Final = 0.02
_WRITE_US: Final = 40.0
_OPENINGS_US: Final = 1e6
# A batch that takes no longer is done by the thread that read it, and counts as if it took as long.
_SOON_US: Final = 50.0

_NEVER: Final = StopFlag()


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

    def _batch(self, name: str, data: bytes, call: Call) -> bytes | Awaitable[bytes]:
        kind = getattr(query_service_pb2, f"{name}Request")
        return self._answer(name, lambda: decode(kind, data), len(data), call)

    async def _batches(self, name: str, data: bytes, call: Call) -> None:
        request_kind = getattr(query_service_pb2, f"Stream{name}Request")
        response_kind = getattr(query_service_pb2, f"Stream{name}Response")
        while (message := await call.read()) is not None:

            def read(message: bytes = message) -> Message:
                batch: Message = decode(request_kind, message).batch
                return batch

            answer = self._answer(name, read, len(message), call)
            if not isinstance(answer, bytes):
                answer = await call.timed(answer)
            await call.write(wrapped(response_kind, answer))

    def _answer(
        self, name: str, read: Callable[[], Message], size: int, call: Call
    ) -> bytes | Awaitable[bytes]:
        """The bytes of the answer of a batch.

        What is soon done is read, done and written at one go, on the loop if it is very little. The
        rest is read on a thread, done side by side, and written on a thread.
        """
        reader, cost = convert.READERS[name], _READ_US * size

        def begin(message: Message, stop: StopFlag, soon: float = _SOON_US) -> Answer | Batch[Any]:
            batch: Batch[Any] = reader(message, self._context, stop)
            if batch.cost_us > soon:
                return batch
            return batch.answer(self._engine.do(batch.works, stop), stop)

        if cost > self._engine.inline_us:
            work = Work(lambda stop: begin(read(), stop), cost + _SOON_US)
            return self._on_threads(work, size, call)
        message = read()
        cost += convert.reading_us(name, message)
        if not self._engine.inline(cost):
            work = Work(lambda stop: begin(message, stop), cost + _SOON_US)
            return self._on_threads(work, size, call)
        begun = begin(message, _NEVER, self._engine.inline_us - cost)
        if isinstance(begun, Batch):
            return self._side_by_side(begun, size, call)
        return _told(begun, call)

    async def _on_threads(self, begin: Work[Answer | Batch[Any]], size: int, call: Call) -> bytes:
        begun = await self._engine.submit(begin, call, size=size)
        if isinstance(begun, Batch):
            return await self._side_by_side(begun, size, call)
        return _told(begun, call)

    async def _side_by_side(self, batch: Batch[Any], size: int, call: Call) -> bytes:
        results = await self._engine.run(batch.works, call, size=size)
        # A result is about as costly to write as a position to read.
        answer = Work(lambda stop: batch.answer(results, stop), _WRITE_US * len(results))
        return _told(await self._engine.submit(answer, call, begun=True, size=size), call)

    # ---- Streams of games -----------------------------------------------------------------------

    async def _playout_games(self, data: bytes, call: Call) -> None:
        kind = query_service_pb2.StreamPlayoutGamesRequest

        if (cost := _READ_US * len(data)) > self._engine.inline_us:
            reading = Work(lambda _: decode(kind, data), cost)
            request = await self._engine.submit(reading, call, size=len(data))
        else:
            request = decode(kind, data)
        works = convert.playout_games(request, self._context)
        await self._send(works, call, ordered=True, begun=False)

    async def _play_games(self, data: bytes, call: Call) -> None:
        kind = games_service_pb2.PlayGamesRequest

        def begin(stop: StopFlag) -> Iterator[Work[Answer]]:
            return convert.games(decode(kind, data), self._context, stop)

        works = await self._engine.submit(Work(begin, _OPENINGS_US), call, size=len(data))
        await self._send(works, call, ordered=False, begun=True)

    async def _send(
        self, works: Iterable[Work[Answer]], call: Call, *, ordered: bool, begun: bool
    ) -> None:
        async with aclosing(
            self._engine.portions(works, call, ordered=ordered, begun=begun)
        ) as portions:
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


def _told(answer: Answer, call: Call) -> bytes:
    call.answered(answer.items, answer.failed)
    return answer.data


def _service(module: Any, name: str) -> ServiceDescriptor:
    service: ServiceDescriptor = module.DESCRIPTOR.services_by_name[name]
    return service
