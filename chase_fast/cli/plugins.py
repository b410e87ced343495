"""Commands of other packages: the entry-point group ``chase_fast.commands``.

An entry point names a function, which becomes a command, or a ``typer.Typer``, which becomes a
group of commands. ``pyproject.toml`` of such a package says::

    [project.entry-points."chase_fast.commands"]
    serve = "chase_service.command:serve"
"""

from __future__ import annotations

import traceback
from collections.abc import Container
from importlib.metadata import EntryPoint, entry_points

import typer

from chase_fast.cli.output import note

GROUP = "chase_fast.commands"


def attach(app: typer.Typer, *, taken: Container[str], wanted: str | None) -> None:
    """Adds the commands of other packages to the application.

    One that cannot be loaded, or whose name is taken, is named on standard error and left out.

    Args:
        app: The application.
        taken: Names of its own commands.
        wanted: The name of the only command that is needed; where no package has it, or for None,
            all are.
    """
    points = sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value))
    if any(point.name == wanted for point in points):
        points = [point for point in points if point.name == wanted]
    added: set[str] = set()
    for point in points:
        if point.name in taken or point.name in added:
            note(f"chase-fast: command {_source(point)} is left out: the name is taken")
        elif _add(app, point):
            added.add(point.name)


def _add(app: typer.Typer, point: EntryPoint) -> bool:
    try:
        loaded = point.load()
    except Exception as error:  # noqa: BLE001  # foreign code may raise anything at all
        what = "".join(traceback.format_exception_only(error)).strip()
        note(f"chase-fast: command {_source(point)} cannot be loaded: {what}")
        return False
    if isinstance(loaded, typer.Typer):
        app.add_typer(loaded, name=point.name)
    elif callable(loaded):
        app.command(point.name)(loaded)
    else:
        kind = type(loaded).__name__
        note(
            f"chase-fast: command {_source(point)} cannot be loaded: it is a {kind}, expected a "
            "function or a typer.Typer"
        )
        return False
    return True


def _source(point: EntryPoint) -> str:
    package = f" of {point.dist.name}" if point.dist is not None else ""
    return f"'{point.name}'{package} ({point.value})"
