"""Requests that nobody would send who means well, to the handlers of all calls."""

from __future__ import annotations

import asyncio
import logging
import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import grpc
import pytest
from chase_service._pb.chase.v1 import games_service_pb2, jobs_service_pb2
from chase_service._pb.chase.v1 import query_service_pb2 as pb
from google.protobuf.message import Message
from hypothesis import given, settings
from hypothesis import strategies as st

import chase_fast as cf
from tests.service.mangling import Mangler, grouped, nested
from tests.service.offline import GAMES, SMALL, Answer, Caller, Offline, check, offline
from tests.service.running import PLAY_GAMES, QUERY

pytestmark = pytest.mark.no_core

Code = grpc.StatusCode
JOBS = "/chase.v1.JobsService/"
A1E = cf.Move.parse("a1E").code

# Seconds that no request here takes; a handler that hangs fails.
HANG: Final = 60.0


class Service:
    """A service offline, and a loop that is its own."""

    def __init__(self, runner: asyncio.Runner, offline: Offline) -> None:
        self.offline = offline
        self.paths = list(offline.methods)
        self._kinds = [method.request for method in offline.methods.values()]
        self._runner = runner

    def ask(self, path: str, *requests: Message | bytes) -> Answer:
        """A call, which must not hang."""
        data = [one if isinstance(one, bytes) else one.SerializeToString() for one in requests]
        return self._runner.run(asyncio.wait_for(self.offline.ask(path, data), HANG))

    def ask_anything(
        self, chance: random.Random, job_ids: Callable[[], list[str]] = list
    ) -> tuple[str, Answer]:
        """Any call with any request, checked: the name of the call, and its answer."""
        path = chance.choice(self.paths)
        method = self.offline.methods[path]
        mangler = Mangler(chance, job_ids)
        number = chance.choice((1, 1, 2)) if method.described.client_streaming else 1
        requests = [mangler.request(method.request, self._kinds) for _ in range(number)]
        answer = self.ask(path, *requests)
        try:
            # The program of the operator's does not start: of that the caller learns nothing.
            check(method, answer, fault=any(b"mine" in one for one in requests))
            if path.endswith("DownloadResult"):
                assert GAMES.endswith(b"".join(map(piece_of, answer.messages)))
            if answer.code is not Code.OK and number == 1 and not found_by_engine(answer):
                assert not answer.pieces
        except AssertionError as error:
            error.add_note(f"{path}, {answer}, {[one.hex() for one in requests]}")
            raise
        return path.rpartition("/")[2], answer


def piece_of(data: bytes) -> bytes:
    return jobs_service_pb2.DownloadResultResponse.FromString(data).data


def found_by_engine(answer: Answer) -> bool:
    """Whether a refusal is of one item (fail_fast), or of the size of the answer."""
    return answer.text.startswith(("item ", "the response has "))


