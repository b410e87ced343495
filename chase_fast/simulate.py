"""Games between players: one, and pairs of them on several threads.

A game is a pure function of opening, players and seed; what is played does not depend on how
many workers play, nor on how the work is split.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from itertools import islice
from queue import Empty, SimpleQueue

from chase_fast._arguments import as_int, callback, elements, instance, shown, whole_number
from chase_fast._core import BLUE, MAX_TURN_LIMIT, RED, Rules, Side, StopFlag, Termination
from chase_fast._core import play_game as core_game
from chase_fast._threads import run_jobs
from chase_fast.agents import CoreAgent, Player, PlayerError, PlayerSpec, make_player
from chase_fast.batch import MAX_SEED, MAX_THREADS
from chase_fast.errors import ArgumentError, ChaseError, IllegalMoveError, NotationError
from chase_fast.game import Game, Outcome

__all__ = ["GameResult", "PairResult", "derive_seed", "play_game", "play_pair", "play_pairs"]

# Pairs between two looks at what is finished: memory stays bounded.
_BATCH = 256


def derive_seed(*parts: int | str) -> int:
    """A seed of 64 bits from numbers and texts: the first bytes of their SHA-256.

    Args:
        parts: Integers from -2**63 to 2**64 - 1, and texts.

    Raises:
        ArgumentError: A part that is neither.

    >>> derive_seed(1, "opening", 0) == derive_seed(1, "opening", 0) != derive_seed(1, "opening", 1)
    True
    """
    text = "\x1f".join(_part(part, number) for number, part in enumerate(parts))
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big")


def _part(part: int | str, number: int) -> str:
    if isinstance(part, str):
        return f"str:{str.__str__(part)}"
    value = as_int(part)
    if value is None or not -(2**63) <= value <= MAX_SEED:
        raise ArgumentError(
            f"parts[{number}] is {shown(part)}, expected a text or an integer from -2**63 to "
            "2**64 - 1"
        )
    return f"int:{value}"


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
        """What the game is worth to a side: 1, ½ or 0.

        Raises:
            ArgumentError: Not a side.
        """
        instance(side, "side", Side, "RED or BLUE")
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
    GIL; the result is the same. A player that crashes, takes too long or decides what is not
    legal has lost; its next `new_game` makes it ready again.

    Args:
        opening: A game under way, which is copied.
        red: Player of the red dice.
        blue: Another player.
        seed: Of the game, 0 to 2**64 - 1.
        max_turns: Turns after which it is drawn, those of the opening included; more than these,
            `MAX_TURN_LIMIT` at most.
        stop: Ends it early.

    Returns:
        The result, or None if it was stopped.

    Raises:
        ArgumentError: The opening is over, the players are one or under other rules, or a number
            is outside its range.
    """
    _check_opening(opening)
    whole_number(seed, "seed", 0, MAX_SEED)
    whole_number(max_turns, "max_turns", opening.turn_count + 1, MAX_TURN_LIMIT)
    for name, player in (("red", red), ("blue", blue)):
        if not all(hasattr(type(player), method) for method in ("new_game", "choose")):
            raise ArgumentError(f"{name} is {shown(player)}, expected a player of make_player")
    if red is blue:
        raise ArgumentError("red and blue must be two players, not one")
    if stop is None:
        stop = StopFlag()
    instance(stop, "stop", StopFlag, "a StopFlag or None")
    game = opening.copy()
    if isinstance(red, CoreAgent) and isinstance(blue, CoreAgent) and not (red.timed or blue.timed):
        return _play_in_core(game, red, blue, seed, max_turns, stop)
    return _play_by_turns(game, {RED: red, BLUE: blue}, seed, max_turns, stop)


def _check_opening(opening: Game) -> None:
    instance(opening, "opening", Game, "a Game under way")
    if opening.outcome is not None:
        raise ArgumentError(f"the opening is over, by {opening.outcome.termination}")


def _play_in_core(
    game: Game, red: CoreAgent, blue: CoreAgent, seed: int, max_turns: int, stop: StopFlag
) -> GameResult | None:
    cut = len(game.moves)
    played = core_game(game.start, game.moves, red.core, blue.core, seed, max_turns, stop)
    if played is None:
        return None
    moves, row = played
    for move in moves:
        game.push(move)
    winner = None if row["winner"] < 0 else Side(int(row["winner"]))
    return GameResult(game, cut, Outcome(winner, str(Termination(int(row["termination"])))))


def _play_by_turns(
    game: Game, players: dict[Side, Player], seed: int, max_turns: int, stop: StopFlag
) -> GameResult | None:
    cut = len(game.moves)
    side = RED
    try:
        for side, player in players.items():
            player.new_game(game.start, seed=seed, side=side, max_turns=max_turns, stop=stop)
        while (outcome := _outcome(game, max_turns)) is None:
            side = game.position.side_to_act
            choice = players[side].choose(game, stop)
            if stop.is_set():
                return None
            try:
                game.push(choice.move)
            except (IllegalMoveError, NotationError) as error:
                wrong = f"{players[side].spec} decided {shown(str(choice.move))}: {error}"
                raise PlayerError(wrong, "illegal") from None
    except PlayerError as error:
        return GameResult(game, cut, Outcome(side.other, error.termination), str(error))
    except ChaseError:
        if stop.is_set():
            return None
        raise
    return GameResult(game, cut, outcome)


