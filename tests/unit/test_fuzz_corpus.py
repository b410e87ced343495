"""The committed corpora of the Python fuzz targets, replayed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.readers import TARGETS

CORPUS = Path(__file__).parents[1] / "fuzz" / "corpus"
CASES = [(name, path) for name in TARGETS for path in sorted((CORPUS / name).iterdir())]


@pytest.mark.parametrize(("name", "path"), CASES, ids=lambda part: getattr(part, "name", part))
def test_replay(name: str, path: Path) -> None:
    TARGETS[name](path.read_bytes())


def test_every_target_has_a_corpus() -> None:
    assert {name for name, _ in CASES} == set(TARGETS)
