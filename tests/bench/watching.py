"""What the log and the metrics of the service add to a call: ``python -m tests.bench.watching``.

Calls go through `chase_service.rpc.Gate` without gRPC, plain, counted, and counted and logged in
turn. Figures are microseconds of processor time a call: of the thread of the loop, and of all.
"""

from __future__ import annotations

import asyncio
import logging
import os
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from chase_service.config import Config
from chase_service.figures import Done, EngineFigures
from chase_service.limits import Limits
from chase_service.log import CallLog, JsonFormatter, LineHandler
from chase_service.metrics import Metrics, Sources
from chase_service.rpc import Call, Gate
from chase_service.watch import Watcher

METHOD = "QueryService.LegalDecisions"
CALLS = 20_000
ROUNDS = 9


class Context:
    """As much of gRPC's as a call needs that ends well."""

    def invocation_metadata(self) -> None:
        return None

    def peer(self) -> str:
        return "ipv4:127.0.0.1:50000"

    def time_remaining(self) -> float:
        return 60.0


async def answered(data: bytes, call: Call) -> bytes:
    call.answered(1)
    return data


async def called(watchers: Sequence[Watcher]) -> float:
    """Seconds of this thread for all calls."""
    gate = Gate(Limits.of(Config()))
    gate.watchers += watchers
    context: Any = Context()
    began = time.thread_time()
    for _ in range(CALLS):
        await gate.answer(answered, b"x" * 50, context, method=METHOD, stream=False, timed=True)
    return time.thread_time() - began


@contextmanager
def written() -> Iterator[None]:
    """Has all lines written to nowhere, the last ones before it ends."""
    formatter = JsonFormatter()
    handler = LineHandler(os.open(os.devnull, os.O_WRONLY), formatter, most=CALLS)
    logger = logging.getLogger("chase_service")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)
        handler.close()
    assert handler.lost == 0


def main() -> None:
    """Prints medians of all rounds, less those of calls that nobody watches."""
    sources = Sources(
        build={}, running=int, engine=EngineFigures, done=Done(), jobs=dict, lost_lines=int
    )
    metrics = Metrics([METHOD], sources)
    kinds: dict[str, Sequence[Watcher]] = {
        "plain": (), "counted": (metrics,), "counted and logged": (CallLog(), metrics),
    }  # fmt: skip
    seen: dict[str, list[tuple[float, float]]] = {kind: [] for kind in kinds}
    for _ in range(ROUNDS):
        for kind, watchers in kinds.items():
            began = time.process_time()
            with written() if len(watchers) > 1 else nullcontext():
                own = asyncio.run(called(watchers))
            seen[kind].append((own, time.process_time() - began))
    for kind, rounds in seen.items():
        own, every = (
            statistics.median(column) / CALLS * 1e6 for column in zip(*rounds, strict=True)
        )
        print(f"{kind:20} {own:6.1f} us on the loop, {every:6.1f} us in all threads")


if __name__ == "__main__":
    main()
