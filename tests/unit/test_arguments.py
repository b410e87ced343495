"""Every argument of every public function refuses what it is not meant for, by name."""

from __future__ import annotations

import gzip
import importlib
import inspect
import io
import tempfile
from collections.abc import Callable, Iterator
from enum import Enum, IntEnum
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chase_fast as cf
from chase_fast import notation, record, svg
from tests.unit.arguments import CASES, GAME, START, VALUES, refusal


@pytest.fixture(autouse=True)
def no_variables_of_colour(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """And an empty folder, in which a text names no file."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("name", CASES)
def test_what_is_right_is_taken(name: str) -> None:
    CASES[name].call(**CASES[name].arguments)


@pytest.mark.parametrize(
    ("name", "argument"),
    [(name, argument) for name, case in CASES.items() for argument in case.arguments],
)
def test_what_is_wrong_is_refused_by_name(name: str, argument: str) -> None:
    case = CASES[name]
    assert case.takes.get(argument, set()) <= set(VALUES)
    for what, value in VALUES.items():
        error = refusal(case.call, **case.arguments | {argument: value})
        if error is None:
            assert what in case.takes.get(argument, set()) or (name, argument) in OPENED, what
        elif isinstance(error, OSError):
            # A path may be any text.
            assert (name, argument) in OPENED, what
            assert what in ("a text", "a long text"), what
        else:
            # Of the two values at odds the message may name either, if each is right in itself.
            words = case.says.get(argument, argument).split("|")
            assert isinstance(error, cf.ChaseError), (what, error)
            assert isinstance(error, ValueError), what
            assert any(word in str(error) for word in words), (what, str(error))
            assert len(str(error)) < 500, what
            str(error).encode()


OPENED = {("read_records", "source"), ("RecordWriter", "target")}


# ---- Nothing is left out ------------------------------------------------------------------------

MODULES = (
    "", ".notation", ".record", ".replay", ".tally", ".stats", ".svg", ".textboard", ".openings",
    ".simulate", ".match",
)  # fmt: skip
# Constructors without public arguments, plain tuples, and results that the library makes.
NO_CHECKS = {"Move", "Position", "LegalMoves", "TraceStep", "Interval"}
NO_CHECKS |= {"PairScore", "GameResult", "PairResult", "MatchResult"}


def public_functions() -> Iterator[tuple[str, Any]]:
    """Functions, classes and their methods by name, in order."""
    seen = set()
    for path in MODULES:
        module = importlib.import_module("chase_fast" + path)
        names = getattr(module, "__all__", None) or [
            name
            for name, value in vars(module).items()
            if inspect.isfunction(value) and value.__module__ == module.__name__
        ]
        for name in names:
            value = getattr(module, name)
            if name.startswith("_") or id(value) in seen or not callable(value):
                continue
            seen.add(id(value))
            if not isinstance(value, type):
                if getattr(value, "__module__", "") != "typing":
                    yield name, value
            elif not issubclass(value, Enum | Exception):
                yield name, value
                for inner in vars(value):
                    if not inner.startswith("_") and callable(getattr(value, inner)):
                        yield f"{name}.{inner}", getattr(value, inner)


def parameters(function: Any) -> set[str]:
    found = inspect.signature(function).parameters.values()
    free = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return {one.name for one in found if one.kind not in free} - {"self"}


def test_every_argument_of_every_public_function_is_tried() -> None:
    tried = 0
    for name, function in public_functions():
        if name in NO_CHECKS or (inspect.isclass(function) and issubclass(function, tuple)):
            continue
        if name == "Rules":  # fields by keyword, each of which is checked alike
            continue
        missing = parameters(function)
        if name in CASES:
            missing -= set(CASES[name].arguments)
            tried += 1
        assert not missing, (name, missing)
    assert tried >= 50


# ---- Single findings ----------------------------------------------------------------------------


@pytest.mark.parametrize("values", ["a5NE i5SE", "a5NE", "", b"a5NE", bytearray(b"a5NE")])
@pytest.mark.parametrize(
    "call",
    [
        cf.Game.from_moves,
        lambda moves: record.Record(START, moves),
        lambda moves: notation.write_turn(START, moves),
        lambda moves: notation.write_abstractplay(START, moves),
        lambda moves: notation.write_chase_ai(START, moves),
    ],
)
def test_a_text_is_no_list_of_decisions(call: Callable[[Any], Any], values: Any) -> None:
    with pytest.raises(ValueError, match=r"moves is .*, expected decisions one by one, such as"):
        call(values)


def test_decisions_may_come_from_any_iterable() -> None:
    assert cf.Game.from_moves(iter(["a5NE", "i5SE"])) == GAME
    assert cf.Game.from_moves({"a5NE": 1, "i5SE": 2}) == GAME
    # One by one: what comes after a refused decision is not asked for.
    asked = iter(["a5NE", "a5NE", "i5SE"])
    with pytest.raises(cf.IllegalMoveError):
        cf.Game.from_moves(asked)
    assert list(asked) == ["i5SE"]


@pytest.mark.parametrize("member", [*cf.Side, *cf.Direction, *cf.Kind, *cf.Termination], ids=repr)
def test_a_member_of_an_enumeration_is_a_number_only_in_its_place(
    member: cf.Side | cf.Direction | cf.Kind | cf.Termination,
) -> None:
    calls: list[tuple[Callable[[], Any], type]] = [
        (lambda: cf.Position.from_array(START.board, member), cf.Side),
        (lambda: cf.neighbour(40, member), cf.Direction),
        (lambda: cf.cell_name(member), int),
        (lambda: START.value_at(member), int),
        (lambda: cf.playouts(START, member), int),
        (lambda: cf.perft(START, member), int),
        (lambda: svg.board_svg(START, highlight=[member]), int),
        (lambda: cf.Rules(reserve=member), int),
        (lambda: cf.Move.from_code(member), int),
    ]
    for number, (call, meant) in enumerate(calls):
        if type(member) is meant:
            if number > 0 or member < 2:
                call()
            continue
        with pytest.raises(cf.ChaseError, match=f"{type(member).__name__}.{member.name}"):
            call()
    with pytest.raises(TypeError, match="an index must be an int or a slice"):
        START.legal_moves[member]


@pytest.mark.parametrize("value", [True, False, np.True_])
def test_a_bool_is_no_number(value: Any) -> None:
    moves = START.legal_moves
    for _ in range(2):
        with pytest.raises(TypeError, match="an index must be an int or a slice, not "):
            moves[value]
        list(moves)
    for options in ({"highlight": [value]}, {"arrows": [(value, 5)]}, {"size": value}):
        with pytest.raises(cf.ArgumentError, match=r"is (True|False|a bool_?), expected"):
            svg.board_svg(START, **options)


class Cell(IntEnum):
    """A user's own names of cells."""

    A1 = 72


def test_numbers_of_numpy_and_of_other_enumerations_are_numbers() -> None:
    numbers: list[Any] = [72, np.int64(72), np.uint8(72), Cell.A1]
    for number in numbers:
        assert cf.cell_name(number) == "a1"
        assert START.value_at(number) == 1
        assert svg.board_svg(START, highlight=[number]) == svg.board_svg(START, highlight=["a1"])
        assert svg.board_svg(START, size=number) == svg.board_svg(START, size=72)
    assert START.legal_moves[np.int64(3)] is START.legal_moves[3]


class Mute:
    """A stream that has nothing to give yet, as one that does not block."""

    def readline(self, limit: int) -> None:
        """Neither text nor bytes."""


def test_streams_of_the_wrong_kind_are_refused(tmp_path: Path) -> None:
    with (
        (tmp_path / "games").open("wb") as stream,
        tempfile.NamedTemporaryFile() as temporary,
        gzip.open(tmp_path / "games.gz", "wb") as packed,
    ):
        for target in (io.BytesIO(), stream, temporary, packed, tmp_path.open):
            with pytest.raises(cf.ArgumentError, match=r"^target is .*or a text file object$"):
                record.RecordWriter(target)  # type: ignore[arg-type]
    for on_error in ("raise", print):
        records = record.read_records(Mute(), on_error=on_error)  # type: ignore[arg-type]
        if on_error == "raise":
            with pytest.raises(cf.RecordError, match="readline gave None, expected text or bytes"):
                list(records)
        else:
            assert list(records) == []


def test_paths_that_no_file_system_takes_are_refused() -> None:
    for path in ("a\0b", "\ud800", Path("a\0b"), b"games.txt"):
        for call in (record.read_records, record.RecordWriter):
            with pytest.raises(cf.ArgumentError, match=r"^(source|target) is "):
                call(path)  # type: ignore[arg-type]
