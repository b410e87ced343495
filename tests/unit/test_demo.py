"""``python -m chase_fast.demo``: a balance run as by hand, in 80 columns."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from chase_fast import demo
from chase_fast.cli import main
from chase_fast.errors import StoreError

pytestmark = pytest.mark.no_core


@pytest.fixture
def output(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> str:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "PAIRS", 12)
    monkeypatch.setattr(demo, "PLAYERS", ("ab:nodes=20", "ab:nodes=40"))
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
    demo.main()
    return capsys.readouterr().out


def test_the_job_is_the_one_promised() -> None:
    assert demo.VARIANTS == ("standard", "reserve=0", "reserve=2", "chain=yes")
    assert len(demo.PLAYERS) == 2
    assert demo.PAIRS >= 400


def test_it_shows_verdicts_and_the_report(output: str, tmp_path: Path) -> None:
    lines = output.splitlines()
    paths = {line.strip() for line in lines if "report.html" in line}
    commands = [line for line in lines if line.startswith("  chase-fast balance")]
    assert max(len(line) for line in lines if line not in commands) <= 80
    assert "\x1b" not in output
    assert paths == {"build/demo/report.html"}
    page = (tmp_path / "build" / "demo" / "report.html").read_text()
    for variant in demo.VARIANTS:
        assert variant in page
        assert len(re.findall(rf"^{variant} +[0-9.]+% ", output, re.MULTILINE)) == 2


def test_its_command_repeats_it(
    output: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (command,) = [line for line in output.splitlines() if line.startswith("  chase-fast balance")]
    document = json.loads((tmp_path / "build" / "demo" / "report.json").read_text())
    words = shlex.split(command)[1:]
    words[words.index("--out") + 1] = str(tmp_path / "again")
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["result_hash"] == document["result_hash"]


def test_a_second_run_takes_the_place_of_the_first_and_of_nothing_else(
    output: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    del output
    demo.main()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").write_text("mine")
    monkeypatch.setattr(demo, "FOLDER", Path("mine"))
    with pytest.raises(StoreError, match="not empty"):
        demo.main()
    assert (tmp_path / "mine" / "file").read_text() == "mine"


def test_a_closed_pipe_ends_it_quietly(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, "-m", "chase_fast.demo"],
        cwd=tmp_path, env={"PYTHONPATH": str(root), "PATH": "/usr/bin:/bin"},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.terminate()
        process.stdout.close()
        process.stderr.read()
        assert process.wait(60) in (-15, 141, 143)
