"""Programs as players, and this engine as such a program."""

from __future__ import annotations

import io
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import chase_fast as cf
from chase_fast.agents import PlayerError, PlayerSpec, make_player
from chase_fast.agents.external import ExternalAgent
from chase_fast.agents.protocol import Engine, parse_score, run_engine, score_text
from chase_fast.match import play_match
from chase_fast.simulate import play_game
from tests.unit.engines import ANSWER, BAD, gone, program, stubborn

OURS = shlex.join([sys.executable, "-m", "chase_fast", "engine"])


def spec(command: str, **options: Any) -> PlayerSpec:
    return PlayerSpec._of("ext", {"cmd": command, **options})


def wait_for(condition: Callable[[], bool]) -> None:
    """Waits until something is so; what never is so fails."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


# ---- Programs ----------------------------------------------------------------------------------


def test_a_program_plays_a_game() -> None:
    with make_player(spec(program())) as player, make_player("random") as other:
        assert isinstance(player, ExternalAgent)
        assert player.name == "test engine"
        result = play_game(cf.Game(), player, other, seed=1, max_turns=30)
    assert result is not None
    assert result.outcome.termination in ("dice", "turn_limit")
    assert not result.fault


@pytest.mark.parametrize("name", BAD)
def test_a_bad_program_loses_that_game_and_is_started_again(name: str) -> None:
    termination, parts = BAD[name]
    if "start" in parts:
        with pytest.raises(PlayerError) as caught:
            make_player(spec(program(**parts)))
        assert caught.value.termination == termination
        return
    bad = spec(program(**parts), timeout=0.5)
    with make_player(bad) as player, make_player("random") as other:
        assert isinstance(player, ExternalAgent)
        for seed in range(2):
            result = play_game(cf.Game(), other, player, seed=seed, max_turns=30)
            assert result is not None
            assert result.outcome == cf.Outcome(cf.RED, termination)
            assert "test engine (decision" in result.fault
            assert player._process is None


def test_what_a_program_said_last_is_told() -> None:
    go = BAD["exits at a decision"][1]["go"]
    with make_player(spec(program(go=go))) as player, make_player("random") as other:
        result = play_game(cf.Game(), player, other, seed=0, max_turns=30)
    assert result is not None
    assert "exit status 4" in result.fault
    assert "sorry" in result.fault


def test_nothing_of_a_program_is_left(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    stubborn = (
        f"child = subprocess.Popen(['sleep', '300']); open({str(pids)!r}, 'w').write("
        "f'{child.pid} {os.getpid()}'); signal.signal(signal.SIGTERM, signal.SIG_IGN)"
    )
    player = make_player(spec(program(start=stubborn, quit="time.sleep(300)")))
    player.close()
    assert all(gone(int(pid)) for pid in pids.read_text().split())


def test_a_program_ends_with_who_plays_even_if_that_is_killed(tmp_path: Path) -> None:
    code = (
        "import sys; from chase_fast.match import play_match; "
        "play_match('random', sys.argv[1], pairs=1)"
    )
    text = str(spec(stubborn(tmp_path), timeout=3600.0))
    with subprocess.Popen([sys.executable, "-c", code, text]) as playing:
        try:
            wait_for((tmp_path / "pids").exists)
            pids = [int(word) for word in (tmp_path / "pids").read_text().split()]
            assert not any(map(gone, pids))
        finally:
            playing.kill()
    wait_for(lambda: all(map(gone, pids)))


@pytest.mark.parametrize("command", ["", "'unclosed", "/does/not/exist", "\x00"])
def test_commands_that_do_not_start(command: str) -> None:
    with pytest.raises(PlayerError) as caught:
        ExternalAgent(PlayerSpec("ext", (("cmd", command),)), cf.Rules())
    assert caught.value.termination == "crash"


def test_no_shell_runs_a_command(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    with pytest.raises(PlayerError):
        make_player(spec(f"true; touch {marker}"))
    with pytest.raises(PlayerError):
        make_player(spec(f"true $(touch {marker})"))
    assert not marker.exists()


def test_a_match_goes_on_after_faults() -> None:
    flaky = program(go="os._exit(1) if go == 3 else " + ANSWER)
    result = play_match("random", spec(flaky), pairs=3, workers=2, max_turns=40)
    assert result.games == 6
    assert result.terminations["crash"] == 6
    assert result.wins == 6


# ---- This engine -------------------------------------------------------------------------------


def test_the_engine_plays_as_the_player_does_within() -> None:
    texts = ["ab:nodes=500,seed=3", "mcts:sims=40,seed=3", "greedy:seed=3", "random:seed=3"]
    for text in texts:
        command = f"{OURS} --player {text}"
        with (
            make_player(spec(command)) as outside,
            make_player(text) as inside,
            make_player("random:seed=8") as other,
        ):
            games = [
                play_game(cf.Game(), player, other, seed=6, max_turns=12)
                for player in (outside, inside)
            ]
        assert games[0] is not None and games[1] is not None
        assert games[0].fault == ""
        assert games[0].game == games[1].game


def converse(*commands: str, player: str = "ab:nodes=300") -> list[str]:
    out: list[str] = []
    engine = Engine(out.append, player)
    for command in commands:
        if not engine.command(command):
            break
        if engine._search is not None and "stop" not in commands:
            engine._search.join()
    engine.close()
    return out


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("hello", "unknown command 'hello', expected chase, isready"),
        ("rules reserve=99", "reserve"),
        ("position", "expected: position start|cfen"),
        ("position start moves a1XX", "offset"),
        ("position start moves a1NE a1NE", "a1"),
        ("position cfen 9/9 r", "offset"),
        ("go nodes", "nodes is '', expected an integer from 0"),
        ("go nodes 0", "nodes must be at least 1"),
        ("go nodes -5", "nodes is '-5', expected"),
        ("go depth 65", "depth is '65', expected an integer from 0 to 64"),
        ("go nodes 5 nodes 6", "nodes is given twice"),
        ("go fast", "unknown word 'fast', expected nodes"),
        ("go sims 5 depth 2 lines 0", "lines must be at least 1"),
        ("setoption name hash value 0", "hash is '0', expected an integer from 1"),
        ('setoption name player value ext:cmd="x"', "cannot be another program"),
        ("setoption hash 5", "expected: setoption name NAME value VALUE"),
        ("setoption name colour value 5", "unknown option 'colour', expected player, hash"),
        ("newgame side green", "side is 'green', expected red or blue"),
        ("newgame seed x", "seed is 'x', expected an integer"),
        ("x" * 2_000_000, "a line may have"),
    ],
)
def test_wrong_commands_are_answered_and_change_nothing(command: str, words: str) -> None:
    out = converse("position start moves a5NE", command, "go nodes 300")
    errors = [line for line in out if line.startswith("info string error: ")]
    assert len(errors) == 1
    assert words in errors[0]
    expected = converse("position start moves a5NE", "go nodes 300")
    assert out[-1] == expected[-1] != "bestmove none"


def test_answers() -> None:
    out = converse("chase", "isready", "go nodes 300 lines 3")
    assert out[0].startswith("id name Chase Fast")
    assert out[out.index("chaseok") + 1] == "readyok"
    assert out[-1].startswith("bestmove ")
    assert {line.split()[4] for line in out if line.startswith("info depth")} == {"1", "2", "3"}


def test_a_finished_game_has_no_best_move() -> None:
    game = cf.Game()
    while game.outcome is None:
        game.push(game.legal_moves[0])
    moves = " ".join(map(str, game.moves))
    assert converse(f"position start moves {moves}", "go")[-1] == "bestmove none"


def test_rules_are_those_of_the_position() -> None:
    out = converse("rules reserve=0,setup=666666666", "go depth 1")
    start = cf.Position.start(cf.Rules.parse("reserve=0,setup=666666666"))
    assert out[-1].split()[1] in map(str, start.legal_moves)


def test_stop_and_isready_are_heard_during_a_search() -> None:
    with subprocess.Popen(
        shlex.split(OURS), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdin is not None and child.stdout is not None
        child.stdin.write("go infinite\nisready\n")
        child.stdin.flush()
        while child.stdout.readline() != "readyok\n":
            pass
        child.stdin.write("stop\nquit\n")
        child.stdin.flush()
        lines = child.stdout.read().splitlines()
    assert lines[-1].startswith("bestmove ")
    assert child.returncode == 0


def test_the_end_of_the_input_and_a_closed_pipe_end_it() -> None:
    out = io.StringIO()
    run_engine(io.StringIO("go infinite\n"), out)
    assert out.getvalue().splitlines()[-1].startswith("bestmove ")
    done = subprocess.run(
        f"{OURS} < /dev/null | head -c 0", shell=True, capture_output=True, check=False
    )
    assert done.stderr == b""


@pytest.mark.parametrize("score", [0, 5, -1234, 30999, 31000, 31999, -31990])
def test_scores_read_back(score: int) -> None:
    words = score_text(score).split()
    assert parse_score([*words, "nodes"]) == (score, len(words))


@pytest.mark.parametrize("words", [[], ["x"], ["win"], ["win", "-1"], ["win", "1001"], ["31500"]])
def test_scores_that_are_none(words: list[str]) -> None:
    with pytest.raises(ValueError):
        parse_score(words)
