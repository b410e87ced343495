"""The players of the core: random, greedy, alpha-beta, tree search."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Final, Self

from chase_fast._core import Analysis, CorePlayer, Position, Rules, Side, StopFlag
from chase_fast.agents.base import Choice
from chase_fast.agents.spec import PlayerSpec
from chase_fast.agents.weights import Weights, load_weights
from chase_fast.errors import ArgumentError, ChaseError
from chase_fast.game import Game

# A further iteration takes longer than all before it; none begins after this share of the time.
_SHARE_OF_TIME: Final = 0.55
# Seconds between two looks at the caller's flag where a search has a flag of its own.
_WATCH: Final = 0.005

# UCT has no prior to steer it, so that the values have to (docs/players.md).
_UCT_EXPLORATION: Final = 0.3

Report = Callable[[Analysis], object]


def memory_mib() -> int:
    """MiB of memory that this machine has."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20


class CoreAgent:
    """A player of the core under some rules.

    Args:
        spec: Of any kind but ``ext``.
        rules: What it plays under.

    Attributes:
        core: What plays in C; `_core.play_game` takes it.
        timed: Whether it has a time limit, so that it needs this class around it.
        weights: Of its evaluation.

    Raises:
        ArgumentError: Its table would be larger than memory.
        WeightsError: Its weight file cannot be read.
    """

    def __init__(self, spec: PlayerSpec, rules: Rules) -> None:
        self.spec = spec
        self.weights: Weights = load_weights(
            rules, spec.get("weights") if spec.kind != "random" else None
        )
        self._evaluator = self.weights.evaluator(rules)
        self._threads: int = spec.get("threads") if spec.kind == "ab" else 1
        self._seconds: float | None = spec.get("time") if spec.kind in ("ab", "mcts") else None
        self._max_turns = 0
        options = _core_options(spec)
        if options.get("hash_mib", 0) > memory_mib():
            raise ArgumentError(
                f"hash is {options['hash_mib']} MiB, this machine has {memory_mib()} MiB"
            )
        self.core = CorePlayer(self._evaluator, spec.kind, **options)
        self._helpers = [
            CorePlayer(self._evaluator, "ab", **{**options, "nodes": 0, "hash_mib": 1})
            for _ in range(1, self._threads)
        ]

    @property
    def timed(self) -> bool:
        """Whether games depend on the clock or on threads, and not on the seed alone."""
        return self._seconds is not None or bool(self._helpers)

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
        del start, stop  # positions come with each call, and this takes no time
        self._max_turns = max_turns
        for player in (self.core, *self._helpers):
            player.new_game(seed, side)

    def choose(
        self, game: Game, stop: StopFlag | None = None, *, report: Report | None = None
    ) -> Choice:
        """See `Player`; `report` as for `search`."""
        with self._searching(game, stop, report) as (flag, watched):
            return Choice(
                *self.core.choose(
                    game.start, game.moves, flag, max_turns=self._max_turns, report=watched
                )
            )

    def search(
        self,
        game: Game,
        *,
        lines: int = 1,
        stop: StopFlag | None = None,
        report: Report | None = None,
    ) -> Analysis:
        """See `Player`; `report` is called with an `Analysis` between iterations, true stops."""
        with self._searching(game, stop, report) as (flag, watched):
            return self.core.search(
                game.start,
                game.moves,
                flag,
                lines=lines,
                max_turns=self._max_turns,
                report=watched,
            )

    @contextlib.contextmanager
    def _searching(
        self, game: Game, stop: StopFlag | None, report: Report | None
    ) -> Iterator[tuple[StopFlag, Report | None]]:
        """The flag and report of one search, with the clock and the helpers that it has."""
        if self._seconds is None:
            with self._helping(game):
                yield stop or StopFlag(), report
            return
        begin = time.monotonic()
        seconds = self._seconds
        flag, over = StopFlag(), threading.Event()

        def watch() -> None:
            while (left := begin + seconds - time.monotonic()) > 0:
                if over.wait(left if stop is None else min(left, _WATCH)):
                    return
                if stop is not None and stop.is_set():
                    break
            flag.set()

        def watched(analysis: Analysis) -> object:
            return (report is not None and report(analysis)) or (
                time.monotonic() - begin > seconds * _SHARE_OF_TIME
            )

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            with self._helping(game):
                yield flag, watched
        finally:
            over.set()
            watcher.join()

    @contextlib.contextmanager
    def _helping(self, game: Game) -> Iterator[None]:
        """Further threads fill the table meanwhile."""
        flag = StopFlag()
        threads = []
        for index, helper in enumerate(self._helpers, 1):
            helper.share(self.core, index)
            arguments = (helper, game, flag)
            threads.append(threading.Thread(target=self._help, args=arguments, daemon=True))
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            flag.set()
            for thread in threads:
                thread.join()

    def _help(self, helper: CorePlayer, game: Game, flag: StopFlag) -> None:
        # What is wrong with the game the player itself says; memory it has of its own.
        with contextlib.suppress(ChaseError, MemoryError):
            helper.search(game.start, game.moves, flag, max_turns=self._max_turns)

    def close(self) -> None:
        """See `Player`; there is nothing to give back."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


# Our options and those of the core, by kind.
_NAMES: Final = {
    "seed": "seed", "eps": "eps", "temp": "temp", "nodes": "nodes", "depth": "depth",
    "hash": "hash_mib", "table": "table", "reductions": "reductions", "verify": "verify",
    "sims": "sims", "policy": "policy", "c": "exploration", "rollout": "rollout",
}  # fmt: skip


def _core_options(spec: PlayerSpec) -> dict[str, Any]:
    options: dict[str, Any] = {_NAMES[name]: value for name, value in spec.given if name in _NAMES}
    if spec.kind == "mcts" and spec.get("policy") == "uct":
        options.setdefault("exploration", _UCT_EXPLORATION)
    return options
