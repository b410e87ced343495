"""HTTP/2 by hand, for what no client of gRPC would send: bytes out, statuses in."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from h2.config import H2Configuration
from h2.connection import H2Connection
from hpack import Decoder
from hyperframe.frame import DataFrame, Frame, HeadersFrame, RstStreamFrame

from tests.service.running import PATIENCE

PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

HEADERS: Final = {
    ":method": "POST",
    ":scheme": "http",
    ":path": "/chase.v1.QueryService/Perft",
    ":authority": "localhost",
    "te": "trailers",
    "content-type": "application/grpc",
    "grpc-timeout": "60S",
}


def framed(message: bytes, *, flag: int = 0, length: int | None = None) -> bytes:
    """A message as gRPC sends it: a flag, its length, its bytes; the first two may be lies."""
    size = len(message) if length is None else length
    return bytes([flag]) + size.to_bytes(4, "big") + message


def conversation(
    body: bytes, headers: Mapping[str, str | None] | None = None, *, end: bool = True
) -> bytes:
    """All that a client sends for a call, from the first byte of its connection.

    Args:
        body: Of the request; less than 64 KiB, since nobody waits here until it may send more.
        headers: To be added, changed, or left out (None).
        end: Whether the client ends its half.
    """
    config = H2Configuration(client_side=True, header_encoding="utf-8",
        validate_outbound_headers=False, normalize_outbound_headers=False)  # fmt: skip
    connection = H2Connection(config)
    connection.initiate_connection()
    found = {**HEADERS, **(headers or {})}
    connection.send_headers(
        1, [(name, value) for name, value in found.items() if value is not None]
    )
    data = connection.data_to_send()
    for begin in range(0, len(body), 16_384):
        data += DataFrame(1, body[begin : begin + 16_384]).serialize()
    if end:
        data += DataFrame(1, flags=["END_STREAM"]).serialize()
    return bytes(data)


def frame_of(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    """A frame, whether there is one of the kind or not."""
    return b"".join(
        (len(payload).to_bytes(3, "big"), bytes([kind, flags]), stream.to_bytes(4, "big"), payload)
    )


@dataclass(frozen=True)
class Heard:
    """What a server sent on a connection.

    Attributes:
        raw: All bytes.
        statuses: Code, message and details of each call that ended with a status.
        ended: How often a stream ended, with or without a status.
    """

    raw: bytes
    statuses: list[tuple[int, str, bytes]]
    ended: int


async def exchange(target: str, data: bytes, *, quiet: float = PATIENCE) -> Heard:
    """Sends bytes on a connection of their own, and hears what comes until the server closes it.

    Args:
        target: The server.
        data: All that is sent.
        quiet: Seconds without an answer after which the client ends its half; at the latest it
            does so when a stream has ended. Nothing is asserted of them: a server that got half a
            message rightly waits for more.

    Raises:
        TimeoutError: The server does not close it.
    """
    host, port = target.split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    raw = b""
    try:
        writer.write(data)
        while not heard(raw).ended:
            more = await asyncio.wait_for(reader.read(1 << 16), quiet)
            if not more:
                break
            raw += more
    except TimeoutError:
        pass
    except ConnectionError:
        return heard(raw)  # the server did not want to hear all of it
    try:
        writer.write_eof()
        raw += await asyncio.wait_for(reader.read(), PATIENCE)
    except OSError as error:
        if isinstance(error, TimeoutError):
            raise
    finally:
        writer.close()
    return heard(raw)


def heard(raw: bytes) -> Heard:
    """What the bytes of a server say."""
    decoder = Decoder()
    statuses = []
    ended = 0
    for frame in _frames(raw):
        ended += "END_STREAM" in frame.flags or isinstance(frame, RstStreamFrame)
        if isinstance(frame, HeadersFrame):
            headers = dict(decoder.decode(frame.data, raw=True))
            if b"grpc-status" in headers:
                text = unquote(headers.get(b"grpc-message", b"").decode("ascii"))
                details = headers.get(b"grpc-status-details-bin", b"")
                # Its padding is left out on the wire.
                statuses.append(
                    (int(headers[b"grpc-status"]), text, base64.b64decode(details + b"=="))
                )
    return Heard(raw, statuses, ended)


def _frames(raw: bytes) -> Iterator[Frame]:
    rest = memoryview(raw)
    while len(rest) >= 9:
        frame, length = Frame.parse_frame_header(rest[:9])
        if len(rest) < 9 + length:
            return
        frame.parse_body(rest[9 : 9 + length])
        yield frame
        rest = rest[9 + length :]
