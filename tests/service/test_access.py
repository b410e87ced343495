"""Who may call what: every method of every service, with every kind of token."""

from __future__ import annotations

import asyncio
import hashlib
import importlib
import pkgutil
import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import chase_service._pb.chase.v1 as contract
import grpc
import pytest
from chase_service._pb.chase.v1 import query_service_pb2 as pb
from chase_service.access import ROLES, Access
from chase_service.addresses import host_of
from chase_service.client import AsyncClient, Client, ServiceError
from chase_service.config import Config
from chase_service.limits import Limits
from chase_service.rpc import Call, Gate
from chase_service.server import Options
from chase_service.tokens import TOKEN, Role, Token, Tokens, tokens_of_file
from chase_service.watch import OTHER
from google.protobuf.descriptor import MethodDescriptor
from google.rpc import error_details_pb2, status_pb2
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2
from hypothesis import example, given
from hypothesis import strategies as st

from tests.service.certificates import HOST
from tests.service.running import PATIENCE, QUERY, Running, failure, running, start_fault, wait_for
from tests.service.watching import log_lines, risen, scraped

pytestmark = pytest.mark.no_core

Code = grpc.StatusCode
REFLECTION = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"
REFUSED = ("UNAUTHENTICATED", "PERMISSION_DENIED")
NEEDED = "a valid token is needed, in the metadata authorization: Bearer TOKEN"

ALL = {
    "query": [Role.QUERY],
    "job": [Role.JOB],
    "both": [Role.JOB, Role.QUERY],
    "admin": [Role.ADMIN],
}
TEXTS = {name: hashlib.sha256(name.encode()).hexdigest() for name in ALL}
MADE = {
    name: Token(name, frozenset(roles), hashlib.sha256(TEXTS[name].encode()).digest())
    for name, roles in ALL.items()
}


def lines(*names: str) -> str:
    return "".join(f"{MADE[name].line}\n" for name in names)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tokens") / "tokens"
    path.write_text(lines(*MADE))
    path.chmod(0o600)
    return path


@pytest.fixture(scope="module")
def server(file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tokens=file, data=tmp_path_factory.mktemp("data")) as started:
        yield started


def bearer(text: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {text}"),)


def outcome(
    server: Running, path: str, metadata: Any, requests: Iterator[bytes] | None = None
) -> tuple[Code, str]:
    """What becomes of a call of any kind, sent an empty message: its code, and the reason."""
    call: Any = server.channel.stream_stream(path)
    stream = call(requests or iter([b""]), timeout=PATIENCE, metadata=metadata)
    try:
        list(stream)
        return Code.OK, ""
    except grpc.RpcError:
        code: Code = stream.code()
    trailers = dict(stream.trailing_metadata() or ())
    details = status_pb2.Status.FromString(trailers.get("grpc-status-details-bin", b"")).details
    info = error_details_pb2.ErrorInfo()
    if details:
        assert details[0].Unpack(info)
    return code, info.reason


def methods() -> dict[str, MethodDescriptor]:
    found = {}
    for module in pkgutil.iter_modules(contract.__path__):
        pb2 = importlib.import_module(f"{contract.__name__}.{module.name}")
        for service in pb2.DESCRIPTOR.services_by_name.values():
            for method in service.methods:
                found[f"/{service.full_name}/{method.name}"] = method
    return found


METHODS = methods()


# ---- All methods --------------------------------------------------------------------------------


def test_each_service_has_a_role() -> None:
    assert set(ROLES) == {method.containing_service.full_name for method in METHODS.values()}
    assert len(METHODS) > 15


@pytest.mark.parametrize("path", METHODS)
def test_who_may_call_it(server: Running, path: str) -> None:
    role = Role.JOB if "JobsService" in path else Role.QUERY
    refused = (Code.UNAUTHENTICATED, "UNAUTHENTICATED")
    assert outcome(server, path, ()) == refused
    assert outcome(server, path, bearer("0" * 64)) == refused
    assert outcome(server, path, bearer(MADE["admin"].digest.hex())) == refused
    for name, text in TEXTS.items():
        code, reason = outcome(server, path, bearer(text))
        if MADE[name].may(role):
            assert reason not in ("UNAUTHENTICATED", "ROLE_MISSING")
            assert code is Code.OK or reason, (path, code)
        else:
            assert (code, reason) == (Code.PERMISSION_DENIED, "ROLE_MISSING")


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/chase.v1.QueryService/Nothing", Code.UNIMPLEMENTED),
        ("/chase.v1.NothingService/Perft", Code.PERMISSION_DENIED),
        ("/chase.v1.JobsService/../QueryService/Perft", Code.PERMISSION_DENIED),
        ("/grpc.health.v1.Health/../../chase.v1.QueryService/Perft", Code.PERMISSION_DENIED),
        ("/", Code.PERMISSION_DENIED),
    ],
)
def test_what_is_not_there(server: Running, path: str, code: Code) -> None:
    assert outcome(server, path, ())[0] is Code.UNAUTHENTICATED
    assert outcome(server, path, bearer(TEXTS["query"]))[0] is code
    assert outcome(server, path, bearer(TEXTS["admin"]))[0] is Code.UNIMPLEMENTED


