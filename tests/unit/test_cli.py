"""The commands, run within this process: what they print, beside what the library says."""

from __future__ import annotations

import gzip
import json
import re
import reprlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import chase_fast as cf
from chase_fast.cli import main
from chase_fast.cli.bench import RULES as BENCH_RULES
from chase_fast.cli.bench import signature_parts
from chase_fast.cli.output import si
from chase_fast.cli.rules import OPTIONS, PRESETS, meaning, value_text
from chase_fast.record import RecordWriter, read_records
from chase_fast.replay import playout_game
from chase_fast.stats import Sums
from chase_fast.svg import board_svg
from chase_fast.tally import COUNTERS, TERMINATIONS, Tally
from chase_fast.textboard import text_board

GOLDEN = Path(__file__).parents[1] / "golden"
SPLIT = "abcdedcba/9/9/9/3B5/5A3/9/9/C1C1C1D2 r"
OVER = "2bE2E1E/9/b1E1c2c1/2bcE3c/3b5/9/9/5c3/3b5 r - 5/0"
# Under chain=yes blue may capture twice in a row.
SERIES = ("fefdB3d/1F7/9/9/5BD2/A8/9/9/3CD3C b", "i4SE", "e6")


class Done(NamedTuple):
    """What a command said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document on standard output."""
        return json.loads(self.out)


Cli = Callable[..., Done]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)

    def run(*words: str | int | Path, code: int = 0) -> Done:
        found = main([str(word) for word in words])
        done = Done(found, *capsys.readouterr())
        assert "Traceback" not in done.err
        assert done.code == code, done
        return done

    return run


# ---- show ------------------------------------------------------------------------------------


def test_show_the_start(cli: Cli) -> None:
    start = cf.Position.start()
    done = cli("show")
    assert done.err == ""
    assert done.out == (
        f"{text_board(start)}\n\n{start.cfen}\nstandard: red to act, 46 legal decisions\n"
    )


def test_show_takes_a_position_in_quotes_or_not(cli: Cli) -> None:
    position = cf.Position.parse(SPLIT)
    quoted, unquoted = cli("show", SPLIT), cli("show", *SPLIT.split())
    assert quoted == unquoted
    assert text_board(position) in quoted.out
    assert position.cfen in quoted.out
    assert "red to act, 1 legal decision, 9 pips due" in quoted.out


def test_show_marks_the_last_decision_played(cli: Cli) -> None:
    game = cf.Game.from_moves(["a5NE", "i5SE"])
    board = text_board(game.position, last_move="i5SE", before=game.positions[1])
    assert board in cli("show", "--play", "a5NE i5SE").out
    assert board in cli("show", "-p", "a5NE", "-p", "i5SE").out


def test_show_turned_and_in_ascii(cli: Cli) -> None:
    board = text_board(cf.Position.start(), orientation="blue", unicode=False)
    assert board in cli("show", "--orientation", "blue", "--ascii").out


def test_show_json(cli: Cli) -> None:
    document = cli("show", "--rules", "chain=yes", "--play", "a5NE", "--json").json
    position = cf.Position.start(cf.Rules(chain=True)).apply("a5NE")
    assert document == {
        "cfen": position.cfen,
        "rules": "chain=yes",
        "side_to_act": "blue",
        "capturing": None,
        "pips_due": 0,
        "spare": {"red": 1, "blue": 1},
        "dice": {"red": 9, "blue": 9},
        "pips": {"red": 25, "blue": 25},
        "legal_decisions": len(position.legal_moves),
        "winner": None,
        "termination": None,
        "last_decision": "a5NE",
        "board": position.board.tolist(),
    }


def test_show_says_how_a_game_ended(cli: Cli) -> None:
    assert "blue has won (no_decision)" in cli("show", OVER).out
    document = cli("show", OVER, "--json").json
    assert (document["winner"], document["termination"]) == ("blue", "no_decision")
    shuffle = 2 * "a1=2,a2=1 i8=1,i9=2 a1=1,a2=2 i8=2,i9=1 "
    drawn = cli("show", "--play", shuffle)
    assert "drawn (repetition)" in drawn.out
    document = cli("moves", "--play", shuffle, "--json").json
    assert (document["winner"], document["termination"]) == (None, "repetition")
    assert document["legal_decisions"] == len(document["decisions"]) == 0


