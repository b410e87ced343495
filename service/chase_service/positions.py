"""The calls about single positions: messages to columns and back, of thousands at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from chase_fast import Move, Position, Rules
from chase_fast._core import _legal_columns
from chase_service._pb.chase.v1 import query_service_pb2 as pb
from chase_service.batches import Answer, Batch, Context, check_items, one
from chase_service.engine import StopFlag, Stopped, Work, poll
from chase_service.limits import Limits
from chase_service.queries import moved, position_of, rules_of
from chase_service.refusal import Refusal, invalid, over_limit
from chase_service.wire import Errors, checked, field

__all__ = ["apply", "legal_decisions"]

# Rough costs, in microseconds.
_LEGAL_US: Final = 1.0
_TEXT_US: Final = 12.0
_POSITION_US: Final = 4.0
_STEP_US: Final = 3.0


class _States:
    """Columns of `States`."""

    def __init__(self, *, wanted: bool) -> None:
        self._message = pb.States() if wanted else None

    def add(self, position: Position | None) -> None:
        """A row; zeros for an item without a result."""
        if self._message is None:
            return
        winner = None if position is None else position.winner
        self._message.sides.append(0 if position is None else position.side_to_act)
        self._message.winners.append(-1 if winner is None else winner)
        self._message.terminations.append(0 if position is None else position.termination)
        self._message.pips_due.append(0 if position is None else position.pips_due)

    @property
    def message(self) -> pb.States | None:
        return self._message


def legal_decisions(
    request: pb.LegalDecisionsRequest, context: Context, stop: StopFlag
) -> Batch[Answer]:
    """The reader of LegalDecisions.

    Raises:
        Refusal: At the call.
    """
    del stop  # there is nothing to be read one by one
    number = len(request.positions)
    check_items("positions", number, context.limits)
    rules = rules_of(request.rules)
    cost = _TEXT_US if request.with_texts else _LEGAL_US
    limits = context.limits
    return one(Work(lambda stop: _listed(request, rules, limits, stop), cost * number))


def _listed(
    request: pb.LegalDecisionsRequest, rules: Rules, limits: Limits, stop: StopFlag
) -> Answer:
    errors = Errors(fail_fast=request.fail_fast)
    texts = list(request.positions)
    columns = _legal_columns(texts, rules, stop)
    if columns is None:
        raise Stopped
    for item in columns.faulty:
        poll(stop)
        try:
            position_of(texts[item], rules, "positions")
        except Refusal as refusal:
            errors.add(item, refusal)
    response = pb.LegalDecisionsResponse(errors=errors.rows)
    if request.with_texts:
        for code in np.frombuffer(columns.codes, np.uint32).tolist():
            poll(stop)
            response.texts.append(str(Move.from_code(code)))
    response.counts.extend(columns.counts)
    if request.with_states:
        sides, winners, terminations, due = zip(*columns.states, strict=True)
        response.states.CopyFrom(
            pb.States(sides=sides, winners=winners, terminations=terminations, pips_due=due)
        )
    packed = field(pb.LegalDecisionsResponse, "decisions", columns.codes)
    data = checked(limits.response_bytes, response.SerializeToString(), packed)
    return Answer(data, len(texts), len(errors.rows))


def apply(request: pb.ApplyRequest, context: Context, stop: StopFlag) -> Batch[Answer]:
    """The reader of Apply.

    Raises:
        Refusal: At the call.
    """
    del stop  # there is nothing to be read one by one
    number = len(request.positions)
    check_items("positions", number, context.limits)
    if request.decisions and request.texts:
        raise invalid("texts", "decisions and texts are both given, expected one of them")
    if len(request.counts) not in (0, number):
        raise invalid("counts", f"{len(request.counts)} counts for {number} positions")
    counts = list(request.counts) or [1] * number
    total = sum(counts)
    if total > context.limits.decisions:
        raise over_limit(
            "counts" if request.counts else "positions", total,
            "decisions", context.limits.decisions, what="the number of decisions",
        )  # fmt: skip
    given = len(request.texts or request.decisions)
    if total != given:
        raise invalid("decisions", f"{given} decisions are given, expected {total}")
    rules = rules_of(request.rules)
    cost = _POSITION_US * number + _STEP_US * total
    return one(Work(lambda stop: _applied(request, counts, rules, context.limits, stop), cost))


def _applied(
    request: pb.ApplyRequest, counts: Sequence[int], rules: Rules, limits: Limits, stop: StopFlag
) -> Answer:
    errors, states = Errors(fail_fast=request.fail_fast), _States(wanted=request.with_states)
    response = pb.ApplyResponse()
    name = "texts" if request.texts else "decisions"
    decisions: Sequence[int | str] = request.texts or request.decisions
    begin = 0
    for item, (text, count) in enumerate(zip(request.positions, counts, strict=True)):
        poll(stop)
        end = begin + count
        position: Position | None
        try:
            start = position_of(text, rules, "positions")
            position = moved(start, decisions[begin:end], begin, name, stop)
        except Refusal as refusal:
            errors.add(item, refusal)
            position = None
        response.positions.append("" if position is None else position.cfen)
        states.add(position)
        begin = end
    response.errors.extend(errors.rows)
    if states.message is not None:
        response.states.CopyFrom(states.message)
    data = checked(limits.response_bytes, response.SerializeToString())
    return Answer(data, len(counts), len(errors.rows))
