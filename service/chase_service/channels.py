"""Connections of clients: plain or encrypted, with or without a token."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypedDict, Unpack

import grpc

from chase_service.addresses import is_address, is_loopback

__all__ = ["Channel", "Pem", "Security", "open_aio_channel", "open_channel"]

Pem = bytes | str | Path
"""PEM as bytes, or the file that holds it."""

_OPTIONS: Final = (("grpc.max_receive_message_length", 4 << 20),)
# Of gRPC's own names of servers, which it reads itself.
_SCHEME: Final = re.compile(r"(dns|ipv4|ipv6|unix|unix-abstract|vsock|xds):.")
_TOKEN: Final = re.compile(r"[!-~]{1,512}")


class Security(TypedDict, total=False):
    """How a client proves who it is, and knows the server. All may be left out.

    A connection is encrypted if `tls` is set or any of `ca`, `cert` and `key` is given.
    """

    tls: bool
    """Encrypted. The server has a certificate of a public root, unless `ca` says of which."""

    ca: Pem | None
    """Root of the server's certificate."""

    cert: Pem | None
    """The client's own certificate, for servers that want one; with `key`."""

    key: Pem | None
    """Its private key."""

    token: str | None
    """Sent with each call: encrypted, or in plain text to this machine."""

    insecure: bool
    """Sends the token in plain text to other machines, too."""


class Channel:
    """A channel of gRPC, blocking or not, whose calls carry the token.

    Args:
        channel: gRPC's.
        token: Of the caller, or None.

    Attributes:
        closed: Whether it was closed.
    """

    def __init__(self, channel: Any, token: str | None) -> None:
        self._channel = channel
        self._metadata = () if token is None else (("authorization", f"Bearer {token}"),)
        self.closed = False

    def unary_unary(self, path: str) -> Callable[..., Any]:
        """A call with one request and one answer."""
        return self._call(self._channel.unary_unary, path)

    def unary_future(self, path: str) -> Callable[..., Any]:
        """A call with one request, begun without waiting; of a connection that blocks."""
        return self._call(lambda path: self._channel.unary_unary(path).future, path)

    def unary_stream(self, path: str) -> Callable[..., Any]:
        """A call with one request and a stream of answers."""
        return self._call(self._channel.unary_stream, path)

    def stream_stream(self, path: str) -> Callable[..., Any]:
        """A call with a stream each way."""
        return self._call(self._channel.stream_stream, path)

    def _call(self, make: Callable[[str], Callable[..., Any]], path: str) -> Callable[..., Any]:
        call = make(path)

        def begin(*arguments: Any, **options: Any) -> Any:
            # gRPC says it in other words for each kind of call.
            if self.closed:
                raise RuntimeError("the client is closed, expected calls before that")
            return call(*arguments, metadata=self._metadata, **options)

        return begin

    def close(self) -> Any:
        """Ends the connection; to be awaited where it does not block."""
        self.closed = True
        return self._channel.close()


def open_channel(target: str, **security: Unpack[Security]) -> Channel:
    """A connection for calls that block.

    Args:
        target: Host and port of the server.
        security: See `Security`.

    Raises:
        ValueError: No address, a certificate without its key, no PEM, a token that is none, or one
            that would go to another machine in plain text.
        OSError: A file cannot be read.
    """
    return _open(grpc.insecure_channel, grpc.secure_channel, target, security)


def open_aio_channel(target: str, **security: Unpack[Security]) -> Channel:
    """As `open_channel`, for asyncio."""
    return _open(grpc.aio.insecure_channel, grpc.aio.secure_channel, target, security)


def _open(
    insecure_channel: Callable[..., Any],
    secure_channel: Callable[..., Any],
    target: str,
    security: Security,
) -> Channel:
    if not (is_address(target) or _SCHEME.match(target)):
        raise ValueError(
            f"the server is {target!r:.80}, expected a host, a colon and a port up to 65535"
        )
    token = security.get("token")
    if token is not None and not _TOKEN.fullmatch(token):
        raise ValueError("token: expected 1 to 512 printable ASCII characters without spaces")
    ca, cert, key = (_pem(name, security.get(name)) for name in ("ca", "cert", "key"))
    if (cert is None) != (key is None):
        raise ValueError("cert and key go together")
    if security.get("tls") or ca is not None or cert is not None:
        credentials = grpc.ssl_channel_credentials(ca, key, cert)
        return Channel(secure_channel(target, credentials, options=_OPTIONS), token)
    if token is None:
        return Channel(insecure_channel(target, options=_OPTIONS), None)
    if not security.get("insecure") and not is_loopback(target.rpartition(":")[0]):
        raise ValueError(
            f"a token would go to {target!r:.80} in plain text; expected tls or ca, or insecure if "
            "that is meant"
        )
    # A proxy of the environment would be told the token.
    options = (*_OPTIONS, ("grpc.enable_http_proxy", 0))
    return Channel(insecure_channel(target, options=options), token)


def _pem(name: str, given: Any) -> bytes | None:
    if given is None:
        return None
    data: bytes = given if isinstance(given, bytes) else Path(given).read_bytes()
    if b"-----BEGIN " not in data:
        raise ValueError(f"{name} is no PEM")
    return data
