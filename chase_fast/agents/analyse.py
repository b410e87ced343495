"""What a player thinks of a position."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from chase_fast._arguments import callback, instance, whole_number
from chase_fast._core import MAX_DECISIONS, RED, Analysis, Position, StopFlag
from chase_fast._threads import run_jobs
from chase_fast.agents.make import make_player
from chase_fast.agents.spec import PlayerSpec
from chase_fast.game import Game


def analyse(
    position: Position | Game,
    player: PlayerSpec | str = "ab:nodes=200000",
    *,
    lines: int = 1,
    stop: StopFlag | None = None,
    report: Callable[[Analysis], object] | None = None,
) -> Analysis:
    """Searches a position with an empty table.

    Args:
        position: What to analyse; a `Game` gives the history, too, for repetition.
        player: Who does; its limits stand in its text.
        lines: Different first moves asked for, 1 to `MAX_DECISIONS`.
        stop: Ends the search early. Without it Ctrl-C is heard during the search.
        report: Called with an `Analysis` between iterations, by whichever thread searches; true
            ends the search.

    Returns:
        An `Analysis` with ``.lines``, best first, each with ``.score``, ``.pv``, ``.depth``,
        ``.nodes``. There may be fewer lines than asked for.

    Raises:
        GameOverError: The game is over.
        NotationError: ``player`` names no player.
        ArgumentError: Any other argument is not as described.

    >>> import chase_fast as cf
    >>> found = cf.analyse(cf.Position.start(), "ab:depth=1")
    >>> found.lines[0].depth, len(found.lines[0].pv)
    (1, 1)
    """
    # The annotation of `instance` has no word for unions.
    instance(position, "position", Position | Game, "a Position or a Game")  # type: ignore[arg-type]
    whole_number(lines, "lines", 1, MAX_DECISIONS)
    if stop is not None:
        instance(stop, "stop", StopFlag, "a StopFlag or None")
    callback(report, "report")
    game = position if isinstance(position, Game) else Game(position)
    with make_player(player, game.rules) as mind:
        mind.new_game(game.start, seed=0, side=RED, max_turns=0)
        if stop is not None:
            return mind.search(game, lines=lines, stop=stop, report=report)
        flag = StopFlag()
        search = partial(mind.search, game, lines=lines, stop=flag, report=report)
        return run_jobs([search], 1, flag)[0]
