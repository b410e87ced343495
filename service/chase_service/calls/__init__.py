"""What both clients share: what calls are made of, what becomes of answers and of failures."""

from __future__ import annotations

from chase_service.calls.arguments import ArgumentError
from chase_service.calls.failures import ATTEMPTS, ServiceError, Tries
from chase_service.calls.jobs import (
    Download,
    PartFile,
    Watch,
    cancel_job,
    create_job,
    delete_job,
    file_of,
    get_job,
    job_page,
)
from chase_service.calls.plans import (
    ITEMS,
    Ahead,
    Plan,
    Position,
    analyse,
    apply,
    batches,
    batches_async,
    legal_decisions,
    perft,
    playouts,
    playouts_from,
    version,
)
from chase_service.calls.results import (
    Analysed,
    Decisions,
    ItemError,
    Job,
    JobFile,
    JobState,
    Line,
    PlayedGame,
)
from chase_service.calls.streams import Games, Openings, PlayoutGames, Reading

__all__ = [
    "ATTEMPTS",
    "ITEMS",
    "Ahead",
    "Analysed",
    "ArgumentError",
    "Decisions",
    "Download",
    "Games",
    "ItemError",
    "Job",
    "JobFile",
    "JobState",
    "Line",
    "Openings",
    "PartFile",
    "Plan",
    "PlayedGame",
    "PlayoutGames",
    "Position",
    "Reading",
    "ServiceError",
    "Tries",
    "Watch",
    "analyse",
    "apply",
    "batches",
    "batches_async",
    "cancel_job",
    "create_job",
    "delete_job",
    "file_of",
    "get_job",
    "job_page",
    "legal_decisions",
    "perft",
    "playouts",
    "playouts_from",
    "version",
]
