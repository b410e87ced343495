"""Players: their texts, their promises, their weight files."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import chase_fast as cf
from chase_fast._core import FEATURES, FULL_ROLLOUT, REDUCE_ALL, StopFlag
from chase_fast.agents import OPTIONS, CoreAgent, Option, PlayerSpec, load_weights, make_player
from chase_fast.agents.weights import WeightsError, save_weights


def values(option: Option) -> st.SearchStrategy[Any]:
    match option.kind:
        case "int":
            return st.integers(int(option.low), int(option.high))
        case "float":
            return st.floats(option.low, option.high, allow_nan=False)
        case "yes/no":
            return st.booleans()
        case "reductions":
            return st.integers(0, REDUCE_ALL)
        case "rollout":
            return st.integers(0, 1000) | st.just(FULL_ROLLOUT)
        case "text":
            return st.text(st.characters(codec="utf-8"), min_size=1)
        case _:
            return st.sampled_from(option.words)


@st.composite
def specs(draw: st.DrawFn) -> PlayerSpec:
    kind = draw(st.sampled_from(sorted(OPTIONS)))
    options = draw(st.lists(st.sampled_from(OPTIONS[kind]), unique_by=lambda o: o.name))
    chosen = {option.name: draw(values(option)) for option in options}
    if kind == "ext":
        chosen.setdefault("cmd", "engine")
    return PlayerSpec._of(kind, chosen)


@given(specs())
def test_a_players_text_reads_back(spec: PlayerSpec) -> None:
    assert PlayerSpec.parse(str(spec)) == spec


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "unknown player '', expected random, greedy, ab, mcts, ext"),
        ("alpha", "unknown player 'alpha'"),
        ("ab:node=5", "unknown option 'node' of ab, expected nodes, depth, time"),
        ("random:eps=0.1", "unknown option 'eps' of random, expected seed"),
        ("ab:nodes=0", "nodes is '0', expected an integer from 1"),
        ("ab:nodes=-1", "nodes is '-1', expected an integer from 1"),
        ("ab:nodes=1e3", "nodes is '1e3', expected an integer from 1"),
        ("ab:depth=65", "expected an integer from 1 to 64"),
        ("ab:time=-1", "time is '-1', expected a number from"),
        ("ab:time=nan", "time is 'nan', expected a number from"),
        ("ab:eps=1.5", "eps is '1.5', expected a number from 0 to 1"),
        ("ab:hash=0", "hash is '0', expected an integer from 1"),
        ("ab:table=maybe", "expected yes or no"),
        ("ab:reductions=late+late", "some of late, null, static"),
        ("mcts:policy=ucb", "expected one of puct, uct"),
        ("mcts:rollout=many", "or full"),
        ("ab:nodes=5,nodes=6", "nodes is given twice"),
        ("ab:", "expected name=value"),
        ("ab:nodes", "expected name=value, got 'nodes'"),
        ("ab:nodes=5,", "expected name=value"),
        ("ext", 'ext needs cmd="..."'),
        ('ext:cmd="x', "the quote is not closed"),
        ('ext:cmd="x"y', "expected a comma"),
        ('ext:cmd=run "a,b"', "a quote may only stand around a whole value"),
        ("ab: nodes=5", "unknown option ' nodes' of ab, expected nodes, depth"),
        ("ab:seed=99999999999999999999", "expected an integer from 0 to 18446744073709551615"),
        ("ab:seed=\u0663", "expected an integer from"),
        ("ab:time=1_0", "expected a number from 0.001"),
    ],
)
def test_what_is_wrong_with_a_players_text(text: str, words: str) -> None:
    with pytest.raises(cf.NotationError) as caught:
        PlayerSpec.parse(text)
    assert words in str(caught.value)


NUMBERS = [
    (kind, option)
    for kind, options in OPTIONS.items()
    for option in options
    if option.kind in ("int", "float", "rollout")
]


@pytest.mark.parametrize(("kind", "option"), NUMBERS, ids=lambda part: getattr(part, "name", part))
def test_a_number_may_be_as_small_and_as_great_as_is_said(kind: str, option: Option) -> None:
    rest = ',cmd="x"' if kind == "ext" else ""
    for number in (option.low, option.high):
        assert PlayerSpec.parse(f"{kind}:{option.name}={number}{rest}").get(option.name) == number
    step = 1 if option.kind != "float" else 1e-6
    for number in (option.low - step, option.high + max(step, option.high // 10**6)):
        with pytest.raises(cf.NotationError) as caught:
            PlayerSpec.parse(f"{kind}:{option.name}={number}{rest}")
        assert option.allowed in str(caught.value)
        assert str(option.high) in option.allowed


@pytest.mark.parametrize("kind", OPTIONS)
def test_an_unknown_option_lists_all_of_them(kind: str) -> None:
    with pytest.raises(cf.NotationError) as caught:
        PlayerSpec.parse(f"{kind}:colour=red")
    assert str(caught.value).startswith(f"unknown option 'colour' of {kind}, expected ")
    listed = str(caught.value).partition("expected ")[2].partition(" at offset")[0].split(", ")
    assert listed == [option.name for option in OPTIONS[kind]]


def test_a_limit_is_supplied_where_none_is_given() -> None:
    assert str(PlayerSpec.parse("ab")) == "ab:nodes=10000"
    assert str(PlayerSpec.parse("mcts:seed=3")) == "mcts:sims=1000,seed=3"
    assert str(PlayerSpec.parse("ab:depth=4,eps=0.05")) == "ab:depth=4,eps=0.05"


def play(text: str, seed: int = 0, turns: int = 6) -> list[str]:
    """The first decisions of a player against itself."""
    game = cf.Game()
    players = {side: make_player(text) for side in cf.Side}
    for side, player in players.items():
        player.new_game(game.start, seed=seed, side=side, max_turns=0)
    while game.turn_count < turns and game.outcome is None:
        game.push(players[game.position.side_to_act].choose(game).move)
    return [str(move) for move in game.moves]


@pytest.mark.parametrize(
    "text",
    ["random", "greedy", "greedy:temp=500", "ab:nodes=300", "ab:depth=2", "ab:nodes=200,eps=0.5",
     "ab:nodes=200,temp=800", "mcts:sims=30", "mcts:sims=30,policy=uct,rollout=full,temp=200"],
)  # fmt: skip
def test_a_game_is_a_function_of_players_and_seed(text: str) -> None:
    assert play(text, 5) == play(text, 5)


@pytest.mark.parametrize("text", ["random", "ab:nodes=100,eps=0.5", "ab:nodes=100,temp=2000"])
def test_what_is_drawn_by_lot_depends_on_both_seeds(text: str) -> None:
    separator = "," if ":" in text else ":"
    games = [play(text, 1), play(text, 2), play(f"{text}{separator}seed=9", 1)]
    assert len(set(map(tuple, games))) == 3


def test_eps_is_the_share_of_random_turns() -> None:
    # At a node limit of 1 the best decision of the start is always the same one.
    start = cf.Game()
    spec = PlayerSpec.parse("ab:depth=1,eps=0.25")
    player = make_player(spec)
    usual = make_player("ab:depth=1")
    usual.new_game(start.start, seed=0, side=cf.RED, max_turns=0)
    best = usual.choose(start).move
    other = 0
    for seed in range(2000):
        player.new_game(start.start, seed=seed, side=cf.RED, max_turns=0)
        other += player.choose(start).move != best
    expected = 2000 * 0.25 * 45 / 46
    assert abs(other - expected) < 4.5 * (expected * 0.76) ** 0.5


def test_temp_prefers_better_moves() -> None:
    game = cf.Game()
    lines = cf.analyse(game, "greedy", lines=46).lines
    scores = {line.pv[0]: line.score for line in lines}
    best, eighth = lines[0].score, lines[7].score
    means = []
    for temp in (1, 100, 10_000):
        player = make_player(f"greedy:temp={temp}")
        total = 0
        for seed in range(400):
            player.new_game(game.start, seed=seed, side=cf.RED, max_turns=0)
            score = scores[player.choose(game).move]
            assert eighth <= score <= best
            total += best - score
        means.append(total / 400)
    assert means[0] < means[1] < means[2]


def test_a_time_limit_and_a_flag_end_a_search() -> None:
    game = cf.Game()
    player = make_player("ab:time=0.05")
    player.new_game(game.start, seed=0, side=cf.RED, max_turns=0)
    assert player.choose(game).move in game.legal_moves
    endless = make_player("ab:depth=64")
    endless.new_game(game.start, seed=0, side=cf.RED, max_turns=0)
    stop = StopFlag()
    timer = threading.Timer(0.05, stop.set)
    timer.start()
    found = endless.search(game, stop=stop)
    timer.join()
    assert found.stopped and found.lines[0].pv[0] in game.legal_moves


def test_several_threads_share_a_table() -> None:
    game = cf.Game()
    player = make_player("ab:nodes=20000,threads=3")
    player.new_game(game.start, seed=0, side=cf.RED, max_turns=0)
    assert player.choose(game).move in game.legal_moves


def test_finished_games_have_nothing_to_search() -> None:
    game = cf.Game()
    while game.outcome is None:
        game.push(game.legal_moves[len(game.moves) % len(game.legal_moves)])
    for text in ("random", "greedy", "ab", "mcts"):
        with pytest.raises(cf.GameOverError):
            cf.analyse(game, text)


@pytest.mark.parametrize("lines", [0, -1, 10**6, True, "1", None])
def test_analyse_refuses_impossible_numbers_of_lines(lines: Any) -> None:
    with pytest.raises(cf.ArgumentError):
        cf.analyse(cf.Position.start(), "ab:depth=1", lines=lines)


@pytest.mark.parametrize("position", [None, "start", 5])
def test_analyse_refuses_what_is_no_position(position: Any) -> None:
    with pytest.raises(cf.ArgumentError):
        cf.analyse(position)


def test_tables_larger_than_memory_are_refused() -> None:
    with pytest.raises(cf.ArgumentError, match="this machine has"):
        make_player("ab:hash=1048576")


# ---- Weight files ------------------------------------------------------------------------------


def good_file() -> dict[str, Any]:
    return {"rules": "standard", "scale": 900.0, "weights": dict.fromkeys(FEATURES, 1)}


@pytest.mark.parametrize(
    ("rules", "name"),
    [
        ("standard", "standard.json"),
        ("rulebook", "standard.json"),
        ("wikipedia", "standard.json"),
        ("reserve=0", "reserve-0.json"),
        ("reserve=2", "reserve-2.json"),
        ("chain=yes", "chain-yes.json"),
        ("chain=yes,repetition=none", "chain-yes.json"),
        ("reserve=7", "standard.json"),
    ],
)
def test_which_weights_rules_have(rules: str, name: str) -> None:
    assert load_weights(cf.Rules.parse(rules)).name == name


def test_weights_read_back(tmp_path: Path) -> None:
    path = tmp_path / "w.json"
    weights = {name: number - 20 for number, name in enumerate(FEATURES)}
    save_weights(path, weights, 812.5, cf.Rules(), {"games": 3})
    read = load_weights(cf.Rules(), path)
    assert dict(zip(FEATURES, read.values, strict=True)) == weights
    assert (read.scale, read.rules) == (812.5, "standard")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d.pop("weights"), "expected an object"),
        (lambda d: d["weights"].pop("tempo"), "no tempo"),
        (lambda d: d["weights"].update(extra=1), "unknown 'extra'"),
        (lambda d: d["weights"].update(tempo=1.5), "tempo must be an integer"),
        (lambda d: d["weights"].update(tempo=True), "tempo must be an integer"),
        (lambda d: d["weights"].update(tempo=10**9), "tempo must be an integer"),
        (lambda d: d.pop("scale"), "scale must be"),
        (lambda d: d.update(scale=float("inf")), "scale must be"),
        (lambda d: d.update(scale=0), "scale must be"),
        (lambda d: d.update(scale=10**400), "scale must be"),
        (lambda d: d.update(scale="5"), "scale must be"),
        (lambda d: d.update(rules="banana"), "rules: 'banana'"),
        (lambda d: d["weights"].update({str(n): 1 for n in range(9000)}), "and 8995 more"),
        (lambda d: d.update(rules=5), "rules must be a text"),
    ],
)
def test_bad_weight_files_are_refused(tmp_path: Path, change: Any, words: str) -> None:
    data = good_file()
    change(data)
    path = tmp_path / "w.json"
    path.write_text(json.dumps(data))
    with pytest.raises(WeightsError, match=words):
        make_player(f'ab:weights="{path}"')


@pytest.mark.parametrize(
    "content", [b"", b"[", b"\xff\xfe", b"[" * 100_000, b"5", b" " * 2_000_000]
)
def test_unreadable_weight_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "w.json"
    path.write_bytes(content)
    with pytest.raises(WeightsError, match=r"w\.json"):
        load_weights(cf.Rules(), path)
    for missing in (tmp_path / "none.json", tmp_path):
        with pytest.raises(WeightsError):
            load_weights(cf.Rules(), missing)


def test_core_agents_know_which_weights_they_use() -> None:
    player = make_player("ab", cf.Rules(reserve=2))
    assert isinstance(player, CoreAgent)
    assert player.weights.rules == "reserve=2"
