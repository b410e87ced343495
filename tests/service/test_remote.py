"""``chase-fast remote``: what the local commands print, by the work of a server."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chase_fast import Rules
from tests.service.remotely import HOLE, ran, remote
from tests.service.running import Running, running
from tests.unit.engines import BAD, program

# Programs of the server, by their faults.
PROGRAMS = {"broken": "exits at the start", "faulty": "exits at a decision"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    data = tmp_path_factory.mktemp("data")
    programs = {name: program(**BAD[words][1]) for name, words in PROGRAMS.items()}
    with running(data=data, programs=programs) as started:
        yield started


SAME = [
    ["playout", "300", "--seed", "3"],
    ["playout", "250", "--seed", "4", "--rules", "chain=yes", "--rules", "russian", "--all"],
    ["playout", "100", "--first-game", "9", "--max-turns", "60", "--play", "a5NE i5SE"],
    ["playout", "1"],
    ["analyse", "--player", "ab:nodes=2000"],
    ["analyse", "--player", "mcts:sims=200,seed=4", "--play", "a5NE i5SE", "--boards"],
    ["analyse", "--player", "greedy", "--lines", "5", "--rules", "reserve=2", "--json"],
    ["analyse", "fb2D3D/c8/1F7/9/3d5/7f1/9/5F3/5E2d r", "--player", "ab:depth=2", "--json"],
    ["match", "greedy", "ab:nodes=50", "--pairs", "12", "--seed", "4"],
    ["match", "greedy", "random", "--pairs", "9", "--rules", "chain=yes", "--turns", "2", "--json"],
    ["match", "random", "random", "--pairs", "5", "--max-turns", "30", "--json"],
    ["balance", "--pairs", "8", "--player", "random"],
    ["balance", "--variant", "reserve=2", "--variant", "standard", "--pairs", "6", "--player",
     "greedy", "--player", "ab:nodes=20", "--seed", "7", "--level", "turns", "--margin", "3"],
]  # fmt: skip


@pytest.mark.parametrize("words", SAME, ids=" ".join)
def test_the_output_is_that_of_the_local_command(server: Running, words: list[str]) -> None:
    code, expected, notes = ran(*words)
    assert code == 0, notes
    got = remote(server, *words)
    assert got[0] == 0, got[2]
    assert got[1] == expected
    # Warnings are the same; how long it took and what is under way are not.
    warnings = [line for line in notes.splitlines() if "cut short" in line or "few" in line]
    assert all(line in got[2] for line in warnings)


@given(
    seed=st.integers(0, 2**64 - 1),
    first=st.integers(0, 2**63),
    games=st.integers(1, 40),
    turns=st.integers(1, 200),
    rules=st.sampled_from([*Rules.PRESETS, "reserve=3,chain=yes"]),
)
@settings(max_examples=15)
def test_random_games_are_the_same_whatever_is_asked(
    server: Running, seed: int, first: int, games: int, turns: int, rules: str
) -> None:
    words = [str(games), "--seed", str(seed), "--first-game", str(first), "--rules", rules]
    words += ["--max-turns", str(turns), "--all"]
    assert remote(server, "playout", *words)[:2] == ran("playout", *words)[:2]


def without(document: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name not in names}


def test_json_differs_in_what_is_not_of_the_work(server: Running) -> None:
    words = ["playout", "50", "--json", "--rules", "standard", "--rules", "reserve=0"]
    here, there = json.loads(ran(*words)[1]), json.loads(remote(server, *words)[1])
    # How many threads play is the server's matter.
    assert list(without(here, "threads")) == list(there)
    for document in (here, there):
        assert [without(one, "speed") for one in document["results"]] == [
            without(one, "speed") for one in here["results"]
        ]
    words = ["balance", "--pairs", "6", "--player", "greedy", "--json"]
    here, there = json.loads(ran(*words)[1]), json.loads(remote(server, *words)[1])
    assert list(here) == list(there)
    assert without(here, "command", "created") == without(there, "command", "created")


def content(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


@pytest.mark.parametrize(
    ("words", "option", "name"),
    [
        *((["playout", "150", "--seed", "5"], "--out", f"rows.{end}") for end in ("npy", "csv")),
        *((["playout", "9", "--seed", "5"], "--out", f"games.{end}") for end in ("txt", "jsonl")),
        *(
            (["match", "greedy", "random", "--pairs", "4"], "--games", f"games.{end}")
            for end in ("txt", "jsonl", "txt.gz")
        ),
    ],
)
def test_files_are_those_of_the_local_command(
    server: Running, tmp_path: Path, words: list[str], option: str, name: str
) -> None:
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
    here, there = tmp_path / "here" / name, tmp_path / "there" / name
    expected = ran(*words, option, str(here))
    got = remote(server, *words, option, str(there))
    assert got[:2] == expected[:2]
    assert content(there) == content(here)
    assert f"wrote {there}" in got[2]


def test_what_is_asked_for_in_parts_is_the_same(
    server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chase_service.remote.playout._PART", 70)
    monkeypatch.setattr("chase_service.remote.match._PART", 3)
    for words in (["playout", "250"], ["match", "greedy", "random", "--pairs", "10", "--json"]):
        assert remote(server, *words)[:2] == ran(*words)[:2]


def test_a_program_of_the_server_plays(server: Running) -> None:
    """Its name is asked for; what it did wrong is not told."""
    words = ["match", "greedy", "faulty", "--pairs", "2"]
    code, out, _ = remote(server, *words)
    assert code == 0
    assert b"B  faulty\n" in out
    assert b"fault       4 x faulty lost by crash\n" in out


@pytest.mark.parametrize("players", [("greedy", "broken"), ("broken", "greedy")])
def test_a_program_of_the_server_that_does_not_start(
    server: Running, players: tuple[str, str], tmp_path: Path
) -> None:
    records = tmp_path / "games.txt"
    got = remote(server, "match", *players, "--pairs", "2", "--games", str(records))
    assert got == (1, b"", "chase-fast remote match: broken does not start on the server\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("player", ["broken", "faulty"])
def test_a_program_of_the_server_that_does_not_think(
    server: Running, player: str, caplog: pytest.LogCaptureFixture
) -> None:
    code, out, notes = remote(server, "analyse", "--player", player)
    assert (code, out) == (1, b"")
    assert "the program does not play; the log of the server says more" in notes
    (said,) = (one.getMessage() for one in caplog.records if one.name == "chase_service")
    assert said.endswith(" does not play")


def test_the_server_stands_in_the_environment(
    server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHASE_FAST_SERVER", server.target)
    assert ran("remote", "playout", "5")[0] == 0
    assert ran("remote", "playout", "5", "--server", HOLE)[0] == 1
