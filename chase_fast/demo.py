"""``python -m chase_fast.demo``: random games under five rule sets, and one short game on boards.

Needs nothing but numpy; fits into 80 columns, with and without colour.
"""

from __future__ import annotations

import os
import sys
import textwrap
import time

import numpy as np

import chase_fast as cf
from chase_fast.batch import processors
from chase_fast.replay import playout_game, playout_outcome
from chase_fast.tally import TERMINATIONS, Tally
from chase_fast.textboard import text_board, use_colour, use_unicode

GAMES = 20_000
SEED = 1985
RULES = ("standard", "reserve=0", "reserve=2", "reserve=6", "reserve=16")
WIDTH = 80

_JOINED = "\N{NO-BREAK SPACE}"

_HEAD = (
    "rules       first mover scores     turns     options  splits  refused  seconds",
    "            % (95 % interval)   a game  a decision  a game   a game",
)
_WORDS = """\
A decision is one choice: a die moves, two neighbours exchange pips, or a die takes
pips that its side has to hand out. Options are the legal decisions to choose from,
and a turn is all that a side decides until the other side acts. A die that enters
the chamber, the cell in the middle, splits in two; where its side has no spare die
for that, the split is refused. Reserve is how many spare dice each side has at the
start, 1 in the standard game."""
_FURTHER = """\
Where to go on (in a clone, after `. .venv/bin/activate`):
  chase-fast --help                      all commands
  chase-fast show --play 'a5NE i5SE'     a position and the last decision
  chase-fast moves                       the legal decisions, with their paths
  chase-fast rules                       the options that make a rule set
  chase-fast playout 100000 -r standard -r chain=yes
                                         two rule sets side by side
  docs/rules.md, docs/python.md          the rules, the library in Python"""


def main() -> None:
    """Plays, sums up, and shows one game."""
    threads = processors()
    print(
        f"Chase Fast {cf.__version__}: {GAMES:,} random games under each of {len(RULES)} rule "
        f"sets.\nSeed {SEED}, threads: {threads}, core: {cf.Rules().isa}. It takes some seconds.\n"
    )
    print(textwrap.fill(_WORDS, WIDTH) + "\n")
    print("\n".join(_HEAD), flush=True)
    ends = {}
    shortest = 0
    seconds = 0.0
    for text in RULES:
        start = cf.Position.start(cf.Rules.parse(text))
        began = time.perf_counter()
        games = cf.playouts(start, GAMES, seed=SEED, threads=threads)
        tally = Tally()
        tally.add(games)
        took = time.perf_counter() - began
        seconds += took
        ends[text] = tally.terminations
        print(_row(text, tally, took), flush=True)
        if text == "standard":
            shortest = int(np.argmin(games.turns))
    print(f"\n{'how they ended':<16}" + "".join(f"{word!s:>14}" for word in TERMINATIONS))
    for text, counts in ends.items():
        print(f"{text:<16}" + "".join(f"{counts[word]:>14}" for word in TERMINATIONS))
    print("(dice: the loser had too few left; repetition: drawn; turn_limit: cut short)")
    print(
        f"\n{GAMES * len(RULES):,} games in {seconds:.1f} seconds. All rule sets got the same "
        "random numbers: a game\ndiffers from its twin only where the rules made a difference.\n"
    )
    _show_game(shortest)
    print(_FURTHER)


def _row(text: str, tally: Tally, seconds: float) -> str:
    interval = tally.red_score_interval()
    score = 100 * (tally.red_score or 0.0)
    per_game = {name: sums.mean or 0.0 for name, sums in tally.counters.items()}
    return (
        f"{text:<12}{score:5.2f} ({100 * interval.low:5.2f}-{100 * interval.high:5.2f})"
        f"{per_game['turns']:>9.1f}{tally.options.ratio or 0.0:>12.2f}"
        f"{per_game['splits']:>8.3f}{per_game['refused_splits']:>9.3f}{seconds:>9.2f}"
    )


def _show_game(index: int) -> None:
    """The turns of a game of the first rule set, with a board wherever dice were taken."""
    game = playout_game(cf.Position.start(), index, seed=SEED)
    outcome = playout_outcome(game)
    print(
        f"The shortest of the standard games is number {index}: {game.turn_count} turns. Its "
        "boards where\ndice were captured: [3] is a red die, <3> a blue one. Before a cell of the "
        "last\ndecision stands what happened there: a ring where the moving die set out, small\n"
        "rings on its way, a triangle where a die landed, a cross where one was captured.\n"
    )
    turns: list[str] = []
    done = 0
    for number, turn in enumerate(game.turns, 1):
        turns.append(f"{number}. {' '.join(map(str, turn))}")
        done += len(turn)
        before, after = game.positions[done - 1], game.positions[done]
        if before.events(turn[-1])["captures"]:
            print(_fill(turns) + "\n")
            print(
                text_board(
                    after,
                    last_move=turn[-1],
                    before=before,
                    colour=use_colour(sys.stdout),
                    unicode=use_unicode(sys.stdout),
                )
                + "\n"
            )
            turns = []
    if turns:
        print(_fill(turns) + "\n")
    if outcome.winner is None:
        print(f"The game has no winner ({outcome.termination}).\n")
    else:
        print(f"{outcome.winner.name.capitalize()} wins ({outcome.termination}).\n")


def _fill(turns: list[str]) -> str:
    """Lines of turns, none of them broken."""
    text = "  ".join(turn.replace(" ", _JOINED) for turn in turns)
    return textwrap.fill(text, WIDTH).replace(_JOINED, " ")


if __name__ == "__main__":
    try:
        main()
        sys.stdout.flush()
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # Nobody reads on; what is left to print goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
