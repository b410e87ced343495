"""Runs what is named, or everything, which takes a quarter of an hour."""

from __future__ import annotations

import sys

from tests.bench.service import calls, load

MEASURES = {
    "unary": calls.unary,
    "batches": calls.batches,
    "playouts": calls.playouts,
    "beside": load.beside_jobs,
    "overload": load.overload,
    "leak": load.leak,
    "soak": load.soak,
}


def main(names: list[str]) -> None:
    for name in names or MEASURES:
        MEASURES[name]()
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
