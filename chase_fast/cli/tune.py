"""``chase-fast tune``: weights of the evaluation by self-play."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from chase_fast import __version__
from chase_fast.agents.weights import save_weights
from chase_fast.batch import MAX_SEED
from chase_fast.cli.options import (
    JsonOption,
    RulesOption,
    ThreadsOption,
    integer,
    read_one_rules,
    threads_of,
)
from chase_fast.cli.output import note, say, say_json
from chase_fast.cli.progress import Bar
from chase_fast.cli.rundirs import need
from chase_fast.tune import Fit
from chase_fast.tune import tune as tune_rounds


def tune(
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="FILE", help="Write the weight file there.")
    ],
    rules: RulesOption = None,
    games: Annotated[
        int, typer.Option(metavar="N", parser=integer("--games", 1, 10**8), help="Games a round.")
    ] = 10_000,
    rounds: Annotated[
        int, typer.Option(metavar="N", parser=integer("--rounds", 1, 100), help="Rounds.")
    ] = 3,
    nodes: Annotated[
        int,
        typer.Option(
            metavar="N", parser=integer("--nodes", 1, 10**9), help="Nodes a decision of the games."
        ),
    ] = 400,
    seed: Annotated[
        int,
        typer.Option(metavar="N", parser=integer("--seed", 0, MAX_SEED), help="Of all games."),
    ] = 1,
    threads: ThreadsOption = None,
    json: JsonOption = False,
) -> None:
    """Tune the evaluation for some rules by self-play and logistic regression.

    A player uses the file by its option weights=FILE.
    """
    chosen = read_one_rules(rules)
    need("tune", "stats")
    folder = Path(out).resolve().parent
    if not folder.is_dir():
        raise typer.BadParameter(f"there is no folder {str(folder)!r}", param_hint="--out")
    began = time.monotonic()
    fitted: Fit | None = None
    with Bar("tune", "games") as bar:

        def progress(round_: int, done: int) -> None:
            bar.update(round_ * games + done, rounds * games, round_ * games + done)

        for number, fitted in enumerate(
            tune_rounds(
                chosen, games=games, rounds=rounds, nodes=nodes, seed=seed,
                threads=threads_of(threads), progress=progress,
            ),
            1,
        ):  # fmt: skip
            bar.note(
                f"round {number} of {rounds}: {fitted.positions} positions, loss "
                f"{fitted.loss:.4f}, scale {fitted.scale:.0f}"
            )
    assert fitted is not None
    made_by = {
        "version": __version__,
        "command": f"chase-fast tune --rules {chosen} --games {games} --rounds {rounds} "
        f"--nodes {nodes} --seed {seed}",
        "games": fitted.games,
        "positions": fitted.positions,
        "loss": round(fitted.loss, 5),
    }
    save_weights(out, fitted.weights, fitted.scale, chosen, made_by)
    note(f"wrote {out} after {time.monotonic() - began:.0f} s")
    if json:
        say_json({"rules": str(chosen), "scale": fitted.scale, **made_by,
                  "weights": fitted.weights})  # fmt: skip
    else:
        for name, weight in fitted.weights.items():
            say(f"{name:<14} {weight:>6}")
