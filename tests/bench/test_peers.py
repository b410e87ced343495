"""The yardsticks in the same run: the ray-test loop and Stockfish's perft."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
KIWIPETE_PERFT_5 = 193_690_690


@pytest.mark.benchmark(group="peers")
def test_floor(benchmark: Any, tmp_path: Path) -> None:
    """Sixty ray-mask tests a node in plain C."""
    compiler = shutil.which("gcc") or pytest.skip("needs gcc")
    program = tmp_path / "floor"
    source = Path(__file__).with_name("floor.c")
    subprocess.run([compiler, "-O2", "-std=c11", source, "-o", program], check=True)
    times = []

    def run() -> None:
        out = subprocess.run([program], check=True, capture_output=True, text=True).stdout
        times.append(float(out.split()[0]))

    benchmark.pedantic(run, rounds=15, warmup_rounds=1)
    benchmark.extra_info["ns_per_node"] = sorted(times)[len(times) // 2]


@pytest.mark.needs_tool("stockfish")
@pytest.mark.benchmark(group="peers")
def test_stockfish_perft(benchmark: Any, tool: Callable[[str], Path]) -> None:
    """Kiwipete, 48 moves at the root, bulk counted at the last level like ours."""
    with subprocess.Popen(
        [tool("stockfish")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as engine:
        assert engine.stdin is not None and engine.stdout is not None
        engine.stdin.write(f"position fen {KIWIPETE}\n")

        def perft() -> float:
            assert engine.stdin is not None and engine.stdout is not None
            begin = time.perf_counter()
            engine.stdin.write("go perft 5\n")
            for line in engine.stdout:
                found = re.match(r"Nodes searched: (\d+)", line)
                if found:
                    assert int(found[1]) == KIWIPETE_PERFT_5
                    return time.perf_counter() - begin
            raise AssertionError("stockfish ended early")

        benchmark.pedantic(perft, rounds=7, warmup_rounds=1)
        benchmark.extra_info["decisions"] = KIWIPETE_PERFT_5
        engine.stdin.write("quit\n")
