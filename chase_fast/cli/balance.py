"""``chase-fast balance``: rule variants side by side, and what may be said of them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chase_fast import Rules
from chase_fast.cli.options import (
    JsonOption,
    MaxTurnsOption,
    OpeningsOption,
    OpeningTurnsOption,
    SeedOption,
    WorkersOption,
    integer,
    read_rules,
    threads_of,
)
from chase_fast.cli.output import Column, note, say, say_json, say_table
from chase_fast.cli.players import read_player
from chase_fast.cli.progress import Bar
from chase_fast.cli.rundirs import (
    OutOption,
    ResumeOption,
    check_folder,
    keeping,
    need,
    tell_damaged,
    write_pages,
)
from chase_fast.errors import ArgumentError
from chase_fast.openings import MAX_OPENINGS

if TYPE_CHECKING:
    from chase_fast.runner import Progress

_SCORES = (
    Column("variant"),
    Column("red scores", "right"),
    Column("95 % interval", "right"),
    Column("draws", "right"),
    Column("verdict"),
)
_DIFFERENCES = (
    Column("variant"),
    Column("points", "right"),
    Column("95 % interval", "right"),
    Column("p (Holm)", "right"),
    Column("detectable", "right"),
    Column("verdict", fold=True),
)


DEFAULT_PAIRS = 500
DEFAULT_PLAYER = "ab:nodes=300"

VariantsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--variant",
        "-v",
        metavar="RULES",
        help="Rules to compare, as 'chase-fast rules' lists them; give it several times. The "
        "first are the base.",
        show_default="standard",
    ),
]

StrengthsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--player",
        "-p",
        metavar="PLAYER",
        help="Who plays both sides; give it several times, for several strengths.",
        show_default=DEFAULT_PLAYER,
    ),
]

LevelsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--level",
        "-l",
        metavar="LEVEL",
        help="What is measured: outcome, turns (the board turn by turn, heat maps), dynamics "
        "(how games went); give it several times.",
        show_default="outcome",
    ),
]

MarginOption = Annotated[
    float, typer.Option(metavar="POINTS", help="What is no difference that matters.")
]


def balance(
    variant: VariantsOption = None,
    player: StrengthsOption = None,
    pairs: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=integer("--pairs", 1, MAX_OPENINGS),
            help="Openings of each variant and player; a deterministic player plays one game each.",
            show_default="500, or all of --openings",
        ),
    ] = None,
    base: Annotated[
        str | None,
        typer.Option(metavar="RULES", help="The variant that others are compared with."),
    ] = None,
    seed: SeedOption = 0,
    opening_turns: OpeningTurnsOption = 4,
    openings: OpeningsOption = None,
    level: LevelsOption = None,
    margin: MarginOption = 2.0,
    until: Annotated[
        float | None,
        typer.Option(
            metavar="POINTS",
            help="End as soon as the interval of every score is within plus and minus so many "
            "points.",
        ),
    ] = None,
    checkpoint: Annotated[
        int,
        typer.Option(
            metavar="N",
            parser=integer("--checkpoint", 1, MAX_OPENINGS),
            help="Openings between two looks at --until.",
        ),
    ] = 100,
    first_moves: Annotated[
        int,
        typer.Option(
            metavar="M",
            parser=integer("--first-moves", 0, 10_000),
            help="Also a table of first moves, with so many openings of each, by the last player.",
        ),
    ] = 0,
    sensitivity: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=integer("--sensitivity", 0, 1000),
            help="Openings of the rows that repeat the first player with other openings and with "
            "the standard weights.",
            show_default="a fifth of --pairs",
        ),
    ] = None,
    dynamics_games: Annotated[
        int,
        typer.Option(
            metavar="N",
            parser=integer("--dynamics-games", 1, 1_000_000),
            help="Games of each variant and player that the level dynamics looks at.",
        ),
    ] = 200,
    dynamics_nodes: Annotated[
        int,
        typer.Option(
            metavar="N",
            parser=integer("--dynamics-nodes", 1, 10**9),
            help="Its nodes for each position.",
        ),
    ] = 200,
    max_turns: MaxTurnsOption = 1000,
    workers: WorkersOption = None,
    out: OutOption = None,
    resume: ResumeOption = False,
    json: JsonOption = False,
) -> None:
    """Play rule variants on common openings, and say what they do to the game.

    Every variant is played by every player against itself. Scores are those of red, who begins.
    Verdicts against the base are corrected for their number (Holm); 'equivalent' means a difference
    below the margin has been shown, 'undecided' that nothing has.
    """
    need("balance", "stats", "store", *(["report"] if out is not None else []))
    check_margin(margin)
    check_folder(out, resume)
    from chase_fast.balance import BalanceOptions, play_balance  # scipy costs import time

    file = None if openings is None else Path(openings)
    try:
        options = BalanceOptions(
            variants=[read_variant(text, "--variant") for text in variant or ["standard"]],
            players=[read_player(text, "--player") for text in player or [DEFAULT_PLAYER]],
            pairs=_pairs(pairs, file),
            base=None if base is None else read_variant(base, "--base"),
            seed=seed,
            opening_turns=opening_turns,
            openings=file,
            max_turns=max_turns,
            levels=tuple(level or ("outcome",)),
            margin=margin / 100,
            until=until,
            checkpoint=checkpoint,
            first_moves=first_moves,
            sensitivity=sensitivity,
            dynamics_games=dynamics_games,
            dynamics_nodes=dynamics_nodes,
        )
    except ArgumentError as error:
        raise typer.BadParameter(str(error)) from None
    words = command_words(options, out)
    with keeping("balance", out, words), Bar("balance", "decisions") as bar:
        bar.update(0, None, 0)
        result = play_balance(
            options,
            workers=threads_of(workers),
            out=out,
            resume=resume,
            watch=watcher(bar),
            phase=bar.note,
            command=words,
        )
        tell_damaged(result.damaged)
        bar.note("statistics and report ...")
        write_pages(result.document, out)
    if json:
        say_json(result.document)
    else:
        say_balance(result.document)


def check_margin(margin: float) -> None:
    """Refuses a margin that is none.

    Raises:
        typer.BadParameter: Its words.
    """
    if not 0 < margin < 50:
        raise typer.BadParameter(
            f"{margin:g}, expected points above 0 and below 50", param_hint="--margin"
        )


def _pairs(given: int | None, openings: Path | None) -> int:
    """As given; else as many openings as the file has, or 500."""
    if given is not None or openings is None:
        return DEFAULT_PAIRS if given is None else given
    lines = openings.read_text(encoding="utf-8", errors="replace").splitlines()
    return max(1, sum(bool(line.strip()) and not line.startswith("#") for line in lines))


def read_variant(text: str, hint: str) -> Rules:
    """Rules from an option.

    Raises:
        typer.BadParameter: It cannot be read; names the option.
    """
    try:
        return read_rules(text)
    except typer.BadParameter as error:
        raise typer.BadParameter(error.message, param_hint=hint) from None


def watcher(bar: Bar) -> Any:
    """What tells the bar of a run's progress: openings, weighted by the time that they take."""
    began = time.monotonic()

    def watch(progress: Progress) -> None:
        left = progress.seconds_left
        took = time.monotonic() - began
        if left is None:
            bar.update(progress.done, progress.total, progress.decisions)
        else:
            # Openings of strong players take longer: what counts is time.
            share = took / (took + left) if took + left else 1.0
            bar.update(round(1000 * share), 1000, progress.decisions)

    return watch


