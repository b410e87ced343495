"""What ends a program when this process ends, in whatever way that is."""

from __future__ import annotations

import subprocess
from typing import Final

__all__ = ["Guard"]

# It waits for a line, or for the end of its input, which comes with the end of this process. It
# outlives what a terminal or an operator sends to all processes at once.
_SCRIPT: Final = 'trap "" HUP INT TERM; read -r over || kill -s KILL -- "-$1"'


class Guard:
    """A process that kills a group of processes unless it is told that they are over.

    Nothing else sees every end: a process that is killed ends nobody, a daemon thread may be in
    the middle of it, and the signal that Linux sends at the death of a parent comes at that of the
    thread that started the child.

    Args:
        group: Number of the group.

    Raises:
        OSError: It does not start.
    """

    def __init__(self, group: int) -> None:
        self._child = subprocess.Popen(
            ["/bin/sh", "-c", _SCRIPT, "sh", str(group)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,
        )

    def close(self) -> None:
        """The group is over."""
        self._child.communicate(b"\n")
