"""First turns of games, so that players without chance do not play the same game twice."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, islice

from chase_fast._arguments import flag, instance, whole_number
from chase_fast._core import Position, Rules, StopFlag, _perft
from chase_fast._threads import poll
from chase_fast.batch import MAX_SEED
from chase_fast.errors import ArgumentError, StoppedError
from chase_fast.game import Game
from chase_fast.replay import playout_game

__all__ = ["MAX_OPENINGS", "MAX_OPENING_TURNS", "random_openings"]

MAX_OPENING_TURNS = 100
MAX_OPENINGS = 10**7

# Candidates in a row that bring nothing new before it is taken that there is nothing more.
_PATIENCE = 2000

# Of so many times the openings wanted, a sample that is drawn at random finds enough.
_PLENTY = 10
_COUNTED_TURNS = 4  # in some hundredths of a second
_TURNS = 1  # the unit of the count


def random_openings(
    rules: Rules,
    turns: int,
    openings: int,
    *,
    seed: int = 0,
    distinct: bool = True,
    stop: StopFlag | None = None,
) -> Iterator[Game]:
    """Unfinished games of so many uniformly random turns from the start.

    The n-th one depends on all arguments but the number of openings. Candidate k is the playout
    with index k of the seed, cut off after so many turns; those that are over, or end in a
    position that there was already, are passed over.

    Args:
        rules: What they are played under.
        turns: 0 to `MAX_OPENING_TURNS`.
        openings: How many, 1 to `MAX_OPENINGS`.
        seed: 0 to 2**64 - 1.
        distinct: Whether all of them end in different positions.
        stop: Ends it early; polled for each candidate.

    Yields:
        Games.

    Raises:
        ArgumentError: An argument that is not as described, at the call. Or there are not so many
            openings, at the call, too, where it is that few turns have few.
        StoppedError: The flag was set; at the call or later.
    """
    rules = instance(rules, "rules", Rules, "Rules")
    turns = whole_number(turns, "turns", 0, MAX_OPENING_TURNS)
    openings = whole_number(openings, "openings", 1, MAX_OPENINGS)
    seed = whole_number(seed, "seed", 0, MAX_SEED)
    distinct = flag(distinct, "distinct")
    stop = StopFlag() if stop is None else stop
    instance(stop, "stop", StopFlag, "a StopFlag or None")
    found = _any(rules, turns, seed, stop)
    if distinct:
        found = _distinct(found)
    wanted = _exactly(openings, found, f"of {turns} turns under {rules}")
    sequences = _perft(Position.start(rules), min(turns, _COUNTED_TURNS), _TURNS, stop)
    if sequences is None:
        raise StoppedError("stopped")
    if distinct and sequences < _PLENTY * openings:
        # There may be too few, which must be known before hours of play.
        return iter(list(wanted))
    return wanted


def _exactly(openings: int, found: Iterator[Game], what: str) -> Iterator[Game]:
    number = 0
    for game in islice(found, openings):
        number += 1
        yield game
    if number < openings:
        raise ArgumentError(
            f"openings is {openings}, but {what} no more than {number} are to be found; ask for "
            "fewer, or for other turns"
        )


def _any(rules: Rules, turns: int, seed: int, stop: StopFlag) -> Iterator[Game]:
    """All candidates under way; ends if none comes up any more."""
    start = Position.start(rules)
    if turns == 0:
        while True:
            yield Game(start)
    fruitless = 0
    for candidate in count():
        poll(stop)
        game = playout_game(start, candidate, seed=seed, max_turns=turns)
        if game.outcome is None and game.turn_count == turns:
            fruitless = 0
            yield game
        elif (fruitless := fruitless + 1) == _PATIENCE:
            return


def _distinct(games: Iterator[Game]) -> Iterator[Game]:
    """Those that end in new positions; ends if none comes up any more."""
    seen: set[Position] = set()
    fruitless = 0
    for game in games:
        if game.position not in seen:
            seen.add(game.position)
            fruitless = 0
            yield game
        elif (fruitless := fruitless + 1) == _PATIENCE:
            return
