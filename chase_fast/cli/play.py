"""``chase-fast play``: a person against a player."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Sequence
from typing import Annotated, Literal

import typer

from chase_fast import BLUE, RED, Game, Move, Outcome, Side
from chase_fast._lastmove import explain
from chase_fast.agents import Player, PlayerError, PlayerSpec, analyse, make_player
from chase_fast.batch import MAX_SEED
from chase_fast.cli.analyse import dice_text
from chase_fast.cli.describe import effect_words, last_decision, side_name, state_words
from chase_fast.cli.entry import EntryError, read_entry
from chase_fast.cli.options import (
    CfenArgument,
    PlayOption,
    RulesOption,
    integer,
    read_game,
    read_one_rules,
)
from chase_fast.cli.output import Column, note, say, say_table, with_unicode
from chase_fast.cli.players import read_player
from chase_fast.record import RecordWriter
from chase_fast.textboard import text_board, use_colour

DEFAULT_PLAYER = "ab:nodes=20000"

HELP = """\
number        that decision of the list shown last
a5NE          a decision by its text; +a1 raises a die, stop ends a series of captures
a5            what the die on a5 can do, with the paths
a5 a6         the exchanges of two neighbours
a5=3 a6       the exchange after which a5 shows 3
list          all legal decisions           board      the board again
hint          what the player would do      back       take back your last turn
save FILE     the game as a record          moves      the game so far
resign        give up                       quit       leave without a result"""

# Lists up to this length are shown without being asked for.
_SHORT = 12


def _ask(prompt: str) -> str:
    """A line from whoever sits there; in a terminal it can be edited, and earlier ones recalled."""
    sys.stdout.flush()
    try:
        if sys.stdin.isatty():
            import readline  # noqa: F401 - makes input() edit lines

            return input(prompt)
        sys.stdout.write(prompt)
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            raise EOFError
    except EOFError:
        say("")
        raise _QuitError from None
    return line


class _QuitError(Exception):
    """The person leaves."""


class Session:
    """A game of a person against a player, on standard input and output.

    Args:
        game: Where it begins.
        player: The other side.
        human: The person's side.
        seed: Of the player's numbers.
    """

    def __init__(self, game: Game, player: Player, human: Side, seed: int) -> None:
        self.game = game
        self.outcome: Outcome | None = None
        names = ("human", str(player.spec))
        self.names = names if human == RED else names[::-1]
        self._player = player
        self._human = human
        self._seed = seed
        self._first = len(game.moves)
        self._listed: Sequence[Move] = ()
        self._begin()

    def _begin(self) -> None:
        """Also after taking back, which a player's memory of the game does not survive."""
        self._player.new_game(self.game.start, seed=self._seed, side=self._human.other, max_turns=0)

    def run(self) -> None:
        """Plays until the game is over or the person leaves."""
        say(f"You are {side_name(self._human)}, {self._player.spec} is "
            f"{side_name(self._human.other)}. Type help for help.")  # fmt: skip
        shown = False
        while self.outcome is None:
            self.outcome = self.game.outcome
            if self.outcome is not None:
                self._show()
                say(state_words(self.game))
            elif self.game.position.side_to_act != self._human:
                self._answer()
                shown = False
            else:
                if not shown:
                    self._show()
                    self._list_short()
                    shown = True
                shown = self._person() is None

    def _answer(self) -> None:
        try:
            move = self._player.choose(self.game).move
        except PlayerError as error:
            say(str(error))
            self.outcome = Outcome(self._human, error.termination)
            return
        before = self.game.position
        self.game.push(move)
        words = explain(before, move, self.game.position).text
        effect = effect_words(before, move)
        say(f"{side_name(before.side_to_act)}: {words}{f'  ({effect})' if effect else ''}")

    def _show(self) -> None:
        board = text_board(
            self.game.position,
            **last_decision(self.game),
            colour=use_colour(sys.stdout),
            orientation="red" if self._human == RED else "blue",
            unicode=with_unicode(),
        )
        say(f"\n{board}")
        if self.game.outcome is None:
            say(state_words(self.game))

    def _list_short(self) -> None:
        self._listed = self.game.legal_moves
        if len(self._listed) <= _SHORT:
            self._list(self._listed)

    def _list(self, moves: Sequence[Move]) -> None:
        self._listed = moves
        position = self.game.position
        say_table(
            [Column("#", "right"), Column("decision"), Column("path", fold=True),
             Column("effect", fold=True)],
            [
                (
                    str(number),
                    str(move),
                    explain(position, move, position.apply(move)).text.partition(": ")[2],
                    effect_words(position, move),
                )
                for number, move in enumerate(moves, 1)
            ],
        )  # fmt: skip

    def _person(self) -> Move | None:
        """One entry; the decision that was made by it, if one was."""
        line = _ask(f"{side_name(self._human)}> ")
        word, _, rest = line.strip().partition(" ")
        match word.lower():
            case "":
                return None
            case "help" | "?":
                say(HELP)
            case "quit" | "q" | "exit":
                raise _QuitError
            case "list":
                self._list(self.game.legal_moves)
            case "board":
                self._show()
            case "moves":
                say(" / ".join(" ".join(map(str, turn)) for turn in self.game.turns) or "none yet")
            case "hint":
                self._hint()
            case "back":
                return self._back()
            case "save":
                self._save(rest.strip())
            case "resign":
                self.outcome = Outcome(None, "aborted")
                say(f"{side_name(self._human.other)} wins by your resignation")
            case _:
                return self._enter(line)
        return None

    def _enter(self, line: str) -> Move | None:
        try:
            entered = read_entry(line, self.game.legal_moves, self._listed)
        except EntryError as error:
            say(str(error))
            return None
        if entered.move is None:
            self._list(entered.choices)
            say("Type a number.")
            return None
        self.game.push(entered.move)
        return entered.move

    def _hint(self) -> None:
        spec = self._player.spec
        if spec.kind in ("random", "ext"):
            spec = PlayerSpec.parse(DEFAULT_PLAYER)
        line = analyse(self.game, spec).lines[0]
        say(f"{line.pv[0]}  ({dice_text(line.score)}: {' '.join(map(str, line.pv))})")

    def _back(self) -> Move | None:
        """To the beginning of the person's last turn, or of this one if it has begun."""
        made = [
            index
            for index in range(self._first, len(self.game.moves))
            if self.game.positions[index].side_to_act == self._human
            and (index == 0 or self.game.positions[index - 1].side_to_act != self._human
                 or index == self._first)
        ]  # fmt: skip
        if not made:
            say("there is nothing to take back")
            return None
        move = self.game.moves[made[-1]]
        while len(self.game.moves) > made[-1]:
            self.game.pop()
        self._begin()
        return move

    def _save(self, name: str) -> None:
        if not name:
            say("expected: save FILE")
            return
        try:
            save_game(name, self)
            say(f"saved {name}")
        except OSError as error:
            say(f"cannot write {name}: {error.strerror}")


