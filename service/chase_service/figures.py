"""Figures of a server that others show: how its engine stands, and what was done."""

from __future__ import annotations

import threading
from dataclasses import dataclass

__all__ = ["Done", "EngineFigures"]


@dataclass(frozen=True, kw_only=True, slots=True)
class EngineFigures:
    """The engine at one moment. What is counted is counted since it was made.

    Attributes:
        queued_items: Portions of work that wait for a thread.
        queued_bytes: Bytes of the requests that wait.
        busy_threads: Threads that work, for queries or jobs.
        batches: Engine calls on threads.
        merged: Portions in these calls.
        inline: Portions done on the event loop itself.
        retried: Engine calls whose portions were tried again, apart.
        stuck: Threads that do not come back, at this moment.
    """

    queued_items: int = 0
    queued_bytes: int = 0
    busy_threads: int = 0
    batches: int = 0
    merged: int = 0
    inline: int = 0
    retried: int = 0
    stuck: int = 0


class Done:
    """Counts what was done. For many threads.

    Attributes:
        games: Games played to their end, for calls and jobs.
        nodes: Nodes of analyses.
    """

    def __init__(self) -> None:
        self.games = 0
        self.nodes = 0
        self._lock = threading.Lock()

    def add(self, *, games: int = 0, nodes: int = 0) -> None:
        """Counts more of it."""
        with self._lock:
            self.games += games
            self.nodes += nodes
