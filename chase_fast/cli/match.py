"""``chase-fast match``: two players, game pairs, who is better."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from chase_fast import MAX_TURN_LIMIT, Rules
from chase_fast.agents import PlayerError
from chase_fast.cli.files import STANDARD, record_writer, writing_packed
from chase_fast.cli.options import (
    JsonOption,
    RulesOption,
    SeedOption,
    WorkersOption,
    integer,
    read_one_rules,
    threads_of,
)
from chase_fast.cli.output import note, say, say_json
from chase_fast.cli.players import read_player
from chase_fast.cli.progress import Bar
from chase_fast.cli.scores import elo_text
from chase_fast.match import MAX_PAIRS, MatchResult, play_match
from chase_fast.openings import MAX_OPENING_TURNS
from chase_fast.record import RecordWriter
from chase_fast.simulate import PairResult

# A share of games cut short above which a score says more about the limit than about the players.
_MANY_CUT_SHORT = 0.01


Playing = Callable[[Callable[[PairResult], None]], MatchResult]
"""Plays a match; calls what it is given with each pair, in order."""

PairsOption = Annotated[
    int,
    typer.Option(
        metavar="N",
        parser=integer("--pairs", 1, MAX_PAIRS),
        help="Game pairs: the same opening, sides swapped.",
    ),
]

TurnsOption = Annotated[
    int,
    typer.Option(
        metavar="K",
        parser=integer("--turns", 0, MAX_OPENING_TURNS),
        help="Random turns of each opening.",
    ),
]

DrawnTurnsOption = Annotated[
    int,
    typer.Option(
        metavar="N",
        parser=integer("--max-turns", 1, MAX_TURN_LIMIT),
        help="Turns after which a game is drawn.",
    ),
]

RecordsOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Also write the record of every game: lines of JSON if the name ends in .jsonl, "
        "otherwise text; .gz may follow.",
    ),
]

PlayerA = Annotated[str, typer.Argument(metavar="A", help="A player; see 'chase-fast players'.")]
PlayerB = Annotated[str, typer.Argument(metavar="B", help="Another one.")]


@dataclass(frozen=True, slots=True)
class Asked:
    """What match is asked for.

    Attributes:
        players: Texts of A and B.
        rules: Under which they play.
        seed: Of openings and games.
        turns: Of each opening.
        max_turns: After which a game is drawn.
        pairs: How many.
        games: File for the records of all games, or None.
        json: Whether one JSON document is printed.
    """

    players: tuple[str, str]
    rules: Rules
    seed: int
    turns: int
    max_turns: int
    pairs: int
    games: str | None
    json: bool


def match(
    a: PlayerA,
    b: PlayerB,
    rules: RulesOption = None,
    pairs: PairsOption = 100,
    turns: TurnsOption = 4,
    seed: SeedOption = 0,
    workers: WorkersOption = None,
    max_turns: DrawnTurnsOption = 400,
    games: RecordsOption = None,
    json: JsonOption = False,
) -> None:
    """Let two players play, and tell who is better.

    Each opening is played twice, with the sides swapped. The interval holds with 95 %.
    """
    chosen = read_one_rules(rules)
    specs = read_player(a, "A"), read_player(b, "B")
    check_match(turns, max_turns, games)
    asked = Asked(
        (str(specs[0]), str(specs[1])), chosen, seed, turns, max_turns, pairs, games, json
    )

    def play(finished: Callable[[PairResult], None]) -> MatchResult:
        return play_match(
            *specs, rules=chosen, pairs=pairs, turns=turns, seed=seed,
            workers=threads_of(workers), max_turns=max_turns, finished=finished,
        )  # fmt: skip

    tell_match("match", asked, play)


def check_match(turns: int, max_turns: int, games: str | None) -> None:
    """Refuses options that do not go together.

    Raises:
        typer.BadParameter: They do not.
    """
    if max_turns <= turns:
        raise typer.BadParameter(
            f"'{max_turns}', expected more than the {turns} turns of an opening",
            param_hint="--max-turns",
        )
    if games == STANDARD:
        raise typer.BadParameter("cannot share standard output", param_hint="--games")


def tell_match(command: str, asked: Asked, play: Playing) -> None:
    """Lets a match be played, and prints what came of it.

    Args:
        command: Its name, for messages.
        asked: What is played.
        play: Plays it.

    Raises:
        typer.BadParameter: The file of records cannot be written.
        typer.Exit: A program does not start.
    """
    try:
        result = _played(asked, play)
    except PlayerError as error:
        note(f"chase-fast {command}: {error}")
        raise typer.Exit(1) from None
    if asked.json:
        say_json(_document(result, asked))
    else:
        _say_result(result, asked.players)
    cut_short = result.terminations["turn_limit"]
    if cut_short > _MANY_CUT_SHORT * result.games:
        note(
            f"chase-fast: {cut_short} of {result.games} games were cut short by --max-turns "
            f"{asked.max_turns}"
        )
    if asked.games is not None:
        note(f"wrote {asked.games}")


def _played(asked: Asked, play: Playing) -> MatchResult:
    """The match, with a bar; what goes wrong is told when the bar is gone."""
    played = decisions = 0
    with ExitStack() as stack:
        writer = None
        if asked.games is not None:
            out = stack.enter_context(writing_packed(asked.games, param_hint="--games"))
            writer = record_writer(out, asked.games)
        bar = stack.enter_context(Bar("match", "decisions"))
        bar.update(0, asked.pairs, 0)

        def finished(pair: PairResult) -> None:
            nonlocal played, decisions
            played += 1
            decisions += sum(len(result.game.moves) for result in pair.games)
            if writer is not None:
                _save(writer, pair, asked.players, asked.seed)
            bar.update(played, asked.pairs, decisions)

        return play(finished)


def _save(writer: RecordWriter, pair: PairResult, players: tuple[str, str], seed: int) -> None:
    for number, result in enumerate(pair.games):
        red, blue = players if number == 0 else players[::-1]
        tags = {"Pair": str(pair.index), "Seed": str(seed), "OpeningDecisions": str(result.opening)}
        writer.write(
            result.game.to_record(
                red=red,
                blue=blue,
                outcome=result.outcome,
                tags=tags,
                comment=result.fault,
            )
        )


def _document(result: MatchResult, asked: Asked) -> dict[str, Any]:
    found = result.summary
    return {
        "a": asked.players[0],
        "b": asked.players[1],
        "rules": str(asked.rules),
        "seed": asked.seed,
        "opening_turns": asked.turns,
        "max_turns": asked.max_turns,
        "pairs": result.pairs,
        "games": result.games,
        "score": found.score,
        "interval": list(found.interval),
        "wins": result.wins,
        "draws": result.draws,
        "losses": result.losses,
        "pentanomial": result.pentanomial,
        "elo": found.elo,
        "elo_interval": list(found.elo_interval),
        "nelo": found.nelo,
        "los": found.los,
        "red_wins": result.red_wins,
        "blue_wins": result.blue_wins,
        "terminations": dict(sorted(result.terminations.items())),
        "faults": dict(result.faults),
        "mean_turns": result.turns / result.games,
        "mean_decisions": result.decisions / result.games,
        "result_hash": result.result_hash,
    }


def _say_result(result: MatchResult, players: tuple[str, str]) -> None:
    found = result.summary
    low, high = found.interval
    say(f"A  {players[0]}\nB  {players[1]}")
    say(f"score of A  {found.score:.1%}  ({low:.1%} to {high:.1%})  in {result.pairs} pairs")
    say(f"Elo         {elo_text(found)}")
    say(f"games       {result.wins} won, {result.draws} drawn, {result.losses} lost")
    say(f"pairs       {' '.join(map(str, result.pentanomial))}  with 0, 1/2, 1, 1 1/2, 2 points")
    ends = ", ".join(f"{name} {count}" for name, count in result.terminations.most_common())
    say(f"ends        {ends}")
    say(f"sides       red won {result.red_wins}, blue won {result.blue_wins}")
    say(
        f"length      {result.turns / result.games:.1f} turns, "
        f"{result.decisions / result.games:.1f} decisions"
    )
    for fault, count in result.faults.items():
        say(f"fault       {count} x {' '.join(fault.split())}")
