"""The files of a report: whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from chase_fast.report.document import checked, json_text
from chase_fast.report.pages import html_report, markdown_report


def write_report(document: Mapping[str, Any], folder: Path) -> Path:
    """Writes ``report.json``, ``report.md`` and ``report.html`` into a folder.

    Each file appears whole, in place of an older one; all texts are made before the first is
    written, so that a document that is refused leaves everything as it was.

    Args:
        document: The results of a balance run or a tournament, schema 1.
        folder: Made if it does not exist.

    Returns:
        The path of the HTML file.

    Raises:
        ArgumentError: Not such a document; says what is missing or wrong.
        InvalidPositionError, InvalidRulesError: A sample game with a board that is none.
        OSError: A file cannot be written.
    """
    checked(document)
    texts = {
        "report.json": json_text(document),
        "report.md": markdown_report(document),
        "report.html": html_report(document),
    }
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        _replace(folder / name, text)
    return folder / "report.html"


def _replace(path: Path, text: str) -> None:
    """Writes a file beside the one that it replaces, and then replaces it."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
