"""Commands that need more than the extra ``cli``: what is missing, and how to get it."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

import typer

from chase_fast.cli import EXIT_USAGE
from chase_fast.cli.output import note

_MODULES: Final = {
    "stats": ("scipy",),
    "store": ("pyarrow",),
    "report": ("matplotlib", "jinja2"),
}


def need_extras(command: str, *extras: str) -> None:
    """Ends the program, with a message, where an extra is not installed.

    Args:
        command: That needs them.
        extras: Names of extras, as pyproject.toml has them.

    Raises:
        typer.Exit: One is missing.
    """
    missing = {
        extra: [module for module in _MODULES[extra] if find_spec(module) is None]
        for extra in extras
    }
    lacking = [extra for extra, modules in missing.items() if modules]
    if not lacking:
        return
    told = " and ".join(f"{extra!r} ({', '.join(missing[extra])})" for extra in lacking)
    plural = "s" if len(lacking) > 1 else ""
    note(
        f"chase-fast {command}: needs the extra{plural} {told}.\n"
        f"Install it with: pip install 'chase-fast[{','.join(lacking)}]'"
    )
    raise typer.Exit(EXIT_USAGE)
