"""Ratings, against choix, a general optimiser, closed forms and players of known strength."""

from __future__ import annotations

import math
from bisect import bisect
from itertools import permutations
from typing import Any

import choix
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from chase_fast.errors import ArgumentError
from chase_fast.stats.crosstable import Results
from chase_fast.stats.ratings import ELO, Ratings, fit_ratings
from tests.stats.simulated import near

pytestmark = pytest.mark.no_core

PLAIN: dict[str, Any] = {"first_move": False, "draws": False, "virtual": False}
HALVES: dict[str, Any] = {"first_move": False, "draws": False}
NAMES = ["a", "b", "c", "d"]


def values(found: Ratings) -> list[float]:
    return [one.value for one in found.players]


def crosstable(rng: np.random.Generator, names: list[str], most: int) -> Results:
    """Everybody against everybody with either side, everything at least once."""
    return {pair: rng.integers(1, most, 3).tolist() for pair in permutations(names, 2)}


# ---- Against other solvers --------------------------------------------------------------------


@given(st.integers(0, 10**6), st.integers(2, 6))
@settings(max_examples=12)
def test_without_its_terms_the_model_is_that_of_choix(seed: int, players: int) -> None:
    rng = np.random.default_rng(seed)
    names = [f"p{number}" for number in range(players)]
    # A ring of wins keeps ratings finite; the rest is chance, and not all of them meet.
    games = [(one, (one + 1) % players) for one in range(players)] + [(1, 0)]
    games += [tuple(rng.choice(players, 2, replace=False)) for _ in range(30)]
    results: dict[tuple[str, str], list[int]] = {}
    for winner, loser in games:
        red, blue = (winner, loser) if rng.random() < 0.5 else (loser, winner)
        counts = results.setdefault((names[red], names[blue]), [0, 0, 0])
        counts[0 if red == winner else 2] += 1
    known = choix.opt_pairwise(players, games, alpha=0, method="BFGS", tol=1e-9)
    found = fit_ratings(names, results, **PLAIN)
    assert values(found) == pytest.approx((known - known.mean()) * ELO, abs=0.01)
    assert (found.first_move, found.draw_term, found.virtual_games) == (None, None, 0)
    assert found.method == "normal"


@pytest.mark.parametrize("first_move", [False, True])
@pytest.mark.parametrize("draws", [False, True])
@pytest.mark.parametrize("virtual", [False, True])
def test_no_other_ratings_are_more_likely(first_move: bool, draws: bool, virtual: bool) -> None:
    results = crosstable(np.random.default_rng(1), NAMES, 30)

    def unlikely(parameters: np.ndarray) -> float:
        """Minus the log-likelihood, game by game as the model says it in words."""
        ratings = dict(zip(NAMES, [0.0, *parameters[:3]], strict=True))
        total = 0.0
        for (red, blue), (wins, drawn, losses) in results.items():
            lead = ratings[red] - ratings[blue] + first_move * parameters[3]
            won, drawn_too, lost = wins + virtual / 4, drawn + virtual / 2, losses + virtual / 4
            if draws:
                nu = math.exp(parameters[4])
                win, loss = math.exp(lead / 2), math.exp(-lead / 2)
                whole = win + nu + loss
                total += won * math.log(win / whole) + lost * math.log(loss / whole)
                total += drawn_too * math.log(nu / whole)
            else:
                share = 1 / (1 + math.exp(-lead))
                total += (won + drawn_too / 2) * math.log(share)
                total += (lost + drawn_too / 2) * math.log(1 - share)
        return -total

    known = minimize(unlikely, np.zeros(5), method="BFGS", options={"gtol": 1e-7}).x
    found = fit_ratings(
        NAMES, results, first_move=first_move, draws=draws, virtual=virtual, anchor="a"
    )
    assert values(found) == pytest.approx([0, *(known[:3] * ELO)], abs=0.01)
    if first_move:
        assert found.first_move is not None
        assert found.first_move.value == pytest.approx(known[3] * ELO, abs=0.01)
    if draws:
        assert found.draw_term == pytest.approx(math.exp(known[4]), rel=1e-4)
    assert found.virtual_games == 12 * virtual


def test_two_players_by_hand() -> None:
    results = {("a", "b"): (30, 24, 10), ("b", "a"): (10, 24, 30)}
    found = fit_ratings(["a", "b"], results, virtual=False, anchor="b")
    # Wins to losses are as 3 to 1, draws the geometric mean of both times nu.
    assert values(found) == pytest.approx([400 * math.log10(3), 0])
    assert found.first_move is not None
    assert found.first_move.value == pytest.approx(0, abs=1e-9)
    assert found.draw_term == pytest.approx(24 / math.sqrt(300))
    with_virtual = fit_ratings(["a", "b"], results, draws=False, first_move=False, anchor="b")
    assert values(with_virtual)[0] == pytest.approx(400 * math.log10((84 + 1) / (44 + 1)))


