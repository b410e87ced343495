"""Many calls at a time: beside jobs, ten times too many, for ten minutes, and given up."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import grpc
from chase_service._pb.chase.v1 import jobs_service_pb2 as jobs_pb
from chase_service._pb.chase.v1 import query_service_pb2 as pb

from tests.bench.service.calls import QUERY, texts
from tests.bench.service.servers import Process, chase

JOBS = "/chase.v1.JobsService/"

Ask = Callable[[grpc.aio.Channel], Awaitable[object]]


def asking(path: str, request: Any) -> Ask:
    """A unary call with the same request each time."""
    data = request.SerializeToString()

    async def ask(channel: grpc.aio.Channel) -> object:
        call: Any = channel.unary_unary(path)
        return await call(data, timeout=60)

    return ask


INTERACTIVE = {
    "one position": asking(f"{QUERY}LegalDecisions", pb.LegalDecisionsRequest(positions=[""])),
    "twenty positions": asking(
        f"{QUERY}LegalDecisions", pb.LegalDecisionsRequest(positions=[""] * 20, with_texts=True)
    ),
    "perft 4": asking(f"{QUERY}Perft", pb.PerftRequest(items=[pb.PerftItem(depth=4)])),
}


@dataclass
class Measured:
    """What became of calls that were sent at a given rate.

    Attributes:
        seconds: Of each call that was answered.
        refused: Seconds of each that was refused.
        lags: By how much each was sent later than planned.
        other: Calls that ended in any other way, by code.
    """

    seconds: list[float] = field(default_factory=list)
    refused: list[float] = field(default_factory=list)
    lags: list[float] = field(default_factory=list)
    other: dict[str, int] = field(default_factory=dict)


def percentile(values: list[float], share: float) -> float:
    """In milliseconds."""
    return sorted(values)[int(share * (len(values) - 1))] * 1e3 if values else 0.0


def percentiles(values: list[float]) -> str:
    return " / ".join(f"{percentile(values, share):.1f}" for share in (0.5, 0.9, 0.99, 1.0))


async def offer(
    channel: grpc.aio.Channel, ask: Ask, rate: float, seconds: float, *, warm: float = 0.0
) -> Measured:
    """Sends calls at a rate, whether answers come or not; the first ones are not counted."""
    measured = Measured()
    tasks: set[asyncio.Task[None]] = set()

    async def one(due: float, *, counted: bool) -> None:
        began = time.perf_counter()
        try:
            await ask(channel)
        except grpc.aio.AioRpcError as error:
            code = error.code()
            taken = time.perf_counter() - began
            if counted and code is grpc.StatusCode.RESOURCE_EXHAUSTED:
                measured.refused.append(taken)
            elif counted:
                measured.other[code.name] = measured.other.get(code.name, 0) + 1
            return
        if counted:
            measured.seconds.append(time.perf_counter() - began)
            measured.lags.append(began - due)

    start = time.perf_counter()
    for number in range(int(rate * (seconds + warm))):
        due = start + number / rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        task = asyncio.create_task(one(due, counted=number >= rate * warm))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
    await asyncio.gather(*tasks)
    return measured


@contextmanager
def job(process: Process) -> Iterator[None]:
    """Days of play on all threads."""
    spec = jobs_pb.JobSpec(self_play=jobs_pb.SelfPlayJob(player="ab:nodes=3000", pairs=10_000))
    with grpc.insecure_channel(process.target) as channel:
        create: Any = channel.unary_unary(f"{JOBS}CreateJob")
        data = create(jobs_pb.CreateJobRequest(spec=spec).SerializeToString(), timeout=60)
        name = jobs_pb.CreateJobResponse.FromString(data).job.job_id
        get: Any = channel.unary_unary(f"{JOBS}GetJob")
        request = jobs_pb.GetJobRequest(job_id=name).SerializeToString()
        while not jobs_pb.GetJobResponse.FromString(get(request)).job.games_done:
            time.sleep(0.05)
        yield
        job = jobs_pb.GetJobResponse.FromString(get(request)).job
        print(f"  the job had played {job.games_done} games")


def beside_jobs() -> None:
    """Single calls while a job uses all cores."""

    async def measure(target: str, name: str, ask: Ask) -> None:
        async with grpc.aio.insecure_channel(target) as channel:
            measured = await offer(channel, ask, 50.0, 20.0, warm=1.0)
            print(
                f"{name}, 50 a second beside a job: {percentiles(measured.seconds)} ms at 50, 90, "
                f"99, 100 % (asked 20 at 99 %), sent late by {percentiles(measured.lags)} ms"
            )

    with chase() as process, job(process):
        for name, ask in INTERACTIVE.items():
            asyncio.run(measure(process.target, name, ask))


def overload() -> None:
    """Half of what can be served, and ten times as much as can be."""
    # Nearly 20 ms each, the longest that count as short: one sender can send enough of them.
    items = [pb.PlayoutsItem(games=1400)]
    ask = asking(f"{QUERY}Playouts", pb.PlayoutsRequest(items=items))

    async def capacity(target: str) -> float:
        """Calls a second that four callers get answered."""
        async with grpc.aio.insecure_channel(target) as channel:
            done = 0
            end = time.perf_counter() + 5

            async def caller() -> None:
                nonlocal done
                while time.perf_counter() < end:
                    await ask(channel)
                    done += 1

            began = time.perf_counter()
            await asyncio.gather(*(caller() for _ in range(4)))
            return done / (time.perf_counter() - began)

    async def measure(process: Process) -> None:
        most = await capacity(process.target)
        async with grpc.aio.insecure_channel(process.target) as channel:
            half = await offer(channel, ask, most / 2, 20.0, warm=1.0)
            before = process.memory()
            tenfold = await offer(channel, ask, most * 10, 20.0, warm=2.0)
            grown = process.memory() - before
        ratio = percentile(tenfold.seconds, 0.99) / percentile(half.seconds, 0.99)
        print(
            f"capacity {most:.0f} calls/s; at half of it {percentiles(half.seconds)} ms at 50, 90, "
            f"99, 100 %, {len(half.refused)} refused, sent late by {percentiles(half.lags)} ms"
        )
        print(
            f"at ten times it {percentiles(tenfold.seconds)} ms, {ratio:.2f} times that at 99 % "
            f"(asked 2); {len(tenfold.seconds) / 20:.0f} answered and "
            f"{len(tenfold.refused) / 20:.0f} refused a second, refusals after "
            f"{percentiles(tenfold.refused)} ms, sent late by {percentiles(tenfold.lags)} ms, "
            f"memory {grown / 1e6:+.0f} MB (asked 50), others {tenfold.other}"
        )

    with chase() as process:
        asyncio.run(measure(process))


def soak(minutes: float = 10.0) -> None:
    """Everything at the same time; what the server keeps is noted every half minute."""
    positions = pb.LegalDecisionsRequest(positions=texts(100))
    asks = [
        *INTERACTIVE.values(),
        asking(f"{QUERY}LegalDecisions", positions),
        asking(f"{QUERY}Playouts", pb.PlayoutsRequest(items=[pb.PlayoutsItem(games=500)])),
        asking(
            f"{QUERY}Analyse", pb.AnalyseRequest(items=[pb.AnalyseItem(player="ab:nodes=3000")])
        ),
        asking(f"{QUERY}Perft", pb.PerftRequest(items=[pb.PerftItem(position="nonsense")])),
        asking(f"{QUERY}Nothing", pb.PerftRequest()),
    ]

    async def measure(process: Process) -> None:
        end = time.monotonic() + 60 * minutes
        calls = 0

        async def caller(number: int) -> None:
            nonlocal calls
            while time.monotonic() < end:
                async with grpc.aio.insecure_channel(process.target) as channel:
                    for step in range(200):
                        with suppress(grpc.aio.AioRpcError):
                            await asks[(number + step) % len(asks)](channel)
                        calls += 1

        async def note() -> None:
            while time.monotonic() < end:
                print(
                    f"{calls:8} calls, {process.memory() / 1e6:.1f} MB, {process.descriptors()} "
                    f"descriptors, {process.threads()} threads",
                    flush=True,
                )
                await asyncio.sleep(30)

        await asyncio.gather(note(), *(caller(number) for number in range(4)))

    with chase() as process:
        asyncio.run(measure(process))


def leak(streams: int = 4000) -> None:
    """Memory that the server keeps for each stream that was cancelled."""
    request = pb.StreamPlayoutGamesRequest(
        item=pb.PlayoutsItem(games=10_000_000), batch=100
    ).SerializeToString()

    async def measure(process: Process) -> None:
        async with grpc.aio.insecure_channel(process.target) as channel:
            call: Any = channel.unary_stream(f"{QUERY}StreamPlayoutGames")

            async def cancelled() -> None:
                stream = call(request, timeout=60)
                await stream.read()
                stream.cancel()

            for _ in range(500):
                await cancelled()
            before = process.memory()
            for number in range(streams):
                await cancelled()
                if number % 1000 == 999:
                    kept = (process.memory() - before) / (number + 1)
                    print(
                        f"{number + 1} cancelled streams: {kept:.0f} bytes kept of each", flush=True
                    )

    with chase() as process:
        asyncio.run(measure(process))
