"""A run for tests of what becomes of its folder, and what stands in such a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.unit.small_runs import play, rows_of, small_settings

SETTINGS = small_settings(pairs=16, variants=("standard",))
CHUNK_SECONDS = 0.004


class Whole(NamedTuple):
    """A run that was played to its end."""

    folder: Path
    hash: str
    rows: list[dict[str, Any]]


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def parts(folder: Path, kind: str = "games") -> list[Path]:
    return sorted((folder / kind).glob("*.parquet"))


def play_whole(folder: Path) -> Whole:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("chase_fast.runner._CHUNK_SECONDS", CHUNK_SECONDS)
        result, _, damaged = play(folder, SETTINGS)
    assert damaged == []
    assert len(parts(folder)) > 6
    return Whole(folder, result, rows_of(folder))
