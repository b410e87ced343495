"""What several files of tests are given."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from chase_fast.cli import main
from tests.unit.command_line import Cli, Done

if TYPE_CHECKING:
    from tests.unit.whole_run import Whole


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Runs a command, and looks at its exit code."""
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)

    def run(*words: str | int | Path, code: int = 0) -> Done:
        found = main([str(word) for word in words])
        done = Done(found, *capsys.readouterr())
        assert "Traceback" not in done.err
        assert done.code == code, done
        return done

    return run


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """The run that nobody disturbs."""
    # Imported here, since most tests of this folder need no store.
    from tests.unit.whole_run import play_whole

    return play_whole(tmp_path_factory.mktemp("whole") / "run")


@pytest.fixture
def done(tmp_path: Path, whole: Whole) -> Path:
    """A copy of it to spoil."""
    folder = tmp_path / "run"
    shutil.copytree(whole.folder, folder)
    return folder


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs are played in as many chunks as the whole one was."""
    from tests.unit.whole_run import CHUNK_SECONDS

    monkeypatch.setattr("chase_fast.runner._CHUNK_SECONDS", CHUNK_SECONDS)
