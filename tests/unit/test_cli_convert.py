"""The command convert, beside what the library reads and writes."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import chase_fast as cf
from chase_fast.record import RecordWriter, read_records
from chase_fast.replay import playout_game
from tests.unit.command_line import SPLIT, Cli


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
