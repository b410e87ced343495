"""Small runs for tests; and, as a program, one that is killed at a point that was chosen.

``python -m tests.unit.small_runs FOLDER WORKERS [DIE_AT]`` begins or resumes the run of
`small_settings` in chunks of some milliseconds, writes a line for each, and kills itself at the
DIE_AT-th time that it touches a file of the folder.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

import chase_fast as cf
from chase_fast import runner
from chase_fast.agents import PlayerSpec
from chase_fast.cells import Cell, numbered
from chase_fast.openingset import OpeningSet
from chase_fast.runner import Plan, Progress, play_run
from chase_fast.runs import Settings, begin
from chase_fast.store import Run

PLAYERS = (("random", "random"), ("ab:nodes=30", "ab:nodes=30"), ("greedy", "random:seed=2"))


def small_settings(
    *,
    pairs: int = 30,
    players: Sequence[tuple[str, str]] = PLAYERS,
    variants: Sequence[str] = ("standard", "reserve=0"),
    seed: int = 4,
    max_turns: int = 40,
    turns: bool = True,
    moves: bool = False,
    checkpoint: int | None = None,
    opening_turns: int = 4,
) -> Settings:
    """A run of every pair of players under every variant, on common openings."""
    rules = {text: cf.Rules.parse(text) for text in variants}
    count = pairs if opening_turns else 1
    openings = OpeningSet.generate(list(rules.values()), count, turns=opening_turns, seed=seed)
    cells = numbered(
        [
            Cell(
                0, name, one, PlayerSpec.parse(a), PlayerSpec.parse(b), seed=seed,
                max_turns=max_turns,
            )
            for name, one in rules.items()
            for a, b in players
        ]
    )  # fmt: skip
    plan = Plan(cells, [openings], pairs, turns=turns, moves=moves, checkpoint=checkpoint)
    return Settings("test", plan, seed, {"note": "small"}, ["chase-fast", "test"])


def play(
    folder: Path,
    settings: Settings,
    *,
    workers: int = 1,
    resume: bool = False,
    watch: Callable[[Progress], object] | None = None,
    enough: runner.Enough | None = None,
) -> tuple[str, Progress, list[str]]:
    """Plays a run to its end: its hash, its progress, and what was damaged."""
    with begin(folder, settings, resume=resume) as run:
        progress = play_run(run, settings.plan, workers=workers, watch=watch, enough=enough)
        return run.result_hash(), progress, run.damaged


def rows(run: Run, kind: str = "games") -> list[dict[str, Any]]:
    """All rows of a kind, in order."""
    tables = [table for _, table in run.read(kind)]
    return list(pa.concat_tables(tables).to_pylist()) if tables else []


def rows_of(folder: Path, kind: str = "games") -> list[dict[str, Any]]:
    """Likewise, from a folder."""
    with Run.open(folder, write=False) as run:
        return rows(run, kind)


def _die_at(folder: str, number: int) -> None:
    """Ends this program, as nothing else can be done about, at the so-manyth touch of a file."""
    left = number

    def look(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal left
        if event in ("open", "os.rename", "os.remove", "os.mkdir", "sqlite3.connect") and any(
            str(one).startswith(folder) for one in arguments if isinstance(one, str | Path)
        ):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(look)


def _main(words: Sequence[str]) -> None:
    folder, workers = Path(words[0]), int(words[1])
    runner._CHUNK_SECONDS = 0.005  # type: ignore[misc]  # of a process of its own
    settings = small_settings()
    if len(words) > 2:
        _die_at(str(folder), int(words[2]))

    def watch(progress: Progress) -> None:
        sys.stdout.write(f"{progress.done}\n")
        sys.stdout.flush()

    result, _, damaged = play(folder, settings, workers=workers, resume=True, watch=watch)
    sys.stdout.write(f"{result} {len(damaged)}\n")


if __name__ == "__main__":
    _main(sys.argv[1:])
