"""A few games of a run, to look at."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from chase_fast.record import Record
from chase_fast.runner import Plan
from chase_fast.runs import record_of
from chase_fast.store import Run

_SAMPLES: Final = 3


def sample_games(run: Run, plan: Plan) -> list[dict[str, Any]]:
    """The first games of a few cells, spread over all, as a results document has them.

    Args:
        run: Opened.
        plan: What it plays.

    Raises:
        StoreError: A file is damaged.
    """
    last = len(plan.cells) - 1
    cells = sorted({round(n * last / (_SAMPLES - 1)) for n in range(_SAMPLES)})
    found = []
    for number, cell in enumerate(cells):
        # Of fewer cells than samples the first ones give more than one game.
        games = _SAMPLES // len(cells) + (number < _SAMPLES % len(cells))
        found += [_sample(*one) for one in islice(_first_games(run, plan, cell), games)]
    return found


def _first_games(run: Run, plan: Plan, number: int) -> Iterator[tuple[Record, int]]:
    """Game 0 of each opening of a cell, with the number of the opening."""
    cell = plan.cells[number]
    for _, rows in run.read("games", cell=number):
        for start in range(rows.num_rows):
            [row] = rows.slice(start, 1).to_pylist()
            if row["game"] == 0:
                yield record_of(cell, plan.openings[cell.openings], row), row["opening"]


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
