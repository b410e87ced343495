"""A match of two players, in the library and on the command line."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import chase_fast as cf
from chase_fast.cli import main
from chase_fast.cli.app import build
from chase_fast.match import MatchResult, play_match
from chase_fast.openings import random_openings
from chase_fast.record import Record, read_records
from chase_fast.simulate import PairResult, play_pairs
from chase_fast.stats import pair_score
from tests.unit.engines import BAD, program

RANDOM = ("random", "random:seed=5")


def quoted(command: str, **options: object) -> str:
    """A program as a player's text."""
    escaped = command.replace("\\", "\\\\").replace('"', '\\"')
    return ",".join([f'ext:cmd="{escaped}"', *(f"{name}={v}" for name, v in options.items())])


# ---- The library ------------------------------------------------------------------------------


def test_sums_are_those_of_the_pairs() -> None:
    pairs: list[PairResult] = []
    result = play_match(*RANDOM, pairs=30, turns=3, seed=8, max_turns=190, finished=pairs.append)
    openings = random_openings(cf.Rules(), 3, 30, seed=8)
    assert pairs == list(play_pairs(*RANDOM, openings, seed=8, max_turns=190))
    scores = [score for pair in pairs for score in pair.scores]
    games = [game for pair in pairs for game in pair.games]
    assert (result.pairs, result.games) == (30, 60)
    assert (result.wins, result.draws, result.losses) == tuple(map(scores.count, (1, 0.5, 0)))
    assert result.pentanomial == [
        sum(sum(pair.scores) == points for pair in pairs) for points in (0, 0.5, 1, 1.5, 2)
    ]
    winners = [game.outcome.winner for game in games]
    assert (result.red_wins, result.blue_wins) == (winners.count(cf.RED), winners.count(cf.BLUE))
    assert result.terminations == Counter(game.outcome.termination for game in games)
    assert result.terminations["turn_limit"] > 0
    assert result.turns == sum(game.game.turn_count for game in games)
    assert result.decisions == sum(len(game.game.moves) for game in games)
    assert result.summary == pair_score(result.pentanomial)
    assert result.summary.score == pytest.approx(sum(scores) / 60)
    assert not result.faults


def test_a_match_does_not_depend_on_workers() -> None:
    options: dict[str, Any] = {"pairs": 20, "seed": 3, "max_turns": 60}
    for players in (RANDOM, ("ab:nodes=50,eps=0.1", "greedy:temp=100")):
        alone = play_match(*players, **options)
        assert play_match(*players, workers=4, **options).result_hash == alone.result_hash
        other = play_match(*players, **options | {"seed": 4})
        assert other.result_hash != alone.result_hash


def test_a_match_of_equals_is_even_and_of_unequals_is_not() -> None:
    even = play_match(*RANDOM, pairs=200, seed=1, workers=2).summary
    assert even.interval.low < 0.5 < even.interval.high
    better = play_match("ab:nodes=200", "random", pairs=20, seed=1, workers=2).summary
    assert better.score == 1
    assert better.elo is None
    assert better.elo_interval[0] is not None
    assert better.elo_interval[0] > 200


def test_pairs_are_added_in_order() -> None:
    first, second = play_pairs(*RANDOM, random_openings(cf.Rules(), 4, 2), max_turns=20)
    result = MatchResult()
    result.add(second)
    for late in (first, second):
        with pytest.raises(cf.ArgumentError, match="expected one above 1"):
            result.add(late)
    assert result.pairs == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"pairs": 0}, "pairs is 0, expected an integer from 1"),
        ({"turns": 101}, "turns is 101, expected an integer from 0 to 100"),
        ({"turns": 8, "max_turns": 8}, "max_turns is 8, expected an integer from 9"),
        ({"seed": -1}, "seed is -1"),
        ({"workers": 0}, "workers is 0"),
        ({"rules": "standard"}, "rules is 'standard', expected Rules or None"),
        ({"pairs": 5000, "turns": 2}, "of 2 turns under standard no more than"),
    ],
)
def test_what_cannot_be_played_is_refused(change: dict[str, Any], words: str) -> None:
    told: list[PairResult] = []
    with pytest.raises(cf.ArgumentError, match=words):
        play_match(*RANDOM, finished=told.append, **change)
    assert told == []


