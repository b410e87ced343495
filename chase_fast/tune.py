"""Weights of the evaluation, tuned by self-play.

Games are played by alpha-beta with few nodes from random openings; positions of them are fitted
to the games' results by logistic regression, so that logistic(score / scale) is the chance of
the side to act; the new weights play the next round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from chase_fast._core import (
    FEATURES,
    MAX_WEIGHT,
    RED,
    CorePlayer,
    Evaluator,
    Move,
    Position,
    Rules,
    StopFlag,
    features,
    play_game,
)
from chase_fast._threads import run_jobs
from chase_fast.errors import ArgumentError
from chase_fast.replay import playout_game

DIE: Final = 1000
"""What one more die is worth on average, in every weight file: the unit of scores."""

START_WEIGHTS: Final[Mapping[str, int]] = {
    **{f"dice_{n}": n * DIE for n in range(10)},
    "mobility": 8,
    "guarded": 40,
    "act_loose": 150,
    "act_any": 200,
    "wait_loose": 100,
    "wait_two": 200,
    "tempo": 100,
}
"""Where the first round of a first tuning starts; features left out weigh nothing."""

START_SCALE: Final = 1500.0

_OPENING_TURNS: Final = (2, 8)  # random ones, drawn for each game
_ATTEMPTS: Final = 1000
_MAX_TURNS: Final = 400
_SHARE: Final = 0.35  # of a game's turns; neighbours tell nearly the same
_EPS: Final = 0.05  # random turns, so that odd positions occur
_CHUNK: Final = 50  # games a job

_DICE = 10  # features of the number of dice come first


@dataclass(frozen=True, slots=True)
class Sample:
    """Positions at the start of turns and how their games ended.

    Attributes:
        counts: int16, shape (n, len(FEATURES)), as `_core.features` gives them.
        results: float64, shape (n,): 1 the side to act won, 0.5 drawn, 0 lost.
        games: Games that they come from.
    """

    counts: npt.NDArray[np.int16]
    results: npt.NDArray[np.float64]
    games: int


@dataclass(frozen=True, slots=True)
class Fit:
    """Fitted weights.

    Attributes:
        weights: By name, in thousandths of a die.
        scale: logistic(score / scale) is the expected result.
        loss: Mean cross-entropy in nats on the sample, the penalty included.
        positions: Size of the sample.
        games: Games that it comes from.
    """

    weights: dict[str, int]
    scale: float
    loss: float
    positions: int
    games: int


def _vector(weights: Mapping[str, int]) -> list[int]:
    unknown = sorted(set(weights) - set(FEATURES))
    if unknown:
        raise ArgumentError(
            f"unknown features {', '.join(unknown)}, expected {', '.join(FEATURES)}"
        )
    return [weights.get(name, 0) for name in FEATURES]


def _opening(start: Position, seed: int, game: int, turns: int) -> tuple[Move, ...]:
    """Random turns that do not end the game: the first such one of the playouts of this game."""
    for attempt in range(_ATTEMPTS):
        opening = playout_game(start, game * _ATTEMPTS + attempt, seed=seed, max_turns=turns)
        if opening.outcome is None:
            return opening.moves
    raise ArgumentError(f"under {start.rules} no game outlasts {turns} random turns")


def _play(
    evaluator: Evaluator, nodes: int, seed: int, games: range, stop: StopFlag
) -> tuple[list[npt.NDArray[np.int16]], list[float]]:
    """Positions and results of some games; a game depends on seed and number alone."""
    start = Position.start(evaluator.rules)
    red, blue = (CorePlayer(evaluator, "ab", nodes=nodes, eps=_EPS, seed=seed) for _ in "rb")
    counts: list[npt.NDArray[np.int16]] = []
    results: list[float] = []
    for game in games:
        rng = np.random.Generator(np.random.Philox(key=[seed, game]))
        opening = _opening(start, seed, game, int(rng.integers(*_OPENING_TURNS, endpoint=True)))
        played = play_game(start, opening, red, blue, game, _MAX_TURNS, stop)
        if played is None:
            break
        moves, row = played
        red_score = {0: 1.0, 1: 0.0}.get(int(row["winner"]), 0.5)
        position = start
        for number, move in enumerate((*opening, *moves)):
            quiet = position.pips_due == 0 and position.capturing is None
            if number >= len(opening) and quiet and rng.random() < _SHARE:
                counts.append(features(position))
                own = position.side_to_act == RED
                results.append(red_score if own else 1 - red_score)
            position = position.apply(move)
    return counts, results


def collect(
    rules: Rules,
    weights: Mapping[str, int],
    *,
    games: int,
    nodes: int = 400,
    seed: int = 0,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Sample:
    """Plays games and takes positions from them.

    Args:
        rules: The rules.
        weights: Of both players, by feature; those left out are 0.
        games: How many, at least 1.
        nodes: Node limit of each decision, at least 1.
        seed: 0 to 2**64 - 1; the sample depends on it and not on `threads`.
        threads: Games played side by side.
        progress: Called with the number of games that are done.

    Raises:
        ArgumentError: An unknown feature, or a number outside its range.
    """
    if games < 1 or nodes < 1:
        raise ArgumentError(f"games and nodes must be at least 1, not {games} and {nodes}")
    evaluator = Evaluator(rules, _vector(weights))
    stop = StopFlag()
    chunks = [range(at, min(at + _CHUNK, games)) for at in range(0, games, _CHUNK)]

    def job(chunk: range) -> Callable[[], tuple[list[npt.NDArray[np.int16]], list[float]]]:
        return lambda: _play(evaluator, nodes, seed, chunk, stop)

    done = iter(chunks)

    def finished(_: object) -> None:
        if progress is not None:
            progress(next(done).stop)

    parts = run_jobs([job(chunk) for chunk in chunks], threads, stop, finished)
    counts = [count for part, _ in parts for count in part]
    results = [result for _, part in parts for result in part]
    return Sample(np.array(counts, np.int16), np.array(results), games)


def _increments() -> npt.NDArray[np.float64]:
    """The matrix that sums up what each further die is worth to the weights of dice_n.

    In these terms "as the neighbours" is the same as "no difference", and the penalty pulls
    numbers of dice that hardly occur towards it.
    """
    matrix = np.eye(len(FEATURES))
    matrix[:_DICE, :_DICE] = np.tril(np.ones((_DICE, _DICE)))
    return matrix


def _worth_of_a_die(weights: npt.NDArray[np.float64], counts: npt.NDArray[np.int16]) -> float:
    """Mean of what a die more is worth: its step, and where and with which value it stands."""
    values = slice(_DICE, _DICE + 6)
    rows = slice(values.stop, values.stop + 9)
    use = np.abs(counts).sum(axis=0, dtype=np.float64) + 1
    steps = np.diff(weights[:_DICE])
    weight_of_steps = use[: _DICE - 1] + use[1:_DICE]
    mean = float(np.average(steps, weights=weight_of_steps))
    return mean + sum(
        float(np.average(weights[part], weights=use[part])) for part in (values, rows)
    )


def fit(sample: Sample, prior: Mapping[str, int], scale: float, *, ridge: float = 30.0) -> Fit:
    """Logistic regression of results on counts, penalised by the distance from `prior`.

    Minimises the sum over positions of the cross-entropy between result and
    logistic(counts . b), plus ridge times the squared distance of b from prior / scale, by
    L-BFGS (scipy); b is then scaled so that one more die is worth `DIE` on average.

    Args:
        sample: What to fit.
        prior: Weights by feature; those left out are 0.
        scale: Theirs.
        ridge: Strength of the penalty, in squared logits; at least 0.

    Raises:
        ArgumentError: An unknown feature, a number outside its range, or a sample in which a die
            more is not worth anything.
    """
    from scipy.optimize import minimize  # costs import time, and is not always there

    if ridge < 0 or scale <= 0:
        raise ArgumentError(f"ridge must be at least 0 and scale above 0, not {ridge} and {scale}")
    matrix = _increments()
    counts = sample.counts.astype(np.float64) @ matrix
    centre = np.linalg.solve(matrix, np.array(_vector(prior), np.float64)) / scale

    def loss(b: npt.NDArray[np.float64]) -> tuple[float, npt.NDArray[np.float64]]:
        logits = counts @ b
        off = b - centre
        entropy = np.logaddexp(0, logits) - sample.results * logits
        gradient = counts.T @ (1 / (1 + np.exp(-logits)) - sample.results)
        return float(entropy.sum() + ridge * (off @ off)), gradient + 2 * ridge * off

    found = minimize(loss, centre, jac=True, method="L-BFGS-B", options={"maxiter": 2000})
    raw = matrix @ found.x
    worth = _worth_of_a_die(raw, sample.counts)
    if worth <= 0:
        raise ArgumentError("in this sample more dice do not win; play more games")
    weights = np.rint(raw * DIE / worth).clip(-MAX_WEIGHT, MAX_WEIGHT).astype(int)
    # Sums of all weights of dice mean nothing: both sides have one of them.
    weights[:_DICE] -= weights[0]
    return Fit(
        weights=dict(zip(FEATURES, map(int, weights), strict=True)),
        scale=DIE / worth,
        loss=float(found.fun) / max(len(sample.results), 1),
        positions=len(sample.results),
        games=sample.games,
    )


def tune(
    rules: Rules,
    *,
    games: int = 10_000,
    rounds: int = 3,
    nodes: int = 400,
    seed: int = 0,
    threads: int = 1,
    prior: Mapping[str, int] = START_WEIGHTS,
    scale: float = START_SCALE,
    ridge: float = 30.0,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Fit]:
    """Rounds of self-play and regression; each fit uses the games of all rounds so far.

    Args:
        rules: The rules.
        games: Games a round.
        rounds: At least 1.
        nodes: See `collect`.
        seed: See `collect`; round r plays with seed + r.
        threads: See `collect`.
        prior: See `fit`; later rounds take the fit before them.
        scale: See `fit`; likewise.
        ridge: See `fit`.
        progress: Called with the round, from 0, and the games done in it.

    Yields:
        The fit after each round.

    Raises:
        ArgumentError: See `collect` and `fit`.
    """
    samples: list[Sample] = []
    weights: Mapping[str, int] = prior
    for number in range(rounds):
        watch = None if progress is None else _at_round(progress, number)
        samples.append(
            collect(rules, weights, games=games, nodes=nodes, seed=seed + number, threads=threads,
                    progress=watch)
        )  # fmt: skip
        fitted = fit(_joined(samples), weights, scale, ridge=ridge)
        weights, scale = fitted.weights, fitted.scale
        yield fitted


def _at_round(progress: Callable[[int, int], None], number: int) -> Callable[[int], None]:
    return lambda done: progress(number, done)


def _joined(samples: Sequence[Sample]) -> Sample:
    return Sample(
        counts=np.concatenate([sample.counts for sample in samples]),
        results=np.concatenate([sample.results for sample in samples]),
        games=sum(sample.games for sample in samples),
    )
