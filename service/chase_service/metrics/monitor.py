"""The figures of a server, and where they can be read."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from chase_service.metrics.metrics import Metrics, Sources
from chase_service.metrics.page import Page

__all__ = ["Monitor"]


class Monitor:
    """Counts from the beginning; can be read between `start` and `stop`.

    Args:
        address: Host and port, 0 for a free one.
        methods: See `Metrics`.
        sources: See `Metrics`.

    Attributes:
        metrics: The figures; a `chase_service.watch.Watcher`.
        port: The port, once it has started.
    """

    def __init__(self, address: str, methods: Iterable[str], sources: Sources) -> None:
        self.metrics = Metrics(methods, sources)
        self.port = 0
        self._address = address
        self._page: Page | None = None

    async def start(self) -> None:
        """Begins.

        Raises:
            OSError: The address is in use or cannot be had.
        """
        host, _, port = self._address.rpartition(":")
        # The look-up of a name can take seconds.
        self._page = await asyncio.to_thread(Page, host, int(port), self.metrics.registry)
        self.port = self._page.port
        self.metrics.lag.start()

    async def stop(self) -> None:
        """Ends, whether it has started or not."""
        self.metrics.lag.stop()
        if self._page is not None:
            await asyncio.to_thread(self._page.close)
            self._page = None
