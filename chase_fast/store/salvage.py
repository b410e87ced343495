"""Progress from the rows themselves, where the base that kept it is lost."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from chase_fast.store.schema import encoded

__all__ = ["Found", "salvage"]


@dataclass(frozen=True, slots=True)
class Found:
    """A chunk all of whose files are whole.

    Attributes:
        cell: Number of the cell.
        first: Number of its first opening.
        count: Openings.
        rows: Games.
        files: SHA-256 by file name below the folder.
    """

    cell: int
    first: int
    count: int
    rows: int
    files: dict[str, str]


def salvage(folder: Path, kinds: Sequence[str]) -> Iterator[Found]:
    """The chunks of a run's folder by its files.

    Args:
        folder: Of the run.
        kinds: What each chunk has a file of, ``games`` among them.

    Yields:
        Chunks in order of cell and opening; no two have an opening in common.
    """
    at = (-1, 0)
    for path in sorted((folder / "games").glob("part-*.parquet")):
        try:
            files = {
                f"{kind}/{path.name}": (folder / kind / path.name).read_bytes() for kind in kinds
            }
            tables = {name: _table(data) for name, data in files.items()}
        except (OSError, ValueError, LookupError, pa.ArrowException):
            continue  # names that are no UTF-8, for one, are no matter of Arrow
        games = tables[f"games/{path.name}"]
        found = _range(games)
        if found is None or found[:2] < at:
            continue
        cell, first, count = found
        at = (cell, first + count)
        digests = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
        yield Found(cell, first, count, games.num_rows, digests)


def _table(data: bytes) -> pa.Table:
    """The rows of a file in which no bit has changed; ArrowInvalid if one has."""
    rows = pq.ParquetFile(pa.BufferReader(data), page_checksum_verification=True).read()
    # The checksums leave out headers and statistics, by which readers pass over rows.
    if encoded(rows).to_pybytes() != data:
        raise pa.ArrowInvalid("not the bytes that were written")
    return rows


def _range(games: pa.Table) -> tuple[int, int, int] | None:
    """Cell, first opening and number of openings; None for rows that are no chunk."""
    if not {"cell", "opening", "game"} <= set(games.column_names) or not games.num_rows:
        return None
    cell, opening, game = (games.column(name).to_numpy() for name in ("cell", "opening", "game"))
    each = int(game.max()) + 1
    whole = np.arange(len(opening))
    if (
        (cell != cell[0]).any()
        or (opening != opening[0] + whole // each).any()
        or (game != whole % each).any()
    ):
        return None
    return int(cell[0]), int(opening[0]), len(opening) // each
