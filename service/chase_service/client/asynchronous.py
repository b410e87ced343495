"""The client for asyncio."""

# ruff: noqa: ASYNC109 - timeouts are for the server to know, not only for us

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self, TypeVar, Unpack

import grpc

from chase_service import calls
from chase_service._pb.chase.v1 import jobs_service_pb2, query_service_pb2, system_service_pb2
from chase_service.calls import (
    Analysed,
    Decisions,
    ItemError,
    Job,
    JobFile,
    JobState,
    PlayedGame,
    Position,
)
from chase_service.channels import Security, open_aio_channel

__all__ = ["AsyncClient"]

T = TypeVar("T")
Item = TypeVar("Item")


class AsyncClient:
    """The calls of `Client` for asyncio; made and used in one event loop.

    Iterators are closed with ``aclose`` or `contextlib.aclosing`.

    Args:
        target: See `Client`.
        timeout: See `Client`.
        attempts: See `Client`.
        security: See `Client`.

    Raises:
        OSError, ValueError: See `Client`.

    Calls raise what those of `Client` do.
    """

    def __init__(
        self, target: str, *, timeout: float | None = 60.0, attempts: int = calls.ATTEMPTS,
        **security: Unpack[Security],
    ) -> None:  # fmt: skip
        self._attempts = calls.checked_attempts(attempts)
        self._channel = open_aio_channel(target, **security)
        self._timeout = timeout

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the connection."""
        await self._channel.close()

    # ---- How calls are made ---------------------------------------------------------------------

    @contextmanager
    def _waiting(self) -> Iterator[None]:
        """GRPC cancels tasks that wait for a connection when it is closed, which nobody asked for.

        Raises:
            ServiceError: CANCELLED, the client was closed.
        """
        try:
            yield
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not self._channel.closed or (task is not None and task.cancelling()):
                raise
            raise calls.ServiceError(grpc.StatusCode.CANCELLED, "the client was closed") from None

    async def _run(
        self, plan: calls.Plan[Item, T], items: Iterable[Item], timeout: float | None
    ) -> list[T]:
        tries = calls.Tries(self._timeout if timeout is None else timeout, self._attempts)
        call: Any = self._channel.unary_unary(plan.path)
        results: list[T] = []
        for part in calls.batches(items, calls.ITEMS):
            data = plan.ask(part, len(results))
            while True:
                try:
                    with self._waiting():
                        answer: bytes = await call(data, timeout=tries.seconds_left)
                    break
                except grpc.RpcError as failed:
                    delay = tries.delay(failed)
                await asyncio.sleep(delay)
            tries.answered()
            results += plan.results(answer, len(part))
        return results

    async def _one(self, plan: calls.Plan[None, T], timeout: float | None) -> T:
        return (await self._run(plan, [None], timeout))[0]

    async def _receive(self, reading: calls.Reading[T], timeout: float | None) -> AsyncGenerator[T]:
        tries = calls.Tries(timeout, self._attempts)
        call: Any = self._channel.unary_stream(reading.path)
        while (request := reading.request()) is not None:
            stream = call(request.SerializeToString(), timeout=tries.seconds_left)
            delay = 0.0
            try:
                with self._waiting():
                    async for data in stream:
                        tries.answered()
                        for one in reading.read(data):
                            yield one
                reading.ended()
            except grpc.RpcError as failed:
                delay = tries.delay(failed, reading.again)
            finally:
                stream.cancel()
            await asyncio.sleep(delay)

    async def _stream(
        self, plan: calls.Plan[Item, T], items: Iterable[Item] | AsyncIterable[Item], batch: int,
        ahead: int, timeout: float | None,
    ) -> AsyncGenerator[T]:  # fmt: skip
        tries = calls.Tries(timeout, self._attempts)
        call: Any = self._channel.stream_stream(plan.stream_path)
        parts, sent = calls.batches_async(items, batch), calls.Ahead(plan, ahead)
        while sent.room and (part := await anext(parts, None)):
            sent.send(part)
        while sent:
            # gRPC reads it in a task of its own, the items are read in the caller's.
            outbox: asyncio.Queue[bytes | None] = asyncio.Queue()
            for data in sent.again():
                outbox.put_nowait(data)
            stream = call(_until_none(outbox), timeout=tries.seconds_left)
            delay = 0.0
            try:
                while sent:
                    with self._waiting():
                        answer = await stream.read()
                    for one in sent.answered(None if answer is grpc.aio.EOF else answer):
                        yield one
                    tries.answered()
                    if part := await anext(parts, None):
                        outbox.put_nowait(sent.send(part))
                outbox.put_nowait(None)
                await stream.read()
            except grpc.RpcError as failed:
                delay = tries.delay(failed) if sent else 0.0
            finally:
                outbox.put_nowait(None)
                stream.cancel()
            await asyncio.sleep(delay)

    # ---- Queries -------------------------------------------------------------------------------

    async def version(
        self, *, timeout: float | None = None
    ) -> system_service_pb2.GetVersionResponse:
        """See `Client.version`."""
        return await self._one(calls.version(), timeout)

    async def legal_decisions(
        self, positions: Iterable[str], *, rules: str = "", texts: bool = False,
        timeout: float | None = None,
    ) -> list[Decisions | ItemError]:  # fmt: skip
        """See `Client.legal_decisions`."""
        return await self._run(calls.legal_decisions(rules, texts=texts), positions, timeout)

    async def apply(
        self, items: Iterable[tuple[str, Sequence[int]]], *, rules: str = "",
        timeout: float | None = None,
    ) -> list[str | ItemError]:  # fmt: skip
        """See `Client.apply`."""
        return await self._run(calls.apply(rules), items, timeout)

    async def perft(
        self, items: Iterable[tuple[str, int]], *, rules: str = "", turns: bool = False,
        timeout: float | None = None,
    ) -> list[int | ItemError]:  # fmt: skip
        """See `Client.perft`."""
        return await self._run(calls.perft(rules, turns=turns), items, timeout)

    async def playouts(
        self, games: int, *, position: str = "", rules: str = "", seed: int = 0,
        first_game: int = 0, max_turns: int = 1000, timeout: float | None = None,
    ) -> query_service_pb2.PlayoutsResponse:  # fmt: skip
        """See `Client.playouts`."""
        plan = calls.playouts_from(
            position, games, rules, seed=seed, first_game=first_game, max_turns=max_turns
        )
        return await self._one(plan, timeout)

    async def analyse(
        self, positions: Iterable[Position], player: str = "ab:nodes=200000", *, rules: str = "",
        lines: int = 1, timeout: float | None = None,
    ) -> list[Analysed | ItemError]:  # fmt: skip
        """See `Client.analyse`."""
        return await self._run(calls.analyse(player, rules, lines=lines), positions, timeout)

    # ---- Streams -------------------------------------------------------------------------------

    def stream_legal_decisions(
        self, positions: Iterable[str] | AsyncIterable[str], *, rules: str = "",
        texts: bool = False, batch: int = calls.ITEMS, ahead: int = 2, timeout: float | None = None,
    ) -> AsyncGenerator[Decisions | ItemError]:  # fmt: skip
        """See `Client.stream_legal_decisions`."""
        plan = calls.legal_decisions(rules, texts=texts)
        return self._stream(plan, positions, batch, ahead, timeout)

    def stream_apply(
        self, items: Iterable[tuple[str, Sequence[int]]] | AsyncIterable[tuple[str, Sequence[int]]],
        *, rules: str = "", batch: int = calls.ITEMS, ahead: int = 2, timeout: float | None = None,
    ) -> AsyncGenerator[str | ItemError]:  # fmt: skip
        """See `Client.stream_apply`."""
        return self._stream(calls.apply(rules), items, batch, ahead, timeout)

    def stream_perft(
        self, items: Iterable[tuple[str, int]] | AsyncIterable[tuple[str, int]], *, rules: str = "",
        turns: bool = False, batch: int = calls.ITEMS, ahead: int = 2, timeout: float | None = None,
    ) -> AsyncGenerator[int | ItemError]:  # fmt: skip
        """See `Client.stream_perft`."""
        return self._stream(calls.perft(rules, turns=turns), items, batch, ahead, timeout)

    def stream_playouts(
        self, positions: Iterable[str] | AsyncIterable[str], games: int, *, rules: str = "",
        seed: int = 0, first_game: int = 0, max_turns: int = 1000, batch: int = calls.ITEMS,
        ahead: int = 2, timeout: float | None = None,
    ) -> AsyncGenerator[query_service_pb2.PlayoutsResult | ItemError]:  # fmt: skip
        """See `Client.stream_playouts`."""
        plan = calls.playouts(games, rules, seed=seed, first_game=first_game, max_turns=max_turns)
        return self._stream(plan, positions, batch, ahead, timeout)

    def stream_analyse(
        self, positions: Iterable[Position] | AsyncIterable[Position],
        player: str = "ab:nodes=200000", *, rules: str = "", lines: int = 1,
        batch: int = calls.ITEMS, ahead: int = 2, timeout: float | None = None,
    ) -> AsyncGenerator[Analysed | ItemError]:  # fmt: skip
        """See `Client.stream_analyse`."""
        return self._stream(
            calls.analyse(player, rules, lines=lines), positions, batch, ahead, timeout
        )

    def playout_games(
        self, games: int, *, position: str = "", rules: str = "", seed: int = 0,
        first_game: int = 0, max_turns: int = 1000, batch: int = 1000, timeout: float | None = None,
    ) -> AsyncGenerator[query_service_pb2.StreamPlayoutGamesResponse]:  # fmt: skip
        """See `Client.playout_games`."""
        reading = calls.PlayoutGames(
            position, games, rules, seed=seed, first_game=first_game, max_turns=max_turns,
            batch=batch,
        )  # fmt: skip
        return self._receive(reading, timeout)

    def play_games(
        self, player_a: str, player_b: str, *, openings: calls.Openings, turns: int = 4,
        rules: str = "", seed: int = 0, first_pair: int = 0, max_turns: int = 400,
        decisions: bool = False, timeout: float | None = None,
    ) -> AsyncGenerator[PlayedGame]:  # fmt: skip
        """See `Client.play_games`."""
        reading = calls.Games(
            player_a, player_b, openings=openings, turns=turns, rules=rules, seed=seed,
            first_pair=first_pair, max_turns=max_turns, decisions=decisions,
        )  # fmt: skip
        return self._receive(reading, timeout)

    # ---- Jobs ----------------------------------------------------------------------------------

    async def create_job(
        self, spec: jobs_service_pb2.JobSpec, *, request_id: str = "", timeout: float | None = None
    ) -> Job:
        """See `Client.create_job`."""
        return await self._one(calls.create_job(spec, request_id), timeout)

    async def get_job(self, job_id: str, *, timeout: float | None = None) -> Job:
        """See `Client.get_job`."""
        return await self._one(calls.get_job(job_id), timeout)

    async def list_jobs(
        self, *, state: JobState | None = None, page_size: int = 100, timeout: float | None = None
    ) -> AsyncGenerator[Job]:
        """See `Client.list_jobs`."""
        token = ""
        while True:
            jobs, token = await self._one(calls.job_page(state, page_size, token), timeout)
            for job in jobs:
                yield job
            if not token:
                return

    def watch_job(
        self, job_id: str, *, after: int = 0, timeout: float | None = None
    ) -> AsyncGenerator[Job]:
        """See `Client.watch_job`."""
        return self._receive(calls.Watch(job_id, after), timeout)

    async def cancel_job(self, job_id: str, *, timeout: float | None = None) -> Job:
        """See `Client.cancel_job`."""
        return await self._one(calls.cancel_job(job_id), timeout)

    async def delete_job(self, job_id: str, *, timeout: float | None = None) -> None:
        """See `Client.delete_job`."""
        await self._one(calls.delete_job(job_id), timeout)

    async def download(
        self, job_id: str, name: str, path: str | Path, *, timeout: float | None = None
    ) -> JobFile:
        """See `Client.download`."""
        file = calls.file_of(await self.get_job(job_id), name)
        with await asyncio.to_thread(calls.PartFile, job_id, file, path) as part:
            async for piece in self._receive(part.reading, timeout):
                await asyncio.to_thread(part.write, piece)
            await asyncio.to_thread(part.finish)
        return file

    async def read_result(self, job_id: str, name: str, *, timeout: float | None = None) -> bytes:
        """See `Client.read_result`."""
        reading = calls.Download(job_id, calls.file_of(await self.get_job(job_id), name))
        content = b"".join([piece async for piece in self._receive(reading, timeout)])
        reading.check()
        return content


async def _until_none(outbox: asyncio.Queue[bytes | None]) -> AsyncGenerator[bytes]:
    while (data := await outbox.get()) is not None:
        yield data
