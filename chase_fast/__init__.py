"""Chase Fast: an exact and fast engine for the dice game Chase.

The rules of one game are a `Rules`, a moment of it a `Position`, and what a side decides a `Move`.
"""

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
    ArgumentError,
    ChaseError,
    GameOverError,
    IllegalMoveError,
    InvalidPositionError,
    InvalidRulesError,
    NotationError,
)

__all__ = [
    "BLUE",
    "DECISION_DTYPE",
    "GAME_DTYPE",
    "MAX_DECISIONS",
    "MAX_PERFT_DEPTH",
    "MAX_TURN_LIMIT",
    "RED",
    "ArgumentError",
    "ChaseError",
    "Direction",
    "GameOverError",
    "IllegalMoveError",
    "InvalidPositionError",
    "InvalidRulesError",
    "Kind",
    "LegalMoves",
    "Move",
    "NotationError",
    "Playouts",
    "Position",
    "Rules",
    "Side",
    "Termination",
    "TraceStep",
    "__version__",
    "available_isas",
    "cell_name",
    "divide",
    "neighbour",
    "parse_cell",
    "perft",
    "playout_batches",
    "playouts",
]
