"""Streams of records: files, standard input and output, text objects."""

from __future__ import annotations

import gzip
import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Literal, Self, get_args

from chase_fast._arguments import flag, instance, shown
from chase_fast.errors import ArgumentError, RecordError
from chase_fast.game import Game
from chase_fast.record.jsonl import read_json
from chase_fast.record.lines import MAX_LINE, MAX_RECORD, Lines, LineStream
from chase_fast.record.model import Record
from chase_fast.record.text import read_text

RecordFormat = Literal["auto", "text", "json"]
"""``text`` in the manner of PGN, ``json`` one object a line, ``auto`` whichever it is."""

OnError = Literal["raise", "skip"] | Callable[[RecordError], None]
"""What to do about a bad record: stop, pass over it, or call this and pass over it."""

Source = str | os.PathLike[str] | IO[str] | IO[bytes]

_JSON_SUFFIXES = (".json", ".jsonl", ".ndjson")


def read_records(
    source: Source, *, format: RecordFormat = "auto", on_error: OnError = "raise"
) -> Iterator[Record]:
    """Read records one by one, in memory that does not depend on their number.

    Args:
        source: Path of a file (``.gz`` is unpacked), ``-`` for standard input, or a file object,
            text or binary. Files are UTF-8, lines end in LF or CR LF; a byte order mark at the
            start is passed over. A path is opened when the first record is asked for.
        format: ``auto`` takes a file whose first character is ``{`` for JSON.
        on_error: What to do about a bad record. With ``skip`` or a function, reading goes on with
            the next one: at the next tag after a blank line, or at the next line of JSON.

    Yields:
        The records in order, each checked: every decision is legal, and the result agrees with
        the rules.

    Raises:
        RecordError: For a bad record (``on_error="raise"``), with file, line and reason.
        ArgumentError: For a ``source`` that is none, an unknown ``format`` or ``on_error``.
        OSError: If the file cannot be opened or read.
    """
    if not _is_path(source, "source") and not callable(getattr(source, "readline", None)):
        raise ArgumentError(f"source is {shown(source)}, expected a path, '-' or a file object")
    _check_format(format)
    if on_error not in ("raise", "skip") if isinstance(on_error, str) else not callable(on_error):
        raise ArgumentError(
            f"on_error is {shown(on_error)}, expected 'raise', 'skip' or a function"
        )
    return _read(source, format, on_error)


def _read(source: Source, format: RecordFormat, on_error: OnError) -> Iterator[Record]:
    with _opened(source) as (stream, name):
        yield from _read_lines(Lines(stream, name, MAX_LINE), format, on_error)


def _read_lines(lines: Lines, format: RecordFormat, on_error: OnError) -> Iterator[Record]:
    while True:
        try:
            # The first look may already find the stream damaged.
            if format == "auto":
                format = "json" if lines.first_character() == "{" else "text"
            if format == "json":
                lines.max_line = MAX_RECORD
                record = read_json(lines)
            else:
                record = read_text(lines)
        except RecordError as error:
            if on_error == "raise":
                raise
            if on_error != "skip":
                on_error(error)
            if lines.broken:
                return
            if format != "json":
                lines.skip_to_tag()
            continue
        if record is None:
            return
        yield record


def read_one(text: str, format: Literal["text", "json"]) -> Record:
    """The one record in a text.

    Raises:
        RecordError: If there is none, more than one, or it is not sound.
    """
    if not isinstance(text, str):
        raise RecordError(f"the text of a record is {shown(text)}, expected a str")
    lines = Lines(io.StringIO(text), None, MAX_LINE)
    records = list(islice(_read_lines(lines, format, "raise"), 2))
    if len(records) != 1:
        raise RecordError(f"{'no record' if not records else 'more than one record'} in the text")
    return records[0]


@contextmanager
def _opened(source: Source) -> Iterator[tuple[LineStream, str]]:
    """The stream to read and its name; a stream that was opened here is closed at the end."""
    if isinstance(source, str | os.PathLike):
        name = os.fspath(source)
        if name == "-":
            yield sys.stdin.buffer, "<stdin>"
        elif name.endswith(".gz"):
            with gzip.open(name, "rb") as packed:
                yield packed, name
        else:
            with Path(name).open("rb") as stream:
                yield stream, name
    else:
        given = getattr(source, "name", None)
        yield source, given if isinstance(given, str) else "<stream>"


