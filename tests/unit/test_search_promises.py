"""What searches promise beside their scores: limits, sameness, symmetry, draws, proven results."""

from __future__ import annotations

import random
import threading
from collections import Counter
from typing import Any

import pytest

from chase_fast._core import (
    SCORE_PROVEN,
    SCORE_WIN,
    Analysis,
    CorePlayer,
    Move,
    Position,
    Rules,
    StopFlag,
)
from tests.unit.minimax import Twin
from tests.unit.vectors import mixed_positions, shipped_evaluator

POLL_NODES = 1_000  # the flag is looked at once in as many, or more often


def searched(position: Position, *, max_turns: int = 0, lines: int = 1, **options: Any) -> Analysis:
    evaluator = shipped_evaluator(position.rules)
    player = CorePlayer(evaluator, "ab", **{"hash_mib": 1, **options})
    return player.search(position, [], StopFlag(), lines=lines, max_turns=max_turns)


def distance(score: int) -> int:
    """Decisions to the end of a proven win or loss."""
    assert abs(score) >= SCORE_PROVEN
    return SCORE_WIN - abs(score)


# ---- Limits -----------------------------------------------------------------------------------


@pytest.mark.parametrize("nodes", [1, 2, 17, 999, 5_000])
def test_node_limit_and_polls(nodes: int) -> None:
    for position in mixed_positions(4, "threefold")[:40]:
        for lines in (1, 4):
            found = searched(position, nodes=nodes, lines=lines)
            assert 0 < found.nodes <= nodes
            assert found.polls >= found.nodes // POLL_NODES
            assert not found.stopped
            assert len(found.lines) == min(lines, len(position.legal_moves))
            assert all(line.pv[0] in position.legal_moves for line in found.lines)


def test_main_lines_are_legal_to_their_end() -> None:
    for position in mixed_positions(5)[:40]:
        for line in searched(position, nodes=2_000, lines=3).lines:
            at = position
            for move in line.pv:
                at = at.apply(move)


def test_stopped_before_it_begins() -> None:
    for position in mixed_positions(6)[:40]:
        stop = StopFlag()
        stop.set()
        evaluator = shipped_evaluator(position.rules)
        player = CorePlayer(evaluator, "ab", hash_mib=1)
        found = player.search(position, [], stop)
        assert found.stopped
        assert found.nodes <= POLL_NODES
        assert found.lines[0].pv[0] in position.legal_moves
        move, found = player.choose(position, [], stop)
        assert found.stopped and move in position.legal_moves


def test_stopped_from_another_thread() -> None:
    stop, position = StopFlag(), Position.start()
    player = CorePlayer(shipped_evaluator(position.rules), "ab", hash_mib=1)
    begun = threading.Event()

    def report(analysis: Analysis) -> None:
        begun.set()

    def set_it() -> None:
        begun.wait()
        stop.set()

    thread = threading.Thread(target=set_it)
    thread.start()
    found = player.search(position, [], stop, report=report)  # has no other limit
    thread.join()
    assert found.stopped and found.depth >= 1
    assert found.lines[0].pv[0] in position.legal_moves


# ---- Sameness ---------------------------------------------------------------------------------


def test_same_limit_same_result() -> None:
    for number, position in enumerate(mixed_positions(7, "threefold")[:30]):
        evaluator = shipped_evaluator(position.rules)
        player = CorePlayer(evaluator, "ab", nodes=3_000, hash_mib=1, seed=number)
        first = player.search(position, [], StopFlag(), lines=2)
        player.search(Position.start(position.rules), [], StopFlag())
        player.new_game(number, position.side_to_act)
        assert player.search(position, [], StopFlag(), lines=2) == first
        other = CorePlayer(evaluator, "ab", nodes=3_000, hash_mib=1, seed=number)
        assert other.search(position, [], StopFlag(), lines=2) == first


def test_chosen_alike_by_seed() -> None:
    position = Position.start()
    evaluator = shipped_evaluator(position.rules)
    chosen: dict[int, list[Move]] = {}
    for seed in (1, 2, 1):
        player = CorePlayer(evaluator, "ab", nodes=500, hash_mib=1, seed=seed, eps=0.5, temp=300)
        moves = []
        for game in range(12):
            player.new_game(game, position.side_to_act)
            moves.append(player.choose(position, [], StopFlag())[0])
        assert chosen.setdefault(seed, moves) == moves
    assert chosen[1] != chosen[2]


