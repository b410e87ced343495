"""Ratings of players from all games between them, on Elo's scale.

The model stands in `davidson`. Openings are the unit: intervals come from drawing openings anew,
with all their games. From mere counts of games they come from the curvature of the likelihood,
which takes games to be independent. Needs the extra `stats` (scipy).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from chase_fast._arguments import as_int, choice, flag, whole_number
from chase_fast.errors import ArgumentError
from chase_fast.stats.arrays import Floats
from chase_fast.stats.crosstable import FEW, Results, Table, player_names, table
from chase_fast.stats.davidson import fit
from chase_fast.stats.estimates import MOST_REPLICATIONS, Estimate
from chase_fast.stats.intervals import check_confidence
from chase_fast.stats.separation import unbounded

Bounded = Literal["above", "below", "open"]
"""The rating is at most that; at least that; neither is known."""

ELO: Final = 400 / math.log(10)
"""Elo of one unit of the natural scale, on which odds are exp(difference)."""

# Sets of results that are fitted together.
_BLOCK: Final = 250

# What a virtual game counts as: win, draw, loss.
_VIRTUAL: Final = np.array([0.25, 0.5, 0.25])


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's rating.

    Attributes:
        player: Its name.
        value: In Elo. Where `bounded` it is where the virtual games put it, and no estimate.
        low: Lower end of its interval; -inf where the games do not bound it.
        high: Upper end; inf likewise.
        se: Standard error; 0 for the anchor.
        bounded: None for an estimate. "above": at most `value`, as for a player without a point;
            "below": at least `value`, as for one who never lost any; "open": the games tell
            neither. All as seen from the anchor, or the mean.
        games: How many it played, the virtual ones apart.
        points: What it scored in them.
    """

    player: str
    value: float
    low: float
    high: float
    se: float
    bounded: Bounded | None
    games: int
    points: float


@dataclass(frozen=True, slots=True)
class Ratings:
    """Ratings of all players, and what was found beside them.

    Attributes:
        players: In the order given.
        first_move: Advantage of the first mover in Elo; None without that term.
        draw_term: Davidson's nu; a draw between equals is nu / 2 times as likely as a decision.
            None without that term. The virtual games count here; without them it is 0 where no game
            was drawn, and infinite where all were.
        superiority: Chance that the player of the row is better than that of the column, shape
            (n, n); ½ on the diagonal.
        units: Openings, or games if only counts were given.
        virtual_games: Games that were added, two for every two players that met.
        method: Where the intervals come from.
    """

    players: tuple[Rating, ...]
    first_move: Estimate | None
    draw_term: float | None
    superiority: Floats
    units: int
    virtual_games: int
    method: Literal["bootstrap", "normal"]


def fit_ratings(
    players: Iterable[str],
    results: Results | Iterable[Results],
    *,
    first_move: bool = True,
    draws: bool = True,
    virtual: bool = True,
    anchor: str | None = None,
    bootstrap: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
) -> Ratings:
    """Rates players by their games.

    One virtual drawn pair (a game with either side) is added for every two players that met; it
    keeps ratings finite where a player has no point, and draws all of them a little together. Each
    of its games counts as a half draw, a quarter win and a quarter loss: mere draws would leave
    ratings infinite where draws have a term of their own and nobody ever lost to a weaker player.

    Args:
        players: Their names, two or more, all different.
        results: Wins, draws and losses of red by (red, blue), for all games together; or an
            iterable of such mappings, one for each opening with all the games that began with it.
        first_move: Whether the first mover has an advantage, the same for all.
        draws: Whether draws have a term of their own; else a draw is half a win.
        virtual: Whether the virtual games are added.
        anchor: The player at 0; None for "random" if that is among them. Else the mean is 0: of
            all players, or of the largest group within which all ratings are finite.
        bootstrap: Replications for intervals, if results come by openings, at least ten of them: 0
            or 100 to `MOST_REPLICATIONS`. With 0, or without virtual games, they are of normal
            theory.
        seed: 0 to 2**64 - 1; the same one gives the same intervals (under one version of numpy).
        confidence: Of intervals, above 0 and below 1.

    Raises:
        ArgumentError: An argument that is not as described; players whose games do not connect
            them; a first-move term where nobody played both sides; ratings that are infinite
            without virtual games.

    Source: as in `davidson`; intervals as `estimates.clustered_bootstrap`.

    >>> found = fit_ratings(["a", "b"], {("a", "b"): (60, 20, 20), ("b", "a"): (20, 20, 60)})
    >>> [round(one.value) for one in found.players], round(found.first_move.value)
    ([95, -95], 0)
    """
    names = player_names(players)
    for name, value in (("first_move", first_move), ("draws", draws), ("virtual", virtual)):
        flag(value, name)
    if as_int(bootstrap) != 0:
        whole_number(bootstrap, "bootstrap", 100, MOST_REPLICATIONS)
    whole_number(seed, "seed", 0, 2**64 - 1)
    check_confidence(confidence)
    choice(anchor, "anchor", (None, *names))
    counts_only = isinstance(results, Mapping)
    games = table(names, [results] if isinstance(results, Mapping) else results)
    design = games.design(len(names), first_move=first_move)
    if np.linalg.matrix_rank(design) < len(names) - 1 + first_move:
        raise ArgumentError(
            "first_move is True, expected False: it cannot be told from strength, since too few "
            "players had both sides"
        )
    reach = games.reach(len(names))
    zero = anchor or ("random" if "random" in names else None)
    core = _largest_group(reach) if zero is None else [names.index(zero)]
    model = _Model(games.both_ways() if virtual else games, len(names), core, first_move, draws)
    found = model.fit(virtual)
    drawn = None
    if not counts_only and bootstrap and virtual and len(games.units) >= FEW:
        drawn = model.replications(bootstrap, seed)
    return _Summary(names, reach, model, found, drawn, confidence).ratings(virtual)


