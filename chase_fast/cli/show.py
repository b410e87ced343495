"""``chase-fast show``: a position as a picture."""

from __future__ import annotations

import re
import sys
from pathlib import PurePath
from typing import Annotated, Literal

import typer

from chase_fast import Game
from chase_fast.cli.describe import last_decision, position_json, state_words
from chase_fast.cli.files import STANDARD, writing
from chase_fast.cli.options import (
    CfenArgument,
    JsonOption,
    PlayOption,
    RulesOption,
    integer,
    read_game,
    read_one_rules,
)
from chase_fast.cli.output import note, say, say_json, with_unicode
from chase_fast.svg import MAX_SIZE, MIN_SIZE, game_svg
from chase_fast.textboard import text_board, use_colour

_SIZE = 640

# Endings that promise another kind of file than an SVG picture.
_OTHER_FORMATS = re.compile(
    r"\.(avif|bmp|eps|gif|gz|heic|ico|jpe?g|jxl|pdf|png|ps|svgz|tiff?|webp)", re.IGNORECASE
)


def show(
    cfen: CfenArgument = None,
    rules: RulesOption = None,
    play: PlayOption = None,
    orientation: Annotated[
        Literal["red", "blue"], typer.Option(help="The side that sits at the bottom.")
    ] = "red",
    ascii_only: Annotated[
        bool, typer.Option("--ascii", help="Draw the board in ASCII characters.")
    ] = False,
    svg: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write an SVG picture there instead; - is stdout."),
    ] = None,
    theme: Annotated[
        Literal["auto", "light", "dark"] | None,
        typer.Option(help="Colours of the picture; needs --svg.", show_default="auto"),
    ] = None,
    size: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=integer("--size", MIN_SIZE, MAX_SIZE),
            help="Width of the picture in pixels; needs --svg.",
            show_default=str(_SIZE),
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Draw a position.

    After --play, the last decision is marked: where the die set out, its path, where it landed,
    what it pushed and took.
    """
    for option, given in (("--theme", theme), ("--size", size)):
        if given is not None and svg is None:
            raise typer.BadParameter("needs --svg FILE, the picture it is for", param_hint=option)
    if ascii_only and (json or svg is not None):
        other = "--json" if svg is None else "--svg"
        raise typer.BadParameter(f"is for the board as text, not for {other}", param_hint="--ascii")
    if svg is not None:
        _check_name(svg)
    if json and svg == STANDARD:
        raise typer.BadParameter("cannot share standard output with --json", param_hint="--svg")
    game = read_game(cfen, read_one_rules(rules), play)
    if svg is not None:
        picture = game_svg(game, orientation=orientation, theme=theme or "auto", size=size or _SIZE)
        with writing(svg, param_hint="--svg") as stream:
            stream.write(picture.encode())
        if svg != STANDARD:
            note(f"wrote {svg}")
    if json:
        last = str(game.moves[-1]) if game.moves else None
        say_json({**position_json(game), "last_decision": last, "board": _board(game)})
    elif svg is None:
        board = text_board(
            game.position,
            **last_decision(game),
            colour=use_colour(sys.stdout),
            orientation=orientation,
            unicode=with_unicode() and not ascii_only,
        )
        say(f"{board}\n\n{game.position.cfen}\n{game.rules}: {state_words(game)}")


def _check_name(name: str) -> None:
    """Refuses a name that promises another kind of file."""
    ending = PurePath(name).suffix
    if _OTHER_FORMATS.fullmatch(ending):
        better = PurePath(name).stem + ".svg"
        raise typer.BadParameter(
            f"{name!r} ends in {ending}, but what is written is SVG; expected a name such as "
            f"{better!r}, or - for standard output",
            param_hint="--svg",
        )


def _board(game: Game) -> list[int]:
    values: list[int] = game.position.board.tolist()
    return values
