"""What a run costs beside its games: ``python -m tests.bench.runs``, on a quiet machine.

Alternating rounds, processor and wall time; medians of the ratios within a round, since a shared
machine's speed changes from minute to minute.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

import chase_fast as cf
from chase_fast._core import StopFlag, play_series
from chase_fast.agents import CoreAgent, PlayerSpec
from chase_fast.cells import Cell, numbered, play_chunk
from chase_fast.openingset import OpeningSet, game_seeds
from chase_fast.runner import Plan, play_run
from chase_fast.store import Run

ROUNDS = 5
RANDOM_PAIRS = 40_000
SEARCH_PAIRS = 300
# Two workers need work for some seconds each.
MANY_SEARCH_PAIRS = 1500
MANY_RANDOM_PAIRS = 150_000
RULES = cf.Rules()


def cell_of(player: str) -> Cell:
    spec = PlayerSpec.parse(player)
    (cell,) = numbered([Cell(0, "standard", RULES, spec, spec, seed=5)])
    return cell


def timed(work: Callable[[], int]) -> tuple[float, float]:
    """Decisions a second of processor time, and of wall time."""
    cpu, wall = time.process_time(), time.perf_counter()
    decisions = work()
    return decisions / (time.process_time() - cpu), decisions / (time.perf_counter() - wall)


def bare_playouts() -> int:
    return int(cf.playouts(cf.Position.start(), 2 * RANDOM_PAIRS, seed=1).decisions.sum())


def whole_run(cell: Cell, openings: OpeningSet, *, turns: bool = False, workers: int = 1) -> int:
    with (
        tempfile.TemporaryDirectory() as folder,
        Run.create(Path(folder) / "run", {"cells": [cell.describe()]}, {}) as run,
    ):
        plan = Plan([cell], [openings], len(openings), turns=turns)
        return play_run(run, plan, workers=workers).decisions


def search_alone(cell: Cell, openings: OpeningSet) -> int:
    """The games in the core, with nothing counted for the store."""
    a, b = CoreAgent(cell.a, RULES).core, CoreAgent(cell.b, RULES).core
    each = cell.games_each
    games = each * len(openings)
    seeds = game_seeds(cell.seed, 0, 2 * len(openings))[:: 3 - each].copy()
    swapped = np.arange(games) % each == 1
    starts = openings.packed(RULES, 0, len(openings))
    played = play_series(a, b, starts, seeds, swapped, max_turns=cell.max_turns, stop=StopFlag())
    return int(played.stats["decisions"].sum())


def compare(title: str, one: Callable[[], int], other: Callable[[], int], *, wall: bool) -> None:
    """Prints the rate of the first as a share of the second."""
    ratios, rates = [], []
    for number in range(ROUNDS + 1):
        first, second = timed(one), timed(other)
        if number:  # the first round warms up
            ratios.append(first[wall] / second[wall])
            rates.append((first[wall], second[wall]))
    low, high = min(ratios), max(ratios)
    fast = statistics.median(rate for rate, _ in rates) / 1e6
    slow = statistics.median(rate for _, rate in rates) / 1e6
    sys.stdout.write(
        f"{title}: {statistics.median(ratios):.3f} ({low:.3f} to {high:.3f}); "
        f"{fast:.3g} and {slow:.3g} M decisions/s\n"
    )
    sys.stdout.flush()


def main() -> None:
    """Measures everything."""
    many = OpeningSet.generate([RULES], RANDOM_PAIRS, seed=1)
    few = OpeningSet.generate([RULES], SEARCH_PAIRS, seed=1)
    random, search = cell_of("random"), cell_of("ab:nodes=300")
    compare(
        "random games, a stored run by bare playouts (asked 0.90)",
        lambda: whole_run(random, many), bare_playouts, wall=False,
    )  # fmt: skip

    def chunk() -> int:
        played = play_chunk(random, many, 0, len(many))
        assert played is not None
        return int(played.games["decisions"].sum())

    compare(
        "random games, a stored run by the same not stored (asked 0.95)",
        lambda: whole_run(random, many), chunk, wall=False,
    )  # fmt: skip
    for turns, level in ((False, "outcome"), (True, "outcome and turns")):
        compare(
            f"ab:nodes=300 with {level}, a stored run by the search alone (asked 0.95)",
            partial(whole_run, search, few, turns=turns),
            lambda: search_alone(search, few),
            wall=False,
        )
    most = OpeningSet.generate([RULES], MANY_RANDOM_PAIRS, seed=1)
    middle = OpeningSet.generate([RULES], MANY_SEARCH_PAIRS, seed=1)
    for name, cell, openings in (("random", random, most), ("ab:nodes=300", search, middle)):
        compare(
            f"{name}, two workers by one (asked 1.9)",
            partial(whole_run, cell, openings, workers=2),
            partial(whole_run, cell, openings),
            wall=True,
        )


if __name__ == "__main__":
    main()