class RecordWriter:
    """Writes records one by one; a context manager.

    Args:
        target: Path of a file (``.gz`` is packed), ``-`` for standard output, or a text file
            object, which stays open.
        format: ``auto`` writes JSON to paths that end in ``.json``, ``.jsonl`` or ``.ndjson``
            (``.gz`` may follow) and text otherwise.
        append: Go on at the end of an existing file instead of replacing it.

    Raises:
        ArgumentError: For a ``target`` that is none, an unknown ``format``, or an ``append`` that
            is no bool.
        OSError: If the file cannot be opened.

    Attributes:
        count: Number of records written.
    """

    def __init__(
        self,
        target: str | os.PathLike[str] | IO[str],
        *,
        format: RecordFormat = "auto",
        append: bool = False,
    ) -> None:
        if not _is_path(target, "target") and not _is_text_output(target):
            raise ArgumentError(
                f"target is {shown(target)}, expected a path, '-' or a text file object"
            )
        _check_format(format)
        append = flag(append, "append")
        self.count = 0
        self._json = format == "json"
        if not isinstance(target, str | os.PathLike):
            self._put: Callable[[str], object] = target.write
            self._flush: Callable[[], object] = target.flush
            self._close: Callable[[], object] = target.flush
            return
        name = os.fspath(target)
        if format == "auto":
            self._json = name.removesuffix(".gz").endswith(_JSON_SUFFIXES)
        # Bytes, so that neither the locale nor the platform's line end shows in a file.
        stream, own = _opened_to_write(name, "ab" if append else "wb")
        self._put = lambda text: stream.write(text.encode())
        self._flush = stream.flush
        self._close = stream.close if own else stream.flush

    def write(self, record: Record | Game) -> None:
        """Write one record, or the record of a game whose players are not named.

        Raises:
            ArgumentError: If it is neither; nothing is written.
            IllegalMoveError: If a decision is not legal at its place; nothing is written.
            RecordError: If the record is wrong in itself; nothing is written.
        """
        if isinstance(record, Game):
            record = record.to_record()
        instance(record, "record", Record, "a Record or a Game")
        # The text format ends every record in a blank line, by which readers find the next one.
        text = record.to_json() if self._json else record.to_text()
        self._put(text + "\n")
        self.count += 1

    def flush(self) -> None:
        """Hand everything written so far to the system."""
        self._flush()

    def close(self) -> None:
        """Flush, and close what was opened here."""
        self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _opened_to_write(
    name: str, mode: Literal["ab", "wb"]
) -> tuple[IO[bytes] | io.BufferedIOBase, bool]:
    """The stream to write to, and whether it was opened here."""
    if name == "-":
        sys.stdout.flush()
        return sys.stdout.buffer, False
    if name.endswith(".gz"):
        return gzip.open(name, mode), True
    return Path(name).open(mode), True


def _is_path(value: object, name: str) -> bool:
    """Whether an argument is a path.

    Raises:
        ArgumentError: It is one that no file system takes.
    """
    if not isinstance(value, str | os.PathLike):
        return False
    path = os.fspath(value)
    try:
        if isinstance(path, str) and "\0" not in path and os.fsencode(path) is not None:
            return True
    except UnicodeEncodeError:
        pass
    raise ArgumentError(
        f"{name} is {shown(path)}, expected a path of text without NUL and lone surrogates"
    )


def _is_text_output(stream: Any) -> bool:
    """Whether a file object takes text; nothing is written."""
    if not all(callable(getattr(stream, name, None)) for name in ("write", "flush")):
        return False
    try:
        stream.write("")
    except TypeError:  # it takes bytes
        return False
    return True


def _check_format(format: object) -> None:
    if not isinstance(format, str) or format not in get_args(RecordFormat):
        raise ArgumentError(
            f"format is {shown(format)}, expected {', '.join(get_args(RecordFormat))}"
        )
