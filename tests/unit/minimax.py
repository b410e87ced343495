"""The search's twin: what alpha-beta must score, by looking at everything.

It uses the engine's positions and decisions, and its static score; those are proved elsewhere. It
knows nothing of bounds, order, tables or depths of others. Values are remembered by position,
which prunes nothing.
"""

from __future__ import annotations

from chase_fast._core import SCORE_PROVEN, SCORE_WIN, Evaluator, Kind, Position

QUIET_DECISIONS = 6  # the quiescence looks no further ahead

__all__ = ["QUIET_DECISIONS", "TooManyError", "Twin"]


class TooManyError(Exception):
    """The answer would take more positions than the twin was allowed."""


def one_further(score: int) -> int:
    """A score one decision later: wins and losses count by their distance."""
    if score >= SCORE_PROVEN:
        return score - 1
    if score <= -SCORE_PROVEN:
        return score + 1
    return score


class Twin:
    """Plain minimax over a plain quiescence, with repetition and turn limit left aside.

    Args:
        evaluator: Gives the static scores.
        most: Positions that it may look at.
    """

    def __init__(self, evaluator: Evaluator, most: int = 1_000_000) -> None:
        self.evaluator = evaluator
        self.most = most
        self._known: dict[tuple[int, int], int] = {}
        self._quiet: dict[tuple[int, int], int] = {}

    def score(self, position: Position, depth: int) -> int:
        """The exact score of a position for the side to act, looking `depth` decisions ahead.

        Raises:
            TooManyError: That takes too many positions.
        """
        key = position.zobrist, depth
        if key not in self._known:
            self._known[key] = self._look(position, depth)
        return self._known[key]

    def _look(self, position: Position, depth: int) -> int:
        if depth == 0:
            return self._play_captures(position, 0)
        if position.winner is not None:
            return -SCORE_WIN  # only the side to act can have lost (R11)
        return max(
            self._after(position, child, self.score(child, depth - 1))
            for child in map(position.apply, position.legal_moves)
        )

    @staticmethod
    def _after(position: Position, child: Position, score: int) -> int:
        """What a child's score is worth to the side that acts in the position."""
        score = one_further(score)
        return score if child.side_to_act == position.side_to_act else -score

    def _play_captures(self, position: Position, looked: int) -> int:
        key = position.zobrist, looked
        if key not in self._quiet:
            if len(self._quiet) >= self.most:
                raise TooManyError
            self._quiet[key] = self._quiesce(position, looked)
        return self._quiet[key]

    def _quiesce(self, position: Position, looked: int) -> int:
        if position.winner is not None:
            return -SCORE_WIN
        if looked == QUIET_DECISIONS:
            return self.evaluator.evaluate(position)
        scores = []
        moves = list(position.legal_moves)
        if position.pips_due == 0 and position.capturing is None:  # the side may stand pat
            scores.append(self.evaluator.evaluate(position))
            moves = [
                move
                for move in moves
                if move.kind is Kind.MOVE and position.events(move)["captures"] > 0
            ]
        for move in moves:
            child = position.apply(move)
            scores.append(self._after(position, child, self._play_captures(child, looked + 1)))
        return max(scores)
