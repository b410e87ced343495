"""Every argument of every public function refuses what it is not meant for, by name."""

from __future__ import annotations

import gzip
import importlib
import inspect
import io
import random
import tempfile
from collections.abc import Callable, Iterator
from enum import Enum, IntEnum
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import chase_fast as cf
from chase_fast import notation, record, replay, stats, svg, tally, textboard

START = cf.Position.start()
AFTER = START.apply("a5NE")
DUE = cf.Position.parse("abcdedcba/9/9/9/3B5/5A3/9/9/C1C1C1D2 r")
GAME = cf.Game.from_moves(["a5NE", "i5SE"])
RECORD = GAME.to_record()
BATCH = cf.playouts(START, 3)
COLUMN = np.array([1, 2], np.uint8)
SUMS = stats.Sums.of(COLUMN)


class Hostile:
    """Raises wherever it is looked at."""

    def __init__(self, *_: object) -> None:
        pass

    def __repr__(self) -> str:
        raise RuntimeError("printed")

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("compared")

    __hash__ = None  # type: ignore[assignment]


VALUES: dict[str, Any] = {
    "None": None,
    "5": 5,
    "-1": -1,
    "a huge int": 10**5000,
    "a bool": True,
    "a float": 1.5,
    "nan": float("nan"),
    "a text": "x",
    "a long text": "é" * 5000,
    "a surrogate": "\ud800",
    "a NUL": "\0",
    "bytes": b"x",
    "a list": [],
    "a list of lists": [[]],
    "a list of None": [None],
    "a tuple": (1, 2),
    "a dict": {},
    "an array": np.array([1, 2]),
    "an object": object(),
    "a hostile object": Hostile(),
    "a direction": cf.Direction.NE,
    "a termination": cf.Termination.DICE,
    "a kind": cf.Kind.MOVE,
    "a function": lambda *_: None,
    "a class": Hostile,
    "a position": START,
    "rules": cf.Rules(),
    "a move": cf.Move.parse("a5NE"),
    "a game": GAME,
    "a record": RECORD,
}

TEXTS = {"a text", "a long text", "a surrogate", "a NUL"}
EMPTY = {"a list", "a dict"}


class Case(NamedTuple):
    """A public function with arguments that it takes.

    Attributes:
        call: The function.
        arguments: All of its arguments but flags and options of its kin; positional ones first.
        takes: For an argument the names of those `VALUES` that are right for it.
        says: For an argument the word by which messages call it, where it is not its name.
    """

    call: Callable[..., Any]
    arguments: dict[str, Any]
    takes: dict[str, set[str]] = {}  # noqa: RUF012
    says: dict[str, str] = {}  # noqa: RUF012


def positional(function: Callable[..., Any], *names: str) -> Callable[..., Any]:
    """The function, whose arguments of these names go by place."""

    def call(**arguments: Any) -> Any:
        first = [arguments.pop(name) for name in names]
        return function(*first, **arguments)

    return call


def used(function: Callable[..., Iterator[Any]]) -> Callable[..., Any]:
    """The function that takes all that the iterator of another one yields."""
    return lambda **arguments: list(function(**arguments))


