"""The folder of a run: what it plays, how far it has come, and its rows.

::

    run.json                  everything needed to repeat the run
    openings-0.txt            its openings; openings-1.txt, ... where variants have their own
    progress.sqlite           the chunks that are done
    games/part-*.parquet      a row a game
    turns/part-*.parquet      a row a turn, where asked for
    heat/part-*.parquet       sums by cell of the board, likewise

A chunk's files are written whole, synced and renamed, and then its row goes into SQLite: whatever
kills the program, a chunk is there or is not. Only one program writes at a time. Where the base is
lost, the files tell what is done.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq

from chase_fast.errors import StoreError
from chase_fast.store.salvage import salvage
from chase_fast.store.schema import GAMES, HEAT, SCHEMA_VERSION, TURNS, RowHash, encoded

__all__ = ["FORMAT", "Chunk", "Run", "write_whole"]

FORMAT: Final = "chase-fast run"

_SCHEMAS: Final = {"games": GAMES, "turns": TURNS, "heat": HEAT}

_TABLES: Final = """
create table if not exists chunk (
    cell integer not null,
    first integer not null,
    count integer not null,
    rows integer not null,
    seconds real not null,
    files text not null,
    primary key (cell, first)
) strict;
create table if not exists fact (name text primary key, value text not null) strict;
"""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A range of openings of a cell that is done.

    Attributes:
        cell: Number of the cell.
        first: Number of its first opening.
        count: Openings.
        rows: Games.
        seconds: That it took; no part of any result.
        files: SHA-256 by file name below the folder.
    """

    cell: int
    first: int
    count: int
    rows: int
    seconds: float
    files: Mapping[str, str]


