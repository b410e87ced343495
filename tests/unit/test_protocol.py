"""The engine's side of the protocol, against input of any kind."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chase_fast as cf
from chase_fast.agents import make_player
from chase_fast.agents.protocol import Engine, run_engine
from chase_fast.agents.weights import WeightsError

ENGINE = [sys.executable, "-m", "chase_fast", "engine"]
DOCUMENT = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")
ERROR = "info string error: "


class Talk:
    """An engine and what it has said; the searches are waited for."""

    def __init__(self, player: str = "ab:nodes=300") -> None:
        self.said: list[str] = []
        self.engine = Engine(self.said.append, player)

    def __call__(self, *commands: str) -> list[str]:
        """What it says to some commands."""
        begin = len(self.said)
        for command in commands:
            assert self.engine.command(command)
            if self.engine._search is not None:
                self.engine._search.join()
        return self.said[begin:]


def run(text: bytes, *options: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*ENGINE, *options], input=text, capture_output=True, check=False, timeout=600,
        env={**os.environ, **environment},
    )  # fmt: skip


# ---- Turn limits and finished games ------------------------------------------------------------


@pytest.mark.parametrize("moves", ["a5NE i5SE", "a5NE i5SE a1=2,a2=1 i1=2,i2=1"])
def test_a_game_at_its_turn_limit_is_over(moves: str) -> None:
    talk = Talk()
    legal = cf.Game.from_moves(moves.split()).legal_moves
    assert talk("newgame maxturns 2", f"position start moves {moves}", "go") == ["bestmove none"]
    answer = talk("newgame maxturns 5", f"position start moves {moves}", "go")[-1]
    assert answer.removeprefix("bestmove ") in map(str, legal)


def test_a_turn_of_several_decisions_is_asked_for_one_by_one() -> None:
    rules = cf.Rules.parse("chain=yes")
    game = cf.Game(cf.Position.parse("fefdB3d/1F7/9/9/5BD2/A8/9/9/3CD3C b", rules))
    side = game.position.side_to_act
    game.push("i4SE")
    assert game.position.side_to_act == side  # or this test asks for nothing
    talk = Talk()
    talk("rules chain=yes")
    moves = ["i4SE"]
    while game.position.side_to_act == side:
        answer = talk(f"position cfen {game.start.cfen} moves {' '.join(moves)}", "go")[-1]
        moves.append(answer.removeprefix("bestmove "))
        game.push(moves[-1])


# ---- Wrong input -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("go movetime 1000000000000000", "movetime is '1000000000000000', expected an integer"),
        ('setoption name player value ab:weights="none.json"', "weight file 'none.json'"),
        ("setoption name hash value 1048576", "this machine has"),
        ("setoption name threads value 257", "threads is '257', expected an integer from 1 to 256"),
        ("newgame maxturns x", "maxturns is 'x'"),
        ("newgame seed 18446744073709551616", "expected an integer from 0 to 18446744073709551615"),
    ],
)
def test_what_is_refused_changes_nothing(command: str, words: str) -> None:
    talk = Talk()
    before = talk("newgame seed 3", "position start", "go")[-1]
    answers = talk(command)
    assert len(answers) == 1
    assert answers[0].startswith(ERROR)
    assert words in answers[0]
    assert talk("newgame seed 3", "position start", "go")[-1] == before


@pytest.mark.parametrize("kind", ["random", "greedy"])
def test_a_player_without_limits_says_so(kind: str) -> None:
    talk = Talk(kind)
    assert talk("go nodes 5") == [f"{ERROR}a player of {kind} has no limits"]
    assert talk("go")[-1].startswith("bestmove ")


@pytest.mark.parametrize("size", [(1 << 20) + 2, 3 << 20])
def test_the_rest_of_a_line_that_is_too_long_is_no_command(size: int) -> None:
    out = io.StringIO()
    # Where a reader that goes by the longest line cuts it, a command begins.
    line = "x\t\t" + "quit\t" * (size // 5) + "quit"
    run_engine(io.StringIO(line + "\nisready\n"), out)
    error, ready = out.getvalue().splitlines()
    assert "a line may have 1048576 characters" in error
    assert ready == "readyok"


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_bytes_that_are_no_text_are_a_wrong_command(encoding: str) -> None:
    done = run(b"\xff\xfe\n\xc3\xa9t\xc3\xa9\n\x00\x1b[2J\nisready\r\n", PYTHONIOENCODING=encoding)
    lines = done.stdout.splitlines()
    assert [line[: len(ERROR)] for line in lines[:-1]] == [ERROR.encode()] * 3
    assert lines[-1] == b"readyok"
    assert b"\x1b" not in done.stdout
    assert (done.returncode, done.stderr) == (0, b"")


VOCABULARY = (
    "chase isready newgame rules position setoption go stop seed side red maxturns start cfen "
    "moves name value player hash threads nodes sims depth movetime infinite lines 0 1 2 5 -1 "
    "99999999999999999999999 a5NE i5SE e5E random greedy ab:nodes=50 mcts:sims=5 reserve=0 "
    "standard"
)
WORDS = st.sampled_from(VOCABULARY.split())
SOUP = st.lists(WORDS | st.text(max_size=6), max_size=7).map(" ".join)
NOTHING = st.just("")
BEGIN = st.sampled_from(
    ["newgame", "newgame maxturns 1", "newgame seed 5 side blue", "rules chain=yes",
     "setoption name player value random", "setoption name player value mcts:sims=5",
     "setoption name player value ab:nodes=40", "setoption name threads value 2", "stop"]
)  # fmt: skip
POSITION = st.sampled_from(
    ["position start", "position start moves a5NE", "position start moves a5NE i5SE"]
)
GO = st.sampled_from(["go", "go nodes 20", "go lines 3", "go infinite", "go depth 1"])
ROUND = st.tuples(NOTHING | BEGIN | SOUP, NOTHING | POSITION, GO | SOUP)


@given(st.lists(ROUND, max_size=8))
@settings(max_examples=150, deadline=None)
def test_every_go_that_is_not_refused_has_one_best_move(rounds: list[tuple[str, ...]]) -> None:
    said: list[str] = []
    engine = Engine(said.append, "ab:nodes=50")
    asked = 0
    for line in chain.from_iterable(rounds):
        refused = sum(answer.startswith(ERROR) for answer in said)
        engine.command(line)
        now = sum(answer.startswith(ERROR) for answer in said)
        asked += line.split()[:1] == ["go"] and now == refused
        assert now <= refused + 1
    engine.close()
    assert sum(answer.startswith("bestmove ") for answer in said) == asked
    assert all("\n" not in answer for answer in said)


# ---- Searching ---------------------------------------------------------------------------------


@pytest.mark.parametrize("player", ["greedy", "random", "ab:nodes=100"])
def test_an_infinite_search_answers_when_it_is_stopped(player: str) -> None:
    said: list[str] = []
    engine = Engine(said.append, player)
    engine.command("go infinite")
    assert engine._search is not None
    engine._search.join(0.3)  # these have found all there is to find, or go on
    assert not [line for line in said if line.startswith("bestmove")]
    engine.command("stop")
    assert said[-1].startswith("bestmove ")


def test_a_search_is_ended_by_the_next_command() -> None:
    said: list[str] = []
    engine = Engine(said.append, "ab:nodes=300")
    engine.command("go infinite")
    engine.command("position start moves a5NE")
    first = [line for line in said if line.startswith("bestmove ")]
    assert len(first) == 1
    engine.command("go nodes 200")
    engine.close()
    assert said[-1].removeprefix("bestmove ") in map(str, cf.Game.from_moves(["a5NE"]).legal_moves)


@pytest.mark.parametrize("go", ["go", "go lines 2", "go infinite"])
def test_the_way_of_a_search_is_told(go: str) -> None:
    said: list[str] = []
    engine = Engine(said.append, "ab:nodes=20000")
    engine.command(go)
    engine.close()
    assert any(line.startswith("info depth") for line in said)  # even if stopped at once
    depths = [int(line.split()[2]) for line in Talk("ab:depth=4")("go depth 4")[:-1]]
    assert depths == sorted(depths)
    assert {1, 2, 3, 4} <= set(depths)


def test_the_table_is_kept_within_a_game_alone() -> None:
    talk = Talk()
    first = talk("newgame seed 1", "go nodes 3000")[-2:]
    later = talk("newgame seed 1", "go nodes 3000")[-2:]
    timeless = [re.sub(r"nps \d+ time \d+", "", line) for line in (*first, *later)]
    assert timeless[:2] == timeless[2:]


def test_interrupts_end_the_engine_quietly() -> None:
    with subprocess.Popen(
        ENGINE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdin and child.stdout and child.stderr
        child.stdin.write("go infinite\nisready\n")
        child.stdin.flush()
        while child.stdout.readline() != "readyok\n":
            pass
        child.send_signal(signal.SIGINT)
        child.wait(600)
        assert child.returncode == 130
        assert "Traceback" not in child.stderr.read()


@pytest.mark.parametrize(
    ("player", "words"),
    [
        ('ab:weights="none.json"', b"weight file 'none.json'"),
        ("ab:hash=1048576", b"this machine has"),
        ('ext:cmd="x"', b"not another program"),
        ("chess", b"unknown player 'chess'"),
    ],
)
def test_an_engine_that_cannot_search_does_not_start(player: str, words: bytes) -> None:
    done = run(b"chase\n", "--player", player)
    assert (done.returncode, done.stdout) == (2, b"")
    assert words in done.stderr
    assert b"Traceback" not in done.stderr


# ---- Within Python -----------------------------------------------------------------------------


def test_ctrl_c_ends_an_analysis() -> None:
    # The signal comes when the search has been under way for long, and no report is asked for.
    code = (
        "import os, signal, threading\n"
        "import chase_fast as cf\n"
        "cf.analyse(cf.Position.start(), 'ab:depth=1')\n"
        "interrupt = lambda: os.kill(os.getpid(), signal.SIGINT)\n"
        "threading.Timer(1.0, interrupt).start()\n"
        "cf.analyse(cf.Position.start(), 'ab:depth=64')\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True) as child:
        assert child.stderr
        try:
            child.wait(120)
        finally:
            child.kill()
        assert "KeyboardInterrupt" in child.stderr.read()


def test_a_callers_flag_is_left_alone_by_an_analysis() -> None:
    from chase_fast._core import StopFlag

    flag = StopFlag()
    found = cf.analyse(cf.Position.start(), "ab:nodes=500", stop=flag)
    assert not flag.is_set()
    assert found == cf.analyse(cf.Position.start(), "ab:nodes=500")
    flag.set()
    assert cf.analyse(cf.Position.start(), "ab:depth=64", stop=flag).stopped


def test_threads_that_help_are_silent_about_a_finished_game(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = cf.Game()
    while game.outcome is None:
        game.push(game.legal_moves[0])
    failed: list[Any] = []
    monkeypatch.setattr("threading.excepthook", failed.append)
    with pytest.raises(cf.GameOverError):
        cf.analyse(game, "ab:nodes=100,threads=3")
    assert not failed


def test_weight_files_that_are_no_files(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(WeightsError, match="is no regular file"):
        make_player(f'ab:weights="{pipe}"')


# ---- The document ------------------------------------------------------------------------------


def test_the_document_names_every_command() -> None:
    known = {*Engine(lambda line: None)._commands, "quit"}
    rows = re.findall(r"^\| (`.*?) \|", DOCUMENT, re.MULTILINE)
    named = {match for row in rows for match in re.findall(r"`(\w+)", row)}
    assert named == known


def test_the_example_of_the_document_is_a_conversation() -> None:
    (block,) = re.findall(r"^```\n(> chase\n.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)
    lines = block.splitlines()
    commands = [line[2:] for line in lines if line.startswith("> ")]
    shown = [line for line in lines if not line.startswith("> ")]
    said = Talk("ab:nodes=100000")(*commands)
    # Of the lines that tell how far the search has come the last one is shown.
    infos = [at for at, line in enumerate(said) if line.startswith("info ")]
    said = [line for at, line in enumerate(said) if at not in infos[:-1]]
    moves = commands[-2].partition(" moves ")[2].split()

    def steady(line: str) -> str:
        """The line without what depends on the weights or the clock; its decisions are legal."""
        words = line.split()
        if words[0] not in ("info", "bestmove"):
            return line
        game = cf.Game.from_moves(moves)
        pv = words[words.index("pv") + 1 :] if "pv" in words else words[1:]
        for word in pv:
            if word != "...":
                game.push(word)
        return re.sub(r"\d+", "N", " ".join(words[: len(words) - len(pv)]))

    assert list(map(steady, said)) == list(map(steady, shown))
