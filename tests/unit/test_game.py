"""Games: history, turns, repetition (R11, R12) and outcome."""

from __future__ import annotations

import copy
import json
import pickle
import random
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from chase_fast._core import BLUE, RED, Move, Position, Rules
from chase_fast.errors import (
    ArgumentError,
    ChaseError,
    GameOverError,
    IllegalMoveError,
    NotationError,
)
from chase_fast.game import TERMINATIONS, Game, Outcome

TEXTS = json.loads(
    (Path(__file__).parents[1] / "golden" / "vectors" / "texts.json").read_text(encoding="utf-8")
)
REPEATED = ["a1=2,a2=1", "i1=2,i2=1", "a1=1,a2=2", "i1=1,i2=2"]
# The left exit of c6NW takes blue's last die but four.
WON_BY = ("e3e3e/8e/9/9/9/4e4/5B3/9/A1EE1CED1 r - 3/5", "c6NW")
LOST = "2bE2E1E/9/b1E1c2c1/2bcE3c/3b5/9/9/5c3/3b5 r - 5/0"
TWO_DUE = "a2de2ba/9/b8/Ec2c1E2/C1DB4b/5B3/9/9/AA3A2A b"


def random_game(rules: str, seed: int, turns: int = 400) -> Game:
    choose = random.Random(seed)
    game = Game(rules=Rules.parse(rules))
    while game.outcome is None and game.turn_count < turns:
        game.push(choose.choice(game.legal_moves))
    return game


# ---- Pushing and popping -----------------------------------------------------------------------


def test_a_new_game_stands_at_the_start() -> None:
    game = Game()
    assert game.position == game.start == Position.start()
    assert game.moves == ()
    assert game.turns == ()
    assert game.positions == (Position.start(),)
    assert game.outcome is None
    assert game.repetition_count == 1
    assert game.turn_ended
    assert len(game.legal_moves) == 46


def test_push_takes_text_and_moves() -> None:
    game = Game()
    first = game.push("a1NE")
    assert first == Move.parse("a1NE")
    second = game.legal_moves[0]
    assert game.push(second) == second
    assert game.moves == (first, second)
    assert game.positions[1] == Position.start().apply("a1NE")
    assert game.position == game.positions[-1]


@pytest.mark.parametrize(
    ("move", "error"),
    [
        ("a1SE", IllegalMoveError),
        ("b1E", IllegalMoveError),
        ("+a1", IllegalMoveError),
        ("a1ne", NotationError),
        ("", NotationError),
    ],
)
def test_a_refused_decision_changes_nothing(move: str, error: type[ChaseError]) -> None:
    game = Game.from_moves(["a1NE"])
    before = game.copy()
    with pytest.raises(error) as caught:
        game.push(move)
    assert isinstance(caught.value, ValueError)
    assert game == before
    assert game.positions == before.positions
    assert game.turns == before.turns
    assert game.repetition_count == before.repetition_count


def test_pop_takes_back_one_decision_after_the_other() -> None:
    game = random_game("standard", 3)
    again = Game()
    seen = [again.copy()]
    for move in game.moves:
        again.push(move)
        seen.append(again.copy())
    assert again == game
    for move, expected in zip(reversed(game.moves), reversed(seen[:-1]), strict=True):
        assert again.pop() == move
        assert again == expected
        assert again.turns == expected.turns
        assert again.turn_ended == expected.turn_ended
        assert again.repetition_count == expected.repetition_count
        assert again.outcome is None
    assert again == Game()


def test_nothing_to_pop() -> None:
    with pytest.raises(ArgumentError, match="no decision to take back") as caught:
        Game().pop()
    assert isinstance(caught.value, ValueError)


def test_rules_and_start_must_agree() -> None:
    start = Position.start(Rules(reserve=2))
    assert Game(start).rules == Rules(reserve=2)
    assert Game(start, Rules(reserve=2)) == Game(rules=Rules(reserve=2))
    with pytest.raises(ArgumentError, match=r"reserve=2.*reserve=3"):
        Game(start, Rules(reserve=3))


def test_from_moves_stops_at_the_first_fault() -> None:
    with pytest.raises(IllegalMoveError, match="a2"):
        Game.from_moves(["a1NE", "a2NE"])


# ---- Turns -------------------------------------------------------------------------------------


