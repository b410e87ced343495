"""The batcher: takes items in, makes engine calls of them, gives each its one final answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any, Final, Generic

from chase_service.batcher.background import Background, Chunk, T
from chase_service.batcher.items import (
    Answer,
    Clock,
    Counts,
    Ending,
    Engine,
    EngineFaultError,
    Item,
    P,
    Pending,
    R,
    Stop,
    Ticket,
    Workers,
)
from chase_service.batcher.pace import Rate, Slowness
from chase_service.batcher.queue import FairQueue, Outlook
from chase_service.batcher.slots import Failure, Run, Slots
from chase_service.batcher.threads import Threads
from chase_service.config import Config

# Share of what a call should take that it is expected to take still, however late it is.
_LATE: Final = 0.25

# No estimate is above an hour, so that sums of them stay exact enough.
_MOST_US: Final = 3.6e9

_EXPIRED: Final[Answer[Any]] = Answer(Ending.DEADLINE)
_CANCELLED: Final[Answer[Any]] = Answer(Ending.CANCELLED)
_CLOSED: Final[Answer[Any]] = Answer(Ending.CLOSED)


class _Batch(Run, Generic[P, R]):
    """One engine call."""

    __slots__ = ("_ended", "_work", "began", "cost", "long", "tickets")

    def __init__(
        self,
        tickets: list[Ticket[P, R]],
        work: Callable[[Hashable, Sequence[P], Stop], Sequence[R]],
        ended: Callable[[_Batch[P, R], Any], None],
    ) -> None:
        super().__init__(Stop(len(tickets)))
        self.tickets: Final = tickets
        self.cost: Final = sum(ticket.cost for ticket in tickets)
        self.long = False
        self.began = 0.0
        self._work: Final = work
        self._ended: Final = ended

    def work(self) -> Sequence[R]:
        tickets = self.tickets
        return self._work(
            tickets[0].item.key, [ticket.item.payload for ticket in tickets], self.stop
        )

    def ended(self, outcome: Any) -> None:
        self._ended(self, outcome)

    def unanswered(self) -> list[Ticket[P, R]]:
        return [ticket for ticket in self.tickets if ticket.answer is None]


class Batcher(Generic[P, R]):
    """Merges items into engine calls on a few threads.

    Every item gets exactly one final answer, whatever becomes of the engine, its client or the
    batcher. All methods are for the thread of the loop.

    Args:
        engine: Its hooks do the work.
        config: Limits.
        clock: The loop; default: the running one.
        workers: The threads, as many as `threads`, `query_threads` and `other_threads` of the
            configuration together; default: new ones.

    Raises:
        RuntimeError: No `clock` was given and no loop runs.
    """

    def __init__(
        self,
        engine: Engine[P, R],
        config: Config,
        *,
        clock: Clock | None = None,
        workers: Workers | None = None,
    ) -> None:
        self.counts: Final = Counts()
        self._engine: Final = engine
        self._config: Final = config
        self._clock: Final[Clock] = asyncio.get_running_loop() if clock is None else clock
        threads = config.threads + config.query_threads + config.other_threads
        self._workers: Final[Workers] = Threads(threads) if workers is None else workers
        self._queue: Final[FairQueue[P, R]] = FairQueue(config)
        self._slots: Final = Slots(
            self._clock,
            self._workers,
            threads,
            stuck=config.stuck_ms / 1e3,
            most_lost=config.max_stuck_threads,
            counts=self.counts,
            freed=self._dispatch,
        )
        self._background: Final = Background(config, self._clock, self._slots, counts=self.counts)
        # Calls on threads.
        self._short: Final[set[_Batch[P, R]]] = set()
        self._long: Final[set[_Batch[P, R]]] = set()
        self._ripening: Any = None
        self._served: Final = Rate(self._clock.time())
        self._refused: Final = Rate(self._clock.time())
        self._slowness: Final = Slowness(self._clock.time())
        self._closing = False
        self._idle: asyncio.Future[None] | None = None

    # ---- What users see

    @property
    def queued_units(self) -> int:
        """Engine items that wait."""
        return self._queue.units

    @property
    def queued_bytes(self) -> int:
        """Bytes of the items that wait."""
        return self._queue.size

    @property
    def serving(self) -> int:
        """Engine calls on threads, those included that nobody waits for any more."""
        return len(self._short) + len(self._long)

    @property
    def background_waiting(self) -> int:
        """Chunks of jobs that wait for a thread."""
        return self._background.waiting

    @property
    def busy(self) -> int:
        """Threads that work, for queries or jobs; lost ones not counted."""
        return len(self._slots.running)

    def submit(self, item: Item[P]) -> Ticket[P, R]:
        """Takes an item in.

        Returns:
            Something to await for the final answer, or to cancel. It may have its answer already:
            refused, or answered on the loop. To cancel the task that awaits it cancels it.

        Raises:
            ValueError: A priority, a number of units or a size out of range.
        """
        self._check(item)
        now = self._clock.time()
        ticket: Ticket[P, R] = Ticket(item, now, self._cancel)
        self.counts.items += 1
        if self._closing:
            return self._end(ticket, _CLOSED)
        if item.deadline is not None and item.deadline <= now:
            return self._end(ticket, _EXPIRED)
        try:
            ticket.cost = self._estimate(item)
        except KeyboardInterrupt:  # meant for the process
            raise
        except BaseException as error:  # noqa: BLE001 - a hook may raise anything
            return self._end(ticket, Answer(Ending.ERROR, error=error))
        if ticket.cost <= self._config.inline_budget_us and self._queue.empty():
            return self._inline(ticket)
        at_once = self._starts_at_once(ticket)
        if not (at_once or item.admitted or self._admits(ticket, now)):
            self._refused.add(item.units, now)
            return self._end(ticket, Answer(Ending.REFUSED, retry_after=self.retry_after()))
        latest = now + self._config.max_item_seconds
        when = latest if item.deadline is None else min(item.deadline, latest)
        ticket.timer = self._clock.call_at(when, lambda: self._give_up(ticket, _EXPIRED))
        if at_once:
            self._start([ticket])
        else:
            self._queue.push(ticket, now)
            self._dispatch()
        return ticket

    def inline(self, cost_us: float) -> bool:
        """Whether the caller may do work of its own on the loop, which then counts as an item.

        So that what takes some microseconds need not be made an item first.
        """
        if self._closing or cost_us > self._config.inline_budget_us or not self._queue.empty():
            return False
        self.counts.items += 1
        self.counts.inline += 1
        self.counts.answers[Ending.RESULT] += 1
        return True

    def run_background(self, chunk: Chunk[T]) -> Pending[T]:
        """Runs a chunk of a job when no query needs the thread.

        Args:
            chunk: Called on a thread with a flag; see `Chunk`. Called again, behind other chunks,
                each time it returns `AGAIN`.

        Returns:
            Something to await for what it returned or raised, or to cancel. A running chunk that is
            cancelled is told by the flag and has its answer when it has come back, which can be a
            result. Without one at the end of the batcher it is closed.
        """
        if self._closing:
            task = self._background.add(chunk)
            self._background.close()
            return task
        task = self._background.add(chunk)
        self._dispatch()
        return task

    def retry_after(self) -> float:
        """Seconds in which half of what waits will have been served, at the rate measured.

        Those who were refused of late wait elsewhere. Not when the next place will be free: all of
        them would come back for it.
        """
        config = self._config
        low, high = config.retry_min_ms / 1e3, config.retry_max_ms / 1e3
        now = self._clock.time()
        rate = self._served.rate(now)
        half = (self._queue.units + self._refused.recent(now)) / 2
        return high if half >= high * rate else max(low, half / rate)

    async def close(self, grace: float) -> int:
        """Takes nothing in any more, ends everything, and the threads with it.

        Jobs make room at once. Queries are served for as long as the grace lasts; those left then
        are told that the batcher is closed. A second call, while the first waits, can shorten it.

        Args:
            grace: Seconds.

        Returns:
            How many threads did not come back from the engine; 0 if all is well.
        """
        self._closing = True
        self._background.close()
        if self._idle is None:
            self._idle = asyncio.get_running_loop().create_future()
        timer = self._clock.call_at(self._clock.time() + grace, self._end_all)
        self._dispatch()
        try:
            await asyncio.shield(self._idle)
        finally:
            timer.cancel()
        self._workers.close()
        # Idle threads end within microseconds; a lost one may never.
        for _ in range(200):
            if self._workers.alive() <= self.counts.stuck:
                break
            await asyncio.sleep(0.005)
        return self._workers.alive()

    # ---- Taking in

    def _check(self, item: Item[P]) -> None:
        config = self._config
        for name, value, low, high in (
            ("priority", item.priority, 0, config.priorities - 1),
            ("units", item.units, 1, config.max_queue_items),
            ("size", item.size, 0, config.max_queue_bytes),
        ):
            if not low <= value <= high:
                raise ValueError(f"{name} is {value}, expected an integer from {low} to {high}")

    def _estimate(self, item: Item[P]) -> float:
        cost = self._engine.estimate(item.key, item.payload)
        if not cost >= 0:
            raise EngineFaultError(f"the estimate is {cost}")
        return min(float(cost), _MOST_US)

    def _inline(self, ticket: Ticket[P, R]) -> Ticket[P, R]:
        self.counts.inline += 1
        try:
            results = self._call(ticket.item.key, [ticket.item.payload], Stop())
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - a hook may raise anything
            return self._end(ticket, Answer(Ending.ERROR, error=error))
        return self._end(ticket, Answer(Ending.RESULT, results[0]))

    def _starts_at_once(self, ticket: Ticket[P, R]) -> bool:
        """Whether an item need not go through the queue, since it would be taken out right away."""
        return (
            self._free > 0
            and self._queue.empty()
            and not self._config.max_queue_delay_us
            and not self._background.overdue()
            and self._may_start(long=self._queue.is_long(ticket))
        )

    def _admits(self, ticket: Ticket[P, R], now: float) -> bool:
        """Whether the queue has room, and a short item will soon have its turn."""
        slowness = self._slowness.factor(now)
        # Jobs make room at once.
        free = self._free > 0 or self._background.running > 0
        until = 0.0
        if not (free and self._may_start(long=False)):
            until = min((self._left(run, slowness, now) for run in self._short), default=0.0)
        client = ticket.item.client
        served = any(one.item.client == client for run in self._short for one in run.tickets)
        outlook = Outlook(until, slowness, served=served)
        return self._queue.admits(ticket, now, outlook)

    def _left(self, run: _Batch[P, R], slowness: float, now: float) -> float:
        """Seconds until a call is back; one that is late is not for that at its end."""
        expected = slowness * run.cost / 1e6
        return max(run.began + expected - now, _LATE * expected)

    # ---- Serving

    def _call(self, key: Hashable, payloads: Sequence[P], stop: Stop) -> Sequence[R]:
        """One engine call. Runs on a thread, or on the loop; touches nothing of the batcher."""
        engine = self._engine
        prepared = engine.prepare(key, payloads)
        results = list(engine.split(key, engine.run(key, prepared, stop), payloads))
        if len(results) != len(payloads):
            raise EngineFaultError(f"{len(results)} results of {len(payloads)} items")
        return results

    def _dispatch(self) -> None:
        """Gives work to free threads, and asks jobs for theirs if that is not enough."""
        queue = self._queue
        while self._free > 0:
            if self._background.overdue() and self._background.start(overdue=True):
                continue
            group = queue.take(
                self._clock.time(),
                short=self._may_start(long=False),
                long=self._may_start(long=True),
            )
            if group is not None:
                self._start(group)
            elif not self._background.start():
                break
        if self._slots.free > 0 and (holder := self._holder_of_all()):
            group = queue.take_long_of_others(holder, self._clock.time())
            if group is not None:
                self._start(group)
        self._wait_for_ripe()
        if self._free <= 0 and queue.ready(
            self._clock.time(),
            short=self._may_start(long=False),
            long=self._may_start(long=True),
        ):
            self._background.make_room(1 + queue.units // self._config.max_batch_items)
        if self._idle is not None and not self._idle.done() and self._rests():
            self._idle.set_result(None)

    @property
    def _free(self) -> int:
        """Threads with nothing to do, but those that are kept for other clients."""
        beyond = max(0, len(self._long) - self._config.threads)
        return self._slots.free - max(0, self._config.other_threads - beyond)

    def _holder_of_all(self) -> set[Hashable]:
        """The one client that has all threads which long items may have; empty if it is not one."""
        if not self._config.other_threads or len(self._long) < self._config.threads:
            return set()
        clients = {ticket.item.client for run in self._long for ticket in run.tickets}
        return clients if len(clients) == 1 else set()

    def _may_start(self, *, long: bool) -> bool:
        """Whether one more short or long call may have a thread."""
        if long:
            return len(self._long) < self._config.threads
        return len(self._short) < self._config.short_threads

    def _start(self, group: list[Ticket[P, R]]) -> None:
        batch = _Batch(group, self._call, self._ended)
        batch.long = self._queue.is_long(group[0])
        for index, ticket in enumerate(group):
            ticket.run, ticket.index = batch, index
        batch.began = self._clock.time()
        (self._long if batch.long else self._short).add(batch)
        self.counts.batches += 1
        self.counts.merged += len(group)
        self._slots.start(batch)
        if len(group) > 1:
            patience = self._config.patience_ms / 1e3
            self._slots.watch(batch, patience, partial(self._slots.interrupt, batch))

    def _ended(self, batch: _Batch[P, R], outcome: Any) -> None:
        """Answers a call's items, or has them tried again, fewer at a time, until one alone fails.

        The new calls are smaller than this one, so that there is an end to it.
        """
        (self._long if batch.long else self._short).discard(batch)
        failed = isinstance(outcome, Failure)
        left = batch.unanswered()
        if not failed and not batch.interrupted:
            now = self._clock.time()
            self._served.add(sum(ticket.item.units for ticket in left), now)
            if not batch.long:
                self._slowness.add(now - batch.began, batch.cost / 1e6, now)
            for ticket, result in zip(batch.tickets, outcome, strict=True):
                self._end(ticket, Answer(Ending.RESULT, result))
        elif failed and left and len(batch.tickets) == 1:
            self._end(left[0], Answer(Ending.ERROR, error=outcome.error))
        elif left:
            self.counts.retried += 1
            # One that is slow costs its neighbours much more time than one that fails.
            size = 1 if batch.interrupted else (len(left) + 1) // 2
            for ticket in left:
                ticket.run = None
            for begin in range(0, len(left), size):
                self._queue.push_again(left[begin : begin + size], self._clock.time())

    def _wait_for_ripe(self) -> None:
        """Wakes up when an item need not wait for others any more."""
        if self._ripening is not None:
            self._ripening.cancel()
            self._ripening = None
        when = self._queue.ripens()
        if when is not None:
            self._ripening = self._clock.call_at(when, self._dispatch)

    # ---- Ending

    def _end(self, ticket: Ticket[P, R], answer: Answer[R]) -> Ticket[P, R]:
        """Gives the final answer, if there is none yet."""
        if ticket.settle(answer):
            self.counts.answers[answer.ending] += 1
            if ticket.timer is not None:
                ticket.timer.cancel()
                ticket.timer = None
            ticket.run = None
        return ticket

    def _drop(self, ticket: Ticket[P, R], answer: Answer[R]) -> None:
        """Ends an item before it was served; a call that nobody waits for any more is stopped."""
        if ticket.answer is not None:
            return
        batch = ticket.run
        if ticket.queued:
            self._queue.remove(ticket)
        elif isinstance(batch, _Batch):
            batch.stop.drop(ticket.index)
        self._end(ticket, answer)
        if isinstance(batch, _Batch) and not batch.unanswered():
            self._slots.interrupt(batch)

    def _give_up(self, ticket: Ticket[P, R], answer: Answer[R]) -> None:
        self._drop(ticket, answer)
        self._dispatch()

    def _cancel(self, ticket: Ticket[P, R]) -> None:
        self._give_up(ticket, _CANCELLED)

    def _end_all(self) -> None:
        """The grace is over."""
        for ticket in self._queue.waiting():
            self._drop(ticket, _CLOSED)
        for run in [*self._short, *self._long]:
            for ticket in run.unanswered():
                self._drop(ticket, _CLOSED)
        self._dispatch()

    def _rests(self) -> bool:
        return not self._slots.running and self._queue.empty()
