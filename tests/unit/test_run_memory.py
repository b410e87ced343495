"""Memory of a long run: what was played is on disk, and not in the program."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# Openings and cells: a million games of random players.
PAIRS, CELLS = 50_000, 10

_PROGRAM = """
import json, sys
from dataclasses import replace
from pathlib import Path
from chase_fast.cells import numbered
from chase_fast.runner import Progress, play_run
from chase_fast.runs import begin
from tests.unit.small_runs import small_settings

pairs, cells = int(sys.argv[2]), int(sys.argv[3])
settings = small_settings(
    pairs=pairs, players=[("random", "random")], variants=["standard"], turns=False, max_turns=1000
)
(cell,) = settings.plan.cells
cells = numbered([replace(cell, seed=number) for number in range(cells)])
settings = replace(settings, plan=replace(settings.plan, cells=cells))

def resident() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise AssertionError

seen = []
def watch(progress: Progress) -> None:
    seen.append((progress.done, resident()))

with begin(Path(sys.argv[1]), settings) as run:
    progress = play_run(run, settings.plan, workers=2, watch=watch)
    assert progress.done == progress.total
print(json.dumps(seen))
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads /proc")
def test_memory_stays_where_it_is_while_a_million_games_are_written(tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(tmp_path / "run"), str(PAIRS), str(CELLS)],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    seen: list[tuple[int, int]] = json.loads(told.stdout)
    total = PAIRS * CELLS
    assert seen[-1][0] == total
    # Warm are players, chunks of full size and the parts of Arrow after the first fifth.
    warm = max(kib for done, kib in seen if done <= total // 5)
    later = max(kib for done, kib in seen if done > total // 5)
    assert later - warm < 40 * 1024, [seen[at] for at in range(0, len(seen), len(seen) // 20)]
