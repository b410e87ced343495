"""Records in files and streams, good ones and bad ones, and the memory they take."""

from __future__ import annotations

import gzip
import io
import pickle
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chase_fast._core import Move, Position
from chase_fast.errors import ArgumentError, IllegalMoveError, RecordError
from chase_fast.game import Game
from chase_fast.record import MAX_LINE, MAX_RECORD, Record, RecordWriter, read_records
from tests.unit.record_texts import FULL, SHORT, full_record

# ---- Streams -----------------------------------------------------------------------------------


def some_records() -> list[Record]:
    return [Record.from_text(SHORT), full_record(), Game().to_record(red="Cid")]


@pytest.mark.parametrize("name", ["a.txt", "a.jsonl", "a.txt.gz", "a.json.gz", "a.ndjson", "a"])
def test_files(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with RecordWriter(path) as writer:
        for record in some_records():
            writer.write(record)
        assert writer.count == 3
    assert list(read_records(path)) == some_records()
    assert list(read_records(str(path))) == some_records()
    with RecordWriter(str(path), append=True) as writer:
        writer.write(Game.from_moves(["a5NE"]))
    assert list(read_records(path)) == [*some_records(), Game.from_moves(["a5NE"]).to_record()]
    data = path.read_bytes()
    data = gzip.decompress(data) if name.endswith(".gz") else data
    assert data[:1] == (b"{" if "json" in name else b"[")
    with RecordWriter(path) as writer:
        writer.write(full_record())
    assert list(read_records(path)) == [full_record()]


def test_nothing_is_written_of_a_bad_record() -> None:
    stream = io.StringIO()
    with RecordWriter(stream) as writer:
        writer.write(full_record())
        before = stream.getvalue()
        with pytest.raises(IllegalMoveError):
            writer.write(Record(start=Position.start(), moves=(Move.parse("a5SE"),)))
        assert stream.getvalue() == before
        assert writer.count == 1
    assert stream.getvalue() == FULL + "\n"


@pytest.mark.parametrize("format", ["text", "json"])
def test_file_objects(format: Any) -> None:
    stream = io.StringIO()
    writer = RecordWriter(stream, format=format)
    for record in some_records():
        writer.write(record)
    writer.close()
    assert not stream.closed
    text = stream.getvalue()
    assert list(read_records(io.StringIO(text))) == some_records()
    assert list(read_records(io.BytesIO(text.encode()), format=format)) == some_records()


def test_standard_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", out)
    record = Game().to_record(red="骰子")
    with RecordWriter("-") as writer:
        writer.write(record)
        writer.flush()
    written = out.buffer.getvalue()
    assert written.decode() == record.to_text() + "\n"
    monkeypatch.setattr(
        sys, "stdin", io.TextIOWrapper(io.BytesIO(written + b"x"), encoding="ascii")
    )
    records = read_records("-")
    assert next(records) == record
    with pytest.raises(RecordError, match=r"^<stdin>:8: 'x' outside a record"):
        next(records)


def test_reading_is_lazy() -> None:
    records = read_records(io.StringIO(SHORT + "\n" + "x"))
    assert next(records) == Record.from_text(SHORT)
    with pytest.raises(RecordError):
        next(records)


def test_arguments() -> None:
    with pytest.raises(ArgumentError, match="format is 'pgn', expected auto, text, json"):
        read_records("-", format="pgn")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="format is 'pgn'"):
        RecordWriter("-", format="pgn")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="on_error is 'ignore'"):
        read_records("-", on_error="ignore")  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        next(read_records("/no/such/file"))


BAD_BETWEEN = {
    "truncated after the tags": '[Red "X"]\n[Blue "Y"]\n[Rules "standard"]\n[Result "*"]\n\n',
    "truncated in the tags": '[Red "X"]\n[Bl\n\n',
    "truncated in the moves": SHORT.replace(" *", "") + "\n",
    "truncated in a comment": SHORT.replace("2.", "{x").replace(" *", "") + "\n",
    "illegal decision": SHORT.replace("a5NE", "a5SE") + "\n",
    "wrong result": SHORT.replace('"*"', '"1-0"') + "\n",
    "no tags": "1. a5NE *\n\n",
    "binary": "\x00\x01\x02\n\n",
    "a tag in a comment": SHORT.replace("2. i5SE", "{x\n[Red y} i5SE") + "\n",
    "long line": "x" * (3 * MAX_LINE) + "\n\n",
}


@pytest.mark.parametrize("bad", BAD_BETWEEN.values(), ids=BAD_BETWEEN.keys())
def test_reading_goes_on_after_a_bad_text(bad: str) -> None:
    text = "".join((SHORT, "\n", bad, FULL, "\n", bad, SHORT))
    good = [Record.from_text(SHORT), full_record(), Record.from_text(SHORT)]
    assert list(read_records(io.StringIO(text), on_error="skip")) == good
    errors: list[RecordError] = []
    assert list(read_records(io.BytesIO(text.encode()), on_error=errors.append)) == good
    assert len(errors) == 2
    first = SHORT.count("\n") + 2
    second = first + bad.count("\n") + FULL.count("\n") + 1
    for error, line in zip(errors, (first, second), strict=True):
        assert error.source == "<stream>"
        assert error.line is not None
        assert line <= error.line <= line + bad.count("\n")
    records = read_records(io.StringIO(text))
    assert next(records) == good[0]
    with pytest.raises(RecordError) as caught:
        next(records)
    assert caught.value.line == errors[0].line


