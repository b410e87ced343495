"""A server that people can run: it starts once, tells its health, and ends in order."""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
import os
import signal
import socket
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection, reflection_pb2_grpc

from chase_service.access import Access
from chase_service.addresses import is_address, is_loopback
from chase_service.config import Config
from chase_service.convert import Context, build
from chase_service.engine import Engine
from chase_service.figures import Done
from chase_service.foreign import Guarded
from chase_service.jobcalls import JobCalls
from chase_service.jobs import Jobs, Room
from chase_service.limits import Limits
from chase_service.log import CallLog
from chase_service.metrics import Monitor, Sources
from chase_service.players import Players
from chase_service.reload import FileError
from chase_service.rpc import Gate, handlers, method_name, other_handlers
from chase_service.servicers import Servicers
from chase_service.tls import TlsFiles, server_credentials
from chase_service.tokens import tokens_of_file

__all__ = ["AddressError", "Options", "Server", "StartError", "check_address", "serve"]

_log = logging.getLogger("chase_service")

_SERVING: Final = health_pb2.HealthCheckResponse.SERVING
# Seconds that calls of others (health, reflection) get at the end.
_LAST_SECONDS: Final = 0.2


class StartError(Exception):
    """The server cannot start: what was asked, and why not."""


class AddressError(StartError):
    """An address that is none, or one that others can reach."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to serve.

    Attributes:
        listen: Host and port; port 0 takes a free one.
        insecure: Whether an address beyond this machine is served in plain text.
        programs: Command lines of players by the name that callers use.
        limits: What callers may ask for, if not what `config` says.
        config: Of the server; its threads are those of the engine, its grace time what calls under
            way get to finish when the server ends.
        commit: The commit that was built, or an empty text.
        data: Folder of the server, made if it is not there; None: there are no jobs.
        metrics: Host and port where Prometheus reads; None: nowhere.
        lost_lines: How many lines of the log were lost, for the metrics.
        tls: Certificates of the server; None: plain text.
        tokens: File of the tokens that callers need; None: they need none.
    """

    listen: str = "127.0.0.1:50051"
    insecure: bool = False
    programs: Mapping[str, str] = field(default_factory=dict)
    config: Config = field(default_factory=Config)
    limits: Limits | None = None
    commit: str = ""
    data: Path | None = None
    metrics: str | None = None
    lost_lines: Callable[[], int] = int
    tls: TlsFiles | None = None
    tokens: Path | None = None


def check_address(listen: str, *, insecure: bool, name: str = "listen") -> None:
    """Refuses addresses that anybody could reach, unless that is meant.

    Args:
        listen: Host and port.
        insecure: Whether that is meant.
        name: Of the option.

    Raises:
        AddressError: No host and port, or a host that is not this machine alone.
    """
    if not is_address(listen):
        raise AddressError(
            f"{name} is {listen!r:.80}, expected a host, a colon and a port up to 65535; an "
            "address of IPv6 stands in brackets"
        )
    if not insecure and not is_loopback(listen.rpartition(":")[0]):
        way = "a certificate (--tls-cert), " if name == "listen" else ""
        raise AddressError(
            f"{name} is {listen!r}, which others can reach, and nothing is encrypted; expected "
            f"an address such as 127.0.0.1:50051, {way}or the option --insecure"
        )


