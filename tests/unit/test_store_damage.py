"""Damage to the folder of a run that is named and made good, and disks that are full."""

from __future__ import annotations

import errno
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from chase_fast.errors import StoreError
from chase_fast.runs import opened
from chase_fast.store import Run
from chase_fast.store.salvage import salvage
from tests.unit.small_runs import play, rows_of
from tests.unit.whole_run import SETTINGS, Whole, files, parts

pytestmark = [pytest.mark.no_core, pytest.mark.usefixtures("small_chunks")]

ROOT = Path(__file__).parents[2]


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
