"""Series of games: by whatever way they are played, the same games and the same counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import chase_fast as cf
from chase_fast._core import (
    GAME_DTYPE,
    CorePlayer,
    Kind,
    Move,
    SeriesResult,
    Starts,
    StopFlag,
    play_game,
    play_series,
)
from chase_fast.agents import CoreAgent, make_player
from chase_fast.game import Game
from chase_fast.openings import random_openings
from chase_fast.openingset import OpeningSet

RULES = [
    cf.Rules.parse(text)
    for text in ("standard", "chain=yes", "reserve=0", "reserve=2,handout=any", "repetition=moves")
]
PLAYERS = (("random", "random:seed=4"), ("greedy", "random"), ("ab:nodes=60", "mcts:sims=20"))


def played(
    players: tuple[str, str],
    rules: cf.Rules,
    pairs: int,
    *,
    max_turns: int = 300,
    keep_moves: bool = False,
    keep_turns: bool = False,
) -> tuple[SeriesResult, list[cf.Position], npt.NDArray[np.uint64], npt.NDArray[np.bool_]]:
    starts = [game.position for game in random_openings(rules, 4, pairs, seed=5) for _ in (0, 1)]
    seeds = np.random.default_rng(9).integers(0, 2**64, len(starts), dtype=np.uint64)
    swapped = np.arange(len(starts)) % 2 == 1
    a, b = (core(text, rules) for text in players)
    result = play_series(
        a,
        b,
        starts,
        seeds,
        swapped,
        max_turns=max_turns,
        stop=StopFlag(),
        keep_moves=keep_moves,
        keep_turns=keep_turns,
    )
    return result, starts, seeds, swapped


def core(text: str, rules: cf.Rules) -> CorePlayer:
    player = make_player(text, rules)
    assert isinstance(player, CoreAgent)
    return player.core


def games_of(result: SeriesResult, starts: list[cf.Position]) -> Iterator[Game]:
    """The games by their decisions, which the rules check once more."""
    assert result.moves is not None
    at = 0
    for start, stats in zip(starts, result.stats, strict=True):
        game = Game(start)
        for code in result.moves[at : at + stats["decisions"]]:
            game.push(Move.from_code(int(code)))
        at += stats["decisions"]
        yield game
    assert at == len(result.moves)


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize("players", PLAYERS, ids=str)
def test_counts_are_those_of_the_decisions(rules: cf.Rules, players: tuple[str, str]) -> None:
    pairs = 4 if players[1].startswith("random") else 2
    result, starts, _, _ = played(players, rules, pairs, keep_moves=True, keep_turns=True)
    assert result.turns is not None and result.heat is not None
    heat = np.zeros((3, 2, 81), np.uint64)
    row = 0
    for game, stats, detail in zip(
        games_of(result, starts), result.stats, result.details, strict=True
    ):
        logarithm = choices = captures = first = 0
        exchanged = [0] * 5
        first_side = -1
        behind = [0, 0]
        turn = 0
        position = game.start
        new_turn = True
        for move in game.moves:
            options = len(position.legal_moves)
            dice = [len(list(side)) for side in dice_of(position)]
            if new_turn:
                turn += 1
                seen = result.turns[row]
                assert seen["options"] == options and seen["side"] == position.side_to_act
                assert list(seen["dice"]) == dice and list(seen["spare"]) == list(position.spare)
                row += 1
                for side, cells in enumerate(dice_of(position)):
                    heat[0, side, cells] += 1
            logarithm += np.log10(options)
            events = position.events(move)
            side = position.side_to_act
            if move.kind is Kind.DISTRIBUTION:
                choices += options > 1
            if move.kind is Kind.EXCHANGE:
                exchanged[abs(abs(int(position.board[move.cell])) - (move.value or 0)) - 1] += 1
            if move.kind is Kind.MOVE:
                landing = [step for step in position.trace(move) if step.kind == "ray"][-1].target
                heat[2, side, landing] += 1
            after = position.apply(move)
            lost = set(dice_of(position)[1 - side]) - set(dice_of(after)[1 - side])
            heat[1, 1 - side, list(lost)] += 1
            captures += events["captures"]
            if events["captures"] and not first:
                first, first_side = turn, side
            counts = [len(cells) for cells in dice_of(after)]
            for who in (0, 1):
                behind[who] = max(behind[who], counts[1 - who] - counts[who])
            new_turn = after.side_to_act != position.side_to_act
            position = after
        assert stats["turns"] == turn and stats["captures"] == captures
        assert detail["choices"] == choices and list(detail["exchanged"]) == exchanged
        assert stats["exchanges"] == sum(exchanged)
        assert detail["first_capture"] == first and detail["first_capture_side"] == first_side
        assert list(detail["behind"]) == behind
        product = np.log10(detail["options_mantissa"]) + detail["options_exponent"] * np.log10(2)
        assert product == pytest.approx(logarithm, abs=1e-6)
        if game.outcome is not None:
            winner = -1 if game.outcome.winner is None else game.outcome.winner
            assert stats["winner"] == winner
        else:
            assert stats["winner"] == -1 and turn == 300
    assert row == len(result.turns)
    assert (heat == result.heat).all()


def dice_of(position: cf.Position) -> tuple[list[int], list[int]]:
    board = position.board
    return [c for c in range(81) if board[c] > 0], [c for c in range(81) if board[c] < 0]


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_random_games_are_the_same_by_either_way(rules: cf.Rules) -> None:
    """Random players have a way of their own in the core, unless something is to be kept."""
    players = ("random:seed=7", "random:seed=8")
    fast = played(players, rules, 300)[0]
    slow = played(players, rules, 300, keep_moves=True)[0]
    assert fast.moves is None and fast.turns is None
    assert fast.stats.tobytes() == slow.stats.tobytes()
    assert fast.details.tobytes() == slow.details.tobytes()


@pytest.mark.parametrize("players", PLAYERS, ids=str)
def test_a_series_plays_each_game_as_it_is_played_alone(players: tuple[str, str]) -> None:
    rules = cf.Rules()
    result, starts, seeds, swapped = played(players, rules, 4, max_turns=60, keep_moves=True)
    assert result.moves is not None
    at = 0
    for start, seed, swap, stats in zip(starts, seeds, swapped, result.stats, strict=True):
        a, b = (core(text, rules) for text in players)
        red, blue = (b, a) if swap else (a, b)
        alone = play_game(start, [], red, blue, int(seed), 60, StopFlag())
        assert alone is not None
        moves, row = alone
        assert [move.code for move in moves] == list(result.moves[at : at + len(moves)])
        assert row.tobytes() == stats.tobytes()
        at += len(moves)


def test_a_stopped_series_keeps_what_is_finished() -> None:
    flag = StopFlag()
    flag.set()
    rules = cf.Rules()
    a, b = core("random", rules), core("random", rules)
    starts = [cf.Position.start()] * 3
    seeds, swapped = np.zeros(3, np.uint64), np.zeros(3, np.bool_)
    result = play_series(a, b, starts, seeds, swapped, max_turns=10, stop=flag)
    assert len(result.stats) == len(result.details) == 0
    assert result.stats.dtype == GAME_DTYPE


def test_what_is_wrong_with_a_series_is_told() -> None:
    rules = cf.Rules()
    a, b = core("random", rules), core("random", rules)
    start = cf.Position.start()
    seeds, swapped = np.zeros(1, np.uint64), np.zeros(1, np.bool_)

    def play(*arguments: Any, max_turns: int = 9) -> None:
        play_series(*arguments, max_turns=max_turns, stop=StopFlag())

    with pytest.raises(ValueError, match="two, not one"):
        play(a, a, [start], seeds, swapped)
    with pytest.raises(ValueError, match="seeds must be an array of uint64 with 1 elements"):
        play(a, b, [start], np.zeros(1, np.int64), swapped)
    with pytest.raises(ValueError, match="3 seeds cannot be shared out to 2 starts"):
        play(a, b, [start, start], np.zeros(3, np.uint64), np.zeros(3, np.bool_))
    with pytest.raises(ValueError, match="swapped must be an array of bool"):
        play(a, b, [start], seeds, np.zeros(1, np.uint8))
    with pytest.raises(ValueError, match="max_turns"):
        play(a, b, [start], seeds, swapped, max_turns=0)
    with pytest.raises(ValueError, match="under the rules"):
        play(a, b, [cf.Position.start(cf.Rules(chain=True))], seeds, swapped)
    with pytest.raises(ValueError, match="different rules"):
        play(a, core("random", cf.Rules(chain=True)), [start], seeds, swapped)
    play(a, b, [], np.zeros(0, np.uint64), np.zeros(0, np.bool_))


def test_packed_starts_are_those_positions() -> None:
    rules = cf.Rules.parse("reserve=2")
    openings = OpeningSet.generate([rules], 20, seed=4)
    a, b = core("random", rules), core("greedy", rules)
    seeds = np.arange(40, dtype=np.uint64)
    swapped = np.arange(40) % 2 == 1
    packed = openings.packed(rules, 0, 20)
    assert len(packed) == 20
    assert packed.rules == rules
    one = play_series(a, b, packed, seeds, swapped, max_turns=50, stop=StopFlag())
    other = play_series(
        a, b, openings.starts(rules, 0, 20), seeds, swapped, max_turns=50, stop=StopFlag()
    )
    assert one.stats.tobytes() == other.stats.tobytes()
    assert one.details.tobytes() == other.details.tobytes()


def test_packed_starts_are_checked() -> None:
    start = cf.Position.start()
    for codes in (np.zeros((1, 1), np.int64), np.zeros(3, np.uint32), [[1]]):
        with pytest.raises(ValueError, match="codes must be an array of uint32"):
            Starts(start, codes)  # type: ignore[arg-type]
    legal = start.legal_moves[3].code
    assert len(Starts(start, np.array([[legal]], np.uint32))) == 1
    for wrong in (2**32 - 1, 1 << 18, 40):
        with pytest.raises(ValueError, match=r"codes\[1, 0\] is no legal decision"):
            Starts(start, np.array([[legal], [wrong]], np.uint32))
    a, b = core("random", cf.Rules.parse("chain=yes")), core("random", cf.Rules.parse("chain=yes"))
    with pytest.raises(ValueError, match="under the rules standard"):
        play_series(
            a, b, Starts(start, np.zeros((1, 0), np.uint32)), np.zeros(1, np.uint64),
            np.zeros(1, np.bool_), max_turns=9, stop=StopFlag(),
        )  # fmt: skip