def test_health_needs_none(server: Running) -> None:
    call: Any = server.channel.unary_unary("/grpc.health.v1.Health/Check")
    for metadata in ((), bearer("wrong")):
        data = call(
            health_pb2.HealthCheckRequest().SerializeToString(),
            timeout=PATIENCE, metadata=metadata,
        )  # fmt: skip
        status = health_pb2.HealthCheckResponse.FromString(data).status
        assert status == health_pb2.HealthCheckResponse.SERVING


def test_reflection_needs_any(server: Running) -> None:
    asked = reflection_pb2.ServerReflectionRequest(list_services="").SerializeToString()
    for metadata in ((), bearer("wrong")):
        code, _ = outcome(server, REFLECTION, metadata, iter([asked]))
        assert code is Code.UNAUTHENTICATED
    for text in TEXTS.values():
        assert outcome(server, REFLECTION, bearer(text), iter([asked]))[0] is Code.OK
        # Clients try the later version first, and need to be told that it is not there.
        later = REFLECTION.replace("v1alpha", "v1")
        assert outcome(server, later, bearer(text), iter([asked]))[0] is Code.UNIMPLEMENTED


# ---- What callers send --------------------------------------------------------------------------

HOSTILE: dict[str, tuple[tuple[str, str | bytes], ...]] = {
    "empty": (("authorization", ""),),
    "no token": (("authorization", "Bearer"),),
    "no token after the space": (("authorization", "Bearer "),),
    "no scheme": (("authorization", TEXTS["admin"]),),
    "another scheme": (("authorization", f"Basic {TEXTS['admin']}"),),
    "no space": (("authorization", f"Bearer{TEXTS['admin']}"),),
    "two tokens in one": (("authorization", f"Bearer {TEXTS['admin']} {TEXTS['query']}"),),
    "two headers": (*bearer(TEXTS["admin"]), *bearer(TEXTS["admin"])),
    "the right one second": (*bearer("wrong"), *bearer(TEXTS["admin"])),
    "long": (("authorization", "Bearer " + "x" * 6000),),
    "long scheme": (("authorization", "B" * 6000),),
    "long, with the right beginning": (("authorization", f"Bearer {TEXTS['admin']}" + "0" * 600),),
    "binary": (("authorization-bin", f"Bearer {TEXTS['admin']}".encode()),),
    "another case": (("authorization", f"Bearer {TEXTS['admin'].upper()}"),),
    "a part": (("authorization", f"Bearer {TEXTS['admin'][:-1]}"),),
    "a line of the file": (("authorization", f"Bearer {MADE['admin'].line}"),),
    "another key": (("token", TEXTS["admin"]), ("x-authorization", TEXTS["admin"])),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_headers_that_are_no_token(server: Running, name: str) -> None:
    call: Any = server.channel.unary_unary(QUERY + "Perft")
    future = call.future(b"", timeout=PATIENCE, metadata=HOSTILE[name])
    assert (future.code(), future.details()) == (Code.UNAUTHENTICATED, NEEDED)
    wait_for(lambda: server.busy == 0)


class Details:
    """What an interceptor is told of a call."""

    def __init__(self, method: str, metadata: Sequence[tuple[str, str | bytes]]) -> None:
        self.method = method
        self.invocation_metadata = tuple(metadata)


def let_in(file: Path, method: str, metadata: Sequence[tuple[str, str | bytes]]) -> bool:
    """Whether a call gets to its handler."""

    async def ask() -> bool:
        handler = object()

        async def go_on(details: Any) -> Any:
            return handler

        access = Access(tokens_of_file(file).value, Gate(Limits.of(Config())))
        details: Any = Details(method, metadata)
        return await access.intercept_service(go_on, details) is handler

    return asyncio.run(ask())


PIECES = st.one_of(
    st.text(),
    st.binary(),
    st.sampled_from(["Bearer ", "Bearer\t", *TEXTS.values()]),
    st.sampled_from(list(TEXTS.values())).map(lambda text: f"Bearer {text}"),
    st.sampled_from(list(TEXTS.values())).map(lambda text: f"bearer  {text} ".encode()),
    st.sampled_from(list(TEXTS.values())).map(lambda text: f"Bearer {text}".encode() + b"\xff"),
)
HEADERS = st.lists(
    st.tuples(st.sampled_from(["authorization", "authorization-bin", "x"]), PIECES), max_size=3
)


@given(HEADERS)
@example([("authorization", f"Bearer {TEXTS['query']}")])
@example([("authorization", f"Bearer\t{TEXTS['query']}")])
@example([("authorization", b"Bearer \xff\xfe")])
@example([("authorization", "Bearer \udcff")])
def test_whatever_headers_hold(file: Path, headers: list[tuple[str, str | bytes]]) -> None:
    """Exactly one header, with the scheme and the text of a token: that, and nothing else."""
    values = [value for key, value in headers if key == "authorization"]
    texts = [one.decode("latin-1") if isinstance(one, bytes) else one for one in values]
    told = [re.fullmatch("bearer +([0-9a-f]{64}) *", text, re.I | re.A) for text in texts]
    known = [match is not None and match[1] in TEXTS.values() for match in told]
    assert let_in(file, REFLECTION, headers) is (known == [True])
    assert let_in(file, "/grpc.health.v1.Health/Check", headers)


@given(st.one_of(st.text(), st.sampled_from(list(METHODS))), st.sampled_from(list(MADE)))
def test_whatever_is_called(file: Path, path: str, name: str) -> None:
    """What is no service of the contract is for admins."""
    role = ROLES.get(path.lstrip("/").rpartition("/")[0], Role.ADMIN)
    assert let_in(file, path, bearer(TEXTS[name])) is MADE[name].may(role)


@pytest.mark.parametrize("scheme", ["Bearer ", "bearer ", "BEARER ", "Bearer   "])
def test_headers_that_are_one(server: Running, scheme: str) -> None:
    metadata = (("authorization", f"{scheme}{TEXTS['query']}"),)
    request = pb.PerftRequest(items=[pb.PerftItem(depth=1)])
    answer = server.call("Perft", request, pb.PerftResponse, metadata=metadata)
    assert answer.counts == [46]


@pytest.mark.parametrize("path", [QUERY + "Perft", QUERY + "StreamPerft"])
def test_it_is_refused_before_a_request_is_read(server: Running, path: str) -> None:
    ended = threading.Event()
    call: Any = server.channel.stream_stream(path)

    def nothing() -> Iterator[bytes]:
        # Waits for the end of the call, which comes without a request.
        ended.wait(10 * PATIENCE)
        yield from ()

    stream = call(nothing(), timeout=PATIENCE)
    try:
        assert stream.code() is Code.UNAUTHENTICATED
    finally:
        ended.set()
    unreadable = outcome(server, path, (), iter([b"\xff\xff"]))
    assert unreadable == (Code.UNAUTHENTICATED, "UNAUTHENTICATED")


def test_both_clients_send_it(server: Running) -> None:
    with Client(server.target, token=TEXTS["query"]) as client:
        assert client.perft([("", 1)]) == [46]
        assert len(list(client.play_games("random", "random", openings=2))) == 4
    with Client(server.target, token=TEXTS["job"]) as client:
        with pytest.raises(ServiceError) as raised:
            client.version()
        assert (raised.value.code, raised.value.reason) == (Code.PERMISSION_DENIED, "ROLE_MISSING")
    with pytest.raises(ServiceError) as raised:
        server.client.version()
    assert (raised.value.code, raised.value.reason) == (Code.UNAUTHENTICATED, "UNAUTHENTICATED")

    async def ask() -> Any:
        async with AsyncClient(server.target, token=TEXTS["query"]) as client:
            games = client.play_games("random", "random", openings=2)
            return await client.perft([("", 1)]), len([game async for game in games])

    assert asyncio.run(ask()) == ([46], 4)


def test_what_is_told_of_it(file: Path, tmp_path: Path) -> None:
    """Refused calls are counted and logged by methods that there are; tokens are not."""
    unknown = "0" * 64
    with log_lines(tmp_path) as lines, running(tokens=file, metrics="127.0.0.1:0") as server:
        before = scraped(server)
        for path in (QUERY + "Perft", "/made.up/Name"):
            outcome(server, path, bearer(unknown))
            outcome(server, path, bearer(TEXTS["job"]))
        server.call(
            "Perft", pb.PerftRequest(items=[pb.PerftItem(depth=1)]), pb.PerftResponse,
            metadata=bearer(TEXTS["query"]),
        )  # fmt: skip
        told = risen(before, scraped(server), "chase_calls_total")
    methods = ("QueryService.Perft", "other")
    refused = [(code, method) for method in methods for code in REFUSED]
    assert told == dict.fromkeys((("OK", methods[0]), *refused), 1)
    assert [(line["code"], line["method"]) for line in lines.calls] == [
        *refused,
        ("OK", methods[0]),
    ]
    assert [line["client"] for line in lines.calls] == [HOST, "job", HOST, "job", "query"]
    assert not [text for text in (unknown, *TEXTS.values()) if text in lines.text]


# ---- Changes, and whose call it is --------------------------------------------------------------


def test_a_changed_file_is_taken_up(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text(lines("query"))
    path = QUERY + "Perft"

    def welcome(server: Running) -> set[str]:
        codes = {name: outcome(server, path, bearer(text))[0] for name, text in TEXTS.items()}
        return {name for name, code in codes.items() if code is not Code.UNAUTHENTICATED}

    with running(tokens=file) as server:
        assert welcome(server) == {"query"}
        file.write_text(lines("query", "both"))
        assert welcome(server) == {"query", "both"}
        file.write_text(lines("both") + "admin admin nonsense\n")
        assert welcome(server) == {"query", "both"}
        file.write_text(lines("admin"))
        assert welcome(server) == {"admin"}
        file.unlink()
        assert welcome(server) == {"admin"}
        file.write_text("")
        assert welcome(server) == set()


@pytest.mark.parametrize("now", ["", lines("admin"), lines("query").replace(" query ", " job ")])
def test_a_stream_ends_with_its_token(tmp_path: Path, now: str) -> None:
    file = tmp_path / "tokens"
    file.write_text(lines("query", "both"))
    answered = threading.Semaphore(0)

    def requests() -> Iterator[bytes]:
        batch = pb.PerftRequest(items=[pb.PerftItem(depth=1)])
        for _ in range(3):
            yield pb.StreamPerftRequest(batch=batch).SerializeToString()
            assert answered.acquire(timeout=PATIENCE)

    with running(tokens=file) as server:
        call: Any = server.channel.stream_stream(QUERY + "StreamPerft")
        stream = call(requests(), timeout=PATIENCE, metadata=bearer(TEXTS["query"]))
        assert pb.StreamPerftResponse.FromString(next(stream)).batch.counts == [46]
        file.write_text(lines("query"))  # others do not matter
        answered.release()
        assert pb.StreamPerftResponse.FromString(next(stream)).batch.counts == [46]
        file.write_text(now)
        answered.release()
        with pytest.raises(grpc.RpcError) as raised:
            next(stream)
    assert failure(raised.value) == (Code.UNAUTHENTICATED, NEEDED)


def test_a_faulty_file_does_not_start(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    for text, said in ((None, "cannot read"), ("ann", "line 1: 1 words")):
        if text is not None:
            file.write_text(text)
        assert said in start_fault(Options(tokens=file))


class Context:
    """No more of gRPC's than a call asks for at its beginning."""

    def peer(self) -> str:
        return "ipv4:192.0.2.7:4711"


def called(*, guarded: bool) -> Call:
    context: Any = Context()
    tokens = Tokens(list(MADE.values()))
    gate = Gate(Limits.of(Config()), (lambda: tokens) if guarded else None)
    return Call(context, gate, OTHER, 0, stream=False)


def test_whose_call_it_is() -> None:
    assert called(guarded=False).client == "192.0.2.7"
    before = TOKEN.set(MADE["job"])
    try:
        assert called(guarded=True).client == "job"
        assert called(guarded=False).client == "192.0.2.7"
        TOKEN.set(None)
        assert called(guarded=True).client == "192.0.2.7"
    finally:
        TOKEN.reset(before)


def test_a_call_that_nobody_judged_ends() -> None:
    with pytest.raises(LookupError):
        called(guarded=True)


@pytest.mark.parametrize(
    ("peer", "host"),
    [
        ("ipv4:127.0.0.1:5000", "127.0.0.1"),
        ("ipv6:%5B::1%5D:5000", "::1"),
        ("ipv6:[2001:db8::7]:5000", "2001:db8::7"),
        ("unix:", "unix:"),
        ("", ""),
    ],
)
def test_hosts_of_peers(peer: str, host: str) -> None:
    assert host_of(peer) == host
