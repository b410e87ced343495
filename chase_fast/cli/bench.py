"""``chase-fast bench``: how fast this machine is, and a number that identifies behaviour."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Annotated, TypeVar

import numpy as np
import typer

import chase_fast as cf
from chase_fast.batch import MAX_THREADS
from chase_fast.cli.options import JsonOption, integer, read_rules
from chase_fast.cli.output import Column, count, note, say, say_json, say_table, si
from chase_fast.cli.progress import Bar

T = TypeVar("T")

RULES = (
    "standard",
    "reserve=0",
    "reserve=2",
    "reserve=6",
    "reserve=16",
    "recycle=no",
    "chain=yes",
    "handout=any",
)
"""The rules that are measured, and under which the signature is taken, in this order."""

# What the signature is taken of: rules and, but for the start, a position. Every option of R12 is
# in it, pips due, and as many dice as there can be.
_SIGNATURE_WORK = (
    *((text, None) for text in RULES),
    ("wrap=no", None),
    ("ricochet=no", None),
    # Nine dice of value 1 wander about for long enough to repeat a position.
    ("setup=111111111,reserve=0", None),
    ("setup=111111111,reserve=0,repetition=none", None),
    ("setup=111111111,reserve=0,repetition=moves", None),
    ("setup=211151112,reserve=3,chain=yes", None),
    ("standard", "abcdedcba/9/9/9/3B5/5A3/9/9/C1C1C1D2 r - 4/1"),
    ("reserve=16", "AaAaAaAaA/aAaAaAaAa/AaAaAaAaA/9/9/aAaAaAaAa/AaAaAaAaA/aAaAa4/9 r - 0/0"),
)
_SIGNATURE_DEPTH = 3
_SIGNATURE_GAMES = 100
_SIGNATURE_SEED = 1985
# The board with most dice has more captures than can be played out.
_SIGNATURE_PLAYERS = ("ab:depth=4,nodes=50000", "mcts:sims=200")


@dataclass(frozen=True, slots=True)
class Load:
    """How much is measured.

    Attributes:
        depth: Of perft, in decisions.
        games: Of the playouts.
        repeats: Of both; the fastest counts.
    """

    depth: int
    games: int
    repeats: int


FULL = Load(depth=5, games=50_000, repeats=3)
QUICK = Load(depth=4, games=5_000, repeats=2)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the signature: what was counted under one rule set.

    Attributes:
        rules: Text of the rules.
        cfen: Where it started.
        nodes: Sequences of three decisions.
        decisions: Decisions of the playouts.
        rows: 32 bits of the SHA-256 of everything known about the playouts.
        searched: Nodes of an alpha-beta search of fixed depth and of a tree search.
    """

    rules: str
    cfen: str
    nodes: int
    decisions: int
    rows: int
    searched: int

    @property
    def total(self) -> int:
        """What it adds to the signature."""
        return self.nodes + self.decisions + self.rows + self.searched


@dataclass(frozen=True, slots=True)
class Speed:
    """What was measured under one rule set.

    Attributes:
        rules: Text of the rules.
        nodes: Sequences counted by one perft.
        perft_seconds: What it took.
        games: Random games played.
        decisions: Their decisions.
        options: Their legal decisions.
        playout_seconds: What they took.
    """

    rules: str
    nodes: int
    perft_seconds: float
    games: int
    decisions: int
    options: int
    playout_seconds: float


