"""The commands that this package adds to ``chase-fast``."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Annotated

import typer

from chase_fast.errors import ArgumentError
from chase_service.config import Config

__all__ = ["serve"]

_DEFAULTS = Config()


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
) -> None:  # fmt: skip
    """Serve queries and games to other programs by gRPC (docs/service.md).

    SIGTERM and Ctrl-C end it in order, a second one at once.
    """
    try:
        from chase_service import server  # grpc, which not everybody has
    except ImportError as error:
        typer.echo(
            f"chase-fast: serve needs the extra 'service' ({error}).\n"
            "Install it with: pip install 'chase-fast[cli,service]'",
            err=True,
        )
        raise typer.Exit(2) from None
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    options = server.Options(
        listen=listen,
        insecure=insecure,
        programs=_programs(engine or []),
        config=Config(threads=threads, grace_seconds=grace),
        data=data,
    )
    try:
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
