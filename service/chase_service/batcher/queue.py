"""The items that wait, and in which order they are served.

- Levels of priority: the most urgent first. A level that was passed over for the time of ageing
  serves one batch before the others.
- Within a level clients get equal shares of the work, in proportion to estimated cost: start-time
  fair queueing (P. Goyal, H. Vin and H. Cheng, Start-time Fair Queuing, SIGCOMM 1996). An item's
  place is where its client's work before it ends, or where the level now stands if that is later.
- Long items of a priority are a level of their own behind the short ones, since they may not have
  all threads.
- The item whose turn it is takes others of its key along, in the same order.

Served and cancelled items stay in the heaps until they come up, or are more than those that wait.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final, Generic

from chase_service.batcher.items import P, R, Ticket
from chase_service.config import Config

# Seconds after the latest refusal for which the queue is kept short.
_OVERLOADED: Final = 1.0
# Dead entries of a heap, or forgotten clients, that are not worth a clean-up.
_FEW: Final = 32


class _Heap(Generic[P, R]):
    """Tickets by start; those that have left the queue are skipped."""

    __slots__ = ("_entries",)

    def __init__(self) -> None:
        self._entries: list[tuple[float, int, Ticket[P, R]]] = []

    def push(self, number: int, ticket: Ticket[P, R], waiting: int) -> None:
        """Adds one; `waiting` is the most that may be alive."""
        if len(self._entries) > 2 * waiting + _FEW:
            self._entries = [entry for entry in self._entries if entry[2].queued]
            heapq.heapify(self._entries)
        heapq.heappush(self._entries, (ticket.start, number, ticket))

    def first(self) -> Ticket[P, R] | None:
        while self._entries:
            ticket = self._entries[0][2]
            if ticket.queued:
                return ticket
            heapq.heappop(self._entries)
        return None

    def alive(self) -> list[Ticket[P, R]]:
        return [entry[2] for entry in self._entries if entry[2].queued]

    def clear(self) -> None:
        self._entries.clear()


class _Load:
    """What waits: engine items, bytes, estimated µs."""

    __slots__ = ("cost", "count", "size", "units")

    def __init__(self) -> None:
        self.count = 0
        self.units = 0
        self.size = 0
        self.cost = 0.0

    def change(self, ticket: Ticket[P, R], sign: int) -> None:
        self.count += sign
        self.units += sign * ticket.item.units
        self.size += sign * ticket.item.size
        self.cost += sign * ticket.cost
        if not self.count:
            self.cost = 0.0  # what rounding left

    def takes(self, ticket: Ticket[P, R], config: Config, share: float) -> bool:
        """Whether it stays within a share of the bounds with one more."""
        item = ticket.item
        return (
            self.units + item.units <= share * config.max_queue_items
            and self.size + item.size <= share * config.max_queue_bytes
            # However long it takes, an item may wait alone.
            and (not self.count or self.cost + ticket.cost <= share * config.max_queue_us)
        )


class _Lane(Generic[P, R]):
    """The items of one key."""

    __slots__ = ("heap", "load")

    def __init__(self) -> None:
        self.heap: Final[_Heap[P, R]] = _Heap()
        self.load: Final = _Load()


class _Level(Generic[P, R]):
    """The items of one priority."""

    __slots__ = ("again", "clients", "cost", "count", "lanes", "ripe", "virtual", "waiting_since")

    def __init__(self) -> None:
        self.lanes: Final[dict[Hashable, _Lane[P, R]]] = {}
        self.ripe: Final[_Heap[P, R]] = _Heap()
        # Groups of a failed call, to be run as they are.
        self.again: Final[deque[list[Ticket[P, R]]]] = deque()
        # Where the work of each client ends that was not served before `virtual`.
        self.clients: dict[Hashable, float] = {}
        self.virtual = 0.0
        self.count = 0
        self.cost = 0.0
        self.waiting_since: float | None = None

    def place(self, ticket: Ticket[P, R]) -> None:
        """Sets where an item stands, and charges its client."""
        client = ticket.item.client
        ticket.start = max(self.virtual, self.clients.get(client, 0.0))
        self.clients[client] = ticket.start + max(ticket.cost, 1.0)
        if len(self.clients) > 2 * self.count + _FEW:
            ends = self.clients.items()
            self.clients = {one: end for one, end in ends if end > self.virtual}

    def rest(self) -> None:
        """Forgets everybody's past once nobody waits."""
        if not self.count:
            self.lanes.clear()
            self.clients.clear()
            self.ripe.clear()
            self.virtual = 0.0
            self.cost = 0.0
            if not self.again:
                self.waiting_since = None

    def next_again(self) -> list[Ticket[P, R]] | None:
        """The next group to be tried again, without those who have their answer."""
        while self.again:
            group = [ticket for ticket in self.again[0] if ticket.answer is None]
            if group:
                return group
            self.again.popleft()
        return None