def bench(
    rules: Annotated[
        list[str] | None,
        typer.Option(
            "--rules",
            "-r",
            metavar="TEXT",
            help="Measure under these rules; may be repeated.",
            show_default="a list",
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Measure less: a second or two.")] = False,
    signature_only: Annotated[
        bool, typer.Option("--signature", help="Print the signature alone; measure nothing.")
    ] = False,
    expect: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=integer("--expect", 0, 2**64 - 1),
            help="Fail if the signature is not N.",
        ),
    ] = None,
    threads: Annotated[
        int,
        typer.Option(
            "--threads",
            "-t",
            metavar="N",
            parser=integer("--threads", 1, MAX_THREADS),
            help="Threads to measure with.",
        ),
    ] = 1,
    json: JsonOption = False,
) -> None:
    """Measure speed, and print the signature of the engine.

    The signature is one number made of perft counts, random games and searches under many rules. It
    changes when the behaviour of the engine changes, and at nothing else: not with the machine, the
    number of threads, the options here, or the speed.
    """
    measured = [read_rules(text) for text in (RULES if rules is None else rules)]
    load = QUICK if quick else FULL
    parts = signature_parts()
    number = sum(part.total for part in parts)
    speeds: list[Speed] = []
    if not signature_only:
        with Bar("measuring", "rule sets") as bar:
            for done, item in enumerate(measured):
                bar.update(done, len(measured), done)
                speeds.append(measure(item, load, threads))
    if json:
        document = {
            "signature": number,
            "expected": expect,
            "parts": [{**asdict(part), "total": part.total} for part in parts],
            "version": cf.__version__,
            "isa": cf.Rules().isa,
            "threads": threads,
            "speeds": [asdict(speed) for speed in speeds],
        }
        say_json(document)
    else:
        if speeds:
            _say_speeds(speeds, threads)
        say(f"signature {number}" if speeds else str(number))
    if expect is not None and number != expect:
        note(f"chase-fast: the signature is {number}, expected {expect}")
        raise typer.Exit(1)


def signature_parts() -> list[Part]:
    """What the signature is the sum of."""
    return [_part(text, cfen) for text, cfen in _SIGNATURE_WORK]


def measure(rules: cf.Rules, load: Load, threads: int) -> Speed:
    """Measures perft and playouts from the start of the rules."""
    start = cf.Position.start(rules)
    nodes, perft_seconds = _fastest(
        load.repeats, lambda: cf.perft(start, load.depth, threads=threads)
    )
    games, playout_seconds = _fastest(
        load.repeats, lambda: cf.playouts(start, load.games, threads=threads)
    )
    return Speed(
        str(rules),
        nodes,
        perft_seconds,
        load.games,
        int(games.decisions.sum(dtype=np.uint64)),
        int(games.options.sum(dtype=np.uint64)),
        playout_seconds,
    )


def _fastest(repeats: int, work: Callable[[], T]) -> tuple[T, float]:
    """The result of some work, and the seconds it took when it was fastest."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - began)
    return result, min(times)


def _part(text: str, cfen: str | None) -> Part:
    rules = cf.Rules.parse(text)
    position = cf.Position.start(rules) if cfen is None else cf.Position.parse(cfen, rules)
    games = cf.playouts(position, _SIGNATURE_GAMES, seed=_SIGNATURE_SEED)
    rows = hashlib.sha256()
    for name in cf.GAME_DTYPE.names or ():
        # Spelled out, so that neither byte order nor the layout of a row shows.
        rows.update(games.array[name].astype("<i8").tobytes())
    return Part(
        text,
        position.cfen,
        cf.perft(position, _SIGNATURE_DEPTH),
        int(games.decisions.sum(dtype=np.uint64)),
        int.from_bytes(rows.digest()[:4], "big"),
        sum(cf.analyse(position, player).nodes for player in _SIGNATURE_PLAYERS),
    )


def _say_speeds(speeds: list[Speed], threads: int) -> None:
    names = ("rules", "perft/s", "ns", "games/s", "decisions/s", "ns", "ns/option")
    say_table(
        [Column(name, align="left" if name == "rules" else "right") for name in names],
        (
            [
                speed.rules,
                si(speed.nodes / speed.perft_seconds),
                f"{1e9 * speed.perft_seconds / speed.nodes:.2f}",
                si(speed.games / speed.playout_seconds),
                si(speed.decisions / speed.playout_seconds),
                f"{1e9 * speed.playout_seconds / speed.decisions:.1f}",
                f"{1e9 * speed.playout_seconds / speed.options:.2f}",
            ]
            for speed in speeds
        ),
    )
    say(f"\ncore {cf.Rules().isa}, {count(threads, 'thread')}; ns are of one decision")
