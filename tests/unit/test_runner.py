"""Runs as a whole: the same rows whoever plays them, in what order, and however often killed."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chase_fast as cf
from chase_fast._core import StopFlag
from chase_fast.cells import TERMINATIONS, play_chunk
from chase_fast.openingset import OpeningSet
from chase_fast.runner import CellScores, Plan, Progress, play_run
from chase_fast.runs import Settings, begin
from chase_fast.store import Run
from tests.unit.small_runs import play, rows, rows_of, small_settings

pytestmark = pytest.mark.no_core

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chase_fast.runner._CHUNK_SECONDS", 0.004)


def expected(settings: Settings) -> list[tuple[Any, ...]]:
    """What makes up a row, by one chunk for each cell and no store."""
    found = []
    for cell in settings.plan.cells:
        chunk = play_chunk(cell, settings.plan.openings[0], 0, settings.plan.pairs)
        assert chunk is not None
        columns = [np.asarray(chunk.games[name]).tolist() for name in KEY]
        found += list(zip(*columns, strict=True))
    return found


KEY = (
    "cell", "opening", "game", "seed", "a_is_red", "winner", "termination", "turns", "decisions",
    "options", "splits", "log10_options",
)  # fmt: skip


def keys(table: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in KEY) for row in table]


# ---- Workers, order, interruption --------------------------------------------------------------


def test_results_do_not_depend_on_workers(tmp_path: Path) -> None:
    settings = small_settings()
    hashes, tables, turns = [], [], []
    for workers in (1, 2, 5):
        folder = tmp_path / str(workers)
        result, progress, _ = play(folder, settings, workers=workers)
        hashes.append(result)
        tables.append(rows_of(folder))
        turns.append(rows_of(folder, "turns"))
        assert progress.done == progress.total == 180
    assert len(set(hashes)) == 1
    assert tables[0] == tables[1] == tables[2]
    assert turns[0] == turns[1] == turns[2]
    assert keys(tables[0]) == expected(settings)
    assert len(turns[0]) == sum(row["turns"] for row in tables[0])


def test_what_is_kept_besides_does_not_matter(tmp_path: Path) -> None:
    hashes = {
        play(tmp_path / f"{turns}{moves}{checkpoint}", small_settings(
            pairs=9, turns=turns, moves=moves, checkpoint=checkpoint,
        ))[0]
        for turns, moves, checkpoint in (
            (False, False, None), (True, False, 1), (False, True, 4), (True, True, 50),
        )
    }  # fmt: skip
    assert len(hashes) == 1
    other = play(tmp_path / "other", small_settings(pairs=9, seed=5))[0]
    assert other not in hashes


@pytest.mark.parametrize("workers", [1, 3])
def test_a_run_that_is_stopped_again_and_again_ends_the_same(tmp_path: Path, workers: int) -> None:
    settings = small_settings(pairs=20)
    whole, _, _ = play(tmp_path / "whole", settings)
    folder = tmp_path / "run"
    choose = random.Random(workers)
    rounds = 0
    while True:
        stop = StopFlag()
        left = choose.randint(0, 3)

        def watch(progress: Progress, stop: StopFlag = stop, left: int = left) -> None:
            if (progress.played and left <= 0) or choose.random() < 0.2:
                stop.set()

        with begin(folder, settings, resume=True) as run:
            progress = play_run(run, settings.plan, workers=workers, watch=watch, stop=stop)
            done = sum(chunk.count for chunk in run.chunks())
            assert progress.done == done
            assert len(keys(rows(run))) == len(set(keys(rows(run))))
            if done == progress.total:
                assert run.result_hash() == whole
                break
        rounds += 1
    assert rounds > 3
    assert rows_of(folder) == rows_of(tmp_path / "whole")


class OopsError(Exception):
    pass


@pytest.mark.parametrize("failure", [OopsError, KeyboardInterrupt])
def test_what_is_raised_by_a_watcher_ends_a_run_that_goes_on_later(
    tmp_path: Path, failure: type[BaseException]
) -> None:
    settings = small_settings(pairs=20)

    def watch(progress: Progress) -> None:
        if progress.played > 10:
            raise failure

    with pytest.raises(failure):
        play(tmp_path / "run", settings, workers=2, watch=watch)
    result, progress, damaged = play(tmp_path / "run", settings, resume=True)
    assert 0 < progress.played < progress.total
    assert damaged == []
    assert result == play(tmp_path / "whole", settings)[0]


def child(folder: Path, *words: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.unit.small_runs", str(folder), *map(str, words)],
        cwd=ROOT, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def check_killed(folder: Path, settings: Settings, whole: str) -> None:
    """Whatever was killed: no row twice, none that is wrong; and it goes on to the same end."""
    if Run.exists(folder):
        with begin(folder, settings, resume=True) as run:
            found = keys(rows(run))
            assert len(found) == len(set(found))
            assert set(found) <= set(expected(settings))
            assert run.damaged == []
    result, _, damaged = play(folder, settings, workers=2, resume=True)
    assert (result, damaged) == (whole, [])
    assert keys(rows_of(folder)) == expected(settings)
    assert not list(folder.rglob("*.part"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> str:
    return play(tmp_path_factory.mktemp("whole"), small_settings())[0]


def interrupt(folder: Path, rounds: int, whole: str, workers: int = 2) -> None:
    """Kills a run after some chunks and a moment, again and again."""
    choose = random.Random(rounds)
    killed = 0
    for _ in range(rounds):
        with child(folder, workers) as process:
            assert process.stdout is not None
            for line in process.stdout:
                if len(line) > 20:
                    break  # the hash: it was faster than the killer
                if choose.random() < 0.3:
                    time.sleep(choose.random() * 0.01)
                    killed += 1
                    break
            process.kill()
    assert killed >= rounds // 2
    check_killed(folder, small_settings(), whole)


def test_a_run_that_is_killed_goes_on(tmp_path: Path, whole: str) -> None:
    interrupt(tmp_path, 3, whole)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_that_is_killed_twenty_times_equals_one_that_is_not(
    tmp_path: Path, whole: str, workers: int
) -> None:
    interrupt(tmp_path, 20, whole, workers)


# The places in the life of a chunk and of a run at which files are touched.
NUMBERS = (1, 3, 5, 8, 10, 14)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_run_killed_at_a_touch_of_its_files_goes_on(
    tmp_path: Path, whole: str, number: int
) -> None:
    with child(tmp_path, 1, number) as process:
        assert process.wait() == -9
    check_killed(tmp_path, small_settings(), whole)


@pytest.mark.slow
def test_a_run_killed_at_every_touch_of_its_files_goes_on(tmp_path: Path, whole: str) -> None:
    for number in range(1, 31):
        folder = tmp_path / str(number)
        # The first time from nothing, then while it goes on.
        for _ in range(2):
            with child(folder, 1, number) as process:
                assert process.wait() in (-9, 0)
        check_killed(folder, small_settings(), whole)


# ---- Checkpoints -------------------------------------------------------------------------------


def stop_at(openings: int, asked: list[int]) -> Callable[[int, list[CellScores]], bool]:
    def enough(upto: int, scores: list[CellScores]) -> bool:
        asked.append(upto)
        assert all((one.red[0, :upto] >= 0).all() for one in scores)
        return upto >= openings

    return enough


@pytest.mark.parametrize("workers", [1, 4])
@pytest.mark.parametrize(
    ("checkpoint", "openings", "end"),
    [(5, 11, 15), (7, 1, 7), (4, 30, 30), (8, 29, 30), (40, 1, 30)],
)
def test_a_run_ends_at_a_checkpoint(
    tmp_path: Path, workers: int, checkpoint: int, openings: int, end: int
) -> None:
    settings = small_settings(checkpoint=checkpoint)
    asked: list[int] = []
    _, progress, _ = play(tmp_path, settings, workers=workers, enough=stop_at(openings, asked))
    assert asked == [*range(checkpoint, min(end, 30), checkpoint), end]
    found = keys(rows_of(tmp_path))
    assert found == [row for row in expected(settings) if row[1] < end]
    # What is told of it is of these games alone, now and when it is asked for again.
    tell_the_same(progress, found, end)
    _, again, _ = play(tmp_path, settings, resume=True, enough=stop_at(openings, []))
    assert again.played == 0
    tell_the_same(again, found, end)
    assert keys(rows_of(tmp_path)) == found


def test_what_was_played_beyond_the_end_is_forgotten(tmp_path: Path) -> None:
    settings = small_settings(checkpoint=5)
    assert play(tmp_path, settings)[1].done == 180
    assert len(rows_of(tmp_path)) == len(expected(settings))
    _, progress, _ = play(tmp_path, settings, resume=True, enough=stop_at(11, []))
    found = keys(rows_of(tmp_path))
    assert found == [row for row in expected(settings) if row[1] < 15]
    tell_the_same(progress, found, 15)
    # Of their files, too, nothing is left for others to read.
    with Run.open(tmp_path, write=False) as run:
        names = {name for chunk in run.chunks() for name in chunk.files}
    assert {f"{path.parent.name}/{path.name}" for path in tmp_path.glob("*/part-*")} == names


def tell_the_same(progress: Progress, found: list[tuple[Any, ...]], end: int) -> None:
    assert progress.done == progress.total
    for number, scores in enumerate(progress.scores):
        mine = [dict(zip(KEY, row, strict=True)) for row in found if row[0] == number]
        assert scores.done == scores.pairs == end
        assert scores.decisions == sum(row["decisions"] for row in mine)
        assert scores.terminations.tolist() == [
            sum(row["termination"] == code for row in mine) for code in range(len(TERMINATIONS))
        ]


def test_a_run_killed_at_its_end_forgets_what_is_beyond(tmp_path: Path) -> None:
    """Between the two: chunks were forgotten, and that it ended is not yet noted."""
    settings = small_settings(checkpoint=5)
    play(tmp_path, settings, enough=stop_at(11, []))
    with Run.open(tmp_path, write=True) as run:
        assert run.fact("stopped_at") == 15
        run.set_fact("stopped_at", None)
    asked: list[int] = []
    _, progress, _ = play(tmp_path, settings, resume=True, enough=stop_at(11, asked))
    assert (progress.played, progress.total, asked) == (0, 15 * 6, [5, 10, 15])


# ---- What is told ------------------------------------------------------------------------------


def test_scores_are_those_of_the_rows(tmp_path: Path) -> None:
    settings = small_settings(pairs=25)
    told: list[tuple[int, int]] = []
    _, progress, _ = play(
        tmp_path, settings, workers=2, watch=lambda now: told.append((now.done, now.total))
    )
    assert told == sorted(told) and told[0] == (0, 150) and told[-1] == (150, 150)
    assert progress.seconds_left == 0
    table = rows_of(tmp_path)
    for cell, scores in zip(settings.plan.cells, progress.scores, strict=True):
        mine = [row for row in table if row["cell"] == cell.number]
        half = {-1: 1, 0: 2, 1: 0}
        points = np.full((2, 25), -1)
        red = np.full((2, 25), -1)
        for row in mine:
            of_red = half[row["winner"]]
            red[row["game"], row["opening"]] = of_red
            points[row["game"], row["opening"]] = of_red if row["a_is_red"] else 2 - of_red
        assert scores.points.tolist() == points.tolist() and scores.red.tolist() == red.tolist()
        played = red[:1] if cell.single else red
        assert scores.red_scores().tolist() == pytest.approx(played.mean(axis=0) / 2)
        assert scores.red_scores(7).tolist() == pytest.approx(played[:, :7].mean(axis=0) / 2)
        # Never counted twice: a game that stands for both is no pair.
        pairs = [0] * 5
        for total in [] if cell.single else points.sum(axis=0):
            pairs[total] += 1
        assert scores.pentanomial() == pairs
        assert sum(scores.pentanomial(7)) == (0 if cell.single else 7)
        assert scores.terminations.sum() == len(mine) == 25 * cell.games_each
        assert scores.decisions == sum(row["decisions"] for row in mine)
        names = {row["red"] for row in mine} | {row["blue"] for row in mine}
        assert names == {str(cell.a), str(cell.b)}
        for row in mine:
            assert row["red"] == str(cell.a if row["a_is_red"] else cell.b)
            assert row["variant"] == cell.variant


def test_a_finished_run_has_nothing_to_play(tmp_path: Path) -> None:
    settings = small_settings(pairs=5)
    first = play(tmp_path, settings)
    told: list[int] = []
    again = play(tmp_path, settings, resume=True, watch=lambda now: told.append(now.done))
    assert again[0] == first[0]
    assert (again[1].played, told) == (0, [30])
    assert again[1].seconds_left is None


# ---- Bad input ---------------------------------------------------------------------------------


OPENINGS = OpeningSet.generate([cf.Rules()], 5)
CELLS = small_settings(pairs=5, variants=("standard",)).plan.cells


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"pairs": 0}, "pairs is 0, expected an integer from 1"),
        ({"pairs": 6}, "pairs of cell 0 is 6, expected an integer from 1 to 5"),
        ({"cells": []}, "cells is empty"),
        ({"cells": CELLS[1:]}, "cell 0 has the number 1"),
        ({"openings": []}, "the opening set of cell 0 is 0"),
        ({"checkpoint": 0}, "checkpoint is 0, expected an integer from 1"),
    ],
)
def test_a_plan_that_cannot_be_played_is_refused(change: dict[str, Any], words: str) -> None:
    plan: dict[str, Any] = {"cells": CELLS, "openings": [OPENINGS], "pairs": 5}
    assert Plan(**plan).checkpoint is None
    with pytest.raises(cf.ArgumentError, match=words):
        Plan(**plan | change)


@pytest.mark.parametrize("workers", [0, -1, 1025, True, 1.5])
def test_workers_that_there_cannot_be_are_refused(tmp_path: Path, workers: Any) -> None:
    with pytest.raises(cf.ArgumentError, match="workers is"):
        play(tmp_path, small_settings(pairs=2), workers=workers)
