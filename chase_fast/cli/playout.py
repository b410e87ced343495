"""``chase-fast playout``: random games, summed up side by side."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from chase_fast import MAX_TURN_LIMIT, Game, Side, Termination, playout_batches
from chase_fast.batch import MAX_BATCH, MAX_SEED, Playouts
from chase_fast.cli.describe import side_name
from chase_fast.cli.files import writing
from chase_fast.cli.options import (
    CfenArgument,
    JsonOption,
    PlayOption,
    SeveralRulesOption,
    ThreadsOption,
    integer,
    read_game,
    read_rules,
    threads_of,
)
from chase_fast.cli.output import (
    Column,
    count,
    note,
    say,
    say_json,
    say_table,
    si,
    width,
    with_unicode,
)
from chase_fast.cli.progress import Bar
from chase_fast.cli.rowfiles import WRITERS, Write, writer_for
from chase_fast.stats import Interval, Sums
from chase_fast.tally import TERMINATIONS, Tally

# Rows of the summary that are means of a counter: those that most ask for, and the others.
_MEANS = {
    "turns": "turns",
    "decisions": "decisions",
    "captures": "dice captured",
    "splits": "splits",
    "refused_splits": "splits refused",
    "bumps": "dice bumped",
    "exchanges": "exchanges",
}
_OTHER_MEANS = {
    "distributions": "distributions",
    "forced": "forced decisions",
    "double_captures": "double captures",
    "whole_exits": "whole exits",
    "ricochets": "ricochets",
    "wraps": "wraps",
}

# A share of games cut short above which their means say more about the limit than about the game.
_MANY_CUT_SHORT = 0.01

# Columns of the terminal that the names and one result take.
_NAMES_WIDTH, _RESULT_WIDTH = 18, 19


@dataclass(slots=True)
class Result:
    """The games played under one rule set.

    Attributes:
        game: Its position is where the games started.
        tally: Their totals.
        seconds: What playing and counting took.
    """

    game: Game
    tally: Tally
    seconds: float

    def per_second(self, amount: int) -> float | None:
        """How much of it a second."""
        return amount / self.seconds if self.seconds > 0 else None


def playout(
    games: Annotated[
        int,
        typer.Argument(
            metavar="GAMES", parser=integer("GAMES", 1, MAX_SEED), help="How many, 1 or more."
        ),
    ],
    cfen: CfenArgument = None,
    rules: SeveralRulesOption = None,
    play: PlayOption = None,
    seed: Annotated[
        int,
        typer.Option(
            metavar="N",
            parser=integer("--seed", 0, MAX_SEED),
            help="Seed of the generator; a game depends on it and on its index alone.",
        ),
    ] = 0,
    first_game: Annotated[
        int,
        typer.Option(
            metavar="N",
            parser=integer("--first-game", 0, MAX_SEED),
            help="Index of the first game.",
        ),
    ] = 0,
    max_turns: Annotated[
        int,
        typer.Option(
            metavar="N",
            parser=integer("--max-turns", 1, MAX_TURN_LIMIT),
            help="Turns after which a game ends without a winner.",
        ),
    ] = 1000,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Also write every game: its figures to .npy or .csv, or its record with all "
            "decisions to .txt or .jsonl.",
        ),
    ] = None,
    batch: Annotated[
        int,
        typer.Option(
            metavar="N",
            parser=integer("--batch", 1, MAX_BATCH),
            help="Games held in memory at a time.",
        ),
    ] = 20_000,
    threads: ThreadsOption = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Show the means of all counters; --json always has them.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Play GAMES random games to the end and sum them up.

    Each decision is uniform over the legal ones. Means are given with their standard errors,
    the score of red (a win is 1, no winner ½) with its 95 % interval (Wilson 1927).
    """
    if first_game > MAX_SEED - (games - 1):
        raise typer.BadParameter(
            f"'{first_game}', expected an integer from 0 to {MAX_SEED - (games - 1)} with that "
            "many games",
            param_hint="--first-game",
        )
    texts = rules or ["standard"]
    if out is not None and len(texts) > 1:
        raise typer.BadParameter("holds the games of one --rules only", param_hint="--out")
    starts = [read_game(cfen, read_rules(text), play) for text in texts]
    options: dict[str, Any] = {
        "seed": seed,
        "first_game": first_game,
        "max_turns": max_turns,
        "threads": threads_of(threads),
    }
    # All of them are checked before the first game.
    batches = [playout_batches(start.position, games, batch=batch, **options) for start in starts]
    with _row_writer(out, games) as write:
        results = [
            _play(start, part, games, write) for start, part in zip(starts, batches, strict=True)
        ]
    if json:
        say_json({"games": games, **options, "results": [_json(result) for result in results]})
    else:
        _say_results(results, everything)
        note(_pace(results))
    for result in results:
        cut_short = result.tally.terminations[Termination.TURN_LIMIT]
        if cut_short > _MANY_CUT_SHORT * games:
            note(
                f"chase-fast: {cut_short} of {games} games under {result.game.rules} were cut "
                f"short by --max-turns {max_turns}"
            )
    if out is not None:
        note(f"wrote {out}")


