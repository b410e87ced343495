"""Random openings: what they are drawn from, and what they depend on."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import Any

import pytest

import chase_fast as cf
from chase_fast import openings
from chase_fast._core import StopFlag
from chase_fast.errors import StoppedError
from chase_fast.openings import random_openings
from chase_fast.replay import playout_game

RULES = ["standard", "reserve=0", "chain=yes,reserve=2", "russian", "handout=any,wrap=no"]


@pytest.mark.parametrize("text", RULES)
@pytest.mark.parametrize("turns", [1, 4, 7])
def test_openings_are_unfinished_games_with_so_many_turns(text: str, turns: int) -> None:
    rules = cf.Rules.parse(text)
    games = list(random_openings(rules, turns, 30, seed=3))
    assert len(games) == 30
    for game in games:
        assert game.start == cf.Position.start(rules)
        assert (game.turn_count, game.turn_ended, game.outcome) == (turns, True, None)
    assert len({game.position for game in games}) == 30


def test_an_opening_depends_on_rules_turns_seed_and_its_number_alone() -> None:
    rules = cf.Rules()
    games = list(random_openings(rules, 4, 50, seed=9))
    assert list(random_openings(rules, 4, 50, seed=9)) == games
    assert list(random_openings(rules, 4, 20, seed=9)) == games[:20]
    assert list(islice(random_openings(rules, 4, 1000, seed=9), 50)) == games
    for other in (random_openings(rules, 4, 50, seed=10), random_openings(rules, 5, 50, seed=9)):
        assert not {g.position for g in other} & {g.position for g in games}


def test_openings_are_random_playouts_cut_off() -> None:
    """Each decision as the playouts of the core have it, so uniform over the legal ones."""
    start = cf.Position.start()
    drawn = list(random_openings(cf.Rules(), 3, 40, seed=2, distinct=False))
    assert drawn == [playout_game(start, n, seed=2, max_turns=3) for n in range(40)]


def test_first_decisions_are_uniform() -> None:
    first = Counter(g.moves[0] for g in random_openings(cf.Rules(), 1, 4600, distinct=False))
    assert len(first) == 46
    chi_square = sum((n - 100) ** 2 / 100 for n in first.values())
    assert chi_square < 85.0  # 99.97 % of samples with 45 degrees of freedom


def test_all_openings_of_one_turn_are_found_and_no_more() -> None:
    start = cf.Position.start()
    after = {start.apply(move) for move in start.legal_moves}
    games = random_openings(cf.Rules(), 1, len(after))
    assert {game.position for game in games} == after
    with pytest.raises(
        cf.ArgumentError, match=f"of 1 turns under standard no more than {len(after)}"
    ):
        random_openings(cf.Rules(), 1, len(after) + 1)


def test_no_turns() -> None:
    assert list(random_openings(cf.Rules(), 0, 1)) == [cf.Game()]
    assert list(random_openings(cf.Rules(), 0, 3, distinct=False)) == [cf.Game()] * 3
    with pytest.raises(cf.ArgumentError, match="no more than 1"):
        random_openings(cf.Rules(), 0, 2)


def test_too_few_are_known_before_the_first_is_given() -> None:
    with pytest.raises(cf.ArgumentError, match="openings is 5000, but of 2 turns"):
        random_openings(cf.Rules(), 2, 5000)


def test_where_all_games_are_over_so_soon_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    lost = cf.Game(cf.Position.parse("2bE2E1E/9/b1E1c2c1/2bcE3c/3b5/9/9/5c3/3b5 r - 5/0"))
    assert lost.outcome is not None
    monkeypatch.setattr(openings, "playout_game", lambda *_, **__: lost)
    games = random_openings(cf.Rules(), 9, 5)
    with pytest.raises(cf.ArgumentError, match="of 9 turns under standard no more than 0"):
        next(games)


@pytest.mark.parametrize(
    ("turns", "number"),
    [(2, 500), (9, 500)],  # all of them at the call, or one by one
)
def test_drawing_ends_where_its_flag_is_set(
    monkeypatch: pytest.MonkeyPatch, turns: int, number: int
) -> None:
    stop, drawn = StopFlag(), list[cf.Game]()

    def draw(*arguments: Any, **options: Any) -> cf.Game:
        drawn.append(playout_game(*arguments, **options))
        if len(drawn) == 7:
            stop.set()
        return drawn[-1]

    monkeypatch.setattr(openings, "playout_game", draw)
    with pytest.raises(StoppedError):
        list(random_openings(cf.Rules(), turns, number, stop=stop))
    assert len(drawn) == 7


def test_sequences_are_not_counted_where_the_flag_is_set() -> None:
    stop = StopFlag()
    stop.set()
    with pytest.raises(StoppedError):
        random_openings(cf.Rules(), 4, 1, stop=stop)
