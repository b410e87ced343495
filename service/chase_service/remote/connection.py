"""The server that a command asks, and what becomes of failures."""

from __future__ import annotations

import functools
import inspect
import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Concatenate,
    Final,
    NoReturn,
    ParamSpec,
    get_type_hints,
)

import typer

from chase_fast.cli import EXIT_USAGE
from chase_fast.cli.output import note
from chase_fast.cli.players import read_player
from chase_fast.cli.rundirs import EXIT_FAILED, need
from chase_service.addresses import is_address
from chase_service.players import KINDS
from chase_service.refusal import clean

if TYPE_CHECKING:
    from chase_service.client import Client, ServiceError

__all__ = [
    "AnswerError",
    "Connection",
    "connected",
    "open_client",
    "player_text",
    "refuse",
    "remote_command",
]

P = ParamSpec("P")

DEFAULT_SERVER: Final = "127.0.0.1:50051"

# Attempts in a row, with delays of up to five seconds: a server may begin again meanwhile.
_ATTEMPTS: Final = 9
_FIRST_SECONDS: Final = 10.0

# Codes that tell of what was asked, not of the server.
_USAGE: Final = frozenset(
    {"INVALID_ARGUMENT", "NOT_FOUND", "PERMISSION_DENIED", "FAILED_PRECONDITION", "OUT_OF_RANGE",
     "UNAUTHENTICATED"}
)  # fmt: skip
# Codes, without a reason of the server, that nobody gives who is there.
_NOBODY: Final = frozenset({"UNAVAILABLE", "DEADLINE_EXCEEDED"})


class AnswerError(Exception):
    """An answer that is not one to what was asked: a fault of the server, or another version."""


@dataclass(frozen=True, slots=True)
class Connection:
    """How the server is reached; its fields are options of every command.

    Attributes:
        server: Host and port.
        tls: Whether it is reached encrypted, with a certificate of a public root.
        ca: File with the root of its certificate, which implies `tls`.
        cert: File with the caller's own certificate.
        key: File with its private key.
        token_file: File with the caller's token.
        insecure: Whether the token may go to another machine in plain text.
    """

    server: Annotated[
        str,
        typer.Option(
            "--server",
            metavar="HOST:PORT",
            envvar="CHASE_FAST_SERVER",
            help="The server that does the work.",
        ),
    ] = DEFAULT_SERVER
    tls: Annotated[
        bool, typer.Option("--tls", help="Encrypted; the certificate is one of a public root.")
    ] = False
    ca: Annotated[
        Path | None,
        typer.Option("--ca", metavar="FILE", help="Root of its certificate; encrypted, too."),
    ] = None
    cert: Annotated[
        Path | None, typer.Option("--cert", metavar="FILE", help="Your certificate, with --key.")
    ] = None
    key: Annotated[Path | None, typer.Option("--key", metavar="FILE", help="Its private key.")] = (
        None
    )
    token_file: Annotated[
        Path | None, typer.Option("--token-file", metavar="FILE", help="Your token.")
    ] = None
    insecure: Annotated[
        bool,
        typer.Option("--insecure", help="Allow the token in plain text beyond this machine."),
    ] = False

    @property
    def encrypted(self) -> bool:
        """Whether it is reached encrypted."""
        return self.tls or self.ca is not None or self.cert is not None

    def again(self, *words: str) -> str:
        """A command line that asks the same server; for messages."""
        options: list[str] = []
        for one in fields(self):
            value, name = getattr(self, one.name), f"--{one.name.replace('_', '-')}"
            if value is True:
                options.append(name)
            elif value != one.default:
                options += [name, str(value)]
        return shlex.join(["chase-fast", "remote", *words, *options])

    def check(self) -> None:
        """Refuses what is no address.

        Raises:
            typer.BadParameter: It is none.
        """
        if not is_address(self.server):
            raise typer.BadParameter(
                f"{self.server!r:.80}, expected a host, a colon and a port up to 65535",
                param_hint="--server",
            )