@contextmanager
def _row_writer(out: str | None, games: int) -> Iterator[Write | None]:
    """What writes a batch to the file, if there is one."""
    if out is None:
        yield None
        return
    begin = writer_for(out)
    if begin is None:
        endings = ", ".join(WRITERS)
        raise typer.BadParameter(f"{out!r} ends in none of {endings}", param_hint="--out")
    with writing(out, param_hint="--out") as stream:
        yield begin(stream, games)


def _play(
    start: Game,
    batches: Iterator[Playouts],
    games: int,
    write: Write | None,
) -> Result:
    tally = Tally()
    began = time.perf_counter()
    with Bar(f"playouts, {start.rules}", "games") as bar:
        for batch in batches:
            tally.add(batch)
            if write is not None:
                write(batch)
            bar.update(tally.games, games, tally.games)
    return Result(start, tally, time.perf_counter() - began)


def _json(result: Result) -> dict[str, Any]:
    tally = result.tally
    return {
        "rules": str(result.game.rules),
        "cfen": result.game.position.cfen,
        **tally.as_dict(),
        "speed": {
            "seconds": result.seconds,
            "games_per_second": result.per_second(tally.games),
            "decisions_per_second": result.per_second(tally.counters["decisions"].total),
        },
    }


def _pace(results: list[Result]) -> str:
    """What all of it took, in words."""
    seconds = sum(result.seconds for result in results)
    games = sum(result.tally.games for result in results)
    decisions = sum(result.tally.counters["decisions"].total for result in results)
    words = f"{count(games, 'game')} in {seconds:.2f} s"
    if seconds <= 0:
        return words
    return f"{words}, {si(games / seconds)} games/s, {si(decisions / seconds)} decisions/s"


def _say_results(results: list[Result], everything: bool) -> None:
    """Tables of as many results side by side as fit."""
    most = max(1, (width() - _NAMES_WIDTH) // _RESULT_WIDTH)
    for first in range(0, len(results), most):
        if first:
            say("")
        part = results[first : first + most]
        columns = [Column("rules", style="bold")]
        columns += [Column(str(one.game.rules), align="right", fold=True) for one in part]
        say_table(columns, _rows(part, everything))


def _rows(results: list[Result], everything: bool) -> Iterator[list[str]]:
    tallies = [result.tally for result in results]
    yield ["games", *(str(tally.games) for tally in tallies)]
    yield ["score of red", *(f"{100 * (tally.red_score or 0):.2f} %" for tally in tallies)]
    yield ["  95 % interval", *(_interval(tally.red_score_interval()) for tally in tallies)]
    for side in Side:
        yield [f"won by {side_name(side)}", *(str(tally.wins[side]) for tally in tallies)]
    for word in TERMINATIONS:
        ended = [tally.terminations[word] for tally in tallies]
        if everything or any(ended):
            yield [f"end: {word}", *map(str, ended)]
    yield []
    options = [tally.options for tally in tallies]
    yield [
        "options/decision",
        *(_estimate(pair.ratio, pair.standard_error) for pair in options),
    ]
    for name, words in (_MEANS | _OTHER_MEANS if everything else _MEANS).items():
        yield [words, *(_mean(tally.counters[name]) for tally in tallies)]
    if everything:
        chains = [tally.counters["longest_chain"].highest for tally in tallies]
        yield ["longest chain", *map(str, chains)]


def _mean(sums: Sums) -> str:
    return _estimate(sums.mean, sums.standard_error)


def _estimate(value: float | None, error: float | None) -> str:
    """A value with its standard error, both to two digits of the error."""
    if value is None:
        return "-"
    if not error:
        return f"{value:.4g}"
    digits = 0
    while error * 10**digits < 9.95 and digits < 6:
        digits += 1
    sign = "±" if with_unicode() else "+-"
    return f"{value:.{digits}f} {sign}{error:.{digits}f}"


def _interval(ends: Interval) -> str:
    return f"{100 * ends.low:.2f} - {100 * ends.high:.2f} %"
