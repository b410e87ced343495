"""Between the messages of the contract and the library: the only file that knows both.

A reader takes a message and gives a `Batch`: pieces of work, and what makes the answer of their
results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

import numpy as np

from chase_fast import (
    BLUE,
    GAME_DTYPE,
    MAX_DECISIONS,
    MAX_TURN_LIMIT,
    RED,
    Rules,
    __version__,
)
from chase_fast._core import Analysis, Line
from chase_fast.batch import MAX_SEED, Playouts
from chase_fast.cells import TERMINATIONS
from chase_fast.errors import ArgumentError, StoppedError
from chase_fast.openings import MAX_OPENING_TURNS, random_openings
from chase_fast.simulate import PairResult
from chase_fast.tally import COUNTERS, Tally
from chase_fast.tally import TERMINATIONS as PLAYOUT_TERMINATIONS
from chase_service._pb.chase.v1 import query_service_pb2, system_service_pb2
from chase_service._pb.chase.v1.games_service_pb2 import (
    Opening,
    PlayGamesRequest,
    PlayGamesResponse,
)
from chase_service.batches import Answer, Batch, Context, check_items, many
from chase_service.engine import StopFlag, Stopped, Work, poll
from chase_service.limits import Limits
from chase_service.positions import apply, legal_decisions
from chase_service.queries import (
    AnalysisQuery,
    PerftQuery,
    PlayoutsQuery,
    Start,
    pairs,
    position_of,
    replayed,
    rules_of,
    start_of,
    tally_of,
)
from chase_service.refusal import invalid, over_limit
from chase_service.wire import Errors, checked, column

__all__ = [
    "READERS", "Batch", "Context", "build", "games", "playout_games", "reading_us", "version",
]  # fmt: skip

pb = query_service_pb2
T = TypeVar("T")

_DEFAULT_PLAYER: Final = "ab:nodes=200000"
_DEFAULT_PLAYOUT_TURNS: Final = 1000
_DEFAULT_GAME_TURNS: Final = 400
_DEFAULT_OPENING_TURNS: Final = 4
_DEFAULT_BATCH: Final = 1000
_MAX_BATCH: Final = 10_000
_FEW: Final = 64
# Microseconds, about, to read an item, where items are read one by one.
_ITEM_US: Final = {"Perft": 6.0, "Playouts": 10.0, "Analyse": 30.0}


# ---- Items that take a while ------------------------------------------------------------------


def _perft(request: pb.PerftRequest, context: Context, stop: StopFlag) -> Batch[list[int]]:
    check_items("items", len(request.items), context.limits)
    rules, limits = rules_of(request.rules), context.limits
    errors = Errors(fail_fast=request.fail_fast)
    queries: list[PerftQuery | None] = []
    # Many items keep all threads busy as they are, and would be very many pieces.
    split = len(request.items) < _FEW

    def read(item: pb.PerftItem) -> Sequence[Work[list[int]]]:
        queries.append(None)
        if item.depth > limits.perft_depth:
            raise over_limit("depth", item.depth, "perft_depth", limits.perft_depth)
        if item.divide and not item.depth:
            raise invalid("depth", "depth is 0, expected at least 1 where divide is set")
        if item.unit not in (0, 1, 2):
            raise invalid("unit", f"unit is {item.unit}, expected a PerftUnit")
        position = position_of(item.position, rules, "position")
        unit = int(item.unit == pb.PERFT_UNIT_TURN)
        query = PerftQuery(position, item.depth, unit, item.divide)
        queries[-1] = query
        return query.works(split=split)

    def join(results: list[list[list[int]] | None], stop: StopFlag) -> bytes:
        response = pb.PerftResponse(errors=errors.rows)
        codes: list[int] = []
        for query, parts in zip(queries, results, strict=True):
            poll(stop)
            counts = None if parts is None else [count for part in parts for count in part]
            response.counts.append(sum(counts or ()) % 2**64)
            divided = query is not None and query.divide and counts is not None
            response.branches.append(len(counts or ()) if divided else 0)
            if query is not None and divided:
                codes += query.position.legal_moves.codes.tolist()
                response.branch_counts.extend(counts or ())
        packed = column(pb.PerftResponse, "branch_decisions", np.array(codes, np.uint32))
        return checked(limits.response_bytes, response.SerializeToString(), packed)

    return many(request.items, read, errors, join, stop)


def _playouts_query(item: pb.PlayoutsItem, rules: Rules, limits: Limits) -> PlayoutsQuery:
    turns = item.max_turns or _DEFAULT_PLAYOUT_TURNS
    if not item.games:
        raise invalid("games", f"games is 0, expected 1 to {limits.games}")
    if item.games > limits.games:
        raise over_limit("games", item.games, "games", limits.games)
    if item.first_game > MAX_SEED - (item.games - 1):
        raise invalid("first_game", "first_game and games lead beyond game 2^64 - 1")
    if turns > MAX_TURN_LIMIT:
        raise invalid("max_turns", f"max_turns is {turns}, expected 1 to {MAX_TURN_LIMIT}")
    position = position_of(item.position, rules, "position")
    return PlayoutsQuery(position, item.games, item.seed, item.first_game, turns)


def _playouts(request: pb.PlayoutsRequest, context: Context, stop: StopFlag) -> Batch[Tally]:
    limits = context.limits
    check_items("items", len(request.items), limits)
    total = sum(item.games for item in request.items)
    if total > limits.games:
        raise over_limit("items", total, "games", limits.games, what="the number of games")
    rules = rules_of(request.rules)
    errors = Errors(fail_fast=request.fail_fast)

    def counted(tally: Tally) -> Tally:
        context.done.add(games=tally.games)
        return tally

    def read(item: pb.PlayoutsItem) -> Sequence[Work[Tally]]:
        query = _playouts_query(item, rules, limits)
        return [tally_of(piece).then(counted) for piece in query.pieces()]

    def join(results: list[list[Tally] | None], stop: StopFlag) -> bytes:
        response = pb.PlayoutsResponse(
            counters=COUNTERS,
            results=[pb.PlayoutsResult() if one is None else _sums(one, stop) for one in results],
            errors=errors.rows,
        )
        return checked(limits.response_bytes, response.SerializeToString())

    return many(request.items, read, errors, join, stop)


def _sums(tallies: Sequence[Tally], stop: StopFlag) -> pb.PlayoutsResult:
    whole = Tally()
    for tally in tallies:
        poll(stop)
        whole.merge(tally)
    counters = [whole.counters[name] for name in COUNTERS]
    return pb.PlayoutsResult(
        games=whole.games,
        red_wins=whole.wins[RED],
        blue_wins=whole.wins[BLUE],
        terminations=[whole.terminations[word] for word in PLAYOUT_TERMINATIONS],
        totals=[sums.total for sums in counters],
        squares=[sums.squares for sums in counters],
        lowest=[sums.lowest or 0 for sums in counters],
        highest=[sums.highest or 0 for sums in counters],
        options_by_decisions=whole.options.products,
    )


def playout_games(
    request: pb.StreamPlayoutGamesRequest, context: Context
) -> Iterator[Work[Answer]]:
    """The messages of StreamPlayoutGames, one for each piece of work.

    Raises:
        Refusal: At the call.
    """
    size = request.batch or _DEFAULT_BATCH
    if size > _MAX_BATCH:
        raise invalid("batch", f"batch is {size}, expected 1 to {_MAX_BATCH}")
    rules = rules_of(request.rules)
    query = _playouts_query(request.item, rules, context.limits)

    def columns(played: Playouts) -> Answer:
        context.done.add(games=len(played))
        return Answer(_game_columns(played), len(played))

    return (Work(piece.play, piece.cost_us).then(columns) for piece in query.pieces(size))


def _game_columns(played: Playouts) -> bytes:
    kind = pb.StreamPlayoutGamesResponse
    return b"".join(
        (
            kind(first_game=played.first_game).SerializeToString(),
            *(column(kind, name, played.array[name]) for name in GAME_DTYPE.names or ()),
        )
    )


def _analyse(request: pb.AnalyseRequest, context: Context, stop: StopFlag) -> Batch[Analysis]:
    limits = context.limits
    check_items("items", len(request.items), limits)
    lines = sum(item.lines for item in request.items)
    if lines > limits.decisions:
        what = "the number of lines"
        raise over_limit("items", lines, "decisions", limits.decisions, what=what)
    rules = rules_of(request.rules)
    errors = Errors(fail_fast=request.fail_fast)

    def counted(found: Analysis) -> Analysis:
        context.done.add(nodes=found.nodes)
        return found

    def read(item: pb.AnalyseItem) -> Sequence[Work[Analysis]]:
        player = context.players.read(item.player or _DEFAULT_PLAYER, "player")
        lines = item.lines or 1
        if lines > MAX_DECISIONS:
            raise invalid("lines", f"lines is {lines}, expected 1 to {MAX_DECISIONS}")
        start = position_of(item.position, rules, "position")
        _check_history(item.decisions, "decisions", limits)
        query = AnalysisQuery(start, item.decisions, "decisions", player, lines)
        if request.fail_fast:
            query.game(stop)  # one that is none fails the call before anything is searched
        return [query.work().then(counted)]

    def join(results: list[list[Analysis] | None], stop: StopFlag) -> bytes:
        response = pb.AnalyseResponse(errors=errors.rows)
        for found in results:
            result = response.results.add()
            for search in found or ():
                result.depth, result.nodes = search.depth, search.nodes
                result.sims = search.sims
                for line in search.lines:
                    poll(stop)
                    result.lines.append(_line(line, texts=request.with_texts))
        return checked(limits.response_bytes, response.SerializeToString())

    return many(request.items, read, errors, join, stop)


def _line(line: Line, *, texts: bool) -> pb.AnalysisLine:
    return pb.AnalysisLine(
        score=line.score,
        depth=line.depth,
        nodes=line.nodes,
        decisions=[move.code for move in line.pv],
        texts=map(str, line.pv) if texts else (),
    )


def _check_history(decisions: Sequence[int], field: str, limits: Limits) -> None:
    if len(decisions) > limits.history:
        what = f"the number of {field}"
        raise over_limit(field, len(decisions), "history", limits.history, what=what)


READERS: Final[Mapping[str, Callable[[Any, Context, StopFlag], Batch[Any]]]] = {
    "LegalDecisions": legal_decisions,
    "Apply": apply,
    "Perft": _perft,
    "Playouts": _playouts,
    "Analyse": _analyse,
}
"""Readers of the calls that take a batch, by the name of the call."""


def reading_us(name: str, request: Any) -> float:
    """What the reader of a call takes, about, in microseconds."""
    each = _ITEM_US.get(name)
    return 0.0 if each is None else each * len(request.items)


# ---- Games ------------------------------------------------------------------------------------


def games(request: PlayGamesRequest, context: Context, stop: StopFlag) -> Iterator[Work[Answer]]:
    """The messages of PlayGames, one for each piece of work.

    Args:
        request: What is played.
        context: Of the server.
        stop: Ends the reading and drawing of openings, all of which happens in this call.

    Raises:
        Refusal: At the call.
        Stopped: The flag was set.
    """
    rules = rules_of(request.rules)
    players = (
        context.players.read(request.player_a, "player_a"),
        context.players.read(request.player_b, "player_b"),
    )
    turns = request.max_turns or _DEFAULT_GAME_TURNS
    openings = _openings(request, rules, context.limits, stop)
    longest = max(turns for turns, _ in openings)
    if not longest < turns <= MAX_TURN_LIMIT:
        raise invalid(
            "max_turns", f"max_turns is {turns}, expected {longest + 1} to {MAX_TURN_LIMIT}"
        )
    if request.first_pair > MAX_SEED - (len(openings) - 1):
        raise invalid("first_pair", "first_pair and the openings lead beyond pair 2^64 - 1")
    works = pairs(
        players, [start for _, start in openings],
        first_pair=request.first_pair, seed=request.seed, max_turns=turns,
    )  # fmt: skip
    decisions = request.with_decisions

    def columns(results: Sequence[PairResult]) -> Answer:
        played = sum(len(result.games) for result in results)
        context.done.add(games=played)
        return Answer(_pair_columns(results, decisions=decisions), played)

    return (work.then(columns) for work in works)


def _openings(
    request: PlayGamesRequest, rules: Rules, limits: Limits, stop: StopFlag
) -> list[tuple[int, Start]]:
    """Openings with their turns."""
    which = request.WhichOneof("openings")
    if which is None:
        raise invalid("openings", "neither generated nor given openings are there")
    if which == "given":
        check_items("openings", len(request.given.openings), limits)
        return [
            _opening(opening, f"openings[{number}]", rules, limits, stop)
            for number, opening in enumerate(request.given.openings)
        ]
    generated = request.generated
    turns = generated.turns if generated.HasField("turns") else _DEFAULT_OPENING_TURNS
    if not generated.count:
        raise invalid("generated.count", f"count is 0, expected 1 to {limits.pairs}")
    if generated.count > limits.pairs:
        raise over_limit("generated.count", generated.count, "pairs", limits.pairs)
    if turns > MAX_OPENING_TURNS:
        raise invalid("generated.turns", f"turns is {turns}, expected 0 to {MAX_OPENING_TURNS}")
    try:
        drawn = random_openings(rules, turns, generated.count, seed=request.seed, stop=stop)
        return [(game.turn_count, start_of(game)) for game in drawn]
    except ArgumentError:
        message = f"there are no {generated.count} different openings of {turns} turns"
        raise invalid("generated.count", message) from None
    except StoppedError:
        raise Stopped from None


def _opening(
    opening: Opening, field: str, rules: Rules, limits: Limits, stop: StopFlag
) -> tuple[int, Start]:
    """One that was given, with its turns."""
    poll(stop)
    start = position_of(opening.position, rules, f"{field}.position")
    _check_history(opening.decisions, f"{field}.decisions", limits)
    game = replayed(start, opening.decisions, f"{field}.decisions", stop)
    return game.turn_count, start_of(game)


def _pair_columns(results: Sequence[PairResult], *, decisions: bool) -> bytes:
    response = PlayGamesResponse()
    codes: list[int] = []
    for result in results:
        for number, played in enumerate(result.games):
            winner = played.outcome.winner
            response.pairs.append(result.index)
            response.games.append(number)
            response.winners.append(-1 if winner is None else winner)
            response.terminations.append(TERMINATIONS.index(played.outcome.termination))
            response.turns.append(played.game.turn_count)
            response.decision_counts.append(len(played.game.moves))
            if decisions:
                codes += [move.code for move in played.game.moves]
    packed = column(PlayGamesResponse, "decisions", np.array(codes, np.uint32))
    return response.SerializeToString() + packed


# ---- The server -------------------------------------------------------------------------------


def build(commit: str) -> dict[str, str]:
    """What is served: version, commit, instruction set."""
    return {"version": __version__, "commit": commit, "instruction_set": Rules().isa}


def version(context: Context, commit: str) -> bytes:
    """The answer of GetVersion."""
    limits = context.limits
    message = system_service_pb2.GetVersionResponse(
        **build(commit),
        rules=[
            system_service_pb2.NamedRules(name=name, rules=text, digest=Rules.parse(text).digest)
            for name, text in Rules.PRESETS.items()
        ],
        players=context.players.names,
        limits=system_service_pb2.Limits(
            **{field.name: getattr(limits, field.name) for field in _LIMITS}
        ),
    )
    return message.SerializeToString()


_LIMITS: Final = system_service_pb2.Limits.DESCRIPTOR.fields
