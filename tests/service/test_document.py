"""docs/service.md: its examples run against a server, its limits are the defaults."""

from __future__ import annotations

import dataclasses
import doctest
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from chase_service.access import ROLES
from chase_service.channels import Security
from chase_service.client import Client
from chase_service.config import Config, processors
from chase_service.limits import Limits
from chase_service.tls import TlsFiles
from chase_service.tokens import Role, tokens_of_file
from prometheus_client.parser import text_string_to_metric_families

from tests.service.running import Running, running
from tests.service.watching import log_lines, page

PAGE = (Path(__file__).parents[2] / "docs" / "service.md").read_text(encoding="utf-8")
TARGET = "127.0.0.1:50051"


def blocks(language: str, section: str = "") -> list[str]:
    """Those of a language in the page, or in a section of it."""
    text = PAGE.split(f"\n## {section}\n")[1].split("\n## ")[0] if section else PAGE
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


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


@pytest.mark.no_core
@pytest.mark.needs_tool("openssl")
def test_the_certificates_and_the_token(tmp_path: Path) -> None:
    (roots, of_callers, token) = blocks("sh", "Security")
    scripts = Path(sys.executable).parent
    said = [
        subprocess.run(
            ["sh", "-e"], input=text, cwd=tmp_path, text=True, capture_output=True,
            env={**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"},
            timeout=600, check=True,
        ).stderr
        for text in (roots, of_callers, token)
    ]  # fmt: skip
    pem = {name: tmp_path / f"{name}.pem" for name in ("root", "server", "client")}
    tls = TlsFiles(pem["server"], tmp_path / "server.key", pem["root"])
    known: Security = {"ca": pem["root"], "cert": pem["client"], "key": tmp_path / "client.key"}
    known["token"] = said[-1].splitlines()[-1]
    with running(tls=tls, tokens=tmp_path / "tokens") as secured:
        for host in ("127.0.0.1", "localhost"):
            target = f"{host}:{secured.server.port}"
            with Client(target, **known) as client:
                assert client.perft([("", 1)]) == [46]
        done = subprocess.run(
            [
                scripts / "buf", "curl", "--protocol", "grpc", "--cacert", pem["root"],
                "--cert", pem["client"], "--key", tmp_path / "client.key", "--reflect-header", "*",
                "--header", f"authorization: Bearer {known['token']}",
                "--data", '{"items": [{"depth": 1}]}',
                f"https://{target}/chase.v1.QueryService/Perft",
            ],
            capture_output=True, text=True, timeout=600, check=False,
        )  # fmt: skip
        assert json.loads(done.stdout)["counts"] == ["46"], done.stderr


def test_the_roles_are_told() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (`\w+Service`(?:, `\w+Service`)*)", PAGE, re.M)
    told = {
        f"chase.v1.{name}": Role(role) for role, text in rows for name in text[1:-1].split("`, `")
    }
    assert told == ROLES


def test_the_file_of_tokens_is_one(tmp_path: Path) -> None:
    (text,) = blocks("text", "Security")
    (tmp_path / "tokens").write_text(text)
    tokens_of_file(tmp_path / "tokens")


def test_every_limit_is_told() -> None:
    rows = dict(re.findall(r"^\| (`[a-z_`, ]+`) \| ([^|]+) \|", PAGE.split("## Limits")[1], re.M))
    told: dict[str, float] = {}
    for names, values in rows.items():
        for name, value in zip(names.split(", "), values.split(", "), strict=True):
            number, _, unit = value.replace(",", "").partition(" ")
            told[name.strip("`")] = float(number) * (2**20 if unit == "MiB" else 1)
    limits = Limits.of(Config())
    assert told == {name: getattr(limits, name) for name in Limits.__dataclass_fields__}


def test_everything_that_can_be_changed_is_told() -> None:
    options = {"threads": "--threads", "grace_seconds": "--grace"}
    section = PAGE.split("## Many callers")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`[a-z_`, ]+`) \| ([^|]+) \|", section, re.M)
    told: dict[str, float] = {}
    for names, values in rows:
        for name, value in zip(names.split(", "), values.split(", "), strict=True):
            number = processors() if value == "one a processor" else value.replace(",", "")
            told[name.strip("`")] = float(number)
    limits = re.findall(r"`(\w+)`", "".join(re.findall(r"\| ([`\w, ]+) \|$", PAGE, re.M)))
    config = Config()
    for one in dataclasses.fields(Config):
        if one.name in told:
            assert told.pop(one.name) == getattr(config, one.name)
        else:
            assert one.name in limits or options[one.name] in PAGE
    assert not told


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
    (scrape,) = blocks("text", "Metrics and log")
    series = {line.rsplit(" ", 1)[0] for line in shown.splitlines()}
    wanted = {line.rsplit(" ", 1)[0] for line in scrape.splitlines()}
    assert {one for one in wanted - series if "CANCELLED" not in one} == set()
    (example,) = map(json.loads, blocks("json"))
    (line,) = log.calls
    assert {name: type(value) for name, value in example.items()} == {
        name: type(value) for name, value in line.items()
    }