def remote_command(
    command: Callable[Concatenate[Connection, P], None],
) -> Callable[..., None]:
    """A command for typer: the options of `command`, and those of `Connection`."""
    hints = get_type_hints(command, include_extras=True)
    connection = get_type_hints(Connection, include_extras=True)
    first, *others = inspect.signature(command).parameters.values()
    defaults = inspect.signature(Connection).parameters

    @functools.wraps(command)
    def run(**values: Any) -> None:
        options = {name: values.pop(name) for name in connection}
        command(Connection(**options), **values)  # type: ignore[call-arg]

    parameters = [one.replace(annotation=hints[one.name]) for one in others] + [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, annotation=hint, default=defaults[name].default
        )
        for name, hint in connection.items()
    ]
    del run.__wrapped__, hints[first.name]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {**hints, **connection}
    return run


def open_client(connection: Connection, *, attempts: int) -> Client:
    """A client without a deadline, since nobody knows how long the work takes.

    Raises:
        typer.BadParameter: Options that do not go together, or a file that holds something else or
            cannot be read.
    """
    from chase_service.client import Client

    token = None
    try:
        if connection.token_file is not None:
            token = connection.token_file.read_text(encoding="ascii").strip()
            if len(token.split()) != 1:
                message = "holds no token, expected one word as chase-fast token tells it"
                raise typer.BadParameter(message, param_hint="--token-file")
        return Client(
            connection.server, timeout=None, attempts=attempts, tls=connection.tls,
            ca=connection.ca, cert=connection.cert, key=connection.key, token=token,
            insecure=connection.insecure,
        )  # fmt: skip
    except UnicodeDecodeError:
        raise typer.BadParameter(
            "holds no token, expected ASCII", param_hint="--token-file"
        ) from None
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    except OSError as error:
        raise typer.BadParameter(f"cannot read {error.filename!r}: {error.strerror}") from None


@contextmanager
def connected(command: str, connection: Connection) -> Iterator[Client]:
    """A client of a server that is there; what fails ends the command with a message.

    Args:
        command: Its name.
        connection: How the server is reached.

    Raises:
        typer.Exit: There is no server, it is gone, or it refuses.
    """
    connection.check()
    need(f"remote {command}", "service")
    # What gRPC writes of its own is told here in other words.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    from chase_service.client import ServiceError

    program = f"chase-fast remote {command}"
    there = False
    try:
        with open_client(connection, attempts=1) as first:
            try:
                first.version(timeout=_FIRST_SECONDS)
            except ServiceError as error:
                # Whoever refuses is there, and not every token may ask for the version.
                if _from_nobody(error):
                    raise
        there = True
        with open_client(connection, attempts=_ATTEMPTS) as client:
            yield client
    except AnswerError as error:
        note(f"{program}: the answer of {connection.server} is not understood: {error}")
        raise typer.Exit(EXIT_FAILED) from None
    except ServiceError as error:
        if _from_nobody(error):
            note(f"{program}: {_nobody(connection, there)}")
            raise typer.Exit(EXIT_FAILED) from None
        if error.retry_after is not None:
            again = f"; the server wants to be asked again after {error.retry_after:g} seconds"
            refuse(command, error.code.name, error.message + again)
        refuse(command, error.code.name, error.message)


def refuse(command: str, code: str, message: str) -> NoReturn:
    """Ends a command that the server refuses.

    Args:
        command: Its name.
        code: Name of gRPC's code.
        message: Of the server.

    Raises:
        typer.Exit: Always.
    """
    note(f"chase-fast remote {command}: {clean(message)}")
    raise typer.Exit(EXIT_USAGE if code in _USAGE else EXIT_FAILED) from None


def _from_nobody(error: ServiceError) -> bool:
    return error.code.name in _NOBODY and not error.reason


def _nobody(connection: Connection, there: bool) -> str:
    server = connection.server
    if there:
        return f"the server at {server} is gone; what it had not answered is not done"
    if connection.encrypted:
        return f"no server at {server} with which a trusted connection can be made"
    return f"no server at {server} in plain text (--tls, --ca); start one with chase-fast serve"


def player_text(client: Client, text: str, hint: str) -> str:
    """A player as the server is asked for it: the usual form of its text, or that of a program.

    Raises:
        typer.BadParameter: The text names none that the server has.
    """
    kind = text.partition(":")[0]
    if kind in KINDS:
        return str(read_player(text, hint))
    there = list(client.version().players)
    if kind not in there:
        raise typer.BadParameter(
            f"{text!r:.80} is no player of the server, which has {clean(', '.join(there))}",
            param_hint=hint,
        )
    return text
