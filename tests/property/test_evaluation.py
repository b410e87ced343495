"""The static evaluation: its counts by a model of them, its score by their sum, its symmetry."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chase_fast._core import FEATURES, MAX_WEIGHT, SCORE_WIN, Evaluator, Position, features
from chase_fast.game import Game
from tests.property.games import games
from tests.property.strategies import engine_position, positions, rule_sets
from tests.reference import RefPosition, RefRules
from tests.reference.features import features as counted

SCORE_LIMIT = 30_000  # bound of every evaluation (players.h)

weights = st.one_of(
    *(
        st.lists(st.integers(-most, most), min_size=len(FEATURES), max_size=len(FEATURES))
        for most in (20, 500, MAX_WEIGHT)
    )
)


def check_counts(position: Position, model: RefPosition) -> None:
    expected = counted(model)
    assert set(expected) <= set(FEATURES)
    assert dict(zip(FEATURES, features(position).tolist(), strict=True)) == {
        name: expected[name] for name in FEATURES
    }


def check_score(position: Position, given: list[int]) -> None:
    total = sum(w * int(count) for w, count in zip(given, features(position), strict=True))
    expected = max(-SCORE_LIMIT, min(SCORE_LIMIT, total))
    if position.winner is not None:
        expected = -SCORE_WIN
    assert Evaluator(position.rules, given).evaluate(position) == expected


@given(positions())
def test_counts(model: RefPosition) -> None:
    check_counts(engine_position(model), model)


@given(games(), st.integers(0, 300))
def test_counts_in_games(game: Game, at: int) -> None:
    position = game.positions[min(at, len(game.positions) - 1)]
    rules = RefRules(**position.rules.as_dict())
    check_counts(position, RefPosition.parse(position.cfen, rules))


@given(positions(), weights)
def test_score_is_the_sum(model: RefPosition, given: list[int]) -> None:
    check_score(engine_position(model), given)


@given(games(), weights)
def test_score_is_the_sum_in_games(game: Game, given: list[int]) -> None:
    for position in game.positions[-5:]:
        check_score(position, given)


@given(positions().filter(lambda model: model.rules.wrap), weights)
def test_half_turn(model: RefPosition, given: list[int]) -> None:
    position = engine_position(model)
    evaluator = Evaluator(position.rules, given)
    assert evaluator.evaluate(position.half_turn()) == evaluator.evaluate(position)


@given(rule_sets(), weights)
def test_start(rules: RefRules, given: list[int]) -> None:
    check_score(engine_position(RefPosition.start(rules)), given)
