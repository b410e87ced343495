"""``chase-fast remote balance``: a job of a server, watched until it has ended."""

from __future__ import annotations

from typing import Annotated

import typer

from chase_fast.cli.balance import (
    DEFAULT_PAIRS,
    DEFAULT_PLAYER,
    LevelsOption,
    MarginOption,
    StrengthsOption,
    VariantsOption,
    check_margin,
    read_variant,
)
from chase_fast.cli.options import (
    JsonOption,
    MaxTurnsOption,
    OpeningTurnsOption,
    SeedOption,
    integer,
)
from chase_fast.cli.output import note, say
from chase_fast.openings import MAX_OPENINGS
from chase_service.remote.connection import Connection, connected, player_text
from chase_service.remote.results import (
    OutOption,
    check_out,
    follow,
    interruptible,
    save_files,
    tell_result,
)

__all__ = ["balance"]


def balance(
    connection: Connection,
    variant: VariantsOption = None,
    player: StrengthsOption = None,
    pairs: Annotated[
        int,
        typer.Option(
            metavar="N",
            parser=integer("--pairs", 1, MAX_OPENINGS),
            help="Openings of each variant and player; a deterministic player plays one game each.",
        ),
    ] = DEFAULT_PAIRS,
    seed: SeedOption = 0,
    opening_turns: OpeningTurnsOption = 4,
    level: LevelsOption = None,
    margin: MarginOption = 2.0,
    max_turns: MaxTurnsOption = 1000,
    out: OutOption = None,
    detach: Annotated[
        bool, typer.Option("--detach", help="Print the id of the job, and leave it to the server.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Compare rule variants as a job of a server, as 'chase-fast balance' does.

    Ctrl-C cancels the job, unless all of its games are played: then its report is made, and
    'chase-fast remote watch' has it. If the server is gone, the job goes on when it is back.
    """
    check_margin(margin)
    variants = [str(read_variant(text, "--variant")) for text in variant or ["standard"]]
    if not detach:
        check_out(out)
    elif out is not None or json:
        raise typer.BadParameter("has no results to print or keep", param_hint="--detach")
    with connected("balance", connection) as client:
        from chase_service.client import BalanceJob, JobSpec

        job = client.create_job(
            JobSpec(
                seed=seed,
                balance=BalanceJob(
                    variants=variants,
                    players=[
                        player_text(client, text, "--player") for text in player or [DEFAULT_PLAYER]
                    ],
                    pairs=pairs, opening_turns=opening_turns, max_turns=max_turns,
                    levels=[one for one in level or () if one != "outcome"], margin=margin / 100,
                ),
            )
        )  # fmt: skip
        if detach:
            say(job.job_id)
            return
        note(f"job {job.job_id}")
        with interruptible(client, connection, job.job_id, cancels=True):
            job = follow(client, connection, job)
            tell_result(client, job, json=json)
            save_files(client, job, out)
