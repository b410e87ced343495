"""A slow, obvious model of the rules of Chase, written from the rule book alone.

It is the independent oracle for the engine: it shares no code with it and uses no tables.
"""

from .game import RefGame
from .model import RefPosition, events, half_turn_decision, perft
from .rules import RefRules

__all__ = ["RefGame", "RefPosition", "RefRules", "events", "half_turn_decision", "perft"]
