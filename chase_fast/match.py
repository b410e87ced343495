"""A match of two players: a quick look at which is better."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from chase_fast._arguments import instance, whole_number
from chase_fast._core import BLUE, MAX_TURN_LIMIT, RED, Rules
from chase_fast.agents import PlayerSpec
from chase_fast.errors import ArgumentError
from chase_fast.openings import MAX_OPENING_TURNS, MAX_OPENINGS, random_openings
from chase_fast.simulate import PairResult, play_pairs
from chase_fast.stats.elo import PairScore, pair_score

__all__ = ["MAX_PAIRS", "MatchResult", "play_match"]

MAX_PAIRS = MAX_OPENINGS

_MOST_FAULTS = 5


@dataclass(slots=True)
class MatchResult:
    """Sums of a match, from the view of player A.

    Attributes:
        wins: Games that A won.
        draws: Games drawn, those that the turn limit ended among them.
        losses: Games that A lost.
        pentanomial: Pairs in which A got 0, ½, 1, 1½ and 2 points.
        red_wins: Games that red won, whoever played red.
        blue_wins: Games that blue won.
        terminations: Games by how they ended.
        faults: What was wrong with players that lost by it, with the number of games; the first
            few different texts.
        turns: Of all games, openings included.
        decisions: Likewise.
    """

    wins: int = 0
    draws: int = 0
    losses: int = 0
    pentanomial: list[int] = field(default_factory=lambda: [0] * 5)
    red_wins: int = 0
    blue_wins: int = 0
    terminations: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    turns: int = 0
    decisions: int = 0
    _hash: Any = field(default_factory=hashlib.sha256, repr=False, compare=False)
    _last: int = -1

    @property
    def pairs(self) -> int:
        """Pairs played."""
        return sum(self.pentanomial)

    @property
    def games(self) -> int:
        """Games played."""
        return 2 * self.pairs

    @property
    def summary(self) -> PairScore:
        """Score, interval and Elo of A."""
        return pair_score(self.pentanomial)

    @property
    def result_hash(self) -> str:
        """SHA-256 over a line for each game, in order of pair and game.

        The line has pair, game (0 or 1), result, termination and all decisions, separated by
        spaces.
        """
        return str(self._hash.hexdigest())

    def add(self, pair: PairResult) -> None:
        """Adds a pair.

        Raises:
            ArgumentError: It does not come after those that were added.
        """
        instance(pair, "pair", PairResult, "a PairResult")
        if pair.index <= self._last:
            raise ArgumentError(f"pair is number {pair.index}, expected one above {self._last}")
        self._last = pair.index
        self.pentanomial[round(2 * sum(pair.scores))] += 1
        for number, (result, score) in enumerate(zip(pair.games, pair.scores, strict=True)):
            outcome, game = result.outcome, result.game
            self.wins += score == 1
            self.draws += score == 0.5
            self.losses += score == 0
            self.red_wins += outcome.winner is RED
            self.blue_wins += outcome.winner is BLUE
            self.terminations[outcome.termination] += 1
            if result.fault and (result.fault in self.faults or len(self.faults) < _MOST_FAULTS):
                self.faults[result.fault] += 1
            self.turns += game.turn_count
            self.decisions += len(game.moves)
            row = (pair.index, number, outcome.result, outcome.termination, *game.moves)
            self._hash.update(f"{' '.join(map(str, row))}\n".encode())


def play_match(
    a: PlayerSpec | str,
    b: PlayerSpec | str,
    *,
    rules: Rules | None = None,
    pairs: int = 100,
    turns: int = 4,
    seed: int = 0,
    workers: int = 1,
    max_turns: int = 400,
    finished: Callable[[PairResult], None] | None = None,
) -> MatchResult:
    """Plays game pairs from different random openings.

    Args:
        a: A player's text.
        b: Another's, or the same.
        rules: By default standard.
        pairs: 1 to `MAX_PAIRS`.
        turns: Random turns of each opening, 0 to `MAX_OPENING_TURNS`.
        seed: Of openings and games, 0 to 2**64 - 1.
        workers: Pairs played side by side, 1 to 1024; results do not depend on it.
        max_turns: Turns after which a game is drawn, more than those of an opening.
        finished: Called with each pair, in order.

    Returns:
        The result. With players whose games depend on the clock or on threads it cannot be
        repeated exactly.

    Raises:
        NotationError: A text that names no player.
        ArgumentError: An argument that is not as described, or fewer openings than pairs.
        WeightsError: A weight file that cannot be read.
        PlayerError: A program that does not start.
    """
    pairs = whole_number(pairs, "pairs", 1, MAX_PAIRS)
    turns = whole_number(turns, "turns", 0, MAX_OPENING_TURNS)
    max_turns = whole_number(max_turns, "max_turns", turns + 1, MAX_TURN_LIMIT)
    rules = instance(Rules() if rules is None else rules, "rules", Rules, "Rules or None")
    openings = random_openings(rules, turns, pairs, seed=seed)
    result = MatchResult()
    played = play_pairs(
        a, b, openings, rules=rules, seed=seed, workers=workers, max_turns=max_turns,
        finished=finished,
    )  # fmt: skip
    # Closed at once, wherever Ctrl-C strikes: programs are ended then.
    with closing(played):
        for pair in played:
            result.add(pair)
    return result
