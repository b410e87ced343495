"""What is not what it should be is refused as a `ChaseError`, and nothing public can be changed."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import chase_fast as cf
from chase_fast import notation
from chase_fast.record import Record

START = cf.Position.start()

REFUSED: dict[str, Callable[[], Any]] = {
    "a date as text": lambda: cf.Game().to_record(date="2025-01-01"),  # type: ignore[arg-type]
    "a number as a name": lambda: cf.Game().to_record(red=5),  # type: ignore[arg-type]
    "a result as an outcome": lambda: cf.Game().to_record(outcome="1-0"),  # type: ignore[arg-type]
    "text as decisions": lambda: Record(start=START, moves=("a5NE",)),  # type: ignore[arg-type]
    "text as a position": lambda: Record(start=START.cfen),  # type: ignore[arg-type]
    "bytes as a turn": lambda: notation.read_turn(START, b"a5NE"),  # type: ignore[arg-type]
    "bytes for AbstractPlay": lambda: notation.read_abstractplay(START, b"a"),  # type: ignore[arg-type]
    "nothing for chase-ai": lambda: notation.read_chase_ai(START, None),  # type: ignore[arg-type]
    "a masked board": lambda: cf.Position.from_array(np.ma.masked_array(START.board), 0),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused(what: str) -> None:
    with pytest.raises(cf.ChaseError) as caught:
        REFUSED[what]()
    assert isinstance(caught.value, ValueError)


def test_playouts_cannot_be_changed() -> None:
    games = cf.playouts(START, 20, seed=5)
    for column in (games.array, games.winner):
        with pytest.raises(ValueError, match="WRITEABLE"):
            column.setflags(write=True)
    with pytest.raises(AttributeError):
        games.seed = 6  # type: ignore[misc]


def test_playouts_compare_by_value_and_pickle() -> None:
    games = cf.playouts(START, 20, seed=5)
    again = pickle.loads(pickle.dumps(games))
    assert games == again == cf.playouts(START, 20, seed=5, threads=2)
    assert hash(games) == hash(again)
    assert games != cf.playouts(START, 20, seed=6)
    assert games != cf.playouts(START, 19, seed=5)


def test_presets_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        cf.Rules.PRESETS["mine"] = "reserve=2"  # type: ignore[index]
