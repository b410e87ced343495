"""Memory of a long run: what was played is on disk, and not in the program."""

from __future__ import annotations

import json
import statistics
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
    seen.append((progress.done, resident(), sys.getallocatedblocks()))

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
    seen: list[tuple[int, int, int]] = json.loads(told.stdout)
    total = PAIRS * CELLS
    assert seen[-1][0] == total
    # Players, chunks of full size and what C libraries keep are there after the first fifth.
    warm = [row for row in seen if total // 5 < row[0] <= 2 * total // 5]
    last = [row for row in seen if row[0] > 4 * total // 5]
    picture = [seen[at] for at in range(0, len(seen), max(1, len(seen) // 20))]
    assert len(warm) > 5 and len(last) > 5, picture
    _, kib, blocks = (
        statistics.median(late) - statistics.median(early)
        for late, early in zip(zip(*last, strict=True), zip(*warm, strict=True), strict=True)
    )
    # Less than 60 bytes a game, where chunks of other sizes make more of a difference; and of
    # Python's own objects, which can be counted, less than one in sixty games.
    assert kib < 32 * 1024, picture
    assert blocks < 10_000, picture
    assert max(row[1] for row in seen) - max(row[1] for row in warm) < 64 * 1024, picture
