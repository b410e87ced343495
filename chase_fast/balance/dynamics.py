"""The level ``dynamics``: how a game went, as a reference evaluation sees it afterwards.

v is the winner's expected result, logistic(evaluation / scale), at the beginning of each turn.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from chase_fast._core import RED, Move, Position, Side, StopFlag
from chase_fast._threads import run_jobs
from chase_fast.agents import CoreAgent, PlayerSpec
from chase_fast.balance.rows import CellRows, read_cell
from chase_fast.cells import Cell, moves_from_bytes
from chase_fast.openingset import OpeningSet
from chase_fast.simulate import derive_seed
from chase_fast.stats.estimates import mean_estimate
from chase_fast.store import Run

__all__ = ["DEAD_BAND", "dynamics", "measures"]

DEAD_BAND: Final = 0.05

_COLUMNS: Final = ("opening", "game", "winner", "termination", "moves")

Floats = npt.NDArray[np.float64]


def dynamics(
    run: Run, cell: Cell, openings: OpeningSet, *, games: int, nodes: int, seed: int, workers: int
) -> dict[str, Any]:
    """Looks at a sample of a cell's games.

    Args:
        run: Whose rows have moves.
        cell: What was played.
        openings: From which.
        games: How many, drawn by seed; fewer where there are fewer.
        nodes: Budget of the reference search of each position.
        seed: Of the sample.
        workers: Threads.
    """
    began = time.process_time()
    rows = read_cell(run, cell, _COLUMNS)
    chosen = sorted(
        random.Random(derive_seed(seed, "dynamics", cell.number)).sample(
            range(rows.games), min(games, rows.games)
        )
    )
    spec = PlayerSpec.parse(f"ab:nodes={nodes}")

    def job(row: int) -> Callable[[], tuple[Floats, Side | None]]:
        def look() -> tuple[Floats, Side | None]:
            start = openings.starts(cell.rules, int(rows.column["opening"][row]), 1)[0]
            moves = moves_from_bytes(rows.column["moves"][row])
            winner = int(rows.column["winner"][row])
            values = red_expectations(CoreAgent(spec, cell.rules), start, moves)
            return values, None if winner < 0 else Side(winner)

        return look

    seen = run_jobs([job(row) for row in chosen], workers, StopFlag())
    return {
        "games": len(chosen),
        "nodes": nodes,
        "seconds": time.process_time() - began,
        "rows": _summary(rows, chosen, [measures(*one) for one in seen]),
    }


def red_expectations(agent: CoreAgent, start: Position, moves: Sequence[Move]) -> Floats:
    """Red's expected result at the beginning of each turn of a game, shape (turns,)."""
    agent.core.new_game(0, RED)
    scores: list[int] = []
    position, side = start, None
    for move in moves:
        if position.side_to_act is not side:
            side = position.side_to_act
            best = agent.core.search(position, (), StopFlag()).lines[0].score
            scores.append(best if side is RED else -best)
        position = position.apply(move)
    return np.asarray(
        1 / (1 + np.exp(-np.asarray(scores, np.float64) / agent.weights.scale)), np.float64
    )


def measures(red: Floats, winner: Side | None) -> dict[str, float | None]:
    """Lead changes, drama and decisiveness threshold of a game.

    Args:
        red: Red's expected result turn by turn, 0 to 1.
        winner: Who won; None for a draw, which has the first alone.

    >>> measures(np.array([0.5, 0.7, 0.4, 0.9]), RED)
    {'lead_changes': 2.0, 'drama': 0.025, 'decisiveness': 0.6}
    """
    leads = [value > 0.5 for value in red if abs(value - 0.5) > DEAD_BAND]
    changes = float(sum(one != other for one, other in pairwise(leads)))
    if winner is None or not len(red):
        return {"lead_changes": changes, "drama": None, "decisiveness": None}
    v = red if winner is RED else 1 - red
    return {
        "lead_changes": changes,
        "drama": round(float(np.maximum(0.0, 0.5 - v).mean()), 12),
        "decisiveness": round(float((1 - v).max()), 12),
    }


_LABELS: Final = {
    "lead_changes": "lead changes a game",
    "drama": "drama: mean deficit of the winner",
    "decisiveness": "decisiveness: highest expectation the loser had",
}


def _summary(
    rows: CellRows, chosen: Sequence[int], found: Sequence[dict[str, float | None]]
) -> list[dict[str, Any]]:
    summary = []
    for key, label in _LABELS.items():
        by_opening: dict[int, list[float]] = {}
        for row, one in zip(chosen, found, strict=True):
            value = one[key]
            if value is not None:
                by_opening.setdefault(int(rows.column["opening"][row]), []).append(value)
        row_: dict[str, Any] = {"key": key, "label": label, "value": None}
        if by_opening:
            estimate = mean_estimate([sum(v) / len(v) for v in by_opening.values()])
            ends = (estimate.low, estimate.high) if len(by_opening) > 1 else (None, None)
            row_.update(value=estimate.value, low=ends[0], high=ends[1], n=len(by_opening))
        summary.append(row_)
    return summary
