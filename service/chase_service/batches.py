"""Calls as work: pieces for the engine, and the way back from their results to one answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

from chase_service.engine import StopFlag, Work, poll
from chase_service.figures import Done
from chase_service.limits import Limits
from chase_service.players import Players
from chase_service.refusal import Refusal, invalid, over_limit
from chase_service.wire import Errors

__all__ = ["Answer", "Batch", "Context", "check_items", "many", "one"]

T = TypeVar("T")


class Answer(NamedTuple):
    """A message to be sent.

    Attributes:
        data: Its bytes.
        items: Items that it answers, or games that it tells of.
        failed: Those of them without a result.
    """

    data: bytes
    items: int
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Context:
    """What readers have to know of the server, and where they count what was done."""

    limits: Limits
    players: Players
    done: Done = field(default_factory=Done)


def check_items(name: str, count: int, limits: Limits) -> None:
    """Refuses no items, and too many.

    Args:
        name: The field that they are.
        count: How many there are.
        limits: Of the server.

    Raises:
        Refusal: INVALID_FIELD, OVER_LIMIT.
    """
    if not count:
        raise invalid(name, f"{name} is empty, expected 1 to {limits.items} items")
    if count > limits.items:
        raise over_limit(name, count, "items", limits.items, what=f"the number of {name}")


@dataclass(frozen=True, slots=True)
class Batch(Generic[T]):
    """A call as work.

    Attributes:
        works: Its pieces.
        answer: The response, of the results of all pieces in their order; like work, it polls the
            flag and may be begun again.
    """

    works: Sequence[Work[T]]
    answer: Callable[[Sequence[T | Refusal], StopFlag], Answer]

    @property
    def cost_us(self) -> float:
        """What the pieces take, about, in microseconds."""
        return sum(work.cost_us for work in self.works)


def one(work: Work[Answer]) -> Batch[Answer]:
    """A batch that is done by one piece of work."""

    def answer(results: Sequence[Answer | Refusal], _: StopFlag) -> Answer:
        (result,) = results
        if isinstance(result, Refusal):
            raise result
        return result

    return Batch([work], answer)


def many(
    items: Iterable[Any],
    read: Callable[[Any], Sequence[Work[T]]],
    errors: Errors,
    join: Callable[[list[list[T] | None], StopFlag], bytes],
    stop: StopFlag,
) -> Batch[T]:
    """A batch of items with any number of pieces each.

    Args:
        items: Of the request.
        read: The pieces of one; refuses.
        errors: Gets the refusals.
        join: The answer, of the results of each item, or None for items without one; polls.
        stop: Ends the reading early.

    Raises:
        Refusal: Of an item that is to fail the call.
        Stopped: The flag was set.
    """
    works: list[Work[T]] = []
    lengths: list[int | Refusal] = []
    for number, item in enumerate(items):
        poll(stop)
        try:
            own = read(item)
        except Refusal as refusal:
            lengths.append(refusal)
            errors.check(number, refusal)
            continue
        lengths.append(len(own))
        works += own

    def answer(results: Sequence[T | Refusal], stop: StopFlag) -> Answer:
        errors.rows.clear()  # of an answer that was broken off
        found = iter(results)
        joined: list[list[T] | None] = []
        for number, length in enumerate(lengths):
            poll(stop)
            refusal = length if isinstance(length, Refusal) else None
            own: list[T] = []
            for _ in range(0 if isinstance(length, Refusal) else length):
                result = next(found)
                if isinstance(result, Refusal):
                    refusal = refusal or result
                else:
                    own.append(result)
            if refusal is not None:
                errors.add(number, refusal)
            joined.append(own if refusal is None else None)
        return Answer(join(joined, stop), len(lengths), len(errors.rows))

    return Batch(works, answer)
