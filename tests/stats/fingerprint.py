"""Prints the project's own fingerprint of random play as a Markdown table.

Run it by `python -m tests.stats.fingerprint`. Figures are means over games with one standard error.
"""

from __future__ import annotations

import sys

import numpy as np

import chase_fast as cf
from tests.stats.test_fingerprint import mean, measure

GAMES = 100_000
SEED = 1
RULE_SETS = [
    "standard",
    "rulebook",
    "russian",
    "wikipedia",
    "reserve=0",
    "reserve=2",
    "reserve=3",
    "reserve=6",
    "reserve=7",
    "reserve=16",
    "recycle=no",
    "repetition=moves",
    "wrap=no",
    "ricochet=no",
]
# Name, title, scale, digits: two tables, each narrow enough to read.
TABLES = [
    [
        ("decisions", "decisions", 1, 1),
        ("turns", "turns", 1, 1),
        ("options per decision", "options per decision", 1, 3),
        ("distributions", "distributions, %", 100, 2),
        ("red score", "red score, %", 100, 2),
        ("repetitions", "repetitions, %", 100, 3),
    ],
    [
        ("splits", "splits", 1, 3),
        ("refused_splits", "refused splits", 1, 3),
        ("whole_exits", "whole exits", 1, 3),
        ("captures", "captures", 1, 2),
        ("double captures", "double captures", 1, 4),
        ("bumps", "bumps", 1, 2),
        ("exchanges", "exchanges", 1, 2),
        ("ricochets", "ricochets", 1, 2),
        ("wraps", "wraps", 1, 2),
    ],
]


def cell(played: cf.Playouts, name: str, scale: float, digits: int) -> str:
    if name == "repetitions":
        # The tests know this one's error from elsewhere; here it is the sample's own.
        ended = played.termination == cf.Termination.REPETITION
        value, error = mean(ended.astype(np.float64))
    else:
        value, error = measure(played, name)
    return f"{scale * value:.{digits}f} ± {scale * error:.{digits}f}"


def main() -> None:
    rows: list[list[str]] = [[] for _ in TABLES]
    for rules in RULE_SETS:
        start = cf.Position.start(cf.Rules.parse(rules))
        played = cf.playouts(start, GAMES, seed=SEED, threads=2, max_turns=cf.MAX_TURN_LIMIT)
        for table, lines in zip(TABLES, rows, strict=True):
            cells = [cell(played, name, scale, digits) for name, _, scale, digits in table]
            lines.append(f"| `{rules}` | " + " | ".join(cells) + " |")
        print(f"{rules} done", file=sys.stderr)
    for table, lines in zip(TABLES, rows, strict=True):
        print("| a game of | " + " | ".join(title for _, title, _, _ in table) + " |")
        print("|---|" + "---:|" * len(table))
        print("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
