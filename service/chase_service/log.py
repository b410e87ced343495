"""The log of a server: one line a call and one for each other event, as JSON or for people.

The event loop never waits for whoever reads the log. Records are put into a bounded list; a thread
makes lines of them and writes these. What does not fit is lost, and counted.
"""

from __future__ import annotations

import json
import logging
import os
import select
import sys
import threading
import traceback
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import unquote

from chase_service.watch import Ended

__all__ = ["CallLog", "JsonFormatter", "LineHandler", "TextFormatter", "logged"]

_CALLS: Final = "chase_service.calls"

# Records that may wait; some 5 MB of them.
_MOST: Final = 10_000
# Seconds for which lines are gathered: a thread that woke for each would cost the loop more.
_GATHERED: Final = 0.05
# Seconds that the reader gets for what is left at the end.
_LAST_SECONDS: Final = 1.0
# Characters of one value: tracebacks can be endless.
_LONGEST: Final = 20_000
# Lines written at a time: for half a millisecond the loop may have to wait for the interpreter.
_TOGETHER: Final = 50


# What a record can be about, beside its message.
_ABOUT: Final = ("call", "job")


class CallLog:
    """A `Watcher` that logs each call when it has ended; faults as errors, all else as infos."""

    def __init__(self) -> None:
        self._logger = logging.getLogger(_CALLS)

    def items(self, method: str, items: int, failed: int) -> None:
        """See `Watcher`."""

    def ended(self, call: Ended) -> None:
        """See `Watcher`."""
        level = logging.ERROR if call.code == "INTERNAL" else logging.INFO
        if self._logger.isEnabledFor(level):
            # Made here, since the usual way looks for the line of the caller, which takes longer.
            # The call itself is the message: it becomes text in the thread that writes.
            self._logger.handle(logging.LogRecord(_CALLS, level, "", 0, call, None, None))


def _time(record: logging.LogRecord) -> str:
    time = datetime.fromtimestamp(record.created, UTC).replace(tzinfo=None)
    return time.isoformat(timespec="milliseconds") + "Z"


def _address(peer: str) -> str:
    """As people write it: gRPC has ``ipv4:127.0.0.1:5`` and ``ipv6:%5B::1%5D:5``."""
    return unquote(peer.removeprefix("ipv4:").removeprefix("ipv6:"))


def _traceback(record: logging.LogRecord) -> str:
    if record.exc_info is None or record.exc_info[0] is None:
        # That of another process is a text.
        return str(record.__dict__.get("traceback", ""))
    return "".join(traceback.format_exception(*record.exc_info)).rstrip()


class JsonFormatter(logging.Formatter):
    """A record as one line of JSON in ASCII, whatever stands in it."""

    def format(self, record: logging.LogRecord) -> str:
        """See `logging.Formatter`."""
        line: dict[str, Any] = {"time": _time(record), "level": record.levelname.lower()}
        call: object = record.msg
        if isinstance(call, Ended):
            line |= {
                "message": "call",
                "call": call.number,
                "method": call.method,
                "peer": _address(call.peer),
                "client": call.client,
                "code": call.code,
                "reason": call.reason,
                "milliseconds": round(call.seconds * 1e3, 3),
                "request_bytes": call.request_bytes,
                "response_bytes": call.response_bytes,
                "items": call.items,
                "failed": call.failed,
            }
        else:
            line |= {"message": record.getMessage(), "logger": record.name}
            line |= {name: record.__dict__[name] for name in _ABOUT if name in record.__dict__}
            if fault := _traceback(record):
                line["traceback"] = fault
        return json.dumps(
            {name: value[:_LONGEST] if isinstance(value, str) else value
             for name, value in line.items()}
        )  # fmt: skip


class TextFormatter(logging.Formatter):
    """A record for people: its time, its level, its message, and the traceback of a fault."""

    def format(self, record: logging.LogRecord) -> str:
        """See `logging.Formatter`."""
        parts = (record.getMessage(), _traceback(record))
        text = "\n".join(part[:_LONGEST] for part in parts if part)
        shown = "".join(
            letter if letter.isprintable() or letter == "\n" else "?" for letter in text
        )
        return f"{_time(record)} {record.levelname} {shown}"


