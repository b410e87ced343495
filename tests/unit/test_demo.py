"""``python -m chase_fast.demo``: says what the library says, in 80 columns, without the extras."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import chase_fast as cf
from chase_fast import demo
from chase_fast.replay import playout_game
from chase_fast.textboard import text_board


@pytest.fixture(scope="module")
def few() -> int:
    return 300


@pytest.fixture
def output(few: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    monkeypatch.setattr(demo, "GAMES", few)
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
    demo.main()
    return capsys.readouterr().out


def test_the_job_is_the_one_promised() -> None:
    assert demo.GAMES == 20_000
    assert demo.RULES == ("standard", "reserve=0", "reserve=2", "reserve=6", "reserve=16")


def test_it_fits_into_80_columns(output: str) -> None:
    assert max(map(len, output.splitlines())) <= 80
    assert "\x1b" not in output


def test_the_table_is_right(output: str, few: int) -> None:
    ends = output[output.index("how they ended") :]
    for text in demo.RULES:
        games = cf.playouts(cf.Position.start(cf.Rules.parse(text)), few, seed=demo.SEED)
        summary = games.summary()
        (row,) = re.findall(rf"^{text} .*\(.*$", output, re.MULTILINE)
        numbers = [float(number) for number in re.findall(r"[0-9.]+", row[len(text) :])]
        score, low, high, turns, options, splits, refused, _ = numbers
        assert score == pytest.approx(100 * summary["red_score"], abs=0.006)
        assert low < score < high
        assert turns == pytest.approx(summary["per_game"]["turns"], abs=0.06)
        assert options == pytest.approx(summary["options_per_decision"], abs=0.006)
        assert splits == pytest.approx(summary["per_game"]["splits"], abs=0.0006)
        assert refused == pytest.approx(summary["per_game"]["refused_splits"], abs=0.0006)
        (row,) = re.findall(rf"^{text} .*$", ends, re.MULTILINE)
        counts = [int(number) for number in row.split()[1:]]
        assert counts == list(summary["terminations"].values())


def test_the_game_is_one_of_them(output: str, few: int) -> None:
    games = cf.playouts(cf.Position.start(), few, seed=demo.SEED)
    index = int(games.turns.argmin())
    game = playout_game(cf.Position.start(), index, seed=demo.SEED)
    assert f"is number {index}: {game.turn_count} turns" in output
    numbers = [int(number) for number in re.findall(r"(?<!\S)(\d+)\. ", output)]
    assert numbers == list(range(1, game.turn_count + 1))
    boards = 0
    for before, move, after in zip(game.positions, game.moves, game.positions[1:], strict=False):
        taken = before.events(move)["captures"]
        drawn = text_board(after, last_move=move, before=before) in output
        assert drawn == bool(taken)
        boards += drawn
    assert boards >= 5  # so many dice a side must lose
    outcome = game.outcome
    assert outcome is not None
    assert outcome.winner is not None
    assert f"{outcome.winner.name.capitalize()} wins ({outcome.termination})." in output


@pytest.mark.no_core
def test_it_needs_no_extra(tmp_path: Path) -> None:
    for name in ("typer", "rich"):
        (tmp_path / f"{name}.py").write_text("raise ImportError")
    code = "from chase_fast import demo; demo.GAMES = 20; demo.main()"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True,
        env={"PYTHONPATH": str(tmp_path), "PYTHONIOENCODING": "ascii"},
    )  # fmt: skip
    assert done.stderr == ""
    assert "Where to go on" in done.stdout
