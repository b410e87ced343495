"""Jobs: long work that goes on without its caller, and outlives the server.

Knows neither gRPC nor protobuf. A job is a row in ``jobs.sqlite`` and a folder below ``jobs``, with
its run (`chase_fast.runs`) and, when it has ended, its results.
"""

from __future__ import annotations

from chase_service.jobs.manager import Jobs, read_piece
from chase_service.jobs.records import ENDED, File, Job, State
from chase_service.jobs.room import Room
from chase_service.jobs.threads import Background
from chase_service.jobs.work import Kind, Work

__all__ = [
    "ENDED", "Background", "File", "Job", "Jobs", "Kind", "Room", "State", "Work", "read_piece",
]  # fmt: skip
