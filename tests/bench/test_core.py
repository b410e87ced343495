"""Perft and playouts, one core and two, under all rule sets; known counts first, then time."""

from __future__ import annotations

from typing import Any

import pytest

import chase_fast as cf
from tests.bench.rule_sets import RULE_SETS, STANDARD_PERFT_5, start

GAMES = 20_000


@pytest.mark.parametrize("rules", RULE_SETS)
@pytest.mark.benchmark(group="perft")
def test_perft(benchmark: Any, rules: str) -> None:
    position = start(rules)
    nodes = benchmark.pedantic(cf.perft, (position, 5), rounds=7, warmup_rounds=1)
    if rules == "standard":
        assert nodes == STANDARD_PERFT_5
    benchmark.extra_info.update(rules=rules, decisions=nodes, nodes=cf.perft(position, 4))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("rules", RULE_SETS)
@pytest.mark.benchmark(group="playouts")
def test_playouts(benchmark: Any, rules: str, threads: int) -> None:
    position = start(rules)
    games = benchmark.pedantic(
        cf.playouts,
        (position, GAMES),
        {"seed": 1, "threads": threads},
        rounds=7,
        warmup_rounds=1,
    )
    assert (games.array == cf.playouts(position, GAMES, seed=1, threads=3).array).all()
    benchmark.extra_info.update(
        rules=rules,
        threads=threads,
        games=GAMES,
        decisions=int(games.decisions.sum()),
        options=int(games.options.sum()),
    )
