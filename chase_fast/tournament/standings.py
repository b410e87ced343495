"""Results of the games of a tournament: by pairing, by player, and as ratings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from chase_fast.cells import TERMINATIONS, Cell
from chase_fast.runner import CellScores, Plan
from chase_fast.stats.elo import PairScore, pair_score
from chase_fast.stats.ratings import Rating, Ratings, fit_ratings
from chase_fast.store import Run

FAULTS: Final = ("illegal", "crash", "time")
"""Ways to lose by a fault of the player and not of its play."""

_COLUMNS: Final = (
    "opening", "game", "winner", "a_is_red", "termination", "decisions", "turns", "fault"
)  # fmt: skip
_CUT_SHORT: Final = TERMINATIONS.index("turn_limit")
_MOST_FAULTS: Final = 5

# Half points of red in a game by the place in wins, draws and losses.
_RESULTS: Final = (2, 1, 0)


@dataclass(slots=True)
class Tally:
    """What the stored games of a cell come to.

    Attributes:
        scores: Points by opening and game, and terminations.
        wins: Games that A won.
        losses: Games that A lost.
        cut_short: Games that the turn limit ended.
        turns: Of all games, without those of openings.
        faults: Games that A and B lost by faults of their own, by termination.
        texts: What was wrong, with the number of games; the first few different texts.
    """

    scores: CellScores
    wins: int = 0
    losses: int = 0
    cut_short: int = 0
    turns: int = 0
    faults: tuple[Counter[str], Counter[str]] = field(
        default_factory=lambda: (Counter(), Counter())
    )
    texts: Counter[str] = field(default_factory=Counter)

    @property
    def games(self) -> int:
        """Games played."""
        return int(self.scores.terminations.sum())

    def add(self, rows: Any, openings: int, seconds: float) -> None:
        """Adds the rows of a chunk, a table of pyarrow with the columns that are needed."""
        self.scores.add(rows, openings, seconds)
        winner = rows.column("winner").to_numpy()
        a_is_red = rows.column("a_is_red").to_numpy()
        termination = rows.column("termination").to_numpy()
        # Sides are 0 and 1, so that A, where it is red, has won the games of winner 0.
        won = (winner >= 0) & ((winner == 0) == a_is_red)
        lost = (winner >= 0) & ~won
        self.wins += int(won.sum())
        self.losses += int(lost.sum())
        self.cut_short += int((termination == _CUT_SHORT).sum())
        self.turns += int(rows.column("turns").to_numpy().sum())
        for name in FAULTS:
            of_kind = termination == TERMINATIONS.index(name)
            for faults, games in zip(self.faults, (lost & of_kind, won & of_kind), strict=True):
                faults[name] += int(games.sum())
        texts = rows.column("fault")
        if texts.null_count < len(texts):
            for text in texts.to_pylist():
                if text and (text in self.texts or len(self.texts) < _MOST_FAULTS):
                    self.texts[text] += 1


def read_tallies(run: Run, plan: Plan) -> list[Tally]:
    """Reads the games of a run, by cell.

    Raises:
        StoreError: A file is missing or damaged.
    """
    tallies = [Tally(CellScores(plan.pairs)) for _ in plan.cells]
    for chunk, rows in run.read("games", _COLUMNS):
        tallies[chunk.cell].add(rows, chunk.count, chunk.seconds)
    return tallies


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two players' games, from the view of the first.

    Attributes:
        a: The first player's text.
        b: The other's.
        games: Games played.
        wins: Games that A won.
        draws: Games drawn, those cut short apart.
        losses: Games that A lost.
        cut_short: Games that the turn limit ended; they count ½.
        pentanomial: Openings in which A got 0, ½, 1, 1½ and 2 points.
        summary: Score, interval and Elo of A; None before there is a game.
    """

    a: str
    b: str
    games: int
    wins: int
    draws: int
    losses: int
    cut_short: int
    pentanomial: tuple[int, ...]
    summary: PairScore | None


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's results.

    Attributes:
        player: Its text.
        rating: With its interval; None where there are no ratings.
        games: Games played.
        wins: Games won.
        draws: Games drawn, those cut short apart.
        losses: Games lost.
        cut_short: Games that the turn limit ended; they count ½.
        crashes: Games lost by a crash; among the losses, as the next two.
        time_losses: Games lost on time.
        illegal: Games lost by a decision that is not legal.
    """

    player: str
    rating: Rating | None
    games: int
    wins: int
    draws: int
    losses: int
    cut_short: int
    crashes: int
    time_losses: int
    illegal: int

    @property
    def points(self) -> float:
        """Wins and half of what has no winner."""
        return self.wins + (self.draws + self.cut_short) / 2

    @property
    def score(self) -> float | None:
        """Points a game; None without games."""
        return self.points / self.games if self.games else None


def pairings(cells: Sequence[Cell], tallies: Sequence[Tally]) -> tuple[Pairing, ...]:
    """The results of each cell, in their order."""
    return tuple(_pairing(cell, tally) for cell, tally in zip(cells, tallies, strict=True))


def _pairing(cell: Cell, tally: Tally) -> Pairing:
    draws = tally.games - tally.wins - tally.losses - tally.cut_short
    pentanomial = tally.scores.pentanomial()
    return Pairing(
        str(cell.a), str(cell.b), tally.games, tally.wins, draws, tally.losses, tally.cut_short,
        tuple(pentanomial), pair_score(pentanomial) if any(pentanomial) else None,
    )  # fmt: skip


def standings(
    cells: Sequence[Cell], tallies: Sequence[Tally], ratings: Ratings | None
) -> tuple[Standing, ...]:
    """The results of each player, the best first: by rating, or else by score."""
    names = player_names(cells)
    sums: dict[str, Counter[str]] = {name: Counter() for name in names}
    for cell, tally in zip(cells, tallies, strict=True):
        both = ((cell.a, tally.wins, tally.losses), (cell.b, tally.losses, tally.wins))
        for (player, wins, losses), faults in zip(both, tally.faults, strict=True):
            sums[str(player)].update(
                games=tally.games, wins=wins, losses=losses, cut_short=tally.cut_short,
                draws=tally.games - wins - losses - tally.cut_short, **faults,
            )  # fmt: skip
    rated = {} if ratings is None else {one.player: one for one in ratings.players}
    found = [
        Standing(
            name, rated.get(name), one["games"], one["wins"], one["draws"], one["losses"],
            one["cut_short"], one["crash"], one["time"], one["illegal"],
        )
        for name, one in sums.items()
    ]  # fmt: skip
    # The order of the players decides among equals: sorting is stable.
    return tuple(sorted(found, key=_rank, reverse=True))


def _rank(standing: Standing) -> tuple[float, float]:
    score = -1.0 if standing.score is None else standing.score
    return (standing.rating.value if standing.rating is not None else 0.0, score)


def player_names(cells: Sequence[Cell]) -> list[str]:
    """All players, in the order in which they first play."""
    return list(dict.fromkeys(str(player) for cell in cells for player in (cell.a, cell.b)))


def rate(
    cells: Sequence[Cell], scores: Sequence[CellScores], *, bootstrap: int, seed: int = 0
) -> Ratings | None:
    """Ratings of all players, by all games of each opening.

    Args:
        cells: Who played whom.
        scores: Of the games that were played.
        bootstrap: Replications for the intervals, or 0 for those of normal theory.
        seed: Of the replications.

    Returns:
        The ratings; None as long as two players that are to meet have not met.
    """
    if not all(one.done for one in scores):
        return None
    names = player_names(cells)
    results = list(_openings(cells, scores)) if bootstrap else _totals(cells, scores)
    return fit_ratings(names, results, bootstrap=bootstrap, seed=seed)


def _kinds(
    cells: Sequence[Cell], scores: Sequence[CellScores]
) -> Iterator[tuple[tuple[str, str], npt.NDArray[np.int8]]]:
    """Red and blue of each kind of game, and red's half points by opening, -1 where unplayed."""
    for cell, one in zip(cells, scores, strict=True):
        names = str(cell.a), str(cell.b)
        yield names, one.red[0]
        yield names[::-1], one.red[1]


def _totals(
    cells: Sequence[Cell], scores: Sequence[CellScores]
) -> dict[tuple[str, str], list[int]]:
    return {
        kind: [int((red == points).sum()) for points in _RESULTS]
        for kind, red in _kinds(cells, scores)
    }


def _openings(
    cells: Sequence[Cell], scores: Sequence[CellScores]
) -> Iterator[dict[tuple[str, str], tuple[int, int, int]]]:
    """Wins, draws and losses of red of each opening that was played."""
    one_hot = {2: (1, 0, 0), 1: (0, 1, 0), 0: (0, 0, 1)}
    columns = [(kind, red.tolist()) for kind, red in _kinds(cells, scores)]
    for opening in range(len(columns[0][1])):
        found = {kind: one_hot[red[opening]] for kind, red in columns if red[opening] >= 0}
        if found:
            yield found