def test_a_player_keeps_its_table_within_a_game() -> None:
    position = Position.start()
    player = CorePlayer(shipped_evaluator(position.rules), "ab", depth=4, hash_mib=8)
    first = player.search(position, [], StopFlag())
    assert player.search(position, [], StopFlag()).nodes < first.nodes
    player.new_game(0, 0)
    assert player.search(position, [], StopFlag()) == first


# ---- Symmetry ---------------------------------------------------------------------------------


def test_half_turn_changes_no_score() -> None:
    compared = 0
    for position in mixed_positions(8)[:60]:
        if not position.rules.wrap:
            continue  # such a board has no half turn
        evaluator = shipped_evaluator(position.rules)
        turned = position.half_turn()
        assert evaluator.evaluate(turned) == evaluator.evaluate(position)
        for depth in (1, 2, 3):
            # Where a side has much to capture, depth 3 takes long.
            player = CorePlayer(
                evaluator, "ab", depth=depth, nodes=300_000, verify=True, hash_mib=4
            )
            found = player.search(position, [], StopFlag())
            player.new_game(0, 0)
            mirrored = player.search(turned, [], StopFlag())
            if depth == found.depth == mirrored.depth:
                compared += 1
                assert found.lines[0].score == mirrored.lines[0].score
    assert compared >= 100


# ---- Repetition and the turn limit ------------------------------------------------------------

# Red exchanges a 1 and a 2, blue does, both take it back.
CYCLE = ("a1=2,a2=1", "i1=2,i2=1", "a1=1,a2=2", "i1=1,i2=2")


def score_of(analysis: Analysis, move: str) -> int:
    return next(line.score for line in analysis.lines if str(line.pv[0]) == move)


@pytest.mark.parametrize("verify", [True, False])
@pytest.mark.parametrize(("repetition", "turns"), [("threefold", 7), ("moves", 11), ("none", 0)])
def test_the_last_repetition_is_a_draw(repetition: str, turns: int, verify: bool) -> None:
    rules = Rules(repetition=repetition)
    start = Position.start(rules)
    moves = [Move.parse(CYCLE[n % 4]) for n in range(turns or 11)]
    player = CorePlayer(shipped_evaluator(rules), "ab", depth=2, verify=verify, hash_mib=1)
    found = player.search(start, moves, StopFlag(), lines=100)
    again = CYCLE[len(moves) % 4]
    alone = player.search(start, moves[:-4], StopFlag(), lines=100)
    if turns:
        assert score_of(found, again) == 0
        assert score_of(alone, again) != 0  # the second time is no draw yet
    else:
        assert score_of(found, again) != 0


def ahead(rules: Rules) -> Position:
    """Red has more dice to lose; both sides can go back and forth."""
    return Position.parse("ab3ff1d/4f4/9/9/9/9/9/9/ABCDEDCBA r - 1/4", rules)


@pytest.mark.parametrize("repetition", ["threefold", "moves", "none"])
def test_the_side_that_is_ahead_avoids_the_draw(repetition: str) -> None:
    rules = Rules(repetition=repetition)
    start = ahead(rules)
    length = {"threefold": 7, "moves": 11, "none": 11}[repetition]
    moves = [Move.parse(CYCLE[n % 4]) for n in range(length)]
    # Blue, who is behind, may draw at once; red, one decision earlier, does not let it.
    every: tuple[dict[str, Any], ...] = (
        {"depth": 3},
        {"depth": 3, "verify": True},
        {"nodes": 3_000},
    )
    for options in every:
        player = CorePlayer(shipped_evaluator(rules), "ab", hash_mib=1, **options)
        blue = player.search(start, moves, StopFlag()).lines[0]
        player.new_game(0, 0)
        red = player.search(start, moves[:-1], StopFlag()).lines[0]
        assert red.score > 0
        if repetition == "none":
            assert blue.score < 0
        else:
            assert blue.score == 0 and str(blue.pv[0]) == CYCLE[length % 4]
            assert str(red.pv[0]) != CYCLE[(length - 1) % 4]


@pytest.mark.parametrize("repetition", ["threefold", "moves", "none"])
def test_the_turn_limit_is_a_draw(repetition: str) -> None:
    position = Position.start(Rules(repetition=repetition))
    for turns in (1, 2, 3):
        for verify in (True, False):
            found = searched(position, depth=4, verify=verify, max_turns=turns)
            assert found.lines[0].score == 0
    assert searched(position, depth=1, max_turns=2).lines[0].score != 0


