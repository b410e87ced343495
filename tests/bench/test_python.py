"""What single calls cost from Python."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
import timeit
from typing import Any

import pytest

import chase_fast as cf

START = cf.Position.start()
MOVE = START.legal_moves[0]
CALLS = 2000

# Statement, what it gives, and what of it is known.
STATEMENTS = {
    "len(pos.legal_moves)": 46,
    "list(pos.legal_moves)": list(START.legal_moves),
    "pos.legal_moves.array": None,
    "pos.apply(move)": START.apply("a1E"),
    "pos.apply('a1E')": START.apply("a1E"),
    "cf.Position.parse(cfen)": START,
    "pos.cfen": START.cfen,
}


@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.benchmark(group="calls")
def test_call(benchmark: Any, statement: str) -> None:
    """Thousands of calls in one round, so that the loop around them costs next to nothing."""
    names = {"pos": START, "move": MOVE, "cf": cf, "cfen": START.cfen}
    if STATEMENTS[statement] is not None:
        assert eval(statement, dict(names)) == STATEMENTS[statement]
    timer = timeit.Timer(statement, globals=names)
    benchmark.pedantic(timer.timeit, (CALLS,), rounds=30, warmup_rounds=2)
    benchmark.extra_info.update(statement=statement, calls=CALLS)


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
