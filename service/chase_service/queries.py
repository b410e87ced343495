"""What can be asked, as pieces of work of the engine. Knows nothing of the wire."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final

import numpy as np
import numpy.typing as npt

from chase_fast import GAME_DTYPE, Game, Move, Position, Rules, analyse
from chase_fast._core import Analysis, StopFlag, _perft, _playouts
from chase_fast.agents import PlayerSpec
from chase_fast.batch import Playouts
from chase_fast.cells import Pool
from chase_fast.errors import ArgumentError, ChaseError, InvalidRulesError
from chase_fast.simulate import PairResult, play_pair
from chase_fast.tally import Tally
from chase_service.engine import Stopped, Work
from chase_service.refusal import Reason, Refusal, refusal_of

__all__ = [
    "PerftQuery",
    "PlayoutsQuery",
    "Pool",
    "analysis",
    "decision_of",
    "pairs",
    "position_of",
    "replayed",
    "rules_of",
    "tally_of",
]

# Of this depth on a perft is divided by its first decision, so that threads can share it.
_DIVIDED: Final = 4
# Games of a piece: some tens of milliseconds.
_GAMES: Final = 1000
# Rough costs, in microseconds; they decide on portions, not on results.
_GAME_US: Final = 40.0
_NODE_US: Final = 0.01
_BRANCHING: Final = 46
_SLOW_US: Final = 1e6

_RULES: Final = 256


@lru_cache(_RULES)
def rules_of(text: str) -> Rules:
    """The rules of a text, standard if it is empty; those in use stay in memory.

    Raises:
        Refusal: INVALID_RULES.
    """
    try:
        return Rules.parse(text) if text else Rules()
    except InvalidRulesError as error:
        raise refusal_of(error, "rules") from None


def position_of(text: str, rules: Rules, field: str) -> Position:
    """The position of a CFEN, the start if it is empty.

    Raises:
        Refusal: INVALID_POSITION.
    """
    try:
        return Position.parse(text, rules) if text else Position.start(rules)
    except ChaseError as error:
        raise refusal_of(error, field) from None


def decision_of(value: int | str, field: str) -> Move:
    """The decision of a code or a text.

    Raises:
        Refusal: INVALID_DECISION.
    """
    try:
        return Move.parse(value) if isinstance(value, str) else Move.from_code(value)
    except ArgumentError:
        message = f"{field} is {value}, expected the code of a decision"
        raise Refusal(Reason.INVALID_DECISION, message, field=field) from None
    except ChaseError as error:
        raise refusal_of(error, field) from None


def replayed(start: Position, decisions: Iterable[int], field: str) -> Game:
    """The game in which these decisions were made.

    Raises:
        Refusal: INVALID_DECISION, ILLEGAL_DECISION, GAME_OVER, there or at the end.
    """
    game = Game(start)
    for number, code in enumerate(decisions):
        where = f"{field}[{number}]"
        try:
            game.push(decision_of(code, where))
        except ChaseError as error:
            raise refusal_of(error, where) from None
    if game.outcome is not None:
        message = f"the game is over, by {game.outcome.termination} (R11)"
        raise Refusal(Reason.GAME_OVER, message, field=field)
    return game


@dataclass(frozen=True, slots=True)
class PerftQuery:
    """A count of sequences.

    Attributes:
        position: Where they start.
        depth: Their length.
        unit: 0 decisions, 1 turns.
        divide: Whether the counts of each first decision are wanted.
    """

    position: Position
    depth: int
    unit: int
    divide: bool

    def works(self) -> list[Work[int]]:
        """One for each first decision, or one for all of it; the counts add up."""
        if not self.divide and self.depth < _DIVIDED:
            return [_count(self.position, self.depth, self.unit)]
        return [
            _count(child, self.depth - self._spent(child), self.unit)
            for child in map(self.position.apply, self.position.legal_moves)
        ]

    def _spent(self, child: Position) -> bool:
        return self.unit == 0 or child.side_to_act != self.position.side_to_act


def _count(position: Position, depth: int, unit: int) -> Work[int]:
    def run(stop: StopFlag) -> int:
        count = _perft(position, depth, unit, stop)
        if count is None:
            raise Stopped
        return count

    return Work(run, 1.0 + _NODE_US * float(_BRANCHING) ** depth)


@dataclass(frozen=True, slots=True)
class PlayoutsQuery:
    """Random games.

    Attributes:
        position: Where each starts.
        games: How many, at least 1.
        seed: 0 to 2**64 - 1.
        first_game: Index of the first one.
        max_turns: The turn limit.
    """

    position: Position
    games: int
    seed: int
    first_game: int
    max_turns: int

    def pieces(self, size: int = _GAMES) -> Iterator[PlayoutsQuery]:
        """The same games, so many at a time."""
        for start in range(0, self.games, size):
            games = min(size, self.games - start)
            first = self.first_game + start
            yield PlayoutsQuery(self.position, games, self.seed, first, self.max_turns)

    def play(self, stop: StopFlag) -> Playouts:
        """All of them.

        Raises:
            Stopped: The flag was set.
        """
        rows: npt.NDArray[np.void] = np.empty(self.games, GAME_DTYPE)
        played = _playouts(self.position, rows, self.seed, self.first_game, self.max_turns, stop)
        if played < self.games:
            raise Stopped
        return Playouts(
            self.position, rows,
            seed=self.seed, first_game=self.first_game, max_turns=self.max_turns,
        )  # fmt: skip

    @property
    def cost_us(self) -> float:
        """What they take, about."""
        return _GAME_US * self.games


def tally_of(piece: PlayoutsQuery) -> Work[Tally]:
    """Plays the games and sums them up."""

    def run(stop: StopFlag) -> Tally:
        tally = Tally()
        tally.add(piece.play(stop))
        return tally

    return Work(run, piece.cost_us)


def analysis(game: Game, player: PlayerSpec, lines: int) -> Work[Analysis]:
    """Searches the position of a game under way."""

    def run(stop: StopFlag) -> Analysis:
        try:
            found = analyse(game, player, lines=lines, stop=stop)
        except ChaseError:
            if stop.is_set():
                raise Stopped from None
            raise
        if stop.is_set():
            raise Stopped
        return found

    return Work(run, _SLOW_US)


def pairs(
    players: tuple[PlayerSpec, PlayerSpec],
    openings: Sequence[Game],
    *,
    first_pair: int,
    seed: int,
    max_turns: int,
    pool: Pool,
) -> Iterator[Work[list[PairResult]]]:
    """Two games from each opening, in pieces that take a while."""
    rules = openings[0].rules if openings else Rules()
    fast = all(player.kind in ("random", "greedy") for player in players)
    numbered = iter(enumerate(openings, first_pair))

    def piece(portion: Sequence[tuple[int, Game]]) -> Work[list[PairResult]]:
        def run(stop: StopFlag) -> list[PairResult]:
            a, b = (pool.take(player, rules) for player in players)
            try:
                found = [
                    play_pair(index, game, a, b, seed=seed, max_turns=max_turns, stop=stop)
                    for index, game in portion
                ]
            finally:
                pool.give(a, rules)
                pool.give(b, rules)
            results = [result for result in found if result is not None]
            if len(results) < len(portion):
                raise Stopped
            return results

        return Work(run, _SLOW_US)

    while portion := list(islice(numbered, 8 if fast else 1)):
        yield piece(portion)