# ---- The command ------------------------------------------------------------------------------


def document(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["match", *words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, dict)
    return found


def test_the_document(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*RANDOM, "--pairs", "12", "--seed", "6", "--rules", "reserve=2", "--turns", "5"]
    found = document(capsys, *words, "--max-turns", "300", "--workers", "2")
    rules = cf.Rules(reserve=2)
    result = play_match(*RANDOM, rules=rules, pairs=12, turns=5, seed=6, max_turns=300)
    summary = result.summary
    assert found == {
        "a": "random",
        "b": "random:seed=5",
        "rules": "reserve=2",
        "seed": 6,
        "opening_turns": 5,
        "max_turns": 300,
        "pairs": 12,
        "games": 24,
        "score": summary.score,
        "interval": list(summary.interval),
        "wins": result.wins,
        "draws": result.draws,
        "losses": result.losses,
        "pentanomial": result.pentanomial,
        "elo": summary.elo,
        "elo_interval": list(summary.elo_interval),
        "nelo": summary.nelo,
        "los": summary.los,
        "red_wins": result.red_wins,
        "blue_wins": result.blue_wins,
        "terminations": dict(result.terminations),
        "faults": {},
        "mean_turns": result.turns / 24,
        "mean_decisions": result.decisions / 24,
        "result_hash": result.result_hash,
    }


def test_elo_has_a_bound_where_one_side_took_everything(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for words, key in ((["ab:nodes=200", "random"], 0), (["random", "ab:nodes=200"], 1)):
        found = document(capsys, *words, "--pairs", "5")
        assert found["score"] == 1 - key
        assert found["elo"] is None
        bound = found["elo_interval"][key]
        assert found["elo_interval"][1 - key] is None
        assert main(["match", *words, "--pairs", "5"]) == 0
        sign = "<>"[key == 0]
        assert f"Elo         {sign} {bound:+.0f}\n" in capsys.readouterr().out


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["match", "ab:nodes=100", "greedy", "--pairs", "12", "--seed", "2"]
    assert main(words) == 0
    out = capsys.readouterr().out
    result = play_match("ab:nodes=100", "greedy", pairs=12, seed=2)
    low, high = result.summary.interval
    assert f"score of A  {result.summary.score:.1%}  ({low:.1%} to {high:.1%})  in 12 pairs" in out
    assert f"{result.wins} won, {result.draws} drawn, {result.losses} lost" in out
    assert f"pairs       {' '.join(map(str, result.pentanomial))}  with" in out
    for name, number in result.terminations.items():
        assert f"{name} {number}" in out


@pytest.mark.parametrize("name", ["games.txt", "games.jsonl", "games.jsonl.gz", "games"])
def test_games_are_saved(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / name
    found = document(capsys, *RANDOM, "--pairs", "6", "--max-turns", "190", "--games", str(path))
    records = list(read_records(path))
    assert len(records) == 12
    openings = random_openings(cf.Rules(), 4, 6)
    for number, record in enumerate(records):
        assert isinstance(record, Record)
        assert (record.red, record.blue) == (RANDOM if number % 2 == 0 else RANDOM[::-1])
        tags = dict(record.tags)
        assert (tags["Pair"], tags["Seed"]) == (str(number // 2), "0")
        if number % 2 == 0:
            opening = next(openings)
        assert record.moves[: int(tags["OpeningDecisions"])] == opening.moves
    ends = Counter(record.outcome.termination for record in records if record.outcome)
    assert dict(ends) == found["terminations"]
    # Whoever has the records can tell whether they are those of the document.
    digest = hashlib.sha256()
    for number, record in enumerate(records):
        assert record.outcome is not None
        row = [number // 2, number % 2, record.outcome.result, record.outcome.termination]
        digest.update(f"{' '.join(map(str, [*row, *record.moves]))}\n".encode())
    assert digest.hexdigest() == found["result_hash"]


def test_many_games_cut_short_are_warned_of(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", *RANDOM, "--pairs", "3", "--max-turns", "10"]) == 0
    captured = capsys.readouterr()
    assert "6 of 6 games were cut short by --max-turns 10" in captured.err
    assert "0 won, 6 drawn, 0 lost" in captured.out
    assert main(["match", "ab:nodes=100", "random", "--pairs", "3"]) == 0
    assert "cut short" not in capsys.readouterr().err


def test_what_a_program_said_is_printed_without_what_a_terminal_obeys(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    says = "sys.stderr.write('\\x1b]0;gotcha\\x07 so\\nlong'); os._exit(1)"
    path = tmp_path / "games.txt"
    player = quoted(program(go=says))
    assert main(["match", player, "random", "--pairs", "2", "--games", str(path)]) == 0
    out = capsys.readouterr().out
    assert "crash 4" in out
    assert re.search(r"fault       \d x test engine .*exit status 1.*0;gotcha.* so long\n", out)
    assert "\x1b" not in out
    assert all("gotcha" in record.comment for record in read_records(path))


def test_a_bad_program_loses_and_the_match_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    termination, parts = BAD["plays an illegal decision"]
    player = quoted(program(**parts))
    found = document(capsys, "random", player, "--pairs", "3", "--workers", "2")
    assert (found["wins"], found["losses"], found["terminations"]) == (6, 0, {termination: 6})
    assert sum(found["faults"].values()) == 6


def test_a_program_that_cannot_start_is_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "games.txt"
    path.write_text("as it was")
    words = ["random", 'ext:cmd="/does/not/exist"', "--games", str(path)]
    assert main(["match", *words]) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("chase-fast match: '/does/not/exist' does not start")
    assert captured.out == ""
    assert path.read_text() == "as it was"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["random"], "Missing argument 'B'"),
        (["random", "chess"], "unknown player 'chess'"),
        (["ab:nodes=0", "random"], "nodes is '0', expected an integer from 1"),
        ([*RANDOM, "--pairs", "0"], "expected an integer from 1 to 10000000"),
        ([*RANDOM, "--pairs", "ten"], "expected an integer"),
        ([*RANDOM, "--turns", "101"], "expected an integer from 0 to 100"),
        ([*RANDOM, "--turns", "4", "--max-turns", "4"], "expected more than the 4 turns"),
        ([*RANDOM, "--turns", "2", "--pairs", "5000"], "of 2 turns under standard no more than"),
        ([*RANDOM, "--workers", "0"], "expected an integer from 1"),
        ([*RANDOM, "--rules", "reserve=99"], "reserve"),
        ([*RANDOM, "-r", "reserve=1", "-r", "reserve=2"], "this command takes one"),
        ([*RANDOM, "--games", "-"], "cannot share standard output"),
        ([*RANDOM, "--games", "/does/not/exist/games.txt"], "cannot write"),
        (["random", 'ab:weights="/does/not/exist"'], "No such file"),
    ],
)
def test_mistakes_are_told_before_anything_is_played(words: list[str], told: str) -> None:
    arguments = ["match", *words]
    result = CliRunner().invoke(build(arguments), arguments)
    if result.exit_code == 2:
        said = result.stderr
    else:  # errors of the library are told one level up
        assert isinstance(result.exception, cf.ChaseError)
        said = str(result.exception)
    assert told in " ".join(re.sub("[│╭╰─╮╯]", " ", said).split())
    assert result.stdout == ""


def test_as_a_process() -> None:
    words = ["match", "ab:nodes=100", "mcts:sims=20", "--pairs", "4", "--max-turns", "60"]
    found = []
    for workers in ("1", "3"):
        done = subprocess.run(
            [sys.executable, "-m", "chase_fast", *words, "--workers", workers, "--json"],
            capture_output=True, text=True, timeout=120, check=True,
        )  # fmt: skip
        found.append(json.loads(done.stdout))
    assert found[0] == found[1]
    assert (
        found[0]["result_hash"]
        == play_match("ab:nodes=100", "mcts:sims=20", pairs=4, max_turns=60).result_hash
    )
