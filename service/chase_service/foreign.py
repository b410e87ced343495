"""Services that others wrote, health and reflection, with our way to fail.

Their handlers let gRPC read the requests, and gRPC tells callers the text of every exception.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, Final

import grpc
from google.protobuf.message import DecodeError

from chase_service.errors import abort
from chase_service.refusal import Reason, Refusal
from chase_service.rpc import fault

__all__ = ["Guarded"]

_log = logging.getLogger("chase_service")

_NO_SUCH_CALL: Final = "this server does not have the call"

_Context = grpc.aio.ServicerContext[Any, Any]


class Guarded:
    """Takes the place of a server where services are added to it.

    Args:
        server: Gets their handlers.
    """

    def __init__(self, server: grpc.aio.Server) -> None:
        self._server = server

    def add_generic_rpc_handlers(self, handlers: Sequence[grpc.GenericRpcHandler]) -> None:
        """As `grpc.aio.Server` has it."""
        self._server.add_generic_rpc_handlers(tuple(map(_Handlers, handlers)))

    def add_registered_method_handlers(self, service: str, handlers: object) -> None:
        """Not needed: the generic handlers are the same."""


class _Handlers(grpc.GenericRpcHandler):
    def __init__(self, handlers: grpc.GenericRpcHandler) -> None:
        self._handlers = handlers

    def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[Any, Any] | None:
        handler = self._handlers.service(details)
        return None if handler is None else _guarded(handler)


def _guarded(handler: Any) -> grpc.RpcMethodHandler[Any, Any]:
    sides = (handler.request_streaming, handler.response_streaming)
    kind = "_".join("stream" if streaming else "unary" for streaming in sides)
    run = getattr(handler, kind)
    read = _reader(handler.request_deserializer)

    async def answer(request: bytes, context: _Context) -> Any:
        try:
            return await run(read(request), context)
        except Exception as error:  # noqa: BLE001 - whatever it is, its text stays here
            await _fail(error, context)

    async def talk(requests: AsyncIterator[bytes], context: _Context) -> AsyncIterator[Any]:
        try:
            async for response in run((read(one) async for one in requests), context):
                yield response
        except Exception as error:  # noqa: BLE001 - as above
            await _fail(error, context)

    make: Callable[..., grpc.RpcMethodHandler[Any, Any]] = getattr(
        grpc, f"{kind}_rpc_method_handler"
    )
    return make(
        talk if inspect.isasyncgenfunction(run) else answer,
        response_serializer=handler.response_serializer,
    )


def _reader(read: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
    def checked(data: bytes) -> Any:
        try:
            return read(data)
        except DecodeError:
            raise Refusal(Reason.INVALID_MESSAGE, "the bytes are no message of the call") from None

    return checked


async def _fail(error: Exception, context: _Context) -> None:
    if isinstance(error, grpc.aio.AbortError):
        raise error
    if isinstance(error, Refusal):
        await abort(context, error)
    if isinstance(error, NotImplementedError):
        await context.abort(grpc.StatusCode.UNIMPLEMENTED, _NO_SUCH_CALL)
    _log.error("fault in a call", exc_info=error)
    await abort(context, fault())
