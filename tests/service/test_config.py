"""Every limit has a range that is kept, and a word about its unit."""

from __future__ import annotations

import ast
import dataclasses
import itertools
from pathlib import Path
from typing import Any

import chase_service.config
import pytest
from chase_service.config import Config, processors

pytestmark = pytest.mark.no_core

FIELDS = dataclasses.fields(Config)


# What goes with a field, so that no other is in its way.
BESIDE: dict[str, dict[str, Any]] = {
    "retry_min_ms": {"retry_max_ms": 600_000},
    "retry_max_ms": {"retry_min_ms": 1},
    "overloaded_wait_ms": {"max_wait_ms": 3_600_000},
    "max_wait_ms": {"overloaded_wait_ms": 0},
}


def make(name: str, value: Any) -> Config:
    return Config(**{name: value, **BESIDE.get(name, {})})


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_the_ends_of_its_range_are_taken_and_nothing_beyond(field: dataclasses.Field[Any]) -> None:
    low, high = field.metadata["low"], field.metadata["high"]
    for value in (low, high):
        assert getattr(make(field.name, value), field.name) == value
    for value in (low - 1, high + 1, float("nan"), float("inf"), "1", None, True):
        with pytest.raises(ValueError, match=f"^{field.name} is .*, expected an? .* from .* to "):
            make(field.name, value)


def test_a_whole_number_is_no_float() -> None:
    with pytest.raises(ValueError, match=r"max_batch_items is 2\.0, expected an integer from 1 to"):
        Config(max_batch_items=2.0)  # type: ignore[arg-type]
    assert Config(max_batch_us=2).max_batch_us == 2


def test_the_longest_delay_is_not_below_the_shortest() -> None:
    with pytest.raises(ValueError, match="retry_min_ms is 50, expected at most retry_max_ms, 40"):
        Config(retry_min_ms=50, retry_max_ms=40)


def test_the_wait_under_overload_is_not_above_the_usual() -> None:
    message = "overloaded_wait_ms is 50, expected at most max_wait_ms, 40"
    with pytest.raises(ValueError, match=message):
        Config(overloaded_wait_ms=50, max_wait_ms=40)


def test_defaults() -> None:
    config = Config()
    assert config.threads == processors() >= 1
    assert (config.max_queue_delay_us, config.inline_budget_us) == (0, 50)
    assert config.max_call_items == 4_096 and config.max_response_bytes == 3.5 * 2**20


def test_every_field_is_described() -> None:
    """A text follows each field; where the name tells no unit, the text does, or it is a count."""
    tree = ast.parse(Path(chase_service.config.__file__).read_text(encoding="utf-8"))
    (body,) = [node.body for node in tree.body if isinstance(node, ast.ClassDef)]
    described = [
        node.target.id
        for node, after in itertools.pairwise(body)
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and isinstance(after, ast.Expr)
        and isinstance(after.value, ast.Constant)
        and isinstance(after.value.value, str)
    ]
    assert described == [field.name for field in FIELDS]
