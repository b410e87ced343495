"""What was made of files, made anew when they have changed; knows nothing of what that is."""

from __future__ import annotations

import logging
import os
import stat
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Generic, NamedTuple, TypeVar

__all__ = ["Content", "FileError", "Reloaded"]

_log = logging.getLogger("chase_service")

T = TypeVar("T")

# Clocks of file systems tick in milliseconds: of two changes within a tick the second one leaves
# the times as they are. So times that are younger than this, in nanoseconds, are not relied on.
_SETTLED: Final = 1_000_000_000


class FileError(Exception):
    """A file of the operator that cannot be used: which, where in it, and why not."""


class Content(NamedTuple):
    """A file as it was read.

    Attributes:
        path: Where.
        data: What stands in it.
        mode: Its permissions, such as 0o600.
    """

    path: Path
    data: bytes
    mode: int


class Reloaded(Generic[T]):
    """What was made of some files; what cannot be used leaves it as it was, and is logged.

    Args:
        name: Of it, for the log.
        paths: Of the files.
        make: Makes it of them, in their order. May be called from any thread, once at a time.

    Raises:
        FileError: From `make`, or a file cannot be read. Only here; later ones are logged.
    """

    def __init__(
        self, name: str, paths: Sequence[Path], make: Callable[[Sequence[Content]], T]
    ) -> None:
        self._name = name
        self._paths = tuple(paths)
        self._make = make
        self._lock = threading.Lock()
        self._stamps = self._stamps_now()
        self._seen = self._read()
        if isinstance(self._seen, str):
            raise FileError(self._seen)
        self._value = make(self._seen)

    def value(self) -> T:
        """It as it is now. Costs a look at each file; safe to call from any thread."""
        with self._lock:
            self._look()
            return self._value

    def _look(self) -> None:
        stamps = self._stamps_now()
        if stamps is not None and stamps == self._stamps:
            return
        self._stamps = stamps
        seen = self._read()
        if seen == self._seen:
            return
        self._seen = seen
        try:
            if isinstance(seen, str):
                raise FileError(seen)
            self._value = self._make(seen)
        except FileError as error:
            _log.warning("%s: %s; what was there before stays in use", self._name, error)
        except Exception:  # noqa: BLE001 - as promised, whatever a library made of the file
            _log.exception("%s: what was there before stays in use", self._name)
        else:
            _log.info("%s: taken up anew", self._name)

    def _stamps_now(self) -> tuple[tuple[int, ...], ...] | None:
        """What changes when a file does; None if that cannot be relied on yet."""
        try:
            found = [path.stat() for path in self._paths]
        except OSError:
            return None
        if any(time.time_ns() - one.st_ctime_ns < _SETTLED for one in found):
            return None
        return tuple((one.st_dev, one.st_ino, one.st_size, one.st_ctime_ns) for one in found)

    def _read(self) -> tuple[Content, ...] | str:
        """What stands in them, or why one cannot be read."""
        contents: list[Content] = []
        for path in self._paths:
            try:
                with path.open("rb") as file:
                    mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
                    contents.append(Content(path, file.read(), mode))
            except OSError as error:
                return f"cannot read {path}: {error.strerror}"
        return tuple(contents)
