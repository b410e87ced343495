"""Programs as players that do what no program should; none of it holds up or harms who plays."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chase_fast as cf
from chase_fast._core import SCORE_WIN, Analysis, Line, StopFlag
from chase_fast.agents import PlayerError, PlayerSpec, make_player
from chase_fast.agents.external import ExternalAgent, _gathered, _info
from chase_fast.agents.protocol import info_lines
from chase_fast.errors import ChaseError
from chase_fast.simulate import play_game
from tests.unit.engines import ANSWER, program

START = cf.Position.start()
FIRST, SECOND = START.legal_moves[:2]
NO_REPETITION = cf.Rules(repetition="none")


def agent(
    options: dict[str, Any] | None = None, rules: cf.Rules | None = None, **parts: str
) -> ExternalAgent:
    """A player that is the program of `engines.program`."""
    spec = PlayerSpec._of("ext", {"cmd": program(**parts), **(options or {})})
    made = make_player(spec, rules)
    assert isinstance(made, ExternalAgent)
    return made


def begin(player: ExternalAgent, game: cf.Game | None = None) -> cf.Game:
    game = game or cf.Game()
    player.new_game(game.start, seed=7, side=cf.RED, max_turns=50)
    return game


def fault(player: ExternalAgent) -> PlayerError:
    """What is wrong with its first decision."""
    with player:
        game = begin(player)
        with pytest.raises(PlayerError) as caught:
            player.choose(game)
        assert player._process is None
    return caught.value


# ---- Programs that hold up ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def long_game() -> cf.Game:
    """A game whose ``position`` is more than a pipe holds."""
    game = cf.Game(rules=NO_REPETITION)
    for _ in range(3000):
        for move in ("a1=2,a2=1", "i1=2,i2=1", "a1=1,a2=2", "i1=1,i2=2"):
            game.push(move)
    return game


def test_a_program_that_does_not_read_loses_by_time(long_game: cf.Game) -> None:
    sleepy = "say('readyok'); time.sleep(1000)"
    with agent({"timeout": 0.5}, NO_REPETITION, newgame=sleepy) as player:
        begin(player, long_game)
        assert player._process is not None
        pid = player._process.child.pid
        with pytest.raises(PlayerError, match="did not read") as caught:
            player.choose(long_game)
    assert caught.value.termination == "time"
    assert not Path(f"/proc/{pid}").exists()


def test_a_flag_ends_the_wait_for_a_program_that_does_not_read(long_game: cf.Game) -> None:
    sleepy = "say('readyok'); time.sleep(1000)"
    stop = StopFlag()
    timer = threading.Timer(0.3, stop.set)
    with agent({"timeout": 1000.0}, NO_REPETITION, newgame=sleepy) as player:
        begin(player, long_game)
        timer.start()
        with pytest.raises(ChaseError, match="stopped") as caught:
            player.choose(long_game, stop)
    timer.join()
    assert not isinstance(caught.value, PlayerError)


def test_a_slow_reader_is_told_everything(long_game: cf.Game) -> None:
    slow = "time.sleep(0.5)"
    words = len(f"position cfen {long_game.start.cfen} moves".split()) + len(long_game.moves)
    answer = f"say('bestmove ' + ('a1=2,a2=1' if len(position.split()) == {words} else 'none'))"
    with agent(None, NO_REPETITION, newgame="say('readyok'); " + slow, go=answer) as player:
        begin(player, long_game)
        assert str(player.choose(long_game).move) == "a1=2,a2=1"


def test_refusals_are_not_waited_for() -> None:
    # With the time that it has this test would take an hour.
    told = fault(agent({"timeout": 3600.0}, go="say('info string error: go away')"))
    assert told.termination == "crash"
    assert "refused: info string error: go away" in str(told)


@pytest.mark.parametrize(("timeout", "termination"), [(None, "time"), (600.0, None)])
def test_what_is_allowed_beyond_a_time_limit(
    timeout: float | None, termination: str | None
) -> None:
    options = {"time": 0.05} if timeout is None else {"time": 0.05, "timeout": timeout}
    late = agent(options, go=f"time.sleep(1.5 if {timeout} else 600); {ANSWER}")
    with late, make_player("random") as other:
        result = play_game(cf.Game(), late, other, seed=1, max_turns=1)
    assert result is not None
    assert result.outcome.termination == (termination or "turn_limit")


# ---- What programs say -------------------------------------------------------------------------


def test_nothing_that_a_program_says_steers_a_terminal() -> None:
    for go in (
        "sys.stderr.write('\\x1b[2Jcome' + chr(0x9b) + '1m\\n'); sys.stderr.flush(); os._exit(1)",
        "say('bestmove \\x1b[2J')",
        "say('info string error: \\x1b[2J')",
    ):
        told = str(fault(agent(go=go)))
        assert all(c.isprintable() or c == "\n" for c in told), told
        assert "\\x1b[2J" in told


def test_names_are_plain_and_short() -> None:
    start = "say('id name ' + '\\x1b[1m' + 'x' * 60000); say('chaseok'); sys.stdin.readline()"
    with agent(start=start + "; sys.stdin.readline(); say('readyok')") as player:
        assert player.name.startswith("\\x1b[1mxxx")
        assert len(player.name) <= 100


@pytest.mark.parametrize(
    "go",
    [
        "say('bestmove ' + 'x' * 60000)",
        "say('info string error ' + 'x' * 60000)",
        "sys.stderr.write('x' * 60000); sys.stderr.flush(); os._exit(1)",
    ],
)
def test_messages_are_short(go: str) -> None:
    assert len(str(fault(agent(go=go)))) < 2500


def test_an_illegal_decision_is_a_fault_of_an_analysis_too() -> None:
    for said in ("", f"say('info depth 1 score 5 nodes 3 pv {FIRST}'); "):
        with agent(go=said + "say('bestmove e5E')") as player:
            game = begin(player)
            with pytest.raises(PlayerError) as caught:
                player.search(game, lines=2)
        assert caught.value.termination == "illegal"


def test_what_a_program_says_of_its_lines() -> None:
    lines = [
        f"info depth 4 multipv 1 score 70 nodes 900 pv {FIRST}",
        f"info depth 4 multipv 2 score -20 nodes 900 pv {SECOND}",
        f"info depth 5 multipv 1 score loss 3 nodes 1500 pv {SECOND}",
        "info depth 9 multipv 3 score 9 nodes 1 pv e5E",
        f"info string depth 9 score 9 nodes 1 pv {FIRST}",
        "info depth 9 nodes 1",
    ]
    go = "; ".join(f"say({line!r})" for line in lines)
    with agent(go=f"{go}; say('bestmove {SECOND}')") as player:
        found = player.search(begin(player), lines=3)
    # The second line has become the first one and is not told twice.
    assert found.lines == (Line(3 - SCORE_WIN, 5, 1500, (SECOND,)),)
    assert (found.depth, found.nodes) == (5, 1500)


@given(st.text(max_size=60) | st.lists(st.sampled_from(
    ["depth", "multipv", "score", "win", "loss", "nodes", "pv", "sims", "-1", "0", "7", "1000",
     "9" * 30, "x", "\u0663", str(FIRST), str(SECOND)]), max_size=14).map(" ".join))  # fmt: skip
@settings(max_examples=500)
def test_any_info_is_understood_or_passed_over(text: str) -> None:
    found = _info(START, text)
    if found is None:
        return
    number, line = found
    assert 0 <= number <= cf.MAX_DECISIONS
    assert 0 <= line.depth < 10**18 and 0 <= line.nodes < 10**18
    assert abs(line.score) <= SCORE_WIN
    cf.Game.from_moves(line.pv)  # all legal
    assert line.pv


@pytest.mark.parametrize("player", ["ab:nodes=2000", "mcts:sims=100", "greedy"])
def test_an_analysis_is_understood_as_it_was_meant(player: str) -> None:
    meant = cf.analyse(START, player, lines=4)
    told = [_info(START, text.removeprefix("info ")) for text in info_lines(meant, 0.5)]
    found = _gathered({item[0]: item[1] for item in told if item is not None}, 4, False)
    assert [line._replace(nodes=0) for line in found.lines] == [
        line._replace(nodes=0) for line in meant.lines
    ]
    assert (found.depth, found.nodes) == (max(line.depth for line in meant.lines), meant.nodes)


# ---- Beginning, ending, beginning again --------------------------------------------------------


def test_a_program_that_is_started_again_knows_the_game(tmp_path: Path) -> None:
    log = tmp_path / "log"
    note = f"open({str(log)!r}, 'a').write(line)"
    crash = f"os._exit(1) if os.path.getsize({str(log)!r}) < 60 else {ANSWER}"
    with agent(newgame=note, go=crash) as player:
        game = begin(player)
        with pytest.raises(PlayerError):
            player.choose(game)
        assert player.choose(game).move in game.legal_moves
    assert log.read_text().splitlines() == ["newgame seed 7 side red maxturns 50"] * 2


def test_a_flag_stops_a_program_which_goes_on_to_live() -> None:
    stop = StopFlag()
    timer = threading.Timer(0.3, stop.set)
    info = f"say('info depth 2 score 5 nodes 8 pv {FIRST}')"
    go = f"{info}; sys.stdin.readline(); say('bestmove {FIRST}')"  # only after ``stop``
    with agent({"timeout": 1000.0}, go=go) as player:
        game = begin(player)
        process = player._process
        timer.start()
        found = player.search(game, stop=stop)
        timer.join()
        assert found == Analysis((Line(5, 2, 8, (FIRST,)),), 2, 8, 0, 0, True)
        assert player._process is process


def test_a_program_that_does_not_stop_is_not_blamed() -> None:
    stop = StopFlag()
    stop.set()
    with agent({"timeout": 1000.0}, go="pass") as player, make_player("random") as other:
        begin(player)
        with pytest.raises(ChaseError, match="stopped") as caught:
            player.choose(cf.Game(), stop)
        assert not isinstance(caught.value, PlayerError)
        assert player._process is None
        # A match that is given up has no result.
        assert play_game(cf.Game(), player, other, seed=1, max_turns=30, stop=stop) is None


def test_a_report_stops_a_program_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    go = (
        f"[say('info depth 1 score 5 nodes 8 pv {FIRST}') for _ in range(20)]; "
        f"first = sys.stdin.readline(); say('bestmove {FIRST}'); "
        f"open({str(log)!r}, 'w').write(first + sys.stdin.readline())"
    )
    seen: list[Analysis] = []

    def report(analysis: Analysis) -> bool:
        seen.append(analysis)
        return True

    with agent(go=go) as player:
        player.search(begin(player), report=report)
    assert log.read_text() == "stop\nquit\n"
    assert len(seen) == 20


def test_threads_and_files_of_programs_do_not_pile_up() -> None:
    def held() -> tuple[int, int]:
        return threading.active_count(), len(list(Path("/proc/self/fd").iterdir()))

    with agent() as player:
        begin(player)
    before = held()
    kinds: list[dict[str, Any]] = [{}, {"go": "os._exit(1)"}, {"go": "os.close(1); os.close(2)"}]
    for parts in kinds:
        with agent({"timeout": 0.2}, **parts) as player, make_player("random") as other:
            for seed in range(3):
                play_game(cf.Game(), player, other, seed=seed, max_turns=2)
    assert held() == before
