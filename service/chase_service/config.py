"""All limits of the service, with their units, defaults and ranges, in one place.

Knows nothing of the engine nor of gRPC, so that anything may read it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields
from typing import Final

KIB: Final = 1 << 10
MIB: Final = 1 << 20


def _number(default: float, low: float, high: float) -> float:
    """A field for any number from `low` to `high`."""
    number: float = field(default=default, metadata={"low": low, "high": high})
    return number


def _whole(default: int, low: int, high: int) -> int:
    """A field for a whole number from `low` to `high`."""
    number: int = field(default=default, metadata={"low": low, "high": high})
    return number


def processors() -> int:
    """How many processors this process may run on."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Config:
    """Limits of one server, fixed while it runs.

    Raises:
        ValueError: A field of another type or outside its range.
    """

    # ---- Batches

    max_batch_items: int = _whole(256, 1, 1 << 20)
    """Engine items that are merged into one engine call. A larger request runs alone."""

    max_batch_us: float = _number(2_000, 1, 60_000_000)
    """Estimated work, in µs, that is merged into one engine call. Costlier items run alone, so
    that nobody waits for a neighbour's search."""

    max_queue_delay_us: int = _whole(0, 0, 10_000_000)
    """How long, in µs, an item may wait for others to be merged with although a thread is free."""

    inline_budget_us: float = _number(50, 0, 10_000)
    """Estimated work, in µs, up to which an item is answered on the event loop itself, as long as
    nothing is queued. 0 sends everything to a thread."""

    # ---- Queue

    max_queue_items: int = _whole(8_192, 1, 1 << 30)
    """Engine items that wait, short ones and as many long ones; what comes further is refused."""

    max_queue_bytes: int = _whole(32 * MIB, 1, 1 << 40)
    """Bytes of the requests that wait, likewise."""

    max_queue_us: float = _number(60_000_000, 1, 3_600_000_000)
    """Estimated work, in µs, that waits, likewise. It bounds how long an accepted item waits; one
    that alone is more may wait alone."""

    max_wait_ms: float = _number(100, 1, 3_600_000)
    """Time, in ms, that a short item may have to wait for what runs and for others as urgent, as
    estimated and corrected by what was measured of late. What would wait longer is refused, since
    its caller would rather know."""

    overloaded_wait_ms: float = _number(5, 0, 3_600_000)
    """The same from the first refusal on, until there was none for a second: under overload a queue
    that is always full makes everybody wait and serves nobody sooner."""

    max_client_share: float = _number(0.5, 0.01, 1)
    """Share of each of the three bounds above that one client may fill."""

    priorities: int = _whole(3, 1, 16)
    """Levels of priority; 0 is the most urgent."""

    ageing_ms: float = _number(100, 1, 3_600_000)
    """How long, in ms, a level can be passed over for more urgent ones. One batch of it then goes
    first."""

    retry_min_ms: float = _number(10, 1, 60_000)
    """The shortest delay, in ms, after which a refused client is told to try again."""

    retry_max_ms: float = _number(5_000, 1, 600_000)
    """The longest."""

    # ---- Threads

    threads: int = field(default_factory=processors, metadata={"low": 1, "high": 1_024})
    """Engine threads for queries and jobs. Default: one for each processor."""

    query_threads: int = _whole(1, 1, 1_024)
    """Further engine threads, which no job ever takes."""

    other_threads: int = _whole(1, 0, 1_024)
    """Still further ones: they are for long items of other clients while all threads that long
    items may have work for a single one."""

    short_threads: int = field(default_factory=processors, metadata={"low": 1, "high": 1_024})
    """Threads that short items have at the same time, so that one more does not slow down all.
    Default: one for each processor; those beyond are for them beside long items and jobs."""

    long_us: float = _number(20_000, 1, 3_600_000_000)
    """Estimated work, in µs, above which an item is long. Long items, too, have at most `threads`
    threads at the same time, so that searches of seconds do not keep short queries waiting."""

    background_ageing_ms: float = _number(1_000, 1, 3_600_000)
    """How long, in ms, all jobs can be kept waiting by queries. One chunk then goes first."""

    background_slice_ms: float = _number(5, 0, 1_000)
    """How long, in ms, such a chunk runs before it is asked to make room again."""

    # ---- What goes wrong

    max_item_seconds: float = _number(600, 0.001, 86_400)
    """Seconds after which an item has its final answer, even if its deadline is later or none."""

    patience_ms: float = _number(1_000, 1, 3_600_000)
    """How long, in ms, a merged call may take before it is stopped and its items run apart."""

    stuck_ms: float = _number(1_000, 1, 3_600_000)
    """How long, in ms, a call may go on after it was told to stop. Then its thread counts as lost
    and another takes its place."""

    max_stuck_threads: int = _whole(8, 0, 1_024)
    """Lost threads that are replaced at the same time."""

    # ---- One call

    max_call_items: int = _whole(4_096, 1, 1 << 20)
    """Items of one request."""

    max_request_bytes: int = _whole(4 * MIB, KIB, 1 << 30)
    """Bytes of one request."""

    max_response_bytes: int = _whole(3_584 * KIB, 2_048 * KIB, 1 << 30)
    """Bytes of one response. Clients refuse more than 4 MiB unless told otherwise."""

    max_nodes: int = _whole(100_000_000, 1, 1 << 50)
    """Nodes of one search."""

    max_sims: int = _whole(10_000_000, 1, 1 << 50)
    """Simulations of one tree search."""

    max_depth: int = _whole(64, 1, 1_000)
    """Depth of one search, in turns."""

    max_search_seconds: float = _number(60, 0.001, 86_400)
    """Seconds of one search."""

    max_games: int = _whole(10_000_000, 1, 1 << 50)
    """Games of one call."""

    max_hash_mib: int = _whole(256, 1, 1 << 20)
    """Table of one player, in MiB."""

    max_call_threads: int = _whole(8, 1, 1_024)
    """Threads of one call."""

    max_decisions: int = _whole(65_536, 1, 1 << 30)
    """Decisions in a batch of Apply; lines in a batch of Analyse."""

    max_history: int = _whole(4_096, 0, 1 << 20)
    """Decisions before a position that is analysed, or of an opening."""

    max_perft_depth: int = _whole(12, 0, 64)
    """Depth of a perft."""

    max_pairs: int = _whole(10_000, 1, 1 << 30)
    """Pairs of a call that plays games, or of two players of a job."""

    idle_seconds: float = _number(600, 0.001, 86_400)
    """Seconds that a stream may wait for its caller."""

    # ---- Jobs

    max_jobs: int = _whole(1_000, 1, 1 << 20)
    """Jobs under way or waiting."""

    max_kept_jobs: int = _whole(10_000, 1, 1 << 30)
    """All jobs that are there, those that have ended among them."""

    min_free_mib: int = _whole(256, 0, 1 << 30)
    """MiB that have to be free in the folder of the server for one more job."""

    max_job_seconds: float = _number(604_800, 0.001, 1e9)
    """Seconds that a job may play in one process."""

    # ---- Going down

    grace_seconds: float = _number(10, 0, 3_600)
    """Seconds in which calls under way may finish once the server was told to end."""

    def __post_init__(self) -> None:
        for one in fields(self):
            value, low, high = getattr(self, one.name), one.metadata["low"], one.metadata["high"]
            kinds = (int,) if one.type == "int" else (int, float)
            # A bool is an int to Python, and nan is outside every range.
            if type(value) not in kinds or not low <= value <= high:
                allowed = f"a number from {low:g} to {high:g}"
                if one.type == "int":
                    allowed = f"an integer from {low} to {high}"
                raise ValueError(f"{one.name} is {value!r:.40}, expected {allowed}")
        if self.overloaded_wait_ms > self.max_wait_ms:
            raise ValueError(
                f"overloaded_wait_ms is {self.overloaded_wait_ms:g}, expected at most max_wait_ms, "
                f"{self.max_wait_ms:g}"
            )
        if self.retry_min_ms > self.retry_max_ms:
            raise ValueError(
                f"retry_min_ms is {self.retry_min_ms:g}, expected at most retry_max_ms, "
                f"{self.retry_max_ms:g}"
            )
