"""How late the event loop is: while it is, every call waits."""

from __future__ import annotations

import asyncio
from typing import Final

from chase_service.metrics.histogram import Histogram

__all__ = ["LoopLag"]

# Seconds between two looks.
_PERIOD: Final = 0.1
# Below a millisecond it is the resolution of the loop's own timers.
_BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class LoopLag:
    """Asks the loop again and again for a call at a time, and notes how late that comes.

    Attributes:
        seconds: How late it came.
    """

    def __init__(self) -> None:
        self.seconds = Histogram(_BOUNDS)
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Begins, in the running loop."""
        self._next(asyncio.get_running_loop())

    def stop(self) -> None:
        """Ends."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _next(self, loop: asyncio.AbstractEventLoop) -> None:
        due = loop.time() + _PERIOD
        self._timer = loop.call_at(due, self._look, loop, due)

    def _look(self, loop: asyncio.AbstractEventLoop, due: float) -> None:
        self.seconds.add(max(0.0, loop.time() - due))
        self._next(loop)
