"""The command bench, and its signature."""

from __future__ import annotations

from pathlib import Path

import pytest

import chase_fast as cf
from chase_fast.cli.bench import RULES as BENCH_RULES
from chase_fast.cli.bench import signature_parts
from tests.unit.command_line import Cli

GOLDEN = Path(__file__).parents[1] / "golden"


def test_the_signature_is_the_committed_one(cli: Cli) -> None:
    committed = int((GOLDEN / "bench_signature.txt").read_text())
    document = cli("bench", "--signature", "--json", "--expect", committed).json
    assert document["signature"] == committed == sum(part["total"] for part in document["parts"])
    assert document["speeds"] == []
    assert cli("bench", "--signature").out == f"{committed}\n"
    done = cli("bench", "--signature", "--expect", committed + 1, code=1)
    assert f"the signature is {committed}, expected {committed + 1}" in done.err


def test_the_signature_does_not_depend_on_the_instruction_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parts = signature_parts()
    for isa in cf.available_isas():
        monkeypatch.setenv("CHASE_FAST_ISA", isa)
        assert signature_parts() == parts


def test_the_signature_knows_every_option() -> None:
    rules = [cf.Rules.parse(part.rules) for part in signature_parts()]
    for field in cf.Rules.FIELDS:
        assert len({getattr(one, field) for one in rules}) > 1, field
    # Games and searches of this size do not tell reserves of 6 and 16 apart, nor moves from none.
    assert len({part.total for part in signature_parts()}) == len(rules) - 2
    assert set(BENCH_RULES) <= {part.rules for part in signature_parts()}


def test_bench_measures(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from chase_fast.cli import bench

    monkeypatch.setattr(bench, "QUICK", bench.Load(depth=2, games=20, repeats=2))
    words = ("bench", "--quick", "-r", "standard", "-r", "reserve=0")
    document = cli(*words, "--json").json
    games = cf.playouts(cf.Position.start(), 20)
    first, second = document["speeds"]
    assert (first["rules"], second["rules"]) == ("standard", "reserve=0")
    assert first["nodes"] == 2114
    assert first["games"] == 20
    assert first["decisions"] == games.decisions.sum()
    assert first["options"] == games.options.sum()
    assert first["perft_seconds"] > 0
    assert first["playout_seconds"] > 0
    done = cli(*words, "--threads", 2)
    assert done.out.splitlines()[-1] == f"signature {document['signature']}"
    assert "2 threads" in done.out
    assert "reserve=0" in done.out
