"""``chase-fast`` as a process: pipes, full disks, signals, terminals, plug-ins, a missing extra."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

import chase_fast as cf

PROGRAM = [sys.executable, "-m", "chase_fast"]
pytestmark = pytest.mark.no_core

FULL = Path("/dev/full")

needs_full = pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")


def environment(**changes: str) -> dict[str, str]:
    dropped = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES", "PYTHONIOENCODING")
    kept = {key: value for key, value in os.environ.items() if key not in dropped}
    return {**kept, "TERM": "xterm-256color", **changes}


def run(
    *words: str | Path, code: int = 0, shell: str = "", env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs a command; ``shell`` is what follows it on the line of a shell."""
    command = [*PROGRAM, *map(str, words)]
    done = subprocess.run(
        ["bash", "-c", f'"$@" {shell}', "bash", *command] if shell else command,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=environment(**(env or {})),
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert "Exception ignored" not in done.stderr, done.stderr
    assert done.returncode == code, done
    return done


# ---- Where the output goes -------------------------------------------------------------------


def test_results_and_messages_go_apart() -> None:
    done = run("perft", "3")
    assert done.stdout == "95578\n"
    assert re.fullmatch(r"\d+\.\d\d s, .* decisions/s\n", done.stderr)


def test_messages_follow_the_results_they_are_about() -> None:
    lines = run("perft", "3", shell="2>&1 | cat").stdout.splitlines()
    assert lines[0] == "95578"
    assert lines[1].endswith(" decisions/s")


def test_a_closed_pipe_ends_quietly() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as closed:
        done = subprocess.run(
            [*PROGRAM, "moves"], stdout=closed, stderr=subprocess.PIPE, text=True, timeout=60,
            check=False, env=environment(),
        )  # fmt: skip
    assert done.returncode == 141
    assert "chase-fast" not in done.stderr
    assert "Error" not in done.stderr


@needs_full
@pytest.mark.parametrize("words", [("show",), ("moves", "--json"), ("show", "--svg", "-")])
def test_a_full_disk_is_named(words: tuple[str, ...]) -> None:
    done = run(*words, shell="> /dev/full", code=1)
    assert f"chase-fast {words[0]}: standard output: No space left on device\n" in done.stderr


@needs_full
def test_a_full_disk_below_a_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "games.csv"
    file.symlink_to(FULL)
    done = run("playout", "30", "--out", file, code=1)
    assert done.stderr == f"chase-fast playout: {file}: No space left on device\n"
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == [file]


def test_closed_streams() -> None:
    done = run("moves", shell=">&-", code=1)
    assert done.stderr == "chase-fast moves: standard output is closed\n"
    assert "a1NE" in run("moves", shell="2>&-").stdout
    assert "standard input is closed" in run("convert", "-", "-", shell="<&-", code=2).stderr


def test_convert_in_a_pipeline() -> None:
    game = cf.Game.from_moves(["a5NE", "i5SE"])
    done = subprocess.run(
        [*PROGRAM, "convert", "-", "-", "--to", "abstractplay"],
        input=game.to_record().to_json() + "\nnonsense\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=environment(),
    )
    assert done.returncode == 1
    assert done.stdout == "a5-f8NE\ni5-d8SE\n\n"
    assert "<stdin>:2: " in done.stderr
    assert "was not written" not in done.stderr


def test_an_encoding_without_our_signs() -> None:
    assert "<1> <2>" in run("show", env={"PYTHONIOENCODING": "ascii"}).stdout
    table = run("playout", "5", env={"PYTHONIOENCODING": "ascii"}).stdout
    assert table.isascii()
    assert "+-" in table
    assert "\\xe9" in run("show", "é", env={"PYTHONIOENCODING": "ascii"}, code=2).stderr


# ---- Ctrl-C and SIGTERM ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "code", "said"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")],
)
@pytest.mark.parametrize(
    "words",
    [
        ("perft", "9"),
        ("perft", "9", "--divide"),
        ("playout", "1000000000"),
        ("match", "ab:nodes=20000", "mcts:sims=20000", "--pairs", "100000"),
        ("match", "random", "greedy", "--pairs", "100000"),
    ],
)
def test_a_signal_ends_the_work_at_once(
    words: tuple[str, ...], number: signal.Signals, code: int, said: str, tmp_path: Path
) -> None:
    file = tmp_path / "games.csv"
    if words[0] in ("playout", "match"):
        words = (*words, "--out" if words[0] == "playout" else "--games", str(file))
    process = subprocess.Popen(
        [*PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=environment(), process_group=0,
    )  # fmt: skip
    try:
        # Busy with its own threads: past its imports, and before the end of the week.
        while len(list(Path(f"/proc/{process.pid}/task").iterdir())) < 2 + cf.batch.processors():
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == code
    assert (out, err) == ("", f"chase-fast: {said}\n")
    assert list(tmp_path.iterdir()) == []


def test_a_signal_leaves_nothing_of_a_conversion(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*PROGRAM, "convert", "-", str(tmp_path / "games.txt")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=environment(), process_group=0,
    )  # fmt: skip
    try:
        while not list(tmp_path.iterdir()):  # the file that is to become games.txt
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)
        _, err = process.communicate()
    finally:
        process.kill()
    assert (process.returncode, err) == (143, "chase-fast: terminated\n")
    assert list(tmp_path.iterdir()) == []


