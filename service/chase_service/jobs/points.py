"""Places in the life of a job at which tests end the process."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["POINTS", "reached"]

POINTS = (
    "create: before the row", "create: in the transaction", "create: row", "run: begin",
    "run: settings", "run: before the folder", "run: folder", "run: part", "run: chunk",
    "run: progress", "run: played", "change: in the transaction", "finish: child",
    "finish: before the files", "finish: files", "finish: row", "cancel: before the row",
    "cancel: row", "delete: before the row", "delete: in the transaction", "delete: row",
    "delete: files",
)  # fmt: skip
"""All of them."""

hook: Callable[[str], object] | None = None
"""Called with the name of each place that is reached."""


def reached(name: str) -> None:
    """Tells the hook, if there is one."""
    if hook is not None:
        hook(name)
