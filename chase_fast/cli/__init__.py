"""The command line ``chase-fast``; ``docs/cli.md`` describes it.

It needs the extra ``cli`` (typer and rich). This module imports neither, so that it can say so.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

EXIT_USAGE = 2
EXIT_INTERRUPTED = 130  # 128 + SIGINT, as a shell has it
EXIT_TERMINATED = 143  # 128 + SIGTERM


class _TerminatedError(KeyboardInterrupt):
    """SIGTERM: it ends the work, and cleans up, wherever Ctrl-C does."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command.

    Args:
        arguments: The words after the program's name; by default those of this process.

    Returns:
        The exit code: 0, 1 the work failed, 2 usage or bad input, 130 interrupted, 141 nobody
        reads the output any more, 143 terminated.
    """
    try:
        with _termination_raised():
            return _run(sys.argv[1:] if arguments is None else arguments)
    except _TerminatedError:
        sys.stderr.write("chase-fast: terminated\n")
        return EXIT_TERMINATED
    except KeyboardInterrupt:
        sys.stderr.write("chase-fast: interrupted\n")
        return EXIT_INTERRUPTED


@contextmanager
def _termination_raised() -> Iterator[None]:
    """SIGTERM raises in the block, unless somebody has a use for it already."""
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
    ):
        yield
        return
    signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _terminate(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise _TerminatedError


def _run(arguments: Sequence[str]) -> int:
    try:
        import rich
        import typer
    except ImportError as error:
        # The one that is there must not be called missing: the error names the other.
        sys.stderr.write(
            f"chase-fast: the command line needs the extra 'cli' ({error}).\n"
            "Install it with: pip install 'chase-fast[cli]'\n"
        )
        return EXIT_USAGE
    del rich, typer
    from chase_fast.cli.app import run

    return run(arguments)