def test_the_first_move_by_hand() -> None:
    # a with red: odds 6, b with red: odds 3/2; f is the mean of the logarithms.
    results = {("a", "b"): (60, 0, 10), ("b", "a"): (30, 0, 20)}
    found = fit_ratings(["a", "b"], results, virtual=False, anchor="b")
    assert found.first_move is not None
    assert found.first_move.value == pytest.approx(400 * math.log10(3))
    assert values(found)[0] == pytest.approx(400 * math.log10(2))
    assert found.draw_term == 0
    mirrored = {(blue, red): counts[::-1] for (red, blue), counts in results.items()}
    turned = fit_ratings(["a", "b"], mirrored, virtual=False, anchor="b")
    assert turned.first_move is not None
    assert turned.first_move.value == pytest.approx(-400 * math.log10(3))


@given(st.integers(0, 10**6))
@settings(max_examples=6)
def test_order_does_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    results = crosstable(rng, NAMES, 20)
    found = fit_ratings(NAMES, results)
    other = fit_ratings(NAMES[::-1], dict(reversed(list(results.items()))))
    assert values(other) == pytest.approx(values(found)[::-1])
    assert sum(values(found)) == pytest.approx(0, abs=1e-6)
    assert [one.se for one in other.players] == pytest.approx(
        [one.se for one in found.players][::-1]
    )
    assert other.superiority[::-1, ::-1] == pytest.approx(found.superiority)


# ---- Anchors and bounds -----------------------------------------------------------------------


def test_random_is_at_0() -> None:
    names = ["random", *NAMES]
    results = crosstable(np.random.default_rng(2), names, 20)
    found = fit_ratings(names, results)
    assert found.players[0].value == 0
    assert (found.players[0].low, found.players[0].high, found.players[0].se) == (0, 0, 0)
    other = fit_ratings(names, results, anchor="c")
    shift = values(found)[3]
    assert values(other) == pytest.approx([value - shift for value in values(found)])


def bounds(found: Ratings) -> list[str | None]:
    return [one.bounded for one in found.players]


def test_a_player_without_a_point_has_a_bound() -> None:
    results = {
        ("a", "b"): (5, 2, 3), ("b", "a"): (4, 2, 4), ("a", "c"): (9, 0, 0), ("c", "b"): (0, 0, 9),
    }  # fmt: skip
    found = fit_ratings(["a", "b", "c"], results)
    # a and b are finite to each other and make the zero.
    assert bounds(found) == [None, None, "above"]
    assert values(found)[0] + values(found)[1] == pytest.approx(0, abs=1e-6)
    last = found.players[2]
    assert (last.low, last.points, last.games) == (-math.inf, 0, 18)
    assert last.high > last.value
    anchored = fit_ratings(["a", "b", "c"], results, anchor="c")
    assert bounds(anchored) == ["below", "below", None]
    assert anchored.players[0].high == math.inf
    assert anchored.players[0].low < anchored.players[0].value


def test_two_players_without_a_point_between_them() -> None:
    found = fit_ratings(["a", "b"], {("a", "b"): (9, 0, 0), ("b", "a"): (0, 0, 9)})
    assert bounds(found) == ["below", "above"]
    # A draw is a point, but where draws have their own term it may as well be their frequency.
    drew = {("a", "b"): (9, 1, 0), ("b", "a"): (0, 0, 9)}
    assert bounds(fit_ratings(["a", "b"], drew)) == ["below", "above"]
    assert bounds(fit_ratings(["a", "b"], drew, **HALVES)) == [None, None]
    # Not so where other games tell how frequent draws are.
    more = drew | {("a", "c"): (5, 5, 5), ("c", "a"): (5, 5, 5)}
    assert bounds(fit_ratings(["a", "b", "c"], more)) == [None, None, None]


def test_a_chain_of_victories_is_open_in_the_middle() -> None:
    chain = {("a", "b"): (3, 0, 0), ("c", "b"): (0, 0, 3)}
    options: dict[str, Any] = {"first_move": False}
    assert bounds(fit_ratings(["a", "b", "c"], chain, **options)) == ["below", "open", "above"]
    # Both lost to b alone: nothing is known of one against the other.
    lost = {("b", "a"): (3, 0, 0), ("b", "c"): (3, 0, 0)}
    found = fit_ratings(["a", "b", "c"], lost, anchor="a", **options)
    assert bounds(found) == [None, "below", "open"]
    assert (found.players[2].low, found.players[2].high) == (-math.inf, math.inf)


