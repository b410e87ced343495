"""``chase-fast tournament``: many players, who is how strong."""

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
from chase_fast.cli.output import Column, count, note, say, say_json, say_table
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
from chase_fast.cli.scores import interval_text, rating_text
from chase_fast.openings import MAX_OPENINGS

if TYPE_CHECKING:
    from chase_fast.tournament import TournamentResult
    from chase_fast.tournament.results import Results

# As in chase_fast.tournament, which cannot be imported without the extra `store`.
_FORMATS = ("round-robin", "gauntlet", "ladder")

# Players for whom the cross table is printed; more make it too wide.
_MOST_CROSSED = 12


def read_format(text: str) -> str:
    """The value of ``--format``.

    Raises:
        typer.BadParameter: There is no such format.
    """
    if text not in _FORMATS:
        raise typer.BadParameter(f"{text!r}, expected one of {', '.join(_FORMATS)}")
    return text


def tournament(
    players: Annotated[
        list[str],
        typer.Argument(metavar="PLAYER...", help="Two or more; see 'chase-fast players'."),
    ],
    format: Annotated[
        str,
        typer.Option(
            metavar="FORMAT",
            callback=read_format,
            help="round-robin: all against all; gauntlet: the first against all others; ladder: "
            "neighbours, in the order given.",
        ),
    ] = "round-robin",
    seeds: Annotated[
        int,
        typer.Option(
            metavar="N",
            parser=integer("--seeds", 1, 10_000),
            help="Players that a gauntlet sends against all others: the first N.",
        ),
    ] = 1,
    rules: RulesOption = None,
    pairs: Annotated[
        int,
        typer.Option(
            metavar="N",
            parser=integer("--pairs", 1, MAX_OPENINGS),
            help="Openings; every two players play two games of each, sides swapped.",
        ),
    ] = 100,
    seed: SeedOption = 0,
    opening_turns: OpeningTurnsOption = 4,
    openings: OpeningsOption = None,
    bound: BoundOption = None,
    max_turns: MaxTurnsOption = 1000,
    bootstrap: Annotated[
        int,
        typer.Option(
            metavar="N",
            parser=integer("--bootstrap", 0, 1_000_000),
            help="Replications for the intervals of ratings; 0 for normal theory.",
        ),
    ] = 1000,
    workers: WorkersOption = None,
    out: OutOption = None,
    resume: ResumeOption = False,
    json: JsonOption = False,
) -> None:
    """Let players play a tournament, and rate them.

    Ratings are in Elo; random, where it plays, is at 0. Intervals hold with 95 %.
    """
    need("tournament", "store", "stats", *(["report"] if out is not None else []))
    from chase_fast.cli.live import LiveTable
    from chase_fast.tournament import play_tournament

    check_folder(out, resume)
    chosen = read_one_rules(rules)
    specs = [read_player(text, f"PLAYER {number}") for number, text in enumerate(players, 1)]
    with keeping("tournament", out):
        with LiveTable() as live:
            # `read_format` has checked it.
            result = play_tournament(
                specs, format=format, seeds=seeds, rules=chosen, pairs=pairs, seed=seed,  # type: ignore[arg-type]
                opening_turns=opening_turns, openings=openings, bound=bound, max_turns=max_turns,
                bootstrap=bootstrap, workers=threads_of(workers), out=out, resume=resume,
                watch=live.update,
            )  # fmt: skip
        tell_damaged(result.damaged)
        write_pages(result.document, out)
    if json:
        say_json(result.document)
    else:
        _say_result(result)
    for warning in result.document["warnings"]:
        note(warning)


def _say_result(result: TournamentResult) -> None:
    rows = result.document["players"]
    columns = [Column("player", fold=True)] + [
        Column(title, align="right")
        for title in ("Elo", "95 % interval", "games", "score", "won", "drawn", "lost")
    ]
    extra = {"cut_short": "cut short", "crashes": "crashes", "time_losses": "on time",
             "illegal": "illegal"}  # fmt: skip
    extra = {name: title for name, title in extra.items() if any(row[name] for row in rows)}
    columns += [Column(title, align="right") for title in extra.values()]
    say_table(
        columns,
        [
            [
                row["name"], rating_text(row["rating"], row["bounded"]),
                interval_text(row["low"], row["high"]), str(row["games"]), _percent(row["score"]),
                *(str(row[name]) for name in ("wins", "draws", "losses", *extra)),
            ]
            for row in rows
        ],
    )  # fmt: skip
    say("")
    if 2 < len(rows) <= _MOST_CROSSED:
        _say_crosses(result)
    for sentence in result.document["verdicts"]:
        say(sentence)
    terms = result.document["terms"]
    if terms is not None:
        virtual = count(terms["virtual_pairs"], "virtual drawn pair")
        say(f"ratings     {virtual} added, one for every two players that met")
    say_sums(result)


def _say_crosses(result: TournamentResult) -> None:
    """The score of each player against each other one."""
    names = [one.player for one in result.players]
    scores: dict[tuple[str, str], float] = {}
    for pairing in result.pairings:
        if pairing.summary is not None:
            scores[pairing.a, pairing.b] = pairing.summary.score
            scores[pairing.b, pairing.a] = 1 - pairing.summary.score
    numbers = range(1, len(names) + 1)
    columns = [Column("score against", fold=True)]
    columns += [Column(str(number), align="right") for number in numbers]
    say_table(
        columns,
        [
            [f"{number} {name}", *(_percent(scores.get((name, other))) for other in names)]
            for number, name in zip(numbers, names, strict=True)
        ],
    )
    say("")


def say_sums(result: Results) -> None:
    """Openings, games and how they ended, and the hash."""
    openings = result.document["openings"]
    ends = sorted(result.terminations.items(), key=lambda item: -item[1])
    played = result.openings // len(result.pairings)
    part = f"{played} of " if played < openings["count"] else ""
    say(
        f"openings    {part}{count(openings['count'], 'opening')} of {openings['turns']} turns, "
        f"{openings['source']}"
    )
    if openings["unbalanced_share"]:
        share = openings["unbalanced_share"]
        say(f"refused     {share:.1%} of the candidates, for their evaluation")
    games = max(result.games, 1)
    say(
        f"games       {result.games}, with a mean of {result.turns / games:.1f} turns and "
        f"{result.decisions / games:.1f} decisions after the opening"
    )
    say(f"ends        {', '.join(f'{name} {games}' for name, games in ends)}")
    say(f"hash        {result.result_hash}")


def _percent(score: float | None) -> str:
    return "" if score is None else f"{score:.1%}"
