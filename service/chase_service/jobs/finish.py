"""A process of its own that makes the files of a job of its run: rows, and the report.

It gets a line of JSON: ``run`` and ``out``, folders; ``report``, whether there is to be one; and
``names``, what stands in the files in place of the texts of some players. It writes a line with
the files. When its standard input ends, the server has ended, and so does it. If the disk is full
it ends with a status that says so.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import sqlite3
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from chase_fast.runner import Plan
from chase_fast.runs import load_plan
from chase_fast.store import GAMES, HEAT, TURNS, Chunk, Run
from chase_service.jobs.child import DISK_FULL

__all__ = ["finish", "main"]

_SCHEMAS: Final = {"games": GAMES, "turns": TURNS, "heat": HEAT}
# In place of what a program of the operator did wrong, which can tell its command line.
_FAULT: Final = "a fault of the program"
_NICE: Final = 10


class _Discreet(Run):
    """A run that tells neither the command lines of programs nor what they did wrong."""

    names: Mapping[str, str]

    def read(
        self, kind: str, columns: Sequence[str] | None = None, *, cell: int | None = None
    ) -> Iterator[tuple[Chunk, pa.Table]]:
        """As `Run.read`."""
        for chunk, rows in super().read(kind, columns, cell=cell):
            yield chunk, self._told(rows) if self.names else rows

    def _told(self, rows: pa.Table) -> pa.Table:
        for place, field in enumerate(rows.schema):
            values = rows.column(place)
            if field.name in ("red", "blue"):
                known = [self.names.get(name, name) for name in values.to_pylist()]
                told = pa.array(known, pa.string()).dictionary_encode()
            elif field.name == "fault":
                told = pa.array([one and _FAULT for one in values.to_pylist()], pa.string())
            else:
                continue
            rows = rows.set_column(place, field, told.cast(field.type))
        return rows


def finish(run_folder: Path, out: Path, names: Mapping[str, str], *, report: bool) -> None:
    """Writes the files of a job.

    Args:
        run_folder: Of its run.
        out: An empty folder.
        names: Texts of players, and what stands for them.
        report: Whether a report is wanted, where there is one of this kind of run.

    Raises:
        StoreError: The run is damaged.
        OSError: A file cannot be written.
    """
    with _Discreet.open(run_folder, write=True) as run:
        run.names = names
        plan = load_plan(run)
        for kind, schema in _SCHEMAS.items():
            if kind == "games" or run.description["turns"]:
                _join(run, kind, schema, out / f"{kind}.parquet")
        if report and run.description["kind"] in ("tournament", "balance"):
            _report(run, plan, names, out)


def _join(run: Run, kind: str, schema: pa.Schema, path: Path) -> None:
    with pq.ParquetWriter(path, schema, compression="zstd", write_page_checksum=True) as writer:
        for _, rows in run.read(kind):
            writer.write_table(rows.cast(schema))


def _report(run: Run, plan: Plan, names: Mapping[str, str], out: Path) -> None:
    # matplotlib and scipy are slow to come; whoever wants rows alone need not wait for them.
    from chase_fast import balance, tournament
    from chase_fast.report import write_report

    if run.description["kind"] == "balance":
        balance.look_closer(run, plan)
        document = balance.document_of(run, plan)
    else:
        document = tournament.document_of(run, plan)
    write_report(_renamed(document, names), out)


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """A value of JSON with other names in its texts."""
    if isinstance(value, dict):
        return {_renamed(key, names): _renamed(one, names) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_renamed(one, names) for one in value]
    if isinstance(value, str):
        for name, other in names.items():
            value = value.replace(name, other)
    return value


def _files(out: Path) -> list[dict[str, Any]]:
    """Name, length and hash of each file, all synced."""
    found = []
    for path in sorted(out.iterdir()):
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            os.fsync(file.fileno())
        found.append({"name": path.name, "bytes": path.stat().st_size, "sha256": digest})
    return found


def _is_full(error: Exception) -> bool:
    if isinstance(error, sqlite3.Error):
        return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def _end_with_parent() -> None:
    while sys.stdin.buffer.read(1):
        pass
    os._exit(1)


def main() -> None:
    """The process."""
    os.nice(_NICE)
    line = sys.stdin.buffer.readline()
    if not line:
        return  # the server has ended before it asked
    asked = json.loads(line)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    out = Path(asked["out"])
    try:
        finish(Path(asked["run"]), out, asked["names"], report=asked["report"])
        print(json.dumps(_files(out)), flush=True)
    except Exception as error:  # noqa: BLE001 - whatever it is, the server is to log it
        traceback.print_exc()
        status = DISK_FULL if _is_full(error) else 1
    else:
        status = 0
    # The other thread holds the lock of standard input, which a plain end would wait for.
    os._exit(status)


if __name__ == "__main__":
    main()