POSITION = {"position": START}
TAKES_POSITION = {"position": {"a position"}}
RULES = {"None", "rules"}
COUNT = {"5"}
MOVE_WORD = {"text": "decision|offset"}
STYLE = {"orientation": "red", "theme": "dark", "size": 640, "coordinates": True}
STYLE |= {"highlight": ["e4"], "arrows": [("a1", "b1")]}
TAKES_STYLE = {"coordinates": {"a bool"}, "arrows": EMPTY}
TAKES_STYLE |= {"highlight": EMPTY | {"a tuple", "an array"}}
STYLE_WORDS = {"highlight": "highlight|cell", "arrows": "arrow"}
CALLBACK = {"None", "a function", "a class"}
PLAYOUTS = {"position": START, "games": 2, "seed": 1, "first_game": 0, "threads": 1, "max_turns": 9}
TAKES_PLAYOUTS = {
    "position": {"a position"},
    "games": COUNT,
    "seed": COUNT,
    "first_game": COUNT,
    "threads": COUNT,
    "max_turns": COUNT,
}
# Over, so that depth costs nothing.
OVER = cf.Position.parse("2bE2E1E/9/b1E1c2c1/2bcE3c/3b5/9/9/5c3/3b5 r - 5/0")
PERFT = {"position": OVER, "depth": 2, "unit": "turn", "threads": 1, "progress": None}
TAKES_PERFT = {
    "position": {"a position"},
    "depth": COUNT,
    "threads": COUNT,
    "progress": CALLBACK,
}
GAME_FIELDS: dict[str, Any] = {"red": "A", "blue": "B", "date": None, "outcome": None, "tags": ()}
GAME_FIELDS |= {"comment": "", "comments": []}
NAMES = {"a text", "a long text", "a NUL"}
TAKES_GAME_FIELDS = {
    "red": NAMES,
    "blue": NAMES,
    "comment": NAMES,
    "date": {"None"},
    "outcome": {"None"},
    "tags": EMPTY,
    "comments": EMPTY,
}
GAME_WORDS = {"red": "Red", "blue": "Blue", "tags": "tag", "comments": "comment"}


def reading(reader: Callable[..., Any], text: str) -> Case:
    return Case(reader, {"position": START, "text": text}, TAKES_POSITION, {"text": "text|offset"})


def writing(writer: Callable[..., Any]) -> Case:
    takes = TAKES_POSITION | {"moves": set[str]()}
    says = {"moves": "moves|decision|complete"}
    return Case(writer, {"position": START, "moves": ["a5NE"]}, takes, says)


def method(function: Callable[..., Any]) -> Case:
    """A method of a position that takes a decision."""
    return Case(function, {"move": "a5NE"}, {"move": {"a move"}}, {"move": "decision|offset"})


