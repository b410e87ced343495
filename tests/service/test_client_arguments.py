"""Arguments that are not as described, and clients that are closed: both clients say the same."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from chase_service.client import ArgumentError, AsyncClient, Client

from tests.service.fakes import BOTH
from tests.service.running import Running

pytestmark = pytest.mark.no_core

DECISIONS = "expected a CFEN and the codes of decisions"
DEPTH = "expected a CFEN and a depth from 0 on"
ANALYSED = "expected a CFEN, or one and the codes of decisions"
ITERABLE = "expected an iterable of them"
NUMBER = f"expected an integer from 0 to {2**32 - 1}"

Call = Callable[[Any], object]

# What is asked of a client, and what is said of it.
WRONG: dict[str, tuple[Call, str]] = {
    "text of a decision": (
        lambda one: one.apply([("", [1]), ("", "a5NE")]), f"item 1 is ('', 'a5NE'), {DECISIONS}"
    ),
    "texts of decisions": (
        lambda one: one.apply([("", ["a5NE"])]), f"item 0 is ('', ['a5NE']), {DECISIONS}"
    ),
    "one code": (lambda one: one.apply([("", 7)]), f"item 0 is ('', 7), {DECISIONS}"),
    "a code that is none": (
        lambda one: one.apply([("", [-1])]), f"item 0 is ('', [-1]), {DECISIONS}"
    ),
    "no depth": (lambda one: one.perft([""]), f"item 0 is '', {DEPTH}"),
    "depth below 0": (lambda one: one.perft([("", -1)]), f"item 0 is ('', -1), {DEPTH}"),
    "far behind": (
        lambda one: one.perft([*[("", 0)] * 1234, ("", "3")]), f"item 1234 is ('', '3'), {DEPTH}"
    ),
    "far behind in a stream": (
        lambda one: list(one.stream_perft([*[("", 0)] * 25, 3], batch=10)), f"item 25 is 3, {DEPTH}"
    ),
    "no text": (lambda one: one.legal_decisions([None]), "item 0 is None, expected a CFEN"),
    "a text alone": (lambda one: one.legal_decisions("abc"), f"the items are 'abc', {ITERABLE}"),
    "no items": (lambda one: one.perft(3), f"the items are 3, {ITERABLE}"),
    "no position": (lambda one: one.analyse([7]), f"item 0 is 7, {ANALYSED}"),
    "long": (
        lambda one: one.apply([("x" * 99, "a")]), f"item 0 is ('{'x' * 55}..., {DECISIONS}"
    ),
    "rules": (lambda one: one.perft([], rules=3), "rules is 3, expected a text"),
    "lines": (lambda one: one.analyse([""], lines="2"), f"lines is '2', {NUMBER}"),
    "player": (lambda one: one.analyse([""], 4), "player is 4, expected a text"),
    "texts": (
        lambda one: one.legal_decisions([""], texts="x"),
        "with_texts is 'x', expected True or False",
    ),
    "games": (
        lambda one: one.playouts(-1), f"games is -1, expected an integer from 0 to {2**64 - 1}"
    ),
    "games told one by one": (
        lambda one: list(one.playout_games("5")),
        f"games is '5', expected an integer from 0 to {2**64 - 1}",
    ),
    "openings": (
        lambda one: list(one.play_games("random", "random", openings="5")),
        "openings is '5', expected how many, or a list of them",
    ),
    "an opening": (
        lambda one: list(one.play_games("random", "random", openings=[("", [1]), ""])),
        "item 1 is '', expected a CFEN and the codes of the decisions made from there",
    ),
    "turns": (
        lambda one: list(one.play_games("random", "random", openings=1, turns=-1)),
        f"turns is -1, {NUMBER}",
    ),
    "batch": (
        lambda one: list(one.stream_perft([("", 1)], batch=0)),
        "batch is 0, expected an integer from 1 on",
    ),
    "ahead": (
        lambda one: list(one.stream_perft([("", 1)], ahead=0)),
        "ahead is 0, expected an integer from 1 on",
    ),
    "job": (lambda one: one.get_job(5), "job_id is 5, expected a text"),
    "spec": (lambda one: one.create_job("x"), "spec is 'x', expected a JobSpec"),
    "watched": (lambda one: list(one.watch_job(None, after=-1)), "after_sequence is -1, expected"),
    "state": (
        lambda one: list(one.list_jobs(state="lost")),
        "state is 'lost', expected a value of its enumeration",
    ),
}  # fmt: skip


@pytest.fixture(params=list(BOTH))
def client(request: pytest.FixtureRequest, server: Running) -> Any:
    with BOTH[request.param](server.target) as made:
        yield made


@pytest.mark.parametrize("name", WRONG)
def test_what_is_not_as_described_is_named(client: Any, name: str) -> None:
    call, said = WRONG[name]
    with pytest.raises(ArgumentError) as raised:
        call(client)
    assert str(raised.value).startswith(said)
    assert isinstance(raised.value, ValueError)
    # It is as it was.
    assert client.perft([("", 1)]) == [46]


def test_what_fits_is_taken(client: Any) -> None:
    assert client.apply([]) == []
    assert client.legal_decisions(iter([""])) == client.legal_decisions(("",))


@pytest.mark.parametrize(
    "call",
    [
        lambda one: one.version(),
        lambda one: one.perft([("", 1)]),
        lambda one: list(one.stream_perft([("", 1)])),
        lambda one: list(one.playout_games(5)),
        lambda one: list(one.list_jobs()),
    ],
    ids=["version", "unary", "stream", "reading", "pages"],
)
def test_a_closed_client_says_so(client: Any, call: Call) -> None:
    client.close()
    client.close()
    with pytest.raises(RuntimeError, match="the client is closed, expected calls before that"):
        call(client)


@pytest.mark.parametrize("timeout", ["5", True, math.nan, [1]])
def test_a_timeout_that_is_none(server: Running, timeout: Any) -> None:
    with pytest.raises(ArgumentError, match=r"^timeout is .*, expected seconds, a number$"):
        server.client.perft([("", 1)], timeout=timeout)
    with pytest.raises(ArgumentError, match=r"^timeout is .*, expected seconds, a number$"):
        list(server.client.stream_perft([("", 1)], timeout=timeout))


@pytest.mark.parametrize("attempts", [0, -1, 1.5, "5", True, None])
@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_attempts_that_are_none(kind: Any, attempts: Any) -> None:
    with pytest.raises(ArgumentError, match=r"^attempts is .*, expected an integer from 1 on$"):
        kind("127.0.0.1:1", attempts=attempts)


@pytest.mark.parametrize("timeout", [10**9, 10**400, 1e10, 1e300, math.inf])
def test_a_timeout_beyond_all_bounds_is_none(server: Running, timeout: float) -> None:
    assert server.client.perft([("", 1)], timeout=timeout) == [46]
