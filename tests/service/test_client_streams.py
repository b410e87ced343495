"""Streams of both clients: as the calls without them, no further ahead than told, gone on with."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from typing import Any, assert_type

import numpy as np
import pytest
from chase_service._pb.chase.v1 import games_service_pb2 as games_pb
from chase_service._pb.chase.v1 import query_service_pb2 as pb
from chase_service.client import (
    Analysed,
    AsyncClient,
    Client,
    Decisions,
    ItemError,
    PlayedGame,
    ServiceError,
)
from chase_service.refusal import Reason, Refusal

import chase_fast as cf
from chase_fast.openings import random_openings
from chase_fast.simulate import play_pairs
from tests.service.fakes import BOTH, GONE, LATE, Scripted
from tests.service.running import PATIENCE, Running, wait_for


@pytest.fixture(params=list(BOTH))
def client_of(request: pytest.FixtureRequest) -> Any:
    return BOTH[request.param]


@pytest.fixture
def client(server: Running, client_of: Any) -> Iterator[Any]:
    with client_of(server.target, timeout=PATIENCE) as made:
        yield made


# ---- As the calls without them ------------------------------------------------------------------


@pytest.mark.parametrize("batch", [1, 7, 1000])
@pytest.mark.parametrize("ahead", [1, 2, 5])
def test_streams_give_what_calls_give(client: Any, batch: int, ahead: int) -> None:
    start = cf.Position.start()
    positions = ["", "nonsense", *(start.apply(move).cfen for move in start.legal_moves[:20])]
    depths = [(cfen, number % 3) for number, cfen in enumerate(positions)]
    # What is wrong with a decision is told with its place in the batch, so there is nothing wrong.
    codes = [(cfen, [] if cfen else [start.legal_moves[0].code]) for cfen in positions]
    how = {"batch": batch, "ahead": ahead}
    assert list(client.stream_legal_decisions(iter(positions), texts=True, **how)) == (
        client.legal_decisions(positions, texts=True)
    )
    assert list(client.stream_apply(iter(codes), **how)) == client.apply(codes)
    assert list(client.stream_perft(iter(depths), turns=True, **how)) == (
        client.perft(depths, turns=True)
    )
    assert list(client.stream_analyse(iter(positions), "greedy", lines=2, **how)) == (
        client.analyse(positions, "greedy", lines=2)
    )
    sums = list(client.stream_playouts(iter(positions[:3]), 10, seed=5, **how))
    assert isinstance(sums[1], ItemError)
    assert [sums[0], sums[2]] == [
        client.playouts(10, seed=5, position=cfen).results[0] for cfen in ("", positions[2])
    ]
    assert list(client.stream_perft([], **how)) == []


def test_an_analysis_knows_what_was_played(client: Any) -> None:
    """Decisions that lead to a position, unlike the position alone, count for repetition."""
    (opening,) = random_openings(cf.Rules(), 6, 1, seed=3)
    codes = [move.code for move in opening.moves]
    (found,) = client.analyse([("", codes)], "ab:depth=2")
    expected = cf.analyse(opening, "ab:depth=2")
    assert [line.score for line in found.lines] == [line.score for line in expected.lines]
    assert found.lines[0].decisions == tuple(move.code for move in expected.lines[0].pv)


@pytest.mark.parametrize("batch", [1, 100, 1000])
def test_random_games_are_those_of_the_library(client: Any, batch: int) -> None:
    games = 250
    parts = list(client.playout_games(games, seed=3, first_game=7, max_turns=90, batch=batch))
    expected = cf.playouts(cf.Position.start(), games, seed=3, first_game=7, max_turns=90)
    assert [part.first_game for part in parts] == [*range(7, 7 + games, batch)]
    for name in cf.GAME_DTYPE.names or ():
        column = [value for part in parts for value in getattr(part, name)]
        assert np.array_equal(column, getattr(expected, name)), name


@pytest.mark.parametrize("rules", ["standard", "reserve=2,chain=yes"])
def test_games_from_given_openings_are_those_of_the_library(client: Any, rules: str) -> None:
    chosen = cf.Rules.parse(rules)
    openings = list(random_openings(chosen, 4, 5, seed=3))
    given = [("", [move.code for move in game.moves]) for game in openings]
    played = list(
        client.play_games(
            "greedy", "ab:nodes=50", openings=given, rules=rules, seed=9, first_pair=100,
            decisions=True,
        )
    )  # fmt: skip
    pairs = play_pairs("greedy", "ab:nodes=50", openings, rules=chosen, seed=9, first_pair=100)
    expected = {
        (pair.index, number): (
            result.outcome.winner, result.game.turn_count,
            tuple(move.code for move in result.game.moves),
        )
        for pair in pairs
        for number, result in enumerate(pair.games)
    }  # fmt: skip
    assert {
        (one.pair, one.game): (one.winner, one.turns, one.decisions) for one in played
    } == expected
    assert len(played) == len(expected) == 10


# ---- No further ahead than told -----------------------------------------------------------------


@pytest.mark.parametrize(("batch", "ahead"), [(1, 1), (1, 3), (10, 1), (10, 2)])
def test_items_are_read_as_answers_are_taken(client: Any, batch: int, ahead: int) -> None:
    """Back-pressure: an endless source is read so many batches ahead of what was taken."""
    read = 0

    def endless() -> Iterator[tuple[str, int]]:
        nonlocal read
        while True:
            read += 1
            yield "", 1

    with closing(client.stream_perft(endless(), batch=batch, ahead=ahead)) as answers:
        for taken in range(50):
            assert read == (batch * (ahead + (taken - 1) // batch) if taken else 0)
            assert next(answers) == 46


def test_a_stream_that_is_closed_leaves_nothing_behind(server: Running, client: Any) -> None:
    answers = client.stream_perft((("", 1) for _ in range(10**9)), batch=1)
    next(answers)
    answers.close()
    wait_for(lambda: server.busy == 0)


def test_a_fault_of_the_source_comes_out(server: Running, client: Any) -> None:
    def broken() -> Iterator[tuple[str, int]]:
        yield "", 1
        raise RuntimeError("empty tray")

    with pytest.raises(RuntimeError, match="empty tray"):
        list(client.stream_perft(broken(), batch=1, ahead=1))
    wait_for(lambda: server.busy == 0)


def test_asynchronous_sources(server: Running) -> None:
    async def slowly() -> AsyncIterator[tuple[str, int]]:
        for depth in range(3):
            await asyncio.sleep(0)
            yield "", depth

    async def ask() -> list[int | ItemError]:
        async with AsyncClient(server.target) as client:
            return [count async for count in client.stream_perft(slowly(), batch=2)]

    assert asyncio.run(ask()) == [1, 46, 2114]


# ---- Gone on with -------------------------------------------------------------------------------


def counted(*counts: int) -> bytes:
    return pb.StreamPerftResponse(batch=pb.PerftResponse(counts=counts)).SerializeToString()


def asked(requests: list[bytes]) -> list[list[int]]:
    found = [pb.StreamPerftRequest.FromString(one).batch.items for one in requests]
    return [[item.depth for item in items] for items in found]


def test_a_stream_asks_again_for_what_was_not_answered(client_of: Any) -> None:
    first: list[Any] = [counted(1, 2), GONE]
    second: list[Any] = [counted(3, 4), counted(5, 6), GONE]
    third = [counted(7)]
    items = [("", depth) for depth in range(7)]
    with (
        Scripted("QueryService/StreamPerft", first, second, third, shape="stream_stream") as fake,
        client_of(fake.target) as client,
    ):
        assert list(client.stream_perft(items, batch=2, ahead=2)) == [1, 2, 3, 4, 5, 6, 7]
        assert asked(fake.requests[1])[0] == [2, 3]
        assert asked(fake.requests[2]) == [[6]]


@pytest.mark.parametrize(
    "script",
    [
        [Refusal(Reason.OVERLOADED, "full", retry_after=1.0)],
        [LATE],
        [GONE],
        [counted(1, 2)],  # two answers to one item
        [None],
    ],
)
def test_a_stream_that_fails(client_of: Any, script: list[Any]) -> None:
    """Nothing but UNAVAILABLE is tried again, and that not for ever."""
    scripts = [script] * 3
    with (
        Scripted("QueryService/StreamPerft", *scripts, shape="stream_stream") as fake,
        client_of(fake.target, attempts=3) as client,
        pytest.raises(ServiceError) as raised,
    ):
        list(client.stream_perft([("", 1)]))
    reason = script[0].reason if isinstance(script[0], Refusal) else None
    assert raised.value.reason == (reason.name if reason else "")
    assert raised.value.code.name == (script[0].code.name if reason else "INTERNAL")
    assert raised.value.retry_after == (script[0].retry_after if reason else None)
    assert len(fake.requests) == (3 if script == [GONE] else 1)


def figures(first: int, games: int) -> bytes:
    response = pb.StreamPlayoutGamesResponse(first_game=first, winner=[0] * games)
    return response.SerializeToString()


def test_random_games_go_on_where_they_broke(client_of: Any) -> None:
    scripts: list[list[Any]] = [[figures(5, 2), GONE], [LATE], [figures(7, 2)]]
    with (
        Scripted("QueryService/StreamPlayoutGames", *scripts) as fake,
        client_of(fake.target) as client,
    ):
        found = list(client.playout_games(4, first_game=5))
        asked = [pb.StreamPlayoutGamesRequest.FromString(one).item for one in fake.requests]
    assert [part.first_game for part in found] == [5, 7]
    assert [(one.first_game, one.games) for one in asked] == [(5, 4), (7, 2), (7, 2)]


@pytest.mark.parametrize("script", [[figures(1, 2)], [figures(0, 1)]])
def test_random_games_that_are_not_those_asked_for(client_of: Any, script: list[bytes]) -> None:
    with (
        Scripted("QueryService/StreamPlayoutGames", script) as fake,
        client_of(fake.target) as client,
        pytest.raises(ServiceError) as raised,
    ):
        list(client.playout_games(2))
    assert raised.value.code.name == "INTERNAL"


def pairs(*numbers: int) -> bytes:
    twice = [number for number in numbers for _ in range(2)]
    many = len(twice)
    return games_pb.PlayGamesResponse(
        pairs=twice, games=[0, 1] * len(numbers), winners=[0] * many, terminations=[1] * many,
        turns=[9] * many, decision_counts=[9] * many,
    ).SerializeToString()  # fmt: skip


def test_games_from_given_openings_come_once_each(client_of: Any) -> None:
    given = [("", []), ("", [1]), ("", [2]), ("", [3])]
    scripts: list[list[Any]] = [[pairs(51), pairs(52), GONE], [pairs(50, 51), LATE], [pairs(53)]]
    with Scripted("GamesService/PlayGames", *scripts) as fake, client_of(fake.target) as client:
        found = list(client.play_games("a", "b", openings=given, first_pair=50))
        requests = [games_pb.PlayGamesRequest.FromString(one) for one in fake.requests]
    assert [(one.pair, one.game) for one in found] == [
        (pair, game) for pair in (51, 52, 50, 53) for game in (0, 1)
    ]
    assert [one.first_pair for one in requests] == [50, 50, 53]
    assert [len(one.given.openings) for one in requests] == [4, 4, 1]
    assert list(requests[2].given.openings[0].decisions) == [3]


def test_games_from_drawn_openings_begin_again_only_before_the_first(client_of: Any) -> None:
    scripts: list[list[Any]] = [[GONE], [pairs(1), GONE]]
    with Scripted("GamesService/PlayGames", *scripts) as fake, client_of(fake.target) as client:
        games = client.play_games("a", "b", openings=2)
        assert next(games).pair == 1
        assert next(games).pair == 1
        with pytest.raises(ServiceError) as raised:
            next(games)
    assert raised.value.reason == "UNAVAILABLE"
    assert len(fake.requests) == 2


async def _all(answers: AsyncIterator[object]) -> list[object]:
    return [one async for one in answers]


@pytest.mark.parametrize(
    "call",
    [
        lambda client: client.perft([("", 11)]),
        lambda client: _all(client.stream_perft([("", 11)])),
        lambda client: _all(client.playout_games(10**9)),
    ],
)
def test_to_close_a_client_cancels_no_task(server: Running, call: Any) -> None:
    """Its calls fail; a group would take a cancelled one for one that was not wanted."""

    async def ask(cancel: bool) -> tuple[bool, BaseException | None]:
        client = AsyncClient(server.target)
        asking = asyncio.ensure_future(call(client))
        await asyncio.to_thread(wait_for, lambda: server.server.work > 0)
        if cancel:
            asking.cancel()
        await client.close()
        await asyncio.wait([asking])
        return asking.cancelled(), None if asking.cancelled() else asking.exception()

    cancelled, error = asyncio.run(ask(cancel=False))
    assert not cancelled and isinstance(error, ServiceError)
    assert error.code.name == "CANCELLED" and error.message == "the client was closed"
    wait_for(lambda: server.busy == 0)
    assert asyncio.run(ask(cancel=True)) == (True, None)
    wait_for(lambda: server.busy == 0)


# ---- Types --------------------------------------------------------------------------------------


def check_types(client: Client) -> None:
    """Never called: for mypy."""
    for decisions in client.stream_legal_decisions([""]):
        assert_type(decisions, Decisions | ItemError)
    for count in client.stream_perft([("", 1)]):
        assert_type(count, int | ItemError)
    for cfen in client.stream_apply([("", [1])]):
        assert_type(cfen, str | ItemError)
    for found in client.stream_analyse(["", ("", [1])]):
        assert_type(found, Analysed | ItemError)
    for game in client.play_games("a", "b", openings=1):
        assert_type(game, PlayedGame)
    for part in client.playout_games(1):
        assert_type(part, pb.StreamPlayoutGamesResponse)


async def check_types_of_the_other(client: AsyncClient) -> None:
    """Never called: for mypy."""
    async for decisions in client.stream_legal_decisions([""]):
        assert_type(decisions, Decisions | ItemError)
    async for game in client.play_games("a", "b", openings=1):
        assert_type(game, PlayedGame)
    assert_type(await client.perft([("", 1)]), list[int | ItemError])
