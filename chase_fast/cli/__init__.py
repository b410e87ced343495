"""The command line ``chase-fast``; ``docs/cli.md`` describes it.

It needs the extra ``cli`` (typer and rich). This module imports neither, so that it can say so.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

EXIT_USAGE = 2
EXIT_INTERRUPTED = 130  # 128 + SIGINT, as a shell has it


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command.

    Args:
        arguments: The words after the program's name; by default those of this process.

    Returns:
        The exit code: 0, 1 the work failed, 2 usage or bad input, 130 interrupted, 141 nobody
        reads the output any more.
    """
    try:
        return _run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        sys.stderr.write("chase-fast: interrupted\n")
        return EXIT_INTERRUPTED


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
