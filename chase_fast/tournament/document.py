"""A tournament as a results document: plain data, of which `chase_fast.report` makes reports."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from chase_fast.agents import PlayerSpec
from chase_fast.runner import Plan
from chase_fast.runs import command_line
from chase_fast.stats.intervals import wilson
from chase_fast.stats.ratings import Ratings
from chase_fast.store import Run
from chase_fast.tournament.results import read_results
from chase_fast.tournament.samples import sample_games
from chase_fast.tournament.sequential import SequentialTest
from chase_fast.tournament.standings import Pairing, Standing
from chase_fast.tournament.verdicts import verdicts, warnings_of

SCHEMA: Final = 1

_TITLES: Final = {
    "round-robin": "Round robin of {} players",
    "gauntlet": "Gauntlet of {} players",
    "ladder": "Ladder of {} players",
}


def document_of(run: Run, plan: Plan) -> dict[str, Any]:
    """The results document of a run, as far as it has come.

    Args:
        run: Opened; of kind "tournament".
        plan: What it plays.

    Raises:
        StoreError: A file is missing or damaged.
    """
    return make_document(run, plan, read_results(run, plan))


def make_document(run: Run, plan: Plan, found: Mapping[str, Any]) -> dict[str, Any]:
    """The document of results that `read_results` has read."""
    description = run.description
    options = description["options"]
    rules = str(plan.cells[0].rules)
    test: SequentialTest | None = found.get("test")
    ratings: Ratings | None = found.get("ratings")
    pairs: tuple[Pairing, ...] = found["pairings"]
    players: tuple[Standing, ...] = found["players"]
    title = (
        f"{pairs[0].a} against {pairs[0].b}"
        if test is not None
        else _TITLES[options["format"]].format(len(players))
    )
    return {
        "schema": SCHEMA,
        "kind": "tournament",
        "format": options["format"].replace("-", " "),
        "title": f"{title}, {rules} rules" if rules == "standard" else f"{title}, {rules}",
        "complete": found["complete"],
        "command": command_line(description["command"]),
        "seed": description["seed"],
        "created": description["created"],
        "engine": {
            name: description["engine"][name] for name in ("version", "commit", "isa", "python")
        },
        "machine": description["machine"],
        "result_hash": found["result_hash"],
        "openings": _openings(description["openings"][0]),
        "max_turns": plan.cells[0].max_turns,
        "rules": rules,
        "reproducible": description["reproducible"],
        "verdicts": verdicts(found, plan),
        "warnings": warnings_of(found, _unrepeatable(plan)),
        "players": [_player(one) for one in players],
        "pairs": [_pair(one) for one in pairs],
        "superiority": None if ratings is None else _superiority(ratings, players),
        "terms": None if ratings is None else _terms(ratings),
        "terminations": _terminations(found["terminations"]),
        "faults": found["faults"],
        "sprt": None if test is None else _sprt(test, found),
        "samples": sample_games(run, plan),
    }


def _unrepeatable(plan: Plan) -> list[str]:
    """Players whose games cannot be played again."""
    specs: dict[str, PlayerSpec] = {
        str(player): player for cell in plan.cells for player in (cell.a, cell.b)
    }
    return [name for name, spec in specs.items() if not spec.reproducible]


def _openings(known: Mapping[str, Any]) -> dict[str, Any]:
    """The openings, and the share of candidates refused: in all, and for their evaluation."""
    return {
        **{name: known[name] for name in ("turns", "count", "sha256", "source")},
        "refused_share": 1 - known["count"] / known["candidates"],
        "unbalanced_share": known["unbalanced"] / known["candidates"],
    }


def finite(value: float | None) -> float | None:
    """The number, or None for one that JSON does not have."""
    return value if value is not None and math.isfinite(value) else None


def _player(one: Standing) -> dict[str, Any]:
    rating = one.rating
    # Of a rating that has no bound on either side nothing is known.
    known = rating if rating is not None and rating.bounded != "open" else None
    # The player at 0 is there by definition: it has no interval.
    low = high = None
    if known is not None and known.se > 0:
        low, high = finite(known.low), finite(known.high)
    return {
        "name": one.player,
        "rating": None if known is None else finite(known.value),
        "low": low,
        "high": high,
        "bounded": None if known is None else known.bounded,
        "games": one.games,
        "score": one.score,
        "wins": one.wins,
        "draws": one.draws,
        "losses": one.losses,
        "cut_short": one.cut_short,
        "crashes": one.crashes,
        "time_losses": one.time_losses,
        "illegal": one.illegal,
    }


def _pair(one: Pairing) -> dict[str, Any]:
    found = one.summary
    low, high = (None, None) if found is None else found.interval
    return {
        "a": one.a,
        "b": one.b,
        "games": one.games,
        "score": None if found is None else found.score,
        "low": low,
        "high": high,
        "elo": None if found is None else found.elo,
        "elo_interval": None if found is None else list(found.elo_interval),
        "nelo": None if found is None else found.nelo,
        "los": None if found is None else found.los,
        "wins": one.wins,
        "draws": one.draws,
        "losses": one.losses,
        "cut_short": one.cut_short,
        "pentanomial": list(one.pentanomial),
    }


def _superiority(ratings: Ratings, players: tuple[Standing, ...]) -> dict[str, Any]:
    """The matrix in the order of the standings."""
    place = {one.player: number for number, one in enumerate(ratings.players)}
    names = [one.player for one in players]
    order = [place[name] for name in names]
    return {
        "names": names,
        "matrix": [[float(ratings.superiority[i, j]) for j in order] for i in order],
    }


def _terms(ratings: Ratings) -> dict[str, Any]:
    first, draw = ratings.first_move, ratings.draw_term
    return {
        "first_move": None
        if first is None
        else {name: finite(getattr(first, name)) for name in ("value", "low", "high")},
        "draw": None if draw is None else {"value": finite(draw), "low": None, "high": None},
        "virtual_pairs": ratings.virtual_games // 2,
        "intervals": ratings.method,
        "units": ratings.units,
    }


def _terminations(games: Mapping[str, int]) -> list[dict[str, Any]]:
    total = sum(games.values())
    found = []
    for name, number in games.items():
        low, high = wilson(number, total)
        found.append(
            {"name": name, "games": number, "share": number / total, "low": low, "high": high}
        )
    return found


def _sprt(test: SequentialTest, found: Mapping[str, Any]) -> dict[str, Any]:
    known = test.describe()
    looked = found["path"][-1][0] if found["path"] else 0
    return {
        **{name: known[name] for name in ("model", "elo0", "elo1", "alpha", "beta", "checkpoint")},
        "lower": test.bounds[0],
        "upper": test.bounds[1],
        "llr": found["llr"],
        "state": found["state"],
        "pairs": looked,
        "path": [list(point) for point in found["path"]],
        "pentanomial": list(found["pairings"][0].pentanomial),
    }
