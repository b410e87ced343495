"""The most that the service takes from its callers."""

from __future__ import annotations

import os
from dataclasses import dataclass

__all__ = ["Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What is above is refused before any work; GetVersion tells them to callers.

    Attributes:
        items: Items in a batch.
        decisions: Decisions in a batch of Apply.
        history: Decisions before a position that is analysed, or of an opening.
        request_bytes: Bytes of a request, which gRPC enforces.
        response_bytes: Bytes of a response; clients refuse more than 4 MiB by default.
        call_seconds: Seconds that a call may take, or a batch of a stream.
        idle_seconds: Seconds that a stream may wait for its caller.
        perft_depth: Depth of a perft.
        games: Games of a call that plays random games.
        pairs: Pairs of a call that plays games.
        nodes: Option nodes of a player.
        sims: Option sims of a player.
        depth: Option depth of a player.
        seconds: Option time of a player, in seconds.
        hash_mib: Option hash of a player, in MiB.
        threads: Option threads of a player.
    """

    items: int = 4096
    decisions: int = 65_536
    history: int = 4096
    request_bytes: int = 4 << 20
    response_bytes: int = 7 << 19
    call_seconds: float = 600.0
    idle_seconds: float = 600.0
    perft_depth: int = 12
    games: int = 1_000_000
    pairs: int = 10_000
    nodes: int = 50_000_000
    sims: int = 5_000_000
    depth: int = 64
    seconds: float = 60.0
    hash_mib: int = 256
    threads: int = os.cpu_count() or 1