CASES: dict[str, Case] = {
    "cell_name": Case(cf.cell_name, {"cell": 5}, {"cell": COUNT}),
    "parse_cell": Case(cf.parse_cell, {"text": "e4"}, says={"text": "cell"}),
    "neighbour": Case(
        cf.neighbour,
        {"cell": 5, "direction": 1},
        {"cell": COUNT, "direction": COUNT | {"a direction"}},
    ),
    "perft": Case(cf.perft, PERFT, TAKES_PERFT),
    "divide": Case(cf.divide, PERFT, TAKES_PERFT),
    "playouts": Case(cf.playouts, PLAYOUTS, TAKES_PLAYOUTS),
    "playout_batches": Case(
        used(cf.playout_batches),
        PLAYOUTS | {"batch": 1, "progress": None},
        TAKES_PLAYOUTS | {"batch": COUNT, "progress": CALLBACK},
    ),
    "Playouts": Case(
        cf.Playouts,
        {"position": START, "array": BATCH.array, "seed": 1, "first_game": 0, "max_turns": 9},
        {"position": {"a position"}, "seed": COUNT, "first_game": COUNT, "max_turns": COUNT},
    ),
    "Rules": Case(
        cf.Rules,
        {"reserve": 1, "chain": True, "handout": "any", "setup": "123454321"},
        {"reserve": COUNT, "chain": {"a bool"}},
    ),
    "Rules.parse": Case(cf.Rules.parse, {"text": "standard"}, says={"text": "text|rule"}),
    "Rules.replace": Case(
        cf.Rules().replace,
        {"wrap": True, "repetition": "none"},
        {"wrap": {"a bool"}},
    ),
    "Position.start": Case(cf.Position.start, {"rules": None}, {"rules": RULES}),
    "Position.parse": Case(
        cf.Position.parse,
        {"cfen": START.cfen, "rules": None},
        {"rules": RULES},
        {"cfen": "text|offset"},
    ),
    "Position.from_array": Case(
        cf.Position.from_array,
        {"board": START.board, "side": 0, "spare": (1, 1), "capturing": None, "rules": None},
        {"spare": {"None"}, "capturing": {"None"}, "rules": RULES},
        {"side": "side to act", "spare": "spare", "capturing": "capturing"},
    ),
    "Position.value_at": Case(START.value_at, {"cell": 5}, {"cell": COUNT}),
    "Position.move": Case(START.move, {"text": "a5NE"}, {"text": {"a move"}}, MOVE_WORD),
    "Position.is_legal": method(START.is_legal),
    "Position.apply": method(START.apply),
    "Position.trace": method(START.trace),
    "Position.events": method(START.events),
    "Move.parse": Case(cf.Move.parse, {"text": "a5NE"}, says={"text": "text|offset"}),
    "Move.from_code": Case(
        cf.Move.from_code, {"code": AFTER.legal_moves[0].code}, {"code": COUNT}, {"code": "code"}
    ),
    "LegalMoves.index": Case(
        positional(START.legal_moves.index, "value", "start", "stop"),
        {"value": "a1E", "start": 0, "stop": None},
        {
            "value": {"a move"},
            "start": {"-1", "5", "a huge int"},
            "stop": {"None", "-1", "5", "a huge int"},
        },
        {"value": "decision|offset", "start": "start|legal moves", "stop": "stop|legal moves"},
    ),
    # As with `in`, what is no decision does not occur.
    "LegalMoves.count": Case(
        positional(START.legal_moves.count, "value"), {"value": "a1E"}, {"value": set(VALUES)}
    ),
    "Outcome": Case(
        cf.Outcome, {"winner": cf.RED, "termination": "dice"}, says={"winner": "winner|an end"}
    ),
    "Game": Case(
        cf.Game, {"start": None, "rules": None}, {"start": {"None", "a position"}, "rules": RULES}
    ),
    "Game.from_moves": Case(
        cf.Game.from_moves,
        {"moves": ["a5NE"], "start": None, "rules": None},
        {"moves": EMPTY, "start": {"None", "a position"}, "rules": RULES},
        {"moves": "moves|decision"},
    ),
    "Game.push": Case(
        lambda move: GAME.copy().push(move), {"move": "a1NE"}, says={"move": "decision|offset|die"}
    ),
    "Game.to_record": Case(GAME.to_record, GAME_FIELDS, TAKES_GAME_FIELDS, GAME_WORDS),
    "Record.from_game": Case(
        record.Record.from_game,
        {"game": GAME} | GAME_FIELDS,
        {"game": {"a game"}} | TAKES_GAME_FIELDS,
        GAME_WORDS,
    ),
    "Record": Case(
        record.Record,
        {"start": START, "moves": ()} | GAME_FIELDS,
        {"start": {"a position"}, "moves": EMPTY} | TAKES_GAME_FIELDS,
        GAME_WORDS | {"moves": "moves|decision"},
    ),
    "Record.check": Case(RECORD.check, {"game": GAME}, {"game": {"a game"}}),
    "Record.from_text": Case(
        record.Record.from_text, {"text": RECORD.to_text()}, says={"text": "text|tag|line"}
    ),
    "Record.from_json": Case(
        record.Record.from_json, {"text": RECORD.to_json()}, says={"text": "text|JSON|line"}
    ),
    "read_records": Case(
        used(record.read_records),
        {"source": io.StringIO(), "format": "auto", "on_error": "skip"},
        {"on_error": {"a function", "a class"}},
    ),
    "RecordWriter": Case(
        lambda **arguments: record.RecordWriter(**arguments).close(),
        {"target": io.StringIO(), "format": "text", "append": False},
        {"append": {"a bool"}},
    ),
    "RecordWriter.write": Case(
        record.RecordWriter(io.StringIO()).write,
        {"record": GAME},
        {"record": {"a game", "a record"}},
    ),
    "read_turn": reading(notation.read_turn, "a5NE"),
    "read_abstractplay": reading(notation.read_abstractplay, "a5-f8NE"),
    "read_chase_ai": reading(notation.read_chase_ai, "A5-F8"),
    "read_chase_ai_position": Case(
        notation.read_chase_ai_position,
        {"text": notation.write_chase_ai_position(START), "rules": None},
        {"rules": RULES},
        {"text": "text|offset"},
    ),
    "write_turn": writing(notation.write_turn),
    "write_abstractplay": writing(notation.write_abstractplay),
    "write_chase_ai": writing(notation.write_chase_ai),
    "write_chase_ai_position": Case(notation.write_chase_ai_position, POSITION, TAKES_POSITION),
    "playout_game": Case(
        replay.playout_game,
        {"position": START, "game": 1, "seed": 1, "max_turns": 5},
        {"position": {"a position"}, "game": COUNT, "seed": COUNT, "max_turns": COUNT},
    ),
    "playout_outcome": Case(replay.playout_outcome, {"game": GAME}, {"game": {"a game"}}),
    "Tally.add": Case(lambda batch: tally.Tally().add(batch), {"batch": BATCH}),
    "Tally.red_score_interval": Case(
        lambda confidence: summed().red_score_interval(confidence=confidence), {"confidence": 0.9}
    ),
    "wilson": Case(
        stats.wilson,
        {"successes": 2, "trials": 5, "confidence": 0.9},
        {"successes": {"5", "a float"}, "trials": {"5", "a huge int"}},
    ),
    "Sums": Case(
        stats.Sums,
        {"count": 1, "total": 1, "squares": 1, "lowest": 1, "highest": 1},
        {name: {"5", "a huge int"} for name in ("count", "total", "squares")}
        | {name: {"None", "5", "a huge int"} for name in ("lowest", "highest")},
    ),
    "Sums.of": Case(stats.Sums.of, {"column": COLUMN}),
    "PairSums": Case(
        stats.PairSums,
        {"upper": SUMS, "lower": SUMS, "products": 5},
        {"products": {"5", "a huge int"}},
    ),
    "PairSums.of": Case(stats.PairSums.of, {"upper": COLUMN, "lower": COLUMN}),
    "board_svg": Case(
        svg.board_svg,
        {"position": AFTER, "last_move": "a5NE", "before": START} | STYLE,
        # START is the position before, but not the one after.
        {"last_move": {"a move"}, "before": {"a position"}} | TAKES_STYLE,
        {"position": "position", "last_move": "last_move|decision|offset"} | STYLE_WORDS,
    ),
    "game_svg": Case(
        svg.game_svg, {"game": GAME} | STYLE, {"game": {"a game"}} | TAKES_STYLE, STYLE_WORDS
    ),
    "text_board": Case(
        textboard.text_board,
        {
            "position": AFTER,
            "last_move": "a5NE",
            "before": START,
            "colour": True,
            "orientation": "red",
            "unicode": False,
        },
        {
            "last_move": {"a move"},
            "before": {"a position"},
            "colour": {"a bool"},
            "unicode": {"a bool"},
        },
        {"last_move": "last_move|decision|offset"},
    ),
    "use_colour": Case(textboard.use_colour, {"stream": io.StringIO()}),
    "use_unicode": Case(textboard.use_unicode, {"stream": io.StringIO()}),
}