def test_superiority_knows_how_few_the_games_were() -> None:
    for units, least, most in ((1, 0.5, 0.9), (400, 0.999, 1)):
        results = [{("a", "b"): (1, 0, 0), ("b", "a"): (0, 0, 1)}] * units
        found = fit_ratings(["a", "b"], results)
        assert least < found.superiority[0, 1] <= most
        assert found.superiority[0, 1] + found.superiority[1, 0] == pytest.approx(1)


def test_only_draws_tell_no_strength_apart() -> None:
    drawn = {("a", "b"): (0, 40, 0), ("b", "a"): (0, 40, 0)}
    found = fit_ratings(["a", "b"], drawn)
    assert values(found) == pytest.approx([0, 0], abs=1e-9)
    assert found.draw_term == pytest.approx(81 / math.sqrt(0.25))
    assert found.superiority == pytest.approx(np.full((2, 2), 0.5))
    assert bounds(found) == ["open", "open"]
    plain = fit_ratings(["a", "b"], drawn, draws=False, virtual=False)
    assert values(plain) == pytest.approx([0, 0], abs=1e-9)
    assert bounds(plain) == [None, None]
    with pytest.raises(ArgumentError, match="there are no finite ratings"):
        fit_ratings(["a", "b"], drawn, virtual=False)


def test_openings_of_which_some_have_only_draws() -> None:
    """Samples drawn anew may hold only draws, and are fitted all the same."""
    units = [{("a", "b"): (0, 1, 0), ("b", "a"): (0, 1, 0)}] * 40
    units.append({("a", "b"): (1, 0, 0), ("b", "a"): (0, 0, 1)})
    found = fit_ratings(["a", "b"], units, bootstrap=200)
    assert found.method == "bootstrap"
    assert bounds(found) == ["below", "above"]
    assert found.superiority[0, 1] > 0.5


def test_a_first_mover_who_never_wins_has_a_bound_too() -> None:
    found = fit_ratings(["a", "b"], {("a", "b"): (0, 0, 9), ("b", "a"): (0, 0, 9)})
    assert found.first_move is not None
    assert found.first_move.low == -math.inf
    assert found.first_move.value < 0


# ---- Known strengths --------------------------------------------------------------------------

TRUE = {"a": 0.0, "b": 90.0, "c": 250.0}
FIRST = 30.0


def played(
    rng: np.random.Generator, openings: int, *, nu: float, likeness: float
) -> list[dict[tuple[str, str], list[int]]]:
    """Round robins over openings; with chance `likeness` all games of one hang on one number."""
    cuts = {}
    for red, blue in permutations(TRUE, 2):
        lead = (TRUE[red] - TRUE[blue] + FIRST) / ELO
        weights = np.exp([lead / 2, math.log(nu), -lead / 2])
        cuts[red, blue] = np.cumsum(weights / weights.sum())[:2]
    numbers = rng.random((openings, len(cuts)))
    alike = rng.random(openings) < likeness
    numbers[alike] = numbers[alike, :1]
    return [
        {
            pair: [int(place == one) for one in range(3)]
            for (pair, cut), number in zip(cuts.items(), row, strict=True)
            for place in [bisect(cut.tolist(), number)]
        }
        for row in numbers.tolist()
    ]


def test_the_same_seed_gives_the_same_intervals() -> None:
    units = played(np.random.default_rng(3), 60, nu=1, likeness=0.5)
    first = fit_ratings(TRUE, units, seed=4, bootstrap=200)
    again = fit_ratings(TRUE, units, seed=4, bootstrap=200)
    other = fit_ratings(TRUE, units, seed=5, bootstrap=200)
    assert first.players == again.players
    assert np.array_equal(first.superiority, again.superiority)
    assert values(first) == values(other)
    assert first.players != other.players
    assert (first.units, first.method) == (60, "bootstrap")


def test_openings_and_their_total_have_the_same_ratings() -> None:
    units = played(np.random.default_rng(4), 50, nu=1, likeness=0)
    total = {pair: np.sum([unit[pair] for unit in units], axis=0).tolist() for pair in units[0]}
    by_opening, by_count = fit_ratings(TRUE, units), fit_ratings(TRUE, total)
    assert values(by_opening) == pytest.approx(values(by_count))
    assert by_opening.draw_term == pytest.approx(by_count.draw_term)
    assert (by_count.units, by_count.method) == (300, "normal")
    # Independent games: the curvature tells what the bootstrap tells.
    for one, other in zip(by_opening.players, by_count.players, strict=True):
        assert one.se == pytest.approx(other.se, rel=0.25)


