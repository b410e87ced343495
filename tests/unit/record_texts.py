"""Records for tests, as texts and as values."""

from __future__ import annotations

import datetime as dt

from chase_fast._core import BLUE, Move, Position, Rules
from chase_fast.game import Outcome
from chase_fast.record import Record

WON_BY = ("e3e3e/8e/9/9/9/4e4/5B3/9/A1EE1CED1 r - 3/5", "c6NW")
NINE_DUE = "abcdedcba/9/9/9/3B5/5A3/9/9/C1C1C1D2 r - 4/1"

SHORT = """\
[Red "Ann"]
[Blue "Ben"]
[Rules "standard"]
[Result "*"]

1. a5NE 2. i5SE *
"""
FULL = """\
[Red "Ann \\"the die\\" Lee"]
[Blue "Ben\\\\Bob"]
[Date "2025-01-31"]
[Rules "chain=yes"]
[Start "abcdedcba/9/9/9/3B5/5A3/9/9/C1C1C1D2 r - 4/1"]
[Result "0-1"]
[Termination "time"]
[Event "Cup"]
[Round "1"]

{a long thought} 1. +d6 +e4 e4SW {nine pips} 2. i5SE {closing \\} brace} 0-1
"""


def full_record() -> Record:
    return Record(
        start=Position.parse(NINE_DUE, Rules(chain=True)),
        moves=tuple(map(Move.parse, ("+d6", "+e4", "e4SW", "i5SE"))),
        outcome=Outcome(BLUE, "time"),
        red='Ann "the die" Lee',
        blue="Ben\\Bob",
        date=dt.date(2025, 1, 31),
        tags=(("Event", "Cup"), ("Round", "1")),
        comment="a long thought",
        comments=("nine pips", "closing } brace"),
    )
