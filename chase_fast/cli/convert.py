"""``chase-fast convert``: game records from one format to another."""

from __future__ import annotations

import codecs
import gzip
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Annotated, BinaryIO, Literal, cast

import typer

from chase_fast import RecordError, Rules
from chase_fast.cli.files import (
    GZIP_SUFFIX,
    STANDARD,
    reading,
    record_writer,
    writing_packed,
)
from chase_fast.cli.options import JsonOption, read_one_rules
from chase_fast.cli.output import count, note, say_json
from chase_fast.cli.progress import Bar
from chase_fast.cli.turnlists import NOTATIONS, read_turn_lists, write_turn_list
from chase_fast.errors import ChaseError
from chase_fast.record import Record, read_records

Source = Literal["auto", "text", "json", "abstractplay", "chase-ai"]
Target = Literal["auto", "text", "json", "abstractplay", "chase-ai"]

# Reasons that --json lists; all of them are printed.
_LISTED = 100


def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="File to read; - is stdin.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="File to write; - is stdout.")],
    source_format: Annotated[
        Source, typer.Option("--from", help="Format of IN; auto tells text and json apart.")
    ] = "auto",
    target_format: Annotated[
        Target, typer.Option("--to", help="Format of OUT; auto goes by the ending of its name.")
    ] = "auto",
    rules: Annotated[
        list[str] | None,
        typer.Option(
            "--rules",
            "-r",
            metavar="TEXT",
            help="Rules of the games in IN, for formats that do not say.",
            show_default="standard",
        ),
    ] = None,
    skip_bad: Annotated[
        bool,
        typer.Option(
            "--skip-bad", help="Go on after a bad record; the exit code is 1 all the same."
        ),
    ] = False,
    json: JsonOption = False,
) -> None:
    """Convert game records, checking every decision and result.

    text is a format like PGN, json has one object a line. abstractplay and chase-ai are lists of
    turns in the notation of these programs: one turn a line, a blank line between games, nothing
    about rules, players or result. A name that ends in .gz is packed or unpacked. OUT is written
    as a whole or not at all.
    """
    if json and target == STANDARD:
        raise typer.BadParameter("cannot share standard output with --json", param_hint="OUT")
    if rules is not None and source_format not in NOTATIONS:
        raise typer.BadParameter(
            f"is for --from {', '.join(NOTATIONS)}: other records say themselves under which "
            "rules they were played",
            param_hint="--rules",
        )
    played = read_one_rules(rules)
    with ExitStack() as stack:
        raw = stack.enter_context(reading(source, param_hint="IN"))
        out = stack.enter_context(writing_packed(target, param_hint="OUT"))
        bar = stack.enter_context(Bar("converting", "records"))
        work = _Work(source, target, skip_bad, bar)
        write = _writer(out, target, target_format)
        for record in _reader(raw, source, source_format, played, work.refuse):
            work.pass_on(record, write)
            bar.update(*_place(raw, source), work.records)
    if json:
        document = {
            "records": work.records,
            "written": work.written,
            "bad": work.bad,
            "reasons": work.reasons,
        }
        say_json(document)
    else:
        bad = f", {work.bad} bad" if work.bad else ""
        note(f"{count(work.written, 'record')} written{bad}")
    if work.bad:
        raise typer.Exit(1)


class _Work:
    """Counts records, and tells of the bad ones.

    Attributes:
        written: Records written.
        bad: Records that could not be read or written.
        reasons: Why, for the first of them.
    """

    def __init__(self, source: str, target: str, skip_bad: bool, bar: Bar) -> None:
        self.written = 0
        self.bad = 0
        self.reasons: list[dict[str, str | int | None]] = []
        self._source = source
        self._target = target
        self._skip_bad = skip_bad
        self._bar = bar

    @property
    def records(self) -> int:
        """Records seen, the bad ones among them."""
        return self.written + self.bad

    def pass_on(self, record: Record, write: Callable[[Record], None]) -> None:
        """Writes a record, or refuses it."""
        try:
            write(record)
        except ChaseError as error:
            reason = f"record {self.records + 1}: {error}"
            self.refuse(RecordError(reason, self._source))
        else:
            self.written += 1

    def refuse(self, error: RecordError) -> None:
        """Tells what is wrong with a record, and gives up unless bad ones are to be skipped.

        Raises:
            typer.Exit: Bad records are not to be skipped.
        """
        self.bad += 1
        if len(self.reasons) < _LISTED:
            self.reasons.append({"line": error.line, "reason": error.reason})
        self._bar.note(f"chase-fast: {error}")
        if not self._skip_bad:
            left = "" if self._target == STANDARD else f"{self._target} was not written; "
            self._bar.note(f"{left}--skip-bad goes on with the next record")
            raise typer.Exit(1)


def _reader(
    raw: BinaryIO,
    name: str,
    source_format: Source,
    rules: Rules,
    on_error: Callable[[RecordError], None],
) -> Iterator[Record]:
    packed = name.endswith(GZIP_SUFFIX)
    # It is one in all but what its stubs say.
    stream = cast("BinaryIO", gzip.GzipFile(fileobj=raw)) if packed else raw
    shown = "<stdin>" if name == STANDARD else name
    match source_format:
        case "auto" | "text" | "json":
            return read_records(stream, format=source_format, on_error=on_error)
        case _:
            return read_turn_lists(stream, shown, NOTATIONS[source_format], rules, on_error)


def _writer(out: BinaryIO, name: str, target_format: Target) -> Callable[[Record], None]:
    match target_format:
        case "auto" | "text" | "json":
            return record_writer(out, name, target_format).write
        case _:
            text = codecs.getwriter("utf-8")(out)
            notation = NOTATIONS[target_format]
            return lambda record: _put(text, write_turn_list(record, notation) + "\n")


def _put(stream: codecs.StreamWriter, text: str) -> None:
    stream.write(text)


def _place(raw: BinaryIO, name: str) -> tuple[int, int | None]:
    """How much of the file has been read, and its size, where it has one."""
    status = os.fstat(raw.fileno())
    if name == STANDARD or not stat.S_ISREG(status.st_mode):
        return 0, None
    return raw.tell(), status.st_size
