"""``chase-fast remote match``: games of two players on a server."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING, Final

from chase_fast import Game, Move, Outcome, Side
from chase_fast.agents import PlayerError
from chase_fast.cells import TERMINATIONS
from chase_fast.cli.match import (
    Asked,
    DrawnTurnsOption,
    PairsOption,
    PlayerA,
    PlayerB,
    RecordsOption,
    TurnsOption,
    check_match,
    tell_match,
)
from chase_fast.cli.options import JsonOption, RulesOption, SeedOption, read_one_rules
from chase_fast.errors import ChaseError
from chase_fast.match import MatchResult
from chase_fast.openings import random_openings
from chase_fast.simulate import GameResult, PairResult
from chase_service.remote.connection import AnswerError, Connection, connected, player_text

if TYPE_CHECKING:
    from chase_service.client import Client, PlayedGame

__all__ = ["match"]

# Openings that are drawn and sent at a time.
_PART: Final = 1000
_SILENT: Final = ("crash", "time")
_FAULTS: Final = ("illegal", *_SILENT)


def match(
    connection: Connection,
    a: PlayerA,
    b: PlayerB,
    rules: RulesOption = None,
    pairs: PairsOption = 100,
    turns: TurnsOption = 4,
    seed: SeedOption = 0,
    max_turns: DrawnTurnsOption = 400,
    games: RecordsOption = None,
    json: JsonOption = False,
) -> None:
    """Let two players of a server play, and tell who is better, as 'chase-fast match' does."""
    chosen = read_one_rules(rules)
    check_match(turns, max_turns, games)
    with connected("match", connection) as client:
        names = player_text(client, a, "A"), player_text(client, b, "B")
        asked = Asked(names, chosen, seed, turns, max_turns, pairs, games, json)

        def play(finished: Callable[[PairResult], None]) -> MatchResult:
            result = MatchResult()
            for pair in _pairs(client, asked):
                if not pair.index:
                    _check_start(pair, names)
                result.add(pair)
                finished(pair)
            return result

        tell_match("remote match", asked, play)


def _check_start(first: PairResult, players: tuple[str, str]) -> None:
    """Ends the match if a program does not start in the beginning, as the local command does.

    One that does so later, or answers badly, has lost a game.

    Raises:
        PlayerError: Both games were lost before anything was decided.
    """
    if all(
        one.outcome.termination in _SILENT and len(one.game.moves) == one.opening
        for one in first.games
    ):
        name = players[int(first.games[0].outcome.winner is Side.RED)]
        raise PlayerError(f"{name} does not start on the server", "crash")


def _pairs(client: Client, asked: Asked) -> Iterator[PairResult]:
    """All pairs in order. Openings are drawn here, so that any number of them can be played."""
    openings = random_openings(asked.rules, asked.turns, asked.pairs, seed=asked.seed)
    first = 0
    while part := list(islice(openings, _PART)):
        yield from _part(client, asked, part, first)
        first += len(part)


def _part(
    client: Client, asked: Asked, openings: Sequence[Game], first: int
) -> Iterator[PairResult]:
    waiting: dict[int, dict[int, GameResult]] = {}
    following = first
    played = client.play_games(
        *asked.players, rules=str(asked.rules), seed=asked.seed, first_pair=first,
        openings=[(one.start.cfen, [move.code for move in one.moves]) for one in openings],
        max_turns=asked.max_turns, decisions=True,
    )  # fmt: skip
    with closing(played):
        for game in played:
            place = game.pair - first
            if not 0 <= place < len(openings) or game.game not in (0, 1):
                raise AnswerError(f"game {game.game} of pair {game.pair}, which was not asked for")
            found = waiting.setdefault(game.pair, {})
            found[game.game] = _result(game, openings[place], asked)
            while len(waiting.get(following, ())) == 2:
                both = waiting.pop(following)
                yield PairResult(following, (both[0], both[1]))
                following += 1


def _result(played: PlayedGame, opening: Game, asked: Asked) -> GameResult:
    """A game as the library has it, played again decision by decision."""
    game = Game(opening.start)
    try:
        for code in played.decisions:
            game.push(Move.from_code(code))
        winner = None if played.winner is None else Side(played.winner)
        outcome = Outcome(winner, TERMINATIONS[played.termination])
    except (ChaseError, ValueError, IndexError) as error:
        raise AnswerError(f"a game of pair {played.pair} that none can be ({error})") from None
    if game.moves[: len(opening.moves)] != opening.moves:
        raise AnswerError(f"a game of pair {played.pair} from another opening")
    fault = ""
    if winner is not None and outcome.termination in _FAULTS:
        # What it did wrong is for the operator of the server to know.
        red_is_a = played.game == 0
        loser = asked.players[int((winner == Side.RED) == red_is_a)]
        fault = f"{loser} lost by {outcome.termination}"
    return GameResult(game, len(opening.moves), outcome, fault)
