"""Runs on disk: a folder with a description, SQLite for progress, and Parquet files of rows."""

from chase_fast.store.run import FORMAT, Chunk, Run, write_whole
from chase_fast.store.schema import GAMES, HEAT, SCHEMA_VERSION, TURNS, RowHash, heat_columns, table

__all__ = [
    "FORMAT",
    "GAMES",
    "HEAT",
    "SCHEMA_VERSION",
    "TURNS",
    "Chunk",
    "RowHash",
    "Run",
    "heat_columns",
    "table",
    "write_whole",
]
