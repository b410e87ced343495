"""The commands put together, and what becomes of whatever goes wrong in them."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, TextIO

import typer

from chase_fast import Rules, __version__
from chase_fast._built import commit
from chase_fast.cli import EXIT_USAGE
from chase_fast.cli.analyse import analyse
from chase_fast.cli.balance import balance
from chase_fast.cli.bench import bench
from chase_fast.cli.convert import convert
from chase_fast.cli.engine import engine
from chase_fast.cli.export import export
from chase_fast.cli.match import match
from chase_fast.cli.moves import moves
from chase_fast.cli.output import note, say
from chase_fast.cli.perft import perft
from chase_fast.cli.plan import plan
from chase_fast.cli.play import play
from chase_fast.cli.players import players
from chase_fast.cli.playout import playout
from chase_fast.cli.plugins import attach
from chase_fast.cli.report import report
from chase_fast.cli.rules import rules
from chase_fast.cli.show import show
from chase_fast.cli.sprt import sprt
from chase_fast.cli.tournament import tournament
from chase_fast.cli.tune import tune
from chase_fast.errors import ChaseError

PROGRAM = "chase-fast"

EXIT_FAILED = 1
EXIT_CLOSED_PIPE = 141  # 128 + SIGPIPE

# Set by the scripts that --install-completion installs.
_COMPLETION = "_CHASE_FAST_COMPLETE"

COMMANDS: dict[str, Callable[..., None]] = {
    "show": show,
    "moves": moves,
    "perft": perft,
    "playout": playout,
    "analyse": analyse,
    "play": play,
    "match": match,
    "tournament": tournament,
    "sprt": sprt,
    "balance": balance,
    "plan": plan,
    "players": players,
    "engine": engine,
    "tune": tune,
    "convert": convert,
    "export": export,
    "report": report,
    "rules": rules,
    "bench": bench,
}


def run(arguments: Sequence[str]) -> int:
    """Runs a command and answers for it: the exit code, and a message where one is due.

    What goes wrong for a reason outside this program gets a line on standard error; an error of
    this program gets its traceback.
    """
    named = arguments[0] if arguments and arguments[0] in COMMANDS else ""
    program = f"{PROGRAM} {named}".rstrip()
    if sys.stdout is None:
        note(f"{program}: standard output is closed")
        return EXIT_FAILED
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # What an encoding does not have is spelled out, not an error.
            stream.reconfigure(errors="backslashreplace")
    try:
        code = _invoke(list(arguments))
        sys.stdout.flush()
        return code
    except typer.TyperException as error:
        return _refuse(error)
    except ChaseError as error:
        note(f"{program}: {error}")
        return EXIT_USAGE
    except KeyboardInterrupt:
        _give_up(sys.stdout)
        raise
    except BrokenPipeError:
        _give_up(sys.stdout)
        return EXIT_CLOSED_PIPE
    except OSError as error:
        _give_up(sys.stdout)
        where = error.filename if error.filename is not None else "standard output"
        note(f"{program}: {where}: {error.strerror or error}")
        return EXIT_FAILED
    except MemoryError:
        note(f"{program}: not enough memory")
        return EXIT_FAILED


def build(arguments: Sequence[str] = ()) -> typer.Typer:
    """The application.

    Args:
        arguments: The command line. Other packages' commands are loaded only if it asks for one
            of them, or for help.
    """
    app = typer.Typer(
        name=PROGRAM,
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["--help", "-h"]},
        epilog="Documentation of all commands and of their JSON: docs/cli.md.",
    )
    app.callback()(_options)
    for name, command in COMMANDS.items():
        app.command(name)(command)
    if not arguments or arguments[0] not in COMMANDS:
        attach(app, taken=COMMANDS, wanted=arguments[0] if arguments else None)
    return app


def _invoke(arguments: list[str]) -> int:
    command = typer.main.get_command(build(arguments))
    if _COMPLETION in os.environ:
        command.main(prog_name=PROGRAM)  # answers a shell, and exits
    # Not command.main: it would answer for interrupts and closed pipes in its own way.
    try:
        with command.make_context(PROGRAM, arguments) as context:
            code = command.invoke(context)
    except typer.Exit as exit_:
        code = exit_.exit_code
    return code if isinstance(code, int) else 0


def _print_version(wanted: bool) -> None:
    if wanted:
        python = ".".join(map(str, sys.version_info[:3]))
        built = f", commit {name}" if (name := commit()) else ""
        say(f"{PROGRAM} {__version__} (core: {Rules().isa}, Python {python}{built})")
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            "-V",
            help="Print version, instruction set of the core, and Python.",
            callback=_print_version,
            is_eager=True,
        ),
    ] = False,
) -> None:
    """Exact, fast simulation of the board game Chase.

    Results go to standard output, messages and progress to standard error. Exit codes: 0 done,
    1 the work failed, 2 usage or bad input, 130 interrupted (Ctrl-C), 141 nobody reads the output
    any more, 143 terminated (SIGTERM).
    """


def _refuse(error: typer.TyperException) -> int:
    """Tells what is wrong with the command line, and where to read how it should be."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else PROGRAM
    if isinstance(error, typer.BadParameter):
        # The mark that validation puts before a reason says nothing to whoever typed the command.
        error.message = error.message.removeprefix("Value error, ")
    message = error.format_message()
    if message.startswith("Usage: "):
        note(message)  # where a command is missing the help is the answer
    else:
        first, *others = message.split("\n")
        note("\n  ".join([f"{path}: {first}", *others]))
        note(f"See '{path} --help'.")
    return error.exit_code


def _give_up(stream: TextIO) -> None:
    """Whatever a stream still holds goes nowhere, so that Python does not complain at its end."""
    with Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), stream.fileno())
