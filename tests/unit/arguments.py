"""Public functions with arguments that are right, and values that are wrong for most of them."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

import chase_fast as cf
from chase_fast import (
    match,
    notation,
    openings,
    record,
    replay,
    simulate,
    stats,
    svg,
    tally,
    textboard,
)
from chase_fast.agents import make_player

START = cf.Position.start()
AFTER = START.apply("a5NE")
DUE = cf.Position.parse("abcdedcba/9/9/9/3B5/5A3/9/9/C1C1C1D2 r")
GAME = cf.Game.from_moves(["a5NE", "i5SE"])
RECORD = GAME.to_record()
BATCH = cf.playouts(START, 3)
COLUMN = np.array([1, 2], np.uint8)
SUMS = stats.Sums.of(COLUMN)
OUTCOME = cf.Outcome(None, "turn_limit")
PLAYERS = [make_player("random"), make_player("random")]
PAIR = next(simulate.play_pairs("random", "random", [GAME], max_turns=4))


def summed() -> tally.Tally:
    sums = tally.Tally()
    sums.add(BATCH)
    return sums


class Hostile:
    """Raises wherever it is looked at."""

    def __init__(self, *_: object) -> None:
        pass

    def __repr__(self) -> str:
        raise RuntimeError("printed")

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("compared")


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
    takes: Mapping[str, set[str]] = MappingProxyType({})
    says: Mapping[str, str] = MappingProxyType({})


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


GAME_OPTIONS = {"seed": 1, "max_turns": 4, "stop": None}
TAKES_GAME_OPTIONS = {"seed": COUNT, "max_turns": COUNT, "stop": {"None"}}

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
    "analyse": Case(
        cf.analyse,
        {"position": START, "player": "ab:depth=1", "lines": 2, "stop": None, "report": None},
        {
            "position": {"a position", "a game"},
            "lines": COUNT,
            "stop": {"None"},
            "report": {"None", "a function", "a class"},
        },
    ),
    "random_openings": Case(
        used(openings.random_openings),
        {"rules": cf.Rules(), "turns": 2, "openings": 2, "seed": 1, "distinct": True, "stop": None},
        {
            "rules": {"rules"},
            "turns": COUNT,
            "openings": COUNT,
            "seed": COUNT,
            "distinct": {"a bool"},
            "stop": {"None"},
        },
    ),
    "play_game": Case(
        simulate.play_game,
        {"opening": GAME, "red": PLAYERS[0], "blue": PLAYERS[1]} | GAME_OPTIONS,
        {"opening": {"a game"}} | TAKES_GAME_OPTIONS,
    ),
    "play_pair": Case(
        simulate.play_pair,
        {"index": 1, "opening": GAME, "a": PLAYERS[0], "b": PLAYERS[1]} | GAME_OPTIONS,
        {"index": COUNT, "opening": {"a game"}} | TAKES_GAME_OPTIONS,
        {"a": "red", "b": "blue"},
    ),
    "play_pairs": Case(
        used(simulate.play_pairs),
        {
            "a": "random",
            "b": "greedy",
            "openings": [GAME],
            "rules": None,
            "seed": 1,
            "first_pair": 1,
            "workers": 1,
            "max_turns": 4,
            "finished": None,
        },
        {
            "openings": EMPTY,
            "rules": RULES,
            "seed": COUNT,
            "first_pair": COUNT,
            "workers": COUNT,
            "max_turns": COUNT,
            "finished": {"None", "a function", "a class"},
        },
        {"a": "player", "b": "player", "openings": "opening"},
    ),
    "GameResult.score": Case(
        simulate.GameResult(GAME, 0, OUTCOME).score, {"side": cf.RED}, {"side": set()}
    ),
    "play_match": Case(
        match.play_match,
        {
            "a": "random",
            "b": "greedy",
            "rules": None,
            "pairs": 1,
            "turns": 2,
            "seed": 1,
            "workers": 1,
            "max_turns": 4,
            "finished": None,
        },
        {
            "rules": RULES,
            "pairs": COUNT,
            "turns": set(),
            "seed": COUNT,
            "workers": COUNT,
            "max_turns": COUNT,
            "finished": {"None", "a function", "a class"},
        },
        {"a": "player", "b": "player", "turns": "turns|max_turns"},
    ),
    "MatchResult.add": Case(lambda pair: match.MatchResult().add(pair), {"pair": PAIR}),
    "elo": Case(stats.elo, {"score": 0.5}),
    "pair_score": Case(stats.pair_score, {"pentanomial": [1, 2, 3, 2, 1], "confidence": 0.9}),
    "llr": Case(
        stats.llr,
        {"counts": [1, 2, 3], "elo0": 0, "elo1": 4.0, "model": "logistic"},
        {name: {"5", "-1", "a float"} for name in ("elo0", "elo1")},
    ),
    "sprt_bounds": Case(stats.sprt_bounds, {"alpha": 0.05, "beta": 0.1}),
    "Tally.add": Case(lambda batch: tally.Tally().add(batch), {"batch": BATCH}),
    "Tally.merge": Case(lambda other: summed().merge(other), {"other": summed()}),
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


def refusal(call: Callable[..., Any], *values: Any, **arguments: Any) -> Exception | None:
    """The exception of a call, or None."""
    try:
        call(*values, **arguments)
    except Exception as error:  # noqa: BLE001 - looked at by the caller
        return error
    return None
