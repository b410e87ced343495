"""Runs from their settings to their folder and back; and what others read of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest

import chase_fast as cf
from chase_fast._core import StopFlag
from chase_fast.agents import PlayerSpec
from chase_fast.cells import TERMINATIONS, numbered
from chase_fast.errors import StoppedError, StoreError
from chase_fast.openingset import OpeningSet
from chase_fast.record import Record, RecordWriter, read_records
from chase_fast.runner import Plan
from chase_fast.runs import Settings, begin, command_line, load_plan, opened, records
from chase_fast.store import GAMES, SCHEMA_VERSION, TURNS, Run
from tests.unit.engines import BAD, program
from tests.unit.small_runs import PLAYERS, play, rows_of, small_settings

pytestmark = pytest.mark.no_core

SETTINGS = small_settings(pairs=12)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of several chunks in each cell; to be read only."""
    path = tmp_path_factory.mktemp("runs") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("chase_fast.runner._CHUNK_SECONDS", 0.004)
        play(path, SETTINGS, workers=2)
    assert len(list((path / "games").iterdir())) > len(SETTINGS.plan.cells)
    return path


# ---- Begin, resume, open -----------------------------------------------------------------------


def test_a_run_tells_what_it_plays(folder: Path) -> None:
    with opened(folder, "test") as (run, plan):
        assert list(plan.cells) == list(SETTINGS.plan.cells)
        assert list(plan.openings) == list(SETTINGS.plan.openings)
        assert (plan.pairs, plan.turns, plan.moves, plan.checkpoint) == (12, True, False, None)
        assert run.description["options"] == {"note": "small"}
        assert run.description["reproducible"] is True
        assert command_line(run.description["command"]) == "chase-fast test"
    with pytest.raises(StoreError, match="kind test, not balance"), opened(folder, "balance"):
        pass


def test_a_run_without_a_folder_leaves_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with begin(None, SETTINGS) as run:
        assert run.folder.is_dir() and run.folder.parent == tmp_path
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("resume", [False, True])
def test_a_run_whose_flag_is_set_does_not_begin(tmp_path: Path, resume: bool) -> None:
    path = tmp_path / "run"
    if resume:
        play(path, SETTINGS)
    stop = StopFlag()
    stop.set()
    before = {one: one.read_bytes() for one in path.rglob("*") if one.is_file()}
    with pytest.raises(StoppedError), begin(path, SETTINGS, resume=resume, stop=stop):
        pass
    assert {one: one.read_bytes() for one in path.rglob("*") if one.is_file()} == before


@pytest.mark.parametrize("exists", [False, True])
def test_resume_begins_where_there_is_nothing(tmp_path: Path, exists: bool) -> None:
    path = tmp_path / "run"
    if exists:
        path.mkdir()
    with begin(path, SETTINGS, resume=True) as run:
        assert run.chunks() == [] and run.damaged == []


