"""Servers that do what a test tells them to, and both clients behind one face."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterator, Sequence
from concurrent import futures
from typing import Any, Self

import grpc
from chase_service.client import AsyncClient, Client
from chase_service.errors import DETAILS_KEY, status_of
from chase_service.refusal import Reason, Refusal

GONE = Refusal(Reason.UNAVAILABLE, "gone", retry_after=0.001)
LATE = Refusal(Reason.DEADLINE, "late")


def abort(context: Any, refusal: Refusal) -> None:
    status = status_of(refusal)
    context.set_trailing_metadata(((DETAILS_KEY, status.SerializeToString()),))
    code = next(code for code in grpc.StatusCode if code.value[0] == status.code)
    context.abort(code, status.message)


class Scripted:
    """A server with one call, which goes as it is written.

    Args:
        path: Of the call, without its beginning, such as "QueryService/Perft".
        scripts: What each call does, one after the other: messages that are sent, and refusals,
            which end it. Where requests are a stream, one is awaited before each of them; None
            sends nothing.
        shape: "unary_unary" and so on.
        beside: Another one, whose call this server has, too.

    Attributes:
        requests: What each call was asked; of a stream of requests, those that were awaited.
    """

    def __init__(
        self, path: str, *scripts: Sequence[bytes | Refusal | None], shape: str = "unary_stream",
        beside: Scripted | None = None,
    ) -> None:  # fmt: skip
        self.scripts = list(scripts)
        self.requests: list[Any] = []
        service, name = path.split("/")
        handler: Any = getattr(grpc, f"{shape}_rpc_method_handler")(getattr(self, f"_{shape}"))
        made = grpc.method_handlers_generic_handler(f"chase.v1.{service}", {name: handler})
        self.handlers: list[Any] = [made, *(beside.handlers if beside is not None else ())]

    def _unary_stream(self, request: bytes, context: Any) -> Iterator[bytes]:
        self.requests.append(request)
        for step in self.scripts.pop(0):
            if isinstance(step, Refusal):
                abort(context, step)
            elif step is not None:
                yield step

    def _unary_unary(self, request: bytes, context: Any) -> bytes:
        return next(self._unary_stream(request, context))

    def _stream_stream(self, requests: Iterator[bytes], context: Any) -> Iterator[bytes]:
        asked: list[bytes] = []
        self.requests.append(asked)
        for step in self.scripts.pop(0):
            asked.append(next(requests))
            if isinstance(step, Refusal):
                abort(context, step)
            elif step is not None:
                yield step

    def __enter__(self) -> Self:
        self.server = grpc.server(futures.ThreadPoolExecutor(4))
        self.server.add_generic_rpc_handlers(self.handlers)
        self.target = f"127.0.0.1:{self.server.add_insecure_port('127.0.0.1:0')}"
        self.server.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.server.stop(None).wait()


class Waited:
    """An `AsyncClient` whose calls are waited for."""

    def __init__(self, target: str, **options: Any) -> None:
        self._loop = asyncio.new_event_loop()
        self._client = self._loop.run_until_complete(self._made(target, options))

    async def _made(self, target: str, options: dict[str, Any]) -> AsyncClient:
        return AsyncClient(target, **options)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._client, name)

        def call(*args: Any, **options: Any) -> Any:
            made = method(*args, **options)
            if inspect.isasyncgen(made):
                return self._each(made)
            return self._loop.run_until_complete(made)

        return call

    def _each(self, generator: Any) -> Iterator[Any]:
        try:
            while (found := self._loop.run_until_complete(anext(generator, self))) is not self:
                yield found
        finally:
            self._loop.run_until_complete(generator.aclose())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._loop.run_until_complete(self._client.close())
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()


BOTH: dict[str, Any] = {"blocking": Client, "asyncio": Waited}
"""What makes each client; calls and their results are the same."""