def _outcome(game: Game, max_turns: int) -> Outcome | None:
    if game.outcome is None and game.turn_ended and game.turn_count >= max_turns:
        return Outcome(None, "turn_limit")
    return game.outcome


def play_pair(
    index: int,
    opening: Game,
    a: Player,
    b: Player,
    *,
    seed: int,
    max_turns: int = 400,
    stop: StopFlag | None = None,
) -> PairResult | None:
    """Plays two games from one opening: in the first A is red, in the second blue.

    Args:
        index: Number of the pair, 0 to 2**64 - 1.
        opening: See `play_game`.
        a: A player.
        b: Another player.
        seed: 0 to 2**64 - 1; game g of pair i has the seed derived from it, i and g.
        max_turns: See `play_game`.
        stop: Ends it early.

    Returns:
        The result, or None if it was stopped.

    Raises:
        ArgumentError: See `play_game`.
    """
    whole_number(index, "index", 0, MAX_SEED)
    whole_number(seed, "seed", 0, MAX_SEED)
    games = []
    for number, (red, blue) in enumerate(((a, b), (b, a))):
        game_seed = derive_seed(seed, "pair", index, number)
        played = play_game(opening, red, blue, seed=game_seed, max_turns=max_turns, stop=stop)
        if played is None:
            return None
        games.append(played)
    return PairResult(index, (games[0], games[1]))


class _Pool:
    """Two players for each thread that wants them, taken and given back."""

    def __init__(self, a: PlayerSpec, b: PlayerSpec, rules: Rules) -> None:
        self._specs = (a, b)
        self._rules = rules
        self._free: SimpleQueue[tuple[Player, Player]] = SimpleQueue()
        self._made: list[Player] = []

    def take(self) -> tuple[Player, Player]:
        try:
            return self._free.get_nowait()
        except Empty:
            # A program that does not start for once has lost a game, and does not end the match.
            return self.make(start=False)

    def make(self, *, start: bool) -> tuple[Player, Player]:
        pair = []
        for spec in self._specs:
            pair.append(make_player(spec, self._rules, start=start))
            self._made.append(pair[-1])
        return pair[0], pair[1]

    def give(self, pair: tuple[Player, Player]) -> None:
        self._free.put(pair)

    def close(self) -> None:
        for player in self._made:
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
) -> Generator[PairResult, None, None]:
    """Plays a pair of games from each opening.

    Args:
        a: A player.
        b: Another, or the same text.
        openings: Games under way; read some hundred at a time.
        rules: Those of the openings, by default standard.
        seed: See `play_pair`.
        first_pair: Number of the first pair; a split of the openings gives the same games.
        workers: Pairs played side by side, 1 to 1024.
        max_turns: See `play_game`.
        finished: Called with each result as soon as those before it are there.

    Yields:
        Results, in order, some hundred at a time. Players are ended with the iterator.

    Raises:
        NotationError: A text that names no player; at the call, as for all other arguments.
        ArgumentError: An argument that is not as described, or an opening under other rules.
        WeightsError: A weight file that cannot be read; before anything is played.
        PlayerError: Likewise a program that does not start.
    """
    specs = [p if isinstance(p, PlayerSpec) else PlayerSpec.parse(p) for p in (a, b)]
    rules = instance(Rules() if rules is None else rules, "rules", Rules, "Rules or None")
    numbered = enumerate(
        elements(openings, "openings", "games"), whole_number(first_pair, "first_pair", 0, MAX_SEED)
    )
    workers = whole_number(workers, "workers", 1, MAX_THREADS)
    seed = whole_number(seed, "seed", 0, MAX_SEED)
    max_turns = whole_number(max_turns, "max_turns", 1, MAX_TURN_LIMIT)
    callback(finished, "finished")
    pool = _Pool(specs[0], specs[1], rules)

    def job(index: int, opening: Game, stop: StopFlag) -> Callable[[], PairResult | None]:
        _check_opening(opening)
        if opening.rules != rules:
            raise ArgumentError(
                f"opening {index} is under the rules {opening.rules}, the match under {rules}"
            )

        def play() -> PairResult | None:
            pair = pool.take()
            result = play_pair(index, opening, *pair, seed=seed, max_turns=max_turns, stop=stop)
            pool.give(pair)
            return result

        return play

    def tell(result: PairResult | None) -> None:
        if result is not None and finished is not None:
            finished(result)

    def play_all() -> Generator[PairResult, None, None]:
        try:
            pool.give(pool.make(start=True))
            while batch := list(islice(numbered, _BATCH)):
                stop = StopFlag()  # the one before is set
                jobs = [job(index, opening, stop) for index, opening in batch]
                for result in run_jobs(jobs, workers, stop, tell):
                    if result is not None:
                        yield result
        finally:
            pool.close()

    return play_all()