class _Curves(NamedTuple):
    """What several sets of results say, in natural units.

    Attributes:
        ratings: Shape (s, n).
        first: Advantages of the first move, shape (s,).
        nu: The draw term of the first set.
        covariance: Of ratings and advantage, of the first set, shape (n + 1, n + 1).
    """

    ratings: Floats
    first: Floats
    nu: float
    covariance: Floats


class _Model:
    """A table, and how the parameters of a fit become ratings."""

    def __init__(
        self, games: Table, players: int, core: list[int], first_move: bool, draws: bool
    ) -> None:
        # The first player stands at 0 for the fit; the shift puts the mean of the core there.
        self.design = games.design(players, first_move=first_move)[:, 1:]
        self.games = games
        self.first_move = first_move
        self.draws = draws
        self.shift = np.eye(players)
        self.shift[:, core] -= 1 / len(core)

    def fit(self, virtual: bool) -> _Curves:
        """Fits the results as they are.

        Raises:
            ArgumentError: There is no finite maximum.
        """
        total = self.games.total()
        if virtual:
            return self._curves(total[None] + _VIRTUAL)
        if any(fall or rise for fall, rise in self.unbounded()):
            raise ArgumentError("virtual is False, expected True: there are no finite ratings")
        return self._curves(total[None])

    def replications(self, number: int, seed: int) -> _Curves:
        """Fits results of units drawn anew, within each stratum as many as there are."""
        rng = np.random.default_rng(seed)
        flat = self.games.units.reshape(len(self.games.units), -1)
        results = np.zeros((number, flat.shape[1]))
        for start in range(0, number, _BLOCK):
            sets = results[start : start + _BLOCK]
            for stratum in self.games.strata:
                size = len(stratum)
                sets += rng.multinomial(size, np.full(size, 1 / size), len(sets)) @ flat[stratum]
        return self._curves(results.reshape(number, -1, 3) + _VIRTUAL)

    def unbounded(self) -> list[tuple[bool, bool]]:
        """Of each rating, and of the first move, whether it can fall and rise without end."""
        n = len(self.shift)
        targets = np.eye(n + self.first_move)
        targets[:n, :n] = self.shift
        total = self.games.total()
        design = self.games.design(n, first_move=self.first_move)
        return unbounded(design, total, targets, draws=self.draws)

    def _curves(self, results: Floats) -> _Curves:
        """Fits sets of results, shape (s, p, 3)."""
        wins, drawn, losses = results[0].sum(axis=0)
        # Only without virtual games, where there is one set: no draw, or nothing else, would make
        # the draw term infinite.
        term = self.draws and drawn > 0 and wins + losses > 0
        parameters, information = fit(self.design, results, draws=term)
        n = len(self.shift)
        wide = n - 1 + self.first_move
        found = np.zeros((len(results), n + 1))
        found[:, 1 : 1 + wide] = parameters[:, :wide]
        covariance = np.zeros((n + 1, n + 1))
        inverse = np.linalg.inv(information[0])
        covariance[1 : 1 + wide, 1 : 1 + wide] = inverse[:wide, :wide]
        shift = np.eye(n + 1)
        shift[:n, :n] = self.shift
        nu = math.exp(parameters[0, -1]) if term else 0.0
        return _Curves(found[:, :n] @ self.shift.T, found[:, n], nu, shift @ covariance @ shift.T)


