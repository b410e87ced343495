"""The protocol of docs/protocol.md: this engine's side of it, and its score texts.

One line is one command or answer. A wrong command is answered by ``info string error: ...`` and
changes nothing; the engine goes on.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import IO, Final

from chase_fast._core import (
    MAX_DECISIONS,
    MAX_DEPTH,
    MAX_HASH_MIB,
    MAX_TURN_LIMIT,
    RED,
    SCORE_PROVEN,
    SCORE_WIN,
    Analysis,
    Position,
    Rules,
    Side,
    StopFlag,
)
from chase_fast._version import __version__
from chase_fast.agents.core import CoreAgent
from chase_fast.agents.spec import PlayerSpec
from chase_fast.errors import ArgumentError, ChaseError, NotationError
from chase_fast.game import Game

DEFAULT_PLAYER: Final = "ab:nodes=100000"

_MAX_LINE: Final = 1 << 20
_MAX_NUMBER: Final = 10**15
_MAX_MOVETIME: Final = 10**9


def score_text(score: int) -> str:
    """``win N``, ``loss N`` (in N decisions) or thousandths of a die for the side to act."""
    if abs(score) >= SCORE_PROVEN:
        return f"{'win' if score > 0 else 'loss'} {SCORE_WIN - abs(score)}"
    return str(score)


def parse_score(words: Sequence[str]) -> tuple[int, int]:
    """Reads a score text; returns it and the number of words that it took.

    Raises:
        ValueError: It is none.
    """
    if not words:
        raise ValueError("no score")
    if words[0] in ("win", "loss"):
        distance = int(" ".join(words[1:2]))
        if not 0 <= distance <= SCORE_WIN - SCORE_PROVEN:
            raise ValueError(words[1])
        return (SCORE_WIN - distance) * (1 if words[0] == "win" else -1), 2
    score = int(words[0])
    if abs(score) >= SCORE_PROVEN:
        raise ValueError(words[0])
    return score, 1


class Engine:
    """Answers commands.

    Args:
        write: Called with each line of the answers, from any thread but never two at a time.
        player: Text of the player that searches; limits of ``go`` come instead of its own.
        rules: Rules until the command ``rules``.

    Raises:
        NotationError: The text names no player that can search here.
        ArgumentError: Its table would be larger than memory.
        WeightsError: Its weight file cannot be read.
    """

    def __init__(
        self, write: Callable[[str], None], player: str = DEFAULT_PLAYER, rules: Rules | None = None
    ) -> None:
        self._write_line = write
        self._lock = threading.Lock()
        self._rules = rules or Rules()
        self._default = player
        self._spec = _searcher(player)
        CoreAgent(self._spec, self._rules)  # what cannot be made is known now
        self._game = Game(rules=self._rules)
        self._agent: CoreAgent | None = None
        self._agent_spec: PlayerSpec | None = None
        self._newgame: tuple[int, Side, int] = (0, RED, 0)
        self._search: threading.Thread | None = None
        self._stop = StopFlag()
        self._released = threading.Event()
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "chase": self._chase,
            "isready": lambda words: self._say("readyok"),
            "newgame": self._new_game,
            "rules": self._set_rules,
            "position": self._position,
            "setoption": self._set_option,
            "go": self._go,
            "stop": lambda words: self._halt(),
        }

    def _say(self, line: str) -> None:
        with self._lock:
            self._write_line(line)

    def command(self, line: str) -> bool:
        """Carries out one line; False after ``quit``."""
        words = line.split()
        if not words:
            return True
        if words[0] == "quit":
            self.close()
            return False
        try:
            if len(line.rstrip("\r\n")) > _MAX_LINE:
                raise ArgumentError(f"a line may have {_MAX_LINE} characters")
            if words[0] not in self._commands:
                known = ", ".join([*self._commands, "quit"])
                raise ArgumentError(f"unknown command {words[0][:40]!r}, expected {known}")
            self._commands[words[0]](words[1:])
        except ChaseError as error:
            self._say(f"info string error: {error}".replace("\n", " "))
        except MemoryError:
            self._say("info string error: out of memory")
        return True

    def close(self) -> None:
        """Ends the search under way."""
        self._halt()

    def _halt(self) -> None:
        self._stop.set()
        self._released.set()
        if self._search is not None:
            self._search.join()
            self._search = None

    # ---- Commands

    def _chase(self, words: list[str]) -> None:
        self._say(f"id name Chase Fast {__version__}")
        self._say("id author the Chase Fast developers")
        self._say(f"option name player type string default {self._default}")
        self._say(f"option name hash type spin default 64 min 1 max {MAX_HASH_MIB}")
        self._say("option name threads type spin default 1 min 1 max 256")
        self._say("chaseok")

    def _new_game(self, words: list[str]) -> None:
        values = _pairs(words, {"seed": 2**64 - 1, "side": None, "maxturns": MAX_TURN_LIMIT})
        side = values.get("side", "red")
        if side not in ("red", "blue"):
            raise ArgumentError(f"side is {side!r}, expected red or blue")
        self._halt()
        self._newgame = (
            int(values.get("seed", 0)),
            Side[str(side).upper()],
            int(values.get("maxturns", 0)),
        )
        self._agent = None
        self._game = Game(rules=self._rules)

    def _set_rules(self, words: list[str]) -> None:
        rules = Rules.parse(" ".join(words))
        self._halt()
        self._rules = rules
        self._game = Game(rules=rules)
        self._agent = None

    def _position(self, words: list[str]) -> None:
        cut = words.index("moves") if "moves" in words else len(words)
        what, moves = words[:cut], words[cut + 1 :]
        if what == ["start"]:
            start = Position.start(self._rules)
        elif what[:1] == ["cfen"] and len(what) > 1:
            start = Position.parse(" ".join(what[1:]), self._rules)
        else:
            raise ArgumentError("expected: position start|cfen CFEN [moves DECISION ...]")
        game = Game.from_moves(moves, start=start)
        self._halt()
        self._game = game

    def _set_option(self, words: list[str]) -> None:
        if words[:1] != ["name"] or "value" not in words or len(words) < 4:
            raise ArgumentError("expected: setoption name NAME value VALUE")
        cut = words.index("value")
        name, value = " ".join(words[1:cut]).lower(), " ".join(words[cut + 1 :])
        if name == "player":
            spec = _searcher(value)
        elif name in ("hash", "threads"):
            limit = MAX_HASH_MIB if name == "hash" else 256
            spec = self._spec.replace(**{name: _number(value, name, 1, limit)})
        else:
            raise ArgumentError(f"unknown option {name[:40]!r}, expected player, hash, threads")
        CoreAgent(spec, self._rules)  # or the player before stays
        self._halt()
        self._spec = spec
        self._agent = None

    def _go(self, words: list[str]) -> None:
        infinite = "infinite" in words
        values = _pairs(
            [word for word in words if word != "infinite"],
            {"nodes": _MAX_NUMBER, "sims": _MAX_NUMBER, "movetime": _MAX_MOVETIME,
             "depth": MAX_DEPTH, "lines": MAX_DECISIONS},
        )  # fmt: skip
        for name, value in values.items():
            if value == 0:
                raise ArgumentError(f"{name} must be at least 1")
        self._halt()
        lines = int(values.pop("lines", 1))
        spec = _with_limits(self._spec, {n: int(v) for n, v in values.items()}, infinite)
        if self._over():
            self._say("bestmove none")
            return
        agent = self._ready(spec)
        game, self._stop = self._game.copy(), StopFlag()
        self._released.clear()
        arguments = (agent, game, lines, self._stop, infinite)
        self._search = threading.Thread(target=self._think, args=arguments, daemon=True)
        self._search.start()

    def _over(self) -> bool:
        """Whether the game has ended, by the turn limit too."""
        game, max_turns = self._game, self._newgame[2]
        complete = game.turn_count - (not game.turn_ended)
        return 0 < max_turns <= complete or not game.legal_moves

    def _ready(self, spec: PlayerSpec) -> CoreAgent:
        """The player; within one game it keeps its table as long as it stays the same."""
        if self._agent is None or self._agent_spec != spec:
            self._agent = CoreAgent(spec, self._rules)
            seed, side, max_turns = self._newgame
            self._agent.new_game(self._game.start, seed=seed, side=side, max_turns=max_turns)
            self._agent_spec = spec
        return self._agent

    def _think(
        self, agent: CoreAgent, game: Game, lines: int, stop: StopFlag, infinite: bool
    ) -> None:
        begin = time.monotonic()

        def report(analysis: Analysis) -> bool:
            for text in info_lines(analysis, time.monotonic() - begin):
                self._say(text)
            return False

        try:
            if lines > 1 or infinite:
                found = agent.search(game, lines=lines, stop=stop, report=report)
                move = found.lines[0].pv[0]
                report(found)
                if infinite:  # also where there is nothing more to find
                    self._released.wait()
            else:
                move, last = agent.choose(game, stop, report=report)
                if last is not None:
                    report(last)
            self._say(f"bestmove {move}")
        except MemoryError:
            self._say("info string out of memory")
            self._say(f"bestmove {game.legal_moves[0]}")
        except BrokenPipeError:
            pass  # nobody listens any more


def info_lines(analysis: Analysis, seconds: float) -> Iterable[str]:
    """The ``info`` lines of an analysis."""
    rate = int(analysis.nodes / seconds) if seconds > 0 else 0
    for number, line in enumerate(analysis.lines, 1):
        pv = " ".join(map(str, line.pv))
        sims = f" sims {analysis.sims}" if analysis.sims else ""
        yield (
            f"info depth {line.depth} multipv {number} score {score_text(line.score)} nodes "
            f"{analysis.nodes}{sims} nps {rate} time {int(seconds * 1000)} pv {pv}"
        )


def _searcher(text: str) -> PlayerSpec:
    spec = PlayerSpec.parse(text)
    if spec.kind == "ext":
        raise NotationError(
            "an engine cannot be another program: expected random, greedy, ab, mcts"
        )
    return spec


def _with_limits(spec: PlayerSpec, limits: dict[str, int], infinite: bool) -> PlayerSpec:
    """The player with the limits of ``go`` instead of its own, if there are any."""
    if not limits and not infinite:
        return spec
    if spec.kind not in ("ab", "mcts"):
        if limits:
            raise ArgumentError(f"a player of {spec.kind} has no limits")
        return spec
    count = "nodes" if spec.kind == "ab" else "sims"
    changes: dict[str, int | float | None] = {"time": None, count: None}
    if spec.kind == "ab":
        changes["depth"] = None
    for name, value in limits.items():
        if name == "movetime":
            changes["time"] = value / 1000
        elif name in ("nodes", "sims"):
            changes[count] = value
        elif name in changes:
            changes[name] = value
        else:
            raise ArgumentError(f"a player of {spec.kind} has no limit of {name}")
    if infinite:
        changes.update({"time": None, count: _MAX_NUMBER})
    return spec.replace(**changes)


def _pairs(words: list[str], known: dict[str, int | None]) -> dict[str, int | str]:
    """Names and values that take turns; numbers up to the greatest allowed, None for a word."""
    values: dict[str, int | str] = {}
    for name, value in zip(words[::2], [*words[1::2], ""], strict=False):
        if name not in known:
            raise ArgumentError(f"unknown word {name[:40]!r}, expected {', '.join(known)}")
        if name in values:
            raise ArgumentError(f"{name} is given twice")
        greatest = known[name]
        values[name] = value if greatest is None else _number(value, name, 0, greatest)
    return values


def _number(text: str, name: str, low: int, high: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 20 and low <= int(text) <= high):
        raise ArgumentError(f"{name} is {text[:40]!r}, expected an integer from {low} to {high}")
    return int(text)


def run_engine(
    lines: IO[str], out: IO[str], player: str = DEFAULT_PLAYER, rules: Rules | None = None
) -> None:
    """Reads commands and answers them until ``quit`` or the end of the input.

    Raises:
        BrokenPipeError: Nobody reads the answers.
        ChaseError: As `Engine`.
    """

    def write(line: str) -> None:
        out.write(line + "\n")
        out.flush()

    engine = Engine(write, player, rules)
    try:
        while line := lines.readline(_MAX_LINE + 2):
            rest = line
            while rest and not rest.endswith("\n"):  # of a line that is too long
                rest = lines.readline(_MAX_LINE)
            if not engine.command(line):
                break
    finally:
        engine.close()
