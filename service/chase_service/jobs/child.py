"""The process that makes the files of a job (`finish`), seen from the server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from typing import IO, Any, Final, NamedTuple

__all__ = ["DISK_FULL", "Child", "Told"]

DISK_FULL: Final = os.EX_TEMPFAIL
"""Status of a process for which the disk was full: it may be better later."""

_CHUNK: Final = 1 << 16
# Bytes of the end of its error output that are kept: a traceback ends with what was wrong, and a
# line of the log takes no more.
_KEPT: Final = 16_000


class Told(NamedTuple):
    """What came of it.

    Attributes:
        files: Name, length and hash of each; None if it was ended or failed.
        said: The end of its error output.
        full: Whether it failed since the disk is full.
    """

    files: list[dict[str, Any]] | None
    said: str
    full: bool


class Child:
    """A process that has been started; see `chase_service.jobs.finish`.

    Raises:
        OSError: It does not start.
    """

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            # Nothing is imported from the folder that the server was started in.
            [sys.executable, "-P", "-m", "chase_service.jobs.finish"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self._said = b""
        # Read as it comes, since who does not read holds it up.
        self._reader = threading.Thread(target=self._listen, args=(self._process.stderr,))
        self._reader.start()

    def _listen(self, stream: IO[bytes]) -> None:
        while chunk := stream.read(_CHUNK):
            self._said = (self._said + chunk)[-_KEPT:]

    def kill(self) -> None:
        """Ends it. From any thread."""
        self._process.kill()

    def ask(self, asked: dict[str, Any]) -> Told:
        """Waits for what it makes of a request."""
        process = self._process
        assert process.stdin is not None and process.stdout is not None
        answer = b""
        try:
            with process:
                try:
                    process.stdin.write(json.dumps(asked).encode() + b"\n")
                    process.stdin.flush()
                    # To its end: when its input ends before that, it ends as if it were orphaned.
                    answer = process.stdout.read()
                finally:
                    self._reader.join()
        except BrokenPipeError:
            pass  # it was killed
        return Told(
            json.loads(answer) if answer and not process.returncode else None,
            self._said.decode("utf-8", "replace").strip(),
            process.returncode == DISK_FULL,
        )
