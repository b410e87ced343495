"""Whether there is room for one more job, and what callers are told where the disk has none."""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from chase_service.refusal import Reason, Refusal

__all__ = ["RETRY_SECONDS", "Room", "disk"]

_log = logging.getLogger("chase_service")

RETRY_SECONDS: Final = 5.0
"""After which it may be otherwise."""

_MIB: Final = 1 << 20
# Codes of SQLite for what is the disk's fault; all others would be ours.
_DISK: Final = frozenset(
    {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What jobs may take.

    Attributes:
        most: Jobs that may be under way or wait.
        kept: Jobs that may be there, those that have ended among them.
        free_mib: MiB that have to be free on the disk.
    """

    most: int
    kept: int
    free_mib: int

    def check(self, under_way: int, known: int, folder: Path) -> None:
        """Refuses one more job.

        Args:
            under_way: Jobs under way or waiting.
            known: All jobs.
            folder: Of the jobs.

        Raises:
            Refusal: OVERLOADED; KEPT_JOBS; STORAGE.
            OSError: The disk fails.
        """
        if under_way >= self.most:
            message = f"{self.most} jobs are under way or wait, the limit jobs of this server"
            raise Refusal(Reason.OVERLOADED, message, retry_after=RETRY_SECONDS)
        if known >= self.kept:
            raise Refusal(
                Reason.KEPT_JOBS,
                f"{self.kept} jobs are kept, the limit kept_jobs of this server; delete some that "
                "have ended",
            )
        disk_of = os.statvfs(folder)
        if disk_of.f_bavail * disk_of.f_frsize < self.free_mib * _MIB:
            raise Refusal(
                Reason.STORAGE,
                f"less than {self.free_mib} MiB are free for jobs on this server; delete some that "
                "have ended, or try again later",
                retry_after=RETRY_SECONDS,
            )


@contextmanager
def disk() -> Iterator[None]:
    """Makes a refusal of what the disk does wrong in a block.

    Raises:
        Refusal: STORAGE.
    """
    try:
        yield
    except (OSError, sqlite3.OperationalError) as error:
        code: int | None = getattr(error, "sqlite_errorcode", None)
        # The lower byte is the kind, those above say more.
        if code is not None and code & 0xFF not in _DISK:
            raise
        _log.exception("the disk of the jobs fails")
        raise Refusal(
            Reason.STORAGE,
            "the disk of the server is full or fails; try again later",
            retry_after=RETRY_SECONDS,
        ) from None
