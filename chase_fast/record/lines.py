"""Lines of a file nobody has checked yet, in bounded memory and with their numbers."""

from __future__ import annotations

import gzip
import re
import zlib
from typing import Protocol

from chase_fast._arguments import shown
from chase_fast.errors import RecordError

MAX_LINE = 65_536
"""Longest line of the text format, in bytes of UTF-8 without its end."""

MAX_RECORD = 4_194_304
"""Longest record, in bytes of UTF-8: all its lines, or the one line of a JSON record. A game of
500,000 decisions still fits."""

# White space a line may hold is the space and the tab; anything else below U+0020 says that this
# is not text. A byte order mark is dropped at the start of a file and means nothing elsewhere.
_NOT_TEXT = re.compile("[\x00-\x08\x0a-\x1f\x7f\ufeff]")

_BOM = b"\xef\xbb\xbf"


class LineStream(Protocol):
    """What lines can be read from: a text or binary file object."""

    def readline(self, limit: int, /) -> str | bytes:
        """At most ``limit`` characters or bytes of the next line."""
        ...


class Lines:
    """Reads lines one by one.

    Lines end in LF or CR LF; a UTF-8 byte order mark at the start is dropped. A line that is too
    long is read past without keeping it.

    Args:
        stream: Text, or bytes that are UTF-8.
        source: Name for error messages, or None.
        max_line: Longest line in bytes of UTF-8.

    Attributes:
        number: Number of the line returned last, from 1.
        broken: Whether the stream cannot be read any further.
    """

    def __init__(self, stream: LineStream, source: str | None, max_line: int) -> None:
        self._stream = stream
        self._source = source
        self.max_line = max_line
        self.number = 0
        self.broken = False
        self._after_blank = True
        self._pushed: str | None = None
        self._raw: bytes | None = None
        self._taken = 0

    def error(self, reason: str, line: int | None = None) -> RecordError:
        """An error at the line returned last, or at ``line``."""
        return RecordError(reason, self._source, self.number if line is None else line)

    def first_character(self) -> str:
        """The first character that is not white space, without taking anything; "" if none."""
        while not self._peek_raw().strip():
            raw = self._take_raw()
            if not raw:
                return ""
            self.number += raw.endswith(b"\n")
        return self._peek_raw().removeprefix(_BOM).lstrip()[:1].decode("latin-1")

    def begin_record(self) -> None:
        """Start to count the length of a record anew."""
        self._taken = 0

    def read(self) -> str | None:
        """The next line without its end, or None after the last one.

        Raises:
            RecordError: If the line is too long, or not text, or makes the record too long. It is
                taken all the same, so that reading can go on after it.
        """
        if self._pushed is not None:
            line, self._pushed = self._pushed, None
            return line
        raw = self._take_raw()
        if not raw:
            return None
        self.number += 1
        self._after_blank = False
        if not raw.endswith(b"\n") and len(raw) < self.max_line + 3:
            # Taken by first_character when the limit was lower, or the last line of the file.
            raw += self._readline()
        body = raw.removesuffix(b"\n").removesuffix(b"\r")
        if len(body) > self.max_line:
            self._read_past(raw)
            raise self.error(f"line longer than {self.max_line} bytes")
        line = self._decode(body)
        self._taken += len(body) + 1
        if self._taken > MAX_RECORD:
            raise self.error(f"record longer than {MAX_RECORD} bytes")
        found = _NOT_TEXT.search(line)
        if found:
            raise self.error(
                f"not text: character U+{ord(found[0]):04X} at column {found.start() + 1}"
            )
        self._after_blank = not line.strip(" \t")
        return line

    def push_back(self, line: str) -> None:
        """Let :meth:`read` return ``line``, the one it returned last, once more."""
        self._pushed = line

    def skip_to_tag(self) -> None:
        """Go on to the next line that begins a record: a tag after a blank line.

        A line that was pushed back is taken for such a line.
        """
        while self._pushed is None:
            self.begin_record()
            after_blank = self._after_blank
            try:
                line = self.read()
            except RecordError:
                if self.broken:
                    return
                continue
            if line is None:
                return
            if line.startswith("[") and after_blank:
                self._pushed = line

    def _decode(self, body: bytes) -> str:
        if self.number == 1:
            body = body.removeprefix(_BOM)
        try:
            return body.decode()
        except UnicodeDecodeError as error:
            hint = "; UTF-16?" if body.startswith((b"\xff\xfe", b"\xfe\xff")) else ""
            raise self.error(
                f"not UTF-8: byte 0x{body[error.start]:02X} is byte {error.start + 1} of the"
                f" line{hint}"
            ) from error

    def _read_past(self, raw: bytes) -> None:
        """Read to the end of the line that begins with ``raw``."""
        while raw and not raw.endswith(b"\n"):
            raw = self._readline()

    def _peek_raw(self) -> bytes:
        if self._raw is None:
            self._raw = self._readline()
        return self._raw

    def _take_raw(self) -> bytes:
        raw = self._peek_raw()
        self._raw = None
        return raw

    def _readline(self) -> bytes:
        """At most one line; shorter pieces of a line that is too long."""
        try:
            # Room for the line end, so that a longer piece is always part of a longer line.
            raw = self._stream.readline(self.max_line + 3)
        except UnicodeDecodeError as error:
            self.broken = True
            raise RecordError(
                f"not {error.encoding}: byte 0x{error.object[error.start]:02X}",
                self._source,
                self.number + 1,
            ) from error
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            self.broken = True
            raise RecordError(
                f"damaged or truncated gzip data: {error}", self._source, self.number + 1
            ) from error
        if isinstance(raw, str):
            # A lone surrogate is passed on as bytes that are not UTF-8, and refused as such.
            return raw.encode(errors="surrogatepass")
        return self._bytes(raw)

    def _bytes(self, raw: object) -> bytes:
        if not isinstance(raw, bytes):
            self.broken = True
            raise RecordError(
                f"readline gave {shown(raw)}, expected text or bytes", self._source, self.number + 1
            )
        return raw
