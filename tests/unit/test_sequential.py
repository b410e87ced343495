"""The sequential test as a run: where it is looked at, where it ends, and how it is resumed."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import chase_fast as cf
from chase_fast.report import html_report
from chase_fast.runner import CellScores
from chase_fast.runs import opened
from chase_fast.stats import llr
from chase_fast.tournament import (
    SequentialTest,
    Snapshot,
    SprtResult,
    document_of,
    play_sprt,
    play_tournament,
)
from tests.unit.test_tournament import (
    PLAYERS,
    InterruptedHereError,
    Interrupter,
    half_points,
    saved,
)

pytestmark = pytest.mark.no_core


def test_known_ratios() -> None:
    test = SequentialTest(elo0=0, elo1=4)
    assert test.llr([13, 37, 50, 25, 3]) == pytest.approx(-0.54912, abs=5e-6)
    assert test.bounds == pytest.approx((-2.9444, 2.9444), abs=5e-5)
    logistic = SequentialTest(elo0=0.5, elo1=2.5, model="logistic")
    assert logistic.llr([223, 9863, 21279, 10037, 246]) == pytest.approx(-3.0741, abs=5e-5)
    assert logistic.state(logistic.llr([223, 9863, 21279, 10037, 246]), ended=False) == (
        "accepted H0"
    )
    assert test.state(None, ended=False) == "running"
    assert test.state(1.0, ended=True) == "ended undecided"
    assert test.state(2.95, ended=True) == "accepted H1"
    assert SequentialTest.from_description(json.loads(json.dumps(test.describe()))) == test


@given(
    st.lists(st.sampled_from([-1, 0, 1, 2]), min_size=1, max_size=40), st.integers(1, 12),
    st.randoms(use_true_random=False),
)  # fmt: skip
def test_looks_take_in_no_gap_and_stop_at_a_bound(
    points: list[int], checkpoint: int, random: Any
) -> None:
    scores = CellScores(len(points))
    other = points.copy()
    random.shuffle(other)
    scores.points[:] = [points, other]
    test = SequentialTest(elo0=-100, elo1=100, checkpoint=checkpoint)
    path = test.path(scores)
    whole = next((n for n, pair in enumerate(zip(points, other, strict=True)) if -1 in pair),
                 len(points))  # fmt: skip
    looks = sorted({*range(checkpoint, len(points), checkpoint), len(points)})
    looks = [look for look in looks if look <= whole]
    assert [look for look, _ in path] == looks[: len(path)]
    for look, ratio in path:
        classes = Counter(sum(pair) for pair in zip(points[:look], other[:look], strict=True))
        assert ratio == llr([classes[n] for n in range(5)], -100, 100)
    assert not any(test.decided(ratio) for _, ratio in path[:-1])
    assert len(path) == len(looks) or (path and test.decided(path[-1][1]))


SPRT: dict[str, Any] = {"elo1": 60, "checkpoint": 8, "pairs": 200, "seed": 4}


def check_path(result: SprtResult, folder: Path) -> None:
    """The path is that of the stored records, and nothing is stored beyond its end."""
    points: Counter[int] = Counter()
    for game in saved(folder):
        points[int(dict(game.tags)["Pair"])] += half_points(game, result.pairings[0].a)
    assert sorted(points) == list(range(result.path[-1][0]))
    for look, ratio in result.path:
        classes = Counter(points[n] for n in range(look))
        wanted = llr([classes[n] for n in range(5)], result.test.elo0, result.test.elo1)
        assert ratio == pytest.approx(wanted)
    assert result.llr == result.path[-1][1]


@pytest.mark.parametrize(
    ("players", "state"),
    [(("ab:nodes=60", "ab:nodes=30"), "accepted H1"), (("greedy", "ab:nodes=100"), "accepted H0")],
)
def test_a_test_ends_where_it_is_decided(
    players: tuple[str, str], state: str, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    alone = play_sprt(*players, **SPRT, out=folder)
    assert alone.state == state
    assert alone.path[-1][0] % 8 == 0
    assert alone.path[-1][0] < 200
    check_path(alone, folder)
    for workers in (2, 5):
        assert play_sprt(*players, **SPRT, workers=workers) == alone
    assert alone.complete
    found = alone.document["sprt"]
    assert (found["state"], found["llr"]) == (state, alone.llr)
    assert found["path"] == [list(point) for point in alone.path]
    assert sum(found["pentanomial"]) == found["pairs"] == alone.path[-1][0]
    assert alone.document["format"] == "sprt"
    assert alone.document["superiority"] is None
    assert alone.table[-1] == {"openings": alone.path[-1][0], "llr": alone.llr}
    word = {"accepted H1": "accepts H1", "accepted H0": "in favour of H0"}[state]
    assert word in alone.document["verdicts"][0]
    assert "If H" in alone.document["verdicts"][0]
    samples = [sample["title"].partition(" (red)")[0] for sample in alone.document["samples"]]
    assert samples == [players[0]] * 3
    page = html_report(alone.document)
    assert "Results of each player" in page
    assert "Ratings after" not in page


def test_a_test_is_resumed(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    players = ("ab:nodes=40", "ab:nodes=30")
    alone = play_sprt(*players, **SPRT)
    assert len(alone.path) > 1
    for after in (0, 1, 2):
        with pytest.raises(InterruptedHereError):
            play_sprt(*players, **SPRT, workers=2, out=folder, resume=True,
                      watch=Interrupter(after))  # fmt: skip
        with opened(folder) as (run, plan):
            document = document_of(run, plan)
        looks = document["sprt"]["path"]
        assert looks == [list(point) for point in alone.path][: len(looks)]
    resumed = play_sprt(*players, **SPRT, workers=2, out=folder, resume=True)
    assert resumed == alone
    check_path(resumed, folder)
    assert play_sprt(*players, **SPRT, out=folder, resume=True) == alone


def test_a_test_ends_at_the_most_pairs() -> None:
    result = play_sprt("random", "random:seed=3", pairs=10, checkpoint=4)
    assert result.state == "ended undecided"
    assert [openings for openings, _ in result.path] == [4, 8, 10]
    assert result.openings == 10
    assert "undecided between H1" in result.document["verdicts"][0]


def test_a_watcher_sees_how_far_it_is() -> None:
    seen: list[tuple[int, int, list[tuple[int, float]]]] = []

    def watch(snapshot: Snapshot) -> None:
        found = snapshot.summary()
        pairs = 0 if found is None else found.pairs
        games = snapshot.scores()["greedy"][0]
        assert games == 2 * pairs
        seen.append((pairs, games, snapshot.path()))

    result = play_sprt("greedy", "ab:nodes=30", pairs=12, checkpoint=5, watch=watch)
    assert seen[0][:2] == (0, 0)
    assert [pairs for pairs, _, _ in seen] == sorted(pairs for pairs, _, _ in seen)
    assert seen[-1][2] == list(result.path)
    ratings = []
    play_tournament(PLAYERS[:3], pairs=10, watch=lambda one: ratings.append(one.ratings()))
    assert ratings[0] is None
    assert ratings[-1] is not None


@pytest.mark.slow
def test_error_rates_of_whole_tests() -> None:
    """Of equal players the test accepts H1 in no more than alpha of runs, and H0 in most."""
    states = Counter(
        play_sprt(
            "random", "random:seed=9", elo0=0, elo1=60, pairs=2000, checkpoint=20, seed=seed,
            workers=2, max_turns=300,
        ).state
        for seed in range(100)
    )  # fmt: skip
    # 14 of 100 and more have a chance below 0.0005 where it is 5 %.
    assert states["accepted H1"] < 14
    assert states["accepted H0"] > 80


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"elo0": 5}, "elo1 is 5, expected more than elo0, 5"),
        ({"elo1": 900}, "elo1 is 900, expected a number from -200 to 200"),
        ({"elo0": float("nan")}, "elo0 is nan"),
        ({"alpha": 0.5}, "alpha is 0.5, expected a number between 0 and 0.5"),
        ({"beta": 0}, "beta is 0"),
        ({"model": "bayes"}, "model is 'bayes'"),
        ({"checkpoint": 0}, "checkpoint is 0"),
        ({"b": "random"}, "which is there already"),
    ],
)
def test_what_cannot_be_tested_is_refused(change: Any, words: str) -> None:
    with pytest.raises(cf.ArgumentError, match=words):
        play_sprt(**{"a": "random", "b": "greedy", **change})
