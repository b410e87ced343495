"""Runs what is named, or everything."""

from __future__ import annotations

import sys

from tests.bench.service import calls

MEASURES = {"unary": calls.unary, "batches": calls.batches, "playouts": calls.playouts}


def main(names: list[str]) -> None:
    for name in names or MEASURES:
        MEASURES[name]()
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
