"""What all commands have in common: their help, colours, and what they refuse."""

from __future__ import annotations

import re
import reprlib
import sys
from pathlib import Path

import pytest

import chase_fast as cf
from chase_fast.cli.output import si
from chase_fast.tally import COUNTERS
from tests.unit.command_line import OVER, Cli


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
