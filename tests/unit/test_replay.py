"""One playout decision by decision, and the totals of many, against the compiled core."""

from __future__ import annotations

import pytest

from chase_fast import (
    RED,
    ArgumentError,
    Position,
    Rules,
    Termination,
    playout_batches,
    playouts,
)
from chase_fast.replay import playout_game, playout_outcome
from chase_fast.stats import wilson
from chase_fast.tally import COUNTERS, TERMINATIONS, Tally


@pytest.mark.parametrize(
    ("rules", "max_turns"),
    [
        ("standard", 1000),
        ("standard", 50),
        ("reserve=2", 1),
        ("chain=yes,reserve=16", 1000),
        ("handout=any,repetition=moves", 1000),
        ("wrap=no,ricochet=no,repetition=none", 300),
    ],
)
def test_the_game_is_the_one_of_the_core(rules: str, max_turns: int) -> None:
    start = Position.start(Rules.parse(rules))
    first = 2**33 - 5  # both words of the index change on the way
    games = playouts(start, 12, seed=7, first_game=first, max_turns=max_turns)
    for number, row in enumerate(games.array):
        game = playout_game(start, first + number, seed=7, max_turns=max_turns)
        outcome = playout_outcome(game)
        assert game.start == start
        assert (game.turn_count, len(game.moves)) == (row["turns"], row["decisions"])
        assert outcome.termination == str(Termination(row["termination"]))
        assert outcome.winner == (None if row["winner"] < 0 else row["winner"])
        options = sum(len(position.legal_moves) for position in game.positions[:-1])
        assert options == row["options"]


def test_a_game_that_is_over_stays_so() -> None:
    over = Position.parse("2bE2E1E/9/b1E1c2c1/2bcE3c/3b5/9/9/5c3/3b5 r - 5/0")
    game = playout_game(over)
    assert game.moves == ()
    assert playout_outcome(game).termination == "no_decision"


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"game": -1}, "^game is -1, expected an integer from 0 to 18446744073709551615"),
        ({"game": 2**64}, "^game is 18446744073709551616"),
        ({"seed": 2**64}, "seed is 18446744073709551616"),
        ({"max_turns": 0}, "max_turns is 0"),
    ],
)
def test_arguments_are_checked(arguments: dict[str, int], what: str) -> None:
    with pytest.raises(ArgumentError, match=what):
        playout_game(Position.start(), **arguments)


# ---- Totals ----------------------------------------------------------------------------------


def test_totals_are_those_of_the_rows() -> None:
    games = playouts(Position.start(), 300, seed=3, max_turns=150)
    tally = Tally()
    tally.add(games)
    summary = games.summary()
    assert tally.games == 300
    assert tally.wins[RED] == summary["red_wins"] > 0
    assert {str(word): n for word, n in tally.terminations.items()} == summary["terminations"]
    assert tally.terminations[Termination.TURN_LIMIT] > 0
    assert tally.red_score == summary["red_score"]
    assert tally.options.ratio == pytest.approx(summary["options_per_decision"])
    for name, mean in summary["per_game"].items():
        assert tally.counters[name].mean == pytest.approx(mean)
    assert tally.counters["longest_chain"].highest == summary["longest_chain"]
    assert sum(tally.terminations.values()) == 300
    assert tally.without_winner == 300 - summary["red_wins"] - summary["blue_wins"]
    points = summary["red_wins"] + tally.without_winner / 2
    assert tally.red_score_interval(confidence=0.9) == wilson(points, 300, confidence=0.9)


def test_totals_do_not_depend_on_the_batches() -> None:
    start = Position.start(Rules(reserve=0))
    documents = []
    for size in (7, 100, 1000):
        tally = Tally()
        for batch in playout_batches(start, 250, batch=size, seed=11):
            tally.add(batch)
        documents.append(tally.as_dict())
    assert documents[0] == documents[1] == documents[2]
    assert set(documents[0]["per_game"]) == set(COUNTERS)
    assert set(documents[0]["terminations"]) == {str(word) for word in TERMINATIONS}


def test_no_games() -> None:
    tally = Tally()
    tally.add(playouts(Position.start(), 0))
    document = tally.as_dict()
    assert document["games"] == 0
    assert document["red_score"] == {"value": None, "low": None, "high": None}
    assert document["per_game"]["turns"]["mean"] is None
    with pytest.raises(ArgumentError, match="trials is 0"):
        tally.red_score_interval()


def test_tallies_merge_to_what_all_games_give() -> None:
    start = Position.start()
    whole, merged, empty = Tally(), Tally(), Tally()
    whole.add(playouts(start, 30, seed=8))
    for first, games in ((20, 10), (0, 20)):
        part = Tally()
        part.add(playouts(start, games, seed=8, first_game=first))
        merged.merge(part)
    merged.merge(empty)
    assert merged == whole
    assert merged.as_dict() == whole.as_dict()
