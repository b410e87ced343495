"""``chase-fast sprt``: two players, until it is clear whether one is better."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from chase_fast.cli.options import (
    BoundOption,
    JsonOption,
    MaxTurnsOption,
    OpeningsOption,
    OpeningTurnsOption,
    RulesOption,
    SeedOption,
    WorkersOption,
    integer,
    read_one_rules,
    threads_of,
)
from chase_fast.cli.output import note, say, say_json
from chase_fast.cli.players import read_player
from chase_fast.cli.rundirs import (
    OutOption,
    ResumeOption,
    check_folder,
    keeping,
    need,
    tell_damaged,
    write_pages,
)
from chase_fast.cli.scores import elo_text, score_text
from chase_fast.cli.tournament import say_sums
from chase_fast.openings import MAX_OPENINGS

if TYPE_CHECKING:
    from chase_fast.tournament import SprtResult


def sprt(
    a: Annotated[str, typer.Argument(metavar="A", help="A player; see 'chase-fast players'.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another one.")],
    elo0: Annotated[float, typer.Option(metavar="ELO", help="H0: A is better by that much.")] = 0.0,
    elo1: Annotated[
        float, typer.Option(metavar="ELO", help="H1: A is better by that much, more than --elo0.")
    ] = 5.0,
    alpha: Annotated[
        float, typer.Option(metavar="SHARE", help="Chance to accept H1 where H0 is true.")
    ] = 0.05,
    beta: Annotated[
        float, typer.Option(metavar="SHARE", help="Chance to accept H0 where H1 is true.")
    ] = 0.05,
    model: Annotated[
        str, typer.Option(metavar="MODEL", help="Elo of which model: normalized or logistic.")
    ] = "normalized",
    checkpoint: Annotated[
        int,
        typer.Option(
            metavar="N",
            parser=integer("--checkpoint", 1, MAX_OPENINGS),
            help="Openings between two looks at the test.",
        ),
    ] = 50,
    rules: RulesOption = None,
    pairs: Annotated[
        int,
        typer.Option(
            metavar="MOST",
            parser=integer("--pairs", 1, MAX_OPENINGS),
            help="Openings after which it ends in any case; two games of each, sides swapped.",
        ),
    ] = 20_000,
    seed: SeedOption = 0,
    opening_turns: OpeningTurnsOption = 4,
    openings: OpeningsOption = None,
    bound: BoundOption = None,
    max_turns: MaxTurnsOption = 1000,
    workers: WorkersOption = None,
    out: OutOption = None,
    resume: ResumeOption = False,
    json: JsonOption = False,
) -> None:
    """Test whether player A is better than B, and stop as soon as that is clear.

    A sequential test (GSPRT) on game pairs, looked at after every --checkpoint openings.
    """
    need("sprt", "store", "stats", *(["report"] if out is not None else []))
    from chase_fast.cli.live import LiveTable
    from chase_fast.tournament import play_sprt

    check_folder(out, resume)
    chosen = read_one_rules(rules)
    specs = read_player(a, "A"), read_player(b, "B")
    with keeping("sprt", out):
        with LiveTable() as live:
            # `play_sprt` says which models there are.
            result = play_sprt(
                *specs, elo0=elo0, elo1=elo1, alpha=alpha, beta=beta, model=model,  # type: ignore[arg-type]
                checkpoint=checkpoint, rules=chosen, pairs=pairs, seed=seed,
                opening_turns=opening_turns, openings=openings, bound=bound, max_turns=max_turns,
                workers=threads_of(workers), out=out, resume=resume, watch=live.update,
            )  # fmt: skip
        tell_damaged(result.damaged)
        write_pages(result.document, out)
    if json:
        say_json(result.document)
    else:
        _say_result(result)
    for warning in result.document["warnings"]:
        note(warning)


def _say_result(result: SprtResult) -> None:
    pairing = result.pairings[0]
    low, high = result.test.bounds
    unit = "nElo" if result.test.model == "normalized" else "Elo"
    say(f"A  {pairing.a}\nB  {pairing.b}")
    say(
        f"test        {result.state}  (H0: {result.test.elo0:g} {unit}, H1: {result.test.elo1:g} "
        f"{unit})"
    )
    if result.llr is not None:
        looked = result.path[-1][0]
        say(
            f"LLR         {result.llr:+.3f}  (bounds {low:+.3f} and {high:+.3f})  after {looked} "
            "openings"
        )
    if pairing.summary is not None:
        say(f"score of A  {score_text(pairing.summary)}  in {pairing.summary.pairs} pairs")
        say(f"Elo         {elo_text(pairing.summary)}")
    cut_short = f", {pairing.cut_short} cut short" if pairing.cut_short else ""
    say(f"results     {pairing.wins} won, {pairing.draws} drawn, {pairing.losses} lost{cut_short}")
    say(f"pairs       {' '.join(map(str, pairing.pentanomial))}  with 0, 1/2, 1, 1 1/2, 2 points")
    say_sums(result)
    for sentence in result.document["verdicts"]:
        say(sentence)