def test_few_openings_are_not_drawn_anew() -> None:
    """Each of nine openings is a whole pairing: to draw within them would show no spread."""
    unit = {("a", "b"): (2, 1, 1), ("b", "a"): (1, 1, 2)}
    assert fit_ratings(["a", "b"], [unit] * 9).method == "normal"
    assert fit_ratings(["a", "b"], [unit] * 10).method == "bootstrap"


def coverage(
    runs: int, openings: int, *, nu: float, likeness: float, bootstrap: int
) -> tuple[float, float]:
    """How often b's rating and the first move's advantage lie in their intervals."""
    rng = np.random.default_rng([openings, int(10 * nu), int(10 * likeness)])
    held = [0, 0]
    for run in range(runs):
        units = played(rng, openings, nu=nu, likeness=likeness)
        found = fit_ratings(TRUE, units, anchor="a", bootstrap=bootstrap, seed=run)
        b, first = found.players[1], found.first_move
        assert first is not None
        held[0] += b.low <= TRUE["b"] <= b.high
        held[1] += first.low <= FIRST <= first.high
    return held[0] / runs, held[1] / runs


def test_intervals_of_ratings_keep_their_promise() -> None:
    for share in coverage(25, 100, nu=1, likeness=0.3, bootstrap=100):
        assert share >= 0.8


@pytest.mark.slow
@pytest.mark.parametrize(("nu", "likeness"), [(0.5, 0.0), (0.5, 0.6), (12, 0.6)])
def test_intervals_of_ratings_keep_their_promise_in_full(nu: float, likeness: float) -> None:
    for share in coverage(250, 300, nu=nu, likeness=likeness, bootstrap=200):
        assert near(share, 0.95, 250)


@pytest.mark.slow
def test_normal_intervals_hold_for_independent_games_alone() -> None:
    for share in coverage(250, 300, nu=0.5, likeness=0.0, bootstrap=0):
        assert near(share, 0.95, 250)
    # Games that hang together go to the same side more often than the theory believes.
    assert coverage(250, 300, nu=0.5, likeness=0.6, bootstrap=0)[1] < 0.9


# ---- What is refused --------------------------------------------------------------------------

GAMES = {("a", "b"): (1, 1, 1), ("b", "a"): (1, 1, 1)}


@pytest.mark.parametrize(
    ("players", "results", "options", "message"),
    [
        (["a"], GAMES, {}, "players is a list of 1, expected two or more different names"),
        (["a", "a"], GAMES, {}, "players has 'a' twice, expected"),
        ("ab", GAMES, {}, "players is 'ab', expected"),
        (["a", "b"], {("a", "x"): (1, 0, 0)}, {}, r"results has \('a', 'x'\), expected two of"),
        (["a", "b"], {("a", "a"): (1, 0, 0)}, {}, r"results has \('a', 'a'\), expected two of"),
        (
            ["a", "b"],
            {("a", "b"): (1, 0)},
            {},
            r"results\[.*\] is \(1, 0\), expected wins",
        ),
        (["a", "b"], {("a", "b"): (1, 0, -1)}, {}, "expected wins, draws and losses of red"),
        (["a", "b"], [GAMES, 5], {}, "results has 5, expected a mapping"),
        (["a", "b"], 5, {}, "results is 5, expected a mapping"),
        (["a", "b"], {}, {}, "results do not connect 'a' and 'b', expected games that do"),
        (["a", "b", "c"], GAMES, {}, "results do not connect 'a' and 'c'"),
        (["a", "b"], {("a", "b"): (1, 1, 1)}, {}, "first_move is True, expected False"),
        (["a", "b"], GAMES, {"anchor": "x"}, "anchor is 'x', expected one of None, 'a', 'b'"),
        (["a", "b"], GAMES, {"bootstrap": 7}, "bootstrap is 7, expected an integer from 100"),
        (["a", "b"], GAMES, {"draws": 1}, "draws is 1, expected True or False"),
        (["a", "b"], GAMES, {"seed": -1}, "seed is -1, expected"),
        (
            ["a", "b"],
            {("a", "b"): (9, 0, 0), ("b", "a"): (0, 0, 9)},
            {"virtual": False},
            "virtual is False, expected True: there are no finite ratings",
        ),
    ],
)
def test_what_cannot_be_rated_is_refused(
    players: Any, results: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ArgumentError, match=message):
        fit_ratings(players, results, **options)
