"""Games between players: one, and pairs of them on several threads.

A game is a pure function of opening, players and seed; what is played does not depend on how
many workers play, nor on how the work is split.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from queue import Empty, SimpleQueue

from chase_fast._core import BLUE, RED, Rules, Side, StopFlag, Termination
from chase_fast._core import play_game as core_game
from chase_fast._threads import run_jobs
from chase_fast.agents import CoreAgent, Player, PlayerError, PlayerSpec, make_player
from chase_fast.errors import ChaseError
from chase_fast.game import Game, Outcome

__all__ = ["GameResult", "PairResult", "derive_seed", "play_game", "play_pairs"]

# Pairs between two looks at what is finished: memory stays bounded.
_BATCH = 256


def derive_seed(*parts: int | str) -> int:
    """A seed of 64 bits from numbers and texts: the first bytes of their SHA-256.

    >>> derive_seed(1, "opening", 0) == derive_seed(1, "opening", 0) != derive_seed(1, "opening", 1)
    True
    """
    text = "\x1f".join(f"{type(part).__name__}:{part}" for part in parts)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


@dataclass(frozen=True, slots=True)
class GameResult:
    """A finished game.

    Attributes:
        game: From its first position on, the opening included.
        opening: Decisions of the opening.
        outcome: How it ended.
        fault: What was wrong with the player that lost by crash, time or illegal decision.
    """

    game: Game
    opening: int
    outcome: Outcome
    fault: str = ""

    def score(self, side: Side) -> float:
        """What the game is worth to a side: 1, ½ or 0."""
        winner = self.outcome.winner
        return 0.5 if winner is None else float(winner == side)


@dataclass(frozen=True, slots=True)
class PairResult:
    """Two games from one opening: in the first A is red, in the second blue.

    Attributes:
        index: Of the pair.
        games: Both games.
    """

    index: int
    games: tuple[GameResult, GameResult]

    @property
    def scores(self) -> tuple[float, float]:
        """A's score in each game."""
        return self.games[0].score(RED), self.games[1].score(BLUE)


def play_game(
    opening: Game,
    red: Player,
    blue: Player,
    *,
    seed: int,
    max_turns: int = 400,
    stop: StopFlag | None = None,
) -> GameResult | None:
    """Plays a game to its end.

    Where both players belong to the core and have no clock, all of it happens in C without the
    GIL; the result is the same.

    Args:
        opening: A game under way, which is copied.
        red: Player of the red dice.
        blue: Another player.
        seed: Of the game, 0 to 2**64 - 1.
        max_turns: Turns after which it is drawn, those of the opening included, from 1 on.
        stop: Ends it early.

    Returns:
        The result, or None if it was stopped.

    Raises:
        ArgumentError: The players are one, or a number outside its range.
    """
    flag = stop or StopFlag()
    game = opening.copy()
    cut = len(game.moves)
    if isinstance(red, CoreAgent) and isinstance(blue, CoreAgent) and not (red.timed or blue.timed):
        played = core_game(game.start, game.moves, red.core, blue.core, seed, max_turns, flag)
        if played is None:
            return None
        moves, row = played
        for move in moves:
            game.push(move)
        winner = None if row["winner"] < 0 else Side(int(row["winner"]))
        return GameResult(game, cut, Outcome(winner, str(Termination(int(row["termination"])))))
    players = {RED: red, BLUE: blue}
    side = RED
    try:
        for side, player in players.items():
            player.new_game(game.start, seed=seed, side=side, max_turns=max_turns)
        while (outcome := _outcome(game, max_turns)) is None:
            side = game.position.side_to_act
            choice = players[side].choose(game, flag)
            if flag.is_set():
                return None
            game.push(choice.move)
    except PlayerError as error:
        return GameResult(game, cut, Outcome(side.other, error.termination), str(error))
    except ChaseError:
        if flag.is_set():
            return None
        raise
    return GameResult(game, cut, outcome)


def _outcome(game: Game, max_turns: int) -> Outcome | None:
    if game.outcome is None and game.turn_ended and game.turn_count >= max_turns:
        return Outcome(None, "turn_limit")
    return game.outcome


class _Table:
    """Where pairs are played: two players, taken from a pool and given back."""

    def __init__(self, a: PlayerSpec, b: PlayerSpec, rules: Rules) -> None:
        self._make: Callable[[], tuple[Player, Player]] = lambda: (
            make_player(a, rules),
            make_player(b, rules),
        )
        self._free: SimpleQueue[tuple[Player, Player]] = SimpleQueue()
        self._all: list[tuple[Player, Player]] = []

    def take(self) -> tuple[Player, Player]:
        try:
            return self._free.get_nowait()
        except Empty:
            pair = self._make()
            self._all.append(pair)
            return pair

    def give(self, pair: tuple[Player, Player]) -> None:
        self._free.put(pair)

    def close(self) -> None:
        for pair in self._all:
            for player in pair:
                player.close()


def play_pairs(
    a: PlayerSpec | str,
    b: PlayerSpec | str,
    openings: Iterable[Game],
    *,
    rules: Rules | None = None,
    seed: int = 0,
    first_pair: int = 0,
    workers: int = 1,
    max_turns: int = 400,
    finished: Callable[[PairResult], None] | None = None,
) -> Iterator[PairResult]:
    """Plays a pair of games from each opening.

    Args:
        a: A player.
        b: Another, or the same text.
        openings: Games under way; read only as far as needed.
        rules: Those of the openings, by default standard.
        seed: 0 to 2**64 - 1; game g of pair i has the seed derived from it, i and g.
        first_pair: Number of the first pair; a split of the openings gives the same games.
        workers: Pairs played side by side.
        max_turns: See `play_game`.
        finished: Called with each result as soon as those before it are there.

    Yields:
        Results, in order, some hundred at a time.

    Raises:
        NotationError: A text that names no player; or anything that making them raises.
    """
    specs = [p if isinstance(p, PlayerSpec) else PlayerSpec.parse(p) for p in (a, b)]
    table = _Table(specs[0], specs[1], rules or Rules())

    def job(index: int, opening: Game, stop: StopFlag) -> Callable[[], PairResult | None]:
        def play() -> PairResult | None:
            first, second = pair = table.take()
            games = []
            for number, (red, blue) in enumerate(((first, second), (second, first))):
                game_seed = derive_seed(seed, "pair", index, number)
                result = play_game(
                    opening, red, blue, seed=game_seed, max_turns=max_turns, stop=stop
                )
                if result is None:
                    return None
                games.append(result)
            table.give(pair)
            return PairResult(index, (games[0], games[1]))

        return play

    def tell(result: PairResult | None) -> None:
        if result is not None and finished is not None:
            finished(result)

    try:
        table.give(table.take())  # what cannot be made is known before anything is played
        numbered = enumerate(openings, first_pair)
        while batch := list(islice(numbered, _BATCH)):
            stop = StopFlag()  # the one before is set
            jobs = [job(index, opening, stop) for index, opening in batch]
            for result in run_jobs(jobs, workers, stop, tell):
                if result is not None:
                    yield result
    finally:
        table.close()
