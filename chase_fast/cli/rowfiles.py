"""Files with a row, or a record, for each random game."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Callable
from pathlib import PurePath
from typing import BinaryIO

import numpy as np
from numpy.lib import format as npy

from chase_fast import GAME_DTYPE
from chase_fast.batch import Playouts
from chase_fast.record import RecordWriter
from chase_fast.replay import playout_game, playout_outcome

Write = Callable[[Playouts], None]
"""Writes the games of a batch."""


def npy_writer(stream: BinaryIO, games: int) -> Write:
    """A structured array of `GAME_DTYPE`, shape (games,), in the format of ``numpy.save``."""
    header = {"descr": npy.dtype_to_descr(GAME_DTYPE), "fortran_order": False, "shape": (games,)}
    npy.write_array_header_1_0(stream, header)

    def write(batch: Playouts) -> None:
        stream.write(batch.array.tobytes())

    return write


def csv_writer(stream: BinaryIO, games: int) -> Write:
    """A line a game: its index and all columns, with the codes of the library; LF line ends."""
    del games  # a table does not say how long it is
    names = GAME_DTYPE.names or ()
    rows = csv.writer(codecs.getwriter("utf-8")(stream), lineterminator="\n")
    rows.writerow(("game", *names))

    def write(batch: Playouts) -> None:
        index = np.arange(len(batch), dtype=np.uint64) + np.uint64(batch.first_game)
        columns = [batch.array[name].tolist() for name in names]
        rows.writerows(zip(index.tolist(), *columns, strict=True))

    return write


def text_writer(stream: BinaryIO, games: int) -> Write:
    """Records in the text format, with all decisions; some hundred games a second."""
    del games
    return _record_writer(RecordWriter(codecs.getwriter("utf-8")(stream), format="text"))


def json_writer(stream: BinaryIO, games: int) -> Write:
    """The same as JSON lines."""
    del games
    return _record_writer(RecordWriter(codecs.getwriter("utf-8")(stream), format="json"))


def _record_writer(records: RecordWriter) -> Write:
    def write(batch: Playouts) -> None:
        for number in range(len(batch)):
            index = batch.first_game + number
            game = playout_game(batch.position, index, seed=batch.seed, max_turns=batch.max_turns)
            record = game.to_record(
                red="random",
                blue="random",
                outcome=playout_outcome(game),
                tags={"Seed": str(batch.seed), "Game": str(index)},
            )
            records.write(record)

    return write


WRITERS: dict[str, Callable[[BinaryIO, int], Write]] = {
    ".npy": npy_writer,
    ".csv": csv_writer,
    ".txt": text_writer,
    ".jsonl": json_writer,
}
"""By the ending of a file's name, what begins such a file for so many games."""


def writer_for(name: str) -> Callable[[BinaryIO, int], Write] | None:
    """The entry of `WRITERS` for a file; None for an ending that is not there."""
    return WRITERS.get(PurePath(name).suffix)
