"""Places in the life of a job at which tests end the process."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["POINTS", "reached"]

POINTS = (
    "create: before the row", "create: row", "run: begin", "run: settings", "run: folder",
    "run: chunk", "run: progress", "run: played", "finish: child", "finish: files",
    "finish: row", "cancel: row", "delete: row", "delete: files",
)  # fmt: skip
"""All of them."""

hook: Callable[[str], object] | None = None
"""Called with the name of each place that is reached."""


def reached(name: str) -> None:
    """Tells the hook, if there is one."""
    if hook is not None:
        hook(name)