# ---- A terminal ------------------------------------------------------------------------------


class Terminal:
    """A command on a terminal of its own."""

    def __init__(self, *words: str, columns: int = 80, **changes: str) -> None:
        self._side, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.process = subprocess.Popen(
            [*PROGRAM, *words], stdin=other, stdout=other, stderr=other,
            env=environment(**changes), start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        os.close(other)
        self.shown = ""

    def read(self) -> bool:
        """Waits for more; False at the end."""
        assert select.select([self._side], [], [], 120)[0], self.shown
        try:
            more = os.read(self._side, 65536)
        except OSError:  # so Linux tells of the end
            more = b""
        self.shown += more.decode(errors="replace")
        return bool(more)

    def read_until(self, text: str) -> None:
        while text not in visible(self.shown):
            assert self.read(), self.shown

    def press(self, key: bytes) -> None:
        os.write(self._side, key)

    def end(self) -> int:
        """Reads all there is; the exit code."""
        while self.read():
            pass
        os.close(self._side)
        return self.process.wait(timeout=60)


def on_a_terminal(*words: str, columns: int = 80, **changes: str) -> str:
    """Everything a command shows on a terminal."""
    terminal = Terminal(*words, columns=columns, **changes)
    assert terminal.end() == 0
    return terminal.shown


def visible(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text).replace("\r\n", "\n")


def test_a_terminal_gets_colours_unless_it_wants_none() -> None:
    shown = on_a_terminal("show")
    assert "\x1b[" in shown
    assert "red to act" in visible(shown)
    assert "\x1b[" not in on_a_terminal("show", NO_COLOR="1")


def test_tables_fit_the_terminal() -> None:
    words = [word for number in range(4) for word in ("-r", f"reserve={number}")]
    lines = visible(on_a_terminal("playout", "20", *words, columns=60)).splitlines()
    assert max(map(len, lines)) <= 60
    assert sum("options/decision" in line for line in lines) == 2


@pytest.mark.parametrize(
    ("words", "signs"),
    [
        (("playout", "1000000000"), ("playouts, standard", "games/s", "left")),
        (("perft", "8"), ("perft 8", "decisions/s", "left")),
        (("perft", "9", "--divide"), ("perft 9", "0:00:0")),
        (("analyse", "--player", "ab:depth=60"), ("analyse", "depth", "nodes", "0:00:0")),
        (("analyse", "--player", "mcts:time=600"), ("simulations", "0:00:0", " of 0:10:00")),
    ],
)
def test_long_work_shows_a_bar_until_it_is_interrupted(
    words: tuple[str, ...], signs: tuple[str, ...]
) -> None:
    terminal = Terminal(*words)
    for sign in signs:
        terminal.read_until(sign)
    terminal.press(b"\x03")
    assert terminal.end() == 130
    assert visible(terminal.shown).endswith("chase-fast: interrupted\n")
    assert "Traceback" not in terminal.shown


def test_what_goes_wrong_is_told_when_the_bar_is_gone() -> None:
    """The program ends long after the bar has appeared."""
    terminal = Terminal("match", "random", 'ext:cmd="sleep 2"', "--pairs", "1")
    terminal.read_until("match ")
    assert terminal.end() == 1
    lines = visible(terminal.shown).splitlines()
    assert any(line.startswith("chase-fast match: 'sleep 2' (start): ") for line in lines)


def test_messages_are_broken_between_words() -> None:
    """The longest of ours, and a position that is wider than the terminal, with its mark."""
    dice = "AaAaAaAaA/aAaAaAaAa/AaAaAaAaA/9/9/aAaAaAaAa/AaAaAaAaA/aAaAa4/9 r - 0/x"
    terminal = Terminal("show", dice, "--rules", "reserve=16", columns=50)
    assert terminal.end() == 2
    lines = visible(terminal.shown).splitlines()
    assert max(map(len, lines)) <= 50
    (row,) = (row for row, line in enumerate(lines) if line.strip() == "^")
    assert lines[row - 1][lines[row].index("^")] == "x"
    unbroken = run("show", dice, "-r", "reserve=16", code=2).stderr.splitlines()[0]
    assert " ".join(" ".join(lines[: row - 1]).split()) == unbroken


# ---- Plug-ins --------------------------------------------------------------------------------

PLUGIN = """
import typer

app = typer.Typer()
number = 7

@app.command()
def start(port: int = 1) -> None:
    '''Start to serve.'''
    print("started", port)

@app.command()
def stop() -> None:
    '''Stop.'''

def greet(name: str) -> None:
    '''Greet somebody.'''
    print("hello", name)

def tell() -> int:
    return 3
"""


@pytest.fixture
def plugins(tmp_path: Path) -> str:
    """A path on which a package lies that has commands, good and bad ones."""
    (tmp_path / "plugged.py").write_text(PLUGIN)
    (tmp_path / "broken.py").write_text("raise RuntimeError('gone wrong\\nin two lines')")
    folder = tmp_path / "plugged-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(
        "[chase_fast.commands]\n"
        "host = plugged:app\n"
        "greet = plugged:greet\n"
        "tell = plugged:tell\n"
        "show = plugged:greet\n"
        "number = plugged:number\n"
        "broken = broken:app\n"
        "absent = nowhere:app\n"
    )
    return str(tmp_path)


