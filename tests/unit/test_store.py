"""The folder of a run: whole or not there, and one writer."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from chase_fast.errors import StoreError
from chase_fast.runs import begin, opened
from chase_fast.store import GAMES, HEAT, SCHEMA_VERSION, TURNS, Run, write_whole
from tests.unit.small_runs import play, rows_of
from tests.unit.whole_run import SETTINGS, Whole, files, parts

pytestmark = [pytest.mark.no_core, pytest.mark.usefixtures("small_chunks")]

ROOT = Path(__file__).parents[2]


# ---- Whole or not at all -----------------------------------------------------------------------


@pytest.mark.parametrize("step", ["fsync", "replace", "write"])
def test_a_file_that_cannot_be_written_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / "some"
    write_whole(path, b"before")
    if step == "write":
        with pytest.raises(TypeError):
            write_whole(path, "no bytes")  # type: ignore[arg-type]
    else:
        where = "os.fsync" if step == "fsync" else "pathlib.Path.replace"
        with monkeypatch.context() as patch:
            patch.setattr(where, fail)
            with pytest.raises(OSError, match="No space left"):
                write_whole(path, b"after")
    assert files(tmp_path) == {"some": b"before"}
    write_whole(path, b"after")
    assert files(tmp_path) == {"some": b"after"}


def test_the_folder_holds_what_the_manual_says(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "run"
    progress = play(folder, SETTINGS)[1]
    names = {re.sub(r"\d{5}-\d{9}", "#", name) for name in files(folder)}
    assert names == {
        ".lock", "run.json", "openings-0.txt", "progress.sqlite",
        "games/part-#.parquet", "turns/part-#.parquet", "heat/part-#.parquet",
    }  # fmt: skip
    assert progress.done == progress.total == 16 * len(SETTINGS.plan.cells)
    description = json.loads((folder / "run.json").read_text())
    assert description["schema"] == SCHEMA_VERSION
    assert description["command"] == ["chase-fast", "test"]
    assert {"version", "commit", "isa", "python"} <= set(description["engine"])
    assert description["digests"] == {
        cell.variant: cell.rules.digest for cell in SETTINGS.plan.cells
    }
    assert description["openings"][0]["sha256"] == SETTINGS.plan.openings[0].sha256
    for kind, schema in (("games", GAMES), ("turns", TURNS), ("heat", HEAT)):
        assert len(parts(folder, kind)) == len(parts(folder))
        for path in parts(folder, kind):
            file = pq.ParquetFile(path)
            assert file.schema_arrow.equals(schema, check_metadata=True)
            assert file.metadata.metadata[b"chase_fast.schema"] == str(SCHEMA_VERSION).encode()
            assert file.metadata.row_group(0).column(0).compression == "ZSTD"
    assert all(re.fullmatch(r"[a-z][a-z0-9_]*", name) for name in [*GAMES.names, *TURNS.names])


def test_rows_tell_nothing_of_where_they_were_played(tmp_path: Path, whole: Whole) -> None:
    """The hash is one over the rows; changing any one of them changes it."""
    folder = tmp_path / "run"
    play(folder, SETTINGS, workers=3)
    assert rows_of(folder) == whole.rows
    with Run.open(folder, write=True) as run:
        assert run.result_hash() == whole.hash
        chunk, table = next(run.read("games"))
        for name in ("winner", "turns", "seed", "opening", "fault", "log10_options"):
            column = table.column(name).to_pylist()
            column[-1] = "broken" if name == "fault" else int(column[-1] or 0) + 1
            changed = table.set_column(
                table.column_names.index(name), table.field(name),
                pa.array(column, table.field(name).type),
            )  # fmt: skip
            run.add(chunk.cell, chunk.first, chunk.count, 1.0, {"games": changed})
            assert run.result_hash() != whole.hash
        run.add(chunk.cell, chunk.first, chunk.count, 77.0, {"games": table})
        assert run.result_hash() == whole.hash


# ---- One writer --------------------------------------------------------------------------------


def test_a_second_writer_is_refused_while_the_first_one_writes(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    other = [
        sys.executable, "-c",
        "import sys; from pathlib import Path; from chase_fast.store import Run\n"
        "Run.open(Path(sys.argv[1]), write=True)", str(folder),
    ]  # fmt: skip
    with begin(folder, SETTINGS) as run:
        before = sorted(files(folder))
        for resume in (True, False):
            words = "another program is writing to" if resume else "is not empty"
            with pytest.raises(StoreError, match=words):
                play(folder, SETTINGS, resume=resume)
        told = subprocess.run(other, cwd=ROOT, capture_output=True, text=True, check=False)
        assert told.returncode != 0 and "another program is writing to" in told.stderr
        # Readers are not.
        with opened(folder, "test") as (reader, _):
            assert reader.chunks() == run.chunks() == []
        assert sorted(files(folder)) == before
    assert subprocess.run(other, cwd=ROOT, check=False).returncode == 0


def test_of_many_that_begin_at_once_one_does(tmp_path: Path) -> None:
    won: list[Run] = []
    lost: list[BaseException] = []
    ready = threading.Barrier(8)

    def start() -> None:
        ready.wait()
        try:
            won.append(Run.create(tmp_path / "run", {"cells": []}, {"openings-0.txt": b"x"}))
        except StoreError as error:
            lost.append(error)

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1 and len(lost) == 7
    won[0].close()


# ---- Folders that are none of a run's -----------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["notes.txt", ".git", "openings-0.txt", "games", "progress.sqlite"]
)
@pytest.mark.parametrize("resume", [False, True])
def test_a_folder_with_something_in_it_is_refused(tmp_path: Path, name: str, resume: bool) -> None:
    (tmp_path / name).write_bytes(b"precious")
    with (
        pytest.raises(StoreError, match=rf"is not empty, there is {re.escape(name)} in it"),
        begin(tmp_path, SETTINGS, resume=resume),
    ):
        pass
    assert files(tmp_path) == {name: b"precious"}


def test_a_run_is_not_begun_over_another_one(done: Path) -> None:
    before = files(done)
    with pytest.raises(StoreError, match="--resume"), begin(done, SETTINGS):
        pass
    assert files(done) == before


def test_what_died_before_it_was_described_is_begun_again(tmp_path: Path, whole: Whole) -> None:
    text = SETTINGS.plan.openings[0].text().encode()
    (tmp_path / ".lock").touch()
    (tmp_path / ".run.json.part").write_bytes(b"{")
    (tmp_path / ".openings-0.txt.part").write_bytes(text[:30])
    (tmp_path / "openings-0.txt").write_bytes(text)
    assert play(tmp_path, SETTINGS)[0] == whole.hash
    assert not list(tmp_path.glob(".*.part"))


@pytest.mark.parametrize("resume", [False, True])
def test_where_there_can_be_no_folder_the_system_says_so(tmp_path: Path, resume: bool) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    for folder in (file, file / "below", Path("/proc/chase-fast")):
        with (
            pytest.raises(OSError, match=re.escape(str(folder))),
            begin(folder, SETTINGS, resume=resume),
        ):
            pass
    assert file.read_text() == "mine"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "run.json cannot be read"),
        (b"{", "run.json cannot be read"),
        (b"\xff\xfe", "run.json cannot be read"),
        (b"[" * 100_000, "run.json cannot be read"),
        (b"[]", "does not describe a run"),
        (b"{}", "does not describe a run"),
        (b'{"format": "chase-fast run"}', "schema version None, this version of .* reads 1"),
        (b'{"format": "chase-fast run", "schema": 2}', "schema version 2, this version"),
        (b'{"format": "chase-fast run", "schema": 1}', "run.json is damaged|holds a run begun"),
    ],
)
def test_a_description_of_something_else_is_refused(done: Path, text: bytes, words: str) -> None:
    (done / "run.json").write_bytes(text)
    before = files(done)
    with pytest.raises(StoreError, match=words), opened(done):
        pass
    with pytest.raises(StoreError, match=words), begin(done, SETTINGS, resume=True):
        pass
    assert files(done) == before


def test_a_folder_without_a_run_is_said_to_be_that(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "missing"):
        with (
            pytest.raises(StoreError, match=r"holds no run: there is no run\.json"),
            opened(folder),
        ):
            pass
    assert files(tmp_path) == {}
