"""``python -m chase_fast.demo``: what four rule variants do to the game, in about a minute.

A balance run as ``chase-fast balance`` plays it, on all processors, with its report. Fits into 80
columns, with and without colour.
"""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
import time
from pathlib import Path

import chase_fast as cf
from chase_fast.agents import PlayerSpec
from chase_fast.balance import BalanceOptions, play_balance
from chase_fast.batch import processors
from chase_fast.cli.balance import command_words, say_balance, watcher
from chase_fast.cli.progress import Bar
from chase_fast.errors import ChaseError
from chase_fast.report import write_report
from chase_fast.runs import command_line
from chase_fast.store import Run

VARIANTS = ("standard", "reserve=0", "reserve=2", "chain=yes")
PLAYERS = ("ab:nodes=100", "ab:nodes=1000")
PAIRS = 1400
SEED = 1986
FOLDER = Path("build") / "demo"
WIDTH = 80

_WORDS = """\
Reserve is the number of spare dice of each side at the start, 1 in the standard game: a die that
enters the chamber, the cell in the middle, splits in two only if its side has one. With chain=yes a
die that has captured may capture again. All variants are played on the same openings, four random
turns each, by a search of so many nodes (nodes=) against itself; a score is that of red, who
begins. In brackets stands what holds with 95 % confidence. 'Undecided' means that so few games
cannot tell, 'equivalent' that a difference of two points or more has been ruled out."""

_FURTHER = """\
Where to go on (in a clone, after `. .venv/bin/activate`):
  chase-fast --help                      all commands
  chase-fast play                        play against it in the terminal
  chase-fast show --play 'a5NE i5SE'     a position and the last decision
  chase-fast playout 100000 -r standard -r chain=yes
                                         two rule sets by random games
  chase-fast plan --effect 2             how many games it takes to see 2 points
  docs/rules.md, docs/balance.md, docs/python.md"""


def main() -> None:
    """Plays, compares, and writes the report."""
    threads = processors()
    print(
        f"Chase Fast {cf.__version__}: {len(VARIANTS)} variants, {len(PLAYERS)} strengths, "
        f"{PAIRS} common openings.\nSeed {SEED}, threads: {threads}, core: {cf.Rules().isa}. "
        "About a minute on two processors.\n"
    )
    print(textwrap.fill(_WORDS, WIDTH) + "\n", flush=True)
    options = BalanceOptions(
        variants=[cf.Rules.parse(text) for text in VARIANTS],
        players=[PlayerSpec.parse(text) for text in PLAYERS],
        pairs=PAIRS,
        seed=SEED,
        levels=("outcome", "turns"),
        sensitivity=0,
    )
    _make_room(FOLDER)
    began = time.perf_counter()
    words = command_words(options, FOLDER)
    with Bar("playing", "decisions") as bar:
        bar.update(0, None, 0)
        result = play_balance(
            options, workers=threads, out=FOLDER, watch=watcher(bar), command=words
        )
        took = time.perf_counter() - began
        report = write_report(result.document, FOLDER)
    say_balance(result.document)
    games = sum(cell["games"] for cell in result.document["cells"])
    print(f"{games:,} games in {took:.1f} seconds. The report, to be opened in a browser:\n")
    print(f"  {report}\n\nThe same by hand:\n\n  {command_line(words)}\n")
    print(_FURTHER)


def _make_room(folder: Path) -> None:
    """Takes an earlier run of the demonstration away, and nothing else."""
    if Run.exists(folder):
        shutil.rmtree(folder)


if __name__ == "__main__":
    try:
        main()
        sys.stdout.flush()
    except KeyboardInterrupt:
        sys.exit(130)
    except ChaseError as error:
        sys.exit(f"demo: {error}")
    except BrokenPipeError:
        # Nobody reads on; what is left to print goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