def test_a_turn_holds_all_decisions_of_a_side() -> None:
    game = Game(Position.parse(TWO_DUE))
    assert game.position.pips_due == 2
    seen = []
    for move in ("+i1", "i4=3,i5=6", "e3=3,e4=3"):
        game.push(move)
        seen.append((game.turn_ended, game.turn_count, [len(turn) for turn in game.turns]))
    assert seen == [(False, 1, [1]), (True, 1, [2]), (True, 2, [2, 1])]
    assert game.turns[0] == (Move.parse("+i1"), Move.parse("i4=3,i5=6"))


@pytest.mark.parametrize("rules", ["standard", "russian", "wikipedia", "reserve=0"])
def test_turns_change_sides(rules: str) -> None:
    game = random_game(rules, 11)
    turns = game.turns
    assert [move for turn in turns for move in turn] == list(game.moves)
    assert max(map(len, turns)) > 1
    place = 0
    for number, turn in enumerate(turns):
        sides = {game.positions[place + step].side_to_act for step in range(len(turn))}
        assert sides == {RED if number % 2 == 0 else BLUE}
        place += len(turn)


# ---- Repetition --------------------------------------------------------------------------------


@pytest.mark.parametrize("sample", TEXTS["repetition"], ids=lambda sample: str(sample["rules"]))
def test_drawn_at_exactly_the_given_decision(sample: dict[str, Any]) -> None:
    game = Game(rules=Rules(**sample["rules"]))
    for number, move in enumerate(sample["decisions"], 1):
        game.push(move)
        drawn = number == sample["drawn_after"]
        assert game.outcome == (Outcome(None, "repetition") if drawn else None)
    assert number == sample["drawn_after"]
    assert len(game.legal_moves) == 0
    with pytest.raises(GameOverError, match="repetition"):
        game.push("a1NE")
    assert len(game.moves) == sample["drawn_after"]
    game.pop()
    assert game.outcome is None
    game.push(move)
    assert game.outcome == Outcome(None, "repetition")


def test_no_draw_without_a_repetition_rule() -> None:
    game = Game.from_moves(REPEATED * 5, rules=Rules.parse("rulebook"))
    assert game.repetition_count == 6
    assert game.outcome is None


def test_the_first_position_counts_once() -> None:
    assert Game.from_moves(REPEATED).repetition_count == 2
    # A game that begins in the middle of another one knows nothing of what went before.
    middle = Game.from_moves(
        REPEATED[2:] + REPEATED[:2], start=Game.from_moves(REPEATED[:2]).position
    )
    assert middle.repetition_count == 2
    assert middle.outcome is None


def test_threefold_needs_the_same_position_not_three_in_a_row() -> None:
    # The position after the first exchange comes back; what lies between differs.
    game = Game.from_moves([*REPEATED, "a8=1,a9=2"])
    assert game.repetition_count == 1
    game = Game.from_moves(["a8=1,a9=2", "i1=2,i2=1", "a8=2,a9=1", "i1=1,i2=2", *REPEATED])
    assert game.repetition_count == 3
    assert game.outcome == Outcome(None, "repetition")


def test_moves_rule_looks_at_the_last_twelve_turns() -> None:
    rules = Rules(repetition="moves")
    other = ["a8=1,a9=2", "i8=1,i9=2"]
    game = Game.from_moves([*other, *REPEATED * 3], rules=rules)
    assert game.turn_count == 14
    assert game.outcome == Outcome(None, "repetition")
    # The position has occurred three times long before the twelfth turn.
    assert Game.from_moves((REPEATED * 3)[:-1], rules=rules).outcome is None
    # A sequence shifted by one turn is not three times the same until the twelfth turn of it.
    shifted = Game.from_moves([*REPEATED * 2, *other], rules=rules)
    assert shifted.outcome is None


def test_moves_rule_compares_all_decisions_of_a_turn() -> None:
    start = Position.parse(TWO_DUE, Rules(repetition="moves"))
    first = ["+i1", "i4=3,i5=6", "e3=3,e4=3", "i4=4,i5=5", "e3=4,e4=2"]
    rest = ["i4=3,i5=6", "e3=3,e4=3", "i4=4,i5=5", "e3=4,e4=2"]
    game = Game.from_moves([*first, *rest, *rest], start=start)
    # The first of the twelve turns began with a distribution, the fifth and ninth did not.
    assert game.turn_count == 12
    assert game.outcome is None
    game.push("i4=3,i5=6")
    assert game.outcome == Outcome(None, "repetition")


class Collider:
    """A position whose hash says nothing."""

    rules = Rules()
    winner = None

    def __init__(self, number: int) -> None:
        self.number = number
        self.side_to_act = RED if number % 2 == 0 else BLUE

    def __hash__(self) -> int:
        return 7

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Collider) and self.number == other.number

    def apply(self, move: Move) -> Collider:
        return Collider((self.number + move.code) % 6)


