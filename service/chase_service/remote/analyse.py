"""``chase-fast remote analyse``: a search on a server."""

from __future__ import annotations

from chase_fast import Game, Move
from chase_fast._core import Analysis, Line
from chase_fast.agents import PlayerSpec
from chase_fast.cli.analyse import (
    DEFAULT_PLAYER,
    BoardsOption,
    LinesOption,
    PlayerOption,
    lines_wanted,
    search_bar,
    tell_analysis,
)
from chase_fast.cli.options import (
    CfenArgument,
    JsonOption,
    PlayOption,
    RulesOption,
    read_game,
    read_one_rules,
)
from chase_fast.errors import ChaseError
from chase_service.players import KINDS
from chase_service.refusal import Code
from chase_service.remote.connection import (
    AnswerError,
    Connection,
    connected,
    player_text,
    refuse,
)

__all__ = ["analyse"]


def analyse(
    connection: Connection,
    cfen: CfenArgument = None,
    rules: RulesOption = None,
    play: PlayOption = None,
    player: PlayerOption = DEFAULT_PLAYER,
    lines: LinesOption = None,
    boards: BoardsOption = False,
    json: JsonOption = False,
) -> None:
    """Search a position on a server and print the best lines, as 'chase-fast analyse' does."""
    from_start = cfen is None
    game = read_game(cfen, read_one_rules(rules), play)
    wanted = lines_wanted(game, lines, from_start=from_start)
    with connected("analyse", connection) as client:
        name = player_text(client, player, "--player")
        codes = [move.code for move in game.moves]
        known = PlayerSpec.parse(name) if name.partition(":")[0] in KINDS else name
        with search_bar(known):
            (answer,) = client.analyse(
                [(game.start.cfen, codes)], name, rules=str(game.rules), lines=wanted
            )
        from chase_service.client import ItemError

        if isinstance(answer, ItemError):
            refuse("analyse", Code(answer.code).name, answer.message)
        found = Analysis(
            tuple(
                Line(line.score, line.depth, line.nodes, _moves(game, line.decisions))
                for line in answer.lines
            ),
            answer.depth, answer.nodes, answer.sims, 0, False,
        )  # fmt: skip
        tell_analysis(game, name, found, from_start=from_start, boards=boards, json=json)


def _moves(game: Game, codes: tuple[int, ...]) -> tuple[Move, ...]:
    """The decisions of a line, which can be played."""
    try:
        moves = tuple(map(Move.from_code, codes))
        after = game.position.apply(moves[0])
        for move in moves[1:]:
            after = after.apply(move)
    except (ChaseError, IndexError) as error:
        raise AnswerError(f"a line that cannot be played ({error})") from None
    return moves
