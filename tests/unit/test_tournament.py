"""Tournaments and sequential tests in the library: schedules, results, resumed runs, refusals."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chase_fast as cf
from chase_fast.agents import PlayerError, PlayerSpec
from chase_fast.errors import StoreError
from chase_fast.openingset import OpeningSet
from chase_fast.record import Record
from chase_fast.report import html_report
from chase_fast.runs import opened, records
from chase_fast.stats import pair_score
from chase_fast.stats.ratings import fit_ratings
from chase_fast.tournament import (
    FORMATS,
    Format,
    Snapshot,
    TournamentResult,
    document_of,
    play_sprt,
    play_tournament,
    schedule,
)
from chase_fast.tournament.verdicts import warnings_of
from tests.unit.engines import BAD, program
from tests.unit.test_match import quoted

pytestmark = pytest.mark.no_core

PLAYERS = ("random", "greedy", "ab:nodes=30", "ab:nodes=30,eps=0.2")


class InterruptedHereError(Exception):
    """Raised by a watcher, as Ctrl-C would be."""


class Interrupter:
    """Watches, and interrupts after some chunks."""

    def __init__(self, after: int) -> None:
        self._left = after

    def __call__(self, snapshot: Snapshot) -> None:
        self._left -= 1
        if self._left < 0:
            raise InterruptedHereError


def saved(folder: Path) -> list[Record]:
    """The records of a run, in order of cell, opening and game."""
    with opened(folder, "tournament") as (run, plan):
        return list(records(run, plan))


def half_points(record: Record, player: str) -> int:
    assert record.outcome is not None
    winner = record.outcome.winner
    if winner is None:
        return 1
    return 2 * ((record.red if winner is cf.RED else record.blue) == player)


# ---- Schedules --------------------------------------------------------------------------------


@given(st.integers(2, 12), st.sampled_from(FORMATS), st.integers(1, 11))
def test_nobody_meets_anybody_twice(number: int, format: Format, seeds: int) -> None:
    players = [f"p{n}" for n in range(number)]
    seeds = min(seeds, number - 1) if format == "gauntlet" else 1
    found = schedule(players, format, seeds=seeds)
    met = [frozenset(pair) for pair in found]
    assert len(set(met)) == len(met)
    assert all(len(pair) == 2 for pair in met)
    assert {player for pair in found for player in pair} == set(players)
    assert all(players.index(a) < players.index(b) for a, b in found)
    wanted = {
        "round-robin": number * (number - 1) // 2,
        "gauntlet": seeds * (number - seeds),
        "ladder": number - 1,
    }
    assert len(found) == wanted[format]


def test_schedules_in_full() -> None:
    assert schedule("abc", "round-robin") == [("a", "b"), ("a", "c"), ("b", "c")]
    assert schedule("abcd", "gauntlet") == [("a", "b"), ("a", "c"), ("a", "d")]
    assert schedule("abcd", "gauntlet", seeds=2) == [
        ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d")
    ]  # fmt: skip
    assert schedule("abcd", "ladder") == [("a", "b"), ("b", "c"), ("c", "d")]


# ---- Results ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TournamentResult]:
    """A round robin of four, and its folder."""
    folder = tmp_path_factory.mktemp("tournament") / "run"
    rules = cf.Rules(reserve=2)
    result = play_tournament(
        PLAYERS, rules=rules, pairs=24, seed=11, max_turns=40, workers=2, out=folder, bootstrap=200
    )
    return folder, result


def test_results_are_those_of_the_records(kept: tuple[Path, TournamentResult]) -> None:
    folder, result = kept
    games = saved(folder)
    assert len(games) == result.games == 6 * 48
    assert result.openings == 6 * 24
    ends = Counter(game.outcome.termination for game in games if game.outcome)
    assert dict(result.terminations) == dict(ends)
    assert ends["turn_limit"] > 0  # or the next lines would not show that they stand apart
    assert result.decisions == sum(len(game.moves) for game in games)
    assert result.turns == sum(game.to_game().turn_count for game in games)
    for pairing, (a, b) in zip(result.pairings, combinations(PLAYERS, 2), strict=True):
        assert (pairing.a, pairing.b) == (a, b)
        theirs = [game for game in games if {game.red, game.blue} == {a, b}]
        points = Counter(half_points(game, a) for game in theirs)
        cut = sum(game.outcome is not None and game.outcome.termination == "turn_limit"
                  for game in theirs)  # fmt: skip
        assert pairing.games == 48
        assert (pairing.wins, pairing.losses, pairing.cut_short) == (points[2], points[0], cut)
        assert pairing.draws == points[1] - cut
        openings: Counter[str] = Counter()
        for game in theirs:
            openings[dict(game.tags)["Pair"]] += half_points(game, a)
        assert len(openings) == 24
        classes = [list(openings.values()).count(n) for n in range(5)]
        assert list(pairing.pentanomial) == classes
        assert pairing.summary == pair_score(classes)
        assert [game.red for game in theirs] == [a, b] * 24
    for one in result.players:
        theirs = [game for game in games if one.player in (game.red, game.blue)]
        assert one.games == len(theirs) == 3 * 48
        assert one.points == sum(half_points(game, one.player) for game in theirs) / 2
        assert one.wins + one.draws + one.losses + one.cut_short == one.games
        assert (one.crashes, one.time_losses, one.illegal) == (0, 0, 0)


def test_ratings_are_those_of_the_records(kept: tuple[Path, TournamentResult]) -> None:
    folder, result = kept
    results: dict[str, dict[tuple[str, str], list[int]]] = defaultdict(dict)
    for game in saved(folder):
        row = [0, 0, 0]
        row[2 - half_points(game, game.red)] = 1
        results[dict(game.tags)["Pair"]][game.red, game.blue] = row
    again = fit_ratings(PLAYERS, list(results.values()), bootstrap=0)
    assert result.ratings is not None
    assert result.ratings.units == 24
    assert result.ratings.method == "bootstrap"
    assert result.ratings.virtual_games == 12
    for one, other in zip(result.ratings.players, again.players, strict=True):
        assert (one.player, one.bounded) == (other.player, other.bounded)
        assert one.value == pytest.approx(other.value)
    rated = {one.player: one for one in result.players}
    assert rated["random"].rating is not None
    assert rated["random"].rating.value == 0
    values = [one.rating.value for one in result.players if one.rating is not None]
    assert values == sorted(values, reverse=True)
    assert result.players[-1].player == "random"


def test_openings_are_common_and_games_are_not(kept: tuple[Path, TournamentResult]) -> None:
    starts: dict[frozenset[str], list[str]] = defaultdict(list)
    seeds = []
    for game in saved(kept[0]):
        starts[frozenset((game.red, game.blue))].append(game.start.cfen)
        seeds.append(dict(game.tags)["Seed"])
    assert len(starts) == 6
    wanted = OpeningSet.generate([cf.Rules(reserve=2)], 24, seed=11)
    cfens = [position.cfen for position in wanted.starts(cf.Rules(reserve=2), 0, 24)]
    assert all(found == [cfen for cfen in cfens for _ in range(2)] for found in starts.values())
    assert len(set(seeds)) == len(seeds)


def test_the_document_says_the_same(kept: tuple[Path, TournamentResult]) -> None:
    folder, result = kept
    document = result.document
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    with opened(folder) as (run, plan):
        assert document_of(run, plan) == document
        assert document["result_hash"] == run.result_hash() == result.result_hash
    assert document["format"] == "round robin"
    assert (document["complete"], document["reproducible"]) == (True, True)
    assert document["rules"] == "reserve=2"
    assert (document["seed"], document["max_turns"]) == (11, 40)
    assert document["openings"] == {
        "turns": 4,
        "count": 24,
        "source": "seed 11",
        "sha256": OpeningSet.generate([cf.Rules(reserve=2)], 24, seed=11).sha256,
        "refused_share": pytest.approx(0.1, abs=0.1),
        "unbalanced_share": 0,
    }
    names = [one.player for one in result.players]
    assert [one["name"] for one in document["players"]] == names
    assert [(one["a"], one["b"]) for one in document["pairs"]] == list(combinations(PLAYERS, 2))
    assert document["superiority"]["names"] == names
    matrix = np.array(document["superiority"]["matrix"])
    assert matrix + matrix.T == pytest.approx(np.ones((4, 4)))
    assert (matrix[0, 1:] >= 0.5).all() and (matrix[-1, :-1] < 0.01).all()
    assert sum(one["games"] for one in document["terminations"]) == 288
    assert document["terms"]["virtual_pairs"] == 6
    assert len(document["samples"]) == 3
    for sample in document["samples"]:
        assert [board["rules"] for board in sample["boards"]] == ["reserve=2"] * 3
        assert Record.from_text(sample["text"]).rules == cf.Rules(reserve=2)
    assert any("were cut short by the turn limit" in warning for warning in document["warnings"])
    assert html_report(document).startswith("<!")
    assert [row["player"] for row in result.table] == names
    assert [row["score"] for row in result.table] == [one.score for one in result.players]


def test_a_score_that_is_no_estimate_is_none() -> None:
    document = play_tournament(["random", "greedy"], pairs=12, bootstrap=100).document
    [pair] = document["pairs"]
    assert (pair["score"], pair["elo"], pair["elo_interval"][0]) == (0, None, None)
    assert pair["elo_interval"][1] < -150
    best, worst = document["players"]
    assert (best["name"], best["bounded"], best["high"]) == ("greedy", "below", None)
    # At 0 by definition, which no game could change.
    assert (worst["rating"], worst["low"], worst["high"], worst["bounded"]) == (0, None, None, None)


def test_what_is_said_is_what_is_shown() -> None:
    apart = play_tournament(["random", "ab:nodes=200"], pairs=12, seed=1, bootstrap=100)
    assert apart.document["verdicts"][0] == (
        "ab:nodes=200 is the strongest player of this tournament, under the rules standard and the "
        "openings of seed 1: probability that it is stronger than random, 0.997."
    )
    even = play_tournament(["random", "random:seed=5"], pairs=30, seed=1, bootstrap=100)
    assert "is not shown" in even.document["verdicts"][0]
    few = play_tournament(["random", "random:seed=5"], pairs=3, seed=1)
    assert any("take games as independent" in text for text in few.document["warnings"])


def test_the_command_plays_the_same_games(capsys: pytest.CaptureFixture[str]) -> None:
    import shlex

    from chase_fast.cli import main

    result = play_tournament(
        ["ab:nodes=30", "random", "greedy"], format="gauntlet", seeds=2, pairs=4, seed=5,
        opening_turns=6, bound=300, max_turns=300, bootstrap=0, rules=cf.Rules(chain=True),
    )  # fmt: skip
    program, *words = shlex.split(result.document["command"])
    assert program == "chase-fast"
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["result_hash"] == result.result_hash
    assert {**found, "created": ""} == {**result.document, "created": ""}
    openings = found["openings"]
    assert 0 < openings["unbalanced_share"] < openings["refused_share"] + 1e-9 < 1


# ---- Workers, interruptions, resumption -------------------------------------------------------


def test_results_do_not_depend_on_workers_or_interruptions(tmp_path: Path) -> None:
    options: dict[str, Any] = {"pairs": 40, "seed": 2, "max_turns": 80, "bootstrap": 100}
    alone = play_tournament(PLAYERS, **options)
    for workers in (2, 5):
        again = play_tournament(PLAYERS, **options, workers=workers)
        assert {**again.document, "created": ""} == {**alone.document, "created": ""}
        assert again == alone
    other = play_tournament(PLAYERS, **options | {"seed": 3})
    assert other.result_hash != alone.result_hash
    folder = tmp_path / "run"
    for after in (0, 1, 2, 1, 3):
        with pytest.raises(InterruptedHereError):
            play_tournament(
                PLAYERS, **options, workers=2, out=folder, resume=True, watch=Interrupter(after)
            )
    resumed = play_tournament(PLAYERS, **options, workers=3, out=folder, resume=True)
    assert resumed == alone
    assert len(saved(folder)) == 6 * 80


def test_an_interrupted_run_has_a_document(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    for after in (0, 2):
        with pytest.raises(InterruptedHereError):
            play_tournament(PLAYERS, pairs=500, out=folder, resume=True, watch=Interrupter(after))
        with opened(folder) as (run, plan):
            document = document_of(run, plan)
        assert document["complete"] is False
        played = sum(pair["games"] for pair in document["pairs"])
        assert played == sum(player["games"] for player in document["players"]) / 2
        assert (played > 0) == (after > 0)
        assert document["superiority"] is None
        assert document["verdicts"] == [
            "Some players have not met yet, so that there are no ratings."
        ]
        assert html_report(document)


def test_a_finished_run_is_only_read(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    first = play_tournament(PLAYERS[:2], pairs=5, out=folder)
    parts = {path: path.stat().st_mtime_ns for path in (folder / "games").iterdir()}
    seen: list[Snapshot] = []
    again = play_tournament(PLAYERS[:2], pairs=5, out=folder, resume=True, watch=seen.append)
    assert again == first
    assert again.document == first.document
    assert [one.progress.played for one in seen] == [0]
    assert {path: path.stat().st_mtime_ns for path in (folder / "games").iterdir()} == parts


def test_a_folder_with_something_in_it_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    play_tournament(PLAYERS[:2], pairs=5, out=folder)
    with pytest.raises(StoreError, match="is not empty"):
        play_tournament(PLAYERS[:2], pairs=5, out=folder)
    changes: list[tuple[dict[str, Any], str]] = [
        ({"seed": 1}, "its seed is 0, asked for is 1"),
        ({"pairs": 6}, "its pairs is 5"),
        ({"format": "ladder"}, "its options.format is .round-robin., asked for is .ladder."),
    ]
    for change, named in changes:
        with pytest.raises(StoreError, match=named):
            play_tournament(PLAYERS[:2], out=folder, resume=True, **{"pairs": 5, **change})
    with pytest.raises(StoreError, match="another run"):
        play_sprt(*PLAYERS[:2], pairs=5, out=folder, resume=True)
    assert len(saved(folder)) == 10


def test_openings_come_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    openings = OpeningSet.generate([cf.Rules()], 9, turns=2, seed=77)
    openings.write(path)
    folder = tmp_path / "run"
    result = play_tournament(["random", "greedy"], pairs=6, openings=path, out=folder)
    wanted = [position.cfen for position in openings.starts(cf.Rules(), 0, 6)]
    assert [game.start.cfen for game in saved(folder)[::2]] == wanted
    assert result.document["openings"]["count"] == 6
    assert result.document["openings"]["source"] == "seed 77"
    assert f"--openings {path}" in result.document["command"]
    with pytest.raises(cf.ArgumentError, match="pairs is 10, expected an integer from 1 to 9"):
        play_tournament(["random", "greedy"], pairs=10, openings=path)
    with pytest.raises(cf.ArgumentError, match="bound is 100, expected None"):
        play_tournament(["random", "greedy"], pairs=5, openings=path, bound=100)
    path.write_text("a5NE i5SE\na5NE i5SW a1NE\n")
    with pytest.raises(cf.NotationError, match=r"openings\.txt, line 2"):
        play_tournament(["random", "greedy"], pairs=2, openings=path)
    with pytest.raises(FileNotFoundError):
        play_tournament(["random", "greedy"], pairs=2, openings=tmp_path / "none")


# ---- Programs ---------------------------------------------------------------------------------


def test_faults_are_counted_apart() -> None:
    wanted = {"crashes": "exits at a decision", "illegal": "plays an illegal decision",
              "time_losses": "never answers"}  # fmt: skip
    players = {
        name: quoted(program(**BAD[fault][1]), timeout=0.2) for name, fault in wanted.items()
    }
    result = play_tournament(
        ["random", *players.values()], format="gauntlet", pairs=2, workers=2, bootstrap=0
    )
    counts = {one.player: {name: getattr(one, name) for name in wanted} for one in result.players}
    texts = {name: str(PlayerSpec.parse(text)) for name, text in players.items()}
    for name, text in texts.items():
        assert counts[text] == {**dict.fromkeys(wanted, 0), name: 4}
        assert any("lost games by faults of its own: 4 " in warning and text in warning
                   for warning in result.document["warnings"])  # fmt: skip
    assert counts["random"] == dict.fromkeys(wanted, 0)
    assert dict(result.terminations) == {"illegal": 4, "crash": 4, "time": 4}
    assert sum(result.faults.values()) == 12
    assert any("sorry" in text for text in result.faults)
    assert result.document["reproducible"] is False
    assert any("cannot be repeated exactly" in text for text in result.document["warnings"])


def test_faults_of_many_texts_do_not_bury_the_other_warnings() -> None:
    faults = {f"decision {number}: ended": 1 for number in range(40)} | {"did\nnot answer": 3}
    found = {"terminations": {"crash": 43}, "players": (), "faults": faults}
    told = warnings_of(found, ["mine"])
    assert told[1] == "In 3 games: did not answer"
    assert told[-1] == "In 36 more games: other faults."
    assert len(told) == 7
    del faults["did\nnot answer"]
    few = warnings_of({**found, "faults": dict(list(faults.items())[:5])}, [])
    assert few == [f"In 1 game: decision {number}: ended" for number in range(5)]


def test_a_program_that_does_not_start_is_told_before_anything_is_played(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    missing = 'ext:cmd="/does/not/exist"'
    for play in (
        lambda: play_tournament(["random", "greedy", missing], pairs=2, out=folder),
        lambda: play_sprt("random", missing, pairs=2, out=folder),
    ):
        with pytest.raises(PlayerError, match="does not start"):
            play()
        assert not folder.exists()


def test_games_of_programs_are_kept_and_read_without_them(tmp_path: Path) -> None:
    script = tmp_path / "engine.py"
    command = program()
    script.write_text(command)
    folder = tmp_path / "run"
    player = quoted(f"sh {script}")
    first = play_tournament([player, "random"], pairs=2, max_turns=30, out=folder)
    assert (first.games, first.faults) == (4, {})
    script.unlink()
    again = play_tournament([player, "random"], pairs=2, max_turns=30, out=folder, resume=True)
    assert again == first
    assert sum(len(game.moves) for game in saved(folder)) == first.decisions


# ---- Refusals ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("players", "change", "words"),
    [
        (["random"], {}, "players has 1 of them, expected two or more"),
        (["random", "greedy", "random"], {}, r"players\[2\] is 'random', which is there already"),
        (["ab", "ab:nodes=10000"], {}, r"players\[1\] is 'ab:nodes=10000', which is there"),
        (["random", "chess"], {}, r"players\[1\]: unknown player 'chess'"),
        ("random", {}, "expected two or more players"),
        (["random", 3], {}, "player is 3, expected a text"),
        (["random", "greedy"], {"format": "swiss"}, "format is 'swiss', expected one of 'round-"),
        (["random", "greedy"], {"seeds": 2}, "seeds is 2, but only a gauntlet has them"),
        (["random", "greedy"], {"format": "gauntlet", "seeds": 2}, "seeds is 2, expected an int"),
        (["random", "greedy"], {"pairs": 0}, "pairs is 0"),
        (["random", "greedy"], {"seed": -1}, "seed is -1"),
        (["random", "greedy"], {"opening_turns": 3}, "turns is 3, expected an even number"),
        (["random", "greedy"], {"opening_turns": 0}, "without turns there is only one"),
        (["random", "greedy"], {"opening_turns": 2, "pairs": 5000}, "no more than"),
        (["random", "greedy"], {"bound": -1}, "bound is -1"),
        (["random", "greedy"], {"max_turns": 0}, "max_turns is 0"),
        (["random", "greedy"], {"workers": 0}, "workers is 0"),
        (["random", "greedy"], {"bootstrap": 5}, "bootstrap is 5"),
        (["random", "greedy"], {"rules": "standard"}, "rules is 'standard', expected Rules"),
        (["random", "greedy"], {"resume": True}, "resume is True, but out is None"),
        (["random", "greedy"], {"watch": 3}, "watch is 3, expected a function or None"),
    ],
)
def test_what_cannot_be_played_is_refused(players: Any, change: Any, words: str) -> None:
    with pytest.raises((cf.ArgumentError, cf.NotationError), match=words):
        play_tournament(players, **change)


# ---- Ctrl-C -----------------------------------------------------------------------------------


# In a process of its own: hypothesis runs code of its own in the midst of anything, where
# exceptions get lost.
STRIKES = """
import signal
import chase_fast as cf
from chase_fast.openingset import OpeningSet

struck = caught = 0

def strike(number, frame):
    global struck
    struck += 1
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, strike)
for seed in range(60):
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.001 + 0.0005 * seed)
        OpeningSet.generate([cf.Rules()], 2000, seed=seed)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        caught += 1
print(struck, caught)
"""


def test_no_interruption_is_lost_while_openings_are_drawn() -> None:
    """Wherever it strikes: numpy drops exceptions in some comparisons."""
    done = subprocess.run(
        [sys.executable, "-c", STRIKES], capture_output=True, text=True, timeout=120, check=True
    )
    struck, caught = map(int, done.stdout.split())
    assert caught == struck > 0