def test_a_win_in_the_last_turn_counts() -> None:
    position = Position.parse("E4e3/4e4/1e7/e8/9/1e2E4/E1E6/6E2/9 r - 5/5")
    for depth in (1, 2, 4):
        found = searched(position, depth=depth, max_turns=1)
        assert (found.lines[0].score, str(found.lines[0].pv[0])) == (SCORE_WIN - 1, "i1E")


# ---- Proven wins and losses -------------------------------------------------------------------


def ends_of_games(rules: Rules, games: int, seed: int, last: int) -> list[Position]:
    """The last positions of games of a weak player against itself."""
    evaluator = shipped_evaluator(rules)
    found: list[Position] = []
    for game in range(games):
        chance = random.Random(seed * 1_000 + game)
        player = CorePlayer(evaluator, "ab", nodes=60, hash_mib=1)
        position = Position.start(rules)
        line: list[Position] = []
        while position.winner is None and len(line) < 400:
            move = player.choose(position, [], StopFlag())[0]
            if chance.random() < 0.3:
                move = chance.choice(position.legal_moves)
            line.append(position)
            position = position.apply(move)
        if position.winner is not None:
            found += line[-last:]
    return found


RULE_SETS = ("repetition=none", "reserve=0,repetition=none", "chain=yes,repetition=none",
             "handout=any,repetition=none", "recycle=no,repetition=none",
             "setup=666666666,repetition=none")  # fmt: skip


@pytest.mark.parametrize("rules", RULE_SETS)
def test_proven_results_are_true(rules: str) -> None:
    proven = 0
    for position in ends_of_games(Rules.parse(rules), 5, 1, 6):
        evaluator = shipped_evaluator(position.rules)
        score = searched(position, nodes=3_000).lines[0].score
        if abs(score) < SCORE_PROVEN or distance(score) > 5:
            continue
        proven += 1
        depth = distance(score)
        player = CorePlayer(evaluator, "ab", depth=depth, verify=True, hash_mib=16)
        exact = player.search(position, [], StopFlag()).lines[0].score
        # It looks at everything, so what was proven it sees, and a win at most as far away.
        assert abs(exact) >= SCORE_PROVEN
        assert (exact > 0) == (score > 0)
        assert exact >= score or score < 0
    assert proven >= 6


def exact_win(position: Position, most: int) -> Analysis | None:
    """The nearest win by force within so many decisions, by the verification mode."""
    evaluator = shipped_evaluator(position.rules)
    for depth in range(1, most + 1):
        player = CorePlayer(evaluator, "ab", depth=depth, nodes=400_000, verify=True, hash_mib=16)
        found = player.search(position, [], StopFlag())
        if found.depth < depth:
            return None  # it would take too long
        score = found.lines[0].score
        if score >= SCORE_PROVEN and distance(score) <= depth:
            return found
    return None


def turns_of(position: Position, moves: tuple[Move, ...]) -> int:
    """Turns of the side to act in a line."""
    turns, at = 1, position
    for move in moves:
        child = at.apply(move)
        turns += child.side_to_act != at.side_to_act and child.side_to_act == position.side_to_act
        at = child
    assert at.winner == position.side_to_act
    return turns


def test_forced_wins_are_found() -> None:
    by_turns: Counter[int] = Counter()
    for rules in RULE_SETS:
        for position in ends_of_games(Rules.parse(rules), 2, 2, 8):
            truth = exact_win(position, 7)
            if truth is None:
                continue
            line = truth.lines[0]
            turns = turns_of(position, line.pv)
            by_turns[turns] += 1
            away = distance(line.score)
            if away <= 2:
                twin = Twin(shipped_evaluator(position.rules))
                assert twin.score(position, away) == line.score
            for lines in (1, 3):
                plain = searched(position, nodes=300_000, lines=lines, reductions=0).lines[0]
                found = searched(position, nodes=300_000, lines=lines).lines[0]
                assert plain.score == line.score, (rules, position.cfen, lines)
                # Reductions may see a longer win first, but not one that is none, and in two
                # turns never.
                assert SCORE_PROVEN <= found.score <= line.score, (rules, position.cfen, lines)
                if turns <= 2:
                    assert found.score == line.score, (rules, position.cfen, lines)
    assert all(by_turns[turns] >= 2 for turns in (1, 2, 3)), by_turns
