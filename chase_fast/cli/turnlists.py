"""Games as lists of turns, in the notations of other programs.

Grammar::

    file = *blank-line [ game *( 1*blank-line game ) ] *blank-line
    game = 1*( turn line-end )

A turn is what `chase_fast.notation` reads and writes. Nothing is said about rules, players or
result: games begin at the start of given rules, and end as the rules say or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from chase_fast import Game, Move, Position, RecordError, Rules
from chase_fast.errors import ChaseError
from chase_fast.notation import (
    read_abstractplay,
    read_chase_ai,
    write_abstractplay,
    write_chase_ai,
)
from chase_fast.record import MAX_LINE, Record
from chase_fast.record.lines import Lines


@dataclass(frozen=True, slots=True)
class TurnNotation:
    """How another program writes a turn.

    Attributes:
        read: From a position and a text to decisions.
        write: From a position and decisions to a text.
    """

    read: Callable[[Position, str], list[Move]]
    write: Callable[[Position, Iterable[Move | str]], str]


NOTATIONS = {
    "abstractplay": TurnNotation(read_abstractplay, write_abstractplay),
    "chase-ai": TurnNotation(read_chase_ai, write_chase_ai),
}


def read_turn_lists(
    stream: BinaryIO,
    name: str,
    notation: TurnNotation,
    rules: Rules,
    on_error: Callable[[RecordError], None],
) -> Iterator[Record]:
    """Reads games one by one, in memory that does not depend on their number.

    Args:
        stream: The file.
        name: Its name, for messages.
        notation: How its turns are written.
        rules: The rules of all games.
        on_error: Called with what is wrong with a game; the next one is read then.
    """
    lines = Lines(stream, name, MAX_LINE)
    while True:
        game = Game(rules=rules)
        fault: RecordError | None = None
        line: str | None = None
        lines.begin_record()
        while True:
            try:
                line = lines.read()
                if line is None or not line.strip():
                    break
                if fault is None:
                    _play(game, line, notation, lines)
            except RecordError as error:
                if lines.broken:
                    # Damage ends the file, so that it matters more than what came before it.
                    fault, line = error, None
                    break
                fault = fault or error
        if fault is not None:
            on_error(fault)
        elif game.moves:
            yield game.to_record()
        if line is None:
            return


def write_turn_list(record: Record, notation: TurnNotation) -> str:
    """The turns of a game, each with its line end; its tags and comments are left out.

    Raises:
        RecordError: The game does not begin at the start of its rules.
        ChaseError: The notation has no words for a turn, or the game stops within one.
    """
    if record.start != Position.start(record.rules):
        raise RecordError(
            "the game does not begin at the start of its rules, which a list of turns cannot say"
        )
    game = record.to_game()
    texts, done = [], 0
    for turn in game.turns:
        texts.append(notation.write(game.positions[done], turn) + "\n")
        done += len(turn)
    return "".join(texts)


def _play(game: Game, line: str, notation: TurnNotation, lines: Lines) -> None:
    try:
        if game.outcome is not None:
            raise RecordError(f"a turn follows the end of the game ({game.outcome.termination})")
        for move in notation.read(game.position, line.strip()):
            game.push(move)
    except ChaseError as error:
        raise lines.error(f"turn {game.turn_count + 1}: {error}") from error
