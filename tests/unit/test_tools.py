"""Missing programs: a skip with a reason on a user's machine, a failure in CI."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
Tool = Callable[[str], Path]

pytestmark = pytest.mark.no_core


@pytest.fixture
def no_programs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("tests.conftest.EXTRA_PATH", str(tmp_path))
    monkeypatch.delenv("CHASE_CI", raising=False)


def test_a_program_is_found_on_the_path(tool: Tool, no_programs: None, tmp_path: Path) -> None:
    program = tmp_path / "stockfish"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    assert tool("stockfish") == program


def test_a_missing_program_skips_and_names_its_package(tool: Tool, no_programs: None) -> None:
    with pytest.raises(
        pytest.skip.Exception, match=r"needs stockfish \(Debian package stockfish\)"
    ):
        tool("stockfish")


def test_a_missing_program_fails_in_ci(
    tool: Tool, no_programs: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHASE_CI", "1")
    with pytest.raises(pytest.fail.Exception, match=r"needs stockfish .* CI must install"):
        tool("stockfish")


@pytest.mark.needs_tool("git")
def test_the_marker_asks_for_the_program(request: pytest.FixtureRequest, tool: Tool) -> None:
    """Where git is missing, the marker has to skip or fail before this line is reached."""
    assert tool("git").name == "git"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", "")
        patch.delenv("CHASE_CI", raising=False)
        with pytest.raises(pytest.skip.Exception):
            request.config.hook.pytest_runtest_setup(item=request.node)


def test_ci_installs_every_program_that_tests_ask_for() -> None:
    conftest = (ROOT / "tests" / "conftest.py").read_text(encoding="utf-8")
    packages = re.findall(r'^    "[\w-]+": "([\w.-]+)",$', conftest, re.MULTILINE)
    assert "stockfish" in packages
    installed = re.findall(r"^  ([\w.-]+)(?: +#.*)?$", ci_script(), re.MULTILINE)
    assert set(packages) <= set(installed)


def ci_script() -> str:
    return (ROOT / ".ci" / "run").read_text(encoding="utf-8")
