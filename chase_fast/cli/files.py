"""Files that commands write: whole or not at all."""

from __future__ import annotations

import codecs
import gzip
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, Literal, cast

import typer

from chase_fast.record import RecordWriter

STANDARD = "-"
"""Stands for standard input or output."""

GZIP_SUFFIX = ".gz"

# Endings of names that tell the format to write; anything else is text, as in the library.
_JSON_SUFFIXES = (".json", ".jsonl", ".ndjson")


@contextmanager
def writing(name: str, *, param_hint: str) -> Iterator[BinaryIO]:
    """A file to write to; ``-`` is standard output.

    A regular file appears, or is replaced, when the block ends well. After an error everything is
    as it was.

    Args:
        name: Its path.
        param_hint: The option that names it, for messages.

    Raises:
        typer.BadParameter: It cannot be opened.
        OSError: It cannot be written to; names the file.
    """
    if name == STANDARD:
        sys.stdout.flush()
        yield sys.stdout.buffer
        return
    try:
        path = Path(name).resolve()
        known = path.stat() if path.exists() else None
        if known is not None and not stat.S_ISREG(known.st_mode):
            part, stream = None, path.open("wb")  # a device or a pipe: nothing to replace
        else:
            part = path.with_name(f".{path.name[:200]}.{secrets.token_hex(4)}.part")
            stream = part.open("xb")
    except (OSError, ValueError) as error:
        raise typer.BadParameter(
            f"cannot write {name!r}: {_reason(error)}", param_hint=param_hint
        ) from error
    try:
        with stream:
            yield stream
        if part is not None:
            if known is not None:
                part.chmod(stat.S_IMODE(known.st_mode))
            part.replace(path)
    except OSError as error:
        raise _named(error, name) from error
    finally:
        if part is not None:
            part.unlink(missing_ok=True)


@contextmanager
def writing_packed(name: str, *, param_hint: str) -> Iterator[BinaryIO]:
    """As `writing`; what is written to a name that ends in ``.gz`` is packed."""
    with ExitStack() as stack:
        out = stack.enter_context(writing(name, param_hint=param_hint))
        if name.endswith(GZIP_SUFFIX):
            # No name and no time in the file: the same records give the same bytes.
            packed = gzip.GzipFile(filename="", mode="wb", fileobj=out, mtime=0)
            # It is one in all but what its stubs say.
            out = cast("BinaryIO", stack.enter_context(packed))
        yield out


def record_writer(
    out: BinaryIO, name: str, record_format: Literal["auto", "text", "json"] = "auto"
) -> RecordWriter:
    """What writes records to a stream; ``auto`` goes by the ending of the file's name."""
    if record_format == "auto":
        json = name.removesuffix(GZIP_SUFFIX).endswith(_JSON_SUFFIXES)
        record_format = "json" if json else "text"
    return RecordWriter(codecs.getwriter("utf-8")(out), format=record_format)


@contextmanager
def reading(name: str, *, param_hint: str) -> Iterator[BinaryIO]:
    """A file to read from; ``-`` is standard input.

    Args:
        name: Its path.
        param_hint: The argument that names it, for messages.

    Raises:
        typer.BadParameter: It cannot be opened.
        OSError: It cannot be read; names the file.
    """
    if name == STANDARD:
        if sys.stdin is None:
            raise typer.BadParameter("standard input is closed", param_hint=param_hint)
        yield sys.stdin.buffer
        return
    try:
        path = Path(name)
        stream = path.open("rb")
    except (OSError, ValueError) as error:
        raise typer.BadParameter(
            f"cannot read {name!r}: {_reason(error)}", param_hint=param_hint
        ) from error
    try:
        with stream:
            yield stream
    except OSError as error:
        raise _named(error, name) from error


def _named(error: OSError, name: str) -> OSError:
    """The error with the name of the file, where it has none yet."""
    if error.filename is not None or error.errno is None:
        return error
    return OSError(error.errno, os.strerror(error.errno), name)


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
