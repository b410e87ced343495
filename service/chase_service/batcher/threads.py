"""The engine threads."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Final

# Added to the niceness of engine threads, so that the event loop need not wait for them: with all
# processors busy, half of the refusals came within 3 ms instead of 11.
_NICE: Final = 5


class Threads:
    """A fixed number of threads that run what they are given, in order.

    They are daemons: one that never comes back from the engine must not keep the process from
    ending. The threads of `concurrent.futures` would.

    Args:
        count: How many, at least 1.
        name: Prefix of their names.
    """

    def __init__(self, count: int, *, name: str = "engine") -> None:
        self._name: Final = name
        self._work: Final[SimpleQueue[Callable[[], None] | None]] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._made = 0
        for _ in range(count):
            self.add()

    def start(self, work: Callable[[], None]) -> None:
        """Runs on one of the threads; must not raise."""
        self._work.put(work)

    def add(self) -> None:
        """One thread more."""
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        thread = threading.Thread(
            target=self._serve, name=f"{self._name}-{self._made}", daemon=True
        )
        self._made += 1
        thread.start()
        self._threads.append(thread)

    def remove(self) -> None:
        """One thread less, whichever is idle first."""
        self._work.put(None)

    def close(self) -> None:
        """All threads end as they become idle."""
        for _ in range(self.alive()):
            self._work.put(None)

    def alive(self) -> int:
        """How many threads there are."""
        return sum(thread.is_alive() for thread in self._threads)

    def _serve(self) -> None:
        if sys.platform == "linux":  # where threads have a priority of their own
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
        while (work := self._work.get()) is not None:
            work()
            # Nothing of it is kept while the thread is idle.
            del work