def summed() -> tally.Tally:
    sums = tally.Tally()
    sums.add(BATCH)
    return sums


def refusal(call: Callable[..., Any], *values: Any, **arguments: Any) -> Exception | None:
    """The exception of a call, or None."""
    try:
        call(*values, **arguments)
    except Exception as error:  # noqa: BLE001 - looked at by the caller
        return error
    return None


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

MODULES = ("", ".notation", ".record", ".replay", ".tally", ".stats", ".svg", ".textboard")
# Constructors without public arguments, and plain tuples.
NO_CHECKS = {"Move", "Position", "LegalMoves", "TraceStep", "Interval"}


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
def test_a_member_of_an_enumeration_is_a_number_only_in_its_place(member: int) -> None:
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
        with pytest.raises(cf.ChaseError, match=f"{type(member).__name__}.{member.name}"):  # type: ignore[attr-defined]
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


# ---- Texts in messages --------------------------------------------------------------------------

CHARACTERS = ["é", "\N{FULLWIDTH DIGIT ONE}", "\N{GAME DIE}", "ж", "中"]
UNPRINTABLE = ["\0", "\n", "\x7f", "\x85", "\u202e", "\ud800", "\udfff", "\U000e0001"]
NOTATIONS: dict[str, tuple[Callable[[str], Any], str]] = {
    "Move.parse": (cf.Move.parse, "a5NE"),
    "Position.parse": (cf.Position.parse, START.cfen),
    "read_turn": (lambda text: notation.read_turn(DUE, text), "+d6 +e4 e4SW"),
    "read_abstractplay": (lambda text: notation.read_abstractplay(DUE, text), "{d6,e4}e4-c1SW"),
    "read_chase_ai": (lambda text: notation.read_chase_ai(DUE, text), "D6+=5 E4+=4 E4-C1"),
    "read_chase_ai_position": (
        notation.read_chase_ai_position,
        notation.write_chase_ai_position(START),
    ),
}


