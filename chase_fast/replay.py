"""One random playout as a game, decision by decision."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from chase_fast._arguments import instance, whole_number
from chase_fast._core import Position, philox
from chase_fast.batch import MAX_SEED, playouts
from chase_fast.game import Game, Outcome

__all__ = ["playout_game", "playout_outcome"]

_WORD = 2**32


def playout_game(
    position: Position, game: int = 0, *, seed: int = 0, max_turns: int = 1000
) -> Game:
    """The game that `playouts` plays under the same seed and index.

    It takes some milliseconds where the compiled core takes microseconds, but keeps every decision.

    Args:
        position: Where it starts.
        game: Its index, 0 to 2**64 - 1.
        seed: As for `playouts`.
        max_turns: As for `playouts`; `playout_outcome` tells how a game ended that it cut short.

    Returns:
        The game, over unless the turn limit ended it.

    Raises:
        ArgumentError: An argument outside its range.
    """
    game = whole_number(game, "game", 0, MAX_SEED)
    playouts(position, 0, seed=seed, max_turns=max_turns)  # checks the other arguments
    played = Game(position)
    numbers = _numbers(seed, game)
    while played.turn_count < max_turns or not played.turn_ended:
        options = played.legal_moves
        if not options:
            break
        played.push(options[_below(len(options), numbers)])
    return played


def playout_outcome(game: Game) -> Outcome:
    """How a game of `playout_game` ended: by the rules, or else by the turn limit.

    Raises:
        ArgumentError: Not a game.
    """
    instance(game, "game", Game, "a Game")
    return game.outcome or Outcome(None, "turn_limit")


def _numbers(seed: int, game: int) -> Iterator[int]:
    """The stream of a game: 32 bits each."""
    for block in count():
        yield from philox(seed, game, block)


def _below(bound: int, numbers: Iterator[int]) -> int:
    """An unbiased number below the bound, by multiply and reject.

    Source: D. Lemire, Fast random integer generation in an interval, ACM Transactions on Modeling
    and Computer Simulation 29 (2019).
    """
    product = next(numbers) * bound
    while product % _WORD < _WORD % bound:
        product = next(numbers) * bound
    return product // _WORD
