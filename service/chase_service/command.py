"""The commands that this package adds to ``chase-fast``."""

from __future__ import annotations

import asyncio
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from chase_fast._built import commit
from chase_fast.errors import ArgumentError
from chase_service.config import Config

__all__ = ["serve"]

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
) -> None:  # fmt: skip
    """Serve queries and games to other programs by gRPC (docs/service.md).

    SIGTERM and Ctrl-C end it in order, a second one at once.
    """
    try:
        from chase_service import log as lines
        from chase_service import server  # grpc, which not everybody has
    except ImportError as error:
        typer.echo(
            f"chase-fast: serve needs the extra 'service' ({error}).\n"
            "Install it with: pip install 'chase-fast[cli,service]'",
            err=True,
        )
        raise typer.Exit(2) from None
    programs = _programs(engine or [])
    formatter = lines.JsonFormatter() if log is Form.JSON else lines.TextFormatter()
    try:
        with lines.logged(formatter, log_level.upper()) as handler:
            options = server.Options(
                listen=listen,
                insecure=insecure,
                programs=programs,
                config=Config(threads=threads, grace_seconds=grace),
                commit=commit(),
                data=data,
                metrics=None if metrics == _OFF else metrics,
                lost_lines=lambda: handler.lost,
            )
            asyncio.run(server.serve(options))
    except server.AddressError as error:
        raise typer.BadParameter(str(error)) from None
    except server.StartError as error:
        typer.echo(f"chase-fast serve: {error}", err=True)
        raise typer.Exit(1) from None


def _programs(engines: list[str]) -> dict[str, str]:
    programs: dict[str, str] = {}
    for text in engines:
        name, equals, command = text.partition("=")
        if not equals:
            raise ArgumentError(f"engine is {text!r}, expected NAME='CMD'")
        if name in programs:
            raise ArgumentError(f"engine {name} is given twice")
        programs[name] = command
    return programs
