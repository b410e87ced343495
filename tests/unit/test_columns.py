"""The legal decisions of many positions at once are those of each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from chase_fast import ArgumentError, InvalidPositionError, Position, Rules
from chase_fast._core import LegalColumns, StopFlag, _legal_columns
from tests.unit.positions import EXAMPLES, LOST
from tests.unit.vectors import mixed_positions


def columns(texts: list[str], rules: Rules) -> LegalColumns:
    found = _legal_columns(texts, rules, StopFlag())
    assert found is not None
    return found


def state(position: Position) -> tuple[int, int, int, int]:
    winner = -1 if position.winner is None else int(position.winner)
    return int(position.side_to_act), winner, int(position.termination), position.pips_due


def test_all_positions_of_the_vectors_and_texts_that_are_none() -> None:
    by_rules: dict[Rules, list[Position]] = {}
    for position in mixed_positions(1):
        by_rules.setdefault(position.rules, []).append(position)
    for cfen, rules in EXAMPLES:
        by_rules.setdefault(rules, []).append(Position.parse(cfen, rules))
    assert len(by_rules) > 10
    for rules, positions in by_rules.items():
        texts = [position.cfen for position in positions]
        found = columns([*texts, "nonsense"], rules)
        assert found.counts == [*(len(one.legal_moves) for one in positions), 0]
        expected = np.concatenate([one.legal_moves.codes for one in positions])
        assert found.codes == expected.tobytes()
        assert found.states == [*map(state, positions), (0, -1, 0, 0)]
        assert found.faulty == [len(positions)]


def test_an_empty_text_is_the_start_and_a_lost_game_has_no_decisions() -> None:
    for rules in (Rules(), Rules(reserve=0), Rules(recycle=False)):
        start = Position.start(rules)
        found = columns(["", ""], rules)
        assert found.counts == [len(start.legal_moves)] * 2
        assert found.codes == 2 * start.legal_moves.codes.tobytes()
    assert columns([LOST], Rules()).counts == [0]
    assert columns([LOST], Rules()).states == [state(Position.parse(LOST))]


def test_nothing() -> None:
    assert columns([], Rules()) == ([], b"", [], [])


@pytest.mark.parametrize(
    "text", ["", "é", "\udcff", "\0", "9/9/9/9/9/9/9/9/9 r - 0/0", "a" * 100_000, "abc\ndef"]
)
def test_texts_are_faulty_here_where_they_are_for_a_position(text: str) -> None:
    try:
        Position.parse(text or Position.start().cfen)
    except InvalidPositionError:
        faulty = [1]
    else:
        faulty = []
    assert columns(["", text, ""], Rules()).faulty == faulty


def test_more_decisions_than_were_expected_find_room() -> None:
    rules = Rules(reserve=16)
    cfen = "AaAaAaAaA/aAaAaAaAa/AaAaAaAaA/9/9/aAaAaAaAa/AaAaAaAaA/aAaAa4/9 r - 0/0"
    each = Position.parse(cfen, rules).legal_moves.codes
    widest = max(mixed_positions(1), key=lambda one: len(one.legal_moves))
    for text, own, codes in (
        (cfen, rules, each),
        (widest.cfen, widest.rules, widest.legal_moves.codes),
    ):
        found = columns([text] * 4096, own)
        assert found.codes == 4096 * codes.tobytes()


def test_a_set_flag_stops_it() -> None:
    flag = StopFlag()
    flag.set()
    assert _legal_columns(["", ""], Rules(), flag) is None


@pytest.mark.parametrize("wrong", [[None], [b""], ["", 1]])
def test_what_is_no_text(wrong: list[Any]) -> None:
    with pytest.raises(ArgumentError, match=r"texts\[\d\] must be a str"):
        _legal_columns(wrong, Rules(), StopFlag())
