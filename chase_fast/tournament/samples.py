"""A few games of a run, to look at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from chase_fast.errors import ArgumentError
from chase_fast.record import Record
from chase_fast.runner import Plan
from chase_fast.runs import record_of
from chase_fast.store import Run

_SAMPLES: Final = 3


def sample_games(run: Run, plan: Plan, cells: Sequence[int] | None = None) -> list[dict[str, Any]]:
    """The first game of some cells, as a results document has it.

    Args:
        run: Opened.
        plan: What it plays.
        cells: Numbers of the cells; by default a few, spread over all.

    Raises:
        StoreError: A file is damaged.
    """
    if cells is None:
        last = len(plan.cells) - 1
        spread = {round(n * last / (_SAMPLES - 1)) for n in range(_SAMPLES)}
        cells = sorted(spread)
    found = []
    wanted = set(cells)
    for chunk, rows in run.read("games"):
        if chunk.cell not in wanted or not rows.num_rows:
            continue
        wanted.discard(chunk.cell)
        cell = plan.cells[chunk.cell]
        row = rows.slice(0, 1).to_pylist()[0]
        try:
            record = record_of(cell, plan.openings[cell.openings], row)
        except ArgumentError:
            continue  # its moves were not kept, and it cannot be played again
        found.append(_sample(record, row["opening"]))
    return found


def _sample(record: Record, opening: int) -> dict[str, Any]:
    rules = str(record.rules)
    game = record.to_game()
    positions = [record.start]
    for move in game.moves:
        positions.append(positions[-1].apply(move))
    boards = [
        ("after the opening", record.start),
        (f"after {len(game.moves) // 2} decisions", positions[len(game.moves) // 2]),
        ("at the end", game.position),
    ]
    outcome = record.outcome
    assert outcome is not None
    return {
        "title": f"{record.red} (red) against {record.blue} (blue), opening {opening}: "
        f"{outcome.result}, {outcome.termination}",
        "text": record.to_text(),
        "boards": [
            {"caption": caption, "cfen": position.cfen, "rules": rules}
            for caption, position in boards
        ],
    }
