"""``chase-fast plan``: how many games a question needs, and how long they take here."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer

from chase_fast.batch import processors
from chase_fast.cli.options import JsonOption, integer
from chase_fast.cli.output import Column, say, say_json, say_table
from chase_fast.cli.players import read_player
from chase_fast.cli.rundirs import need
from chase_fast.errors import ArgumentError

_COLUMNS = (
    Column("to see", fold=True),
    Column("games", "right"),
    Column("openings", "right"),
    Column("all games", "right"),
    Column("time here", "right"),
)


def plan(
    effect: Annotated[
        float, typer.Option(metavar="POINTS", help="The difference to be seen.")
    ] = 2.0,
    power: Annotated[float, typer.Option(metavar="P", help="The chance to see it, 0 to 1.")] = 0.8,
    draws: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Share of drawn games, 0 to 1.", show_default="0"),
    ] = None,
    correlation: Annotated[
        float | None,
        typer.Option(
            metavar="R",
            help="Of two variants' scores of the same opening, -1 to 1.",
            show_default="0",
        ),
    ] = None,
    variants: Annotated[
        int,
        typer.Option(
            metavar="K",
            parser=integer("--variants", 1, 1000),
            help="Variants in all, the base among them.",
        ),
    ] = 2,
    pilot: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Take draws, correlation and pace from a balance run."),
    ] = None,
    player: Annotated[
        str, typer.Option("--player", "-p", metavar="PLAYER", help="Whose pace is measured.")
    ] = "ab:nodes=300",
    json: JsonOption = False,
) -> None:
    """How many games are needed to see a difference of so many points.

    Normal theory; games of an opening count as independent. The time is that of this machine with
    all its processors, measured for a second, or taken from the pilot.
    """
    need("plan", "stats", "store")
    if not 0 < effect <= 50:
        raise typer.BadParameter(
            f"{effect:g}, expected points above 0, 50 at most", param_hint="--effect"
        )
    if draws is not None and not 0 <= draws < 1:
        raise typer.BadParameter(
            f"{draws:g}, expected a share from 0 to below 1", param_hint="--draws"
        )
    from chase_fast.balance.planning import plan_rows, read_pilot, seconds_each

    spec = read_player(player, "--player")
    who = str(spec)
    if pilot is not None:
        known = read_pilot(pilot)
        who = known.player
        draws = known.draws if draws is None else draws
        if correlation is None and known.correlation is not None:
            correlation = known.correlation
        seconds, games_each = known.seconds, known.games_each
    else:
        seconds, games_each = seconds_each(spec)
    draws, correlation = draws or 0.0, correlation or 0.0
    try:
        rows = plan_rows(
            effect / 100, power=power, draws=draws, correlation=correlation, variants=variants,
            games_each=games_each,
        )  # fmt: skip
    except ArgumentError as error:
        raise typer.BadParameter(str(error)) from None
    pace = seconds / processors()
    if json:
        say_json(
            {
                "effect": effect / 100,
                "power": power,
                "draws": draws,
                "correlation": correlation,
                "variants": variants,
                "player": who,
                "games_each_opening": games_each,
                "seconds_a_game": pace,
                "rows": [
                    {
                        "question": row.question,
                        "games": row.games,
                        "openings": row.openings,
                        "all_games": row.all_games,
                        "seconds": row.all_games * pace,
                    }
                    for row in rows
                ],
            }
        )
        return
    say(
        f"{effect:g} points, power {power:g}, draws {draws:.1%}, correlation {correlation:.2f}; "
        f"{who}, {games_each} game{'s' if games_each > 1 else ''} an opening"
    )
    say_table(
        _COLUMNS,
        [
            [
                row.question,
                f"{row.games:,}",
                f"{row.openings:,}",
                f"{row.all_games:,}",
                str(timedelta(seconds=max(1, round(row.all_games * pace)))),
            ]
            for row in rows
        ],
    )
