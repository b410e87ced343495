"""What a player is to those who let it play."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, Self

from chase_fast._core import Analysis, Move, Position, Side, StopFlag
from chase_fast.agents.spec import PlayerSpec
from chase_fast.errors import ChaseError
from chase_fast.game import Game


class PlayerError(ChaseError):
    """A player cannot go on and has lost this game; `new_game` makes it ready again.

    Attributes:
        termination: ``illegal``, ``crash`` or ``time``.
    """

    def __init__(self, message: str, termination: str) -> None:
        super().__init__(message)
        self.termination = termination

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (str(self), self.termination)


class Choice(NamedTuple):
    """A decision, and what was found on the way to it."""

    move: Move
    analysis: Analysis | None


class Player(Protocol):
    """Plays one side of one game at a time, in one thread at a time."""

    @property
    def spec(self) -> PlayerSpec:
        """Its text, parsed."""

    def new_game(
        self,
        start: Position,
        *,
        seed: int,
        side: Side,
        max_turns: int,
        stop: StopFlag | None = None,
    ) -> None:
        """Forgets everything; a game begins, and all its numbers depend on `seed`.

        Args:
            start: First position.
            seed: 0 to 2**64 - 1.
            side: The side that it plays.
            max_turns: Turn limit, 0 for none.
            stop: Ends the wait for a player that takes its time.

        Raises:
            PlayerError: It cannot be made ready.
            ChaseError: `stop` was set.
        """

    def choose(self, game: Game, stop: StopFlag | None = None) -> Choice:
        """Its decision in the position of `game`, whose history began with `new_game`.

        Raises:
            PlayerError: It has none.
            GameOverError: The game is over.
        """

    def search(
        self, game: Game, *, lines: int = 1, stop: StopFlag | None = None, report: Any = None
    ) -> Analysis:
        """What it thinks of the position: `lines` different first moves.

        Raises:
            PlayerError: It has nothing to say.
            GameOverError: The game is over.
        """

    def close(self) -> None:
        """Gives everything back; it does not play any more."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *exception: object) -> None: ...
