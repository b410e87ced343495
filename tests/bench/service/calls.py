"""What small calls cost beside an echo, and what large ones carry."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import grpc
from chase_service._pb.chase.v1 import query_service_pb2 as pb

import chase_fast as cf
from tests.bench.service.servers import Process, chase, echo

QUERY = "/chase.v1.QueryService/"

ROUNDS = 25
CALLS = 200
BATCH = 1000
BATCH_CALLS = 40
GAMES = 500_000


def spread(values: list[float], digits: int = 2) -> str:
    """Median and range."""
    low, high = min(values), max(values)
    return f"{statistics.median(values):.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


@contextmanager
def channel_to(process: Process) -> Iterator[grpc.Channel]:
    options = [("grpc.max_receive_message_length", 4 << 20)]
    with grpc.insecure_channel(process.target, options) as channel:
        yield channel


def unary() -> None:
    """One caller, one call after the other; the servers take turns."""
    request = pb.LegalDecisionsRequest(positions=[""]).SerializeToString()
    with ExitStack() as stack:
        servers = [stack.enter_context(chase()), stack.enter_context(chase(inline_budget_us=0))]
        channels = [stack.enter_context(channel_to(one)) for one in servers]
        asked: list[Any] = [one.unary_unary(f"{QUERY}LegalDecisions") for one in channels]
        servers.append(stack.enter_context(echo(len(asked[0](request)))))
        last = stack.enter_context(channel_to(servers[-1]))
        calls: list[Any] = [*asked, last.unary_unary("/Echo/Echo")]
        wall: list[list[float]] = [[], [], []]
        cpu: list[list[float]] = [[], [], []]
        for number in range(ROUNDS + 1):
            for which, call in enumerate(calls):
                began, used = time.perf_counter(), servers[which].cpu_seconds()
                for _ in range(CALLS):
                    call(request, timeout=60)
                if number:  # the first round warms up
                    wall[which].append((time.perf_counter() - began) / CALLS * 1e6)
                    cpu[which].append(servers[which].cpu_seconds() - used)
        for which, (name, asked_for) in enumerate((("on the loop", 1.25), ("queued", 1.6))):
            ratios = [one / other for one, other in zip(wall[which], wall[2], strict=True)]
            print(
                f"unary call {name}: {spread(wall[which], 0)} us, echo {spread(wall[2], 0)} us, "
                f"ratio {spread(ratios)} (asked {asked_for}); processor time of the server "
                f"{sum(cpu[which]) / sum(cpu[2]):.2f}"
            )


def texts(number: int) -> list[str]:
    """Positions of random games."""
    chance = random.Random(1)
    found: list[str] = []
    game = cf.Game()
    while len(found) < number:
        game.push(chance.choice(game.position.legal_moves))
        if game.outcome is None:
            found.append(game.position.cfen)
        else:
            game = cf.Game()
    return found


def together(number: int, work: Callable[[], Any], threads: int) -> float:
    """Seconds that so many calls take, from some threads."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        began = time.perf_counter()
        for done in [pool.submit(work) for _ in range(number)]:
            done.result()
        return time.perf_counter() - began


def batches() -> None:
    """Batches of positions, from one caller and from two."""
    request = pb.LegalDecisionsRequest(positions=texts(BATCH)).SerializeToString()
    with chase() as server, channel_to(server) as channel:
        call: Any = channel.unary_unary(f"{QUERY}LegalDecisions")
        answer = call(request)
        for callers in (1, 2, 4):
            rates = []
            for number in range(6):
                seconds = together(BATCH_CALLS, lambda: call(request, timeout=60), callers)
                if number:
                    rates.append(BATCH * BATCH_CALLS / seconds / 1e3)
            print(
                f"batches of {BATCH} positions, {callers} callers: {spread(rates, 0)} k "
                f"positions/s (asked 400), answers of {len(answer) >> 10} KiB"
            )


def playouts() -> None:
    """Random games by the service and in the process, in turns."""
    start = cf.Position.start()
    item = pb.PlayoutsItem(games=GAMES, seed=1)
    request = pb.PlayoutsRequest(items=[item]).SerializeToString()
    with chase() as server, channel_to(server) as channel:
        call: Any = channel.unary_unary(f"{QUERY}Playouts")
        ratios, rates = [], []
        for number in range(8):
            began = time.perf_counter()
            cf.playouts(start, GAMES, seed=1, threads=2)
            own = time.perf_counter() - began
            began = time.perf_counter()
            call(request, timeout=60)
            other = time.perf_counter() - began
            if number:
                ratios.append(own / other)
                rates.append(GAMES / other / 1e3)
        print(
            f"playouts by gRPC: {spread(rates, 0)} k games/s, {spread(ratios)} of the rate in the "
            "process with two threads (asked 0.95)"
        )
