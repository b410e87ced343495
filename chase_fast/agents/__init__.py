"""Players: what a text such as ``ab:nodes=10000`` names, and programs that speak the protocol.

`chase_fast.agents.external` and `chase_fast.agents.protocol` are imported where they are needed.
"""

from chase_fast.agents.analyse import analyse
from chase_fast.agents.base import Choice, Player, PlayerError
from chase_fast.agents.core import CoreAgent
from chase_fast.agents.make import make_player
from chase_fast.agents.spec import OPTIONS, Option, PlayerSpec
from chase_fast.agents.weights import Weights, load_weights, save_weights

__all__ = [
    "OPTIONS",
    "Choice",
    "CoreAgent",
    "Option",
    "Player",
    "PlayerError",
    "PlayerSpec",
    "Weights",
    "analyse",
    "load_weights",
    "make_player",
    "save_weights",
]
