"""Prints side by side what `make bench` measured and wrote into build/bench.json."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def median(row: dict[str, Any]) -> float:
    return float(row["stats"]["median"])


def spread(row: dict[str, Any]) -> str:
    return f"±{50 * row['stats']['iqr'] / median(row):.0f} %"


def main(path: Path) -> None:
    found = json.loads(path.read_text())
    rows: list[dict[str, Any]] = found["benchmarks"]
    cpu = found["machine_info"]["cpu"]
    print(f"{cpu.get('brand_raw', 'unknown processor')}, Python {sys.version.split()[0]}")
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row["group"], []).append(row)
    floor = next(
        (row["extra_info"]["ns_per_node"] for row in rows if row["name"] == "test_floor"), None
    )

    def in_floors(ns: float) -> str:
        return f"{ns / floor:8.2f}" if floor else "       -"

    print("\nperft 5        M decisions/s   ns/decision    ns/node   floors a node")
    for row in groups.get("perft", []):
        info, seconds = row["extra_info"], median(row)
        ns = 1e9 * seconds / info["nodes"]
        print(
            f"{info['rules']:<14} {info['decisions'] / seconds / 1e6:13.1f} "
            f"{1e9 * seconds / info['decisions']:13.3f} {ns:10.1f} "
            f"{in_floors(ns)}   {spread(row)}"
        )

    print("\nplayouts       threads  M decisions/s  k games/s  ns/decision  ns/option  floors")
    for row in groups.get("playouts", []):
        info, seconds = row["extra_info"], median(row)
        ns = 1e9 * seconds / info["decisions"]
        print(
            f"{info['rules']:<14} {info['threads']:7d} {info['decisions'] / seconds / 1e6:14.2f} "
            f"{info['games'] / seconds / 1e3:10.1f} {ns:12.1f} "
            f"{1e9 * seconds / info['options']:10.3f} {in_floors(ns)}   {spread(row)}"
        )

    print("\nsearches")
    for row in groups.get("nodes", []) + groups.get("simulations", []):
        info, seconds = row["extra_info"], median(row)
        unit, rate = ("sims", 1e3) if "sims" in info else ("nodes", 1e6)
        prefix = "k" if unit == "sims" else "M"
        print(f"{info['player']:<36} {info[unit] / seconds / rate:8.2f} {prefix} {unit}/s")
    for row in groups.get("depth", []):
        print(f"{row['extra_info']['player']:<36} {median(row):8.2f} s")

    print("\ncalls from Python")
    for row in groups.get("calls", []):
        info = row["extra_info"]
        us = 1e6 * median(row) / info["calls"]
        print(f"{info['statement']:<24} {us:8.3f} us   {spread(row)}")
    for row in groups.get("import", []):
        print(f"import chase_fast adds   {row['extra_info']['added_ms']:8.1f} ms to import numpy")

    print("\npeers")
    for row in groups.get("peers", []):
        info = row["extra_info"]
        if "ns_per_node" in info:
            print(f"60 ray tests in C (the floor) {info['ns_per_node']:8.1f} ns")
        else:
            print(
                f"Stockfish, Kiwipete perft 5   "
                f"{info['decisions'] / median(row) / 1e6:8.1f} M leaves/s   {spread(row)}"
            )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