class _Summary(NamedTuple):
    """All that makes up the answer."""

    names: list[str]
    reach: npt.NDArray[np.bool_]
    model: _Model
    found: _Curves
    drawn: _Curves | None
    confidence: float

    def ratings(self, virtual: bool) -> Ratings:
        ends = self.model.unbounded()
        return Ratings(
            tuple(self._rating(player, *ends[player]) for player in range(len(self.names))),
            self._first_move(*ends[-1]) if self.model.first_move else None,
            self.found.nu if self.model.draws else None,
            self._superiority(),
            self._units(),
            len(self.model.games.kinds) if virtual else 0,
            "normal" if self.drawn is None else "bootstrap",
        )

    def _units(self) -> int:
        games = self.model.games
        return int(games.total().sum()) if self.drawn is None else len(games.units)

    def _rating(self, player: int, falls: bool, rises: bool) -> Rating:
        column = None if self.drawn is None else self.drawn.ratings[:, player]
        variance = max(float(self.found.covariance[player, player]), 0.0)
        found = self._estimate(float(self.found.ratings[0, player]), variance, column)
        low, high = -math.inf if falls else found.low, math.inf if rises else found.high
        bounded: Bounded | None = None
        if falls or rises:
            bounded = "open" if falls and rises else "above" if falls else "below"
        games, points = 0, 0.0
        table = self.model.games
        for (red, blue), (wins, draws, losses) in zip(table.kinds, table.total(), strict=True):
            if player in (red, blue):
                games += int(wins + draws + losses)
                points += float((wins if player == red else losses) + draws / 2)
        error = found.se or 0.0
        return Rating(self.names[player], found.value, low, high, error, bounded, games, points)

    def _first_move(self, falls: bool, rises: bool) -> Estimate:
        column = None if self.drawn is None else self.drawn.first
        variance = float(self.found.covariance[-1, -1])
        found = self._estimate(float(self.found.first[0]), variance, column)
        low, high = -math.inf if falls else found.low, math.inf if rises else found.high
        return found._replace(low=low, high=high)

    def _estimate(self, value: float, variance: float, column: Floats | None) -> Estimate:
        """In Elo, from natural units."""
        error = math.sqrt(variance)
        if column is None:
            reach = NormalDist().inv_cdf((1 + self.confidence) / 2) * error
            low, high = value - reach, value + reach
        else:
            tail = (1 - self.confidence) / 2
            low, high = (float(end) for end in np.quantile(column, [tail, 1 - tail]))
            error = float(column.std(ddof=1))
        return Estimate(value * ELO, low * ELO, high * ELO, error * ELO, self._units())

    def _superiority(self) -> Floats:
        n = len(self.names)
        chances = np.full((n, n), 0.5)
        for i in range(n):
            for j in range(i):
                chances[i, j] = self._better(i, j)
                chances[j, i] = 1 - chances[i, j]
        return chances

    def _better(self, i: int, j: int) -> float:
        # Where one of them has no point against the other, nor by way of others, all samples
        # agree, however few the games; the curvature of the likelihood knows how few.
        if self.drawn is not None and self.reach[i, j] and self.reach[j, i]:
            lead = self.drawn.ratings[:, i] - self.drawn.ratings[:, j]
            return float(np.mean(lead > 0) + np.mean(lead == 0) / 2)
        of = self.found.covariance
        error = math.sqrt(of[i, i] + of[j, j] - 2 * of[i, j])
        return NormalDist().cdf((self.found.ratings[0, i] - self.found.ratings[0, j]) / error)


def _largest_group(reach: npt.NDArray[np.bool_]) -> list[int]:
    """The most players whose ratings are finite to each other; all, if that is one or a tie."""
    groups = {tuple(np.flatnonzero(row).tolist()) for row in reach & reach.T}
    sizes = sorted((len(group) for group in groups), reverse=True)
    if sizes[0] == 1 or sizes[0] in sizes[1:]:
        return list(range(len(reach)))
    return next(list(group) for group in groups if len(group) == sizes[0])
