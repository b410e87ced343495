"""What several files of tests are given."""

from __future__ import annotations

from pathlib import Path

import pytest

from chase_fast.cli import main
from tests.unit.command_line import Cli, Done


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
