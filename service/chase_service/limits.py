"""The most that callers may ask for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from chase_service.config import Config

__all__ = ["Limits"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """What is above is refused before any work; GetVersion tells them to callers.

    Attributes:
        items: Items in a batch.
        request_bytes: Bytes of a request, which gRPC enforces.
        response_bytes: Bytes of a response.
        call_seconds: Seconds that a call may take, or a batch of a stream.
        games: Games of a call that plays random games, or of a job.
        nodes: Option nodes of a player.
        sims: Option sims of a player.
        depth: Option depth of a player.
        seconds: Option time of a player, in seconds.
        hash_mib: Option hash of a player, in MiB.
        threads: Option threads of a player.
        idle_seconds: Seconds that a stream may wait for its caller.
        decisions: Decisions in a batch of Apply; lines in a batch of Analyse.
        history: Decisions before a position that is analysed, or of an opening.
        perft_depth: Depth of a perft.
        pairs: Pairs of a call that plays games, or of two players of a job.
        jobs: Jobs under way or waiting.
        kept_jobs: All jobs, those that have ended among them.
        job_seconds: Seconds that a job may play.
    """

    items: int
    request_bytes: int
    response_bytes: int
    call_seconds: float
    games: int
    nodes: int
    sims: int
    depth: int
    seconds: float
    hash_mib: int
    threads: int
    idle_seconds: float
    decisions: int
    history: int
    perft_depth: int
    pairs: int
    jobs: int
    kept_jobs: int
    job_seconds: float

    @classmethod
    def of(cls, config: Config) -> Self:
        """The limits of a configuration."""
        return cls(
            items=config.max_call_items,
            request_bytes=config.max_request_bytes,
            response_bytes=config.max_response_bytes,
            call_seconds=config.max_item_seconds,
            games=config.max_games,
            nodes=config.max_nodes,
            sims=config.max_sims,
            depth=config.max_depth,
            seconds=config.max_search_seconds,
            hash_mib=config.max_hash_mib,
            threads=config.max_call_threads,
            idle_seconds=config.idle_seconds,
            decisions=config.max_decisions,
            history=config.max_history,
            perft_depth=config.max_perft_depth,
            pairs=config.max_pairs,
            jobs=config.max_jobs,
            kept_jobs=config.max_kept_jobs,
            job_seconds=config.max_job_seconds,
        )
