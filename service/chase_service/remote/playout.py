"""``chase-fast remote playout``: random games on a server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from chase_fast import GAME_DTYPE, Position, Side
from chase_fast.batch import Playouts
from chase_fast.cli.options import CfenArgument, JsonOption, PlayOption, SeveralRulesOption
from chase_fast.cli.playout import (
    AllOption,
    FirstGameOption,
    GamesArgument,
    GameSeedOption,
    GameTurnsOption,
    RowsOption,
    read_starts,
    tell_playouts,
)
from chase_fast.errors import ChaseError
from chase_fast.stats.sums import PairSums, Sums
from chase_fast.tally import COUNTERS, TERMINATIONS, Tally
from chase_service.remote.connection import AnswerError, Connection, connected

if TYPE_CHECKING:
    from chase_service.client import Client

__all__ = ["playout"]

# Games that are asked for at a time: a second or so, so that there is progress to be seen.
_PART: Final = 50_000
# Games in a message of those that are told one by one.
_BATCH: Final = 5000


def playout(
    connection: Connection,
    games: GamesArgument,
    cfen: CfenArgument = None,
    rules: SeveralRulesOption = None,
    play: PlayOption = None,
    seed: GameSeedOption = 0,
    first_game: FirstGameOption = 0,
    max_turns: GameTurnsOption = 1000,
    out: RowsOption = None,
    everything: AllOption = False,
    json: JsonOption = False,
) -> None:
    """Play GAMES random games on a server and sum them up, as 'chase-fast playout' does.

    --json has no "threads": those that play are the server's.
    """
    starts = read_starts(games, cfen, rules, play, first_game, out)
    # Without "threads": how many it has is the server's matter.
    options = {"seed": seed, "first_game": first_game, "max_turns": max_turns}
    asked = {"seed": seed, "max_turns": max_turns}
    with connected("playout", connection) as client:

        def source(position: Position) -> Iterator[Playouts | Tally]:
            if out is not None:
                return _rows(client, position, games, first_game, asked)
            return _tallies(client, position, games, first_game, asked)

        tell_playouts(starts, games, options, out, source, everything=everything, json=json)


def _tallies(
    client: Client, position: Position, games: int, first_game: int, asked: dict[str, int]
) -> Iterator[Tally]:
    for begin in range(0, games, _PART):
        part = min(_PART, games - begin)
        response = client.playouts(
            part, position=position.cfen, rules=str(position.rules), first_game=first_game + begin,
            **asked,
        )  # fmt: skip
        tally = _tally(list(response.counters), response.results[0])
        if tally.games != part:
            raise AnswerError(f"{tally.games} games for {part}")
        yield tally


def _tally(counters: list[str], sums: Any) -> Tally:
    """What the sums of a response say, to the last bit."""
    try:
        if counters != list(COUNTERS):
            raise AnswerError(f"it counts other things than {', '.join(COUNTERS)}")
        rows = zip(sums.totals, sums.squares, sums.lowest, sums.highest, strict=True)
        tally = Tally()
        tally.games = sums.games
        tally.wins = {Side.RED: sums.red_wins, Side.BLUE: sums.blue_wins}
        tally.terminations = dict(zip(TERMINATIONS, sums.terminations, strict=True))
        found = [Sums(sums.games, *row) for row in rows]
        tally.counters = dict(zip(COUNTERS, found, strict=True))
        tally.options = PairSums(
            tally.counters["options"], tally.counters["decisions"], sums.options_by_decisions
        )
    except ValueError as error:
        raise AnswerError(f"sums that are none ({error})") from None
    return tally


def _rows(
    client: Client, position: Position, games: int, first_game: int, asked: dict[str, int]
) -> Iterator[Playouts]:
    parts = client.playout_games(
        games, position=position.cfen, rules=str(position.rules), first_game=first_game,
        batch=_BATCH, **asked,
    )  # fmt: skip
    for part in parts:
        rows = np.empty(len(part.winner), GAME_DTYPE)
        try:
            for name in GAME_DTYPE.names or ():
                rows[name] = np.fromiter(getattr(part, name), np.int64, len(rows))
            yield Playouts(position, rows, first_game=part.first_game, **asked)
        except (ValueError, OverflowError, ChaseError) as error:
            raise AnswerError(f"columns that are none ({error})") from None
