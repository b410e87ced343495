"""Programs that speak the protocol, well or badly, for tests of players from outside."""

from __future__ import annotations

import sys
from pathlib import Path

# Speaks well; `{...}` are filled in by `program`.
_GOOD = """
import sys, os, time, signal, subprocess
def say(line):
    sys.stdout.write(line + "\\n"); sys.stdout.flush()
go = 0
for line in sys.stdin:
    word = line.split()[0] if line.split() else ""
    if word == "chase":
        {start}
        say("id name test engine"); say("chaseok")
    elif word == "isready":
        say("readyok")
    elif word == "newgame":
        {newgame}
    elif word == "position":
        position = line
    elif word == "go":
        go += 1
        {go}
    elif word == "quit":
        {quit}
        break
"""

ANSWER = "say('bestmove ' + pick(position))"
_PICK = """
import chase_fast as cf
def pick(line):
    words = line.split()
    cut = words.index("moves") if "moves" in words else len(words)
    start = cf.Position.parse(" ".join(words[2:cut]))
    return str(cf.Game.from_moves(words[cut + 1:], start=start).legal_moves[0])
"""

BAD: dict[str, tuple[str, dict[str, str]]] = {
    "exits at the start": ("crash", {"start": "os._exit(3)"}),
    "exits at a decision": ("crash", {"go": "sys.stderr.write('sorry\\n'); os._exit(4)"}),
    "is killed": ("crash", {"go": "os.kill(os.getpid(), signal.SIGKILL)"}),
    "closes its output": ("crash", {"go": "os.close(1); time.sleep(100)"}),
    "never answers": ("time", {"go": "pass"}),
    "answers nonsense": ("illegal", {"go": "say('bestmove \\x00 banana')"}),
    "answers nothing": ("illegal", {"go": "say('bestmove')"}),
    "plays an illegal decision": ("illegal", {"go": "say('bestmove e5NE')"}),
    "writes without a line feed": (
        "crash",
        {"go": "[sys.stdout.write('x' * 65536) for _ in range(64)]; sys.stdout.flush()"},
    ),
    "writes nonsense for ever": (
        "time",
        {"go": "[say('info string ' + 'y' * 100) for _ in iter(int, 1)]"},
    ),
}


def program(
    *, start: str = "pass", newgame: str = "pass", go: str = ANSWER, quit: str = "pass"
) -> str:
    """The command line of a program; each argument is a line of Python at that command."""
    import shlex

    source = _PICK + _GOOD.format(start=start, newgame=newgame, go=go, quit=quit)
    return shlex.join([sys.executable, "-c", source])


def stubborn(folder: Path) -> str:
    """The command line of a program that thinks for ever, ignores SIGTERM, and starts another.

    Its number and that of the other are in the file ``pids`` of the folder once it thinks.
    """
    pids = folder / "pids"
    go = (
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); "
        "other = subprocess.Popen(['sleep', '3600'], stdout=subprocess.DEVNULL); "
        f"open({str(pids) + '.part'!r}, 'w').write(f'{{os.getpid()}} {{other.pid}}'); "
        f"os.rename({str(pids) + '.part'!r}, {str(pids)!r}); time.sleep(3600)"
    )
    return program(go=go)


def gone(pid: int) -> bool:
    """Whether a process has ended; who should have asked for its status need not have done so."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True
