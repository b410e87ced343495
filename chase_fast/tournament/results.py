"""What a tournament came to, read from its stored games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chase_fast.cells import TERMINATIONS
from chase_fast.runner import Plan
from chase_fast.simulate import derive_seed
from chase_fast.stats.ratings import Ratings
from chase_fast.store import Run
from chase_fast.tournament.sequential import SequentialTest, State
from chase_fast.tournament.standings import (
    Pairing,
    Standing,
    pairings,
    rate,
    read_tallies,
    standings,
)


@dataclass(frozen=True, slots=True)
class Results:
    """What tournaments and sequential tests have in common.

    Attributes:
        players: Results of each player, the best first.
        pairings: Results of every two that met, in the order of the schedule.
        terminations: Games by how they ended.
        faults: What was wrong with players that lost by it, with the number of games; the first
            few different texts.
        openings: Openings played, in all pairings.
        turns: Of all games, without those of openings.
        decisions: Likewise.
        complete: Whether all is played that was to be.
        damaged: Files of the run that were damaged or missing, and whose games were played again.
        result_hash: SHA-256 over all games; equal if and only if the same games were played.
        document: All of it as plain data, for `chase_fast.report`.
    """

    players: tuple[Standing, ...]
    pairings: tuple[Pairing, ...]
    terminations: Mapping[str, int]
    faults: Mapping[str, int]
    openings: int
    turns: int
    decisions: int
    complete: bool
    damaged: Sequence[str] = field(compare=False)
    result_hash: str
    document: dict[str, Any] = field(repr=False, compare=False)

    @property
    def games(self) -> int:
        """Games played."""
        return sum(self.terminations.values())


@dataclass(frozen=True, slots=True)
class TournamentResult(Results):
    """A tournament.

    Attributes:
        ratings: Of all players; None as long as some have not met.
    """

    # It holds an array, whose comparison is no bool; the players have the ratings as well.
    ratings: Ratings | None = field(compare=False)

    @property
    def table(self) -> list[dict[str, Any]]:
        """A row for each player, the best first, for pandas and polars.

        Ratings are in Elo, with their 95 % interval; None where there is none.
        """
        return [
            {name: row[name] for name in row if name != "name"} | {"player": row["name"]}
            for row in self.document["players"]
        ]


@dataclass(frozen=True, slots=True)
class SprtResult(Results):
    """A sequential test.

    Attributes:
        test: What was tested.
        state: Where it stands.
        llr: The log-likelihood ratio at the last look; None before there was one.
        path: Openings and ratio at each look.
    """

    test: SequentialTest
    state: State
    llr: float | None
    path: Sequence[tuple[int, float]]

    @property
    def table(self) -> list[dict[str, Any]]:
        """A row for each look at the test: ``openings`` and ``llr``."""
        return [{"openings": openings, "llr": ratio} for openings, ratio in self.path]


def read_results(run: Run, plan: Plan) -> dict[str, Any]:
    """What both kinds of results have, as arguments of their classes, from the stored games.

    Raises:
        StoreError: A file is missing or damaged.
    """
    tallies = read_tallies(run, plan)
    scores = [tally.scores for tally in tallies]
    options = run.description["options"]
    test = test_of(run)
    ratings = None
    if test is None:
        seed = derive_seed(run.description["seed"], "bootstrap")
        ratings = rate(plan.cells, scores, bootstrap=options["bootstrap"], seed=seed)
    terminations: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    for tally in tallies:
        faults.update(tally.texts)
        terminations.update(
            dict(zip(TERMINATIONS, tally.scores.terminations.tolist(), strict=True))
        )
    ended = run.fact("stopped_at") is not None or all(one.done == plan.pairs for one in scores)
    found: dict[str, Any] = {
        "players": standings(plan.cells, tallies, ratings),
        "pairings": pairings(plan.cells, tallies),
        "terminations": {name: games for name, games in terminations.items() if games},
        "faults": dict(faults),
        "openings": sum(one.done for one in scores),
        "turns": sum(tally.turns for tally in tallies),
        "decisions": sum(one.decisions for one in scores),
        "complete": ended,
        "damaged": tuple(run.damaged),
        "result_hash": run.result_hash(),
    }
    if test is None:
        return found | {"ratings": ratings}
    path = test.path(scores[0])
    ratio = path[-1][1] if path else None
    return found | {
        "test": test, "path": path, "llr": ratio, "state": test.state(ratio, ended=ended)
    }  # fmt: skip


def test_of(run: Run) -> SequentialTest | None:
    """The sequential test that a run is, if it is one."""
    described = run.description["options"].get("sprt")
    return None if described is None else SequentialTest.from_description(described)
