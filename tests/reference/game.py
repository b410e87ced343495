"""A game: its positions, its turns, and its end (R11, R12 repetition)."""

from __future__ import annotations

from .model import RefPosition


class RefGame:
    """A game from a position on; a CFEN carries no history, so it begins here (R11)."""

    def __init__(self, start: RefPosition) -> None:
        self.positions: list[RefPosition] = [start]
        self.turns: list[list[str]] = []  # the decisions of each turn
        self._in_turn = False  # whether the last of ``turns`` goes on

    @property
    def position(self) -> RefPosition:
        """The position as it stands."""
        return self.positions[-1]

    def push(self, text: str) -> None:
        """Take a decision; ValueError if it is not legal or the game is over (R11)."""
        if self.over:
            raise ValueError(f"{text!r}: a finished game takes no decision")
        before = self.position
        after = before.apply(text)
        self.positions.append(after)
        if not self._in_turn:
            self.turns.append([])
        self.turns[-1].append(text)
        self._in_turn = after.side == before.side

    @property
    def drawn(self) -> bool:
        """Whether the game is drawn by the repetition rule of its rules; a won game is not."""
        return self.position.winner is None and self.repeated

    @property
    def repeated(self) -> bool:
        """Whether the repetition rule holds now, whoever may have won."""
        repetition = self.position.rules.repetition
        if repetition == "threefold":
            return self.positions.count(self.position) >= 3
        if repetition == "moves" and not self._in_turn and len(self.turns) >= 12:
            return self.turns[-12:-8] == self.turns[-8:-4] == self.turns[-4:]
        return False

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.termination is not None

    @property
    def winner(self) -> int | None:
        """0 for red, 1 for blue, None for a draw or a game that goes on."""
        return self.position.winner

    @property
    def termination(self) -> str | None:
        """``dice``, ``no_decision`` or ``repetition``; None while the game goes on."""
        if any(self.position.has_lost_by_dice(side) for side in (0, 1)):
            return "dice"
        if self.position.winner is not None:
            return "no_decision"
        return "repetition" if self.repeated else None