def test_commands_of_other_packages(plugins: str) -> None:
    assert run("greet", "world", env={"PYTHONPATH": plugins}).stdout == "hello world\n"
    done = run("host", "start", "--port", "8", env={"PYTHONPATH": plugins})
    assert (done.stdout, done.stderr) == ("started 8\n", "")
    run("tell", env={"PYTHONPATH": plugins}, code=3)


def test_bad_commands_of_other_packages_are_named_and_break_nothing(plugins: str) -> None:
    done = run("--help", env={"PYTHONPATH": plugins})
    for command in ("show", "perft", "serve", "host", "greet"):
        assert re.search(rf"^  {command}\b", done.stdout, re.MULTILINE)
    for command in ("broken", "absent", "number"):
        assert not re.search(rf"^  {command}\b", done.stdout, re.MULTILINE)
        assert f"command '{command}' of plugged" in done.stderr
    assert "RuntimeError: gone wrong" in done.stderr
    assert "No module named 'nowhere'" in done.stderr
    assert "it is a int, expected a function or a typer.Typer" in done.stderr
    assert "command 'show' of plugged (plugged:greet) is left out" in done.stderr
    # Our own commands do not even look at them.
    assert run("show", env={"PYTHONPATH": plugins}).stderr == ""
    done = run("broken", env={"PYTHONPATH": plugins}, code=2)
    assert "gone wrong" in done.stderr
    assert "No such command 'broken'" in done.stderr


# ---- The rest --------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["typer", "rich"])
def test_without_the_extra_it_is_named(tmp_path: Path, missing: str) -> None:
    (tmp_path / f"{missing}.py").write_text(f"raise ImportError('no {missing} here')")
    done = run("show", env={"PYTHONPATH": str(tmp_path)}, code=2)
    assert done.stdout == ""
    assert f"no {missing} here" in done.stderr
    assert "pip install 'chase-fast[cli]'" in done.stderr


def test_an_error_of_ours_is_not_hidden() -> None:
    """Only what the user can do something about is cut down to a line."""
    code = "from chase_fast.cli import main, show; show.text_board = None; main(['show'])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False,
        env=environment(),
    )  # fmt: skip
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert "TypeError: 'NoneType' object is not callable" in done.stderr


def test_completion_for_a_shell() -> None:
    asked = {"_CHASE_FAST_COMPLETE": "complete_bash", "COMP_WORDS": "chase-fast p"}
    done = run(env={**asked, "COMP_CWORD": "1"})
    assert sorted(done.stdout.split()) == ["perft", "plan", "play", "players", "playout"]
