"""What is told of calls to whoever watches them: metrics and the log."""

from __future__ import annotations

from typing import NamedTuple, Protocol

__all__ = ["OTHER", "Ended", "Watcher"]

OTHER = "other"
"""The name of all methods that there are not, so that callers cannot make up names."""


class Ended(NamedTuple):
    """A call that has ended. Nothing in it was made up by the caller.

    Attributes:
        number: Of the call, from 1.
        method: Such as ``QueryService.Perft``, or `OTHER`.
        peer: Address of the caller as gRPC writes it.
        client: Who the caller is.
        code: Name of its status.
        reason: Of a refusal, else empty.
        seconds: From the request to the answer.
        request_bytes: Of all its requests.
        response_bytes: Of all its responses.
        items: Items answered in its batches, or games sent.
        failed: Those of them without a result.
    """

    number: int
    method: str
    peer: str
    client: str
    code: str
    reason: str
    seconds: float
    request_bytes: int
    response_bytes: int
    items: int
    failed: int

    def __str__(self) -> str:
        reason = f" {self.reason}" if self.reason else ""
        return (
            f"call {self.number} {self.method} {self.code}{reason} {self.seconds * 1e3:.3f} ms, "
            f"{self.request_bytes} bytes in, {self.response_bytes} out, {self.items} items, "
            f"{self.failed} failed, {self.client} at {self.peer}"
        )


class Watcher(Protocol):
    """Is told on the event loop, and so has to be quick. Raises nothing."""

    def items(self, method: str, items: int, failed: int) -> None:
        """Items of a call were answered.

        Args:
            method: See `Ended`.
            items: How many.
            failed: Those of them without a result.
        """

    def ended(self, call: Ended) -> None:
        """A call has ended."""
