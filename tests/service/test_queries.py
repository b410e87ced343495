"""What the service answers is what the library says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from chase_service._pb.chase.v1 import query_service_pb2 as pb
from chase_service._pb.chase.v1.games_service_pb2 import (
    GeneratedOpenings,
    GivenOpenings,
    Opening,
    PlayGamesRequest,
    PlayGamesResponse,
)
from chase_service.client import Analysed, Decisions, PlayedGame

import chase_fast as cf
from chase_fast.openings import random_openings
from chase_fast.replay import playout_game
from chase_fast.simulate import PairResult, play_pairs
from chase_fast.tally import COUNTERS, TERMINATIONS, Tally
from tests.service.running import PLAY_GAMES, Running

pytestmark = pytest.mark.no_core

RULES = ["standard", "chain=yes", "reserve=3,handout=any", "wrap=no,ricochet=no"]

# In a series of captures, with pips due, and over.
SPECIAL = [
    ("chain=yes", "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r"),
    ("standard", "abcdedcba/9/9/9/3B5/5A3/9/9/C1C1C1D2 r"),
    ("standard", "f8/3Af4/4F1C2/5F3/9/4D4/9/1E2e4/5d3 b - 4/6"),
]


def positions_of(rules: str, games: int = 3) -> list[cf.Position]:
    """Positions of some random games, the last one over."""
    start = cf.Position.start(cf.Rules.parse(rules))
    found: list[cf.Position] = []
    for number in range(games):
        game = playout_game(start, number, seed=5)
        position = start
        for at, move in enumerate(game.moves):
            if at % 9 == 0:
                found.append(position)
            position = position.apply(move)
        found.append(position)
    return found


def state_of(position: cf.Position) -> tuple[int, int, int, int]:
    winner = -1 if position.winner is None else int(position.winner)
    return int(position.side_to_act), winner, int(position.termination), position.pips_due


def states(message: pb.States) -> list[tuple[int, ...]]:
    columns = (message.sides, message.winners, message.terminations, message.pips_due)
    return list(zip(*columns, strict=True))


@pytest.mark.parametrize("rules", RULES)
def test_legal_decisions(server: Running, rules: str) -> None:
    positions = positions_of(rules)
    request = pb.LegalDecisionsRequest(
        rules=rules, positions=[one.cfen for one in positions], with_texts=True, with_states=True
    )
    answer = server.call("LegalDecisions", request, pb.LegalDecisionsResponse)
    assert list(answer.counts) == [len(one.legal_moves) for one in positions]
    moves = [move for one in positions for move in one.legal_moves]
    assert list(answer.decisions) == [move.code for move in moves]
    assert list(answer.texts) == list(map(str, moves))
    assert states(answer.states) == [state_of(one) for one in positions]
    assert not answer.errors


@pytest.mark.parametrize(("rules", "cfen"), SPECIAL)
def test_apply_follows_every_decision(server: Running, rules: str, cfen: str) -> None:
    position = cf.Position.parse(cfen, cf.Rules.parse(rules))
    moves = list(position.legal_moves)
    if not moves:
        with pytest.raises(cf.GameOverError):
            position.apply("a1E")
        return
    request = pb.ApplyRequest(
        rules=rules,
        positions=[cfen] * len(moves),
        decisions=[move.code for move in moves],
        with_states=True,
    )
    answer = server.call("Apply", request, pb.ApplyResponse)
    after = [position.apply(move) for move in moves]
    assert list(answer.positions) == [one.cfen for one in after]
    assert states(answer.states) == [state_of(one) for one in after]
    request.ClearField("decisions")
    request.texts.extend(map(str, moves))
    assert server.call("Apply", request, pb.ApplyResponse) == answer


def test_apply_plays_sequences(server: Running) -> None:
    games = [playout_game(cf.Position.start(), number, seed=1) for number in range(3)]
    request = pb.ApplyRequest(
        positions=["", "", games[2].start.cfen, ""],
        counts=[*(len(game.moves) for game in games), 0],
        decisions=[move.code for game in games for move in game.moves],
    )
    answer = server.call("Apply", request, pb.ApplyResponse)
    last = [game.position.cfen for game in games]
    assert list(answer.positions) == [*last, cf.Position.start().cfen]


def test_perft(server: Running) -> None:
    special = cf.Position.parse(SPECIAL[1][1])
    items = [
        pb.PerftItem(),
        *(pb.PerftItem(depth=depth) for depth in range(1, 5)),
        *(pb.PerftItem(depth=depth, unit=pb.PERFT_UNIT_TURN) for depth in range(1, 5)),
        pb.PerftItem(position=special.cfen, depth=3),
    ]
    answer = server.call("Perft", pb.PerftRequest(items=items), pb.PerftResponse)
    known = [1, 46, 2114, 95_578, 4_302_438, 46, 2114, 95_904, 4_356_072]
    assert list(answer.counts) == [*known, cf.perft(special, 3)]
    assert not answer.branch_counts
    assert list(answer.branches) == [0] * len(items)


@pytest.mark.parametrize("unit", ["decision", "turn"])
def test_divide(server: Running, unit: str) -> None:
    position = cf.Position.parse(SPECIAL[1][1])
    code = pb.PERFT_UNIT_TURN if unit == "turn" else pb.PERFT_UNIT_DECISION
    items = [
        pb.PerftItem(depth=2),
        pb.PerftItem(position=position.cfen, depth=2, unit=code, divide=True),
        pb.PerftItem(depth=1, unit=code, divide=True),
    ]
    answer = server.call("Perft", pb.PerftRequest(items=items), pb.PerftResponse)
    expected = [cf.divide(position, 2, unit), cf.divide(cf.Position.start(), 1, unit)]
    assert list(answer.branches) == [0, *map(len, expected)]
    flat = [pair for one in expected for pair in one.items()]
    assert list(answer.branch_decisions) == [move.code for move, _ in flat]
    assert list(answer.branch_counts) == [count for _, count in flat]
    assert list(answer.counts[1:]) == [sum(one.values()) for one in expected]


def test_many_counts_at_a_time(server: Running) -> None:
    """More items than are split by their first decision."""
    depths = [at % 4 for at in range(200)]
    items = [pb.PerftItem(depth=depth, divide=depth % 2 == 1) for depth in depths]
    answer = server.call("Perft", pb.PerftRequest(items=items), pb.PerftResponse)
    assert list(answer.counts) == [[1, 46, 2114, 95_578][depth] for depth in depths]
    assert list(answer.branches) == [46 * (depth % 2) for depth in depths]
    start = cf.Position.start()
    divided = [list(cf.divide(start, depth).values()) for depth in depths if depth % 2]
    assert list(answer.branch_counts) == [count for one in divided for count in one]


def test_playouts(server: Running) -> None:
    rules = cf.Rules.parse("chain=yes")
    start = cf.Position.start(rules)
    # More than one piece, not a whole number of them; a turn limit that is met.
    items = [
        pb.PlayoutsItem(games=2345, seed=3, first_game=7),
        pb.PlayoutsItem(games=50, max_turns=100, position=start.cfen),
    ]
    request = pb.PlayoutsRequest(rules="chain=yes", items=items)
    answer = server.call("Playouts", request, pb.PlayoutsResponse)
    played = [
        cf.playouts(start, 2345, seed=3, first_game=7),
        cf.playouts(start, 50, max_turns=100),
    ]
    assert tuple(answer.counters) == COUNTERS
    for games, result in zip(played, answer.results, strict=True):
        tally = Tally()
        tally.add(games)
        assert result.games == len(games)
        assert (result.red_wins, result.blue_wins) == tuple(tally.wins.values())
        assert list(result.terminations) == [tally.terminations[word] for word in TERMINATIONS]
        for at, name in enumerate(COUNTERS):
            column = games.array[name].astype(object)
            assert result.totals[at] == column.sum()
            assert result.squares[at] == (column * column).sum()
            assert (result.lowest[at], result.highest[at]) == (column.min(), column.max())
        products = games.options.astype(object) * games.decisions.astype(object)
        assert result.options_by_decisions == products.sum()


def test_playout_games(server: Running) -> None:
    request = pb.StreamPlayoutGamesRequest(
        item=pb.PlayoutsItem(games=250, seed=9, first_game=2**64 - 250), batch=100
    )
    messages = list(server.stream("StreamPlayoutGames", request, pb.StreamPlayoutGamesResponse))
    played = cf.playouts(cf.Position.start(), 250, seed=9, first_game=2**64 - 250)
    assert [len(one.winner) for one in messages] == [100, 100, 50]
    assert [one.first_game for one in messages] == [2**64 - 250, 2**64 - 150, 2**64 - 50]
    names = [field.name for field in pb.StreamPlayoutGamesResponse.DESCRIPTOR.fields[1:]]
    assert set(names) == set(cf.GAME_DTYPE.names or ())
    for name in names:
        column = [value for message in messages for value in getattr(message, name)]
        assert column == played.array[name].tolist(), name


def test_analyse(server: Running) -> None:
    game = cf.Game.from_moves(["a5NE", "i5SE", "a1=2,a2=1"])
    players = ["ab:depth=3", "greedy", "mcts:sims=50,seed=4", "ab:nodes=300,hash=1"]
    items = [
        pb.AnalyseItem(decisions=[move.code for move in game.moves], player=player, lines=2)
        for player in players
    ]
    request = pb.AnalyseRequest(items=items, with_texts=True)
    answer = server.call("Analyse", request, pb.AnalyseResponse)
    for player, result in zip(players, answer.results, strict=True):
        found = cf.analyse(game, player, lines=2)
        assert (result.depth, result.nodes, result.sims) == (found.depth, found.nodes, found.sims)
        assert [(line.score, line.depth, line.nodes) for line in result.lines] == [
            (line.score, line.depth, line.nodes) for line in found.lines
        ]
        for line, expected in zip(result.lines, found.lines, strict=True):
            assert list(line.decisions) == [move.code for move in expected.pv]
            assert list(line.texts) == list(map(str, expected.pv))


def expected_games(results: list[PairResult]) -> dict[tuple[int, int], tuple[Any, ...]]:
    words = ("none", "dice", "no_decision", "repetition", "turn_limit")
    found: dict[tuple[int, int], tuple[Any, ...]] = {}
    for pair in results:
        for number, one in enumerate(pair.games):
            found[pair.index, number] = (
                one.outcome.winner,
                words.index(one.outcome.termination),
                one.game.turn_count,
                tuple(move.code for move in one.game.moves),
            )
    return found


def played_games(games: list[PlayedGame]) -> dict[tuple[int, int], tuple[Any, ...]]:
    return {
        (one.pair, one.game): (one.winner, one.termination, one.turns, one.decisions)
        for one in games
    }


@pytest.mark.parametrize(
    ("a", "b", "openings"),
    [("greedy", "random", 20), ("ab:nodes=50,eps=0.2", "mcts:sims=20", 3)],
)
def test_games_are_those_of_the_library(server: Running, a: str, b: str, openings: int) -> None:
    rules = cf.Rules.parse("reserve=2")
    first = random_openings(rules, 2, openings, seed=6)
    expected = expected_games(
        list(play_pairs(a, b, first, rules=rules, seed=6, first_pair=11, max_turns=60))
    )
    request = PlayGamesRequest(
        rules="reserve=2", player_a=a, player_b=b, seed=6, first_pair=11, max_turns=60,
        generated=GeneratedOpenings(count=openings, turns=2), with_decisions=True,
    )  # fmt: skip
    found: dict[tuple[int, int], tuple[Any, ...]] = {}
    for message in server.stream(PLAY_GAMES, request, PlayGamesResponse):
        begin = 0
        for row, count in enumerate(message.decision_counts):
            winner = message.winners[row]
            found[message.pairs[row], message.games[row]] = (
                None if winner < 0 else winner,
                message.terminations[row],
                message.turns[row],
                tuple(message.decisions[begin : begin + count]),
            )
            begin += count
        assert begin == len(message.decisions)
    assert found == expected


def test_games_from_given_openings(server: Running) -> None:
    games = list(random_openings(cf.Rules(), 4, 3, seed=2))
    expected = expected_games(list(play_pairs("greedy", "greedy:eps=0.5", games, seed=1)))
    request = PlayGamesRequest(
        player_a="greedy", player_b="greedy:eps=0.5", seed=1,
        given=GivenOpenings(
            openings=[Opening(decisions=[move.code for move in game.moves]) for game in games]
        ),
    )  # fmt: skip
    found = {
        (pair, game): (None if winner < 0 else winner, termination, turns)
        for message in server.stream(PLAY_GAMES, request, PlayGamesResponse)
        for pair, game, winner, termination, turns in zip(
            message.pairs, message.games, message.winners, message.terminations, message.turns,
            strict=True,
        )
    }  # fmt: skip
    assert found == {key: row[:3] for key, row in expected.items()}


@pytest.mark.parametrize("name", ["LegalDecisions", "Apply", "Perft", "Playouts", "Analyse"])
def test_streams_answer_as_calls_do(server: Running, name: str) -> None:
    examples: dict[str, list[Any]] = {
        "LegalDecisions": [pb.LegalDecisionsRequest(positions=[""] * n) for n in (1, 5, 2)],
        "Apply": [pb.ApplyRequest(positions=["", "x"], texts=["a1E", word]) for word in "ab"],
        "Perft": [pb.PerftRequest(items=[pb.PerftItem(depth=n)]) for n in (2, 4, 1)],
        "Playouts": [pb.PlayoutsRequest(items=[pb.PlayoutsItem(games=n)]) for n in (3, 1)],
        "Analyse": [
            pb.AnalyseRequest(items=[pb.AnalyseItem(player=player)])
            for player in ("ab:depth=2", "greedy")
        ],
    }
    requests = examples[name]
    wrap, unwrap = getattr(pb, f"Stream{name}Request"), getattr(pb, f"Stream{name}Response")
    response = getattr(pb, f"{name}Response")
    answers = server.talk(f"Stream{name}", (wrap(batch=one) for one in requests))
    streamed = [unwrap.FromString(data).batch for data in answers]
    assert streamed == [server.call(name, one, response) for one in requests]


def test_the_client_for_python(server: Running) -> None:
    client = server.client
    start = cf.Position.start()
    # More than it sends at a time.
    answers = client.legal_decisions([""] * 2500, texts=True)
    codes = tuple(start.legal_moves.codes.tolist())
    expected = Decisions(codes, tuple(map(str, start.legal_moves)))
    assert answers == [expected] * 2500
    assert client.apply([("", codes[:1]), ("", ())]) == [
        start.apply(start.legal_moves[0]).cfen,
        start.cfen,
    ]
    assert client.perft([("", 3), ("", 2)], turns=True) == [95_904, 2114]
    assert client.playouts(100, seed=1).results[0].games == 100
    (found,) = client.analyse([""], "ab:depth=2", lines=2)
    assert isinstance(found, Analysed)
    local = cf.analyse(start, "ab:depth=2", lines=2)
    assert [line.score for line in found.lines] == [line.score for line in local.lines]
    games = list(client.play_games("random", "greedy", openings=4, seed=3, decisions=True))
    expected_pairs = play_pairs(
        "random", "greedy", random_openings(cf.Rules(), 4, 4, seed=3), seed=3
    )
    assert played_games(games) == expected_games(list(expected_pairs))


def test_version(server: Running) -> None:
    answer = server.client.version()
    assert answer.version == cf.__version__
    assert {one.name: one.rules for one in answer.rules} == dict(cf.Rules.PRESETS)
    assert all(cf.Rules.parse(one.rules).digest == one.digest for one in answer.rules)
    assert list(answer.players) == ["random", "greedy", "ab", "mcts"]
    assert all(getattr(answer.limits, field.name) for field in answer.limits.DESCRIPTOR.fields)
    assert answer.limits.response_bytes == 7 << 19


def test_seeds_of_64_bits_survive_the_wire(server: Running) -> None:
    item = pb.PlayoutsItem(games=20, seed=2**64 - 1)
    answer = server.call("Playouts", pb.PlayoutsRequest(items=[item]), pb.PlayoutsResponse)
    games = cf.playouts(cf.Position.start(), 20, seed=2**64 - 1)
    assert answer.results[0].red_wins == int(np.count_nonzero(games.winner == 0))
