"""``chase-fast playout``: random games, summed up side by side."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from chase_fast import MAX_TURN_LIMIT, Game, Position, Side, Termination, playout_batches
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


Source = Callable[[Position], Iterator[Playouts | Tally]]
"""Plays the games that were asked for from a position: some at a time, or what they add up to."""

GamesArgument = Annotated[
    int,
    typer.Argument(
        metavar="GAMES", parser=integer("GAMES", 1, MAX_SEED), help="How many, 1 or more."
    ),
]

GameSeedOption = Annotated[
    int,
    typer.Option(
        metavar="N",
        parser=integer("--seed", 0, MAX_SEED),
        help="Seed of the generator; a game depends on it and on its index alone.",
    ),
]

FirstGameOption = Annotated[
    int,
    typer.Option(
        metavar="N", parser=integer("--first-game", 0, MAX_SEED), help="Index of the first game."
    ),
]

GameTurnsOption = Annotated[
    int,
    typer.Option(
        metavar="N",
        parser=integer("--max-turns", 1, MAX_TURN_LIMIT),
        help="Turns after which a game ends without a winner.",
    ),
]

RowsOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Also write every game: its figures to .npy or .csv, or its record with all "
        "decisions to .txt or .jsonl.",
    ),
]

AllOption = Annotated[
    bool, typer.Option("--all", help="Show the means of all counters; --json always has them.")
]


def playout(
    games: GamesArgument,
    cfen: CfenArgument = None,
    rules: SeveralRulesOption = None,
    play: PlayOption = None,
    seed: GameSeedOption = 0,
    first_game: FirstGameOption = 0,
    max_turns: GameTurnsOption = 1000,
    out: RowsOption = None,
    batch: Annotated[
        int,
        typer.Option(
            metavar="N",
            parser=integer("--batch", 1, MAX_BATCH),
            help="Games held in memory at a time.",
        ),
    ] = 20_000,
    threads: ThreadsOption = None,
    everything: AllOption = False,
    json: JsonOption = False,
) -> None:
    """Play GAMES random games to the end and sum them up.

    Each decision is uniform over the legal ones. Means are given with their standard errors,
    the score of red (a win is 1, no winner ½) with its 95 % interval (Wilson 1927).
    """
    starts = read_starts(games, cfen, rules, play, first_game, out)
    options: dict[str, Any] = {
        "seed": seed,
        "first_game": first_game,
        "max_turns": max_turns,
        "threads": threads_of(threads),
    }
    tell_playouts(
        starts, games, options, out,
        lambda position: playout_batches(position, games, batch=batch, **options),
        everything=everything, json=json,
    )  # fmt: skip


def read_starts(
    games: int,
    cfen: list[str] | None,
    rules: list[str] | None,
    play: list[str] | None,
    first_game: int,
    out: str | None,
) -> list[Game]:
    """Where games start under each rule set.

    Raises:
        typer.BadParameter: Options that cannot be read, or do not go together.
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
    return [read_game(cfen, read_rules(text), play) for text in texts]


def tell_playouts(
    starts: Sequence[Game],
    games: int,
    options: dict[str, Any],
    out: str | None,
    source: Source,
    *,
    everything: bool,
    json: bool,
) -> None:
    """Lets the games be played, and prints what came of them.

    Args:
        starts: Where they start.
        games: How many from each.
        options: How they are played, as the JSON document has it.
        out: File to write each of them to; it needs a source of `Playouts`.
        source: Plays them.
        everything: Whether the means of all counters are shown.
        json: Whether one JSON document is printed.

    Raises:
        typer.BadParameter: The file cannot be written.
    """
    # All of them are checked before the first game.
    batches = [source(start.position) for start in starts]
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
                f"short by --max-turns {options['max_turns']}"
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
    batches: Iterator[Playouts | Tally],
    games: int,
    write: Write | None,
) -> Result:
    tally = Tally()
    began = time.perf_counter()
    with Bar(f"playouts, {start.rules}", "games") as bar:
        for batch in batches:
            if isinstance(batch, Tally):
                tally.merge(batch)
            else:
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
