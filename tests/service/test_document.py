"""docs/service.md: its examples run against a server, its limits are the defaults."""

from __future__ import annotations

import doctest
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from chase_service.config import Config
from chase_service.limits import Limits
from prometheus_client.parser import text_string_to_metric_families

from tests.service.running import Running, running
from tests.service.watching import log_lines, page

PAGE = (Path(__file__).parents[2] / "docs" / "service.md").read_text(encoding="utf-8")
TARGET = "127.0.0.1:50051"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def test_the_examples_in_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with running(data=tmp_path / "data") as server:
        text = "\n".join(blocks("py")).replace(TARGET, server.target)
        test = doctest.DocTestParser().get_doctest(text, {}, "service.md", None, 0)
        said: list[str] = []
        assert doctest.DocTestRunner().run(test, out=said.append).failed == 0, "".join(said)


@pytest.mark.no_core
def test_the_examples_in_a_shell(server: Running) -> None:
    buf = shutil.which("buf", path=str(Path(sys.executable).parent))
    assert buf, "buf is in the extra dev"
    start, *asked = re.split(r"^\$ ", "".join(blocks("shell")[:3]), flags=re.M)[1:]
    assert start.startswith("chase-fast serve --listen")
    for example in asked:
        line, answer = example.split("\n{", 1)
        words = shlex.split(line.replace("\\\n", " ").replace(TARGET, server.target))
        done = subprocess.run(
            [buf, *words[1:]], capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout == "{" + answer


def test_every_limit_is_told() -> None:
    rows = dict(re.findall(r"^\| (`[a-z_`, ]+`) \| ([^|]+) \|", PAGE.split("## Limits")[1], re.M))
    told: dict[str, float] = {}
    for names, values in rows.items():
        for name, value in zip(names.split(", "), values.split(", "), strict=True):
            number, _, unit = value.replace(",", "").partition(" ")
            told[name.strip("`")] = float(number) * (2**20 if unit == "MiB" else 1)
    limits = Limits.of(Config())
    assert told == {name: getattr(limits, name) for name in Limits.__dataclass_fields__}


def test_every_metric_is_told_and_the_examples_are_true(tmp_path: Path) -> None:
    table = PAGE.split("## Metrics and log")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `(chase_[a-z_]+)` \|([^|]*)\|", table, re.M)
    told = {name: set(re.findall(r"`([a-z_]+)`", labels)) for name, labels in rows}
    with (
        running(metrics="127.0.0.1:0", data=tmp_path / "data") as server,
        log_lines(tmp_path) as log,
    ):
        server.client.perft([("", 1)])
        shown = page(server)
    found: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(shown):
        # The library gives the names of counters and of infos without their ends.
        name = family.name + {"counter": "_total"}.get(family.type, "")
        labels = {label for sample in family.samples for label in sample.labels} - {"le"}
        if name.startswith("chase_"):
            found[name] = labels
    assert told == found
    (scrape,) = blocks("text")
    series = {line.rsplit(" ", 1)[0] for line in shown.splitlines()}
    wanted = {line.rsplit(" ", 1)[0] for line in scrape.splitlines()}
    assert {one for one in wanted - series if "CANCELLED" not in one} == set()
    (example,) = map(json.loads, blocks("json"))
    (line,) = log.calls
    assert {name: type(value) for name, value in example.items()} == {
        name: type(value) for name, value in line.items()
    }
