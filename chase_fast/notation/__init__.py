"""Turns in text: our own notation and those of other programs.

Every reader takes a position and the text of one whole turn and returns its decisions in order;
every writer takes a position and the decisions of one whole turn. Both play the turn through, so
what comes out is legal and complete. ``docs/notation.md`` gives the grammars.

========================  ============================  =====================================
program                   a turn                        functions
========================  ============================  =====================================
Chase Fast                ``+d6 +e4 e4SW``              :func:`read_turn`, :func:`write_turn`
AbstractPlay              ``{d6,e4}e4-c1SW``            :func:`read_abstractplay`,
                                                        :func:`write_abstractplay`
chase-ai                  ``D6+=2 E4+=1 E4-C1``         :func:`read_chase_ai`,
                                                        :func:`write_chase_ai`
========================  ============================  =====================================

chase-ai also has a position text: :func:`read_chase_ai_position`, :func:`write_chase_ai_position`.
"""

from chase_fast.notation.abstractplay import read_abstractplay, write_abstractplay
from chase_fast.notation.chase_ai import (
    read_chase_ai,
    read_chase_ai_position,
    write_chase_ai,
    write_chase_ai_position,
)
from chase_fast.notation.turn import read_turn, write_turn

__all__ = [
    "read_abstractplay",
    "read_chase_ai",
    "read_chase_ai_position",
    "read_turn",
    "write_abstractplay",
    "write_chase_ai",
    "write_chase_ai_position",
    "write_turn",
]
