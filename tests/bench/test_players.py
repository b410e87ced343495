"""Searches: nodes and simulations a second on positions of games, and the depth from the start."""

from __future__ import annotations

import time
from typing import Any

import pytest

import chase_fast as cf
from chase_fast._core import StopFlag
from chase_fast.agents import make_player
from tests.unit.vectors import mixed_positions

NODES = 100_000


def midgame() -> list[cf.Game]:
    """Positions of the vectors under standard rules with something to decide."""
    positions = [
        position
        for position in mixed_positions(1, "threefold")
        if position.rules == cf.Rules() and len(position.legal_moves) > 1
    ]
    assert len(positions) > 20
    return [cf.Game(position) for position in positions]


def search_all(player: str, games: list[cf.Game]) -> tuple[int, int, float]:
    """Nodes, simulations and seconds of searches with an empty table or tree each."""
    nodes = sims = 0
    seconds = 0.0
    for game in games:
        with make_player(player) as mind:
            mind.new_game(game.start, seed=0, side=cf.RED, max_turns=0)
            began = time.perf_counter()
            found = mind.search(game, stop=StopFlag())
            seconds += time.perf_counter() - began
        nodes += found.nodes
        sims += found.sims
    return nodes, sims, seconds


@pytest.mark.parametrize("player", [f"ab:nodes={NODES}", f"ab:nodes={NODES},reductions=none"])
@pytest.mark.benchmark(group="nodes")
def test_alpha_beta(benchmark: Any, player: str) -> None:
    games = midgame()
    nodes, _, seconds = benchmark.pedantic(search_all, (player, games), rounds=5, warmup_rounds=1)
    benchmark.extra_info.update(player=player, nodes=nodes, seconds=seconds)


@pytest.mark.parametrize("rollout", ["0", "8", "full"])
@pytest.mark.benchmark(group="simulations")
def test_tree_search(benchmark: Any, rollout: str) -> None:
    player = f"mcts:sims=2000,rollout={rollout}"
    games = midgame()[::4]
    _, sims, seconds = benchmark.pedantic(search_all, (player, games), rounds=5, warmup_rounds=1)
    benchmark.extra_info.update(player=player, sims=sims, seconds=seconds)


@pytest.mark.parametrize("player", ["ab:depth=8", "ab:depth=8,reductions=none"])
@pytest.mark.benchmark(group="depth")
def test_depth_from_the_start(benchmark: Any, player: str) -> None:
    found = benchmark.pedantic(cf.analyse, (cf.Position.start(), player), rounds=3)
    assert found.depth == 8
    benchmark.extra_info.update(player=player, nodes=found.nodes)