def test_show_a_series(cli: Cli) -> None:
    cfen, move, cell = SERIES
    words = ("show", cfen, "-r", "russian", "-p", move)
    out = cli(*words).out
    assert "chain=yes: blue to act" in out
    assert f"may go on capturing with {cell}" in out
    assert cli(*words, "--json").json["capturing"] == cell


def test_show_writes_a_picture(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "board.svg"
    done = cli("show", "--play", "a5NE", "--svg", file, "--theme", "dark", "--size", 300)
    before = cf.Position.start()
    wanted = board_svg(
        before.apply("a5NE"), last_move="a5NE", before=before, theme="dark", size=300
    )
    assert file.read_text(encoding="utf-8") == wanted
    assert (done.out, done.err) == ("", f"wrote {file}\n")
    assert cli("show", "--svg", "-").out == board_svg(before)
    both = cli("show", "--svg", file, "--json")
    assert both.json["cfen"] == before.cfen
    assert file.read_text(encoding="utf-8") == board_svg(before)
    assert list(tmp_path.iterdir()) == [file]


# ---- moves -----------------------------------------------------------------------------------


def test_moves_lists_all_decisions_in_order(cli: Cli) -> None:
    done = cli("moves")
    lines = done.out.splitlines()[2:48]
    assert [line.split()[:2] for line in lines] == [
        [str(number), str(move)] for number, move in enumerate(cf.Position.start().legal_moves, 1)
    ]
    assert lines[0].split(maxsplit=2)[2] == ("a1-a2, push a2-a3-a4-a5-a6-a7-a8-a9~a1   bumps 8")
    # What they are the decisions of comes last, in the same stream as they.
    start = cf.Position.start()
    assert done.out.endswith(f"\n\n{start.cfen}\nstandard: red to act, 46 legal decisions\n")
    assert done.err == ""


@pytest.mark.parametrize(
    ("cfen", "move", "effect"),
    [
        ("F7F/9/1d7/3DE4/ff1e3Dd/9/9/9/9 b", "e2NE", ""),
        ("4fFF2/9/1d7/E8/e7e/9/1e7/2D6/D8 b", "i5SW", "bumps 1"),
        ("fb2D3D/c8/1F7/9/3d5/7f1/9/5F3/5E2d r", "g2NE", "takes 4 on e4, splits"),
        ("5F1fd/7D1/9/2c6/5a3/3bf4/7Fc/9/D2E5 r", "c8SW", "takes 6 on d5, takes 1 on e6, splits"),
        ("f8/9/6F2/c5E2/c7f/2dCcA3/3DA4/7A1/1B3B3 r", "d6NW",
         "takes 3 on d5, leaves the chamber whole"),
        ("a1dceaf1a/9/6b2/2C6/5Bb2/4B4/9/A8/3BDDDAB r", "a7NW",
         "does not split: no spare die, bumps 1"),
        ("F7F/1D7/1d7/4E4/ff1e3Dd/9/9/9/9 r", "e8NE", "takes 4 on g2, bumps 2, wins"),
        (SPLIT, "+d6", "4 still due"),
        (SERIES[0], SERIES[1], "takes 2 on e6, may capture again"),
    ],
)  # fmt: skip
def test_effects_in_words(cli: Cli, cfen: str, move: str, effect: str) -> None:
    rules = "chain=yes" if cfen == SERIES[0] else "standard"
    rows = [line.split(maxsplit=2) for line in cli("moves", cfen, "-r", rules).out.splitlines()]
    (row,) = (row for row in rows if row[1:2] == [move])
    path, _, found = row[2].partition("   ")
    assert path
    assert found.strip() == effect


def test_moves_json(cli: Cli) -> None:
    document = cli("moves", SPLIT, "--play", "+d6 +e4", "--json").json
    position = cf.Position.parse(SPLIT).apply("+d6").apply("+e4")
    assert document["cfen"] == position.cfen
    assert document["legal_decisions"] == len(position.legal_moves)
    for found, move in zip(document["decisions"], position.legal_moves, strict=True):
        assert found["text"] == str(move)
        assert cf.Move.from_code(found["code"]) == move
        assert found["kind"] == move.kind.name.lower()
        assert found["after"] == position.apply(move).cfen
        assert found["events"] == position.events(move)
        assert found["winner"] is None
        steps = [(step["from"], step["to"], step["kind"]) for step in found["steps"]]
        assert steps == [
            (cf.cell_name(step.origin), cf.cell_name(step.target), step.kind)
            for step in position.trace(move)
        ]
        assert found["direction"] == (None if move.direction is None else move.direction.name)
        assert found["value"] == move.value
    kinds = {found["kind"] for found in cli("moves", "--json").json["decisions"]}
    assert kinds == {"move", "exchange"}
    (due,) = cli("moves", SPLIT, "--json").json["decisions"]
    assert (due["kind"], due["cell"], due["steps"]) == ("distribution", "d6", [])


def test_moves_of_a_finished_game(cli: Cli) -> None:
    assert cli("moves", OVER).out == f"{OVER}\nstandard: blue has won (no_decision)\n"


# ---- perft -----------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", ["decision", "turn"])
def test_perft(cli: Cli, unit: str) -> None:
    start = cf.Position.start()
    for depth in range(4):
        done = cli("perft", depth, "--unit", unit)
        assert done.out == f"{cf.perft(start, depth, unit)}\n"
    document = cli("perft", 3, "--unit", unit, "--threads", 2, "--json").json
    assert document.pop("seconds") >= 0
    assert document == {
        "cfen": start.cfen,
        "rules": "standard",
        "depth": 3,
        "unit": unit,
        "threads": 2,
        "nodes": cf.perft(start, 3, unit),
        "expected": None,
        "divide": None,
    }


def test_perft_divide(cli: Cli) -> None:
    position = cf.Position.start(cf.Rules(wrap=False)).apply("a5NE")
    counts = cf.divide(position, 2)
    words = ("perft", 2, "--rules", "wrap=no", "--play", "a5NE", "--divide")
    lines = [line.split() for line in cli(*words).out.splitlines()]
    assert lines[:-1] == [[str(move), str(count)] for move, count in counts.items()]
    assert lines[-1] == ["total", str(sum(counts.values()))]
    document = cli(*words, "--json").json
    assert document["divide"] == {str(move): count for move, count in counts.items()}


def test_perft_that_is_not_as_expected_prints_the_divide(cli: Cli) -> None:
    assert cli("perft", 2, "--expect", 2114).out == "2114\n"
    done = cli("perft", 2, "--expect", 2115, code=1)
    assert done.out == cli("perft", 2, "--divide").out
    assert "perft 2 is 2114, expected 2115" in done.err
    document = cli("perft", 2, "--expect", 2115, "--json", code=1).json
    assert (document["nodes"], document["expected"]) == (2114, 2115)
    assert len(document["divide"]) == 46
    assert cli("perft", 0, "--expect", 1).out == "1\n"
    assert cli("perft", 0, "--expect", 2, code=1).out == "1\n"


# ---- playout ---------------------------------------------------------------------------------


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


# ---- convert ---------------------------------------------------------------------------------


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """Five random games with names and comments, in the text format."""
    path = tmp_path / "games.txt"
    with RecordWriter(path) as writer:
        for index in range(5):
            game = playout_game(cf.Position.start(), index)
            writer.write(game.to_record(red="Ann", blue="Bén", comment=f"game {index}"))
    return path


def test_convert_between_our_formats(cli: Cli, records: Path, tmp_path: Path) -> None:
    done = cli("convert", records, tmp_path / "games.jsonl")
    assert (done.out, done.err) == ("", "5 records written\n")
    cli("convert", tmp_path / "games.jsonl", tmp_path / "packed.jsonl.gz")
    cli("convert", tmp_path / "packed.jsonl.gz", tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_bytes() == records.read_bytes()
    packed = (tmp_path / "packed.jsonl.gz").read_bytes()
    assert gzip.decompress(packed) == (tmp_path / "games.jsonl").read_bytes()
    assert packed[4:8] == bytes(4)  # no time, so that it is always the same
    assert cli("convert", records, "-").out == records.read_text(encoding="utf-8")
    as_json = cli("convert", records, "-", "--to", "json").out
    assert as_json == (tmp_path / "games.jsonl").read_text(encoding="utf-8")


def test_convert_in_place(cli: Cli, records: Path) -> None:
    before = records.read_bytes()
    records.chmod(0o640)
    cli("convert", records, records)
    assert records.read_bytes() == before
    assert records.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("notation", ["abstractplay", "chase-ai"])
def test_convert_lists_of_turns(cli: Cli, tmp_path: Path, notation: str) -> None:
    games = [["a5NE", "i5SE"], ["a1=2,a2=1", "i8=1,i9=2", "a5NW"], ["a1E"]]
    source, turns = tmp_path / "games.txt", tmp_path / "turns.txt"
    with RecordWriter(source) as writer:
        for game in games:
            writer.write(cf.Game.from_moves(game))
    cli("convert", source, turns, "--to", notation)
    text = turns.read_text(encoding="utf-8")
    assert [len(part.splitlines()) for part in text.strip().split("\n\n")] == [2, 3, 1]
    cli("convert", turns, tmp_path / "back.txt", "--from", notation)
    assert (tmp_path / "back.txt").read_bytes() == source.read_bytes()
    # Blank lines anywhere, CR LF, no line end at the end; under other rules.
    turns.write_text("\r\n\r\n" + text.strip().replace("\n", "\r\n"), newline="")
    cli("convert", turns, tmp_path / "other.txt", "--from", notation, "--rules", "reserve=3")
    found = list(read_records(tmp_path / "other.txt"))
    assert [[str(move) for move in record.moves] for record in found] == games
    assert {str(record.rules) for record in found} == {"reserve=3"}


def test_convert_whole_games_through_abstractplay(cli: Cli, records: Path, tmp_path: Path) -> None:
    cli("convert", records, tmp_path / "turns.txt", "--to", "abstractplay")
    cli("convert", tmp_path / "turns.txt", tmp_path / "back.txt", "--from", "abstractplay")
    for found, record in zip(
        read_records(tmp_path / "back.txt"), read_records(records), strict=True
    ):
        assert found.moves == record.moves
        assert found.outcome == record.outcome


def test_convert_stops_at_a_bad_record(cli: Cli, records: Path, tmp_path: Path) -> None:
    records.write_text(records.read_text(encoding="utf-8").replace("1. ", "1. a1SE ", 1))
    target = tmp_path / "out.jsonl"
    target.write_text("as it was")
    done = cli("convert", records, target, code=1)
    assert f"{records}:" in done.err
    assert "a1SE" in done.err
    assert "was not written" in done.err
    assert target.read_text() == "as it was"
    assert sorted(tmp_path.iterdir()) == [records, target]


def test_convert_skips_bad_records(cli: Cli, records: Path, tmp_path: Path) -> None:
    parts = records.read_text(encoding="utf-8").split("\n\n[")
    parts[1] = parts[1].replace('[Rules "standard"]', '[Rules "nonsense"]')
    parts[3] = parts[3].replace("1. ", "2. ", 1)
    records.write_text("\n\n[".join(parts))
    target = tmp_path / "out.jsonl"
    done = cli("convert", records, target, "--skip-bad", code=1)
    assert done.err.count(f"chase-fast: {records}:") == 2
    assert "3 records written, 2 bad" in done.err
    assert [record.comment for record in read_records(target)] == ["game 0", "game 2", "game 4"]
    document = cli("convert", records, target, "--skip-bad", "--json", code=1).json
    reasons = document.pop("reasons")
    assert document == {"records": 5, "written": 3, "bad": 2}
    lines = records.read_text(encoding="utf-8").splitlines()
    assert "nonsense" in lines[reasons[0]["line"] - 1]
    assert "turn number 2, expected 1" in reasons[1]["reason"]


def test_convert_skips_what_the_target_cannot_say(cli: Cli, tmp_path: Path) -> None:
    source, target = tmp_path / "games.txt", tmp_path / "turns.txt"
    with RecordWriter(source) as writer:
        writer.write(cf.Game(cf.Position.parse(SPLIT)))
        writer.write(cf.Game.from_moves(["a5NE"]))
    done = cli("convert", source, target, "--to", "chase-ai", "--skip-bad", code=1)
    assert f"{source}: record 1: the game does not begin at the start" in done.err
    assert target.read_text() == "A5-F8\n\n"


def test_convert_names_the_line_of_a_bad_turn(cli: Cli, tmp_path: Path) -> None:
    source, target = tmp_path / "turns.txt", tmp_path / "out.txt"
    source.write_bytes(b"a5-f8\nnonsense\ni5-d8\n\na5-f8\n\n\xff\n\na1-a2E\na5-f8\n")
    words = ("convert", source, target, "--from", "abstractplay")
    done = cli(*words, "--skip-bad", code=1)
    assert f"{source}:2: turn 2: " in done.err
    assert f"{source}:7: not UTF-8" in done.err
    assert f"{source}:10: turn 2: " in done.err
    assert "1 record written, 3 bad" in done.err
    assert f"{source}:2: turn 2: " in cli(*words, code=1).err


def test_convert_a_damaged_file(cli: Cli, records: Path, tmp_path: Path) -> None:
    packed = tmp_path / "games.txt.gz"
    packed.write_bytes(gzip.compress(records.read_bytes())[:-200])
    for words in ((), ("--from", "abstractplay")):
        done = cli("convert", packed, tmp_path / "out", "--skip-bad", *words, code=1)
        assert "damaged or truncated gzip data" in done.err


def test_convert_nothing(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("\n \n")
    for words in ((), ("--from", "chase-ai")):
        done = cli("convert", tmp_path / "empty.txt", tmp_path / "out.txt", *words)
        assert done.err == "0 records written\n"
        assert (tmp_path / "out.txt").read_text() == ""


# ---- rules -----------------------------------------------------------------------------------


def test_rules_lists_everything(cli: Cli) -> None:
    out = cli("rules").out
    for name in (*cf.Rules.FIELDS, *cf.Rules.PRESETS):
        assert any(line.split()[:1] == [name] for line in out.splitlines()), name
    document = cli("rules", "--json").json
    assert list(document["options"]) == list(cf.Rules.FIELDS)
    assert document["presets"] == cf.Rules.PRESETS
    for field, value in cf.Rules().as_dict().items():
        assert document["options"][field]["default"] == value_text(value)


def test_every_option_and_value_is_explained() -> None:
    assert list(OPTIONS) == list(cf.Rules.FIELDS)
    assert list(PRESETS) == list(cf.Rules.PRESETS)
    for field, option in OPTIONS.items():
        if None in option.meanings:
            continue
        assert set(option.values) == set(option.meanings)
        for value in option.values:
            rules = cf.Rules.parse(f"{field}={value}")
            assert value_text(getattr(rules, field)) == value
            assert meaning(field, value)
    assert meaning("reserve", "1") == "each side starts with 1 spare die"
    assert meaning("reserve", "16") == "each side starts with 16 spare dice"


def test_rules_explains_a_set(cli: Cli) -> None:
    rules = cf.Rules.parse("russian,reserve=0")
    done = cli("rules", "russian,reserve=0")
    assert done.out.startswith(f"{rules}\n")
    assert rules.digest in done.out
    assert cf.Position.start(rules).cfen in done.out
    changed = [line.split()[0] for line in done.out.splitlines() if "  * " in line]
    assert changed == ["reserve", "chain"]
    assert done == cli("rules", "--rules", "russian,reserve=0")
    assert cli("rules", "chain=yes").out.startswith("chain=yes (called russian)\n")
    (document,) = cli("rules", "russian,reserve=0", "--json").json
    assert document["rules"] == str(rules)
    assert document["options"]["chain"] == "yes"
    assert document["total"] == 25
    assert document["digest"] == rules.digest
    assert list(document["meanings"]) == list(cf.Rules.FIELDS)


def test_rules_explains_options(cli: Cli) -> None:
    out = cli("rules", "handout", "reserve").out
    assert "handout=lowest, the default: pips due go to a die of the lowest value" in out
    assert "handout=any: " in out
    assert "reserve=0 to 16" in out
    documents = cli("rules", "handout", "standard", "--json").json
    assert documents[0] == {
        "option": "handout",
        "default": "lowest",
        "values": ["lowest", "any"],
        "about": OPTIONS["handout"].about,
    }
    assert documents[1]["rules"] == "standard"


# ---- bench -----------------------------------------------------------------------------------


def test_the_signature_is_the_committed_one(cli: Cli) -> None:
    committed = int((GOLDEN / "bench_signature.txt").read_text())
    document = cli("bench", "--signature", "--json", "--expect", committed).json
    assert document["signature"] == committed == sum(part["total"] for part in document["parts"])
    assert document["speeds"] == []
    assert cli("bench", "--signature").out == f"{committed}\n"
    done = cli("bench", "--signature", "--expect", committed + 1, code=1)
    assert f"the signature is {committed}, expected {committed + 1}" in done.err


def test_the_signature_does_not_depend_on_the_instruction_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parts = signature_parts()
    for isa in cf.available_isas():
        monkeypatch.setenv("CHASE_FAST_ISA", isa)
        assert signature_parts() == parts


def test_the_signature_knows_every_option() -> None:
    rules = [cf.Rules.parse(part.rules) for part in signature_parts()]
    for field in cf.Rules.FIELDS:
        assert len({getattr(one, field) for one in rules}) > 1, field
    # Games and searches of this size do not tell reserves of 6 and 16 apart, nor moves from none.
    assert len({part.total for part in signature_parts()}) == len(rules) - 2
    assert set(BENCH_RULES) <= {part.rules for part in signature_parts()}


def test_bench_measures(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from chase_fast.cli import bench

    monkeypatch.setattr(bench, "QUICK", bench.Load(depth=2, games=20, repeats=2))
    words = ("bench", "--quick", "-r", "standard", "-r", "reserve=0")
    document = cli(*words, "--json").json
    games = cf.playouts(cf.Position.start(), 20)
    first, second = document["speeds"]
    assert (first["rules"], second["rules"]) == ("standard", "reserve=0")
    assert first["nodes"] == 2114
    assert first["games"] == 20
    assert first["decisions"] == games.decisions.sum()
    assert first["options"] == games.options.sum()
    assert first["perft_seconds"] > 0
    assert first["playout_seconds"] > 0
    done = cli(*words, "--threads", 2)
    assert done.out.splitlines()[-1] == f"signature {document['signature']}"
    assert "2 threads" in done.out
    assert "reserve=0" in done.out


# ---- All of them -----------------------------------------------------------------------------


@pytest.mark.parametrize(("commit", "told"), [("", ")"), ("abc-dirty", ", commit abc-dirty)")])
def test_version(cli: Cli, monkeypatch: pytest.MonkeyPatch, commit: str, told: str) -> None:
    monkeypatch.setattr("chase_fast.cli.app.commit", lambda: commit)
    out = cli("--version").out
    python = ".".join(map(str, sys.version_info[:3]))
    assert out == (f"chase-fast {cf.__version__} (core: {cf.Rules().isa}, Python {python}{told}\n")


@pytest.mark.parametrize(
    "command", ["", "show", "moves", "perft", "playout", "convert", "rules", "bench"]
)
def test_help_fits_into_80_columns(cli: Cli, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    out = cli(*([command] if command else []), "-h").out
    assert out.startswith(f"Usage: chase-fast {command}".rstrip())
    assert max(map(len, out.splitlines())) <= 80
    if command:
        assert "--rules" in out
        assert "--json" in out


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
)
def test_colours_away_from_a_terminal(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], coloured: bool
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    for command in ("show", "moves", "rules"):
        assert ("\x1b[" in cli(command).out) == coloured


WRONG = [
    ((), "Usage: chase-fast"),
    (("nonsense",), "No such command 'nonsense'"),
    (("show", "--nonsense"), "No such option: --nonsense"),
    (("show", "--rules", "nonsense"), "standard, rulebook, russian, wikipedia"),
    (("moves", "--rules", "reserve=17"), "a number from 0 to 16"),
    (("perft", "1", "--rules", ""), "--rules"),
    (("show", "abc"), "at offset 3 in row i, which has 3 of 9 cells"),
    (("show", "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA x"), "'x' at offset 34"),
    (("show", "abcdedcba/9/9/9/4A4/9/9/9/ABCDEDCBA r"), "e5"),
    (("show", "abcdedcba/9/9/9/9/9/9/9/ABCDEDC2 r - 9/9"), "red has"),
    (("show", "--play", "a1SE"), "a1SE: a1 is on an end row"),
    (("show", "--play", "a1QQ"), "expected a direction (E, NE, NW, W, SW, SE)"),
    (("show", "--play", "é"), "--play"),
    (("show", OVER, "--play", "a1NE"), "--play"),
    (("show", "--orientation", "green"), "'red', 'blue'"),
    (("show", "--theme", "mauve"), "'auto', 'light', 'dark'"),
    (("show", "--theme", "dark"), "--theme: needs --svg FILE"),
    (("show", "--size", "640", "--json"), "--size: needs --svg FILE"),
    (("show", "--ascii", "--svg", "board.svg"), "--ascii: is for the board as text"),
    (("show", "--svg", "my.board.png"), "ends in .png, but what is written is SVG; expected"),
    (("show", "--svg", "a/board.JPG"), "such as 'board.svg', or - for standard output"),
    (("show", "--svg", "board.svgz"), "ends in .svgz"),
    (("show", "--play", "a5NE,i5SE"), "in --play 'a5NE i5SE'"),
    (("show", "--play", "a1=2,a2=1;i5SE"), "in --play 'a1=2,a2=1 i5SE'"),
    (("show", "--play", "1. A5ne 2.i5SE STOP"), "in --play 'a5NE i5SE stop'"),
    (("show", "--play", "+A1"), "in --play '+a1'"),
    (("moves", "--play", "a5NE", "i5SE"), "'i5SE' is no position; decisions are made with --play"),
    (("moves", "--play", "a5NE", "i5SE"), "--play 'a5NE i5SE'"),
    (("show", "a5NE", "i5SE"), "decisions are made with --play 'a5NE i5SE'"),
    (("perft", "--play", "a5NE", "i5SE", "3"), "DEPTH: 'i5SE', expected an integer from 0 to 64"),
    (("perft", "--play", "a5NE", "i5SE", "3"), "several decisions need quotes: --play 'a5NE i5SE'"),
    (("show", "--size", "1", "--svg", "-"), "--size: '1', expected an integer from 64 to 8192"),
    (("show", "--svg", "/nowhere/board.svg"), "cannot write '/nowhere/board.svg': No such"),
    (("show", "--svg", "."), "cannot write '.': Is a directory"),
    (("show", "--svg", "a\0b"), "--svg"),
    (("show", "--svg", "-", "--json"), "cannot share standard output"),
    (("perft",), "Missing argument 'DEPTH'"),
    (("perft", "two"), "DEPTH: 'two', expected an integer from 0 to 64 in decimal digits"),
    (("perft", "65"), "for DEPTH: '65', expected an integer from 0 to 64"),
    (("perft", "0", "--divide"), "for DEPTH: '0', expected an integer from 1 to 64"),
    (("perft", "1", "--unit", "moves"), "for '--unit': 'moves' is not one of 'decision', 'turn'"),
    *(
        (
            (*words, "-r", "russian", "--rules", "russian"),
            "--rules: given 2 times, but this command",
        )
        for words in (
            ("show",),
            ("moves",),
            ("perft", "1"),
            ("convert", "-", "-", "--from", "chase-ai"),
        )
    ),
    (("perft", "1", "--threads", "0"), "for --threads: '0', expected an integer from 1 to 1024"),
    (("playout", "0"), "for GAMES: '0', expected an integer from 1 to 1844"),
    (
        ("playout", "1", "--seed", "-1"),
        "for --seed: '-1', expected an integer from 0 to 1844674407370955",
    ),
    (
        ("playout", "2", "--first-game", str(2**64 - 1)),
        "--first-game: '18446744073709551615'",
    ),
    (("playout", "1", "--max-turns", "100001"), "expected an integer from 1 to 100000"),
    (("playout", "1", "--batch", "0"), "for --batch: '0', expected"),
    (("playout", "1", "--threads", "2000"), "for --threads: '2000', expected"),
    (("playout", "1", "--out", "games.parquet"), "ends in none of .npy, .csv, .txt, .jsonl"),
    (("playout", "1", "--out", "/nowhere/games.csv"), "cannot write"),
    (("playout", "1", "-r", "standard", "-r", "russian", "--out", "a.csv"), "one --rules only"),
    (("playout", "1", "-r", "reserve=0", "-r", "x"), "--rules"),
    (("convert", "nowhere.txt", "-"), "cannot read 'nowhere.txt': No such file or directory"),
    (("convert", ".", "-"), "cannot read '.': Is a directory"),
    (("convert", "nowhere.txt"), "Missing argument 'OUT'"),
    (("convert", "-", "-", "--json"), "cannot share standard output"),
    (("convert", "-", "-", "--from", "pgn"), "'auto', 'text', 'json', 'abstractplay', 'chase-ai'"),
    (("convert", "-", "-", "--rules", "russian"), "for --from abstractplay, chase-ai"),
    (("rules", "nonsense"), "there are standard, rulebook, russian, wikipedia, reserve, recycle"),
    (("rules", "reserve=x"), "a number from 0 to 16"),
    (("rules", "standard", "--rules", "chain=maybe"), "yes or no"),
    (("bench", "--rules", "nonsense"), "--rules"),
    (("bench", "--quick", "--threads", "0"), "for --threads: '0', expected"),
]


@pytest.mark.parametrize(("words", "what"), WRONG, ids=lambda value: repr(value)[:60])
def test_what_is_wrong_is_said(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: tuple[str, ...], what: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = cli(*words, code=2)
    assert what in done.err
    assert done.out == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [("show",), ("perft", "1"), ("rules", "russian"), ("--version",)])
def test_a_bad_instruction_set_is_called_that(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setenv("CHASE_FAST_ISA", "abacus")
    program = " ".join(["chase-fast", *words[:1]]) if words[0] != "--version" else "chase-fast"
    done = cli(*words, code=2)
    assert done.err.startswith(f"{program}: CHASE_FAST_ISA is 'abacus', expected one of auto, ")


def test_the_help_names_all_exit_codes(cli: Cli) -> None:
    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    table = page.split("| exit code |")[1].split("\n\n")[0]
    documented = re.findall(r"^\| (\d+) \|", table, re.MULTILINE)
    assert documented == ["0", "1", "2", "130", "141", "143"]
    words = " ".join(cli("--help").out.split())
    said = words.split("Exit codes:")[1].split(" Options:")[0]
    assert re.findall(r"(?:^|,) (\d+) ", said) == documented


def test_a_lack_of_memory_is_said(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from chase_fast.cli import playout

    def greedy(*arguments: object, **options: object) -> object:
        raise MemoryError

    monkeypatch.setattr(playout, "playout_batches", greedy)
    assert cli("playout", 10, code=1).err == "chase-fast playout: not enough memory\n"


INTEGERS = [
    ("perft", "DEPTH", ()),
    ("playout", "GAMES", ()),
    *(("perft", name, ("1",)) for name in ("--expect", "--threads")),
    *(
        ("playout", name, ("1",))
        for name in ("--seed", "--first-game", "--max-turns", "--batch", "--threads")
    ),
    ("show", "--size", ()),
    *(("bench", name, ("--signature",)) for name in ("--expect", "--threads")),
]


@pytest.mark.parametrize(("command", "name", "others"), INTEGERS)
def test_integers_are_plain_decimal_ones(
    cli: Cli, command: str, name: str, others: tuple[str, ...]
) -> None:
    for text in ("2.0", "1_0", " 2", "2 ", "2\n", "1e2", "+2", "0x2", "", "²", "٢", "9" * 5000):
        words = (name, text) if name.startswith("-") else (text,)
        done = cli(command, *others, *words, code=2)
        said = f"chase-fast {command}: Invalid value for {name}: {reprlib.repr(text)}, expected an "
        assert done.err.startswith(f"{said}integer from ")
        assert done.out == ""


def test_hints_are_given_where_they_help(cli: Cli) -> None:
    for text in ("a5NE i5SE a1SE", "a1QQ", "a5NE+i5SE"):
        assert "in --play" not in cli("show", "--play", text, code=2).err
    endless = ",".join(["a5NE", "i5SE"] * 500)
    assert "in --play 'a5NE i5SE'\n" in cli("show", "--play", endless, code=2).err


def test_a_syntax_error_is_pointed_at(cli: Cli) -> None:
    lines = cli("show", "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBAx r", code=2).err.splitlines()
    assert lines[2].index("^") == lines[1].index("x r")
    assert lines[-1] == "See 'chase-fast show --help'."


def test_all_faults_of_a_position_are_listed(cli: Cli) -> None:
    position = "Abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 0/0"
    with pytest.raises(cf.InvalidPositionError) as caught:
        cf.Position.parse(position)
    assert len(caught.value.reasons) > 1
    error = cli("show", position, code=2).err
    assert all(reason in error for reason in caught.value.reasons)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"), (7, "7"), (0.25, "0.25"), (9.996, "10.0"), (12.34, "12.3"), (999.4, "999"),
        (999.6, "1.00 k"), (4302438, "4.30 M"), (45_000, "45.0 k"), (6.5e8, "650 M"),
        (2e15, "2000 T"),
    ],
)  # fmt: skip
def test_numbers_with_prefixes(number: float, text: str) -> None:
    assert si(number) == text


def test_counters_of_the_core_are_all_there() -> None:
    assert set(COUNTERS) | {"winner", "termination"} == set(cf.GAME_DTYPE.names or ())
