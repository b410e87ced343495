"""What single calls cost from Python."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from typing import Any

import pytest

import chase_fast as cf

START = cf.Position.start()


@pytest.mark.benchmark(group="calls")
def test_count_moves(benchmark: Any) -> None:
    assert benchmark(lambda: len(START.legal_moves)) == 46


@pytest.mark.benchmark(group="calls")
def test_list_moves(benchmark: Any) -> None:
    assert len(benchmark(lambda: list(START.legal_moves))) == 46


@pytest.mark.benchmark(group="calls")
def test_moves_as_array(benchmark: Any) -> None:
    assert benchmark(lambda: START.legal_moves.array).shape == (46,)


@pytest.mark.benchmark(group="calls")
def test_apply(benchmark: Any) -> None:
    move = START.legal_moves[0]
    assert benchmark(lambda: START.apply(move)).side_to_act == cf.BLUE


@pytest.mark.benchmark(group="calls")
def test_apply_text(benchmark: Any) -> None:
    assert benchmark(lambda: START.apply("a1NE")).side_to_act == cf.BLUE


@pytest.mark.benchmark(group="calls")
def test_parse(benchmark: Any) -> None:
    assert benchmark(lambda: cf.Position.parse(START.cfen)) == START


def seconds_to(statement: str) -> float:
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True)
    return time.perf_counter() - begin


@pytest.mark.benchmark(group="import")
def test_import(benchmark: Any) -> None:
    """`import chase_fast` after `import numpy`, against numpy alone; alternating processes."""
    plain, ours = [], []

    def both() -> None:
        plain.append(seconds_to("import numpy"))
        ours.append(seconds_to("import numpy, chase_fast"))

    benchmark.pedantic(both, rounds=15, warmup_rounds=2)
    added = statistics.median(ours) - statistics.median(plain)
    benchmark.extra_info["added_ms"] = round(1000 * added, 1)
