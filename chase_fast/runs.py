"""Runs from their settings to their folder and back: begin, resume, read again."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from chase_fast._core import Rules, Side, StopFlag
from chase_fast._version import __version__
from chase_fast.agents.weights import load_weights
from chase_fast.cells import TERMINATIONS, Cell, replay
from chase_fast.errors import ArgumentError, ChaseError, NotationError, StoreError
from chase_fast.game import Outcome
from chase_fast.openingset import OpeningSet
from chase_fast.record import Record
from chase_fast.runner import Plan
from chase_fast.store import Run, write_whole

__all__ = ["Settings", "begin", "engine_facts", "load_plan", "machine", "opened", "records"]

_OPENINGS: Final = "openings-{}.txt"


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run is: all that its results depend on, and how it was asked for.

    Attributes:
        kind: ``balance``, ``tournament``, ...
        plan: What is played.
        seed: Of the run.
        options: Further choices of this kind of run, JSON-able.
        command: The words of a command line that repeats it.
    """

    kind: str
    plan: Plan
    seed: int
    options: Mapping[str, Any] = field(default_factory=dict)
    command: Sequence[str] = ()

    def identity(self, stop: StopFlag | None = None) -> dict[str, Any]:
        """What two runs share that are the same run.

        Raises:
            StoppedError: The flag was set.
        """
        plan = self.plan
        return {
            "kind": self.kind,
            "seed": self.seed,
            "pairs": plan.pairs,
            "turns": plan.turns,
            "moves": plan.moves,
            "checkpoint": plan.checkpoint,
            "options": dict(self.options),
            "reproducible": all(cell.reproducible for cell in plan.cells),
            "openings": [
                {
                    "file": _OPENINGS.format(number),
                    "turns": openings.turns,
                    "count": len(openings),
                    "sha256": openings.digest(stop),
                    "source": openings.source,
                    "candidates": openings.candidates,
                    "unbalanced": openings.unbalanced,
                }
                for number, openings in enumerate(plan.openings)
            ],
            "cells": [cell.describe() for cell in plan.cells],
            "digests": {cell.variant: cell.rules.digest for cell in plan.cells},
            "weights": _weights(plan.cells),
        }


def _weights(cells: Sequence[Cell]) -> dict[str, dict[str, str]]:
    """Name and hash of the weight file that each player uses under each variant."""
    found: dict[str, dict[str, str]] = {}
    for cell in cells:
        for player in (cell.a, cell.b):
            if player.kind in ("random", "ext"):
                continue
            weights = load_weights(cell.rules, player.get("weights"))
            digest = hashlib.sha256(repr(weights.values).encode()).hexdigest()[:16]
            found.setdefault(cell.variant, {})[str(player)] = f"{weights.name} {digest}"
    return found


def engine_facts() -> dict[str, Any]:
    """Version, commit, instruction set and Python of this program."""
    return {
        "version": __version__,
        "commit": _commit(),
        "isa": Rules().isa,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "pyarrow": pa.__version__,
    }


