"""Commands that are run within the process of a test, and positions to run them on."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

SPLIT = "abcdedcba/9/9/9/3B5/5A3/9/9/C1C1C1D2 r"
OVER = "2bE2E1E/9/b1E1c2c1/2bcE3c/3b5/9/9/5c3/3b5 r - 5/0"
# Under chain=yes blue may capture twice in a row.
SERIES = ("fefdB3d/1F7/9/9/5BD2/A8/9/9/3CD3C b", "i4SE", "e6")


class Done(NamedTuple):
    """What a command said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document on standard output."""
        return json.loads(self.out)


Cli = Callable[..., Done]