class LineHandler(logging.Handler):
    """Writes records to a file descriptor, in a thread of its own.

    Unlike the queue of the standard library it ends although nobody reads, and writes many lines at
    a time.

    Args:
        descriptor: Where lines go; closed at the end.
        formatter: Makes them.
        most: Records that may wait.

    Attributes:
        lost: Records that found no room, and lines that could not be written.
    """

    def __init__(self, descriptor: int, formatter: logging.Formatter, *, most: int = _MOST) -> None:
        super().__init__()
        self.setFormatter(formatter)
        self.lost = 0
        self._told = 0
        self._descriptor: int | None = descriptor
        self._most = most
        self._waiting: deque[logging.LogRecord] = deque()
        self._wake = threading.Event()
        self._closing = threading.Event()
        self._thread = threading.Thread(
            target=self._write_all, args=(descriptor,), name="chase-log", daemon=True
        )
        self._thread.start()

    @property
    def waiting(self) -> int:
        """Records that wait."""
        return len(self._waiting)

    def emit(self, record: logging.LogRecord) -> None:
        """Takes a record in, or counts it as lost. Called by one thread at a time."""
        if len(self._waiting) >= self._most:
            self.lost += 1
            return
        self._waiting.append(record)
        if not self._wake.is_set():
            self._wake.set()

    def close(self) -> None:
        """Writes what is left, as far as somebody reads it."""
        self._closing.set()
        self._wake.set()
        self._thread.join(_LAST_SECONDS)
        if self._descriptor is not None and not self._thread.is_alive():
            os.close(self._descriptor)
            self._descriptor = None
        super().close()

    def _write_all(self, descriptor: int) -> None:
        last = False
        while not last:
            self._wake.wait()
            self._closing.wait(_GATHERED)
            self._wake.clear()
            # Asked before the lines are taken: what came before the end is among them.
            last = self._closing.is_set()
            while lines := self._lines():
                if not _written(descriptor, "".join(lines).encode()):
                    self.acquire()
                    self.lost += len(lines)
                    self._told += len(lines)
                    self.release()

    def _lines(self) -> list[str]:
        """The next lines, and one that tells how many were lost since that was told."""
        lines: list[str] = []
        while self._waiting and len(lines) < _TOGETHER:
            lines.append(self._line(self._waiting.popleft()))
        if lost := self.lost - self._told:
            self._told += lost
            message = "%d lines of the log were lost: it is not read fast enough"
            lines.append(self._line(_warning(__name__, message, lost)))
        return lines

    def _line(self, record: logging.LogRecord) -> str:
        try:
            return self.format(record) + "\n"
        except Exception:  # noqa: BLE001 - of a message that does not fit its arguments, say
            return self.format(_warning(record.name, "a record without a text")) + "\n"


def _warning(name: str, message: str, *args: object) -> logging.LogRecord:
    return logging.LogRecord(name, logging.WARNING, "", 0, message, args, None)


def _written(descriptor: int, data: bytes) -> bool:
    """Whether all of it was written; waits while nobody reads."""
    while data:
        try:
            data = data[os.write(descriptor, data) :]
        except BlockingIOError:
            # Somebody who shares it has made it so that it does not block.
            poll = select.poll()
            poll.register(descriptor, select.POLLOUT)
            poll.poll()
        except OSError:
            return False  # the reader is gone, or the disk is full
    return True


@contextmanager
def logged(formatter: logging.Formatter, level: str) -> Iterator[LineHandler]:
    """Sends all records of the process to standard error, for the time of a block.

    Args:
        formatter: Makes lines of them.
        level: Name of that of the least important ones.
    """
    handler = LineHandler(_standard_error(), formatter)
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(level)
    logging.captureWarnings(capture=True)
    try:
        yield handler
    finally:
        logging.captureWarnings(capture=False)
        root.setLevel(before)
        root.removeHandler(handler)
        handler.close()


def _standard_error() -> int:
    """A descriptor of its own, so that nothing else that is opened can take its number."""
    with suppress(AttributeError, OSError, ValueError):  # it is closed, or no file
        return os.dup(sys.stderr.fileno())
    return os.open(os.devnull, os.O_WRONLY)
