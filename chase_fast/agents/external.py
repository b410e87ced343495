"""Programs that speak the protocol of docs/protocol.md, as players.

A program is hostile until proven otherwise: every line is bounded, every wait has an end, its
whole process group is ended when it is given up, or when this process ends before that.
"""

from __future__ import annotations

import contextlib
import os
import queue
import select
import shlex
import signal
import subprocess
import threading
import time
from typing import IO, Any, Final, Self

from chase_fast._arguments import shown
from chase_fast._core import MAX_DECISIONS, Analysis, Line, Move, Position, Rules, Side, StopFlag
from chase_fast.agents.base import Choice, PlayerError
from chase_fast.agents.guard import Guard
from chase_fast.agents.protocol import parse_score
from chase_fast.agents.spec import PlayerSpec
from chase_fast.errors import ChaseError, GameOverError, StoppedError
from chase_fast.game import Game

START_SECONDS: Final = 30.0
"""Time for a program to start and to answer ``chase`` and ``isready``."""

MAX_LINE: Final = 1 << 16
"""Bytes of a line; a longer one is a fault."""

_CHUNK: Final = 1 << 16
_MAX_WAITING: Final = 1000  # lines read ahead
_MAX_INFO: Final = 1_000_000  # lines without an answer among them
_TAIL: Final = 2000  # bytes of its error output that a message shows
_MAX_NAME: Final = 100  # characters of its name, likewise
_MAX_PV: Final = 64  # decisions of a line that are kept
_MAX_DIGITS: Final = 18  # of a number that it tells
_GRACE: Final = 1.0  # seconds between asking it to end and making it
_WATCH: Final = 0.05
_OVERHEAD: Final = 0.5  # seconds beyond its time limit that the way to and fro may take


def _plain(text: str) -> str:
    """A program's words for a message; what steers a terminal is spelled out."""
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)