@pytest.mark.parametrize("name", NOTATIONS)
def test_offsets_and_characters_are_those_of_the_text(name: str) -> None:
    """Wherever a foreign character stands, the message shows it or what lies before it."""
    read, text = NOTATIONS[name]
    read(text)
    for place in range(len(text) + 1):
        for char in CHARACTERS + UNPRINTABLE:
            for wrong in (text[:place] + char + text[place:], text[:place] + char):
                if char.isspace() and name in ("read_abstractplay", "read_chase_ai"):
                    continue
                with pytest.raises((cf.NotationError, cf.InvalidPositionError)) as caught:
                    read(wrong)
                message, offset = str(caught.value), getattr(caught.value, "offset", None)
                assert offset is not None
                # A cell is refused as a whole, from its first character on.
                assert place - 1 <= offset <= place, (wrong, message)
                message.encode()
                assert message.isprintable()
                if "pips are due to red before the move" in message:
                    continue
                assert f"at offset {offset}" in message, (wrong, message)
                if offset == place and char in CHARACTERS:
                    assert f"'{char}' at offset" in message, (wrong, message)


@pytest.mark.parametrize("char", CHARACTERS)
def test_rules_are_quoted_as_they_were_typed(char: str) -> None:
    for text in (char, f"{char}=1", f"reserve={char}", f"standard,{char}", f"ch{char}in=yes"):
        with pytest.raises(cf.InvalidRulesError) as caught:
            cf.Rules.parse(text)
        assert char in str(caught.value)
        assert "\\x" not in str(caught.value)
    with pytest.raises(cf.InvalidRulesError, match=rf"^'{char}{{5,}}\.\.\.' at offset 0"):
        cf.Rules.parse(100 * char)


def test_any_text_whatever_is_refused_in_printable_words() -> None:
    source = random.Random(5)
    letters = "a1NE+=,;- {}/9Ar\0\n\x1b\x85é\u0301\ud800\udfff\U0001f3b2\uffff\u200b"
    readers = [*(read for read, _ in NOTATIONS.values()), cf.Rules.parse, cf.parse_cell]
    for _ in range(300):
        text = "".join(source.choices(letters, k=source.randrange(60)))
        for read in readers:
            error = refusal(read, text)
            assert error is None or isinstance(error, cf.ChaseError)
            assert error is None or isinstance(error, ValueError)
            assert str(error).isprintable()
            str(error).encode()
