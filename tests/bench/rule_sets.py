"""The rule sets that are measured side by side, and what is known of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import chase_fast as cf

VECTORS = Path(__file__).parents[1] / "golden" / "vectors"

RULE_SETS = [
    "standard",
    "reserve=0",
    "reserve=2",
    "reserve=6",
    "reserve=16",
    "recycle=no",
    "chain=yes",
    "handout=any",
]

# Perft 5 from the start in decisions. The first four depths are in the vectors and in R12's text;
# this one was counted by both kernels and by the sum over the first decisions.
STANDARD_PERFT_5 = 192_299_474


def start(rules: str) -> cf.Position:
    """The start under these rules, once its perft agrees with the vectors where they have it."""
    parsed = cf.Rules.parse(rules)
    position = cf.Position.start(parsed)
    tables: list[dict[str, Any]] = json.loads((VECTORS / "perft.json").read_text())
    for table in tables:
        if table["cfen"] == position.cfen and cf.Rules(**table["rules"]) == parsed:
            for depth, count in enumerate(table["decisions"], start=1):
                assert cf.perft(position, depth) == count
    return position
