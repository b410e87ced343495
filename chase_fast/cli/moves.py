"""``chase-fast moves``: the legal decisions of a position."""

from __future__ import annotations

from chase_fast import Move, Position
from chase_fast._lastmove import explain
from chase_fast.cli.describe import decision_json, effect_words, position_json, state_words
from chase_fast.cli.options import (
    CfenArgument,
    JsonOption,
    PlayOption,
    RulesOption,
    read_game,
    read_one_rules,
)
from chase_fast.cli.output import Column, say, say_json, say_table


def moves(
    cfen: CfenArgument = None,
    rules: RulesOption = None,
    play: PlayOption = None,
    json: JsonOption = False,
) -> None:
    """List the legal decisions.

    In a path, ~ crosses the seam, ^ is a ricochet, and x3 is the capture of a 3.
    """
    game = read_game(cfen, read_one_rules(rules), play)
    position = game.position
    if json:
        decisions = [decision_json(position, move) for move in game.legal_moves]
        say_json({**position_json(game), "decisions": decisions})
        return
    if game.legal_moves:
        say_table(
            [
                Column("#", align="right", style="dim"),
                Column("decision", style="bold"),
                Column("path", fold=True),
                Column("effect", fold=True),
            ],
            (
                [str(number), str(move), _path(position, move), effect_words(position, move)]
                for number, move in enumerate(game.legal_moves, 1)
            ),
        )
        say("")
    say(f"{position.cfen}\n{game.rules}: {state_words(game)}")


def _path(position: Position, move: Move) -> str:
    """The cells that a decision touches, without the decision itself."""
    text = explain(position, move, position.apply(move)).text
    return text.removeprefix(str(move)).removeprefix(": ")
