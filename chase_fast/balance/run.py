"""Plays a balance run, and says what came of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from chase_fast._core import Move, Position, StopFlag, play_series
from chase_fast.agents import CoreAgent, PlayerSpec
from chase_fast.balance.document import document_of
from chase_fast.balance.dynamics import dynamics
from chase_fast.balance.settings import BalanceOptions, balance_settings
from chase_fast.cells import Cell
from chase_fast.openingset import game_seeds
from chase_fast.runner import CellScores, Enough, Plan, Watch, play_run
from chase_fast.runs import begin
from chase_fast.stats.entropy import miller_madow
from chase_fast.stats.equivalence import against_half
from chase_fast.store import Run

__all__ = ["BalanceResult", "look_closer", "play_balance"]

# First turns from the start, of players that choose by chance.
_FIRST_TURNS: Final = 400


@dataclass(frozen=True, slots=True)
class BalanceResult:
    """What a balance run found.

    Attributes:
        document: All of it, JSON-able; `chase_fast.report.write_report` makes pages of it.
        folder: Where the run is, or None where it was not kept.
        damaged: Files that were found damaged and played again.
    """

    document: dict[str, Any]
    folder: Path | None
    damaged: tuple[str, ...] = ()

    @property
    def verdicts(self) -> list[str]:
        """What may be said, a sentence each."""
        return list(self.document["verdicts"])

    @property
    def table(self) -> list[dict[str, Any]]:
        """A flat row for each variant and player: a data frame's input."""
        comparisons = {(one["variant"], one["player"]): one for one in self.document["comparisons"]}
        rows = []
        for cell in self.document["cells"]:
            other = comparisons.get((cell["variant"], cell["player"]), {})
            rows.append(
                {
                    "variant": cell["variant"],
                    "player": cell["player"],
                    "openings": cell["openings"],
                    "games": cell["games"],
                    "score": cell["score"]["value"],
                    "score_low": cell["score"]["low"],
                    "score_high": cell["score"]["high"],
                    "draws": cell["results"]["draw"]["share"],
                    "verdict": cell["against_half"]["verdict"],
                    "difference": other.get("difference"),
                    "difference_low": other.get("low"),
                    "difference_high": other.get("high"),
                    "p_holm": other.get("p_holm"),
                    "against_base": other.get("verdict"),
                    **{row["key"]: row["value"] for row in cell["metrics"]},
                }
            )
        return rows

    @property
    def metrics(self) -> list[dict[str, Any]]:
        """A row for each metric of each variant and player, with its interval."""
        return [
            {"variant": cell["variant"], "player": cell["player"], **row}
            for cell in self.document["cells"]
            for row in cell["metrics"]
        ]


def play_balance(
    options: BalanceOptions,
    *,
    workers: int = 1,
    out: Path | None = None,
    resume: bool = False,
    watch: Watch | None = None,
    phase: Callable[[str], object] | None = None,
    command: Sequence[str] = (),
    stop: StopFlag | None = None,
) -> BalanceResult:
    """Plays all variants on common openings, by all players, and compares them.

    Args:
        options: What is asked.
        workers: Threads; results do not depend on it.
        out: Folder of the run, missing or empty; None keeps nothing.
        resume: Whether to go on with what is in the folder, if anything.
        watch: Called after each chunk of games.
        phase: Called with a word about what begins after the games.
        command: Words of a command line that repeats the run.
        stop: Ends it early; what is finished stays, and is what is told.

    Raises:
        ArgumentError: Options that cannot be met, or no game was played.
        NotationError: An openings file that cannot be used.
        StoreError: A folder that cannot be used.
        OSError: Something cannot be read or written.
    """
    settings = balance_settings(options, command)
    flag = StopFlag() if stop is None else stop
    with begin(out, settings, resume=resume) as run:
        play_run(
            run, settings.plan,
            workers=workers, watch=watch, enough=_narrow(settings.plan, options.until), stop=flag,
        )  # fmt: skip
        look_closer(run, settings.plan, workers=workers, phase=phase)
        document = document_of(run, settings.plan)
        return BalanceResult(document, out, tuple(run.damaged))


def _narrow(plan: Plan, until: float | None) -> Enough | None:
    """Whether the intervals of all scores are within so many points."""
    if until is None:
        return None
    main = [cell.number for cell in plan.cells if not cell.group]

    def enough(upto: int, scores: list[CellScores]) -> bool:
        found = [against_half(scores[cell].red_scores(upto)).score for cell in main]
        return all(one.high - one.low <= 2 * until / 100 for one in found)

    return enough


def look_closer(
    run: Run,
    plan: Plan,
    *,
    workers: int = 1,
    phase: Callable[[str], object] | None = None,
) -> None:
    """Measures what can be measured only after the games: dynamics, entropy of first moves.

    Args:
        run: A balance run, opened for writing; what it knows already is not measured again.
        plan: What it plays.
        workers: Threads.
        phase: Called with a word about what begins.
    """
    known = run.description["options"]
    deep = "dynamics" in known["levels"]
    done = {chunk.cell for chunk in run.chunks()}
    for cell in plan.cells:
        if cell.group or cell.number not in done:
            continue
        name = f"dynamics-{cell.number}"
        if deep and run.fact(name) is None:
            if phase is not None:
                phase(f"dynamics of {cell.variant}, {cell.a}")
            found = dynamics(
                run, cell, plan.openings[cell.openings],
                games=known["dynamics_games"], nodes=known["dynamics_nodes"],
                seed=run.description["seed"], workers=workers,
            )  # fmt: skip
            run.set_fact(name, found)
        name = f"entropy-{cell.number}"
        if _by_chance(cell.a) and run.fact(name) is None:
            run.set_fact(name, _first_move_entropy(cell))


def _by_chance(player: PlayerSpec) -> bool:
    return player.reproducible and not player.deterministic


def _first_move_entropy(cell: Cell) -> dict[str, Any]:
    """Of first moves from the true start, with the correction of Miller and Madow."""
    players = CoreAgent(cell.a, cell.rules).core, CoreAgent(cell.b, cell.rules).core
    played = play_series(
        *players,
        [Position.start(cell.rules)] * _FIRST_TURNS,
        game_seeds(cell.seed, 0, _FIRST_TURNS),
        np.zeros(_FIRST_TURNS, np.bool_),
        max_turns=1,
        stop=StopFlag(),
        keep_moves=True,
    )
    first = np.cumsum(played.stats["decisions"]) - played.stats["decisions"]
    codes = [] if played.moves is None else played.moves[first].tolist()
    counts = {str(Move.from_code(code)): codes.count(code) for code in set(codes)}
    # The correction may go beyond what a choice among all options can have.
    most = math.log2(len(Position.start(cell.rules).legal_moves))
    bits = min(miller_madow(list(counts.values())), most)
    return {
        "key": "first_move_entropy",
        "label": f"entropy of the first move ({_FIRST_TURNS} first turns)",
        "unit": "bits",
        "value": bits,
        "low": None,
        "high": None,
    }
