"""Fuzz targets of the readers that are written in Python, named by their property.

`python -m tests.fuzz TARGET [libFuzzer option...] CORPUS...` runs one under atheris (libFuzzer for
Python), which `make fuzz` installs; the committed corpus is replayed in the normal tests, which
need no atheris.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Final

import chase_fast as cf
from chase_fast import notation
from chase_fast.record import Record, read_records

# Text for a reader is preceded by one byte that chooses the position.
POSITIONS: Final = (
    cf.Position.start(),
    cf.Position.parse("abcde2ba/5c3/6d2/9/9/F8/9/9/1BCDECB2 r - 3/1"),
    cf.Position.parse("1bcdedcb1/9/9/9/5a3/4a4/5B3/9/A1CDEDCBA r - 1/1"),
    cf.Position.parse("abcdedcba/9/9/9/3B5/5A3/9/9/C1C1C1D2 r - 4/1"),
    cf.Position.parse(
        "abcdefaba/9/9/9/9/1C7/9/9/ABDEFA1BA r - 2/2",
        cf.Rules.parse("reserve=2,chain=yes,handout=any"),
    ),
)
READERS: Final = (
    (notation.read_turn, notation.write_turn),
    (notation.read_abstractplay, notation.write_abstractplay),
    (notation.read_chase_ai, notation.write_chase_ai),
)


def records_roundtrip(data: bytes) -> None:
    """Any bytes: records that print and read back as they are, and `RecordError` for the rest."""
    found: list[Record] = []
    errors: list[cf.RecordError] = []
    found.extend(read_records(io.BytesIO(data), on_error=errors.append))
    for record in found:
        assert Record.from_text(record.to_text()) == record
        assert Record.from_json(record.to_json()) == record
        assert record.to_game().to_record().moves == record.moves
    for error in errors:
        assert error.reason


def notations_roundtrip(data: bytes) -> None:
    """Any text of a turn: legal decisions that print and read back, or an error with the reason."""
    if not data:
        return
    position = POSITIONS[data[0] % len(POSITIONS)]
    text = data[1:].decode("utf-8", "surrogateescape" if data[0] & 128 else "replace")
    for read, write in READERS:
        try:
            moves = read(position, text)
        except (cf.NotationError, cf.IllegalMoveError, cf.GameOverError):
            continue
        after = position
        for move in moves:
            after = after.apply(move)
        try:
            printed = write(position, moves)
        except cf.AmbiguousNotationError:
            continue  # chase-ai writes no direction
        assert read(position, printed) == moves


TARGETS: Final[dict[str, Callable[[bytes], None]]] = {
    "py_records": records_roundtrip,
    "py_notations": notations_roundtrip,
}
