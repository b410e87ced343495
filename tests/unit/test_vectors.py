"""The engine against the reference vectors: every decision, position, winner, count and text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import chase_fast as cf

VECTORS = Path(__file__).parents[1] / "golden" / "vectors"
WINNERS = {"red": cf.RED, "blue": cf.BLUE, None: None}


def load(name: str) -> Any:
    return json.loads((VECTORS / name).read_text())


def load_lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (VECTORS / name).read_text().splitlines()]


def check(case: dict[str, Any]) -> int:
    position = cf.Position.parse(case["cfen"], cf.Rules(**case["rules"]))
    assert position.cfen == case["cfen"]
    assert position.winner == WINNERS[case["winner"]]
    moves = list(position.legal_moves)
    assert [str(move) for move in moves] == list(case["legal"])
    for move, after in zip(moves, case["legal"].values(), strict=True):
        assert position.apply(move).cfen == after, str(move)
    return len(moves)


def test_positions() -> None:
    cases = load_lines("positions.jsonl")
    assert len(cases) == 720
    assert sum(check(case) for case in cases) == 19_195


@pytest.mark.parametrize("case", load_lines("special.jsonl"), ids=lambda case: case["label"])
def test_special(case: dict[str, Any]) -> None:
    check(case)


@pytest.mark.parametrize("case", load("perft.json"), ids=lambda case: case["cfen"])
@pytest.mark.parametrize("unit", ["decision", "turn"])
def test_perft(case: dict[str, Any], unit: str) -> None:
    position = cf.Position.parse(case["cfen"], cf.Rules(**case["rules"]))
    counts = [cf.perft(position, depth + 1, unit) for depth in range(len(case[f"{unit}s"]))]
    assert counts == case[f"{unit}s"]


@pytest.mark.parametrize("text", load("texts.json")["accept"])
def test_accepted(text: str) -> None:
    assert cf.Position.parse(text).cfen.startswith(text)


@pytest.mark.parametrize("text", load("texts.json")["refuse"])
def test_refused(text: str) -> None:
    with pytest.raises(cf.InvalidPositionError):
        cf.Position.parse(text)


@pytest.mark.parametrize(
    "case", load("texts.json")["repetition"], ids=lambda case: str(case["rules"])
)
def test_repetition(case: dict[str, Any]) -> None:
    game = cf.Game(rules=cf.Rules(**case["rules"]))
    for count, text in enumerate(case["decisions"], start=1):
        assert game.outcome is None
        game.push(text)
        assert (game.outcome is not None) == (count == case["drawn_after"])
    assert game.outcome is not None
    assert game.outcome.winner is None
    assert str(game.outcome.termination) == "repetition"
    with pytest.raises(cf.GameOverError):
        game.push(game.position.legal_moves[0])
