"""Node and what its programs need: packages, installed once, with copies of the programs.

Node looks for packages in the folders above a program, and nothing of theirs belongs among the
sources; so all of it is in the folder ``.node`` of the repository, which git passes over.
"""

from __future__ import annotations

import fcntl
import json
import os
import queue
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import require_tool
from tests.service.running import PATIENCE

ROOT = Path(__file__).parents[2]
HOME = ROOT / ".node"
EXAMPLE = Path("examples") / "node"
INTEROP = Path("tests") / "service" / "interop"

# Seconds that an installation may take.
_INSTALL = 300


def prepared() -> Path:
    """The folder with the packages and the programs; skips if they cannot be had."""
    require_tool("node")
    HOME.mkdir(exist_ok=True)
    with (HOME / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _install()
        for folder in (EXAMPLE, INTEROP, Path("proto")):
            shutil.copytree(ROOT / folder, HOME / folder, dirs_exist_ok=True)
    return HOME


def _install() -> None:
    wanted = (ROOT / EXAMPLE / "package.json").read_bytes()
    done = HOME / ".installed"
    if done.exists() and done.read_bytes() == wanted:
        return
    npm = require_tool("npm")
    (HOME / "package.json").write_bytes(wanted)
    # No scripts of packages: none is needed, and none shall run here.
    options = ["--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund"]
    ran = subprocess.run(
        [npm, "install", *options],
        cwd=HOME, capture_output=True, text=True, timeout=_INSTALL, check=False,
    )  # fmt: skip
    if ran.returncode:
        reason = f"npm cannot install the packages of {EXAMPLE}: {ran.stderr}"
        pytest.fail(reason, pytrace=False) if os.environ.get("CHASE_CI") else pytest.skip(reason)
    done.write_bytes(wanted)


def node(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs a program of the repository to its end."""
    return subprocess.run(
        [require_tool("node"), HOME / program, *arguments],
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip


class Cases:
    """The program of the cases, connected to a server.

    Args:
        target: Of the server.
    """

    def __init__(self, target: str) -> None:
        self._process = subprocess.Popen(
            [require_tool("node"), HOME / INTEROP / "main.mjs", target],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
        )  # fmt: skip
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def begin(self, case: str) -> None:
        """Starts a case."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{case}\n")

    def end(self, case: str) -> dict[str, Any]:
        """What came of it, which has to be good."""
        text = self._lines.get(timeout=2 * PATIENCE)
        assert text is not None, "the program has ended; its standard error says why"
        line: dict[str, Any] = json.loads(text)
        assert line["case"] == case
        assert line["passed"], line["error"]
        return line

    def run(self, case: str) -> dict[str, Any]:
        """Starts a case and waits for its end."""
        self.begin(case)
        return self.end(case)

    def kill(self) -> None:
        """Ends the program as a crash would."""
        self._process.kill()
        self.close()

    def close(self) -> None:
        """Waits for the program, which ends with its input."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        self._process.stdout.close()
