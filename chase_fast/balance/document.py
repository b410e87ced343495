"""The results of a balance run: the document that reports are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from chase_fast.balance.metrics import (
    decisive_advantage,
    metric_rows,
    results,
    survival,
    terminations,
)
from chase_fast.balance.rows import CellRows, read_cell
from chase_fast.balance.settings import FIRST_MOVES_GROUP
from chase_fast.balance.turns import heat, turn_bands
from chase_fast.balance.verdicts import Compared, compare, comparison_rows, half_row
from chase_fast.cells import TERMINATIONS, Cell
from chase_fast.runner import Plan
from chase_fast.runs import command_line, record_of
from chase_fast.stats.equivalence import against_half
from chase_fast.stats.estimates import Estimate
from chase_fast.store import Run

__all__ = ["document_of"]

# A share of games cut short above which a score says more about the limit than about the game.
_MANY_CUT_SHORT: Final = 0.01

# Ways to end a game that are the player's doing, not the rules'.
_FAULTS: Final = tuple(TERMINATIONS.index(name) for name in ("illegal", "crash", "time"))


def document_of(run: Run, plan: Plan) -> dict[str, Any]:
    """The document of a run, finished or not, from its rows.

    Raises:
        StoreError: A file is missing or damaged, or no game has been played.
    """
    description = run.description
    options = description["options"]
    margin = options["margin"]
    rows = {
        cell.number: found
        for cell in plan.cells
        if (found := read_cell(run, cell)).games
    }  # fmt: skip
    main = [rows[cell.number] for cell in plan.cells if not cell.group and cell.number in rows]
    halves = [half_row(one, margin) for one in main]
    compared = _compared(main, plan, options["base"], margin)
    comparisons = comparison_rows(compared, margin)
    complete = _complete(run, plan)
    return {
        "schema": 1,
        "kind": "balance",
        "title": "Balance of " + ", ".join(_unique(cell.variant for cell in plan.cells)),
        "complete": complete,
        "command": command_line(description["command"]),
        "seed": description["seed"],
        "created": description["created"],
        "engine": description["engine"],
        "machine": description["machine"],
        "reproducible": description["reproducible"],
        "result_hash": run.result_hash(),
        "openings": _openings(description),
        "max_turns": options["max_turns"],
        "levels": options["levels"],
        "base": options["base"],
        "margin": margin,
        "verdicts": [row["sentence"] for _, row in halves]
        + [row["sentence"] for row in comparisons],
        "warnings": _warnings(run, plan, main, complete),
        "variants": _variants(description, plan, options["base"]),
        "players": _players(plan),
        "cells": [
            _cell(run, one, found.score, half, options["levels"])
            for one, (found, half) in zip(main, halves, strict=True)
        ],
        "comparisons": comparisons,
        "first_moves": _first_moves(plan, rows) or None,
        "sensitivity": _sensitivity(plan, rows) or None,
        "samples": _samples(run, plan, main, options["base"]),
    }


def _unique(names: Any) -> list[str]:
    return list(dict.fromkeys(names))


def _complete(run: Run, plan: Plan) -> bool:
    if run.fact("stopped_at") is not None:
        return True
    done: Counter[int] = Counter()
    for chunk in run.chunks():
        done[chunk.cell] += chunk.count
    return all(done[cell.number] == plan.pairs_of(cell) for cell in plan.cells)


def _compared(main: Sequence[CellRows], plan: Plan, base: str, margin: float) -> list[Compared]:
    """Each variant beside the base, for each player that has played both."""
    pairs = []
    for one in main:
        for other in main:
            same = str(one.cell.a) == str(other.cell.a)
            if same and other.cell.variant == base and one.cell.variant != base:
                common = one.cell.openings == other.cell.openings
                shared = np.intersect1d(one.openings, other.openings)
                enough = (
                    len(shared) > 1 if common else min(len(one.openings), len(other.openings)) > 1
                )
                if enough:
                    pairs.append((one, other, common))
    return compare(pairs, margin)


def _openings(description: Mapping[str, Any]) -> dict[str, Any]:
    main = description["openings"][0]
    drawn = main["candidates"]
    return {
        "turns": main["turns"],
        "count": main["count"],
        "sha256": main["sha256"],
        "source": main["source"],
        "refused_share": 1 - main["count"] / drawn if drawn > main["count"] else 0.0,
    }


def _variants(description: Mapping[str, Any], plan: Plan, base: str) -> list[dict[str, Any]]:
    at = {cell.variant: cell for cell in plan.cells if not cell.group}
    home = at[base].openings
    return [
        {
            "name": name,
            "rules": str(cell.rules),
            "digest": description["digests"][name],
            "paired": cell.openings == home,
        }
        for name, cell in at.items()
    ]


def _nodes(cell: Cell) -> int | None:
    """The budget that a ladder of strength is drawn over."""
    if cell.a.kind in ("ab", "mcts"):
        found = cell.a.get("nodes" if cell.a.kind == "ab" else "sims")
        return int(found) if found else None
    return None


def _players(plan: Plan) -> list[dict[str, Any]]:
    at = {str(cell.a): cell for cell in plan.cells if not cell.group}
    return [
        {
            "name": name,
            "text": name,
            "nodes": _nodes(cell),
            "deterministic": cell.a.deterministic,
        }
        for name, cell in at.items()
    ]


def _cell(
    run: Run, rows: CellRows, score: Estimate, half: dict[str, Any], levels: Sequence[str]
) -> dict[str, Any]:
    cell = rows.cell
    weights = run.description["weights"].get(cell.variant, {}).get(str(cell.a))
    entropy = run.fact(f"entropy-{cell.number}")
    metrics = metric_rows(rows)
    if entropy is not None:
        metrics.append(entropy)
    return {
        "variant": cell.variant,
        "player": str(cell.a),
        "weights": None if weights is None else weights.split()[0],
        "games": rows.games,
        "openings": len(rows.openings),
        # One opening is one independent unit, be it played once or with both colours.
        "effective_n": len(rows.openings),
        "pilot": False,
        "score": {
            "value": score.value,
            "low": max(0.0, score.low),
            "high": min(1.0, score.high),
            "se": score.se,
        },
        "against_half": half,
        "results": results(rows),
        "decisive": decisive_advantage(rows),
        "terminations": terminations(rows),
        "metrics": metrics,
        "survival": survival(rows),
        "turns": turn_bands(run, cell) if "turns" in levels else None,
        "heat": heat(run, cell, rows.games) if "turns" in levels else None,
        "dynamics": run.fact(f"dynamics-{cell.number}"),
    }


def _warnings(run: Run, plan: Plan, main: Sequence[CellRows], complete: bool) -> list[str]:
    found = []
    if not complete:
        found.append("The run is not finished; these are its games so far.")
    stopped = run.fact("stopped_at")
    if stopped is not None:
        found.append(
            f"The run ended after {stopped} openings, when every interval was narrow enough "
            "(--until); it was looked at only at fixed numbers of openings."
        )
    if not run.description["reproducible"]:
        found.append(
            "Players with a clock, with several threads or from other programs took part: these "
            "games cannot be repeated exactly."
        )
    for rows in main:
        share = rows.cut_short.mean()
        if share > _MANY_CUT_SHORT:
            found.append(
                f"{rows.cell.variant}, {rows.cell.a}: {share:.1%} of the games were cut short by "
                f"the limit of {rows.cell.max_turns} turns; they count as half a point each."
            )
        lost = _lost_by_faults(rows)
        if lost:
            found.append(
                f"{rows.cell.variant}, {rows.cell.a}: {lost:,} of {rows.games:,} games were lost "
                "by faults of the player (crashes, on time, illegal decisions). They count in the "
                "score, and tell nothing of the rules."
            )
    unpaired = [
        one["name"]
        for one in _variants(run.description, plan, run.description["options"]["base"])
        if not one["paired"]
    ]
    if unpaired:
        found.append(
            f"{', '.join(unpaired)}: another setup, so that no opening is shared with the base; "
            "compared as independent samples."
        )
    return found


def _lost_by_faults(rows: CellRows) -> int:
    return int(np.isin(rows.column["termination"], _FAULTS).sum())


def _first_moves(plan: Plan, rows: dict[int, CellRows]) -> list[dict[str, Any]]:
    found = []
    for cell in plan.cells:
        if cell.group != FIRST_MOVES_GROUP or cell.number not in rows:
            continue
        one = rows[cell.number]
        openings = plan.openings[cell.openings]
        moves = [line.split()[0] for line in openings.lines()]
        played = [moves[number] for number in one.openings.tolist()]
        table: list[dict[str, Any]] = []
        for move in _unique(moves):
            scores = one.red_scores[[at for at, name in enumerate(played) if name == move]]
            if not len(scores):
                continue
            table.append({"move": move, "games": len(scores) * cell.games_each, **_score(scores)})
        table.sort(key=lambda row: -float(row["score"]))
        found.append({"variant": cell.variant, "player": str(cell.a), "rows": table})
    return found


def _score(scores: npt.NDArray[np.float64]) -> dict[str, float]:
    """With the interval of the table of verdicts, which few or equal scores do not make narrow."""
    found = against_half(scores).score
    return {"score": found.value, "low": max(0.0, found.low), "high": min(1.0, found.high)}


def _sensitivity(plan: Plan, rows: dict[int, CellRows]) -> list[dict[str, Any]]:
    """The main row with as many openings first, then those that vary something."""
    found = []
    varied = [
        rows[cell.number]
        for cell in plan.cells
        if cell.group not in ("", FIRST_MOVES_GROUP) and cell.number in rows
    ]
    names = _unique(one.cell.variant for one in varied)
    player = plan.cells[0].a
    for cell in plan.cells:
        main = not cell.group and cell.variant in names and cell.a == player
        if main and cell.number in rows:
            turns = plan.openings[cell.openings].turns
            found.append(_sensitivity_row(f"as above: opening turns {turns}", rows[cell.number]))
    found += [_sensitivity_row(one.cell.group, one) for one in varied]
    return found


def _sensitivity_row(label: str, rows: CellRows) -> dict[str, Any]:
    return {
        "label": label,
        "variant": rows.cell.variant,
        "player": str(rows.cell.a),
        **_score(rows.red_scores),
        "n": len(rows.openings),
    }


def _samples(run: Run, plan: Plan, main: Sequence[CellRows], base: str) -> list[dict[str, Any]]:
    """Games of the base under the strongest player: a usual one, a long one, a comeback."""
    of_base = [rows for rows in main if rows.cell.variant == base]
    if not of_base:
        return []
    rows = max(of_base, key=lambda one: (_nodes(one.cell) or 0, one.cell.number))
    turns = rows.column["turns"].astype(np.int64)
    winner = rows.column["winner"]
    behind = np.where(winner == 0, rows.column["behind_red"], rows.column["behind_blue"])
    behind = np.where(winner < 0, 0, behind).astype(np.int64)
    order = np.argsort(turns, kind="stable")
    wanted = {
        int(order[len(order) // 2]): "A game of median length",
        int(order[-1]): "The longest game",
    }
    behind[list(wanted)] = 0
    dice = int(behind.max())
    if dice:
        wanted[int(np.argmax(behind))] = (
            f"A comeback from {dice} {'die' if dice == 1 else 'dice'} behind"
        )
    return [_sample(run, plan, rows, at, title) for at, title in wanted.items()]


def _sample(run: Run, plan: Plan, rows: CellRows, at: int, title: str) -> dict[str, Any]:
    cell = rows.cell
    opening, game = int(rows.column["opening"][at]), int(rows.column["game"][at])
    row = next(
        one
        for chunk, table in run.read("games", cell=cell.number)
        if chunk.first <= opening < chunk.first + chunk.count
        for one in table.to_pylist()
        if one["opening"] == opening and one["game"] == game
    )
    if row["moves"] is None and not cell.reproducible:
        return {"title": title, "text": "", "boards": []}
    record = record_of(cell, plan.openings[cell.openings], row)
    played = record.to_game()
    places = {
        0: "after the opening",
        len(played.moves) // 2: "half-way",
        len(played.moves): "at the end",
    }
    boards = []
    position = played.start
    for number, move in enumerate([*played.moves, None]):
        if number in places:
            boards.append(
                {"caption": places[number], "cfen": position.cfen, "rules": str(cell.rules)}
            )
        if move is not None:
            position = position.apply(move)
    where = f"{title} ({cell.variant}, {cell.a}, opening {opening}, game {game})"
    return {"title": where, "text": record.to_text(), "boards": boards}