def save_game(name: str, session: Session) -> None:
    """Writes the game as a record; one that is not over is marked as aborted."""
    outcome = session.game.outcome or session.outcome or Outcome(None, "aborted")
    red, blue = session.names
    today = dt.datetime.now(tz=dt.UTC).date()
    record = session.game.to_record(red=red, blue=blue, date=today, outcome=outcome)
    with RecordWriter(name) as writer:
        writer.write(record)


def play(
    cfen: CfenArgument = None,
    against: Annotated[
        str,
        typer.Option(
            "--against", "-a", metavar="PLAYER", help="The other side; 'chase-fast players'."
        ),
    ] = DEFAULT_PLAYER,
    side: Annotated[Literal["red", "blue"], typer.Option(help="Your side; red begins.")] = "red",
    rules: RulesOption = None,
    play_: PlayOption = None,
    seed: Annotated[
        int,
        typer.Option(metavar="N", parser=integer("--seed", 0, MAX_SEED), help="Of the player."),
    ] = 0,
    save: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Save the game there at the end, however it ends."),
    ] = None,
) -> None:
    """Play against the computer in this terminal.

    Decisions are entered by number, by text such as a5NE, or by cell: a5 lists what the die there
    can do. 'help' lists the rest.
    """
    game = read_game(cfen, read_one_rules(rules), play_)
    spec = read_player(against, "--against")
    try:
        player = make_player(spec, game.rules)
    except PlayerError as error:
        note(f"chase-fast play: {error}")
        raise typer.Exit(1) from None
    with player:
        session = Session(game, player, RED if side == "red" else BLUE, seed)
        try:
            session.run()
        except _QuitError:
            pass
        finally:
            if save is not None and game.moves:
                save_game(save, session)
                note(f"saved {save}")
