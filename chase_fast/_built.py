"""What was built."""

from __future__ import annotations

from pathlib import Path

__all__ = ["commit"]


def commit() -> str:
    """The commit that was built: 40 hex digits, "-dirty" after them where files were changed.

    Empty where it is not known. In an editable installation that of the latest ``make build``.
    """
    try:
        return (Path(__file__).parent / "commit.txt").read_text(encoding="ascii").strip()
    except OSError:
        return ""
