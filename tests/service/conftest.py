"""One server for all tests that leave it as it was."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.service.running import Running, running


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running() as started:
        yield started
