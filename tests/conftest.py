"""What all tests share: programs that may be missing, and how long hypothesis tries."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# The programs that tests may ask for, and the Debian package that brings each; .ci/run installs
# these packages.
TOOLS = {
    "git": "git",
    "make": "make",
    "node": "nodejs",
    "npm": "npm",
    "openssl": "openssl",
    "stockfish": "stockfish",
}
# Debian puts games where root's PATH does not look.
EXTRA_PATH = "/usr/games"

CI = bool(os.environ.get("CHASE_CI"))

# What is printed must not depend on the terminal that the tests are started from.
for _name in ("FORCE_COLOR", "CLICOLOR_FORCE", "COLUMNS"):
    os.environ.pop(_name, None)

# No deadline: how long an example takes says more about the machine than about the code. What CI
# finds must not depend on chance; chance does its work on everybody else's machine.
settings.register_profile("fast", deadline=None, derandomize=CI)
settings.register_profile("thorough", deadline=None, max_examples=500)
settings.load_profile("fast")


def require_tool(name: str) -> Path:
    """Finds a program; where it is missing the test is skipped, or fails if CHASE_CI is set."""
    package = TOOLS[name]
    found = shutil.which(name, path=f"{os.environ.get('PATH', os.defpath)}:{EXTRA_PATH}")
    if found:
        return Path(found)
    reason = f"needs {name} (Debian package {package})"
    if os.environ.get("CHASE_CI"):
        pytest.fail(f"{reason}, which CI must install", pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def tool() -> Callable[[str], Path]:
    """``tool("stockfish")`` is the path of that program; skips or fails as ``needs_tool`` does."""
    return require_tool


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("needs_tool"):
        for name in mark.args:
            require_tool(name)
