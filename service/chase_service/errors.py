"""Refusals as the status of a call: code, text, and google.rpc details in the trailers."""

from __future__ import annotations

from typing import Final, NoReturn

import grpc
from google.protobuf import any_pb2, duration_pb2
from google.rpc import error_details_pb2, status_pb2

from chase_service.refusal import Refusal

__all__ = ["DETAILS_KEY", "DOMAIN", "abort", "status_of"]

DOMAIN: Final = "chase-fast"
"""Of ErrorInfo."""

DETAILS_KEY: Final = "grpc-status-details-bin"
"""The trailer that holds a google.rpc.Status."""

_STATUS: Final = {status.value[0]: status for status in grpc.StatusCode}


def status_of(refusal: Refusal) -> status_pb2.Status:
    """The google.rpc.Status of a refusal: ErrorInfo always, BadRequest and RetryInfo where due.

    It is small, since messages are (`refusal.MAX_MESSAGE`): clients that get more than 8 KiB of
    trailers would see no status at all.
    """
    details: list[any_pb2.Any] = []

    def add(detail: error_details_pb2.ErrorInfo | error_details_pb2.BadRequest
            | error_details_pb2.RetryInfo) -> None:  # fmt: skip
        packed = any_pb2.Any()
        packed.Pack(detail)
        details.append(packed)

    add(error_details_pb2.ErrorInfo(reason=refusal.reason.name, domain=DOMAIN))
    if refusal.field:
        violation = error_details_pb2.BadRequest.FieldViolation(
            field=refusal.field, description=refusal.message
        )
        add(error_details_pb2.BadRequest(field_violations=[violation]))
    if refusal.retry_after is not None:
        delay = duration_pb2.Duration()
        delay.FromNanoseconds(round(refusal.retry_after * 1e9))
        add(error_details_pb2.RetryInfo(retry_delay=delay))
    return status_pb2.Status(code=int(refusal.code), message=refusal.message, details=details)


async def abort(context: grpc.aio.ServicerContext[bytes, bytes], refusal: Refusal) -> NoReturn:
    """Ends a call with a refusal.

    Raises:
        grpc.aio.AbortError: Always; gRPC expects it.
    """
    trailers = ((DETAILS_KEY, status_of(refusal).SerializeToString()),)
    await context.abort(_STATUS[int(refusal.code)], refusal.message, trailers)
    raise AssertionError("abort returned")
