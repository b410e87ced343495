"""The examples of docs/cli.md, run: what they print is what stands there."""

from __future__ import annotations

import doctest
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from chase_fast.cli import main
from chase_fast.cli.app import COMMANDS

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


def examples() -> Iterator[tuple[str, str]]:
    """Each command line of the page with what stands below it."""
    for block in re.findall(r"^```console\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE):
        for example in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, output = example.partition("\n")
            yield line, output


def test_examples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    checker = doctest.OutputChecker()
    used = set()
    for line, wanted in examples():
        program, *words = shlex.split(line)
        assert program == "chase-fast"
        assert main(words) == 0, line
        used.add(words[0])
        found = capsys.readouterr().out
        assert checker.check_output(wanted, found, doctest.ELLIPSIS), f"$ {line}\n{found}"
    assert used == set(COMMANDS)


def test_every_command_and_option_is_described(capsys: pytest.CaptureFixture[str]) -> None:
    page = PAGE.read_text()
    shared = page.split("\n## show\n")[0]
    for command in COMMANDS:
        assert main([command, "--help"]) == 0
        options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", capsys.readouterr().out))
        section = page.split(f"\n## {command}\n")[1].split("\n## ")[0]
        for option in options - {"--help"}:
            assert option in section + shared, f"{command} {option}"
