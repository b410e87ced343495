"""``chase-fast match``: two players, game pairs, who is better."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Annotated, Any

import typer

from chase_fast import MAX_TURN_LIMIT
from chase_fast.agents import PlayerError, PlayerSpec
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


def match(
    a: Annotated[str, typer.Argument(metavar="A", help="A player; see 'chase-fast players'.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another one.")],
    rules: RulesOption = None,
    pairs: Annotated[
        int,
        typer.Option(
            metavar="N",
            parser=integer("--pairs", 1, MAX_PAIRS),
            help="Game pairs: the same opening, sides swapped.",
        ),
    ] = 100,
    turns: Annotated[
        int,
        typer.Option(
            metavar="K",
            parser=integer("--turns", 0, MAX_OPENING_TURNS),
            help="Random turns of each opening.",
        ),
    ] = 4,
    seed: SeedOption = 0,
    workers: WorkersOption = None,
    max_turns: Annotated[
        int,
        typer.Option(
            metavar="N",
            parser=integer("--max-turns", 1, MAX_TURN_LIMIT),
            help="Turns after which a game is drawn.",
        ),
    ] = 400,
    games: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Also write the record of every game: lines of JSON if the name ends in .jsonl, "
            "otherwise text; .gz may follow.",
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Let two players play, and tell who is better.

    Each opening is played twice, with the sides swapped. The interval holds with 95 %.
    """
    chosen = read_one_rules(rules)
    specs = read_player(a, "A"), read_player(b, "B")
    if max_turns <= turns:
        raise typer.BadParameter(
            f"'{max_turns}', expected more than the {turns} turns of an opening",
            param_hint="--max-turns",
        )
    if games == STANDARD:
        raise typer.BadParameter("cannot share standard output", param_hint="--games")
    played = decisions = 0
    with ExitStack() as stack:
        writer = None
        if games is not None:
            out = stack.enter_context(writing_packed(games, param_hint="--games"))
            writer = record_writer(out, games)
        bar = stack.enter_context(Bar("match", "decisions"))
        bar.update(0, pairs, 0)

        def finished(pair: PairResult) -> None:
            nonlocal played, decisions
            played += 1
            decisions += sum(len(result.game.moves) for result in pair.games)
            if writer is not None:
                _save(writer, pair, specs, seed)
            bar.update(played, pairs, decisions)

        try:
            result = play_match(
                *specs, rules=chosen, pairs=pairs, turns=turns, seed=seed,
                workers=threads_of(workers), max_turns=max_turns, finished=finished,
            )  # fmt: skip
        except PlayerError as error:
            note(f"chase-fast match: {error}")
            raise typer.Exit(1) from None
    if json:
        say_json(_document(result, specs, str(chosen), seed, turns, max_turns))
    else:
        _say_result(result, specs)
    cut_short = result.terminations["turn_limit"]
    if cut_short > _MANY_CUT_SHORT * result.games:
        note(
            f"chase-fast: {cut_short} of {result.games} games were cut short by --max-turns "
            f"{max_turns}"
        )
    if games is not None:
        note(f"wrote {games}")


def _save(
    writer: RecordWriter, pair: PairResult, specs: tuple[PlayerSpec, PlayerSpec], seed: int
) -> None:
    for number, result in enumerate(pair.games):
        red, blue = specs if number == 0 else specs[::-1]
        tags = {"Pair": str(pair.index), "Seed": str(seed), "OpeningDecisions": str(result.opening)}
        writer.write(
            result.game.to_record(
                red=str(red),
                blue=str(blue),
                outcome=result.outcome,
                tags=tags,
                comment=result.fault,
            )
        )


def _document(
    result: MatchResult, specs: tuple[PlayerSpec, PlayerSpec], rules: str, seed: int, turns: int,
    max_turns: int,
) -> dict[str, Any]:  # fmt: skip
    found = result.summary
    return {
        "a": str(specs[0]),
        "b": str(specs[1]),
        "rules": rules,
        "seed": seed,
        "opening_turns": turns,
        "max_turns": max_turns,
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


def _say_result(result: MatchResult, specs: tuple[PlayerSpec, PlayerSpec]) -> None:
    found = result.summary
    low, high = found.interval
    say(f"A  {specs[0]}\nB  {specs[1]}")
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
