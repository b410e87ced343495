"""Programs that speak the protocol of docs/protocol.md, as players.

A program is hostile until proven otherwise: every line is bounded, every wait has an end, its
whole process group is ended when it is given up.
"""

from __future__ import annotations

import contextlib
import os
import queue
import shlex
import signal
import subprocess
import threading
import time
from typing import IO, Any, Final, Self

from chase_fast._core import Analysis, Line, Move, Position, Rules, Side, StopFlag
from chase_fast.agents.base import Choice, PlayerError
from chase_fast.agents.protocol import parse_score
from chase_fast.agents.spec import PlayerSpec
from chase_fast.errors import ChaseError, GameOverError
from chase_fast.game import Game

START_SECONDS: Final = 30.0
"""Time for a program to start and to answer ``chase`` and ``isready``."""

MAX_LINE: Final = 1 << 16
"""Bytes of a line; a longer one is a fault."""

_CHUNK: Final = 1 << 16
_MAX_WAITING: Final = 1000  # lines read ahead
_MAX_INFO: Final = 1_000_000  # lines without an answer among them
_TAIL: Final = 2000  # bytes of its error output that a message shows
_GRACE: Final = 1.0  # seconds between asking it to end and making it
_WATCH: Final = 0.05
_OVERHEAD: Final = 0.5  # seconds beyond its time limit that the way to and fro may take


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
        text = self._tail.decode("utf-8", "replace").strip()
        return f"; it said: {text}" if text else ""

    def send(self, line: str) -> None:
        assert self.child.stdin is not None
        try:
            self.child.stdin.write(line.encode() + b"\n")
        except (OSError, ValueError):
            raise PlayerError(f"does not read any more{self._end()}", "crash") from None

    def receive(self, until: float, stop: StopFlag | None) -> str:
        """Its next line.

        Raises:
            PlayerError: There is none, in time.
            ChaseError: `stop` was set.
        """
        while True:
            if stop is not None and stop.is_set():
                raise ChaseError("stopped")
            left = until - time.monotonic()
            if left <= 0:
                raise PlayerError("did not answer in time", "time")
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
            self.send("quit")
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
        self.name = str(spec.get("cmd"))
        self._rules = rules
        self._process: _Process | None = None
        self._game_line = "newgame"
        if start:
            self._ready(None)

    def _ready(self, stop: StopFlag | None) -> _Process:
        """The running program; starts it if it is not."""
        if self._process is None:
            self._process = _Process(str(self.spec.get("cmd")))
            until = time.monotonic() + START_SECONDS
            with self._faults("start"):
                self._process.send("chase")
                while (line := self._process.receive(until, stop)) != "chaseok":
                    if line.startswith("id name "):
                        self.name = line.removeprefix("id name ")
                self._process.send(f"rules {self._rules}")
                self._synchronise(until, stop)
        return self._process

    def _synchronise(self, until: float, stop: StopFlag | None) -> None:
        assert self._process is not None
        self._process.send("isready")
        for _ in range(_MAX_INFO):
            line = self._process.receive(until, stop)
            if line == "readyok":
                return
            if line.startswith("info string error"):
                raise PlayerError(f"refused: {line}", "crash")
        raise PlayerError("wrote without end", "crash")

    @contextlib.contextmanager
    def _faults(self, doing: str) -> Any:
        """Names the program in a fault, and ends it: what it says now belongs to another game."""
        try:
            yield
        except PlayerError as fault:
            self.close()
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
        process = self._ready(stop)
        with self._faults("new game"):
            process.send(f"newgame seed {seed} side {side.name.lower()} maxturns {max_turns}")
            self._synchronise(time.monotonic() + START_SECONDS, stop)

    def choose(self, game: Game, stop: StopFlag | None = None) -> Choice:
        """See `Player`."""
        analysis, answer = self._go(game, 1, stop, None)
        with self._faults(f"decision {len(game.moves) + 1}"):
            try:
                return Choice(game.position.move(answer), analysis)
            except ChaseError as error:
                raise PlayerError(f"answered {answer!r}: {error}", "illegal") from None

    def search(
        self, game: Game, *, lines: int = 1, stop: StopFlag | None = None, report: Any = None
    ) -> Analysis:
        """See `Player`; what its ``info`` lines said last, line by line."""
        analysis, answer = self._go(game, lines, stop, report)
        if analysis.lines:
            return analysis
        line = Line(0, 0, 0, (game.position.move(answer),))
        return analysis._replace(lines=(line,))

    def _go(
        self, game: Game, lines: int, stop: StopFlag | None, report: Any
    ) -> tuple[Analysis, str]:
        if not game.legal_moves:
            raise GameOverError("the game is over; there is nothing to search")
        process = self._ready(stop)
        moves = "".join(f" {move}" for move in game.moves)
        seconds: float | None = self.spec.get("time")
        go = ["go"]
        for name, word in (("nodes", "nodes"), ("depth", "depth")):
            if self.spec.get(name) is not None:
                go += [word, str(self.spec.get(name))]
        if seconds is not None:
            go += ["movetime", str(max(1, round(seconds * 1000)))]
        if lines > 1:
            go += ["lines", str(lines)]
        allowed = self.spec.get("timeout") if seconds is None else seconds + _OVERHEAD
        found: dict[int, Line] = {}
        with self._faults(f"decision {len(game.moves) + 1}"):
            process.send(f"position cfen {game.start.cfen} moves{moves}" if moves
                         else f"position cfen {game.start.cfen}")  # fmt: skip
            process.send(" ".join(go))
            until = time.monotonic() + allowed
            for _ in range(_MAX_INFO):
                line = process.receive(until, stop)
                word, _, rest = line.partition(" ")
                if word == "bestmove":
                    return _gathered(found), rest.strip()
                if word == "info" and (parsed := _info(game.position, rest)):
                    found[parsed[0]] = parsed[1]
                    if report is not None and report(_gathered(found)):
                        process.send("stop")
            raise PlayerError("wrote without end", "crash")

    def close(self) -> None:
        """See `Player`."""
        if self._process is not None:
            process, self._process = self._process, None
            process.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _gathered(found: dict[int, Line]) -> Analysis:
    lines = tuple(found[number] for number in sorted(found))
    depth = max((line.depth for line in lines), default=0)
    return Analysis(lines, depth, sum(line.nodes for line in lines), 0, 0, False)


def _info(position: Position, text: str) -> tuple[int, Line] | None:
    """Number and line of an ``info``; None for any other or for nonsense."""
    words = text.split()
    fields: dict[str, str] = {}
    try:
        pv_at = words.index("pv")
        score, used = parse_score(words[words.index("score") + 1 :])
        head = words[: words.index("score")] + words[words.index("score") + 1 + used : pv_at]
        fields = dict(zip(head[::2], head[1::2], strict=False))
        pv = []
        for word in words[pv_at + 1 :][:64]:
            move = position.move(word)
            position = position.apply(move)
            pv.append(Move.parse(word))
        line = Line(score, int(fields.get("depth", "0")), int(fields.get("nodes", "0")), tuple(pv))
        number = int(fields.get("multipv", "1"))
    except (ValueError, ChaseError):
        return None
    return (number, line) if pv else None