def test_reading_goes_on_after_a_bad_line_of_json() -> None:
    good = full_record().to_json()
    bad = ["{}", "x", good[:-5], "[1]", '"\ud800"', '{"red":"' + "x" * MAX_RECORD + '"}', "\0"]
    text = "\n".join([good, *[f"{line}\n\n{good}" for line in bad]])
    errors: list[RecordError] = []
    stream = io.BytesIO(text.encode(errors="surrogatepass"))
    assert list(read_records(stream, on_error=errors.append)) == [full_record()] * 8
    assert [error.line for error in errors] == [2, 5, 8, 11, 14, 17, 20]


def test_a_long_first_line_of_json_is_read_whole() -> None:
    record = Game().to_record(comment="x" * (3 * MAX_LINE))
    text = record.to_json() + "\n"
    assert list(read_records(io.StringIO(text * 2))) == [record] * 2
    assert list(read_records(io.BytesIO(text.encode() * 2))) == [record] * 2


@pytest.mark.parametrize("format", ["text", "json"])
def test_byte_order_mark_and_crlf(format: str) -> None:
    record = full_record()
    text = record.to_text() if format == "text" else record.to_json()
    for data in ("\ufeff" + text, "\n \n" + text, text.replace("\n", "\r\n"), text.rstrip("\n")):
        assert list(read_records(io.BytesIO(data.encode()))) == [record]
        assert list(read_records(io.StringIO(data))) == [record]


def test_utf16_is_named() -> None:
    with pytest.raises(RecordError, match=r"^<stream>:1: not UTF-8: byte 0xFF .*UTF-16\?"):
        next(read_records(io.BytesIO(SHORT.encode("utf-16-le").join((b"\xff\xfe", b"")))))


def test_a_text_object_that_cannot_be_decoded_ends_the_reading() -> None:
    data = (SHORT + "\n").encode() + b"\xff" + SHORT.encode()
    errors: list[RecordError] = []
    stream = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")
    assert list(read_records(stream, on_error=errors.append)) == []
    assert "not utf-8: byte 0xFF" in str(errors[0])
    assert len(errors) == 1


@pytest.mark.parametrize("damage", ["truncated", "not gzip", "garbage"])
def test_damaged_gzip(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "games.txt.gz"
    packed = gzip.compress((SHORT + "\n").encode() * 2000, mtime=0)
    half = len(packed) // 2
    path.write_bytes(
        {
            "truncated": packed[:half],
            "not gzip": SHORT.encode(),
            "garbage": packed[:half] + bytes(64) + packed[half + 64 :],
        }[damage]
    )
    errors: list[RecordError] = []
    read = list(read_records(path, on_error=errors.append))
    assert len(read) < 2000
    assert errors[-1].source == str(path)
    assert "damaged or truncated gzip data" in str(errors[-1])
    with pytest.raises(RecordError):
        list(read_records(path))


def test_errors_are_pickled_whole() -> None:
    for error in (RecordError("bad", "a.txt", 3), RecordError("bad", None, 3), RecordError("bad")):
        other = pickle.loads(pickle.dumps(error))
        assert str(other) == str(error)
        assert (other.reason, other.source, other.line) == (error.reason, error.source, error.line)
    assert str(RecordError("bad", "a.txt", 3)) == "a.txt:3: bad"
    assert str(RecordError("bad", "a.txt")) == "a.txt: bad"
    assert str(RecordError("bad", None, 3)) == "line 3: bad"


# ---- Memory ------------------------------------------------------------------------------------


class Repeated(io.RawIOBase):
    """A binary stream that gives the same bytes over and over."""

    def __init__(self, data: bytes, times: int) -> None:
        self._pieces: Iterator[bytes] = iter([data] * times)
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._rest = self._rest or next(self._pieces, b"")
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count


def peak_of_reading(data: bytes, times: int) -> tuple[int, int]:
    """Records read and the largest amount of memory in use meanwhile, in bytes."""
    stream = io.BufferedReader(Repeated(data, times))
    tracemalloc.start()
    try:
        count = sum(1 for _ in read_records(stream, on_error="skip"))
        return count, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("format", ["text", "json"])
def test_memory_does_not_grow_with_the_number_of_records(format: str) -> None:
    record = full_record()
    data = (record.to_text() + "\n" if format == "text" else record.to_json() + "\n").encode()
    peak_of_reading(data, 20)  # caches of the modules used
    few, peak_of_few = peak_of_reading(data, 50)
    many, peak_of_many = peak_of_reading(data, 600)
    assert (few, many) == (50, 600)
    # Free lists of the interpreter come and go; 550 records kept would take 700,000 bytes.
    assert peak_of_many < peak_of_few + 200_000


def test_memory_does_not_grow_with_the_length_of_a_line() -> None:
    line = b"x" * 100_000
    count, peak = peak_of_reading(line, 200)
    assert count == 0
    assert peak < 10 * MAX_LINE


def test_the_records_of_the_documentation() -> None:
    path = Path(__file__).parents[2] / "docs" / "notation.md"
    blocks = path.read_text(encoding="utf-8").split("```")
    (text,) = [block for block in blocks if block.startswith("\n[Red")]
    (line,) = [block for block in blocks if block.startswith('\n{"red"')]
    assert Record.from_text(text) == Record.from_json(line)
    assert Record.from_json(line).to_json() == line.strip()
    assert Record.from_text(text).to_text() == text.lstrip("\n")
