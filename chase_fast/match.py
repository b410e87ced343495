"""A match of two players: a quick look at which is better."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import islice

from chase_fast._arguments import whole_number
from chase_fast._core import Rules
from chase_fast.agents import PlayerSpec
from chase_fast.openings import random_openings
from chase_fast.simulate import PairResult, play_pairs
from chase_fast.stats.elo import PairScore, pair_score

__all__ = ["MAX_PAIRS", "MatchResult", "play_match"]

MAX_PAIRS = 10**7


@dataclass(slots=True)
class MatchResult:
    """Sums of a match, from the view of player A.

    Attributes:
        wins: Games that A won.
        draws: Games drawn.
        losses: Games that A lost.
        pentanomial: Pairs in which A got 0, ½, 1, 1½ and 2 points.
        red_wins: Games that red won, whoever played red.
        blue_wins: Games that blue won.
        terminations: Games by how they ended.
        faults: What was wrong with players that lost by it, with the number of games; the first
            few different ones.
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
    _rows: list[bytes] = field(default_factory=list)

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
        """SHA-256 over the rows of all games, sorted: pair, game, winner, end, decisions."""
        return hashlib.sha256(b"".join(sorted(self._rows))).hexdigest()

    def add(self, pair: PairResult) -> None:
        """Adds a pair."""
        self.pentanomial[round(2 * sum(pair.scores))] += 1
        for number, (result, score) in enumerate(zip(pair.games, pair.scores, strict=True)):
            self.wins += score == 1
            self.draws += score == 0.5
            self.losses += score == 0
            winner = result.outcome.winner
            self.red_wins += winner is not None and winner == 0
            self.blue_wins += winner is not None and winner == 1
            self.terminations[result.outcome.termination] += 1
            if result.fault and (result.fault in self.faults or len(self.faults) < _MOST_FAULTS):
                self.faults[result.fault] += 1
            self.turns += result.game.turn_count
            self.decisions += len(result.game.moves)
            moves = " ".join(map(str, result.game.moves))
            row = f"{pair.index:012}/{number} {result.outcome} {moves}\n"
            self._rows.append(hashlib.sha256(row.encode()).digest())


_MOST_FAULTS = 5


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
        turns: Random turns of each opening.
        seed: Of openings and games, 0 to 2**64 - 1.
        workers: Pairs played side by side; results do not depend on it.
        max_turns: Turns after which a game is drawn.
        finished: Called with each pair, in order.

    Returns:
        The result. With players whose games depend on the clock or on threads it cannot be
        repeated exactly.

    Raises:
        NotationError: A text that names no player.
        ArgumentError: A number outside its range, or fewer openings than pairs.
    """
    whole_number(pairs, "pairs", 1, MAX_PAIRS)
    rules = rules or Rules()
    openings = islice(random_openings(rules, turns, seed=seed), pairs)
    result = MatchResult()
    played: Iterable[PairResult] = play_pairs(
        a, b, openings, rules=rules, seed=seed, workers=workers, max_turns=max_turns,
        finished=finished,
    )  # fmt: skip
    for pair in played:
        result.add(pair)
    return result
