"""What README.md and docs/ say is true: examples run, links lead somewhere, lists are complete.

In the documents ``python`` blocks with a prompt are doctests (one namespace a document), and
``console`` blocks are commands with their output; ``...`` in either stands for anything.
"""

from __future__ import annotations

import doctest
import importlib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.golden import illustrations, refresh
from tests.stats.test_fingerprint import FIGURES, Figure
from tests.unit.test_import_rules import C_ORDER, PYTHON_ORDER, SERVICE_ORDER

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(
    [path for path in ROOT.glob("*.md") if not path.name.startswith(".")]
    + list((ROOT / "docs").rglob("*.md"))
)
FLAGS = doctest.ELLIPSIS


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


class Block(NamedTuple):
    """A fenced block: the word after the fence, the number of its first line, its text."""

    language: str
    line: int
    text: str


def blocks(path: Path) -> Iterator[Block]:
    text = path.read_text(encoding="utf-8")
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield Block(match[1], text.count("\n", 0, match.start(2)), match[2])


def prose(path: Path) -> str:
    """The text without fenced blocks and inline code."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", "``", text)


# ---- Examples ---------------------------------------------------------------------------------


def examples(path: Path) -> list[Block]:
    return [block for block in blocks(path) if block.language == "python" and ">>>" in block.text]


@pytest.mark.parametrize("path", [path for path in DOCUMENTS if examples(path)], ids=name)
def test_python_examples(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    shared: dict[str, object] = {}
    said: list[str] = []
    for block in examples(path):
        test = doctest.DocTestParser().get_doctest(
            block.text, shared, name(path), str(path), block.line
        )
        runner.run(test, out=said.append, clear_globs=False)
        shared = test.globs  # get_doctest works on a copy
    assert runner.summarize(verbose=False).failed == 0, "".join(said)


def test_readme_has_a_short_example() -> None:
    lines = [
        line
        for block in examples(ROOT / "README.md")
        for line in block.text.splitlines()
        if line.startswith((">>>", "..."))
    ]
    assert 8 <= len(lines) <= 16


class Command(NamedTuple):
    path: Path
    line: int
    text: str
    output: str


def commands(path: Path) -> Iterator[Command]:
    for block in blocks(path):
        if block.language != "console":
            continue
        for match in re.finditer(
            r"^\$ (.*(?:\\\n.*)*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE
        ):
            line = block.line + block.text.count("\n", 0, match.start()) + 1
            yield Command(path, line, match[1].replace("\\\n", " "), match[2])


COMMANDS = [command for path in DOCUMENTS for command in commands(path)]


def test_readme_shows_the_command_line() -> None:
    assert any(command.path.name == "README.md" for command in COMMANDS)


@pytest.mark.no_core
@pytest.mark.parametrize("command", COMMANDS, ids=lambda one: f"{name(one.path)}:{one.line}")
def test_commands(command: Command, tmp_path: Path) -> None:
    words = shlex.split(command.text)
    assert words[0] == "chase-fast"
    ran = subprocess.run(
        [sys.executable, "-m", "chase_fast", *words[1:]],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100", "NO_COLOR": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    got = "".join(f"{line.rstrip()}\n" for line in ran.stdout.splitlines())
    assert doctest.OutputChecker().check_output(command.output, got, FLAGS), got


# ---- Links and pictures -----------------------------------------------------------------------

LINK = re.compile(r'\]\(\s*([^()\s]+)(?:\s+"[^"]*")?\s*\)|(?:src|srcset|href)="([^"\s]+)')


def slug(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    text = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return text.replace(" ", "-")


def anchors(path: Path) -> set[str]:
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    found = {slug(match[1]) for match in re.finditer(r"^#{1,6} (.+)$", text, re.MULTILINE)}
    return found | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


def links(path: Path) -> list[str]:
    return [match[1] or match[2] for match in LINK.finditer(prose(path))]


@pytest.mark.parametrize("path", DOCUMENTS, ids=name)
def test_links_lead_somewhere(path: Path) -> None:
    for link in links(path):
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = link.partition("#")
        target = (path.parent / file).resolve() if file else path
        assert target.is_relative_to(ROOT), f"{link} leads out of the repository"
        assert target.exists(), f"{link} leads nowhere"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), f"{link}: no such heading"


def test_every_picture_is_shown_and_up_to_date() -> None:
    wanted = illustrations.files()
    kept = refresh.folder("illustrations")
    shown = {Path(link).name for path in DOCUMENTS for link in links(path) if link.endswith(".svg")}
    assert {path.name for path in kept.iterdir()} == set(wanted) == shown
    for file, text in wanted.items():
        assert (kept / file).read_text(encoding="utf-8") == text, f"{file}: make golden"


def test_every_document_can_be_reached_from_the_readme() -> None:
    reached, open_ends = set(), [ROOT / "README.md"]
    while open_ends:
        path = open_ends.pop()
        if path in reached or path.suffix != ".md" or not path.exists():
            continue
        reached.add(path)
        targets = [link.partition("#")[0] for link in links(path) if ":" not in link]
        open_ends += [(path.parent / target).resolve() for target in targets if target]
        for folder in [end for end in open_ends if end.is_dir()]:
            open_ends += sorted(folder.glob("*.md"))
    assert {name(path) for path in DOCUMENTS} == {name(path) for path in reached}


# ---- Lists that must be complete --------------------------------------------------------------


def test_rules_are_numbered_as_the_code_cites_them() -> None:
    text = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    assert re.findall(r"^#+ R(\d+)\b", text, re.MULTILINE) == [str(n) for n in range(1, 14)]


def test_rules_name_every_option() -> None:
    from chase_fast import Rules

    text = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    for option, value in Rules().as_dict().items():
        default = ("yes" if value else "no") if isinstance(value, bool) else value
        assert f"| `{option}` | `{default}` |" in text
    for preset, fields in Rules.PRESETS.items():
        assert f"| `{preset}` | `{fields}` |" in text


@pytest.mark.parametrize(
    "module",
    ["", ".batch", ".match", ".notation", ".openings", ".record", ".replay", ".report", ".simulate",
     ".stats", ".svg", ".tally", ".textboard", ".tournament"],
    ids=lambda one: one or "top",
)  # fmt: skip
def test_the_guide_names_every_public_name(module: str) -> None:
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    imported = importlib.import_module(f"chase_fast{module}")
    public = getattr(imported, "__all__", None) or [
        one
        for one, value in vars(imported).items()
        if not one.startswith("_")
        and callable(value)
        and getattr(value, "__module__", "") == imported.__name__
        and one.islower()
    ]
    assert public
    for one in public:
        assert re.search(rf"`(?:\w+\.)*{re.escape(one)}\b", text), f"{one} is not in docs/python.md"


@pytest.mark.parametrize("figure", FIGURES, ids=lambda one: f"{one.rules}-{one.name}")
def test_the_fingerprint_lists_every_figure(figure: Figure) -> None:
    text = (ROOT / "docs" / "fingerprint.md").read_text(encoding="utf-8")
    cells = rf"`{re.escape(figure.rules)}` \| {re.escape(figure.name)}"
    row = re.search(rf"^\| {cells} \| ([\d.]+)(?: to ([\d.]+))? \|", text, re.MULTILINE)
    assert row is not None
    assert float(row[1]) == figure.low
    assert (None if row[2] is None else float(row[2])) == figure.high


def test_the_changelog_knows_this_version() -> None:
    import chase_fast

    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## \[{re.escape(chase_fast.__version__)}\]", text, re.MULTILINE)


def listed_layers(folder: str) -> list[str]:
    """The layers in the table of docs/architecture.md that follows the name of a folder."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = text.split(f"`{folder}/`", 1)[1].split("\n\n", 2)[1]
    rows = [row for row in table.splitlines()[2:] if row.startswith("|")]
    return [name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])]


@pytest.mark.parametrize(
    ("folder", "order"),
    [
        ("csrc", C_ORDER),
        ("chase_fast", PYTHON_ORDER),
        ("service/chase_service", SERVICE_ORDER[1:]),
    ],
    ids=["c", "python", "service"],
)
def test_the_layers_are_those_that_are_enforced(folder: str, order: tuple[str, ...]) -> None:
    files = [path for path in (ROOT / folder).iterdir() if not path.name.startswith(("__pyc", "."))]
    there = {path.name.split(".")[0] for path in files}
    there |= {"kernels"} if folder == "csrc" else set()
    layers = listed_layers(folder)
    assert len(set(layers)) == len(layers)
    assert [name for name in layers if name in there] == [name for name in order if name in there]
