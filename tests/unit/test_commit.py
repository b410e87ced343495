"""The note of the commit that was built (tools/commit.py)."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from chase_fast import _built

pytestmark = [pytest.mark.no_core, pytest.mark.needs_tool("git")]

TOOL = Path(__file__).parents[2] / "tools" / "commit.py"


def git(folder: Path, *words: str) -> str:
    name = ["-c", "user.name=Test", "-c", "user.email=test@example.org"]
    command = ["git", "-C", str(folder), *name, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def tree(folder: Path) -> Path:
    (folder / "tools").mkdir(parents=True)
    (folder / "chase_fast").mkdir()
    shutil.copy(TOOL, folder / "tools")
    (folder / "chase_fast" / "code.py").write_text("1\n", encoding="utf-8")
    return folder


def committed(folder: Path) -> str:
    git(folder, "init", "--quiet")
    git(folder, "add", "tools", "chase_fast/code.py")
    git(folder, "commit", "--quiet", "-m", "first")
    git(folder, "tag", "-a", "v1", "-m", "a release")
    return git(folder, "rev-parse", "HEAD")


def noted(folder: Path) -> str:
    subprocess.run([sys.executable, folder / "tools" / "commit.py"], check=True, cwd="/")
    return (folder / "chase_fast" / "commit.txt").read_text(encoding="ascii")


def test_the_commit_of_a_clone(tmp_path: Path) -> None:
    clone = tree(tmp_path)
    head = committed(clone)
    assert noted(clone) == head
    assert noted(clone) == head  # the note itself changes nothing
    (clone / "chase_fast" / "code.py").write_text("2\n", encoding="utf-8")
    assert noted(clone) == f"{head}-dirty"


def test_a_clone_without_a_commit(tmp_path: Path) -> None:
    clone = tree(tmp_path)
    git(clone, "init", "--quiet")
    assert noted(clone) == ""


def test_what_was_packed_stays(tmp_path: Path) -> None:
    """Also within a history of somebody else."""
    committed(tree(tmp_path))
    unpacked = tree(tmp_path / "unpacked")
    assert noted(unpacked) == ""
    (unpacked / "chase_fast" / "commit.txt").write_text("abc", encoding="ascii")
    assert noted(unpacked) == "abc"


def test_what_is_not_known_is_empty(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(_built, "__file__", str(tmp_path / "_built.py"))
    assert _built.commit() == ""
    (tmp_path / "commit.txt").write_text("abc", encoding="ascii")
    assert _built.commit() == "abc"
