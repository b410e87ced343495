"""The folder of a run: whole or not there, one writer, damage that is named and made good."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from chase_fast.errors import StoreError
from chase_fast.runs import begin, opened
from chase_fast.store import GAMES, HEAT, SCHEMA_VERSION, TURNS, Run, write_whole
from chase_fast.store.salvage import salvage
from tests.unit.small_runs import play, rows_of, small_settings

pytestmark = pytest.mark.no_core

ROOT = Path(__file__).parents[2]
SETTINGS = small_settings(pairs=16, variants=("standard",))


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chase_fast.runner._CHUNK_SECONDS", 0.004)


class Whole(NamedTuple):
    """The run that nobody disturbs."""

    folder: Path
    hash: str
    rows: list[dict[str, Any]]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    folder = tmp_path_factory.mktemp("whole") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("chase_fast.runner._CHUNK_SECONDS", 0.004)
        result, _, damaged = play(folder, SETTINGS)
    assert damaged == []
    assert len(parts(folder)) > 6
    return Whole(folder, result, rows_of(folder))


@pytest.fixture
def done(tmp_path: Path, whole: Whole) -> Path:
    """A copy of it to spoil."""
    folder = tmp_path / "run"
    shutil.copytree(whole.folder, folder)
    return folder


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def parts(folder: Path, kind: str = "games") -> list[Path]:
    return sorted((folder / kind).glob("*.parquet"))


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


# ---- Damage ------------------------------------------------------------------------------------


def flip(path: Path, at: float) -> None:
    data = bytearray(path.read_bytes())
    data[min(int(at * len(data)), len(data) - 1)] ^= 0x10
    path.write_bytes(data)


DAMAGE: dict[str, Callable[[Path], object]] = {
    "truncated": lambda path: os.truncate(path, path.stat().st_size // 2),
    "emptied": lambda path: os.truncate(path, 0),
    "missing": lambda path: path.unlink(),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"\0"),
    **{f"bit at {at}": partial(flip, at=at) for at in (0, 0.1, 0.3, 0.6, 0.9, 1)},
}


DAMAGED = [("games", name) for name in DAMAGE]
DAMAGED += [(kind, name) for kind in ("turns", "heat") for name in ("truncated", "missing")]


@pytest.mark.parametrize(("kind", "name"), DAMAGED)
def test_a_damaged_file_is_named_and_its_games_alone_are_played_again(
    done: Path, whole: Whole, kind: str, name: str
) -> None:
    path = parts(done, kind)[3]
    turns = rows_of(done, "turns")
    rest = {one: data for one, data in files(done).items() if one.endswith(".parquet")}
    with Run.open(done, write=False) as run:
        lost = next(one.count for one in run.chunks() if f"{kind}/{path.name}" in one.files)
    DAMAGE[name](path)
    broken = path.read_bytes() if path.exists() else None
    with (
        pytest.raises(StoreError, match=rf"{kind}/{path.name} is damaged or missing.*--resume"),
        opened(done) as (run, _),
    ):
        list(run.read(kind))
    result, progress, damaged = play(done, SETTINGS, resume=True)
    assert result == whole.hash
    assert damaged == [f"{kind}/{path.name}"]
    assert progress.played == lost
    assert rows_of(done) == whole.rows and rows_of(done, "turns") == turns
    # Nothing else was touched, and what was broken is kept.
    after = files(done)
    for one, data in rest.items():
        assert Path(one).name == path.name or after[one] == data
    assert after.get(f"{kind}/{path.name}.damaged") == broken
    again = play(done, SETTINGS, resume=True)
    assert (again[0], again[1].played, again[2]) == (whole.hash, 0, [])


def spoil_base(folder: Path, how: str) -> None:
    path = folder / "progress.sqlite"
    match how:
        case "missing":
            path.unlink()
        case "garbage":
            path.write_bytes(b"no base at all" * 1000)
        case "truncated":
            os.truncate(path, path.stat().st_size // 2)
        case "emptied":
            os.truncate(path, 0)
        case "without tables":
            with sqlite3.connect(path) as base:
                base.execute("drop table chunk")
            base.close()


@pytest.mark.parametrize("how", ["missing", "garbage", "truncated", "emptied", "without tables"])
def test_a_lost_base_loses_no_games(done: Path, whole: Whole, how: str) -> None:
    broken = parts(done)[2]
    with Run.open(done, write=False) as run:
        lost = next(one.count for one in run.chunks() if f"games/{broken.name}" in one.files)
    # A file that is broken, as the base would have told.
    flip(broken, 0.3)
    before = {name: data for name, data in files(done).items() if name.endswith(".parquet")}
    spoil_base(done, how)
    words = r"progress\.sqlite.*--resume makes it anew"
    with pytest.raises(StoreError, match=words), opened(done):
        pass
    result, progress, damaged = play(done, SETTINGS, resume=True)
    assert result == whole.hash
    assert rows_of(done) == whole.rows
    assert damaged == ([] if how in ("emptied", "without tables") else ["progress.sqlite"])
    assert progress.played == lost
    after = files(done)
    for name, data in before.items():
        assert Path(name).name == broken.name or after[name] == data
    assert play(done, SETTINGS, resume=True)[2] == []


def test_no_bit_of_a_file_may_change_unseen(tmp_path: Path, whole: Whole) -> None:
    """Also where nothing but the files tells what is done."""
    kinds = ("games", "turns", "heat")
    assert sum(one.rows for one in salvage(whole.folder, kinds)) == len(whole.rows)
    source = parts(whole.folder)[2]
    data = source.read_bytes()
    (tmp_path / "games").mkdir()
    path = tmp_path / "games" / source.name
    path.write_bytes(data)
    assert len(list(salvage(tmp_path, ("games",)))) == 1
    assert list(salvage(tmp_path, kinds)) == []  # without the files of its turns it is not whole
    for at in range(0, len(data), len(data) // 60):
        changed = bytearray(data)
        changed[at] ^= 1 << at % 8
        path.write_bytes(changed)
        assert list(salvage(tmp_path, ("games",))) == []


def test_the_tail_of_another_base_is_not_applied(done: Path, whole: Whole) -> None:
    """SQLite applies a log that lies beside a base, whoever wrote it."""
    with Run.open(done, write=True) as run:
        run.forget(run.chunks()[:1])
        log = (done / "progress.sqlite-wal").read_bytes()
    assert len(log) > 100
    shutil.rmtree(done)
    shutil.copytree(whole.folder, done)
    (done / "progress.sqlite-wal").write_bytes(log)
    (done / "progress.sqlite").unlink()
    result, progress, damaged = play(done, SETTINGS, resume=True)
    assert (result, progress.played, damaged) == (whole.hash, 0, ["progress.sqlite"])


def test_leftovers_are_swept(done: Path, whole: Whole) -> None:
    before = files(done)
    part = parts(done)[0]
    litter = [
        done / ".run.json.part",
        done / ".openings-0.txt.part",
        done / "games" / f".{part.name}.part",
        done / "heat" / f".{part.name}.part",
        done / "games" / "part-00000-000000019.parquet",
        done / "turns" / "part-00099-000000000.parquet",
    ]
    for path in litter:
        assert not path.exists()
        path.write_bytes(part.read_bytes()[:100])
    kept = done / "games" / "notes.txt"
    kept.write_text("mine")
    assert play(done, SETTINGS, resume=True)[::2] == (whole.hash, [])
    assert not any(path.exists() for path in litter)
    assert kept.read_text() == "mine"
    after = files(done)
    assert {name for name in after if name.endswith(".parquet")} == {
        name for name in before if name.endswith(".parquet")
    }


# ---- Full disks --------------------------------------------------------------------------------


@pytest.mark.parametrize("nth", [1, 2, 3, 5, 8, 20])
def test_a_full_disk_ends_a_run_that_goes_on_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: Whole, nth: int
) -> None:
    left = [nth]
    sync = os.fsync

    def full(handle: int) -> None:
        left[0] -= 1
        if left[0] <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(handle)

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(OSError, match="No space left on device"):
            play(tmp_path, SETTINGS, workers=2)
    assert not list(tmp_path.rglob("*.part"))
    assert play(tmp_path, SETTINGS, resume=True)[::2] == (whole.hash, [])
    assert rows_of(tmp_path) == whole.rows


def test_a_limit_on_files_ends_a_run_that_goes_on_later(tmp_path: Path, whole: Whole) -> None:
    """The kernel refuses, SQLite included."""
    code = (
        "import resource, sys; from pathlib import Path\n"
        "from chase_fast import runner; runner._CHUNK_SECONDS = 0.004\n"
        "from tests.unit.small_runs import play, small_settings\n"
        "settings = small_settings(pairs=16, variants=['standard'])\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)\n"
        "play(Path(sys.argv[1]), settings, resume=True)\n"
    )
    errors = []
    for limit in (1000, 20_000, 60_000):
        told = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path), str(limit)],
            cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        errors.append(told.stderr.splitlines()[-1] if told.returncode else "")
    assert all(
        error == "" or re.match(r"(OSError: .*|chase_fast\.errors\.StoreError: .*)", error)
        for error in errors
    )
    assert errors[0] and errors[1]
    assert play(tmp_path, SETTINGS, resume=True)[::2] == (whole.hash, [])
    assert rows_of(tmp_path) == whole.rows


@pytest.fixture
def mount(tmp_path: Path) -> Iterator[Callable[..., Path]]:
    """Mounts a small file system of its own; skips where that is not allowed."""
    made: list[Path] = []

    def do(*words: str) -> Path:
        told = subprocess.run(["mount", *words], capture_output=True, text=True, check=False)
        if told.returncode:
            pytest.skip(f"cannot mount: {told.stderr.strip()}")
        made.append(Path(words[-1]))
        return made[-1]

    yield do
    for path in reversed(made):
        subprocess.run(["umount", str(path)], check=True)


def test_a_small_disk_is_full_and_grows(
    tmp_path: Path, whole: Whole, mount: Callable[..., Path]
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount("-t", "tmpfs", "-o", "size=300k", "none", str(disk))
    with pytest.raises((OSError, StoreError)):
        play(disk / "run", SETTINGS)
    before = len(parts(disk / "run"))
    subprocess.run(["mount", "-o", "remount,size=20m", str(disk)], check=True)
    assert play(disk / "run", SETTINGS, resume=True)[::2] == (whole.hash, [])
    assert before < len(parts(disk / "run"))


def test_a_folder_that_may_only_be_read_is_read(
    tmp_path: Path, done: Path, whole: Whole, mount: Callable[..., Path]
) -> None:
    fixed = tmp_path / "fixed"
    fixed.mkdir()
    # As it is after a crash: what was last done stands in the log alone.
    writer = Run.open(done, write=True)
    writer.set_fact("last", 1)
    mount("--bind", "-o", "ro", str(done), str(fixed))
    with opened(fixed) as (run, plan):
        assert run.result_hash() == whole.hash
        assert run.fact("last") == 1
        assert len(plan.cells) == len(SETTINGS.plan.cells)
    writer.close()
    with opened(fixed) as (run, _):
        assert run.result_hash() == whole.hash
    with pytest.raises(OSError, match="Read-only"):
        play(fixed, SETTINGS, resume=True)