def command_words(options: Any, out: Path | None) -> list[str]:
    """A command line that repeats the run."""
    words = ["chase-fast", "balance"]
    for rules in options.variants:
        words += ["--variant", str(rules)]
    for player in options.players:
        words += ["--player", str(player)]
    words += ["--pairs", str(options.pairs), "--seed", str(options.seed)]
    if options.base is not None:
        words += ["--base", str(options.base)]
    if options.openings is not None:
        words += ["--openings", str(options.openings)]
    else:
        words += ["--opening-turns", str(options.opening_turns)]
    for level in options.levels:
        words += ["--level", level]
    words += ["--margin", f"{100 * options.margin:g}", "--max-turns", str(options.max_turns)]
    if options.until is not None:
        words += ["--until", f"{options.until:g}", "--checkpoint", str(options.checkpoint)]
    if options.first_moves:
        words += ["--first-moves", str(options.first_moves)]
    words += ["--sensitivity", str(options.sensitivity_openings)]
    if "dynamics" in options.levels:
        words += ["--dynamics-games", str(options.dynamics_games)]
        words += ["--dynamics-nodes", str(options.dynamics_nodes)]
    return [*words, *(["--out", str(out)] if out is not None else [])]


def say_balance(document: dict[str, Any]) -> None:
    """The verdict tables, a part for each player, and the warnings."""
    base = document["base"]
    for player in document["players"]:
        cells = [cell for cell in document["cells"] if cell["player"] == player["name"]]
        if not cells:
            continue
        openings = sorted({cell["openings"] for cell in cells})
        games = sum(cell["games"] for cell in cells)
        many = " to ".join(f"{one:,}" for one in dict.fromkeys((openings[0], openings[-1])))
        say(f"{player['name']}: n = {many} openings of each variant, {games:,} games")
        say_table(_SCORES, [_score_row(cell) for cell in cells])
        others = [one for one in document["comparisons"] if one["player"] == player["name"]]
        if others:
            say(f"\nred's points against {base}")
            say_table(_DIFFERENCES, [_difference_row(one) for one in others])
        say("")
    for warning in document["warnings"]:
        note(warning)


def _score_row(cell: dict[str, Any]) -> list[str]:
    score = cell["score"]
    return [
        cell["variant"],
        f"{score['value']:.1%}",
        f"{100 * score['low']:.1f} to {100 * score['high']:.1f}",
        f"{cell['results']['draw']['share']:.1%}",
        cell["against_half"]["verdict"],
    ]


def _difference_row(one: dict[str, Any]) -> list[str]:
    ends = [one["low"], one["high"]]
    return [
        one["variant"],
        f"{100 * one['difference']:+.1f}",
        " to ".join("unbounded" if end is None else f"{100 * end:+.1f}" for end in ends),
        f"{one['p_holm']:.3f}",
        "" if one["mde"] is None else f"{100 * one['mde']:.1f}",
        one["verdict"],
    ]
