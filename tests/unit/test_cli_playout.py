"""The command playout, beside what the library says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chase_fast as cf
from chase_fast.record import read_records
from chase_fast.replay import playout_game
from chase_fast.stats import Sums
from chase_fast.tally import COUNTERS, TERMINATIONS, Tally
from tests.unit.command_line import SPLIT, Cli


def without_speed(document: dict[str, Any]) -> dict[str, Any]:
    """The document without what depends on the machine."""
    del document["threads"]
    for result in document["results"]:
        assert result.pop("speed")["seconds"] > 0
    return document


def test_playout_json_is_what_the_library_says(cli: Cli) -> None:
    words = ("playout", 200, "-r", "standard", "-r", "reserve=0", "--seed", 5, "--max-turns", 150)
    document = without_speed(cli(*words, "--first-game", 3, "--json").json)
    assert [document.pop(key) for key in ("games", "seed", "first_game", "max_turns")] == [
        200, 5, 3, 150,
    ]  # fmt: skip
    assert list(document) == ["results"]
    for result, text in zip(document["results"], ("standard", "reserve=0"), strict=True):
        start = cf.Position.start(cf.Rules.parse(text))
        tally = Tally()
        tally.add(cf.playouts(start, 200, seed=5, first_game=3, max_turns=150))
        assert result == {"rules": text, "cfen": start.cfen, **tally.as_dict()}


def test_playout_does_not_depend_on_batches_and_threads(cli: Cli) -> None:
    documents = [
        without_speed(cli("playout", 150, "--json", "--batch", batch, "--threads", threads).json)
        for batch, threads in ((20_000, 1), (7, 2), (150, 3))
    ]
    assert documents[0] == documents[1] == documents[2]


def test_playout_table(cli: Cli) -> None:
    done = cli("playout", 100, "--rules", "standard", "--rules", "reserve=6", *SPLIT.split())
    rows = [line.split("  ") for line in done.out.splitlines()]
    table = {row[0]: [cell.strip() for cell in row[1:] if cell.strip()] for row in rows}
    assert table["rules"] == ["standard", "reserve=6"]
    assert table["games"] == ["100", "100"]
    for column, rules in enumerate(("standard", "reserve=6")):
        games = cf.playouts(cf.Position.parse(SPLIT, cf.Rules.parse(rules)), 100)
        assert table["won by red"][column] == str(np.count_nonzero(games.winner == cf.RED))
        by_dice = np.count_nonzero(games.termination == cf.Termination.DICE)
        assert table["end: dice"][column] == str(by_dice)
        turns = Sums.of(games.turns)
        assert table["turns"][column] == f"{turns.mean:.1f} ±{turns.standard_error:.1f}"
        taken = Sums.of(games.captures)
        assert table["dice captured"][column] == f"{taken.mean:.2f} ±{taken.standard_error:.2f}"
    assert "ricochets" not in table
    assert "end: turn_limit" not in table
    assert re.fullmatch(r"200 games in [0-9.]+ s, .* games/s, .* decisions/s\n", done.err)


def test_playout_table_of_everything(cli: Cli) -> None:
    brief = cli("playout", 100, "--max-turns", 30).out.splitlines()
    out = cli("playout", 1, "--all", "--seed", 3).out
    rows = dict(re.findall(r"^(\S.*?)  +(\S.*)$", out, re.MULTILINE))
    game = cf.playouts(cf.Position.start(), 1, seed=3)
    assert rows["longest chain"] == str(game.longest_chain.max())
    assert rows["forced decisions"] == str(game.forced[0])
    assert rows["ricochets"] == str(game.ricochets[0])
    assert rows["end: turn_limit"] == "0"
    assert any(line.split() == ["end:", "turn_limit", "100"] for line in brief)
    assert len(brief) < len(rows)
    others = {"rules", "games", "score of red", "won by red", "won by blue", "options/decision"}
    means = set(rows) - others - {f"end: {word}" for word in TERMINATIONS}
    assert len(means) == len(set(COUNTERS) - {"options", "distribution_options"})


def test_playout_from_the_middle_of_a_game(cli: Cli) -> None:
    result = cli("playout", 10, "--play", "a5NE i5SE", "--json").json["results"][0]
    assert result["cfen"] == cf.Game.from_moves(["a5NE", "i5SE"]).position.cfen


def test_playout_warns_of_games_cut_short(cli: Cli) -> None:
    done = cli("playout", 50, "--max-turns", 20)
    assert "50 of 50 games under standard were cut short by --max-turns 20" in done.err
    assert "cut short" not in cli("playout", 50).err


def test_playout_of_one_game_has_no_errors_to_give(cli: Cli) -> None:
    result = cli("playout", 1, "--json").json["results"][0]
    assert result["per_game"]["turns"]["standard_error"] is None
    assert "±" not in cli("playout", 1).out


def test_playout_files(cli: Cli, tmp_path: Path) -> None:
    games = cf.playouts(cf.Position.start(), 45, seed=9, first_game=100)
    words = ("playout", 45, "--seed", 9, "--first-game", 100, "--batch", 20, "--out")

    cli(*words, tmp_path / "games.npy")
    loaded = np.load(tmp_path / "games.npy")
    assert loaded.dtype == cf.GAME_DTYPE
    assert np.array_equal(loaded, games.array)

    cli(*words, tmp_path / "games.csv")
    head, *lines = (tmp_path / "games.csv").read_text(encoding="utf-8").splitlines()
    assert head.split(",") == ["game", *(cf.GAME_DTYPE.names or ())]
    assert [tuple(map(int, line.split(","))) for line in lines] == [
        (100 + number, *row.tolist()) for number, row in enumerate(games.array)
    ]

    for name in ("games.txt", "games.jsonl"):
        assert f"wrote {tmp_path / name}" in cli(*words, tmp_path / name).err
        records = list(read_records(tmp_path / name))
        assert len(records) == 45
        for number, record in enumerate(records):
            game = playout_game(cf.Position.start(), 100 + number, seed=9)
            assert record.moves == game.moves
            assert record.outcome == game.outcome
            assert dict(record.tags) == {"Seed": "9", "Game": str(100 + number)}
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "games.csv", "games.jsonl", "games.npy", "games.txt",
    ]  # fmt: skip


def test_many_rules_go_into_several_tables(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    words = [word for number in range(5) for word in ("-r", f"reserve={number}")]
    monkeypatch.setenv("COLUMNS", "80")
    out = cli("playout", 5, *words).out
    assert max(map(len, out.splitlines())) <= 80
    assert out.count("options/decision") == 2
    monkeypatch.delenv("COLUMNS")
    assert cli("playout", 5, *words).out.count("options/decision") == 1