class _Process:
    """A running program and the threads that read from it."""

    def __init__(self, command: str) -> None:
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise PlayerError(f"cmd {command!r} cannot be split: {error}", "crash") from None
        if not words:
            raise PlayerError("cmd is empty", "crash")
        try:
            self.child = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise PlayerError(f"{words[0]!r} does not start: {error}", "crash") from None
        try:
            self._guard = Guard(self.child.pid)
        except OSError as error:
            with self.child:
                self.child.kill()
            raise PlayerError(f"{words[0]!r} cannot be guarded: {error}", "crash") from None
        assert self.child.stdin is not None
        # A program that does not read must not hold up who writes to it.
        os.set_blocking(self.child.stdin.fileno(), False)
        # A line; None at the end of its output; or what was wrong with it.
        self.lines: queue.Queue[str | PlayerError | None] = queue.Queue(_MAX_WAITING)
        self.over = threading.Event()
        self._tail = b""
        self._threads = [
            threading.Thread(target=self._read, daemon=True),
            threading.Thread(target=self._read_errors, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def _put(self, item: str | PlayerError | None) -> None:
        while not self.over.is_set():
            with contextlib.suppress(queue.Full):
                self.lines.put(item, timeout=_WATCH)
                return

    def _read(self) -> None:
        assert self.child.stdout is not None
        rest = b""
        while not self.over.is_set():
            chunk = _read_some(self.child.stdout)
            *whole, rest = (rest + chunk).split(b"\n")
            for line in whole:
                if len(line) <= MAX_LINE:
                    self._put(line.decode("utf-8", "replace").strip())
            if len(rest) > MAX_LINE or any(len(line) > MAX_LINE for line in whole):
                self._put(PlayerError(f"wrote a line of more than {MAX_LINE} bytes", "crash"))
                return
            if not chunk:
                self._put(None)
                return

    def _read_errors(self) -> None:
        assert self.child.stderr is not None
        while chunk := _read_some(self.child.stderr):
            self._tail = (self._tail + chunk)[-_TAIL:]

    def tail(self) -> str:
        """The end of its error output, for a message."""
        text = _plain(self._tail.decode("utf-8", "replace").strip())
        return f"; it said: {text}" if text else ""

    def send(self, line: str, until: float, stop: StopFlag | None = None) -> None:
        """Writes a line.

        Raises:
            PlayerError: It does not read, or not in time.
            StoppedError: `stop` was set while the program did not read.
        """
        assert self.child.stdin is not None
        rest = memoryview(line.encode() + b"\n")
        while rest:
            try:
                rest = rest[os.write(self.child.stdin.fileno(), rest) :]
            except BlockingIOError:
                self._await_room(until, stop)
            except (OSError, ValueError):
                raise PlayerError(f"does not read any more{self._end()}", "crash") from None

    def _await_room(self, until: float, stop: StopFlag | None) -> None:
        assert self.child.stdin is not None
        poll = select.poll()
        poll.register(self.child.stdin.fileno(), select.POLLOUT)
        left = _left(until, stop, "did not read what it was told in time")
        poll.poll(min(left, _WATCH) * 1000)

    def receive(self, until: float, stop: StopFlag | None) -> str:
        """Its next line.

        Raises:
            PlayerError: There is none, in time.
            StoppedError: `stop` was set.
        """
        while True:
            left = _left(until, stop, "did not answer in time")
            try:
                item = self.lines.get(timeout=min(left, _WATCH))
            except queue.Empty:
                continue
            if isinstance(item, str):
                return item
            raise item or PlayerError(f"ended{self._end()}", "crash")

    def _end(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self.child.wait(_GRACE)
            self._threads[1].join(_GRACE)
            return f" (exit status {code}){self.tail()}"
        return self.tail()

    def close(self) -> None:
        self.over.set()
        with contextlib.suppress(PlayerError):
            self.send("quit", time.monotonic())
        assert self.child.stdin is not None
        with contextlib.suppress(OSError):
            self.child.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.child.wait(_GRACE)
        # Also what it has started itself; the group lives as long as one of it does.
        for number in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.child.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.child.wait(_GRACE)
        self._guard.close()
        for thread in self._threads:
            thread.join(_GRACE)
        for stream in (self.child.stdout, self.child.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


def _read_some(stream: IO[bytes]) -> bytes:
    try:
        return os.read(stream.fileno(), _CHUNK)
    except (OSError, ValueError):
        return b""


def _left(until: float, stop: StopFlag | None, fault: str) -> float:
    """Seconds that are left."""
    if stop is not None and stop.is_set():
        raise StoppedError("stopped")
    left = until - time.monotonic()
    if left <= 0:
        raise PlayerError(fault, "time")
    return left


class ExternalAgent:
    """A program as a player.

    Args:
        spec: Of kind ``ext``.
        rules: What it plays under; it is told.
        start: At once; otherwise its first game does.

    Raises:
        PlayerError: It does not start, or does not speak the protocol.
    """

    def __init__(self, spec: PlayerSpec, rules: Rules, *, start: bool = True) -> None:
        self.spec = spec
        self.name = _plain(shown(spec.get("cmd")))
        self._rules = rules
        self._process: _Process | None = None
        self._game_line = ""
        if start:
            self._ready(None)

    def _ready(self, stop: StopFlag | None) -> _Process:
        """The running program; starts it if it is not, within the game under way if there is one.

        The same game after a fault is what a person wants who plays on against it.
        """
        if self._process is None:
            self._process = process = _Process(str(self.spec.get("cmd")))
            until = time.monotonic() + START_SECONDS
            with self._faults("start", stop):
                process.send("chase", until, stop)
                while (line := process.receive(until, stop)) != "chaseok":
                    if line.startswith("id name "):
                        self.name = _plain(line.removeprefix("id name "))[:_MAX_NAME]
                process.send(f"rules {self._rules}", until, stop)
                if self._game_line:
                    process.send(self._game_line, until, stop)
                self._synchronise(process, until, stop)
        return self._process

    def _synchronise(self, process: _Process, until: float, stop: StopFlag | None) -> None:
        process.send("isready", until, stop)
        for _ in range(_MAX_INFO):
            line = process.receive(until, stop)
            if line == "readyok":
                return
            _check_refusal(line)
        raise PlayerError("wrote without end", "crash")

    @contextlib.contextmanager
    def _faults(self, doing: str, stop: StopFlag | None) -> Any:
        """Names the program in a fault, and ends it: what it says now belongs to another game."""
        try:
            yield
        except PlayerError as fault:
            self.close()
            if stop is not None and stop.is_set():  # it is not to blame that the game ends here
                raise StoppedError("stopped") from None
            raise PlayerError(f"{self.name} ({doing}): {fault}", fault.termination) from None
        except BaseException:
            self.close()
            raise

    def new_game(
        self,
        start: Position,
        *,
        seed: int,
        side: Side,
        max_turns: int,
        stop: StopFlag | None = None,
    ) -> None:
        """See `Player`."""
        self._game_line = f"newgame seed {seed} side {side.name.lower()} maxturns {max_turns}"
        process = self._process
        if process is None:
            self._ready(stop)
            return
        with self._faults("new game", stop):
            until = time.monotonic() + START_SECONDS
            process.send(self._game_line, until, stop)
            self._synchronise(process, until, stop)

    def choose(self, game: Game, stop: StopFlag | None = None) -> Choice:
        """See `Player`."""
        analysis, move = self._go(game, 1, stop, None)
        return Choice(move, analysis)

    def search(
        self, game: Game, *, lines: int = 1, stop: StopFlag | None = None, report: Any = None
    ) -> Analysis:
        """See `Player`; what its ``info`` lines said last, line by line."""
        analysis, move = self._go(game, lines, stop, report)
        if analysis.lines:
            return analysis
        return analysis._replace(lines=(Line(0, 0, 0, (move,)),))

    def _go(
        self, game: Game, lines: int, stop: StopFlag | None, report: Any
    ) -> tuple[Analysis, Move]:
        if not game.legal_moves:
            raise GameOverError("the game is over; there is nothing to search")
        process = self._ready(stop)
        with self._faults(f"decision {len(game.moves) + 1}", stop):
            until = time.monotonic() + self._allowed
            process.send(_position_line(game), until, stop)
            process.send(self._go_line(lines), until, stop)
            found: dict[int, Line] = {}
            asked = False  # to stop
            for _ in range(_MAX_INFO):
                try:
                    line = process.receive(until, None if asked else stop)
                except StoppedError:
                    asked = True
                    until = time.monotonic() + _GRACE
                    process.send("stop", until)
                    continue
                word, _, rest = line.partition(" ")
                if word == "bestmove":
                    stopped = stop is not None and stop.is_set()
                    return _gathered(found, lines, stopped), _answer(game, rest.strip())
                _check_refusal(line)
                if word == "info" and (parsed := _info(game.position, rest)):
                    found[parsed[0]] = parsed[1]
                    if report is not None and report(_gathered(found, lines, False)) and not asked:
                        asked = True
                        process.send("stop", until)
            raise PlayerError("wrote without end", "crash")

    @property
    def _allowed(self) -> float:
        """Seconds from the question to the answer."""
        seconds: float | None = self.spec.get("time")
        given = dict(self.spec.given)
        if seconds is None:
            return float(self.spec.get("timeout"))
        return seconds + float(given.get("timeout", _OVERHEAD))

    def _go_line(self, lines: int) -> str:
        words = ["go"]
        for name in ("nodes", "depth"):
            if self.spec.get(name) is not None:
                words += [name, str(self.spec.get(name))]
        if self.spec.get("time") is not None:
            words += ["movetime", str(max(1, round(self.spec.get("time") * 1000)))]
        if lines > 1:
            words += ["lines", str(lines)]
        return " ".join(words)

    def close(self) -> None:
        """See `Player`."""
        if self._process is not None:
            process, self._process = self._process, None
            process.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _position_line(game: Game) -> str:
    moves = "".join(f" {move}" for move in game.moves)
    return f"position cfen {game.start.cfen}" + (f" moves{moves}" if moves else "")


def _check_refusal(line: str) -> None:
    """Who refuses a command will not answer it; there is nothing to wait for."""
    if line.startswith("info string error"):
        raise PlayerError(f"refused: {_plain(line)[:_TAIL]}", "crash")


def _answer(game: Game, text: str) -> Move:
    try:
        return game.position.move(text)
    except ChaseError as error:
        raise PlayerError(f"answered {shown(text)}: {error}", "illegal") from None


def _gathered(found: dict[int, Line], wanted: int, stopped: bool) -> Analysis:
    """The lines so far, with different first decisions.

    While a program goes on they may be of different depths, and then two may begin with the same
    decision: the better one counts.
    """
    lines: dict[Move, Line] = {}
    for number in sorted(found):
        lines.setdefault(found[number].pv[0], found[number])
    depth = max((line.depth for line in lines.values()), default=0)
    # Each ``info`` tells the nodes of the whole search.
    nodes = max((line.nodes for line in lines.values()), default=0)
    return Analysis(tuple(lines.values())[:wanted], depth, nodes, 0, 0, stopped)


def _info(position: Position, text: str) -> tuple[int, Line] | None:
    """Number and line of an ``info``; None for any other or for nonsense."""
    words = text.split()
    try:
        score_at, pv_at = words.index("score"), words.index("pv")
        score, used = parse_score(words[score_at + 1 : pv_at])
        head = words[:score_at] + words[score_at + 1 + used : pv_at]
        fields = dict(zip(head[::2], head[1::2], strict=True))
        line = Line(score, _count(fields, "depth", 0), _count(fields, "nodes", 0), ())
        number = _count(fields, "multipv", 1)
        pv = []
        for word in words[pv_at + 1 :][:_MAX_PV]:
            pv.append(position.move(word))
            position = position.apply(pv[-1])
    except (ValueError, ChaseError):
        return None
    return (number, line._replace(pv=tuple(pv))) if pv and number <= MAX_DECISIONS else None


def _count(fields: dict[str, str], name: str, default: int) -> int:
    text = fields.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS):
        raise ValueError(text)
    return int(text)
