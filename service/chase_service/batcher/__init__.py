"""Many small requests made into few engine calls, on few threads.

Generic: knows neither the engine, which it is handed as an `Engine`, nor gRPC. All of it lives on
one event loop, and only the hooks of the engine and chunks of jobs run on other threads; so nothing
here needs a lock but the stop flag.
"""

from __future__ import annotations

from chase_service.batcher.batcher import Batcher
from chase_service.batcher.items import (
    AGAIN,
    Answer,
    Clock,
    Counts,
    Ending,
    Engine,
    EngineFaultError,
    Item,
    Pending,
    Stop,
    Ticket,
    Workers,
)
from chase_service.batcher.threads import Threads

__all__ = [
    "AGAIN",
    "Answer",
    "Batcher",
    "Clock",
    "Counts",
    "Ending",
    "Engine",
    "EngineFaultError",
    "Item",
    "Pending",
    "Stop",
    "Threads",
    "Ticket",
    "Workers",
]