def test_equal_hashes_are_no_repetition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chase_fast.game.Position", Collider)
    monkeypatch.setattr("chase_fast.game.move_of", lambda move: move)
    game = Game(cast("Position", Collider(0)))
    step = cast("Move", type("Step", (), {"code": 1})())
    for number in range(11):
        game.push(step)
        assert game.outcome is None
        assert game.repetition_count == 1 + (number + 1) // 6
    game.push(step)
    assert game.outcome == Outcome(None, "repetition")


# ---- Outcome -----------------------------------------------------------------------------------


def test_won_by_dice() -> None:
    cfen, move = WON_BY
    game = Game(Position.parse(cfen))
    outcomes = [game.outcome]
    game.push(move)
    outcomes.append(game.outcome)
    assert len(game.legal_moves) == 0
    with pytest.raises(GameOverError):
        game.push("i1SE")
    game.pop()
    outcomes.append(game.outcome)
    assert outcomes == [None, Outcome(RED, "dice"), None]
    assert Outcome(RED, "dice").result == "1-0"


def test_lost_for_want_of_a_decision() -> None:
    game = Game(Position.parse(LOST))
    assert game.outcome == Outcome(BLUE, "no_decision")
    assert game.outcome.result == "0-1"
    with pytest.raises(GameOverError):
        game.push("i4E")


def test_results() -> None:
    assert Outcome(None, "turn_limit").result == "1/2-1/2"
    assert Outcome(None, "aborted").result == "*"
    assert Outcome(BLUE, "time").result == "0-1"


@pytest.mark.parametrize("termination", TERMINATIONS)
def test_every_termination_goes_with_a_winner_or_without(termination: str) -> None:
    decisive = termination in ("dice", "no_decision", "illegal", "crash", "time")
    good, bad = (RED, None) if decisive else (None, RED)
    assert Outcome(good, termination).termination == termination
    with pytest.raises(ArgumentError, match=termination):
        Outcome(bad, termination)


def test_what_is_no_outcome() -> None:
    with pytest.raises(ArgumentError, match=r"'resigned'.*expected dice, no_decision"):
        Outcome(RED, "resigned")
    with pytest.raises(ArgumentError, match="expected RED, BLUE or None"):
        Outcome(cast("Any", 1), "dice")


# ---- As a value --------------------------------------------------------------------------------


def test_copies_are_independent() -> None:
    game = Game.from_moves(REPEATED)
    for other in (game.copy(), copy.copy(game), copy.deepcopy(game)):
        assert other == game
        other.push("a1NE")
        assert other != game
        assert game.moves == tuple(map(Move.parse, REPEATED))
        assert game.position == Position.start()
        assert game.repetition_count == 2
        other.pop()
        other.pop()
        assert game.repetition_count == 2


@pytest.mark.parametrize("rules", ["standard", "russian", "repetition=moves"])
def test_pickled_games_are_equal(rules: str) -> None:
    game = random_game(rules, 5)
    other = pickle.loads(pickle.dumps(game))
    assert other == game
    assert other.turns == game.turns
    assert other.outcome == game.outcome


def test_equality() -> None:
    assert Game() == Game(Position.start())
    assert Game() != Game(rules=Rules(reserve=2))
    assert Game() != Game(rules=Rules(repetition="none"))
    assert Game() != Game.from_moves(["a1NE"])
    assert Game() != "Game()"
    with pytest.raises(TypeError):
        hash(Game())


@pytest.mark.parametrize(
    "game",
    [
        Game(),
        Game(rules=Rules(chain=True, reserve=2)),
        Game.from_moves(REPEATED),
        Game(Position.parse(TWO_DUE)),
        Game.from_moves(["+i1"], start=Position.parse(TWO_DUE, Rules(chain=True))),
        random_game("russian", 2),
    ],
    ids=lambda game: repr(game)[:60],
)
def test_repr_can_be_evaluated(game: Game) -> None:
    names = {"Game": Game, "Position": Position, "Rules": Rules}
    assert eval(repr(game), names) == game


def test_the_picture_is_drawn_by_the_svg_module(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = SimpleNamespace(game_svg=lambda game: f"<svg>{len(game.moves)}</svg>")
    monkeypatch.setitem(sys.modules, "chase_fast.svg", cast("Any", drawn))
    assert Game.from_moves(REPEATED)._repr_svg_() == "<svg>4</svg>"