class Server:
    """A server in the running event loop.

    Args:
        options: How to serve.

    Raises:
        AddressError: See `check_address`.
        ArgumentError: A program that is not as described (`Players`).
        StartError: A file or the folder cannot be used, or another server uses that.
    """

    def __init__(self, options: Options) -> None:
        check_address(options.listen, insecure=options.insecure or options.tls is not None)
        if options.metrics is not None:
            check_address(options.metrics, insecure=options.insecure, name="metrics")
        self._options = options
        try:
            self._credentials = None if options.tls is None else server_credentials(options.tls)
            tokens = None if options.tokens is None else tokens_of_file(options.tokens).value
        except FileError as error:
            raise StartError(str(error)) from None
        config = options.config
        limits = options.limits or Limits.of(config)
        players = Players(options.programs, limits)
        self._gate = Gate(limits, tokens)
        self._health = health.aio.HealthServicer()
        self._names: list[str] = []
        self._server = grpc.aio.server(
            interceptors=[] if tokens is None else [Access(tokens, self._gate)],
            options=[
                # Another server on the same port would get half of the calls.
                ("grpc.so_reuseport", 0),
                ("grpc.max_receive_message_length", limits.request_bytes),
                ("grpc.max_send_message_length", limits.response_bytes),
                ("grpc.max_concurrent_streams", 1000),
                # Callers that are gone without a word are found out.
                ("grpc.keepalive_time_ms", 60_000),
                ("grpc.keepalive_timeout_ms", 20_000),
                ("grpc.http2.min_recv_ping_interval_without_data_ms", 10_000),
                ("grpc.keepalive_permit_without_calls", 1),
            ],
        )
        done = Done()
        self._jobs = _open_jobs(options.data, config, limits, players, done)
        self._engine = Engine(config)
        servicers = Servicers(self._engine, Context(limits, players, done), commit=options.commit)
        services = servicers.services()
        if self._jobs is not None:
            services += JobCalls(self._jobs, limits, players).services()
        for service, methods in services:
            self._server.add_generic_rpc_handlers((handlers(service, methods, self._gate),))
            self._names.append(service.full_name)
        self._gate.watchers.append(CallLog())
        self._monitor: Monitor | None = None
        if options.metrics is not None:
            known = [method_name(method) for service, _ in services for method in service.methods]
            self._monitor = Monitor(options.metrics, known, self._sources(done))
            self._gate.watchers.append(self._monitor.metrics)
        guarded: Any = Guarded(self._server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, guarded)
        names = (*self._names, health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection_pb2_grpc.add_ServerReflectionServicer_to_server(
            reflection.aio.ReflectionServicer(names), guarded
        )
        self._server.add_generic_rpc_handlers((other_handlers(self._gate),))
        self.port = 0

    def _sources(self, done: Done) -> Sources:
        jobs = self._jobs
        return Sources(
            build=build(self._options.commit),
            running=lambda: self._gate.running,
            engine=self._engine.figures,
            done=done,
            jobs=lambda: (
                {}
                if jobs is None
                else {state.name.lower(): number for state, number in jobs.counts().items()}
            ),
            lost_lines=self._options.lost_lines,
        )

    @property
    def metrics_port(self) -> int:
        """Where Prometheus reads; 0 if it cannot."""
        return 0 if self._monitor is None else self._monitor.port

    @property
    def calls(self) -> int:
        """Calls under way."""
        return self._gate.running

    @property
    def work(self) -> int:
        """Work of calls that waits for a thread, or has one."""
        return self._engine.waiting

    async def start(self) -> None:
        """Begins to serve; `port` is the port then.

        Raises:
            StartError: An address is in use or cannot be had.
        """
        try:
            await self._listen()
        except StartError:
            if self._monitor is not None:
                await self._monitor.stop()
            if self._jobs is not None:
                await self._jobs.close()
            await self._engine.close()
            raise
        await self._server.start()
        if self._jobs is not None:
            self._jobs.start(self._engine)
        for name in ("", *self._names):
            await self._health.set(name, _SERVING)

    async def _listen(self) -> None:
        if self._monitor is not None:
            try:
                await self._monitor.start()
            except OSError as error:
                raise StartError(
                    f"cannot serve metrics on {self._options.metrics}: {error.strerror}; "
                    "choose another address for --metrics, or off"
                ) from None
        try:
            self.port = 0 if _served(self._options.listen) else self._add_port()
        except RuntimeError:
            self.port = 0
        if not self.port:
            raise StartError(f"cannot listen on {self._options.listen}: in use, or not to be had")

    def _add_port(self) -> int:
        listen = self._options.listen
        if self._credentials is None:
            return self._server.add_insecure_port(listen)
        return self._server.add_secure_port(listen, self._credentials)

    async def drain(self) -> bool:
        """Ends: tells that it does not serve any more, lets calls finish, ends the others.

        Returns:
            Whether all calls finished within the grace time.
        """
        await self._health.enter_graceful_shutdown()
        if self._jobs is not None:
            self._jobs.end_watching()
        finished = await self._gate.drain(self._options.config.grace_seconds)
        await self._server.stop(_LAST_SECONDS)
        if self._monitor is not None:
            await self._monitor.stop()
        if self._jobs is not None:
            await self._jobs.close()
        await self._engine.close()
        return finished


def _served(listen: str) -> bool:
    """Whether somebody serves one of the addresses of a name already.

    gRPC is content with the others, and callers of the name would then meet two servers.
    """
    host, _, port = listen.rpartition(":")
    try:
        found = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)
    except OSError:
        return False  # gRPC tells that there is no such name
    for family, kind, protocol, _, address in found:
        try:
            with socket.socket(family, kind, protocol) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                probe.bind(address)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return True
    return False


def _open_jobs(
    data: Path | None, config: Config, limits: Limits, players: Players, done: Done
) -> Jobs | None:
    if data is None:
        return None
    try:
        room = Room(most=limits.jobs, kept=limits.kept_jobs, free_mib=config.min_free_mib)
        return Jobs(
            data, lambda text: players.read(text, "player"),
            workers=config.threads, room=room, seconds=limits.job_seconds, done=done,
        )  # fmt: skip
    except (OSError, sqlite3.Error) as error:
        raise StartError(f"cannot use the folder {data}: {error}") from None


def spare_the_collector() -> None:
    """Takes all that is there by now out of the rounds of Python's collector, for good.

    What was imported stays for as long as the process lives. To look through it, every few seconds
    under load, held the event loop for some 60 ms each time.
    """
    gc.collect()
    gc.freeze()


async def serve(options: Options) -> bool:
    """Serves until SIGTERM or SIGINT; a second signal ends the process at once.

    Returns:
        Whether all calls finished within the grace time.

    Raises:
        AddressError: See `check_address`.
        ArgumentError: See `Server`.
        StartError: See `Server.start`.
    """
    server = Server(options)
    await server.start()
    spare_the_collector()
    ending = asyncio.Event()

    def end(number: signal.Signals) -> None:
        if ending.is_set():
            os._exit(128 + number)
        ending.set()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, end, number)
    host = options.listen.rpartition(":")[0]
    how = " with TLS" if options.tls is not None else ""
    whom = ", for bearers of tokens" if options.tokens is not None else ""
    _log.info("serving on %s:%d%s%s", host, server.port, how, whom)
    if server.metrics_port:
        _log.info("metrics on port %d", server.metrics_port)
    await ending.wait()
    grace = options.config.grace_seconds
    _log.info("ending within %g seconds; a second signal ends at once", grace)
    return await server.drain()
