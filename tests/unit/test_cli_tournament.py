"""The commands tournament, sprt, export and report."""

from __future__ import annotations

import gzip
import json
import resource
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import chase_fast as cf
from chase_fast.cli import main
from chase_fast.record import read_records
from chase_fast.tournament import play_sprt, play_tournament
from tests.unit.engines import BAD, program
from tests.unit.test_cli_process import PROGRAM, Terminal, environment, visible
from tests.unit.test_match import quoted

pytestmark = pytest.mark.no_core

WORDS = ["random", "greedy", "ab:nodes=30"]


def document(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, dict)
    return found


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[str, str]:
    """What a command prints on standard output and on standard error."""
    assert main([*words]) == 0
    captured = capsys.readouterr()
    return captured.out, captured.err


# ---- tournament -------------------------------------------------------------------------------


def test_the_document_is_that_of_the_library(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(
        capsys, "tournament", *WORDS, "--format", "gauntlet", "--seeds", "2", "--rules",
        "reserve=0", "--pairs", "6", "--seed", "7", "--opening-turns", "2", "--bound", "900",
        "--max-turns", "200", "--bootstrap", "0", "--workers", "2",
    )  # fmt: skip
    wanted = play_tournament(
        WORDS, format="gauntlet", seeds=2, rules=cf.Rules(reserve=0), pairs=6, seed=7,
        opening_turns=2, bound=900, max_turns=200, bootstrap=0,
    ).document  # fmt: skip
    assert {**found, "created": ""} == {**wanted, "created": ""}


def test_the_tables(capsys: pytest.CaptureFixture[str]) -> None:
    result = play_tournament(WORDS, pairs=12, seed=2, max_turns=60)
    out, err = said(capsys, "tournament", *WORDS, "--pairs", "12", "--seed", "2", "--max-turns",
                    "60")  # fmt: skip
    lines = [line.split() for line in out.splitlines()]
    for number, one in enumerate(result.players):
        row = lines[2 + number]
        assert row[0] == one.player
        assert one.score is not None
        assert row[-6:] == [
            str(one.games), f"{one.score:.1%}", str(one.wins), str(one.draws), str(one.losses),
            str(one.cut_short),
        ]  # fmt: skip
    assert "cut short" in out
    assert lines[4][:3] == ["random", "0", "-"]
    best = result.players[0].rating
    assert best is not None and f">  {best.value:+.0f}".replace("  ", " ") in out
    crosses = [line for line in lines if line[:1] in (["1"], ["2"], ["3"])]
    scores = {
        (one.a, one.b): one.summary.score for one in result.pairings if one.summary is not None
    }
    first, second, third = (one.player for one in result.players)
    against = [scores[third, first], scores[third, second]]
    assert crosses[2] == ["3", third, *(f"{score:.1%}" for score in against)]
    assert crosses[0][1:] == [first, crosses[0][2], f"{1 - against[0]:.1%}"]
    for sentence in result.document["verdicts"]:
        assert sentence in out
    assert f"hash        {result.result_hash}" in out
    assert "openings    12 openings of 4 turns, seed 2" in out
    assert "3 virtual drawn pairs added" in out
    assert err == "".join(f"{one}\n" for one in result.document["warnings"])


def test_faults_have_a_column(capsys: pytest.CaptureFixture[str]) -> None:
    player = quoted(program(**BAD["plays an illegal decision"][1]))
    out, err = said(capsys, "tournament", "random", player, "--pairs", "2")
    assert "illegal" in out.splitlines()[0]
    assert "crashes" not in out.splitlines()[0]
    assert "lost games by faults of its own: 4 by an illegal decision, of 4" in err
    assert "cannot be repeated exactly" in err


def test_a_run_is_kept_and_resumed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "run"
    words = ["tournament", *WORDS, "--pairs", "5", "--out", str(folder)]
    found = document(capsys, *words)
    for name in ("run.json", "report.html", "report.md", "report.json", "progress.sqlite"):
        assert (folder / name).is_file()
    assert json.loads((folder / "report.json").read_text()) == found
    assert main(words) == 2
    assert "is not empty" in capsys.readouterr().err
    (folder / "report.html").unlink()
    assert main([*words, "--resume", "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out) == found
    assert captured.err.startswith(f"wrote {folder / 'report.html'}\n")
    assert (folder / "report.html").is_file()
    assert main([*words, "--resume", "--seed", "9"]) == 2
    assert "its seed is 0, asked for is 9" in capsys.readouterr().err
    other = ["tournament", *WORDS, "--pairs", "5", "--out", str(tmp_path / "new"), "--resume"]
    assert document(capsys, *other)["result_hash"] == found["result_hash"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["tournament", "random"], "players has 1 of them, expected two or more"),
        (["tournament"], "Missing argument 'PLAYER...'"),
        (["tournament", "random", "random"], "which is there already"),
        (["tournament", "random", "chess"], "PLAYER 2: unknown player 'chess'"),
        (["tournament", *WORDS, "--format", "swiss"], "expected one of round-robin, gauntlet, la"),
        (["tournament", *WORDS, "--seeds", "2"], "only a gauntlet has them"),
        (["tournament", *WORDS, "--pairs", "0"], "expected an integer from 1"),
        (["tournament", *WORDS, "--opening-turns", "3"], "expected an even number"),
        (["tournament", *WORDS, "--openings", "/does/not/exist"], "/does/not/exist"),
        (["tournament", *WORDS, "--bound", "99999"], "expected an integer from 0 to 32000"),
        (["tournament", *WORDS, "--bootstrap", "7"], "bootstrap is 7"),
        (["tournament", *WORDS, "--resume"], "needs --out, the folder of the run"),
        (["tournament", *WORDS, "-r", "reserve=1", "-r", "reserve=2"], "this command takes one"),
        (["tournament", "random", 'ab:weights="/does/not/exist"'], "No such file"),
        (["sprt", "random"], "Missing argument 'B'"),
        (["sprt", "random", "random"], "which is there already"),
        (["sprt", "random", "greedy", "--elo0", "5"], "expected more than elo0"),
        (["sprt", "random", "greedy", "--alpha", "nan"], "alpha is nan"),
        (["sprt", "random", "greedy", "--model", "bayes"], "model is 'bayes'"),
        (["sprt", "random", "greedy", "--checkpoint", "0"], "expected an integer from 1"),
        (["sprt", "random", "greedy", "--resume"], "needs --out, the folder of the run"),
        (["export", "/does/not/exist"], "holds no run: there is no run.json"),
        (["export", "/tmp", "--to", "pgn"], "expected one of auto, text, json"),
        (["report", "/does/not/exist"], "holds no run: there is no run.json"),
    ],
)
def test_mistakes_are_told(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(words)
    captured = capsys.readouterr()
    assert told in " ".join(captured.err.split())
    assert captured.out == ""
    assert code == (1 if "--openings" in words else 2)


def test_a_program_that_does_not_start_is_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    for words in (["tournament", "random"], ["sprt", "random"]):
        assert main([*words, 'ext:cmd="/does/not/exist"', "--out", str(folder)]) == 1
        captured = capsys.readouterr()
        assert captured.err.startswith(f"chase-fast {words[0]}: '/does/not/exist' does not start")
        assert captured.out == ""
        assert not folder.exists()


def test_what_is_not_installed_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def lacking(*names: str) -> None:
        monkeypatch.setattr(
            "chase_fast.cli.rundirs.find_spec", lambda name: None if name in names else name
        )

    lacking("pyarrow", "matplotlib")
    assert main(["tournament", *WORDS, "--out", str(tmp_path / "run")]) == 2
    told = capsys.readouterr().err
    assert "store" in told and "report" in told and "stats" not in told
    assert not (tmp_path / "run").exists()
    lacking("jinja2")
    assert main(["sprt", "random", "greedy", "--pairs", "2"]) == 0  # without --out no report
    assert main(["report", str(tmp_path)]) == 2
    assert "chase-fast[report]" in capsys.readouterr().err


# ---- Ends before the end ----------------------------------------------------------------------


def started(*words: str, **options: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=environment(), **options,
    )  # fmt: skip


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_run_says_how_to_go_on(
    number: signal.Signals, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    words = ["tournament", "greedy", "ab:nodes=30", "--pairs", "120", "--out", str(folder)]
    process = started(*words)
    try:
        wait_for(lambda: bool(list((folder / "games").glob("part-*.parquet"))))
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, out) == (code, "")
    kept = "interrupted; what is finished is kept. To go on: chase-fast "
    assert err.startswith(kept)
    assert "Traceback" not in err
    again = shlex.split(err.splitlines()[0].removeprefix(kept))
    assert again[-3:] == ["--out", str(folder), "--resume"]
    found = document(capsys, *again)
    wanted = play_tournament(["greedy", "ab:nodes=30"], pairs=120, workers=2)
    assert found["result_hash"] == wanted.result_hash


def test_without_a_folder_nothing_is_kept(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*PROGRAM, "sprt", "ab:nodes=90", "ab:nodes=91", "--elo1", "1", "--pairs", "4000"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
        env=environment(TMPDIR=str(tmp_path)),
    )  # fmt: skip
    try:
        wait_for(lambda: bool(list(tmp_path.glob("chase-fast-*/games/part-*.parquet"))))
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert err == "interrupted; without --out nothing is kept\nchase-fast: interrupted\n"
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_is_full_is_named_and_the_run_goes_on_later(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    words = ["tournament", "greedy", "ab:nodes=30", "--pairs", "300", "--out", str(folder)]

    def no_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))

    first = started(*words, preexec_fn=no_room)
    out, err = first.communicate(timeout=60)
    assert (first.returncode, out) == (1, "")
    assert err.startswith("chase-fast tournament: ")
    assert str(folder) in err.splitlines()[0]
    assert "What is finished is kept. To go on: chase-fast tournament greedy" in err
    assert "Traceback" not in err
    found = document(capsys, *words, "--resume")
    wanted = play_tournament(["greedy", "ab:nodes=30"], pairs=300, workers=2)
    assert found["result_hash"] == wanted.result_hash


def test_a_file_in_the_place_of_the_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "file"
    path.write_text("as it was")
    assert main(["tournament", *WORDS, "--pairs", "2", "--out", str(path)]) == 1
    assert str(path) in capsys.readouterr().err
    assert path.read_text() == "as it was"


# ---- sprt -------------------------------------------------------------------------------------


def test_the_test_is_that_of_the_library(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    words = ["sprt", "ab:nodes=60", "ab:nodes=30", "--elo0", "-10", "--elo1", "40", "--alpha",
             "0.1", "--beta", "0.02", "--model", "logistic", "--checkpoint", "6", "--pairs", "300",
             "--seed", "3", "--out", str(folder)]  # fmt: skip
    result = play_sprt(
        "ab:nodes=60", "ab:nodes=30", elo0=-10, elo1=40, alpha=0.1, beta=0.02, model="logistic",
        checkpoint=6, pairs=300, seed=3, workers=2,
    )  # fmt: skip
    found = document(capsys, *words, "--workers", "1")
    assert {**found, "created": ""} == {**result.document, "created": ""}
    out, err = said(capsys, *words, "--resume")
    assert result.state == "accepted H1"
    assert result.llr is not None
    low, high = result.test.bounds
    assert "test        accepted H1  (H0: -10 Elo, H1: 40 Elo)" in out
    looked = result.path[-1][0]
    ratio = f"LLR         {result.llr:+.3f}  (bounds {low:+.3f} and {high:+.3f})"
    assert f"{ratio}  after {looked} openings" in out
    assert f"openings    {looked} of 300 openings of 4 turns, seed 3" in out
    assert "overstates the difference" in err
    assert (folder / "report.html").is_file()


# ---- export and report ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "run"
    play_tournament(WORDS, pairs=4, seed=3, out=folder)
    return folder


@pytest.mark.parametrize("name", ["games.txt", "games.jsonl", "games.jsonl.gz", "games"])
def test_games_are_exported(
    name: str, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    out, err = said(capsys, "export", str(run), "--out", str(path))
    assert (out, err) == ("", f"wrote 24 games to {path}\n")
    games = list(read_records(path))
    assert len(games) == 24
    assert all(dict(game.tags)["Opening"] for game in games)
    data = path.read_bytes()
    text = gzip.decompress(data) if name.endswith(".gz") else data
    assert text.startswith(b"{" if "jsonl" in name else b"[")


def test_games_are_exported_to_standard_output(
    run: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["export", str(run), "--games", "3", "--to", "json"]) == 0
    lines = capfdbinary.readouterr().out.splitlines()
    assert len(lines) == 3
    assert [json.loads(line)["red"] for line in lines] == ["random", "greedy", "random"]


def test_a_report_is_written_again(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = play_tournament(WORDS, pairs=4, seed=3)
    assert not (run / "report.html").exists()
    out, err = said(capsys, "report", str(run))
    assert out.splitlines() == result.document["verdicts"]
    assert err == f"wrote {run / 'report.html'}\n"
    first = (run / "report.html").read_bytes()
    assert b"greedy" in first
    found = document(capsys, "report", str(run))
    assert {**found, "created": ""} == {**result.document, "created": ""}
    assert (run / "report.html").read_bytes() == first


def test_a_damaged_part_is_named_and_mended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    words = ["tournament", *WORDS, "--pairs", "4", "--out", str(folder)]
    found = document(capsys, *words)
    part = sorted((folder / "games").iterdir())[0]
    part.write_bytes(part.read_bytes()[:100])
    for command in ("report", "export"):
        assert main([command, str(folder)]) == 2
        told = capsys.readouterr().err
        assert f"{part} is damaged or missing" in told
    assert main([*words, "--resume", "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["result_hash"] == found["result_hash"]
    assert f"games/{part.name} was damaged or missing; its games were played" in captured.err


# ---- A terminal -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "signs"),
    [
        (("tournament", "random", "ab:nodes=60", "ab:nodes=70"), ("player", "score", "games/s")),
        (("sprt", "ab:nodes=70", "ab:nodes=60", "--elo1", "1"), ("score of A", "LLR", "at most")),
    ],
)
def test_a_live_table_until_it_is_interrupted(
    words: tuple[str, ...], signs: tuple[str, ...], tmp_path: Path
) -> None:
    terminal = Terminal(*words, "--pairs", "4000", "--out", str(tmp_path / "run"), columns=100)
    for sign in (*signs, "of", "pairs", "left"):
        terminal.read_until(sign)
    terminal.press(b"\x03")
    assert terminal.end() == 130
    assert visible(terminal.shown).endswith("chase-fast: interrupted\n")
    assert "what is finished is kept. To go on:" in " ".join(visible(terminal.shown).split())
    assert "Traceback" not in terminal.shown


def test_progress_is_for_terminals_only() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "chase_fast", "tournament", "random", "ab:nodes=100", "--pairs",
         "30", "--json"],
        capture_output=True, text=True, timeout=120, check=True, env=environment(),
    )  # fmt: skip
    assert done.stderr == ""
    assert json.loads(done.stdout)["complete"] is True
