"""A record written and read is the same record, in both formats, alone and in a stream."""

from __future__ import annotations

import datetime as dt
import io
import pickle
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chase_fast._core import BLUE, RED
from chase_fast.errors import RecordError
from chase_fast.game import Game, Outcome
from chase_fast.record import Record, RecordWriter, read_records
from tests.property.games import games

# Any text but lone surrogates, with a liking for what the formats give a meaning to.
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
    st.text(st.sampled_from(list('\\"{}[]\n\r\t s*1.-u0\0\x85\u2028\ufeff')), max_size=200),
)
NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,20}", fullmatch=True).filter(
    lambda name: (
        name.lower() not in ("red", "blue", "date", "rules", "start", "result", "termination")
    )
)
TAGS = st.dictionaries(NAMES, TEXTS, max_size=4).filter(
    lambda tags: len({name.lower() for name in tags}) == len(tags)
)
REFEREES = st.sampled_from(
    [
        None,
        Outcome(RED, "time"),
        Outcome(BLUE, "crash"),
        Outcome(RED, "illegal"),
        Outcome(None, "turn_limit"),
        Outcome(None, "aborted"),
    ]
)


@st.composite
def records(draw: Any) -> Record:
    game: Game = draw(games(most=200))
    return game.to_record(
        red=draw(TEXTS),
        blue=draw(TEXTS),
        date=draw(st.none() | st.dates(min_value=dt.date(1, 1, 1))),
        outcome=None if game.outcome else draw(REFEREES),
        tags=draw(TAGS),
        comment=draw(TEXTS),
        comments=draw(st.lists(TEXTS, max_size=min(game.turn_count, 5))),
    )


@given(records())
def test_text_roundtrip(record: Record) -> None:
    text = record.to_text()
    assert Record.from_text(text) == record
    assert Record.from_text(text).to_text() == text
    tags, _, moves = text.partition("\n\n")
    assert len(tags.split("\n")) == len(record.headers)
    assert all(0 < len(line) <= 80 for line in moves.removesuffix("\n").split("\n"))


@given(records())
def test_json_roundtrip(record: Record) -> None:
    text = record.to_json()
    assert text.isascii()
    assert "\n" not in text
    assert Record.from_json(text) == record
    assert Record.from_json(text).to_json() == text


@given(records())
def test_record_is_its_game(record: Record) -> None:
    game = record.to_game()
    assert game.moves == record.moves
    assert game.start == record.start
    assert pickle.loads(pickle.dumps(record)) == record
    if game.outcome is not None:
        assert record.outcome == game.outcome


@given(st.lists(records(), max_size=4), st.sampled_from(["text", "json"]))
@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
def test_streams_keep_records_in_order(written: list[Record], format: Any) -> None:
    stream = io.StringIO()
    with RecordWriter(stream, format=format) as writer:
        for record in written:
            writer.write(record)
    data = stream.getvalue()
    assert list(read_records(io.StringIO(data))) == written
    assert list(read_records(io.BytesIO(data.encode()))) == written


def check_damaged(data: bytes) -> None:
    """Damaged data gives records that are sound, and errors; nothing else."""
    errors: list[RecordError] = []
    for record in read_records(io.BytesIO(data), on_error=errors.append):
        assert Record.from_json(record.to_json()) == record
    lines = data.count(b"\n") + 1
    for error in errors:
        assert error.source == "<stream>"
        assert error.line is not None
        assert 0 < error.line <= lines


@given(
    st.lists(records(), min_size=1, max_size=2),
    st.sampled_from(["text", "json"]),
    st.floats(0, 1),
    st.integers(0, 3),
    st.binary(max_size=4),
)
def test_damage_is_reported(
    written: list[Record], format: Any, where: float, cut: int, patch: bytes
) -> None:
    stream = io.StringIO()
    with RecordWriter(stream, format=format) as writer:
        for record in written:
            writer.write(record)
    data = stream.getvalue().encode()
    place = int(where * len(data))
    check_damaged(data[:place] + patch + data[place + cut :])
    check_damaged(data[:place])


@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    check_damaged(data)


@given(st.text(st.sampled_from(list('[]{}"\\ \n1.*Rd-+=,:a')), max_size=80))
def test_likely_text(text: str) -> None:
    check_damaged(text.encode())