def _commit() -> str | None:
    """The commit that this is a checkout of, or None where it is none."""
    folder = Path(__file__).resolve().parents[1]
    if not (folder / ".git").exists() or shutil.which("git") is None:
        return None
    try:
        found = subprocess.run(
            ["git", "-C", str(folder), "describe", "--always", "--dirty", "--abbrev=12"],
            capture_output=True, text=True, timeout=10, check=True,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip() or None


def machine() -> str:
    """This machine in a few words, without its name."""
    cpus = os.cpu_count() or 1
    return f"{platform.system()} {platform.machine()}, {cpus} processors"


@contextmanager
def begin(
    folder: Path | None,
    settings: Settings,
    *,
    resume: bool = False,
    stop: StopFlag | None = None,
) -> Iterator[Run]:
    """The run of some settings, ready to be played on.

    Args:
        folder: Missing or empty; or that of the same run, with `resume`. None: a temporary one.
        settings: Of the run.
        resume: Whether to go on with what the folder holds, if it holds something.
        stop: Ends it before there is a run: to write very many openings takes a while.

    Yields:
        The run, opened for writing and swept. Damaged files are named in `Run.damaged`.

    Raises:
        StoppedError: The flag was set.
        StoreError: The folder holds something else.
        OSError: It cannot be written.
    """
    if folder is None:
        with (
            tempfile.TemporaryDirectory(prefix="chase-fast-") as name,
            _created(Path(name), settings, stop) as run,
        ):
            yield run
        return
    if resume and Run.exists(folder):
        with Run.open(folder, write=True) as run:
            _compare(run, settings, stop)
            _check_openings(run, settings, stop)
            run.damaged = run.sweep()
            yield run
        return
    with _created(folder, settings, stop) as run:
        yield run


def _created(folder: Path, settings: Settings, stop: StopFlag | None) -> Run:
    description = {
        **settings.identity(stop),
        "command": list(settings.command),
        "created": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "engine": engine_facts(),
        "machine": machine(),
    }
    files = {
        _OPENINGS.format(number): openings.text(stop).encode()
        for number, openings in enumerate(settings.plan.openings)
    }
    return Run.create(folder, description, files)


def _check_openings(run: Run, settings: Settings, stop: StopFlag | None) -> None:
    """StoreError if an openings file has changed; one that is missing is written again."""
    for number, openings in enumerate(settings.plan.openings):
        path = run.folder / _OPENINGS.format(number)
        data = openings.text(stop).encode()
        if not path.exists():
            write_whole(path, data)
        elif path.read_bytes() != data:
            raise StoreError(_changed(path))


def _changed(path: Path) -> str:
    return (
        f"{path} is not what the run was begun with: its hash has changed; move it away, and "
        "--resume writes it again"
    )


def _compare(run: Run, settings: Settings, stop: StopFlag | None) -> None:
    engine = run.description.get("engine")
    version = engine.get("version") if isinstance(engine, dict) else None
    if version != __version__:
        raise StoreError(
            f"{run.folder} holds a run begun with chase-fast {version}, this is {__version__}: "
            "their games need not be the same"
        )
    wanted = json.loads(json.dumps(settings.identity(stop)))
    for name, value in wanted.items():
        if run.description.get(name) != value:
            where, found, asked = _difference(name, run.description.get(name), value)
            raise StoreError(
                f"{run.folder} holds another run: its {where} is {_short(found)}, asked for is "
                f"{_short(asked)}"
            )


def _difference(name: str, found: Any, wanted: Any) -> tuple[str, Any, Any]:
    """The first difference of two values from JSON, however deep: where it is, and both sides."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        for key in [*wanted, *found]:
            if found.get(key) != wanted.get(key):
                return _difference(f"{name}.{key}", found.get(key), wanted.get(key))
    if isinstance(found, list) and isinstance(wanted, list):
        if len(found) != len(wanted):
            return f"number of {name}", len(found), len(wanted)
        for number, (one, other) in enumerate(zip(found, wanted, strict=True)):
            if one != other:
                return _difference(f"{name}[{number}]", one, other)
    return name, found, wanted


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else text[:300] + " ..."


@contextmanager
def opened(folder: Path, kind: str | None = None) -> Iterator[tuple[Run, Plan]]:
    """A run to be read, and what it plays.

    Args:
        folder: Of the run.
        kind: What it has to be; None: anything.

    Yields:
        Run and plan.

    Raises:
        StoreError: It holds no run, or none of this kind.
    """
    with Run.open(folder, write=False) as run:
        found = run.description.get("kind")
        if kind is not None and found != kind:
            raise StoreError(f"{folder} holds a run of kind {found}, not {kind}")
        yield run, load_plan(run)


def load_plan(run: Run) -> Plan:
    """What a run plays, from its folder.

    Raises:
        StoreError: An openings file is missing or not the one that the run was begun with; or
            run.json does not tell what is played.
    """
    try:
        return _load_plan(run)
    except (ChaseError, LookupError, TypeError, AttributeError) as error:
        if isinstance(error, StoreError):
            raise
        what = f"there is no {error}" if isinstance(error, KeyError) else error
        raise StoreError(f"{run.folder / 'run.json'} is damaged: {what}") from None


def _load_plan(run: Run) -> Plan:
    description = run.description
    cells = [Cell.from_description(one) for one in description["cells"]]
    sets = []
    for number, known in enumerate(description["openings"]):
        path = run.folder / known["file"]
        rules = [cell.rules for cell in cells if cell.openings == number]
        try:
            openings = _read_openings(path, rules, known["turns"])
        except OSError as error:
            raise StoreError(f"{path} cannot be read: {error.strerror}") from None
        except NotationError as error:
            raise StoreError(f"{_changed(path)} ({error})") from None
        if openings.sha256 != known["sha256"]:
            raise StoreError(_changed(path))
        sets.append(openings)
    return Plan(
        cells, sets, description["pairs"], turns=description["turns"],
        moves=description["moves"], checkpoint=description["checkpoint"],
    )  # fmt: skip


def _read_openings(path: Path, rules: Sequence[Rules], turns: int) -> OpeningSet:
    if turns == 0:
        return OpeningSet.generate(rules, 1, turns=0)
    return OpeningSet.read(path, rules)


def records(run: Run, plan: Plan, *, most: int | None = None) -> Iterator[Record]:
    """The records of all games, in order of cell, opening and game.

    A record begins where the opening ends; the opening stands in its tags.

    Args:
        run: Opened.
        plan: What it plays.
        most: Ends after so many.

    Raises:
        StoreError: A file is damaged.
        ArgumentError: A game whose moves were not kept and that cannot be repeated.
    """
    number = 0
    for chunk, rows in run.read("games"):
        cell = plan.cells[chunk.cell]
        for row in rows.to_pylist():
            if most is not None and number >= most:
                return
            number += 1
            yield record_of(cell, plan.openings[cell.openings], row)


def record_of(cell: Cell, openings: OpeningSet, row: Mapping[str, Any]) -> Record:
    """The record of a row of ``games``.

    Raises:
        ArgumentError: Its moves were not kept and it cannot be repeated.
    """
    game = replay(cell, openings, row["opening"], row["game"], row["moves"])
    winner = None if row["winner"] < 0 else Side(row["winner"])
    if len(game.moves) != row["decisions"]:
        raise ArgumentError(
            f"game {row['game']} of opening {row['opening']} has {len(game.moves)} decisions when "
            f"played again, {row['decisions']} in its row"
        )
    first = openings.codes[row["opening"] : row["opening"] + 1]
    line = next(OpeningSet(openings.turns, first, "").lines())
    tags = {
        "Variant": cell.variant,
        "Opening": line,
        "Pair": str(row["opening"]),
        "Game": str(row["game"]),
        "Seed": str(row["seed"]),
    }
    if cell.group:
        tags["Group"] = cell.group
    return game.to_record(
        red=row["red"],
        blue=row["blue"],
        outcome=Outcome(winner, TERMINATIONS[row["termination"]]),
        tags=tags,
        comment=row["fault"] or "",
    )


def command_line(words: Sequence[str]) -> str:
    """The words of a command line as a shell reads them."""
    return shlex.join(words)
