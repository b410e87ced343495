"""What may be said about a tournament in sentences: no more than its games show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from chase_fast.runner import Plan
from chase_fast.stats.crosstable import FEW
from chase_fast.stats.ratings import Ratings
from chase_fast.tournament.sequential import SequentialTest
from chase_fast.tournament.standings import Pairing, Standing

# A share of games cut short above which a score says more about the limit than about the players.
_MANY_CUT_SHORT: Final = 0.01

# How sure it has to be that one player is stronger before it is said.
_SURE: Final = 0.975

# So many texts of faults are told one by one.
_FAULT_TEXTS: Final = 5


def verdicts(found: Mapping[str, Any], plan: Plan) -> list[str]:
    """Sentences about the results, each with what it holds under.

    Args:
        found: Results, by name.
        plan: What was played.
    """
    openings = plan.openings[0]
    under = f"under the rules {plan.cells[0].rules} and the openings of {openings.source}"
    test: SequentialTest | None = found.get("test")
    if test is not None:
        return [_of_test(test, found, under)]
    ratings: Ratings | None = found["ratings"]
    if ratings is None:
        return ["Some players have not met yet, so that there are no ratings."]
    players: tuple[Standing, ...] = found["players"]
    place = {one.player: number for number, one in enumerate(ratings.players)}
    best, *others = (one.player for one in players)
    chances = [float(ratings.superiority[place[best], place[other]]) for other in others]
    chance = min(chances)
    rival = others[chances.index(chance)]
    first = (
        f"{best} is the strongest player of this tournament"
        if chance >= _SURE
        else f"{best} is rated highest, but that it is stronger than {rival} is not shown"
    )
    return [
        f"{first}, {under}: probability that it is stronger than {rival}, {_chance(chance)}.",
        *_first_move(ratings, under),
    ]


def _of_test(test: SequentialTest, found: Mapping[str, Any], under: str) -> str:
    pairing: Pairing = found["pairings"][0]
    unit = "normalized Elo" if test.model == "normalized" else "Elo"
    looked = found["path"][-1][0] if found["path"] else 0
    error0, error1 = (f"{100 * error:g} %" for error in (test.alpha, test.beta))
    better = f"{pairing.a} is better than {pairing.b} by {test.elo1:g} {unit}"
    equal = f"that it is so by {test.elo0:g}"
    match found["state"]:
        case "accepted H1":
            return (
                f"After {looked} openings, {under}, the test accepts H1, that {better}, over H0, "
                f"{equal}. If H0 were true, it would do so in about {error0} of runs."
            )
        case "accepted H0":
            return (
                f"After {looked} openings, {under}, the test rejects H1, that {better}, in favour "
                f"of H0, {equal}. If H1 were true, it would do so in about {error1} of runs."
            )
        case "ended undecided":
            return (
                f"After {looked} openings, {under}, the test is undecided between H1, that "
                f"{better}, and H0, {equal}."
            )
    return f"The test of {pairing.a} against {pairing.b} has not ended."


def _first_move(ratings: Ratings, under: str) -> list[str]:
    term = ratings.first_move
    if term is None:
        return []
    ends = f"{term.value:+.1f} Elo, 95 % interval {term.low:+.1f} to {term.high:+.1f}"
    if term.low > 0 or term.high < 0:
        side = "first" if term.low > 0 else "second"
        return [f"Over all players, moving {side} was an advantage, {under}: {ends}."]
    return [f"An advantage of moving first or second is not shown, {under}: {ends}."]


def _chance(value: float) -> str:
    """A probability that never reads as certainty."""
    return "above 0.999" if value > 0.999 else f"{value:.3f}"


def warnings_of(found: Mapping[str, Any], unrepeatable: Sequence[str]) -> list[str]:
    """What to bear in mind about the results.

    Args:
        found: Results, by name.
        unrepeatable: Players whose games cannot be played again.
    """
    said = []
    games = sum(found["terminations"].values())
    cut_short = found["terminations"].get("turn_limit", 0)
    if cut_short > _MANY_CUT_SHORT * games:
        said.append(
            f"{cut_short} of {games} games ({cut_short / games:.1%}) were cut short by the turn "
            "limit and count half a point for either player."
        )
    if unrepeatable:
        said.append(
            "This run cannot be repeated exactly: programs, clocks or several threads decide in "
            f"the games of {', '.join(unrepeatable)}."
        )
    for one in found["players"]:
        said += _faults_of(one)
    said += _fault_texts(found["faults"])
    ratings: Ratings | None = found.get("ratings")
    if ratings is not None and ratings.method == "normal":
        said.append(
            "Intervals of ratings take games as independent, which those of one opening are not: "
            f"for intervals by openings there have to be {FEW} of them, and replications."
        )
    if found.get("test") is not None and found["state"] in ("accepted H0", "accepted H1"):
        said.append(
            "A sequential test stops when its games lean one way: the score of games up to there "
            "overstates the difference."
        )
    return said


def _faults_of(one: Standing) -> list[str]:
    faults = {
        "by a crash": one.crashes,
        "on time": one.time_losses,
        "by an illegal decision": one.illegal,
    }
    told = [f"{number} {how}" for how, number in faults.items() if number]
    if not told:
        return []
    return [f"{one.player} lost games by faults of its own: {', '.join(told)}, of {one.games}."]


def _fault_texts(faults: Mapping[str, int]) -> list[str]:
    """What programs did wrong, the most frequent first; each decision may bring a text its own."""
    often = sorted(faults.items(), key=lambda item: -item[1])
    told = [
        f"In {count(number, 'game')}: {' '.join(text.split())}"
        for text, number in often[:_FAULT_TEXTS]
    ]
    rest = sum(number for _, number in often[_FAULT_TEXTS:])
    return [*told, f"In {count(rest, 'more game')}: other faults."] if rest else told


def count(number: int, noun: str) -> str:
    """``1 game``, ``2 games``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