@contextmanager
def started(folder: Path) -> Iterator[Service]:
    with asyncio.Runner() as runner:
        context = offline(folder)
        yield Service(runner, runner.run(context.__aenter__()))
        runner.run(context.__aexit__(None, None, None))


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service that many have used before, and left full of jobs."""
    with started(tmp_path_factory.mktemp("data") / "of the server") as service:
        yield service


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with started(tmp_path) as service:
        yield service


# ---- Any request --------------------------------------------------------------------------------


@settings(max_examples=300)
@given(st.randoms(use_true_random=False))
def test_whatever_is_asked_is_answered_or_refused(used: Service, chance: random.Random) -> None:
    used.ask_anything(chance)


# One hundred thousand requests; the first of these parts is in the fast tests.
PART: Final = 5_000
PARTS: Final = 20


@pytest.mark.parametrize(
    "part", [pytest.param(part, marks=pytest.mark.slow if part else ()) for part in range(PARTS)]
)
def test_very_many_requests(used: Service, part: int, caplog: pytest.LogCaptureFixture) -> None:
    seen: Counter[tuple[str, bool]] = Counter()
    with caplog.at_level(logging.ERROR, "chase_service"):
        for number in range(PART):
            # Each can be asked again alone.
            chance = random.Random(f"{part}/{number}")
            name, answer = used.ask_anything(chance, used.offline.job_ids)
            seen[name, answer.code is Code.OK] += 1
    assert seen.total() == PART
    # They get far enough to be answered, and not all of them; nothing breaks on the way but a
    # program that was asked for and is not there.
    names = {path.rpartition("/")[2] for path in used.paths}
    assert set(seen) == {(name, fine) for name in names for fine in (True, False)}
    faults = [record.exc_info for record in caplog.records]
    assert all(fault and "secret-program" in str(fault[1]) for fault in faults)


# ---- Too many, too deep, too long ---------------------------------------------------------------


def players(number: int) -> list[str]:
    return ["random", "greedy", "ab:depth=1", "ab:depth=2", "mcts:sims=5", "ab:nodes=9"][:number]


def analyse(text: str) -> Message:
    return pb.AnalyseRequest(items=[pb.AnalyseItem(player=text)])


def play(text: str) -> Message:
    generated = games_service_pb2.GeneratedOpenings(count=1)
    return games_service_pb2.PlayGamesRequest(
        player_a=text, player_b="random", generated=generated, max_turns=20
    )


def job(**kind: Any) -> Message:
    return jobs_service_pb2.CreateJobRequest(spec=jobs_service_pb2.JobSpec(**kind))


def self_play(text: str, pairs: int = 1) -> Message:
    return job(self_play=jobs_service_pb2.SelfPlayJob(player=text, pairs=pairs))


def openings(number: int, decisions: int) -> Message:
    one = games_service_pb2.Opening(decisions=[A1E] * decisions)
    given = games_service_pb2.GivenOpenings(openings=[one] * number)
    return games_service_pb2.PlayGamesRequest(player_a="random", player_b="greedy", given=given)


def applied(number: int) -> Message:
    return pb.ApplyRequest(positions=[""], counts=[number], decisions=[A1E] * number)


def playouts(*games: int) -> Message:
    return pb.PlayoutsRequest(items=[pb.PlayoutsItem(games=one) for one in games])


Make = Callable[[int], Message]
OF_PLAYERS: dict[str, str] = {
    "nodes": "ab:nodes={},hash=1",
    "sims": "mcts:sims={},hash=1",
    "depth": "ab:depth={},hash=1",
    "hash_mib": "ab:depth=1,hash={}",
    "threads": "ab:depth=1,hash=1,threads={}",
}
WITH_PLAYERS: list[tuple[str, Callable[[str], Message]]] = [
    ("Analyse", analyse), (PLAY_GAMES, play), (f"{JOBS}CreateJob", self_play),
]  # fmt: skip
LIMITED: list[tuple[str, str, Make]] = [
    ("items", "LegalDecisions", lambda n: pb.LegalDecisionsRequest(positions=[""] * n)),
    ("items", "Apply", lambda n: pb.ApplyRequest(positions=[""] * n, decisions=[A1E] * n)),
    ("items", "Perft", lambda n: pb.PerftRequest(items=[pb.PerftItem()] * n)),
    ("items", "Playouts", lambda n: playouts(*[1] * n)),
    (
        "items",
        "Analyse",
        lambda n: pb.AnalyseRequest(items=[pb.AnalyseItem(player="ab:depth=1,hash=1")] * n),
    ),
    ("items", PLAY_GAMES, lambda n: openings(n, 0)),
    ("decisions", "Apply", applied),
    (
        "decisions",
        "Analyse",
        lambda n: pb.AnalyseRequest(items=[pb.AnalyseItem(player="ab:depth=1,hash=1", lines=n)]),
    ),
    ("perft_depth", "Perft", lambda n: pb.PerftRequest(items=[pb.PerftItem(depth=n)])),
    ("games", "Playouts", lambda n: playouts(n)),
    ("games", "Playouts", lambda n: playouts(n - 1, 1)),
    (
        "games",
        "StreamPlayoutGames",
        lambda n: pb.StreamPlayoutGamesRequest(item=pb.PlayoutsItem(games=n)),
    ),
    (
        "pairs",
        PLAY_GAMES,
        lambda n: games_service_pb2.PlayGamesRequest(
            player_a="random", player_b="greedy",
            generated=games_service_pb2.GeneratedOpenings(count=n),
        ),
    ),
    ("pairs", f"{JOBS}CreateJob", lambda n: self_play("random", n)),
    *[
        (name, path, lambda n, make=make, text=text: make(text.format(n)))
        for name, text in OF_PLAYERS.items()
        for path, make in WITH_PLAYERS
    ],
    ("seconds", "Analyse", lambda n: analyse(f"ab:time={n},hash=1")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("limit", "name", "make"), LIMITED, ids=lambda one: one if isinstance(one, str) else ""
)
def test_what_is_above_a_limit_makes_no_work(
    service: Service, limit: str, name: str, make: Make
) -> None:
    path = name if name.startswith("/") else QUERY + name
    most = getattr(SMALL, limit)
    jobs = len(stored(service))
    # The engine has work at the limit, or the base a job, and neither has any beyond it.
    answer = service.ask(path, make(most))
    assert answer.code is Code.OK, answer
    assert Code.OUT_OF_RANGE.value[0] not in {one.code for one in errors(service, path, answer)}
    assert answer.pieces or len(stored(service)) == jobs + 1
    jobs = len(stored(service))
    answer = service.ask(path, make(2 * most if limit == "seconds" else most + 1))
    codes = {answer.code} | {one.code for one in errors(service, path, answer)}
    assert codes & {Code.OUT_OF_RANGE, Code.OUT_OF_RANGE.value[0]}
    assert not answer.pieces
    assert len(stored(service)) == jobs


def stored(service: Service) -> list[str]:
    return [job.id for job in service.offline.jobs.page(before=None, state=None, most=1000)]


def errors(service: Service, path: str, answer: Answer) -> list[Any]:
    """Items without a result, of a call that was answered."""
    kind: Any = service.offline.methods[path].response
    return [one for data in answer.messages for one in getattr(kind.FromString(data), "errors", ())]


def test_a_history_that_is_too_long(service: Service) -> None:
    item = pb.AnalyseItem(decisions=[A1E] * (SMALL.history + 1))
    path = f"{QUERY}Analyse"
    answer = service.ask(path, pb.AnalyseRequest(items=[item]))
    assert [one.code for one in errors(service, path, answer)] == [Code.OUT_OF_RANGE.value[0]]
    assert not answer.pieces
    answer = service.ask(PLAY_GAMES, openings(1, SMALL.history + 1))
    assert (answer.code, answer.pieces) == (Code.OUT_OF_RANGE, 0)


def test_the_games_of_a_job_are_added_up(service: Service) -> None:
    path = f"{JOBS}CreateJob"
    many = [jobs_service_pb2.TournamentJob(players=players(number), pairs=3) for number in (4, 5)]
    jobs = len(stored(service))
    assert service.ask(path, job(tournament=many[0])).code is Code.OK
    assert service.ask(path, job(tournament=many[1])).code is Code.OUT_OF_RANGE
    assert len(stored(service)) == jobs + 1


DEEP = [grouped(101), grouped(1_000_000), b"\x0b" * 1_000_000, nested(grouped(101), 3)]


@pytest.mark.parametrize("data", DEEP, ids=range(len(DEEP)))
def test_messages_that_are_too_deep(service: Service, data: bytes) -> None:
    for path in service.paths:
        answer = service.ask(path, data)
        check(service.offline.methods[path], answer)
        assert not answer.pieces
        # Bytes within bytes are no message where the contract has none.
        assert answer.code is Code.INVALID_ARGUMENT or data[0] == 0x0A


VERY_MANY: Final = 300_000
FLOODS: dict[str, list[Message]] = {
    f"{QUERY}LegalDecisions": [pb.LegalDecisionsRequest(positions=[""] * VERY_MANY)],
    f"{QUERY}Apply": [
        pb.ApplyRequest(positions=[""] * VERY_MANY, texts=["a1E"] * VERY_MANY),
        pb.ApplyRequest(positions=[""], counts=[0] * VERY_MANY),
        pb.ApplyRequest(positions=[""], counts=[VERY_MANY], decisions=[A1E] * VERY_MANY),
        pb.ApplyRequest(positions=[""], texts=["a1E"] * VERY_MANY),
    ],
    f"{QUERY}Perft": [pb.PerftRequest(items=[pb.PerftItem()] * VERY_MANY)],
    f"{QUERY}Playouts": [playouts(*[1] * VERY_MANY)],
    f"{QUERY}Analyse": [pb.AnalyseRequest(items=[pb.AnalyseItem()] * VERY_MANY)],
    PLAY_GAMES: [openings(VERY_MANY, 0), openings(1, VERY_MANY)],
    f"{JOBS}CreateJob": [
        job(tournament=jobs_service_pb2.TournamentJob(players=["random"] * VERY_MANY, pairs=1)),
        job(
            balance=jobs_service_pb2.BalanceJob(
                variants=[""], players=["random"], pairs=1, levels=["turns"] * VERY_MANY
            )
        ),
        job(
            balance=jobs_service_pb2.BalanceJob(
                variants=["standard"] * VERY_MANY, players=["random"], pairs=1
            )
        ),
        self_play("random:" + "x" * VERY_MANY),
    ],
    f"{JOBS}GetJob": [jobs_service_pb2.GetJobRequest(job_id="A" * VERY_MANY)],
    f"{JOBS}ListJobs": [jobs_service_pb2.ListJobsRequest(page_token="MCA1" * VERY_MANY)],
}


@pytest.mark.parametrize("path", FLOODS, ids=lambda path: path.rpartition("/")[2])
def test_messages_with_too_much_in_them(service: Service, path: str) -> None:
    jobs = len(stored(service))
    for request in FLOODS[path]:
        answer = service.ask(path, request)
        check(service.offline.methods[path], answer)
        assert answer.code in (Code.INVALID_ARGUMENT, Code.OUT_OF_RANGE, Code.NOT_FOUND)
        assert not answer.pieces
    assert len(stored(service)) == jobs


# ---- A caller that is gone ----------------------------------------------------------------------


def test_a_caller_that_is_gone_is_no_fault(
    service: Service, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def write(self: Caller, message: bytes) -> None:
        raise grpc.aio.InternalError("what gRPC says when it has no caller any more")

    monkeypatch.setattr(Caller, "write", write)
    request = pb.StreamPlayoutGamesRequest(item=pb.PlayoutsItem(games=3))
    with caplog.at_level(logging.ERROR, "chase_service"):
        assert service.ask(f"{QUERY}StreamPlayoutGames", request).cancelled
    assert not caplog.records
