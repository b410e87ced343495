"""The page that Prometheus reads, over HTTP, in threads of its own."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable, Iterable
from socketserver import ThreadingMixIn
from typing import Any, Final
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from prometheus_client import CollectorRegistry, make_wsgi_app

__all__ = ["Page"]

_log = logging.getLogger("chase_service")

# Readers at a time; others are turned away. Seconds for which one may keep us waiting.
_READERS: Final = 8
_PATIENCE: Final = 5.0
# Seconds between two looks whether it is to end.
_LOOK: Final = 0.1


class _Handler(WSGIRequestHandler):
    timeout = _PATIENCE

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing: each look at the figures would be a line."""


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True

    def __init__(self, family: socket.AddressFamily, address: tuple[Any, ...]) -> None:
        self.address_family = family
        self._free = threading.BoundedSemaphore(_READERS)
        super().__init__(address, _Handler)

    def verify_request(self, request: Any, client_address: Any) -> bool:
        return self._free.acquire(blocking=False)

    def process_request(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request(request, client_address)
        except BaseException:  # no thread could be started, which would give the place back
            self._free.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        _log.debug("a reader of the metrics was given up", exc_info=True)


def _guarded(app: Callable[..., Iterable[bytes]]) -> Callable[..., Iterable[bytes]]:
    """The same with its faults in the log; the library would write them to standard error."""

    def guarded(environ: Any, start_response: Any) -> Iterable[bytes]:
        try:
            return app(environ, start_response)
        except Exception:  # noqa: BLE001 - whatever it is, it ends here
            _log.exception("fault in the metrics")
            start_response("500 Internal Server Error", [])
            return [b""]

    return guarded


class Page:
    """Serves figures until it is closed. It may take a while to look up the address.

    Args:
        host: Where; an address in brackets or a name.
        port: Of it, 0 for a free one.
        registry: What it tells.

    Attributes:
        port: The port.

    Raises:
        OSError: The address is in use or cannot be had.
    """

    def __init__(self, host: str, port: int, registry: CollectorRegistry) -> None:
        name = host.removeprefix("[").removesuffix("]")
        found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _, _, _, address = found[0]
        self._server = _Server(family, address)
        self._server.set_app(_guarded(make_wsgi_app(registry)))
        self.port: int = self._server.server_port
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(_LOOK,), name="chase-metrics", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Ends it; waits for its thread."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
