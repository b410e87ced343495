"""Tournaments of players under one set of rules, and the sequential test of two.

All games are stored as a run (`chase_fast.runs`), and all results are read from what is stored, so
that a run in parts, on any number of threads, ends with those of one in one go.

Needs the extras ``store`` (pyarrow) and, for ratings, ``stats`` (scipy).
"""

from __future__ import annotations

from chase_fast.tournament.document import document_of
from chase_fast.tournament.play import (
    DEFAULT_MOST_PAIRS,
    play_sprt,
    play_tournament,
    sprt_settings,
    tournament_settings,
)
from chase_fast.tournament.results import SprtResult, TournamentResult
from chase_fast.tournament.schedule import FORMATS, Format, schedule
from chase_fast.tournament.sequential import DEFAULT_CHECKPOINT, SequentialTest, State
from chase_fast.tournament.snapshot import Snapshot
from chase_fast.tournament.standings import Pairing, Standing

__all__ = [
    "DEFAULT_CHECKPOINT",
    "DEFAULT_MOST_PAIRS",
    "FORMATS",
    "Format",
    "Pairing",
    "SequentialTest",
    "Snapshot",
    "SprtResult",
    "Standing",
    "State",
    "TournamentResult",
    "document_of",
    "play_sprt",
    "play_tournament",
    "schedule",
    "sprt_settings",
    "tournament_settings",
]