OTHERS: dict[str, tuple[Settings, str]] = {
    "seed": (replace(SETTINGS, seed=5), "its seed is 4, asked for is 5"),
    "kind": (replace(SETTINGS, kind="balance"), 'its kind is "test", asked for is "balance"'),
    "options": (
        replace(SETTINGS, options={"note": "small", "until": 1}),
        "its options.until is null, asked for is 1",
    ),
    "pairs": (small_settings(pairs=11), "its pairs is 12, asked for is 11"),
    "turns": (small_settings(pairs=12, turns=False), "its turns is true, asked for is false"),
    "moves": (small_settings(pairs=12, moves=True), "its moves is false, asked for is true"),
    "checkpoint": (
        small_settings(pairs=12, checkpoint=3),
        "its checkpoint is null, asked for is 3",
    ),
    "openings": (
        small_settings(pairs=12, opening_turns=2),
        r"its openings\[0\]\.turns is 4, asked for is 2",
    ),
    "variants": (
        small_settings(pairs=12, variants=("standard", "reserve=2")),
        r'its cells\[3\]\.variant is "reserve=0", asked for is "reserve=2"',
    ),
    "fewer variants": (
        small_settings(pairs=12, variants=("standard",)),
        "its number of cells is 6, asked for is 3",
    ),
    "players": (
        small_settings(pairs=12, players=[*PLAYERS[:2], ("greedy", "random")]),
        r'its cells\[2\]\.b is "random:seed=2", asked for is "random"',
    ),
    "most turns": (
        small_settings(pairs=12, max_turns=41),
        r"its cells\[0\]\.max_turns is 40, asked for is 41",
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_another_run_is_refused_and_what_is_other_named(folder: Path, name: str) -> None:
    settings, words = OTHERS[name]
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.*")}
    with pytest.raises(StoreError, match=words) as caught, begin(folder, settings, resume=True):
        pass
    assert "holds another run" in str(caught.value)
    after = {path: path.stat().st_mtime_ns for path in folder.rglob("*.*")}
    assert {path for path in before if before[path] != after[path]} <= {folder / ".lock"}


def test_the_command_and_workers_may_be_others(tmp_path: Path) -> None:
    first = play(tmp_path, SETTINGS)[0]
    assert play(tmp_path, replace(SETTINGS, command=["other"]), resume=True)[0] == first


def test_a_run_of_another_version_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(tmp_path, small_settings(pairs=2))
    monkeypatch.setattr("chase_fast.runs.__version__", "99.0")
    with (
        pytest.raises(StoreError, match=rf"begun with chase-fast {cf.__version__}, this is 99.0"),
        begin(tmp_path, small_settings(pairs=2), resume=True),
    ):
        pass
    with opened(tmp_path) as (run, _):  # to be read it may be of another one
        assert run.chunks()


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda text: text.replace("# source seed 4", "# source seed 5"), None),
        (lambda text: text[:-20], "not what the run was begun with"),
        (lambda text: text.replace("\n", "\n\n").rsplit("\n", 3)[0], "not what the run was"),
        (lambda text: text + "banana\n", r"not what the run was begun with.*line 16"),
        (lambda text: text[: len(text) // 2] + "\0", "not what the run was begun with"),
        (lambda text: "", "not what the run was begun with.*holds no openings"),
    ],
)  # fmt: skip
def test_openings_that_have_changed_are_refused(
    tmp_path: Path, spoil: Any, words: str | None
) -> None:
    settings = small_settings(pairs=12)
    with begin(tmp_path, settings):
        pass
    path = tmp_path / "openings-0.txt"
    text = spoil(path.read_text())
    path.write_text(text)
    with pytest.raises(StoreError, match=r"openings-0\.txt is not what"):
        play(tmp_path, settings, resume=True)
    if words is not None:
        with pytest.raises(StoreError, match=words), opened(tmp_path):
            pass
    assert path.read_text() == text
    # Moved away, as the message says, they are written again.
    path.unlink()
    with pytest.raises(StoreError, match=r"openings-0\.txt cannot be read"), opened(tmp_path):
        pass
    play(tmp_path, settings, resume=True)
    with opened(tmp_path) as (_, plan):
        assert plan.openings[0] == settings.plan.openings[0]


@pytest.mark.parametrize(
    "change",
    [
        {"cells": None},
        {"cells": []},
        {"cells": [{}]},
        {"cells": ["banana"]},
        {"cells": {"a": 1}},
        {"openings": []},
        {"openings": [{"file": "openings-0.txt"}]},
        {"pairs": "many"},
        {"pairs": 10**6},
        {"checkpoint": 0},
    ],
)
def test_a_damaged_description_is_named(tmp_path: Path, change: dict[str, Any]) -> None:
    with begin(tmp_path, SETTINGS):
        pass
    path = tmp_path / "run.json"
    description = json.loads(path.read_text())
    path.write_text(json.dumps(description | change))
    with pytest.raises(StoreError, match=r"run\.json is damaged: ."), opened(tmp_path):
        pass
    with pytest.raises(StoreError), begin(tmp_path, SETTINGS, resume=True):
        pass
    for name in change:
        del description[name]
    path.write_text(json.dumps(description))
    with (
        pytest.raises(StoreError, match=rf"run\.json is damaged: there is no '{name}'"),
        opened(tmp_path),
    ):
        pass


# ---- Read by others ----------------------------------------------------------------------------

SUMMED = ("turns", "decisions", "options", "splits", "captures", "log10_options", "seed")


def ours(folder: Path, kind: str) -> dict[str, Any]:
    """Sums of all columns of numbers, by our own reading, in Python's own numbers."""
    table = rows_of(folder, kind)
    schema = GAMES if kind == "games" else TURNS
    names = [name for name in schema.names if isinstance(table[0][name], int | float)]
    return {name: sum(row[name] for row in table) for name in names} | {"rows": len(table)}


def test_polars_reads_it(folder: Path) -> None:
    for kind, schema in (("games", GAMES), ("turns", TURNS)):
        frame = pl.scan_parquet(folder / kind / "*.parquet").collect()
        assert frame.columns == schema.names
        sums = ours(folder, kind)
        assert frame.height == sums.pop("rows")
        for name, value in sums.items():
            assert sum(frame[name].to_list()) == pytest.approx(value, rel=1e-12), name
    games = pl.scan_parquet(folder / "games" / "*.parquet")
    counted = (
        games.group_by(pl.col("variant").cast(pl.String), "cell")
        .agg(pl.len(), (pl.col("winner") == 0).sum().alias("red"))
        .sort("cell")
        .collect()
    )
    table = rows_of(folder)
    assert counted.rows() == [
        (
            cell.variant,
            cell.number,
            12 * cell.games_each,
            sum(row["winner"] == 0 for row in table if row["cell"] == cell.number),
        )
        for cell in SETTINGS.plan.cells
    ]


def test_duckdb_reads_it(folder: Path) -> None:
    with duckdb.connect() as base:
        for kind, schema in (("games", GAMES), ("turns", TURNS)):
            glob = str(folder / kind / "*.parquet")
            found = base.execute("select * from read_parquet(?)", [glob])
            assert [column[0] for column in found.description or []] == schema.names
            rows = found.fetchall()
            sums = ours(folder, kind)
            assert len(rows) == sums.pop("rows")
            for name, value in sums.items():
                at = schema.names.index(name)
                assert sum(row[at] for row in rows) == pytest.approx(value, rel=1e-12), name
            (turns,) = base.execute("select sum(turns) from read_parquet(?)", [
                str(folder / "games" / "*.parquet")
            ]).fetchall()  # fmt: skip
            assert turns == (ours(folder, "games")["turns"],)
        joined = base.execute(
            "select count(*), count(distinct (cell, opening, game)) from read_parquet(?) t "
            "join read_parquet(?) g using (cell, opening, game)",
            [str(folder / kind / "*.parquet") for kind in ("turns", "games")],
        ).fetchall()
        assert joined == [(ours(folder, "turns")["rows"], ours(folder, "games")["rows"])]


def test_pandas_reads_it(folder: Path) -> None:
    for kind, schema in (("games", GAMES), ("turns", TURNS)):
        paths = sorted((folder / kind).glob("*.parquet"))
        frame = pd.concat([pd.read_parquet(path) for path in paths], ignore_index=True)
        assert list(frame.columns) == schema.names
        assert len(pd.read_parquet(folder / kind)) == len(frame)
        sums = ours(folder, kind)
        assert len(frame) == sums.pop("rows")
        for name, value in sums.items():
            assert sum(frame[name].tolist()) == pytest.approx(value, rel=1e-12), name
        for path in paths:
            metadata = pq.read_metadata(path).metadata
            assert metadata[b"chase_fast.schema"] == str(SCHEMA_VERSION).encode()
            assert metadata[b"chase_fast.rows"] == kind.encode()


def test_heat_is_that_of_the_games(folder: Path) -> None:
    frame = pl.scan_parquet(folder / "heat" / "*.parquet").collect()
    games = ours(folder, "games")
    assert frame["captured"].sum() == games["captures"]
    assert frame.filter(pl.col("square") == 40)["occupied"].sum() == 0  # the chamber (R4)
    assert frame["square"].max() == 80


# ---- Records -----------------------------------------------------------------------------------


def check_records(folder: Path, tmp_path: Path) -> list[Record]:
    """Written and read again, in both formats, they are the games of the rows."""
    with opened(folder) as (run, plan):
        found = list(records(run, plan))
        assert list(records(run, plan, most=3)) == found[:3]
        assert list(records(run, plan, most=0)) == []
    table = rows_of(folder)
    assert len(found) == len(table) > 0
    for name in ("games.chase", "games.jsonl"):
        form: Literal["json", "text"] = "json" if name.endswith("jsonl") else "text"
        with RecordWriter(tmp_path / name, format=form) as writer:
            for record in found:
                writer.write(record)
        assert list(read_records(tmp_path / name)) == found
    for record, row in zip(found, table, strict=True):
        game = record.to_game()
        cell = plan.cells[row["cell"]]
        openings = plan.openings[cell.openings]
        assert record.outcome is not None
        winner = -1 if record.outcome.winner is None else int(record.outcome.winner)
        assert (winner, record.outcome.termination) == (
            row["winner"], TERMINATIONS[row["termination"]],
        )  # fmt: skip
        assert (game.turn_count, len(game.moves)) == (row["turns"], row["decisions"])
        assert (record.red, record.blue) == (row["red"], row["blue"])
        assert record.rules == cell.rules
        start = cf.Game(rules=cell.rules)
        tags = dict(record.tags)
        for text in tags["Opening"].split():
            start.push(text)
        assert start.position == game.start == openings.starts(cell.rules, row["opening"], 1)[0]
        assert (tags["Pair"], tags["Game"]) == (str(row["opening"]), str(row["game"]))
        splits = sum(
            position.events(move)["split"]
            for position, move in zip(game.positions, game.moves, strict=False)
        )
        assert splits == row["splits"]
    return found


@pytest.mark.parametrize("moves", [False, True])
def test_records_are_the_games_of_the_rows(tmp_path: Path, moves: bool) -> None:
    settings = small_settings(pairs=4, moves=moves, max_turns=300)
    play(tmp_path / "run", settings)
    kept = {row["moves"] is not None for row in rows_of(tmp_path / "run")}
    assert kept == {moves}
    found = check_records(tmp_path / "run", tmp_path)
    other = small_settings(pairs=4, moves=not moves, max_turns=300)
    play(tmp_path / "other", other)
    assert check_records(tmp_path / "other", tmp_path) == found


def test_records_of_games_from_the_start(tmp_path: Path) -> None:
    settings = small_settings(pairs=1, opening_turns=0)
    play(tmp_path / "run", settings)
    for record in check_records(tmp_path / "run", tmp_path):
        assert record.to_game().start == cf.Position.start(record.rules)


def with_programs(*commands: str) -> Settings:
    """Random players against programs."""
    settings = small_settings(pairs=2, players=[("random", "random")] * len(commands), max_turns=10)
    programs = [PlayerSpec._of("ext", {"cmd": command, "timeout": 5.0}) for command in commands] * 2
    cells = numbered(
        [replace(cell, b=b) for cell, b in zip(settings.plan.cells, programs, strict=True)]
    )
    return replace(settings, plan=replace(settings.plan, cells=cells))


def test_records_of_programs(tmp_path: Path) -> None:
    bad = ("exits at a decision", "answers nonsense", "plays an illegal decision")
    settings = with_programs(program(), *(program(**BAD[name][1]) for name in bad))
    assert settings.identity()["reproducible"] is False
    play(tmp_path / "run", settings, workers=2)
    found = check_records(tmp_path / "run", tmp_path)
    ended: Sequence[str] = [record.outcome.termination for record in found if record.outcome]
    assert set(ended) >= {"crash", "illegal"}
    for row in rows_of(tmp_path / "run"):
        assert row["moves"] is not None
        assert (row["fault"] is None) == (
            TERMINATIONS[row["termination"]] not in ("crash", "illegal")
        )


def test_a_row_that_is_not_the_game_is_noticed(tmp_path: Path) -> None:
    settings = small_settings(pairs=2)
    play(tmp_path, settings)
    with Run.open(tmp_path, write=True) as run:
        chunk, table = next(run.read("games"))
        at = table.column_names.index("decisions")
        wrong = np.asarray(table.column("decisions")) + 1
        run.add(chunk.cell, chunk.first, chunk.count, 0.0, {
            "games": table.set_column(at, table.field(at), [wrong.astype(np.uint32)])
        })  # fmt: skip
        with pytest.raises(cf.ArgumentError, match="decisions when played again"):
            list(records(run, load_plan(run)))


# ---- Openings of several sets ------------------------------------------------------------------


def test_cells_may_have_openings_of_their_own(tmp_path: Path) -> None:
    one, other = cf.Rules(), cf.Rules(setup="222222222")
    settings = small_settings(pairs=6, variants=("standard",))
    cells = [*settings.plan.cells]
    cells += [replace(cell, rules=other, variant="twos", openings=1) for cell in cells]
    sets = [OpeningSet.generate([rules], 6, seed=2) for rules in (one, other)]
    both = replace(settings, plan=Plan(numbered(cells), sets, 6))
    result = play(tmp_path / "run", both)[0]
    assert sorted(path.name for path in (tmp_path / "run").glob("*.txt")) == [
        "openings-0.txt", "openings-1.txt",
    ]  # fmt: skip
    with opened(tmp_path / "run") as (run, plan):
        assert list(plan.openings) == sets and run.result_hash() == result
    check_records(tmp_path / "run", tmp_path)
