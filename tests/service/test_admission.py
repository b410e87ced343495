"""Which players callers may name, and what they may ask of them."""

from __future__ import annotations

import pytest
from chase_service.config import Config
from chase_service.limits import Limits
from chase_service.players import Players
from chase_service.refusal import Refusal

import chase_fast as cf

pytestmark = pytest.mark.no_core


def read(text: str) -> tuple[str, str]:
    with pytest.raises(Refusal) as raised:
        Players({"other": "prog -x"}, Limits.of(Config())).read(text, "player")
    return raised.value.code.name, raised.value.reason.name


@pytest.mark.parametrize(
    "text",
    [
        'ext:cmd="touch /tmp/x"', "ext", "EXT:cmd=x", " ab", "/bin/sh", "./player", "../x:nodes=1",
        "", "ab:weights=/etc/passwd", 'ab:weights="standard"', "ab:nodes=1,weights=x",
        "greedy:weights=standard", "mcts:WEIGHTS=x", "ab: weights =x", "other:cmd=sh",
        'other:nodes=1,cmd="sh"', 'random:seed="1"', "file:///etc/passwd", "ab\0:nodes=1",
        "x" * 10_000, "ab:weights=" + "x" * 10_000,
    ],
)  # fmt: skip
def test_players_that_could_run_or_read_something_are_refused(text: str) -> None:
    assert read(text) == ("PERMISSION_DENIED", "PLAYER_REFUSED")


@pytest.mark.parametrize(
    "text", ["ab:nodes=0", "ab:nodes", "random:nodes=1", "other:hash=1", "other:seed=1",
             "ab:nodes=1,nodes=2", "ab:" + "x" * 600],
)  # fmt: skip
def test_players_that_are_none(text: str) -> None:
    assert read(text) == ("INVALID_ARGUMENT", "INVALID_PLAYER")


@pytest.mark.parametrize(
    "text", ["ab:nodes=100000001", "mcts:sims=10000001", "ab:time=61", "ab:hash=257",
             "mcts:hash=100000", "ab:threads=9", "other:nodes=1000000000"],
)  # fmt: skip
def test_players_that_want_too_much(text: str) -> None:
    assert read(text) == ("OUT_OF_RANGE", "OVER_LIMIT")


def test_players_that_may_play() -> None:
    players = Players({"other": 'prog "a b"'}, Limits.of(Config()))
    assert players.names == ("random", "greedy", "ab", "mcts", "other")
    for text in ("random", "greedy:eps=0.5", "ab:nodes=1000,hash=256", "mcts:time=60"):
        assert str(players.read(text, "player")) == text
    spec = players.read("other:nodes=7", "player")
    assert (spec.kind, spec.get("cmd"), spec.get("nodes")) == ("ext", 'prog "a b"', 7)
    assert players.read("other", "player").get("nodes") is None


@pytest.mark.parametrize("name", ["ab", "ext", "", "A", "a b", "x" * 33])
def test_names_of_programs(name: str) -> None:
    with pytest.raises(cf.ArgumentError, match="expected a name"):
        Players({name: "prog"}, Limits.of(Config()))


def test_a_program_needs_a_command() -> None:
    with pytest.raises(cf.ArgumentError, match="no command"):
        Players({"other": " "}, Limits.of(Config()))
