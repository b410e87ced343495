"""What can be asked, as pieces of work of the engine. Knows nothing of the wire."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from chase_fast import GAME_DTYPE, Game, Move, Position, Rules, analyse
from chase_fast._core import Analysis, StopFlag, _perft, _playouts
from chase_fast.agents import PlayerError, PlayerSpec, make_player
from chase_fast.batch import Playouts
from chase_fast.errors import ArgumentError, ChaseError, InvalidRulesError
from chase_fast.simulate import PairResult, play_pair
from chase_fast.tally import Tally
from chase_service.engine import Stopped, Work, poll
from chase_service.refusal import Reason, Refusal, refusal_of

__all__ = [
    "AnalysisQuery",
    "PerftQuery",
    "PlayoutsQuery",
    "Start",
    "decision_of",
    "moved",
    "pairs",
    "position_of",
    "replayed",
    "rules_of",
    "start_of",
    "tally_of",
]

_log = logging.getLogger("chase_service")

# Of this depth on a perft is divided by its first decision, so that threads can share it.
_DIVIDED: Final = 4
# Games of a piece: at least some milliseconds, at most a tenth of a second, unless that would make
# too many pieces. A piece has at most this share of what is left.
_GAMES: Final = 1000
_MOST_GAMES: Final = 8000
_PIECES: Final = 500
_GUIDED: Final = 4
# Pairs of fast players that are a piece, and sent together; long games are sent pair by pair.
_PAIRS: Final = 8
_LONG_TURNS: Final = 10_000
# Rough costs, in microseconds; they decide on portions, not on results.
_GAME_US: Final = 13.0
_NODE_US: Final = 0.01
_BRANCHING: Final = 46
_SLOW_US: Final = 1e6
# To make a player; and of options that bound a search: a node, a simulation, a second.
_PLAYER_US: Final = 1000.0
_DECISION_US: Final = 2.0  # to make it again
_EACH_US: Final = {"nodes": 0.25, "sims": 4.0, "time": 1e6}

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


def moved(
    position: Position, decisions: Sequence[int | str], first: int, name: str, stop: StopFlag
) -> Position:
    """Where decisions lead, one after the other.

    Args:
        position: Where they begin.
        decisions: Codes or texts.
        first: Index of the first one in the field that they come from.
        name: Of that field.
        stop: Ends it early.

    Raises:
        Refusal: INVALID_DECISION, ILLEGAL_DECISION, GAME_OVER.
        Stopped: The flag was set.
    """
    for number, decision in enumerate(decisions, first):
        poll(stop)
        where = f"{name}[{number}]"
        move = decision_of(decision, where)
        try:
            position = position.apply(move)
        except ChaseError as error:
            raise refusal_of(error, where) from None
    return position


def replayed(start: Position, decisions: Iterable[int], field: str, stop: StopFlag) -> Game:
    """The game in which these decisions were made.

    Args:
        start: Where it begins.
        decisions: Their codes.
        field: That they come from.
        stop: Ends it early.

    Raises:
        Refusal: INVALID_DECISION, ILLEGAL_DECISION, GAME_OVER, there or at the end.
        Stopped: The flag was set.
    """
    game = Game(start)
    for number, code in enumerate(decisions):
        poll(stop)
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

    def works(self, *, split: bool) -> list[Work[list[int]]]:
        """Counts of each first decision, or one for all; their sum is the count.

        Args:
            split: Whether a long count may be several works, so that threads share it.
        """
        if not self.divide and (not split or self.depth < _DIVIDED):
            return [_count([(self.position, self.depth)], self.unit)]
        if split:
            return [_count([branch], self.unit) for branch in self._branches()]
        cost = _cost_us(self.depth)
        return [Work(lambda stop: _count(self._branches(), self.unit).run(stop), cost)]

    def _branches(self) -> list[tuple[Position, int]]:
        """The positions after each decision, with the depth that is left."""
        side = self.position.side_to_act
        children = map(self.position.apply, self.position.legal_moves)
        return [
            (child, self.depth - (self.unit == 0 or child.side_to_act != side))
            for child in children
        ]


def _count(branches: Sequence[tuple[Position, int]], unit: int) -> Work[list[int]]:
    def run(stop: StopFlag) -> list[int]:
        counts: list[int] = []
        for position, depth in branches:
            count = _perft(position, depth, unit, stop)
            if count is None:
                raise Stopped
            counts.append(count)
        return counts

    return Work(run, sum(_cost_us(depth) for _, depth in branches))


def _cost_us(depth: int) -> float:
    return 1.0 + _NODE_US * float(_BRANCHING) ** depth


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

    def pieces(self, size: int | None = None) -> Iterator[PlayoutsQuery]:
        """The same games, so many at a time.

        Args:
            size: How many. By default many at first, since each way to a thread costs, and fewer
                towards the end, so that threads end at about the same time.
        """
        done = 0
        while done < self.games:
            left = self.games - done
            games = size or max(_GAMES, min(left // _GUIDED, max(_MOST_GAMES, left // _PIECES)))
            # Nothing is left for a piece that would be too small.
            if left - games < (0 if size else _GAMES):
                games = left
            first = self.first_game + done
            yield PlayoutsQuery(self.position, games, self.seed, first, self.max_turns)
            done += games

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


@dataclass(frozen=True, slots=True)
class AnalysisQuery:
    """A search of the position of a game under way.

    Its game is made when it is searched, and not kept: of thousands of long ones, each of which
    knows all its positions, a call would need hundreds of MiB.

    Attributes:
        start: Where the game begins.
        decisions: Codes of what was decided since.
        field: That they come from.
        player: Searches.
        lines: How many are wanted.
    """

    start: Position
    decisions: Sequence[int]
    field: str
    player: PlayerSpec
    lines: int

    def game(self, stop: StopFlag) -> Game:
        """The game, as `replayed` makes it.

        Raises:
            Refusal, Stopped: See there.
        """
        return replayed(self.start, self.decisions, self.field, stop)

    def work(self) -> Work[Analysis]:
        """Makes the game and searches; refuses what is no game under way."""
        cost = _search_us(self.player) + _DECISION_US * len(self.decisions)
        return Work(self._run, cost)

    def _run(self, stop: StopFlag) -> Analysis:
        game = self.game(stop)
        try:
            found = analyse(game, self.player, lines=self.lines, stop=stop)
        except ChaseError as error:
            if stop.is_set():
                raise Stopped from None
            if isinstance(error, PlayerError):
                _log.exception("%s does not play", self.player)
                message = "the program does not play; the log of the server says more"
                raise Refusal(Reason.INTERNAL, message) from None
            raise
        if stop.is_set():
            raise Stopped
        return found


def _search_us(player: PlayerSpec) -> float:
    """What a search takes, about, with the player that is made for it."""
    given = dict(player.given)
    bounds = [float(given[option]) * each for option, each in _EACH_US.items() if option in given]
    if bounds or player.kind in ("random", "greedy"):
        return _PLAYER_US + min(bounds, default=0.0)
    return _SLOW_US


class Start(NamedTuple):
    """An opening, small enough to keep thousands: where it begins, and its decisions."""

    position: Position
    moves: tuple[Move, ...]


def start_of(game: Game) -> Start:
    """The opening that a game is."""
    return Start(game.start, tuple(game.moves))


def pairs(
    players: tuple[PlayerSpec, PlayerSpec],
    openings: Sequence[Start],
    *,
    first_pair: int,
    seed: int,
    max_turns: int,
) -> Iterator[Work[list[PairResult]]]:
    """Two games from each opening, in pieces that take a while.

    Players live as long as a piece: what they need of memory, tables of many MiB and programs, is
    bounded by the threads, whatever callers there are.
    """
    fast = all(player.kind in ("random", "greedy") for player in players)
    size = _PAIRS if fast and max_turns <= _LONG_TURNS else 1
    numbered = enumerate(openings, first_pair)

    def piece(portion: Sequence[tuple[int, Start]]) -> Work[list[PairResult]]:
        def run(stop: StopFlag) -> list[PairResult]:
            rules = portion[0][1].position.rules
            results: list[PairResult] = []
            with (
                make_player(players[0], rules, start=False) as a,
                make_player(players[1], rules, start=False) as b,
            ):
                for index, (start, moves) in portion:
                    opening = Game(start)
                    for move in moves:
                        poll(stop)
                        opening.push(move)
                    result = play_pair(
                        index, opening, a, b, seed=seed, max_turns=max_turns, stop=stop
                    )
                    if result is None:
                        raise Stopped
                    results.append(result)
            return results

        return Work(run, _SLOW_US)

    while portion := list(islice(numbered, size)):
        yield piece(portion)
