"""docs/cli.md: the examples that build on one another, and the options it has to describe.

Those that stand alone are ``console`` blocks, which ``test_docs`` runs; these are ``shell`` blocks,
whose commands share a folder.
"""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

from chase_fast.cli import main
from chase_fast.cli.app import COMMANDS

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
SEQUENCES = re.findall(r"^```shell\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


# Conversations are no documents, nor are records; players and plans are the same under all rules;
# runs have theirs, and what balance compares it calls variants.
WITHOUT = {
    "play": {"--json"},
    "engine": {"--json"},
    "players": {"--rules"},
    "balance": {"--rules"},
    "plan": {"--rules"},
    "export": {"--json", "--rules"},
    "report": {"--rules"},
}


def test_there_is_a_sequence() -> None:
    assert SEQUENCES


@pytest.mark.parametrize("block", SEQUENCES)
def test_commands_in_sequence(
    block: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for example in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        line, _, wanted = example.partition("\n")
        program, *words = shlex.split(line)
        assert program == "chase-fast"
        assert main(words) == 0, line
        found = capsys.readouterr().out
        matches = doctest.OutputChecker().check_output(wanted, found, doctest.ELLIPSIS)
        assert matches, f"$ {line}\n{found}"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_described(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", capsys.readouterr().out))
    assert {"--json", "--rules"} - WITHOUT.get(command, set()) < options
    shared = PAGE.split("\n## show\n")[0]
    section = PAGE.split(f"\n## {command}\n")[1].split("\n## ")[0]
    for option in options - {"--help"}:
        assert option in section + shared, option
