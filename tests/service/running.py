"""A server in a thread of the test, and plain calls of it: bytes in, bytes out."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import grpc
import pytest
from chase_service._pb.chase.v1 import query_service_pb2 as pb
from chase_service.client import Client
from chase_service.server import Options, Server, StartError
from google.protobuf.message import Message

M = TypeVar("M", bound=Message)

QUERY = "/chase.v1.QueryService/"
PLAY_GAMES = "/chase.v1.GamesService/PlayGames"

# Seconds that nothing here takes; they only end what hangs.
PATIENCE = 60.0


# Each would take hours.
ENDLESS: dict[str, Any] = {
    "Perft": pb.PerftRequest(items=[pb.PerftItem(depth=11), pb.PerftItem(depth=12)]),
    "Playouts": pb.PlayoutsRequest(items=[pb.PlayoutsItem(games=10_000_000)]),
    "Analyse": pb.AnalyseRequest(
        items=[pb.AnalyseItem(player=f"{kind}=30,hash=1") for kind in ("ab:depth", "ab:time")] * 9
    ),
}


class Running:
    """A server on a free port. Its loop runs in a thread of its own."""

    def __init__(self, options: Options) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()
        self.server = self.run(self._start(options))
        self.target = f"127.0.0.1:{self.server.port}"
        self.channel = grpc.insecure_channel(self.target)
        self.client = Client(self.target, timeout=PATIENCE)

    async def _start(self, options: Options) -> Server:
        server = Server(options)
        await server.start()
        return server

    def run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(PATIENCE)

    def call(self, name: str, request: Message, response: type[M], **options: Any) -> M:
        """A unary call; the name is one of QueryService or a whole path."""
        path = name if name.startswith("/") else QUERY + name
        options.setdefault("timeout", PATIENCE)
        call: Any = self.channel.unary_unary(path)
        return response.FromString(call(request.SerializeToString(), **options))

    def stream(self, name: str, request: Message, response: type[M]) -> Iterator[M]:
        """A call that answers with a stream."""
        path = name if name.startswith("/") else QUERY + name
        call: Any = self.channel.unary_stream(path)
        for data in call(request.SerializeToString(), timeout=PATIENCE):
            yield response.FromString(data)

    def talk(self, name: str, requests: Iterable[Message], **options: Any) -> Any:
        """A call with a stream each way; yields bytes."""
        options.setdefault("timeout", PATIENCE)
        call: Any = self.channel.stream_stream(QUERY + name)
        return call((request.SerializeToString() for request in requests), **options)

    @property
    def busy(self) -> int:
        """Calls under way, and work of the engine."""
        busy: int = self.server.calls + self.server.work
        return busy

    def close(self) -> None:
        self.client.close()
        self.channel.close()
        self.run(self.server.drain())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


@contextmanager
def running(**options: Any) -> Iterator[Running]:
    """A server with these options, for the time of a block; on a free port unless they name one."""
    server = Running(Options(**{"listen": "127.0.0.1:0", **options}))
    try:
        yield server
    finally:
        server.close()


def start_fault(options: Options) -> str:
    """Why a server does not start."""

    async def make() -> None:
        Server(options)

    with pytest.raises(StartError) as raised:
        asyncio.run(make())
    return str(raised.value)


def wait_for(condition: Callable[[], bool]) -> None:
    """Waits until something is so; what never is so fails."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.002)


def failure(error: grpc.RpcError) -> tuple[grpc.StatusCode, str]:
    """Code and text of a call that failed."""
    failed: Any = error
    return failed.code(), failed.details()
