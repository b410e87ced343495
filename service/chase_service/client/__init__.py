"""Clients for Python, one that blocks and one for asyncio, with the same calls.

They know texts and numbers, not the engine: rules and positions are texts, decisions codes
(``Move.from_code`` of `chase_fast` reads them). Large batches are cut and put together again. A
call that finds no server is tried again, with the delay that the server named if it did; streams
of which it is known how far they have come go on from there.
"""

from __future__ import annotations

from chase_service._pb.chase.v1.jobs_service_pb2 import (
    BalanceJob,
    JobSpec,
    SelfPlayJob,
    SprtJob,
    TournamentJob,
)
from chase_service.calls import (
    Analysed,
    ArgumentError,
    Decisions,
    ItemError,
    Job,
    JobFile,
    JobState,
    Line,
    PlayedGame,
    ServiceError,
)
from chase_service.client.asynchronous import AsyncClient
from chase_service.client.blocking import Client

__all__ = [
    "Analysed",
    "ArgumentError",
    "AsyncClient",
    "BalanceJob",
    "Client",
    "Decisions",
    "ItemError",
    "Job",
    "JobFile",
    "JobSpec",
    "JobState",
    "Line",
    "PlayedGame",
    "SelfPlayJob",
    "ServiceError",
    "SprtJob",
    "TournamentJob",
]
