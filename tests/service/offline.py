"""All calls of the service without a network: bytes to a handler, and what the caller would get."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import grpc
from chase_service.config import Config
from chase_service.convert import Context
from chase_service.engine import Asker, Engine, StopFlag, Work
from chase_service.errors import DETAILS_KEY
from chase_service.figures import Done
from chase_service.jobcalls import JobCalls
from chase_service.jobs import File, Jobs, Room, State
from chase_service.jobs import Work as JobWork
from chase_service.jobs.records import JobBase
from chase_service.limits import Limits
from chase_service.players import Players
from chase_service.refusal import MAX_MESSAGE
from chase_service.rpc import Gate, Handler, method_name
from chase_service.servicers import Servicers
from chase_service.watch import Ended
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc import error_details_pb2, status_pb2

Code = grpc.StatusCode

SMALL: Final = dataclasses.replace(
    Limits.of(Config()),
    items=8, request_bytes=100_000, response_bytes=20_000, call_seconds=30.0, games=50, nodes=50,
    sims=20, depth=2, seconds=0.002, hash_mib=1, threads=1, decisions=64, history=16,
    perft_depth=2, pairs=3, jobs=20,
)  # fmt: skip
"""Limits that keep every call short."""

SECRET: Final = "secret-program --key"
"""The command line of the player "mine"."""

TELLTALES: Final = (
    *("Traceback", ".py", "<class", " object at 0x", "Error", "Exception", "Errno", "errno"),
    *("sqlite", "secret", "site-packages", str(Path(__file__).parents[2])),
)
"""What an answer would hold if it told of an exception, or of the inside of the server."""

MAX_DETAILS: Final = 4096

# A stream that is longer than this is cancelled by its caller.
_MESSAGES: Final = 4

# The column with one entry for each item, by the name of the response.
_ITEMS: Final = {
    "LegalDecisionsResponse": "counts",
    "ApplyResponse": "positions",
    "PerftResponse": "counts",
    "PlayoutsResponse": "results",
    "AnalyseResponse": "results",
    "StreamPlayoutGamesResponse": "turns",
    "PlayGamesResponse": "games",
}

GAMES: Final = bytes(range(256)) * 4
"""The only file of the job that has ended."""

_JOB: Final = JobWork(
    kind="selfplay", rules=("standard",), players=("random",), pairs=1, seed=0, opening_turns=4,
    max_turns=100,
)  # fmt: skip


@dataclass
class Answer:
    """What the caller of a call gets.

    Attributes:
        code: Of the status.
        text: Of the status.
        details: The google.rpc.Status in the trailers.
        messages: Responses.
        cancelled: Whether the call ended by its caller.
        pieces: Of work that the engine got.
        told: What watchers of the service were told of its end.
    """

    code: Code = Code.OK
    text: str = ""
    details: bytes = b""
    messages: list[bytes] = field(default_factory=list)
    cancelled: bool = False
    pieces: int = 0
    told: list[Ended] = field(default_factory=list)

    @property
    def reason(self) -> str:
        """That of ErrorInfo; empty if all is well."""
        return next((one.reason for one in self.parts() if hasattr(one, "reason")), "")

    def parts(self) -> Iterator[Any]:
        """The details as messages."""
        for packed in status_pb2.Status.FromString(self.details).details:
            part = getattr(error_details_pb2, packed.type_url.rpartition(".")[2])()
            assert packed.Unpack(part)
            yield part


class Method(NamedTuple):
    """A call: how it is described, who answers it, what it takes and gives."""

    described: MethodDescriptor
    handler: Handler
    request: type[Message]
    response: type[Message]


class Caller:
    """The other end of one call, in the place of gRPC's context.

    Args:
        requests: Of a stream.
    """

    def __init__(self, requests: Iterable[bytes] = ()) -> None:
        self.answer = Answer()
        self._requests = iter(requests)

    def time_remaining(self) -> None:
        """No deadline."""

    def invocation_metadata(self) -> None:
        """None."""

    def peer(self) -> str:
        """No address."""
        return "nowhere:1"

    async def read(self) -> Any:
        return next(self._requests, grpc.aio.EOF)

    async def write(self, message: bytes) -> None:
        self.answer.messages.append(message)
        if len(self.answer.messages) >= _MESSAGES:
            raise asyncio.CancelledError

    async def abort(self, code: Code, details: str = "", trailing_metadata: Any = ()) -> None:
        trailers = dict(trailing_metadata)
        self.answer.code, self.answer.text = code, details
        self.answer.details = trailers.get(DETAILS_KEY, b"")
        raise grpc.aio.AbortError


class CountingEngine(Engine):
    """An engine that counts the pieces of work that requests have become."""

    pieces = 0

    def do(self, works: Iterable[Work[Any]], stop: StopFlag) -> list[Any]:
        return super().do(self._counted(works), stop)

    def portions(self, works: Iterable[Work[Any]], asker: Asker, **options: Any) -> Any:
        return super().portions(self._counted(works), asker, **options)

    def _counted(self, works: Iterable[Work[Any]]) -> Iterator[Work[Any]]:
        for work in works:
            self.pieces += 1
            yield work


class Offline:
    """A service. Its jobs are kept, but not played; one has ended.

    Args:
        engine: Does the work.
        data: Folder of the jobs.
        limits: Of the service.

    Attributes:
        methods: Calls by their path.
    """

    def __init__(self, engine: CountingEngine, data: Path, limits: Limits) -> None:
        players = Players({"mine": SECRET}, limits)
        self.engine = engine
        self.jobs = Jobs(
            data, lambda text: players.read(text, "player"),
            workers=1, room=Room(most=limits.jobs, kept=limits.kept_jobs, free_mib=0), seconds=1.0,
            done=Done(),
        )  # fmt: skip
        self._data = data
        self._base = JobBase(data / "jobs.sqlite")
        self.gate = Gate(limits)
        self.gate.watchers.append(self)
        self._told: list[Ended] = []
        self.methods: dict[str, Method] = {}
        services = Servicers(engine, Context(limits, players)).services()
        services += JobCalls(self.jobs, limits, players).services()
        for service, handlers in services:
            for one in service.methods:
                self.methods[f"/{service.full_name}/{one.name}"] = Method(
                    one, handlers[one.name],
                    GetMessageClass(one.input_type), GetMessageClass(one.output_type),
                )  # fmt: skip

    def items(self, method: str, items: int, failed: int) -> None:
        """As a watcher of the gate; the sums stand in `Ended`."""

    def ended(self, call: Ended) -> None:
        """As a watcher of the gate."""
        self._told.append(call)

    def job_ids(self) -> list[str]:
        """Of one that has ended, and of the latest jobs."""
        ended = self.jobs.page(before=None, state=State.SUCCEEDED, most=1)
        found = [*ended, *self.jobs.page(before=None, state=None, most=4)]
        return [job.id for job in found] if ended else [self._ended()]

    def _ended(self) -> str:
        job, _ = self._base.create("", b"", _JOB.text(), check=lambda *_: None)
        results = self._data / "jobs" / job.id / "results"
        results.mkdir(parents=True)
        (results / "games.parquet").write_bytes(GAMES)
        file = File("games.parquet", len(GAMES), "0" * 64)
        self._base.change(job.id, lambda _: {"state": State.SUCCEEDED, "files": (file,)})
        return job.id

    async def close(self) -> None:
        """Ends it."""
        self._base.close()
        await self.jobs.close()
        await self.engine.close()

    async def ask(self, path: str, requests: Sequence[bytes]) -> Answer:
        """A call; all requests but the first are for those that take a stream."""
        method = self.methods[path]
        streams = method.described.client_streaming
        caller: Any = Caller(requests if streams else ())
        answer: Answer = caller.answer
        if path.endswith("WatchJob"):
            # What waits for a change of a job that nobody plays.
            answer.messages += [b""] * (_MESSAGES - 1)
        before, self._told = self.engine.pieces, answer.told
        try:
            data = await self.gate.answer(
                method.handler, b"" if streams else requests[0], caller,
                method=method_name(method.described),
                stream=streams or method.described.server_streaming, timed=not streams,
            )  # fmt: skip
        except grpc.aio.AbortError:
            data = None
        except asyncio.CancelledError:
            answer.cancelled, data = True, None
        if data is not None:
            answer.messages.append(data)
        answer.pieces = self.engine.pieces - before
        return answer


@asynccontextmanager
async def offline(data: Path, limits: Limits = SMALL) -> AsyncIterator[Offline]:
    """A service for the time of a block."""
    service = Offline(CountingEngine(Config(threads=2)), data, limits)
    try:
        yield service
    finally:
        await service.close()


def check(method: Method, answer: Answer, limits: Limits = SMALL, *, fault: bool = False) -> None:
    """Fails if an answer tells what it may not, or is none that the contract has.

    Args:
        method: That was called.
        answer: What the caller got.
        limits: Of the service.
        fault: Whether a fault of the service was provoked, so that it may say that there was one.
    """
    forbidden = {Code.UNKNOWN, Code.DEADLINE_EXCEEDED} | (set() if fault else {Code.INTERNAL})
    assert answer.code not in forbidden
    assert len(answer.details) < MAX_DETAILS
    (told,) = answer.told
    assert told.code == ("CANCELLED" if answer.cancelled else answer.code.name)
    assert told.reason == answer.reason
    texts = []
    items = failed = 0
    if answer.code is not Code.OK:
        status = status_pb2.Status.FromString(answer.details)
        assert status.message == answer.text
        assert status.code == answer.code.value[0]
        assert answer.reason
        assert_plain(answer.text)
        texts.append(answer.text)
        for part in answer.parts():
            for violation in getattr(part, "field_violations", ()):
                assert violation.description == answer.text
                texts.append(violation.field)
    for data in filter(None, answer.messages):
        assert len(data) <= limits.response_bytes
        message: Any = method.response.FromString(data)
        message = getattr(message, "batch", message)
        items += len(getattr(message, _ITEMS.get(type(message).__name__, ""), ()))
        failed += len(getattr(message, "errors", ()))
        for error in getattr(message, "errors", ()):
            assert error.code not in {0, *(code.value[0] for code in forbidden)}
            assert error.reason
            assert_plain(error.message)
            texts += [error.message, error.field]
    if items and not answer.cancelled:
        assert (told.items, told.failed) == (items, failed)
    for text in texts:
        assert not [telltale for telltale in TELLTALES if telltale in text], text


def assert_plain(text: str) -> None:
    """A text that a terminal can show, and not a long one."""
    assert 0 < len(text) <= MAX_MESSAGE
    assert text.isascii()
    assert text.isprintable()
