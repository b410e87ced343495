"""Columns of the Parquet files of a run. One row a game, or one a turn.

Codes are those of the core: winner 0 red, 1 blue, -1 none; side likewise; terminations by
`chase_fast.cells.TERMINATIONS`. Everything that tells where or when a game was played stays out, so
that the same games make the same rows.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

__all__ = [
    "GAMES",
    "HEAT",
    "SCHEMA_VERSION",
    "TURNS",
    "RowHash",
    "encoded",
    "heat_columns",
    "table",
]

SCHEMA_VERSION: Final = 1

_NAME: Final = pa.dictionary(pa.int32(), pa.string())


def _schema(kind: str, fields: Iterable[tuple[str, pa.DataType]]) -> pa.Schema:
    metadata = {"chase_fast.schema": str(SCHEMA_VERSION), "chase_fast.rows": kind}
    return pa.schema([pa.field(name, type_) for name, type_ in fields], metadata=metadata)


GAMES: Final = _schema(
    "games",
    [
        ("cell", pa.uint32()),
        ("variant", _NAME),
        ("red", _NAME),
        ("blue", _NAME),
        ("opening", pa.uint32()),
        ("game", pa.uint8()),
        ("seed", pa.uint64()),
        ("a_is_red", pa.bool_()),
        ("winner", pa.int8()),
        ("termination", pa.uint8()),
        ("turns", pa.uint32()),
        ("decisions", pa.uint32()),
        ("options", pa.uint32()),
        ("log10_options", pa.float64()),
        ("forced", pa.uint32()),
        ("captures", pa.uint32()),
        ("double_captures", pa.uint32()),
        ("splits", pa.uint32()),
        ("refused_splits", pa.uint32()),
        ("whole_exits", pa.uint32()),
        ("bumps", pa.uint32()),
        ("longest_chain", pa.uint16()),
        ("ricochets", pa.uint32()),
        ("wraps", pa.uint32()),
        ("exchanges", pa.uint32()),
        ("exchanges_1", pa.uint32()),
        ("exchanges_2", pa.uint32()),
        ("exchanges_3", pa.uint32()),
        ("exchanges_4", pa.uint32()),
        ("exchanges_5", pa.uint32()),
        ("distributions", pa.uint32()),
        ("distribution_options", pa.uint32()),
        ("distribution_choices", pa.uint32()),
        ("first_capture_turn", pa.uint32()),
        ("first_capture_side", pa.int8()),
        ("behind_red", pa.uint8()),
        ("behind_blue", pa.uint8()),
        ("fault", pa.string()),
        ("moves", pa.binary()),
    ],
)
"""Of ``games/part-*.parquet``."""

TURNS: Final = _schema(
    "turns",
    [
        ("cell", pa.uint32()),
        ("opening", pa.uint32()),
        ("game", pa.uint8()),
        ("turn", pa.uint32()),
        ("side", pa.uint8()),
        ("options", pa.uint16()),
        ("decisions", pa.uint8()),
        ("dice_red", pa.uint8()),
        ("dice_blue", pa.uint8()),
        ("spare_red", pa.uint8()),
        ("spare_blue", pa.uint8()),
    ],
)
"""Of ``turns/part-*.parquet``."""

HEAT: Final = _schema(
    "heat",
    [
        ("cell", pa.uint32()),
        ("side", pa.uint8()),
        ("square", pa.uint8()),
        ("occupied", pa.uint64()),
        ("captured", pa.uint64()),
        ("arrived", pa.uint64()),
    ],
)
"""Of ``heat/part-*.parquet``: sums over the games of a chunk."""


# Columns whose values hardly ever occur twice, so that a dictionary of them is of no use.
_NOT_REPEATED: Final = ("seed", "log10_options")


def table(
    schema: pa.Schema, columns: Mapping[str, Any], names: Mapping[str, tuple[str, str]]
) -> pa.Table:
    """A table of a schema.

    Args:
        schema: One of those above.
        columns: Arrays or lists by name; ``a_is_red`` among them if there are names.
        names: Two texts by column: where A is red, and elsewhere.
    """
    arrays = []
    for field in schema:
        if field.name in names:
            texts = list(dict.fromkeys(names[field.name]))  # one where both are the same
            which = np.where(columns["a_is_red"], 0, len(texts) - 1).astype(np.int32)
            arrays.append(pa.DictionaryArray.from_arrays(which, texts))
        else:
            arrays.append(pa.array(columns[field.name], field.type))
    return pa.Table.from_arrays(arrays, schema=schema)


def encoded(rows: pa.Table) -> pa.Buffer:
    """The Parquet file of a table: the same bytes for the same rows and the same version of Arrow.

    Its pages carry checksums, for readers other than ours.
    """
    sink = pa.BufferOutputStream()
    pq.write_table(
        rows, sink, compression="zstd", write_page_checksum=True,
        use_dictionary=[name for name in rows.column_names if name not in _NOT_REPEATED],
    )  # fmt: skip
    return sink.getvalue()


# Of texts the names are hashed with the cells, the moves not at all: whether they are kept is a
# matter of the store, not of the game.
_ROW: Final = np.dtype(
    [
        (field.name, np.dtype(field.type.to_pandas_dtype()).newbyteorder("<"))
        for field in GAMES
        if not pa.types.is_dictionary(field.type) and field.name not in ("fault", "moves")
    ]
)


class RowHash:
    """SHA-256 over the rows of a run, in order of cell, opening and game.

    Rows are hashed as packed little-endian numbers, so that the size of chunks does not matter;
    faults are hashed apart, and the cells by their descriptions.
    """

    def __init__(self, cells: Iterable[Mapping[str, Any]]) -> None:
        self._rows = hashlib.sha256()
        self._faults = hashlib.sha256()
        for cell in cells:
            text = json.dumps(cell, sort_keys=True, separators=(",", ":"))
            self._rows.update(f"{text}\n".encode())

    def add(self, games: pa.Table) -> None:
        """Adds the next rows."""
        packed = np.empty(games.num_rows, _ROW)
        for name in _ROW.names or ():
            packed[name] = games.column(name).to_numpy()
        self._rows.update(packed.tobytes())
        faults = games.column("fault")
        if faults.null_count < games.num_rows:
            for row, fault in enumerate(faults.to_pylist()):
                if fault is not None:
                    where = [
                        games.column(name)[row].as_py() for name in ("cell", "opening", "game")
                    ]
                    self._faults.update(f"{where}\t{fault}\n".encode())

    @property
    def value(self) -> str:
        """The hash of all that was added."""
        return hashlib.sha256(self._rows.digest() + self._faults.digest()).hexdigest()


def heat_columns(cell: int, heat: Any) -> dict[str, Any]:
    """The columns of `HEAT` for the heat of a chunk.

    Args:
        cell: Number of the cell.
        heat: uint64, shape (3, 2, 81).
    """
    return {
        "cell": np.full(2 * 81, cell, np.uint32),
        "side": np.repeat(np.arange(2, dtype=np.uint8), 81),
        "square": np.tile(np.arange(81, dtype=np.uint8), 2),
        "occupied": heat[0].reshape(-1),
        "captured": heat[1].reshape(-1),
        "arrived": heat[2].reshape(-1),
    }
