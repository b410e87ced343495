"""``chase-fast analyse``: what a player thinks of a position."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from chase_fast import MAX_DECISIONS, Game
from chase_fast._core import SCORE_PROVEN, SCORE_WIN, Analysis, Line
from chase_fast.agents import PlayerError, PlayerSpec
from chase_fast.agents import analyse as search
from chase_fast.agents.protocol import score_text
from chase_fast.cli.describe import last_decision, state_words
from chase_fast.cli.options import (
    CfenArgument,
    JsonOption,
    PlayOption,
    RulesOption,
    integer,
    read_game,
    read_one_rules,
)
from chase_fast.cli.output import Column, note, say, say_json, say_table, si, with_unicode
from chase_fast.cli.players import read_player
from chase_fast.cli.progress import Bar
from chase_fast.textboard import text_board, use_colour

DEFAULT_PLAYER = "ab:nodes=500000"

# Scores are thousandths.
_DIE = 1000


PlayerOption = Annotated[
    str, typer.Option("--player", metavar="PLAYER", help="Who thinks; 'chase-fast players'.")
]

LinesOption = Annotated[
    int | None,
    typer.Option(
        "--lines",
        "-n",
        metavar="N",
        parser=integer("--lines", 1, MAX_DECISIONS),
        help="Different first decisions.",
        show_default="3, from the start all",
    ),
]

BoardsOption = Annotated[
    bool, typer.Option("--boards", help="Also draw the board after each line's first decision.")
]


def analyse(
    cfen: CfenArgument = None,
    rules: RulesOption = None,
    play: PlayOption = None,
    player: PlayerOption = DEFAULT_PLAYER,
    lines: LinesOption = None,
    boards: BoardsOption = False,
    json: JsonOption = False,
) -> None:
    """Search a position and print the best lines.

    Scores are in dice for the side to act: +1.00 is one die ahead. 'win 5' is a win in five
    decisions of both sides. From the start without --play all first decisions are compared.
    """
    game = read_game(cfen, read_one_rules(rules), play)
    spec = read_player(player, "--player")
    wanted = lines_wanted(game, lines, from_start=cfen is None)
    try:
        with search_bar(spec) as bar:

            def report(so_far: Analysis) -> None:
                # Between iterations, which take longer and longer: no rate could be told of them.
                words = f"depth {so_far.depth}, {si(so_far.nodes)} nodes"
                bar.update(0, None, 0, f"{si(so_far.sims)} simulations" if so_far.sims else words)

            found = search(game, spec, lines=wanted, report=report)
    except PlayerError as error:
        note(f"chase-fast analyse: {error}")
        raise typer.Exit(1) from None
    tell_analysis(game, str(spec), found, from_start=cfen is None, boards=boards, json=json)


def search_bar(player: PlayerSpec | str) -> Bar:
    """What shows for how long a player has thought.

    Args:
        player: Who does; a text that is none of ours says nothing of a limit of time.
    """
    seconds = dict(player.given).get("time") if isinstance(player, PlayerSpec) else None
    return Bar("analyse", "nodes", seconds=None if seconds is None else float(seconds))


def lines_wanted(game: Game, lines: int | None, *, from_start: bool) -> int:
    """How many lines are to be found.

    Args:
        game: What is analysed.
        lines: As many as were asked for, if that was said.
        from_start: Whether no position was given.

    Raises:
        typer.BadParameter: The game is over.
    """
    if not game.legal_moves:
        raise typer.BadParameter(f"the game is over: {state_words(game)}", param_hint="CFEN")
    return lines or (MAX_DECISIONS if from_start and not game.moves else 3)


def tell_analysis(
    game: Game, player: str, found: Analysis, *, from_start: bool, boards: bool, json: bool
) -> None:
    """Prints what was found.

    Args:
        game: What was analysed.
        player: The text of who did.
        found: What it found.
        from_start: Whether no position was given.
        boards: Whether the board after each line's first decision is drawn.
        json: Whether one JSON document is printed.
    """
    if json:
        say_json(_document(game, player, found))
        return
    if not from_start or game.moves:
        say(_board(game))
        say("")
    say(f"{game.position.cfen}\n{game.rules}: {state_words(game)}\n")
    rows = [
        (str(number), dice_text(line.score), str(line.depth), _pv(line))
        for number, line in enumerate(found.lines, 1)
    ]
    say_table(
        [Column("", "right"), Column("score", "right"), Column("depth", "right"),
         Column("decisions", fold=True)],
        rows,
    )  # fmt: skip
    if boards:
        for number, line in enumerate(found.lines, 1):
            after = game.copy()
            after.push(line.pv[0])
            say(f"\n{number}. {line.pv[0]}  {dice_text(line.score)}\n{_board(after)}")
    effort = f"{si(found.sims)} simulations, " if found.sims else ""
    note(f"{player}: {effort}{si(found.nodes)} nodes")


def dice_text(score: int) -> str:
    """A score for people: dice with a sign, or the distance of a win or loss."""
    if abs(score) >= SCORE_PROVEN:
        return f"{'win' if score > 0 else 'loss'} {SCORE_WIN - abs(score)}"
    return f"{score / _DIE:+.2f}"


def _pv(line: Line) -> str:
    return " ".join(map(str, line.pv))


def _board(game: Game) -> str:
    return text_board(
        game.position, **last_decision(game), colour=use_colour(sys.stdout), unicode=with_unicode()
    )


def _document(game: Game, player: str, found: Analysis) -> dict[str, Any]:
    return {
        "cfen": game.position.cfen,
        "rules": str(game.rules),
        "player": player,
        "depth": found.depth,
        "nodes": found.nodes,
        "sims": found.sims or None,
        "lines": [
            {
                "score": line.score,
                "score_text": score_text(line.score),
                "depth": line.depth,
                "nodes": line.nodes,
                "pv": [str(move) for move in line.pv],
            }
            for line in found.lines
        ],
    }
