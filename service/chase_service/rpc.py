"""Every call of the service goes through here: bytes in, bytes out, and one way to fail.

gRPC sends the text of an exception to the caller, does not tell a handler that it was cancelled
other than by cancelling it, and waits for nobody at its end. So handlers get messages as bytes
(what is no message is our refusal, not gRPC's), exceptions end here, and calls under way are known.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from itertools import count
from typing import Any, Final, TypeVar

import grpc
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor

from chase_service.addresses import host_of
from chase_service.errors import abort
from chase_service.limits import Limits
from chase_service.refusal import Code, Reason, Refusal, invalid
from chase_service.tokens import TOKEN, Token, Tokens
from chase_service.watch import OTHER, Ended, Watcher

__all__ = [
    "PRIORITY",
    "REFLECTION",
    "Call",
    "Gate",
    "Handler",
    "fault",
    "handlers",
    "method_name",
    "other_handlers",
    "refusing",
    "unauthenticated",
]

_log = logging.getLogger("chase_service")

T = TypeVar("T")

Context = grpc.aio.ServicerContext[bytes, bytes]

PRIORITY: Final = "chase-priority"
"""Metadata in which callers say how urgent a call is."""

REFLECTION: Final = "/grpc.reflection."
"""What the methods of all versions of reflection begin with."""

_LEVELS: Final = {"high": 0, "normal": 1, "low": 2}

# Seconds after which callers may try again to reach a server that ends, or the one after it.
_RETRY_SECONDS: Final = 1.0
# Seconds that a request may have been on its way, so that its caller's deadline comes before ours.
_WAY: Final = 0.01


class Call:
    """One call under way.

    Args:
        context: gRPC's.
        gate: That let it in.
        method: Its name; see `Ended`.
        size: Bytes of its request.

    Attributes:
        context: gRPC's.
        number: Of the call, for the log.
        token: What it came with; None where the server asks for none.
        client: Whose call it is: the name of the token, else the address of the caller.
    """

    def __init__(
        self, context: Context, gate: Gate, method: str, size: int, *, stream: bool
    ) -> None:
        self.context = context
        # It is set wherever tokens are asked for: a call that came by another way ends here.
        self.token: Token | None = TOKEN.get() if gate.tokens is not None else None
        self._peer = context.peer()
        self.client = self.token.name if self.token is not None else host_of(self._peer)
        self.number = next(gate.numbers)
        self._stream = stream
        self._gate = gate
        self._method = method
        self._began = time.perf_counter()
        self._request_bytes = size
        self._response_bytes = 0
        self._items = 0
        self._failed = 0

    @cached_property
    def priority(self) -> int:
        """Level of its work: 0 for a unary call, 1 for a stream, or what the caller says.

        Raises:
            Refusal: INVALID_FIELD, the caller says something else.
        """
        for name, value in self.context.invocation_metadata() or ():
            if name == PRIORITY:
                if value not in _LEVELS:
                    raise invalid(PRIORITY, f"{PRIORITY} is not one of {', '.join(_LEVELS)}")
                return _LEVELS[value]
        return int(self._stream)

    def seconds_left(self) -> float:
        """Until the caller's deadline, and no more than a call may take."""
        left = _seconds_left(self.context)
        longest = self._gate.limits.call_seconds
        return longest if left is None else min(left, longest)

    async def timed(self, work: Awaitable[T]) -> T:
        """What some work gives, if it does so in time.

        Raises:
            Refusal: DEADLINE.
        """
        seconds = self.seconds_left()
        timeout = asyncio.timeout(seconds)
        try:
            async with timeout:
                return await work
        except TimeoutError:
            if not timeout.expired():
                raise
            raise Refusal(Reason.DEADLINE, f"not done within {seconds:.3f} seconds") from None

    async def read(self) -> bytes | None:
        """The next message of a stream, or None after the last one.

        Raises:
            Refusal: DEADLINE, the caller let too long a time pass; UNAVAILABLE, the server ends;
                UNAUTHENTICATED, the token is valid no more.
        """
        reading = asyncio.ensure_future(self.context.read())
        ending = asyncio.ensure_future(self._gate.draining.wait())
        try:
            done, _ = await asyncio.wait(
                (reading, ending),
                timeout=self._gate.limits.idle_seconds,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if reading in done:
                message: object = reading.result()  # bytes, or the end of them
                if not isinstance(message, bytes):
                    return None
                self._request_bytes += len(message)
                self._check_token()
                return message
            if ending in done:
                raise _ending()
            raise Refusal(Reason.DEADLINE, "the stream waited too long for its caller")
        finally:
            reading.cancel()
            ending.cancel()

    def _check_token(self) -> None:
        """Streams may last for ever, which tokens need not."""
        tokens = self._gate.tokens
        if tokens is not None and self.token is not None and self.token not in tokens():
            raise unauthenticated()

    async def write(self, message: bytes) -> None:
        """Sends a message of a stream; waits while the caller does not take them."""
        try:
            await self.context.write(message)
        except grpc.aio.InternalError:
            # The caller is gone, and gRPC has not come to cancel this call yet. No fault of ours.
            raise asyncio.CancelledError from None
        self._response_bytes += len(message)

    def answered(self, items: int, failed: int = 0) -> None:
        """Notes items that were answered, so many of them without a result."""
        self._items += items
        self._failed += failed
        for watcher in self._gate.watchers:
            watcher.items(self._method, items, failed)

    def ended(self, code: str, reason: str = "", *, size: int = 0) -> None:
        """Tells that it has ended, with an answer of so many bytes."""
        ended = Ended(
            self.number, self._method, self._peer, self.client, code, reason,
            time.perf_counter() - self._began, self._request_bytes, self._response_bytes + size,
            self._items, self._failed,
        )  # fmt: skip
        for watcher in self._gate.watchers:
            watcher.ended(ended)


Handler = Callable[[bytes, Call], bytes | Awaitable[bytes | None]]
"""Answers a call. The bytes are the request, empty where requests are a stream; what it gives is
the response, None where responses are a stream. Small calls are answered without a coroutine."""


class Gate:
    """Lets calls in, knows those under way, and closes.

    Args:
        limits: Of the server.
        tokens: Gives the tokens that callers need as they are now, if they need any;
            `chase_service.access` asks for them.

    Attributes:
        limits: Of the server.
        tokens: See above.
        watchers: Are told of all calls.
        numbers: Of calls to come.
        names: Of all methods that there are, by the path that gRPC has for them.
        draining: Set when no new calls are let in any more.
    """

    def __init__(self, limits: Limits, tokens: Callable[[], Tokens] | None = None) -> None:
        self.limits = limits
        self.tokens = tokens
        self.watchers: list[Watcher] = []
        self.numbers = count(1)
        self.names: dict[str, str] = {}
        self.draining = asyncio.Event()
        self._running: dict[asyncio.Task[Any], Call] = {}
        self._ended: set[Call] = set()
        self._empty = asyncio.Event()
        self._empty.set()

    @property
    def running(self) -> int:
        """Calls under way."""
        return len(self._running)

    async def drain(self, grace: float) -> bool:
        """Lets no call in; waits for those under way, and ends those that are left.

        Args:
            grace: Seconds to wait.

        Returns:
            Whether all ended by themselves.
        """
        self.draining.set()
        try:
            await asyncio.wait_for(self._empty.wait(), grace)
        except TimeoutError:
            for task, call in list(self._running.items()):
                self._ended.add(call)
                task.cancel()
            await asyncio.wait(list(self._running) or [asyncio.ensure_future(self._empty.wait())])
            return False
        return True

    async def answer(
        self, handler: Handler, request: bytes, context: Context, *, method: str, stream: bool,
        timed: bool,
    ) -> bytes | None:  # fmt: skip
        """Runs a handler; what it raises becomes the status of the call."""
        call = Call(context, self, method, len(request), stream=stream)
        if self.draining.is_set():
            call.ended(Code.UNAVAILABLE.name, Reason.UNAVAILABLE.name)
            await abort(context, _ending())
        task = asyncio.current_task()
        assert task is not None
        self._running[task] = call
        self._empty.clear()
        try:
            answer = await self._guarded(handler, request, call, timed=timed)
            if not isinstance(answer, Refusal):
                call.ended("OK", size=len(answer or b""))
                return answer
            call.ended(answer.code.name, answer.reason.name)
            await abort(context, answer)
        finally:
            self._ended.discard(call)
            del self._running[task]
            if not self._running:
                self._empty.set()

    async def answer_other(self, context: Context, path: str) -> None:
        """Refuses a call of a method that there is not, as gRPC does."""
        # Of reflection clients ask for versions that there are not; it is not counted as it is.
        if not path.startswith(REFLECTION):
            Call(context, self, OTHER, 0, stream=False).ended(grpc.StatusCode.UNIMPLEMENTED.name)
        await context.abort(grpc.StatusCode.UNIMPLEMENTED, "Method not found!")

    async def _guarded(
        self, handler: Handler, request: bytes, call: Call, *, timed: bool
    ) -> bytes | Refusal | None:
        try:
            if timed and call.seconds_left() <= 0:
                return Refusal(Reason.DEADLINE, "the deadline had passed when the call came")
            _ = call.priority  # refused here if it is none, whatever the call needs of it
            answer = handler(request, call)
            if isinstance(answer, bytes):
                return answer
            return await (call.timed(answer) if timed else answer)
        except Refusal as refusal:
            return refusal
        except asyncio.CancelledError:
            if call in self._ended:
                return _ending()
            # By the caller, or by gRPC at the caller's deadline.
            left = _seconds_left(call.context)
            late = left is not None and left < _WAY
            call.ended((Code.DEADLINE_EXCEEDED if late else Code.CANCELLED).name)
            raise
        except Exception:  # noqa: BLE001 - whatever it is, its text stays here
            _log.exception("fault in a call", extra={"call": call.number})
            return fault()


def _seconds_left(context: Context) -> float | None:
    """Until the caller's deadline, None where there is none."""
    return context.time_remaining()


def _ending() -> Refusal:
    return Refusal(Reason.UNAVAILABLE, "the server ends", retry_after=_RETRY_SECONDS)


def unauthenticated() -> Refusal:
    """The same words whatever was wrong, so that they do not tell what tokens there are."""
    message = "a valid token is needed, in the metadata authorization: Bearer TOKEN"
    return Refusal(Reason.UNAUTHENTICATED, message)


def fault() -> Refusal:
    """Of the server: callers are told that there was one, and no more."""
    return Refusal(Reason.INTERNAL, "a fault of the server; its log says more")


def handlers(
    service: ServiceDescriptor, methods: Mapping[str, Handler], gate: Gate
) -> grpc.GenericRpcHandler:
    """What gRPC has to know of a service.

    Args:
        service: As the contract has it.
        methods: Handlers by the name of the call; those of all calls.
        gate: What calls go through.

    Raises:
        KeyError: A call without a handler.
    """
    for method in service.methods:
        gate.names[f"/{service.full_name}/{method.name}"] = method_name(method)
    return grpc.method_handlers_generic_handler(
        service.full_name,
        {method.name: _handler(method, methods[method.name], gate) for method in service.methods},
    )


def method_name(method: MethodDescriptor) -> str:
    """A method as `Ended` has it."""
    return f"{method.containing_service.name}.{method.name}"


def other_handlers(gate: Gate) -> grpc.GenericRpcHandler:
    """What gRPC asks for methods that nobody else has. To be added last."""

    def handler(path: str) -> Any:
        async def answer(requests: object, context: Context) -> None:
            del requests
            await gate.answer_other(context, path)

        return grpc.stream_stream_rpc_method_handler(answer)

    class Others(grpc.GenericRpcHandler):
        def service(self, handler_call_details: Any) -> Any:
            return handler(handler_call_details.method)

    return Others()


def refusing(refusal: Callable[[], Refusal], gate: Gate, path: str) -> Any:
    """A handler for any kind of call, which refuses it before its request is read.

    Args:
        refusal: Makes the refusal.
        gate: What calls go through.
        path: Of the method as gRPC has it; there need not be one.
    """

    async def refuse(request: bytes, call: Call) -> None:
        raise refusal()

    return _streaming(refuse, gate, gate.names.get(path, OTHER))


def _streaming(handler: Handler, gate: Gate, name: str) -> Any:
    async def stream(requests: object, context: Context) -> None:
        del requests  # read by Call.read; the time of a stream is that of each of its batches
        await gate.answer(handler, b"", context, method=name, stream=True, timed=False)

    return grpc.stream_stream_rpc_method_handler(stream)


def _handler(
    method: MethodDescriptor, handler: Handler, gate: Gate
) -> grpc.RpcMethodHandler[bytes, bytes]:
    name = method_name(method)

    async def answer(request: bytes, context: Context) -> bytes | None:
        return await gate.answer(
            handler, request, context, method=name, stream=method.server_streaming, timed=True
        )

    if method.client_streaming:
        made: grpc.RpcMethodHandler[bytes, bytes] = _streaming(handler, gate, name)
    elif method.server_streaming:
        made = grpc.unary_stream_rpc_method_handler(answer)
    else:
        made = grpc.unary_unary_rpc_method_handler(answer)
    return made
