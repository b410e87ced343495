"""The client that blocks."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Self, TypeVar, Unpack

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
from chase_service.channels import Security, open_channel
from chase_service.client.apart import Apart

__all__ = ["Client"]

T = TypeVar("T")
Item = TypeVar("Item")


class Client:
    """A client that blocks. Threads may share it.

    Each call takes a `timeout` of its own: seconds that it may take, attempts included, infinity
    for no bound. Without it calls have that of the client, and those that give an iterator none.
    To break off an iterator, close it (``close``, `contextlib.closing`): that ends the work on the
    server. One that is never begun asks for nothing.

    Args:
        target: Host and port of the server.
        timeout: Seconds that a call may take, or None for no bound.
        attempts: Times that a call is tried that fails with UNAVAILABLE, with growing delays of up
            to 5 seconds; of a stream, times without anything new.
        security: Certificates and token, see `chase_service.channels.Security`.

    Raises:
        OSError, ValueError: From `chase_service.channels.open_channel`.

    All calls raise `ServiceError` if they fail; `ArgumentError`, a `ValueError`, for arguments that
    are not as described, in which case nothing more is asked of the server; and `RuntimeError` when
    the client is closed. Iterators do so when they are read.
    """

    def __init__(
        self, target: str, *, timeout: float | None = 60.0, attempts: int = calls.ATTEMPTS,
        **security: Unpack[Security],
    ) -> None:  # fmt: skip
        self._attempts = calls.checked_attempts(attempts)
        self._channel = open_channel(target, **security)
        self._apart = Apart()
        self._timeout = timeout

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection. Done twice it is done once."""
        self._apart.close(self._channel)

    # ---- How calls are made ---------------------------------------------------------------------

    def _run(
        self, plan: calls.Plan[Item, T], items: Iterable[Item], timeout: float | None
    ) -> list[T]:
        tries = calls.Tries(self._timeout if timeout is None else timeout, self._attempts)
        call = self._channel.unary_future(plan.path)
        results: list[T] = []
        for part in calls.batches(items, calls.ITEMS):
            data = plan.ask(part, len(results))
            while True:
                try:
                    answer = self._apart.answer(call, data, tries.seconds_left)
                    break
                except grpc.RpcError as failed:
                    delay = tries.delay(failed)
                time.sleep(delay)
            tries.answered()
            results += plan.results(answer, len(part))
        return results

    def _one(self, plan: calls.Plan[None, T], timeout: float | None) -> T:
        return self._run(plan, [None], timeout)[0]

    def _receive(self, reading: calls.Reading[T], timeout: float | None) -> Generator[T]:
        tries = calls.Tries(timeout, self._attempts)
        call = self._channel.unary_stream(reading.path)
        while (request := reading.request()) is not None:
            data, delay = request.SerializeToString(), 0.0
            try:
                with self._apart.answers(call, data, tries.seconds_left) as answers:
                    for answer in answers:
                        tries.answered()
                        yield from reading.read(answer)
                reading.ended()
            except grpc.RpcError as failed:
                delay = tries.delay(failed, reading.again)
            time.sleep(delay)

    def _stream(
        self, plan: calls.Plan[Item, T], items: Iterable[Item], batch: int, ahead: int,
        timeout: float | None,
    ) -> Generator[T]:  # fmt: skip
        tries = calls.Tries(timeout, self._attempts)
        call = self._channel.stream_stream(plan.stream_path)
        parts, sent = calls.batches(items, batch), calls.Ahead(plan, ahead)
        while sent.room and (part := next(parts, None)):
            sent.send(part)
        while sent:
            # gRPC reads it in a thread of its own, the items are read in the caller's.
            outbox: SimpleQueue[bytes | None] = SimpleQueue()
            for data in sent.again():
                outbox.put(data)
            requests, delay = iter(outbox.get, None), 0.0
            try:
                with self._apart.answers(call, requests, tries.seconds_left) as answers:
                    while sent:
                        yield from sent.answered(next(answers, None))
                        tries.answered()
                        if part := next(parts, None):
                            outbox.put(sent.send(part))
                    outbox.put(None)
                    next(answers, None)
            except grpc.RpcError as failed:
                delay = tries.delay(failed) if sent else 0.0
            finally:
                outbox.put(None)
            time.sleep(delay)

    # ---- Queries -------------------------------------------------------------------------------

    def version(self, *, timeout: float | None = None) -> system_service_pb2.GetVersionResponse:
        """Version, rules, players and limits of the server."""
        return self._one(calls.version(), timeout)

    def legal_decisions(
        self, positions: Iterable[str], *, rules: str = "", texts: bool = False,
        timeout: float | None = None,
    ) -> list[Decisions | ItemError]:  # fmt: skip
        """The legal decisions of each position; an empty text is the start."""
        return self._run(calls.legal_decisions(rules, texts=texts), positions, timeout)

    def apply(
        self, items: Iterable[tuple[str, Sequence[int]]], *, rules: str = "",
        timeout: float | None = None,
    ) -> list[str | ItemError]:  # fmt: skip
        """Where each position leads by its decisions, as CFEN.

        Args:
            items: A CFEN, an empty one being the start, and the codes of the decisions, not their
                texts: ``Move.parse(text).code`` of `chase_fast`, or those of `legal_decisions`.
            rules: Of all of them.
            timeout: In seconds.
        """
        return self._run(calls.apply(rules), items, timeout)

    def perft(
        self, items: Iterable[tuple[str, int]], *, rules: str = "", turns: bool = False,
        timeout: float | None = None,
    ) -> list[int | ItemError]:  # fmt: skip
        """Sequences of so many decisions, or turns, from each position.

        Args:
            items: A CFEN, an empty one being the start, and a depth from 0 on.
            rules: Of all of them.
            turns: Whether depths count turns.
            timeout: In seconds.
        """
        return self._run(calls.perft(rules, turns=turns), items, timeout)

    def playouts(
        self, games: int, *, position: str = "", rules: str = "", seed: int = 0,
        first_game: int = 0, max_turns: int = 1000, timeout: float | None = None,
    ) -> query_service_pb2.PlayoutsResponse:  # fmt: skip
        """Exact sums over random games."""
        plan = calls.playouts_from(
            position, games, rules, seed=seed, first_game=first_game, max_turns=max_turns
        )
        return self._one(plan, timeout)

    def analyse(
        self, positions: Iterable[Position], player: str = "ab:nodes=200000", *, rules: str = "",
        lines: int = 1, timeout: float | None = None,
    ) -> list[Analysed | ItemError]:  # fmt: skip
        """What a player thinks of each position.

        With decisions beside it, of where they lead; they count for repetition.
        """
        return self._run(calls.analyse(player, rules, lines=lines), positions, timeout)

    # ---- Streams -------------------------------------------------------------------------------

    def stream_legal_decisions(
        self, positions: Iterable[str], *, rules: str = "", texts: bool = False,
        batch: int = calls.ITEMS, ahead: int = 2, timeout: float | None = None,
    ) -> Generator[Decisions | ItemError]:  # fmt: skip
        """As `legal_decisions`, for any number of positions, as they come.

        Args:
            positions: Read as answers come, no more than `ahead` batches before them.
            rules: Of all of them.
            texts: Whether texts are wanted.
            batch: Items in a message. A batch is sent when it is full: 1 where items come slowly.
            ahead: Batches that are read and sent before the first of them is answered.
            timeout: Of the whole, in seconds.
        """
        plan = calls.legal_decisions(rules, texts=texts)
        return self._stream(plan, positions, batch, ahead, timeout)

    def stream_apply(
        self, items: Iterable[tuple[str, Sequence[int]]], *, rules: str = "",
        batch: int = calls.ITEMS, ahead: int = 2, timeout: float | None = None,
    ) -> Generator[str | ItemError]:  # fmt: skip
        """As `apply`; see `stream_legal_decisions`."""
        return self._stream(calls.apply(rules), items, batch, ahead, timeout)

    def stream_perft(
        self, items: Iterable[tuple[str, int]], *, rules: str = "", turns: bool = False,
        batch: int = calls.ITEMS, ahead: int = 2, timeout: float | None = None,
    ) -> Generator[int | ItemError]:  # fmt: skip
        """As `perft`; see `stream_legal_decisions`."""
        return self._stream(calls.perft(rules, turns=turns), items, batch, ahead, timeout)

    def stream_playouts(
        self, positions: Iterable[str], games: int, *, rules: str = "", seed: int = 0,
        first_game: int = 0, max_turns: int = 1000, batch: int = calls.ITEMS, ahead: int = 2,
        timeout: float | None = None,
    ) -> Generator[query_service_pb2.PlayoutsResult | ItemError]:  # fmt: skip
        """As `playouts`, with so many games from each position; see `stream_legal_decisions`."""
        plan = calls.playouts(games, rules, seed=seed, first_game=first_game, max_turns=max_turns)
        return self._stream(plan, positions, batch, ahead, timeout)

    def stream_analyse(
        self, positions: Iterable[Position], player: str = "ab:nodes=200000", *, rules: str = "",
        lines: int = 1, batch: int = calls.ITEMS, ahead: int = 2, timeout: float | None = None,
    ) -> Generator[Analysed | ItemError]:  # fmt: skip
        """As `analyse`; see `stream_legal_decisions`."""
        return self._stream(
            calls.analyse(player, rules, lines=lines), positions, batch, ahead, timeout
        )

    def playout_games(
        self, games: int, *, position: str = "", rules: str = "", seed: int = 0,
        first_game: int = 0, max_turns: int = 1000, batch: int = 1000, timeout: float | None = None,
    ) -> Generator[query_service_pb2.StreamPlayoutGamesResponse]:  # fmt: skip
        """The figures of each random game, `batch` of them at a time, in order of their index.

        Columns with a number for each game; those of `chase_fast.Playouts`.
        """
        reading = calls.PlayoutGames(
            position, games, rules, seed=seed, first_game=first_game, max_turns=max_turns,
            batch=batch,
        )  # fmt: skip
        return self._receive(reading, timeout)

    def play_games(
        self, player_a: str, player_b: str, *, openings: calls.Openings, turns: int = 4,
        rules: str = "", seed: int = 0, first_pair: int = 0, max_turns: int = 400,
        decisions: bool = False, timeout: float | None = None,
    ) -> Generator[PlayedGame]:  # fmt: skip
        """Games as they are finished, two from each opening, side by side.

        Args:
            player_a: Red in the first game of a pair.
            player_b: Red in the second.
            openings: So many that the server draws, or positions with the codes of their decisions.
                With these, broken streams go on, and no limit of the server counts.
            turns: Of openings that are drawn.
            rules: Of all games.
            seed: Of openings and games.
            first_pair: Number of the first pair; moves the seeds of games, not openings.
            max_turns: After which a game is drawn, those of its opening included.
            decisions: Whether the decisions of games are wanted.
            timeout: Of the whole, in seconds.
        """
        reading = calls.Games(
            player_a, player_b, openings=openings, turns=turns, rules=rules, seed=seed,
            first_pair=first_pair, max_turns=max_turns, decisions=decisions,
        )  # fmt: skip
        return self._receive(reading, timeout)

    # ---- Jobs ----------------------------------------------------------------------------------

    def create_job(
        self, spec: jobs_service_pb2.JobSpec, *, request_id: str = "", timeout: float | None = None
    ) -> Job:
        """Begins a job, which is on the server's disk then.

        Args:
            spec: What it does.
            request_id: Made up by the caller: the same one gives the same job. By default one is
                made here, so that no attempt creates a second job.
            timeout: In seconds.
        """
        return self._one(calls.create_job(spec, request_id), timeout)

    def get_job(self, job_id: str, *, timeout: float | None = None) -> Job:
        """A job as it stands."""
        return self._one(calls.get_job(job_id), timeout)

    def list_jobs(
        self, *, state: JobState | None = None, page_size: int = 100, timeout: float | None = None
    ) -> Generator[Job]:
        """Jobs, the latest first, without their files; pages are asked for as they are needed."""
        token = ""
        while True:
            jobs, token = self._one(calls.job_page(state, page_size, token), timeout)
            yield from jobs
            if not token:
                return

    def watch_job(
        self, job_id: str, *, after: int = 0, timeout: float | None = None
    ) -> Generator[Job]:
        """A job whenever it has changed, and at least every second; the last one has ended.

        Args:
            job_id: Of the job.
            after: `sequence` of the job that the caller knows.
            timeout: Of the whole, in seconds.
        """
        return self._receive(calls.Watch(job_id, after), timeout)

    def cancel_job(self, job_id: str, *, timeout: float | None = None) -> Job:
        """Ends a job early; what it has played is kept."""
        return self._one(calls.cancel_job(job_id), timeout)

    def delete_job(self, job_id: str, *, timeout: float | None = None) -> None:
        """Removes a job that has ended, and its files."""
        self._one(calls.delete_job(job_id), timeout)

    def download(
        self, job_id: str, name: str, path: str | Path, *, timeout: float | None = None
    ) -> JobFile:
        """Writes a file of a job that has ended.

        It grows as ``PATH.part`` and gets its name when length and SHA-256 are right. Where there
        is such a part of an earlier try, only what is missing is asked for.

        Args:
            job_id: Of the job.
            name: Of the file.
            path: Where to.
            timeout: Of the whole, in seconds; by default none.

        Raises:
            ServiceError: DATA_LOSS, too: what came is not what the job tells of.
            OSError: It cannot be written.
        """
        file = calls.file_of(self.get_job(job_id), name)
        with calls.PartFile(job_id, file, path) as part:
            for piece in self._receive(part.reading, timeout):
                part.write(piece)
            part.finish()
        return file

    def read_result(self, job_id: str, name: str, *, timeout: float | None = None) -> bytes:
        """As `download`, in memory."""
        reading = calls.Download(job_id, calls.file_of(self.get_job(job_id), name))
        pieces = self._receive(reading, timeout)
        content = b"".join(pieces)
        reading.check()
        return content
