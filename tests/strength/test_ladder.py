"""How good the players are: each rung of the ladder beats the one below.

The figures stand in docs/players.md; `python -m tests.strength.ladder` prints its table.
"""

from __future__ import annotations

import pytest

from tests.strength.ladder import LADDER, Rung, played

pytestmark = [pytest.mark.slow, pytest.mark.no_core]


@pytest.mark.parametrize("rung", LADDER, ids=str)
def test_rung(rung: Rung) -> None:
    result = played(rung)
    assert result.pairs == rung.pairs
    assert result.summary.score >= rung.least
