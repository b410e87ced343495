"""Every call of the service goes through here: bytes in, bytes out, and one way to fail.

gRPC sends the text of an exception to the caller, does not tell a handler that it was cancelled
other than by cancelling it, and waits for nobody at its end. So handlers get messages as bytes
(what is no message is our refusal, not gRPC's), exceptions end here, and calls under way are known.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, TypeVar, cast

import grpc
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor

from chase_service.engine import StopFlag, Stopped
from chase_service.errors import abort
from chase_service.limits import Limits
from chase_service.refusal import Reason, Refusal

__all__ = ["Call", "Gate", "Handler", "fault", "handlers"]

_log = logging.getLogger("chase_service")

T = TypeVar("T")

Context = grpc.aio.ServicerContext[bytes, bytes]

# Seconds after which callers may try again to reach a server that ends, or the one after it.
_RETRY_SECONDS: Final = 1.0


class Call:
    """One call under way.

    Attributes:
        context: gRPC's.
        stop: Set when the call ends, however it ends; all its work polls it.
    """

    def __init__(self, context: Context, gate: Gate) -> None:
        self.context = context
        self.stop = StopFlag()
        self._gate = gate

    def seconds_left(self) -> float:
        """Until the caller's deadline, and no more than a call may take."""
        left = cast("float | None", self.context.time_remaining())  # its type forgets the None
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
        except (TimeoutError, Stopped):
            if not timeout.expired():
                raise
            raise Refusal(Reason.DEADLINE, f"not done within {seconds:.3f} seconds") from None

    async def read(self) -> bytes | None:
        """The next message of a stream, or None after the last one.

        Raises:
            Refusal: DEADLINE, the caller let too long a time pass; UNAVAILABLE, the server ends.
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
                return message if isinstance(message, bytes) else None
            if ending in done:
                raise _ending()
            raise Refusal(Reason.DEADLINE, "the stream waited too long for its caller")
        finally:
            reading.cancel()
            ending.cancel()

    async def write(self, message: bytes) -> None:
        """Sends a message of a stream; waits while the caller does not take them."""
        await self.context.write(message)


Handler = Callable[[bytes, Call], Awaitable[bytes | None]]
"""Answers a call. The bytes are the request, empty where requests are a stream; what it returns is
the response, None where responses are a stream."""


class Gate:
    """Lets calls in, knows those under way, and closes.

    Args:
        limits: Of the server.

    Attributes:
        limits: Of the server.
        draining: Set when no new calls are let in any more.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
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
                call.stop.set()
                self._ended.add(call)
                task.cancel()
            await asyncio.wait(list(self._running) or [asyncio.ensure_future(self._empty.wait())])
            return False
        return True

    async def answer(
        self, handler: Handler, request: bytes, context: Context, *, timed: bool
    ) -> bytes | None:
        """Runs a handler; what it raises becomes the status of the call."""
        call = Call(context, self)
        task = asyncio.current_task()
        assert task is not None
        if self.draining.is_set():
            await abort(context, _ending())
        self._running[task] = call
        self._empty.clear()
        try:
            refusal = await self._guarded(handler, request, call, timed=timed)
            if not isinstance(refusal, Refusal):
                return refusal
            await abort(context, refusal)
        finally:
            call.stop.set()
            self._ended.discard(call)
            del self._running[task]
            if not self._running:
                self._empty.set()

    async def _guarded(
        self, handler: Handler, request: bytes, call: Call, *, timed: bool
    ) -> bytes | Refusal | None:
        try:
            answer = handler(request, call)
            return await (call.timed(answer) if timed else answer)
        except Refusal as refusal:
            return refusal
        except asyncio.CancelledError:
            if call not in self._ended:
                raise
            return _ending()
        except Exception:  # noqa: BLE001 - whatever it is, its text stays here
            _log.exception("fault in a call")
            return fault()


def _ending() -> Refusal:
    return Refusal(Reason.UNAVAILABLE, "the server ends", retry_after=_RETRY_SECONDS)


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
    return grpc.method_handlers_generic_handler(
        service.full_name,
        {method.name: _handler(method, methods[method.name], gate) for method in service.methods},
    )


def _handler(
    method: MethodDescriptor, handler: Handler, gate: Gate
) -> grpc.RpcMethodHandler[bytes, bytes]:
    async def answer(request: bytes, context: Context) -> bytes | None:
        return await gate.answer(handler, request, context, timed=True)

    async def stream(requests: object, context: Context) -> None:
        del requests  # read by Call.read; the time of a stream is that of each of its batches
        await gate.answer(handler, b"", context, timed=False)

    if method.client_streaming:
        made: Any = grpc.stream_stream_rpc_method_handler(stream)
    elif method.server_streaming:
        made = grpc.unary_stream_rpc_method_handler(answer)
    else:
        made = grpc.unary_unary_rpc_method_handler(answer)
    return made  # type: ignore[no-any-return]