@dataclass(frozen=True, slots=True)
class Outlook:
    """How soon the threads take a short item from the queue.

    Attributes:
        until: Seconds until one is free for it.
        slowness: By what factor work takes longer than estimated.
        served: Whether its client has a short item on a thread.
    """

    until: float
    slowness: float
    served: bool


class FairQueue(Generic[P, R]):
    """Items in the order in which they are served.

    Args:
        config: Its bounds.
    """

    def __init__(self, config: Config) -> None:
        self._config: Final = config
        self._delay: Final = config.max_queue_delay_us / 1e6
        # For each priority the short items and the long ones.
        self._levels: Final = [_Level[P, R]() for _ in range(2 * config.priorities)]
        self._load: Final = _Load()
        # Of short items and of long ones, which do not take each other's room.
        self._kinds: Final = (_Load(), _Load())
        self._held: Final[dict[tuple[Hashable, bool], _Load]] = {}
        # In order of arrival, which is the order in which they ripen.
        self._unripe: Final[deque[Ticket[P, R]]] = deque()
        self._numbers: Final = itertools.count()
        # Until when the queue is kept short, since there is more than can be served.
        self._overloaded_until = -math.inf

    @property
    def units(self) -> int:
        """Engine items that wait."""
        return self._load.units

    @property
    def size(self) -> int:
        """Bytes that wait."""
        return self._load.size

    def empty(self) -> bool:
        """Whether nothing waits, nor is to be tried again."""
        if self._load.count:
            return False
        # A loop, since this is asked for every call.
        for level in self._levels:  # noqa: SIM110
            if level.again and level.next_again():
                return False
        return True

    def admits(self, ticket: Ticket[P, R], now: float, outlook: Outlook) -> bool:
        """Whether there is room, and its client has not more than its share.

        A client that has nothing here may bring one item of any size that fits. A refusal keeps the
        queue short for a while.
        """
        if self._fits(ticket) and self._is_soon(ticket, now, outlook):
            return True
        self._overloaded_until = now + _OVERLOADED
        return False

    def _fits(self, ticket: Ticket[P, R]) -> bool:
        long = self.is_long(ticket)
        if not self._kinds[long].takes(ticket, self._config, 1.0):
            return False
        held = self._held.get((ticket.item.client, long))
        return held is None or held.takes(ticket, self._config, self._config.max_client_share)

    def _is_soon(self, ticket: Ticket[P, R], now: float, outlook: Outlook) -> bool:
        """Whether a short item need not wait too long for a thread and others as urgent."""
        config = self._config
        if self.is_long(ticket):
            return True
        ahead = sum(level.cost for level in self._levels[: 2 * ticket.item.priority + 1 : 2])
        threads = min(config.threads, config.short_threads)
        wait = outlook.until + outlook.slowness * ahead / 1e6 / threads
        # Who has nothing here is not the one who asks too much.
        is_here = outlook.served or (ticket.item.client, False) in self._held
        overloaded = now < self._overloaded_until and is_here
        longest = config.overloaded_wait_ms if overloaded else config.max_wait_ms
        return wait <= longest / 1e3

    def push(self, ticket: Ticket[P, R], now: float) -> None:
        """Adds an item."""
        level = self._level(ticket)
        if not level.count and not level.again:
            level.waiting_since = now
        level.place(ticket)
        ticket.queued = True
        lane = level.lanes.get(ticket.item.key)
        if lane is None:
            lane = level.lanes[ticket.item.key] = _Lane()
        lane.heap.push(next(self._numbers), ticket, lane.load.count)
        lane.load.change(ticket, 1)
        self._load.change(ticket, 1)
        self._kinds[self.is_long(ticket)].change(ticket, 1)
        holder = (ticket.item.client, self.is_long(ticket))
        held = self._held.get(holder)
        if held is None:
            held = self._held[holder] = _Load()
        held.change(ticket, 1)
        level.count += 1
        level.cost += ticket.cost
        full = (
            lane.load.units >= self._config.max_batch_items
            or lane.load.cost >= self._config.max_batch_us
        )
        if full or not self._delay:
            self._ripen(ticket)
        else:
            self._unripe.append(ticket)

    def remove(self, ticket: Ticket[P, R]) -> None:
        """Takes an item out; it must be in."""
        item = ticket.item
        level = self._level(ticket)
        ticket.queued = False
        self._load.change(ticket, -1)
        self._kinds[self.is_long(ticket)].change(ticket, -1)
        holder = (item.client, self.is_long(ticket))
        held = self._held[holder]
        held.change(ticket, -1)
        if not held.count:
            del self._held[holder]
        lane = level.lanes[item.key]
        lane.load.change(ticket, -1)
        if not lane.load.count:
            del level.lanes[item.key]
        level.count -= 1
        level.cost -= ticket.cost
        level.rest()
        if not self._load.count:
            self._unripe.clear()

    def push_again(self, group: list[Ticket[P, R]], now: float) -> None:
        """Adds items of one key that failed together, to be run as they are, before others."""
        level = self._level(group[0])
        if level.waiting_since is None:
            level.waiting_since = now
        level.again.append(group)

    def is_long(self, ticket: Ticket[P, R]) -> bool:
        """Whether an item is one of those that may not have all threads."""
        return ticket.cost > self._config.long_us

    def take_long_of_others(self, clients: set[Hashable], now: float) -> list[Ticket[P, R]] | None:
        """Takes a long item out whose turn is next among those of other clients; None without one.

        Looks at all that wait, and is for the case that one client has all threads.
        """
        if not any(long and client not in clients for client, long in self._held):
            return None
        for level in self._levels[1::2]:
            waiting = [ticket for lane in level.lanes.values() for ticket in lane.heap.alive()]
            theirs = [one for one in waiting if one.ripe and one.item.client not in clients]
            if theirs:
                ticket = min(theirs, key=lambda one: one.start)
                self.remove(ticket)
                level.waiting_since = now if level.count or level.again else None
                return [ticket]
        return None

    def ready(self, now: float, *, short: bool, long: bool) -> bool:
        """Whether `take` would give something."""
        return self._next_level(now, short, long) is not None

    def take(self, now: float, *, short: bool, long: bool) -> list[Ticket[P, R]] | None:
        """Takes the items out that are to be served next, in one call.

        Args:
            now: The time.
            short: Whether they may be short ones.
            long: Whether they may be long ones.

        Returns:
            At least one, of one key, all short or all long; None if none may be served yet.
        """
        level = None if self.empty() else self._next_level(now, short, long)
        if level is None:
            return None
        group = level.next_again()
        if group is not None:
            level.again.popleft()
        else:
            group = self._gather(level)
        level.waiting_since = now if level.count or level.again else None
        return group

    def ripens(self) -> float | None:
        """When `take` may give something although it gave nothing now; None if it never will."""
        return self._unripe[0].arrived + self._delay if self._unripe else None

    def waiting(self) -> list[Ticket[P, R]]:
        """All items that wait, those to be tried again included."""
        tickets: list[Ticket[P, R]] = []
        for level in self._levels:
            for lane in level.lanes.values():
                tickets += lane.heap.alive()
            while group := level.next_again():
                tickets += group
                level.again.popleft()
        return tickets

    def _ripen(self, ticket: Ticket[P, R]) -> None:
        if ticket.queued and not ticket.ripe:
            ticket.ripe = True
            level = self._level(ticket)
            level.ripe.push(next(self._numbers), ticket, level.count)

    def _level(self, ticket: Ticket[P, R]) -> _Level[P, R]:
        return self._levels[2 * ticket.item.priority + self.is_long(ticket)]

    def _next_level(self, now: float, short: bool, long: bool) -> _Level[P, R] | None:
        """The most urgent, or the one that was passed over for longest, if that is too long."""
        while self._unripe and self._unripe[0].arrived + self._delay <= now:
            self._ripen(self._unripe.popleft())
        # Levels of short items and of long ones take turns.
        levels = [
            level for index, level in enumerate(self._levels) if (long if index % 2 else short)
        ]
        ready = [level for level in levels if level.next_again() or level.ripe.first()]
        if not ready:
            return None
        eldest = min(ready, key=_since)
        return eldest if _since(eldest) + self._config.ageing_ms / 1e3 <= now else ready[0]

    def _gather(self, level: _Level[P, R]) -> list[Ticket[P, R]]:
        """The item whose turn it is, and what can be merged with it."""
        head = level.ripe.first()
        assert head is not None
        level.virtual = max(level.virtual, head.start)
        lane = level.lanes[head.item.key]
        group: list[Ticket[P, R]] = []
        units, cost = 0, 0.0
        while (ticket := lane.heap.first()) is not None:
            units += ticket.item.units
            cost += ticket.cost
            full = units > self._config.max_batch_items or cost > self._config.max_batch_us
            if group and full:
                break
            group.append(ticket)
            self.remove(ticket)
        return group


def _since(level: _Level[P, R]) -> float:
    return 0.0 if level.waiting_since is None else level.waiting_since
