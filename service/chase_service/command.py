"""The commands that this package adds to ``chase-fast``."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import sys
from dataclasses import fields
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chase_fast._built import commit
from chase_fast.cli.rundirs import need
from chase_service.config import Config
from chase_service.tokens import Role, new_token

if TYPE_CHECKING:
    from chase_service.tls import TlsFiles

__all__ = ["serve", "token"]

_DEFAULTS = Config()

_OFF = "off"


class Form(StrEnum):
    """How the log is written."""

    JSON = "json"
    TEXT = "text"


class Level(StrEnum):
    """From which importance on something is logged."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def _file(name: str, says: str) -> Any:
    return typer.Option(name, metavar="FILE", help=says)


def serve(
    listen: Annotated[
        str, typer.Option("--listen", metavar="HOST:PORT", help="Where to listen.")
    ] = "127.0.0.1:50051",
    data: Annotated[
        Path, typer.Option("--data", metavar="DIR", help="Folder of the server's data.")
    ] = Path(".data"),
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Allow plain text beyond this machine.")
    ] = False,
    engine: Annotated[
        list[str] | None,
        typer.Option(
            "--engine", metavar="NAME='CMD'",
            help="Offer a program as the player NAME. May be repeated.",
        ),
    ] = None,
    threads: Annotated[
        int, typer.Option("--threads", min=1, max=1024, help="Threads of the engine.")
    ] = _DEFAULTS.threads,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            "--limit", metavar="NAME=NUMBER",
            help="Another value for a limit (docs/service.md). May be repeated.",
        ),
    ] = None,
    grace: Annotated[
        float, typer.Option("--grace", min=0, max=3600, help="Seconds that calls get to finish.")
    ] = _DEFAULTS.grace_seconds,
    metrics: Annotated[
        str,
        typer.Option("--metrics", metavar="HOST:PORT", help="Where Prometheus reads, or off."),
    ] = "127.0.0.1:9464",
    log: Annotated[
        Form, typer.Option("--log", help="How the log on standard error is written.")
    ] = Form.JSON,
    log_level: Annotated[
        Level, typer.Option("--log-level", help="What is logged; a call is an info.")
    ] = Level.INFO,
    tls_cert: Annotated[
        Path | None, _file("--tls-cert", "Certificate of the server and those above it, PEM.")
    ] = None,
    tls_key: Annotated[Path | None, _file("--tls-key", "Its private key, PEM.")] = None,
    tls_client_ca: Annotated[
        Path | None, _file("--tls-client-ca", "Callers need a certificate of this root, PEM.")
    ] = None,
    tokens: Annotated[
        Path | None, _file("--tokens", "Callers need a token of this file (chase-fast token).")
    ] = None,
) -> None:  # fmt: skip
    """Serve queries and games to other programs by gRPC (docs/service.md).

    SIGTERM and Ctrl-C end it in order, a second one at once.
    """
    # gRPC writes lines of its own among those of the log, for each stranger that it cannot greet.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    need("serve", "service")
    from chase_service import log as lines
    from chase_service import server

    programs = _programs(engine or [])
    config = _config(limit or [], threads=threads, grace_seconds=grace)
    tls = _tls(tls_cert, tls_key, tls_client_ca)
    formatter = lines.JsonFormatter() if log is Form.JSON else lines.TextFormatter()
    try:
        with lines.logged(formatter, log_level.upper()) as handler:
            options = server.Options(
                listen=listen,
                insecure=insecure,
                programs=programs,
                config=config,
                commit=commit(),
                data=data,
                tls=tls,
                tokens=tokens,
                metrics=None if metrics == _OFF else metrics,
                lost_lines=lambda: handler.lost,
            )
            asyncio.run(server.serve(options))
    except server.AddressError as error:
        raise typer.BadParameter(str(error)) from None
    except server.StartError as error:
        typer.echo(f"chase-fast serve: {error}", err=True)
        raise typer.Exit(1) from None


def _config(limits: list[str], **others: float) -> Config:
    kinds = {one.name: one.type for one in fields(Config) if one.name not in others}
    values: dict[str, Any] = {**others}
    for text in limits:
        name, _, number = text.partition("=")
        if name not in kinds:
            raise typer.BadParameter(
                f"--limit is {text!r:.80}, expected NAME=NUMBER with one of {', '.join(kinds)}"
            )
        if name in values:
            raise typer.BadParameter(f"--limit {name} is given twice")
        try:
            values[name] = int(number) if kinds[name] == "int" else float(number)
        except ValueError:
            kind = "an integer" if kinds[name] == "int" else "a number"
            raise typer.BadParameter(f"--limit {name} is {number!r:.40}, expected {kind}") from None
    try:
        return Config(**values)
    except ValueError as error:
        raise typer.BadParameter(f"--limit {error}") from None


def _tls(cert: Path | None, key: Path | None, client_ca: Path | None) -> TlsFiles | None:
    from chase_service.tls import TlsFiles

    if cert is not None and key is not None:
        return TlsFiles(cert, key, client_ca)
    if cert is None and key is None and client_ca is None:
        return None
    raise typer.BadParameter("--tls-cert and --tls-key go together, --tls-client-ca with both")


def token(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Of the bearer, for logs and jobs.")],
    role: Annotated[
        list[Role],
        typer.Option("--role", help="What it lets its bearer call. May be repeated."),
    ],
) -> None:
    """Make a token for callers of a server (docs/service.md, Security).

    Prints its line for the file of --tokens, and to the standard error the token itself, which is
    kept nowhere.
    """
    try:
        made, text = new_token(name, role)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    typer.echo(made.line)
    if sys.stderr.isatty():
        typer.echo(f"The token of {name}, told only now:", err=True)
    typer.echo(text, err=True)


def _programs(engines: list[str]) -> dict[str, str]:
    programs: dict[str, str] = {}
    for text in engines:
        name, equals, command = text.partition("=")
        if not equals:
            raise typer.BadParameter(f"--engine is {text!r:.80}, expected NAME='CMD'")
        if name in programs:
            raise typer.BadParameter(f"--engine {name:.80} is given twice")
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise typer.BadParameter(f"--engine {name:.80}: {error}") from None
        if words and shutil.which(words[0]) is None:
            raise typer.BadParameter(f"--engine {name:.80}: there is no program {words[0]!r:.80}")
        programs[name] = command
    return programs