def write_whole(path: Path, data: bytes) -> None:
    """Writes a file so that it is there whole or not at all, also after a crash.

    Raises:
        OSError: It cannot be written; nothing is left behind then.
    """
    part = path.with_name(_part(path.name))
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class Run:
    """A run's folder. Made by `create` or `open`; a context manager.

    Attributes:
        folder: Where it is.
        description: What ``run.json`` holds.
        damaged: What `sweep` found where the run was resumed.
    """

    def __init__(
        self, folder: Path, description: Mapping[str, Any], base: sqlite3.Connection,
        lock: int | None,
    ) -> None:  # fmt: skip
        self.folder = folder
        self.description = description
        self.damaged: list[str] = []
        self._base = base
        self._lock = lock
        self._lost: list[str] = []

    # ---- Making and opening ------------------------------------------------

    @classmethod
    def create(
        cls, folder: Path, description: Mapping[str, Any], files: Mapping[str, bytes]
    ) -> Self:
        """Makes the folder of a new run.

        Args:
            folder: Missing or empty.
            description: Of the run, JSON-able; `FORMAT` and versions are added.
            files: Further files by name, such as the openings.

        Raises:
            StoreError: There is something in the folder, or another program writes to it.
            OSError: It cannot be written.
        """
        folder.mkdir(parents=True, exist_ok=True)
        _refuse_others(folder, files)  # and leave no lock in it
        lock = _take_lock(folder)
        try:
            _refuse_others(folder, files)
            _sweep_parts(folder)
            for name, data in files.items():
                write_whole(folder / name, data)
            whole = {"format": FORMAT, "schema": SCHEMA_VERSION, **description}
            text = json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
            write_whole(folder / "run.json", text.encode())
            return cls(folder, whole, _database(folder, write=True), lock)
        except BaseException:
            os.close(lock)
            raise

    @classmethod
    def open(cls, folder: Path, *, write: bool) -> Self:
        """Opens the folder of a run.

        Args:
            folder: Of a run.
            write: Whether chunks are to be added; only one program at a time can.

        Raises:
            StoreError: It holds no run, or one of another version, or another program writes.
        """
        path = folder / "run.json"
        try:
            description = json.loads(path.read_bytes())
        except FileNotFoundError:
            raise StoreError(f"{folder} holds no run: there is no run.json in it") from None
        except (OSError, ValueError, RecursionError) as error:
            raise StoreError(f"{path} cannot be read: {error}") from None
        if not isinstance(description, dict) or description.get("format") != FORMAT:
            raise StoreError(f"{path} does not describe a run of chase-fast")
        if description.get("schema") != SCHEMA_VERSION:
            raise StoreError(
                f"{folder} holds a run with schema version {description.get('schema')!r}, this "
                f"version of chase-fast reads {SCHEMA_VERSION}"
            )
        lock = _take_lock(folder) if write else None
        try:
            lost = write and _set_aside(folder)
            run = cls(folder, description, _database(folder, write=write), lock)
            if write and not run.chunks():
                run._salvage(lost=lost)
            return run
        except BaseException:
            if lock is not None:
                os.close(lock)
            raise

    @staticmethod
    def exists(folder: Path) -> bool:
        """Whether the folder holds a run."""
        return (folder / "run.json").exists()

    def close(self) -> None:
        """Gives the folder free."""
        self._base.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # ---- Chunks ------------------------------------------------------------

    def chunks(self) -> list[Chunk]:
        """The chunks that are done, by cell and opening."""
        rows = self._select(
            "select cell, first, count, rows, seconds, files from chunk order by cell, first"
        )
        return [
            Chunk(cell, first, count, games, seconds, json.loads(files))
            for cell, first, count, games, seconds, files in rows
        ]

    def add(
        self, cell: int, first: int, count: int, seconds: float, tables: Mapping[str, pa.Table]
    ) -> None:
        """Adds a chunk: its files, then its row.

        Raises:
            OSError: A file cannot be written; the chunk is not there then.
        """
        files = {}
        for kind, rows in tables.items():
            name = f"{kind}/part-{cell:05d}-{first:09d}.parquet"
            files[name] = self._write(name, rows)
        row = (cell, first, count, tables["games"].num_rows, seconds, json.dumps(files))
        self._change(_ADD, [row])

    def _write(self, name: str, rows: pa.Table) -> str:
        data = encoded(rows)
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        write_whole(path, data)
        return hashlib.sha256(data).hexdigest()

    def forget(self, chunks: Sequence[Chunk]) -> None:
        """Takes chunks out of the run, and then their files away."""
        self._change(
            "delete from chunk where cell = ? and first = ?",
            [(chunk.cell, chunk.first) for chunk in chunks],
        )
        for chunk in chunks:
            for name in chunk.files:
                (self.folder / name).unlink(missing_ok=True)

    def sweep(self) -> list[str]:
        """Looks whether every file is as it was written; to be called before going on.

        Files of no chunk are removed. A damaged file is kept under another name, and its chunk is
        forgotten, so that it will be played again.

        Returns:
            Names of damaged or missing files.
        """
        known: set[str] = set()
        damaged = list(self._lost)
        lost: list[Chunk] = []
        for chunk in self.chunks():
            wrong = [name for name in chunk.files if not self._whole(name, chunk.files[name])]
            if wrong:
                damaged += wrong
                lost.append(chunk)
                for name in wrong:
                    path = self.folder / name
                    if path.exists():
                        path.replace(path.with_name(f"{path.name}.damaged"))
            else:
                known.update(chunk.files)
        self.forget(lost)
        _sweep_parts(self.folder)
        for kind in _SCHEMAS:
            for path in (self.folder / kind).glob("*part-*.parquet*"):
                name = f"{kind}/{path.name}"
                if name not in known and not path.name.endswith(".damaged"):
                    path.unlink()
        return damaged

    def _salvage(self, *, lost: bool) -> None:
        """Takes up what the files hold that the base knows nothing of."""
        kinds = [kind for kind in _SCHEMAS if kind == "games" or self.description.get("turns")]
        rows = [
            (one.cell, one.first, one.count, one.rows, 0.0, json.dumps(one.files))
            for one in salvage(self.folder, kinds)
        ]
        self._change(_ADD, rows)
        self._lost = [_BASE] if lost else []

    def _whole(self, name: str, sha256: str) -> bool:
        try:
            data = (self.folder / name).read_bytes()
        except OSError:
            return False
        return hashlib.sha256(data).hexdigest() == sha256

    # ---- Rows --------------------------------------------------------------

    def read(
        self, kind: str, columns: Sequence[str] | None = None, *, cell: int | None = None
    ) -> Iterator[tuple[Chunk, pa.Table]]:
        """The rows of each chunk in order.

        Args:
            kind: ``games``, ``turns`` or ``heat``.
            columns: Which, by default all.
            cell: Of which, by default of all.

        Yields:
            Chunk and table.

        Raises:
            StoreError: A file is missing or damaged.
        """
        for chunk in self.chunks():
            for name in chunk.files:
                if name.startswith(f"{kind}/") and cell in (None, chunk.cell):
                    yield chunk, self._read(name, chunk.files[name], columns)

    def _read(self, name: str, sha256: str, columns: Sequence[str] | None) -> pa.Table:
        path = self.folder / name
        try:
            data = path.read_bytes()
            if hashlib.sha256(data).hexdigest() != sha256:
                raise pa.ArrowInvalid("its hash has changed")
            file = pq.ParquetFile(pa.BufferReader(data))
            return file.read(columns=list(columns) if columns is not None else None)
        except (OSError, pa.ArrowException) as error:
            reason = " ".join(str(error).split())[:200]
            raise StoreError(
                f"{path} is damaged or missing ({reason}); --resume plays its games again, all "
                "others are kept"
            ) from None

    def result_hash(self) -> str:
        """SHA-256 over all rows of games in order of cell, opening and game, cells included.

        Raises:
            StoreError: A file is missing or damaged.
        """
        digest = RowHash(self.description["cells"])
        for _, rows in self.read("games"):
            digest.add(rows)
        return digest.value

    # ---- Facts -------------------------------------------------------------

    def fact(self, name: str) -> Any:
        """What `set_fact` wrote, or None."""
        found = self._select("select value from fact where name = ?", (name,))
        return json.loads(found[0][0]) if found else None

    def set_fact(self, name: str, value: Any) -> None:
        """Notes something about the progress, JSON-able."""
        self._change("insert or replace into fact values (?, ?)", [(name, json.dumps(value))])

    # ---- SQLite ------------------------------------------------------------

    def _select(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        try:
            return self._base.execute(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise StoreError(f"{self.folder / _BASE} cannot be read: {error}") from None

    def _change(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """All of it or nothing, also after a crash."""
        try:
            with self._base:
                self._base.executemany(statement, rows)
        except sqlite3.DatabaseError as error:
            raise OSError(errno.EIO, str(error), str(self.folder / _BASE)) from error


_LOCK: Final = ".lock"
_BASE: Final = "progress.sqlite"
_ADD: Final = "insert or replace into chunk values (?, ?, ?, ?, ?, ?)"


def _refuse_others(folder: Path, files: Mapping[str, bytes]) -> None:
    """StoreError if there is somebody's work in the folder.

    What a program left that died before run.json was there is nobody's.
    """
    for path in folder.iterdir():
        mine = path.name == _LOCK or path.name in {_part(name) for name in (*files, "run.json")}
        if not (mine or (path.name in files and path.read_bytes() == files[path.name])):
            raise StoreError(
                f"{folder} is not empty, there is {path.name} in it; name another folder, or go "
                "on with the run in it with --resume"
            )


def _sweep_parts(folder: Path) -> None:
    """Removes what was not written to its end."""
    for path in folder.glob(_part("*")):
        path.unlink()


def _part(name: str) -> str:
    return f".{name}.part"


def _take_lock(folder: Path) -> int:
    """A lock that goes when the program ends, however it ends."""
    handle = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(handle)
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            raise StoreError(f"another program is writing to {folder}") from None
        raise
    return handle


def _set_aside(folder: Path) -> bool:
    """Gives a base that is no base another name; whether it was lost, in that way or another."""
    path = folder / _BASE
    if path.exists():
        try:
            with closing(sqlite3.connect(path)) as base:
                if base.execute("pragma quick_check").fetchall() == [("ok",)]:
                    return False
        except sqlite3.OperationalError as error:
            raise StoreError(f"{path} cannot be used: {error}") from None
        except sqlite3.DatabaseError:
            pass  # no SQLite at all
        path.replace(path.with_name(f"{_BASE}.damaged"))
    elif not any((folder / "games").glob("part-*.parquet")):
        return False
    # They belong to the lost one; SQLite would apply them to its successor.
    for end in ("-wal", "-shm"):
        path.with_name(_BASE + end).unlink(missing_ok=True)
    return True


def _database(folder: Path, *, write: bool) -> sqlite3.Connection:
    path = folder / _BASE
    if write:
        base = sqlite3.connect(path, check_same_thread=False)
    else:
        if not path.exists():
            raise StoreError(f"{folder} has lost its {_BASE}; --resume makes it anew")
        base = sqlite3.connect(
            f"file:{quote(str(path))}?{_mode(path)}", uri=True, check_same_thread=False
        )
    try:
        if write:
            base.execute("pragma journal_mode = wal")
            base.execute("pragma synchronous = full")
            base.executescript(_TABLES)
        else:
            with closing(base.execute("select count(*) from chunk")) as found:
                found.fetchone()
    except sqlite3.DatabaseError as error:
        base.close()
        what = "" if write else "; --resume makes it anew"
        raise StoreError(f"{path} cannot be used: {error}{what}") from None
    return base


def _mode(path: Path) -> str:
    """How SQLite is to open a base that is only read."""
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        # Not read-only: what a program left that was killed has to be put right first.
        return "mode=rw"
    # What it left counts, but where there is nothing SQLite must not try to make it.
    return "mode=ro" if path.with_name(f"{_BASE}-wal").exists() else "mode=ro&immutable=1"
