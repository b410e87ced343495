"""Chase Fast: an exact and fast engine for the dice game Chase.

The rules of one game are a `Rules`, a moment of it a `Position`, and what a side decides a `Move`.
"""

from typing import TYPE_CHECKING, Any

from chase_fast._core import (
    BLUE,
    DECISION_DTYPE,
    GAME_DTYPE,
    MAX_DECISIONS,
    MAX_PERFT_DEPTH,
    MAX_TURN_LIMIT,
    RED,
    Direction,
    Kind,
    LegalMoves,
    Move,
    Position,
    Rules,
    Side,
    Termination,
    TraceStep,
    available_isas,
    cell_name,
    neighbour,
    parse_cell,
)
from chase_fast._version import __version__
from chase_fast.batch import Playouts, divide, perft, playout_batches, playouts
from chase_fast.errors import (
    AmbiguousNotationError,
    ArgumentError,
    ChaseError,
    GameOverError,
    IllegalMoveError,
    InvalidPositionError,
    InvalidRulesError,
    NotationError,
    RecordError,
)
from chase_fast.game import Game, Outcome

if TYPE_CHECKING:
    from chase_fast.agents.analyse import analyse

__all__ = [
    "BLUE",
    "DECISION_DTYPE",
    "GAME_DTYPE",
    "MAX_DECISIONS",
    "MAX_PERFT_DEPTH",
    "MAX_TURN_LIMIT",
    "RED",
    "AmbiguousNotationError",
    "ArgumentError",
    "ChaseError",
    "Direction",
    "Game",
    "GameOverError",
    "IllegalMoveError",
    "InvalidPositionError",
    "InvalidRulesError",
    "Kind",
    "LegalMoves",
    "Move",
    "NotationError",
    "Outcome",
    "Playouts",
    "Position",
    "RecordError",
    "Rules",
    "Side",
    "Termination",
    "TraceStep",
    "__version__",
    "analyse",
    "available_isas",
    "cell_name",
    "divide",
    "neighbour",
    "parse_cell",
    "perft",
    "playout_batches",
    "playouts",
]


def __getattr__(name: str) -> Any:
    """Players take longer to import than all the rest, and not everybody wants one."""
    if name != "analyse":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from chase_fast.agents.analyse import analyse

    globals()[name] = analyse
    return analyse
