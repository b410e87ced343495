"""Cells and chunks: a chunk is what its description says, however the openings are cut up."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chase_fast as cf
from chase_fast._core import Move, StopFlag, count_game
from chase_fast.agents import PlayerSpec, make_player
from chase_fast.cells import (
    TERMINATIONS,
    Cell,
    ChunkResult,
    Pool,
    moves_from_bytes,
    numbered,
    play_chunk,
    replay,
    same_player,
)
from chase_fast.openingset import OpeningSet
from chase_fast.simulate import play_game
from tests.unit.engines import BAD, program

RULES = cf.Rules.parse("reserve=2,chain=yes")
OPENINGS = OpeningSet.generate([cf.Rules(), RULES], 12, seed=11)
PAIRS = (
    ("random", "random:seed=3"),
    ("ab:nodes=30", "ab:nodes=30"),
    ("ab:nodes=30,eps=0.2", "greedy:temp=200"),
    ("mcts:sims=6", "random"),
)


def cell(a: str, b: str, **options: Any) -> Cell:
    given: dict[str, Any] = {
        "number": 3,
        "variant": "mine",
        "rules": RULES,
        "seed": 2**63 + 5,
        "max_turns": 80,
    }
    return Cell(a=PlayerSpec.parse(a), b=PlayerSpec.parse(b), **(given | options))


def played(what: Cell, first: int = 0, count: int = 12, **options: Any) -> ChunkResult:
    result = play_chunk(what, OPENINGS, first, count, **options)
    assert result is not None
    return result


def joined(parts: list[ChunkResult]) -> tuple[dict[str, list[Any]], dict[str, list[Any]], Any]:
    """Rows of games and turns as lists, and the sum of the heat."""
    games = {name: [x for p in parts for x in p.games[name]] for name in parts[0].games}
    turns = {
        name: [x for p in parts for x in (p.turns or {})[name]] for name in parts[0].turns or {}
    }
    heat = None if parts[0].heat is None else sum(np.asarray(part.heat) for part in parts)
    return games, turns, heat


def program_of(command: str, **options: Any) -> str:
    return str(PlayerSpec._of("ext", {"cmd": command, **options}))


WHOLE = {pair: joined([played(cell(*pair), turns=True, moves=True)]) for pair in PAIRS}


# ---- The games ---------------------------------------------------------------------------------


@settings(max_examples=12)
@given(
    pair=st.sampled_from(PAIRS),
    cuts=st.sets(st.integers(1, 11), max_size=6),
    order=st.randoms(use_true_random=False),
    shared=st.booleans(),
)
def test_any_partition_in_any_order_gives_the_same_rows(
    pair: tuple[str, str], cuts: set[int], order: Any, shared: bool
) -> None:
    bounds = [0, *sorted(cuts), 12]
    ranges = list(pairwise(bounds))
    order.shuffle(ranges)
    pool = Pool() if shared else None
    what = cell(*pair)
    parts = {
        low: played(what, low, high - low, turns=True, moves=True, pool=pool)
        for low, high in ranges
    }
    games, turns, heat = joined([parts[low] for low in sorted(parts)])
    assert (games, turns) == WHOLE[pair][:2]
    assert np.array_equal(heat, WHOLE[pair][2])


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_rows_are_those_of_games_played_one_by_one(pair: tuple[str, str]) -> None:
    """By the other road: `simulate.play_game`, whose games Python plays once more."""
    games, turns, _ = WHOLE[pair]
    a, b = (make_player(text, RULES) for text in pair)
    row = 0
    for number, start in enumerate(OPENINGS.starts(RULES, 0, 12)):
        for game in (0, 1):
            seed = games["seed"][row]
            red, blue = (b, a) if game else (a, b)
            one = play_game(cf.Game(start), red, blue, seed=int(seed), max_turns=80)
            assert one is not None
            winner = -1 if one.outcome.winner is None else int(one.outcome.winner)
            expected = {
                "cell": 3,
                "opening": number,
                "game": game,
                "a_is_red": game == 0,
                "winner": winner,
                "termination": TERMINATIONS.index(one.outcome.termination),
                "decisions": len(one.game.moves),
                "turns": one.game.turn_count,
                "captures": sum(
                    one.game.positions[at].events(move)["captures"]
                    for at, move in enumerate(one.game.moves)
                ),
                "fault": None,
            }
            assert {name: games[name][row] for name in expected} == expected
            assert moves_from_bytes(games["moves"][row]) == list(one.game.moves)
            row += 1
    assert row == len(games["seed"]) == len(set(games["seed"]))
    assert len(turns["turn"]) == sum(games["turns"])
    assert {name: len(column) for name, column in turns.items()} == dict.fromkeys(
        turns, sum(games["turns"])
    )
    ends = np.cumsum(games["turns"])
    assert [turns["turn"][end - 1] for end in ends] == games["turns"]
    assert [turns["opening"][end - 1] for end in ends] == games["opening"]


def test_counts_are_consistent() -> None:
    for games, turns, heat in WHOLE.values():
        column = {name: np.asarray(values) for name, values in games.items() if name != "fault"}
        exchanges = sum(column[f"exchanges_{pips}"] for pips in range(1, 6))
        assert np.array_equal(exchanges, column["exchanges"])
        assert (column["log10_options"] <= column["decisions"] * np.log10(column["options"])).all()
        assert (column["forced"] <= column["decisions"]).all()
        first = column["first_capture_turn"]
        assert ((first == 0) == (column["captures"] == 0)).all()
        assert (first <= column["turns"]).all()
        assert sum(map(int, turns["decisions"])) == column["decisions"].sum()
        assert heat[1].sum() == column["captures"].sum()


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_a_cell_read_from_its_description_plays_the_same_games(pair: tuple[str, str]) -> None:
    what = cell(*pair, single=same_player(cell(*pair)))
    again = Cell.from_description(json.loads(json.dumps(what.describe())))
    assert again == what
    assert again.rules.digest == what.rules.digest
    assert joined([played(again, moves=True)]) == joined([played(what, moves=True)])


def test_every_part_of_a_description_matters() -> None:
    what = cell("random", "random")
    description = what.describe()
    for name in description:
        with pytest.raises(KeyError, match=name):
            Cell.from_description({key: description[key] for key in description if key != name})
    for name, text in (("rules", "banana"), ("a", "banana"), ("b", "ab:nodes=0")):
        with pytest.raises(ValueError, match=r"banana|nodes"):
            Cell.from_description({**description, name: text})
    rows = joined([played(what, moves=True)])[0]["moves"]
    for change in ({"seed": 1}, {"max_turns": 5}, {"a": "greedy"}, {"rules": "standard"}):
        other = Cell.from_description({**description, **change})
        assert joined([played(other, moves=True)])[0]["moves"] != rows


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rules": "standard"}, "rules is 'standard', expected Rules"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": 2**64}, "seed is 18446744073709551616"),
        ({"max_turns": 0}, "max_turns is 0"),
    ],
)
def test_a_cell_that_cannot_be_played_is_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(cf.ArgumentError, match=words):
        cell("random", "random", **change)


@pytest.mark.parametrize(("first", "count"), [(0, 0), (0, 13), (12, 1), (-1, 2), (5, -1)])
def test_openings_that_are_not_there_are_refused(first: int, count: int) -> None:
    with pytest.raises(cf.ArgumentError, match=f"openings {first} to .* there are 12"):
        play_chunk(cell("random", "random"), OPENINGS, first, count)


def test_a_stopped_chunk_is_none() -> None:
    stop = StopFlag()
    stop.set()
    clock = "ab:nodes=30,time=1"
    for players in (("random", "random"), ("ab:nodes=30", "random"), (clock, "random")):
        assert play_chunk(cell(*players), OPENINGS, 0, 12, stop=stop) is None


# ---- Players against themselves ----------------------------------------------------------------


def test_a_deterministic_player_against_itself_plays_once() -> None:
    both = cell("ab:nodes=30", "ab:nodes=30")
    games = WHOLE["ab:nodes=30", "ab:nodes=30"][0]
    # The reason: the other game is the same, whatever its seed.
    assert games["moves"][::2] == games["moves"][1::2]
    assert games["winner"][::2] == games["winner"][1::2]
    (one,) = numbered([both])
    assert one.single and one.games_each == 1 and one.number == 0
    once = joined([played(one, moves=True)])[0]
    assert once.pop("cell") == [0] * 12
    assert once == {name: games[name][::2] for name in once}


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("ab:nodes=30", "ab:nodes=30", True),
        ("ab", "ab:nodes=10000", True),
        ("ab:depth=2", "ab:depth=2", True),
        # Said in other words; chance has no part in it.
        ("ab:nodes=30", "ab:nodes=30,seed=5", True),
        ("ab:nodes=30,eps=0", "ab:nodes=30,hash=64,threads=1", True),
        ("ab:nodes=30", "ab:nodes=31", False),
        ("ab:nodes=30", "ab:nodes=30,table=no", False),
        ("ab:nodes=30,eps=0.1", "ab:nodes=30,eps=0.1", False),
        ("ab:nodes=30,temp=10", "ab:nodes=30,temp=10", False),
        ("ab:nodes=30,time=1", "ab:nodes=30,time=1", False),
        ("ab:nodes=30,threads=2", "ab:nodes=30,threads=2", False),
        ("random", "random", False),
        ("greedy", "greedy", False),
        ("mcts:sims=6", "mcts:sims=6", False),
        ("ext:cmd=x", "ext:cmd=x", False),
        ("ab:nodes=30", "greedy", False),
    ],
)
def test_who_is_the_same_player(a: str, b: str, same: bool) -> None:
    assert same_player(cell(a, b)) == same_player(cell(b, a)) == same
    cells = numbered([cell("random", "greedy"), cell(a, b), cell(b, a, single=True)])
    assert [one.number for one in cells] == [0, 1, 2]
    assert [one.single for one in cells] == [False, same, same]


@pytest.mark.parametrize(
    ("text", "reproducible", "deterministic"),
    [
        ("random", True, False),
        ("greedy", True, False),
        ("ab:nodes=30", True, True),
        ("ab:depth=2", True, True),
        ("ab:nodes=30,eps=0.1", True, False),
        ("ab:nodes=30,temp=5", True, False),
        ("ab:time=0.1", False, False),
        ("ab:nodes=30,time=5", False, False),
        ("ab:nodes=30,threads=2", False, False),
        ("mcts:sims=6", True, False),
        ("mcts:time=0.1", False, False),
        ("ext:cmd=x", False, False),
        ("ext:cmd=x,nodes=5", False, False),
    ],
)
def test_flags_of_players(text: str, reproducible: bool, deterministic: bool) -> None:
    spec = PlayerSpec.parse(text)
    assert (spec.reproducible, spec.deterministic) == (reproducible, deterministic)
    assert cell(text, "random").reproducible == cell("random", text).reproducible == reproducible
    if deterministic:
        games = {
            tuple(joined([played(cell(text, text, seed=seed), 0, 3, moves=True)])[0]["moves"])
            for seed in (1, 2)
        }
        assert len(games) == 1


# ---- Games that cannot be repeated, and games played again -------------------------------------


def test_games_of_a_program_are_kept_and_counted() -> None:
    what = cell(program_of(program()), "random", max_turns=12, rules=cf.Rules())
    assert not what.reproducible
    games, turns, heat = joined([played(what, 0, 3, turns=True)])
    assert heat.shape == (3, 2, 81)
    for row, data in enumerate(games["moves"]):
        game = replay(what, OPENINGS, games["opening"][row], games["game"][row], data)
        counted = count_game(game.start, game.moves, max_turns=12)
        assert len(game.moves) == games["decisions"][row]
        assert counted.stats["options"][0] == games["options"][row]
        assert games["turns"][row] == game.turn_count <= 12
    assert len(turns["turn"]) == sum(games["turns"])
    # Only on request they are not; then they are gone.
    (none,) = set(joined([played(what, 0, 1, moves=False)])[0]["moves"])
    assert none is None
    with pytest.raises(cf.ArgumentError, match="not kept, and it cannot be repeated"):
        replay(what, OPENINGS, 0, 0, None)


@pytest.mark.parametrize("name", ["exits at the start", "exits at a decision", "answers nonsense"])
def test_a_bad_program_loses_its_games_and_the_chunk_goes_on(name: str) -> None:
    termination, parts = BAD[name]
    bad = program_of(program(**parts), timeout=5.0)
    games, turns, _ = joined([played(cell("random", bad, max_turns=12), 0, 2, turns=True)])
    assert games["termination"] == [TERMINATIONS.index(termination)] * 4
    # It is blue, then red.
    assert games["winner"] == [0, 1, 0, 1]
    assert all(fault for fault in games["fault"])
    assert len(turns["turn"]) == sum(games["turns"])


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_games_are_played_again_from_their_row(pair: tuple[str, str]) -> None:
    what = cell(*pair)
    games = WHOLE[pair][0]
    for row in (0, 7, 22, 23):
        where = games["opening"][row], games["game"][row]
        kept = replay(what, OPENINGS, *where, games["moves"][row])
        again = replay(what, OPENINGS, *where, None)
        assert kept.moves == again.moves and len(kept.moves) == games["decisions"][row]
        if TERMINATIONS[games["termination"][row]] != "turn_limit":
            assert kept.outcome is not None
            assert kept.outcome.termination == TERMINATIONS[games["termination"][row]]


@given(st.lists(st.sampled_from(list(cf.Position.start().legal_moves)), max_size=30))
def test_moves_take_three_bytes(moves: list[Move]) -> None:
    data = b"".join(move.code.to_bytes(3, "little") for move in moves)
    assert moves_from_bytes(data) == moves


def test_players_of_a_pool_are_used_again() -> None:
    pool = Pool()
    spec = PlayerSpec.parse("greedy")
    one = pool.take(spec, RULES)
    assert pool.take(spec, RULES) is not one
    pool.give(one, RULES)
    other = pool.take(spec, cf.Rules())
    assert other is not one
    assert pool.take(PlayerSpec.parse("greedy:temp=1"), RULES) is not one
    assert pool.take(spec, RULES) is one
    pool.close()
