"""A client that is not ours: the example for Node, and gRPC's interoperability cases from there."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.service.node import EXAMPLE, INTEROP, ROOT, Cases, node, prepared
from tests.service.running import Running, running, wait_for

pytestmark = [pytest.mark.no_core, pytest.mark.needs_tool("node")]

NAMES = re.findall(
    r"^export async function (\w+)", (ROOT / INTEROP / "cases.mjs").read_text("utf-8"), re.MULTILINE
)


@pytest.fixture(scope="module", autouse=True)
def installed() -> None:
    prepared()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(data=tmp_path_factory.mktemp("data")) as started:
        yield started


@pytest.fixture(scope="module")
def cases(server: Running, installed: None) -> Iterator[Cases]:
    program = Cases(server.target)
    yield program
    program.close()


def test_the_example_says_what_the_document_says(server: Running) -> None:
    page = (ROOT / "docs" / "service.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```sh\n(\$ cd .*?)^```$", page, re.DOTALL | re.MULTILINE)
    folder, install, start, *said = block.splitlines(keepends=True)
    assert (folder, install) == (f"$ cd {EXAMPLE}\n", "$ npm install\n")
    assert start == "$ node example.mjs 127.0.0.1:50051\n"
    ran = node(EXAMPLE / "example.mjs", server.target)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "".join(said)


def test_the_example_without_a_server_says_so_in_a_line() -> None:
    ran = node(EXAMPLE / "example.mjs", "127.0.0.1:1")
    assert (ran.returncode, ran.stdout) == (1, "")
    (line,) = ran.stderr.splitlines()
    assert line.startswith("the server 127.0.0.1:1 does not answer: ")


def test_every_case_is_known(cases: Cases) -> None:
    assert sorted(cases.run("cases")["cases"]) == sorted(NAMES)
    assert len(NAMES) > 25


@pytest.mark.parametrize("name", NAMES)
def test_interoperability(server: Running, cases: Cases, name: str) -> None:
    cases.run(name)
    # Whatever the client did, nothing of it is left.
    wait_for(lambda: server.busy == 0)


def test_a_client_that_is_gone_leaves_nothing(server: Running) -> None:
    program = Cases(server.target)
    program.begin("endless")
    wait_for(lambda: server.server.calls == 3 and server.server.work > 0)
    program.kill()
    wait_for(lambda: server.busy == 0)


def test_a_server_ends_and_another_one_takes_its_place(installed: None) -> None:
    with running() as first:
        program = Cases(first.target)
        program.begin("server_ends")
        wait_for(lambda: first.server.calls == 1)
    try:
        program.end("server_ends")
        program.run("server_gone")
        with running(listen=first.target):
            program.run("reconnect")
    finally:
        program.close()
