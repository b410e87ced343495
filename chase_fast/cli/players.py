"""``chase-fast players``: kinds of players and their options."""

from __future__ import annotations

from typing import Annotated

import typer

from chase_fast.agents.spec import OPTIONS, SUMMARIES, Option, PlayerSpec
from chase_fast.cli.options import JsonOption
from chase_fast.cli.output import Column, say, say_json, say_table
from chase_fast.errors import NotationError


def read_player(text: str, hint: str) -> PlayerSpec:
    """A player from the command line.

    Raises:
        typer.BadParameter: The text names none.
    """
    try:
        return PlayerSpec.parse(text)
    except NotationError as error:
        raise typer.BadParameter(
            f"{error}; 'chase-fast players' explains", param_hint=hint
        ) from error


def players(
    kind: Annotated[
        str | None, typer.Argument(metavar="KIND", help="One kind only.", show_default="all")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Explain the players: kinds, options, limits.

    One text names a player: a kind and its options, such as ab:nodes=10000,eps=0.05.
    """
    if kind is not None and kind not in OPTIONS:
        raise typer.BadParameter(
            f"{kind!r}, expected one of {', '.join(OPTIONS)}", param_hint="KIND"
        )
    kinds = [kind] if kind is not None else list(OPTIONS)
    if json:
        say_json({name: _document(name) for name in kinds})
        return
    for number, name in enumerate(kinds):
        say(("\n" if number else "") + f"{name}: {SUMMARIES[name]}")
        rows = [
            (f"  {option.name}=", option.allowed, _default(option), option.help)
            for option in OPTIONS[name]
        ]
        say_table(
            [Column("  option"), Column("value", fold=True), Column("default"),
             Column("meaning", fold=True)],
            rows,
        )  # fmt: skip
    if kind is None:
        say("\nExamples: random   ab:nodes=10000   ab:depth=4,eps=0.05   mcts:sims=1000,seed=3")
        say('          ext:cmd="chase-fast engine",nodes=5000')


def _default(option: Option) -> str:
    return "" if option.default is None else option.write(option.default)


def _document(kind: str) -> dict[str, object]:
    return {
        "summary": SUMMARIES[kind],
        "options": {
            option.name: {
                "allowed": option.allowed,
                "default": None if option.default is None else option.write(option.default),
                "help": option.help,
            }
            for option in OPTIONS[kind]
        },
    }
