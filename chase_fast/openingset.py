"""The openings of a run: the same for every variant that is compared, written down with their hash.

An opening is a list of decisions from the start: an even number of turns without capture or split,
legal with the same text and leading to the same board under all rules of the run, and to another
board than every other opening. Games begin where it ends; repetition counts from there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from chase_fast._arguments import instance, shown, whole_number
from chase_fast._core import (
    Evaluator,
    Move,
    Position,
    Rules,
    SeriesResult,
    Starts,
    StopFlag,
    Termination,
    play_series,
)
from chase_fast._threads import poll
from chase_fast.agents import CoreAgent, PlayerSpec
from chase_fast.agents.weights import load_weights
from chase_fast.batch import MAX_SEED
from chase_fast.errors import ArgumentError, ChaseError, NotationError, StoppedError
from chase_fast.openings import MAX_OPENING_TURNS, MAX_OPENINGS

__all__ = ["DEFAULT_OPENING_TURNS", "OpeningSet", "game_seeds"]

DEFAULT_OPENING_TURNS: Final = 4

# Candidates are drawn so many at a time; where so many in a row bring nothing there are no more.
_BATCH: Final = 512
_PATIENCE: Final = 4096

_HEADER: Final = "# chase-fast openings 1"
_MAX_FILE: Final = 1 << 30

_TURN_LIMIT: Final = int(Termination.TURN_LIMIT)


def game_seeds(seed: int, first: int, count: int) -> npt.NDArray[np.uint64]:
    """Seeds of 64 bits by number: the output function of SplitMix64.

    Args:
        seed: 0 to 2**64 - 1.
        first: Number of the first, 0 or more.
        count: How many.

    Returns:
        uint64, shape (count,); number n depends on the seed and n alone.

    Source: G. L. Steele, D. Lea, C. H. Flood, Fast Splittable Pseudorandom Number Generators
    (2014).
    """
    with np.errstate(over="ignore"):
        z = np.arange(first + 1, first + count + 1, dtype=np.uint64)
        z = np.uint64(seed) + z * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


@dataclass(frozen=True, slots=True)
class OpeningSet:
    """Openings in their order.

    Attributes:
        turns: Of each.
        codes: Codes of the decisions, uint32, shape (openings, turns).
        source: Where they come from, in words.
        candidates: How many were looked at.
        unbalanced: How many of them were refused for their evaluation.
    """

    turns: int
    codes: npt.NDArray[np.uint32]
    source: str
    candidates: int = 0
    unbalanced: int = 0

    def __len__(self) -> int:
        return len(self.codes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OpeningSet):
            return NotImplemented
        return self.turns == other.turns and bool(np.array_equal(self.codes, other.codes))

    def __hash__(self) -> int:
        return hash(self.sha256)

    @property
    def sha256(self) -> str:
        """Over the lines of the file, the header left aside."""
        return self.digest()

    def digest(self, stop: StopFlag | None = None) -> str:
        """The same, for those who may not want to wait for very many.

        Raises:
            StoppedError: The flag was set.
        """
        digest = hashlib.sha256()
        for line in self.lines():
            poll(stop)
            digest.update(f"{line}\n".encode())
        return digest.hexdigest()

    def lines(self) -> Iterator[str]:
        """The decisions of each opening, with spaces between them."""
        texts = _Texts()
        for row in self.codes:
            yield " ".join(map(texts.__getitem__, row.tolist()))

    def starts(self, rules: Rules, first: int, count: int) -> list[Position]:
        """The last positions of openings, from the `first` on."""
        start = Position.start(rules)
        positions = []
        for row in self.codes[first : first + count].tolist():
            position = start
            for code in row:
                position = position.apply(Move.from_code(code))
            positions.append(position)
        return positions

    def packed(self, rules: Rules, first: int, count: int) -> Starts:
        """The same for `play_series`, without an object for each."""
        return Starts(Position.start(rules), self.codes[first : first + count])

    def write(self, path: Path) -> None:
        """Writes them to a file, a line each.

        Raises:
            OSError: It cannot be written.
        """
        path.write_text(self.text(), encoding="utf-8")

    def text(self, stop: StopFlag | None = None) -> str:
        """What `write` writes.

        Raises:
            StoppedError: The flag was set.
        """
        parts = [f"{_HEADER}\n# turns {self.turns}\n# source {' '.join(self.source.split())}\n"]
        for line in self.lines():
            poll(stop)
            parts.append(f"{line}\n")
        return "".join(parts)

    @classmethod
    def read(cls, path: Path, rules: Sequence[Rules]) -> OpeningSet:
        """Reads them from a file: a line of decisions each; lines that begin with # are left out.

        Args:
            path: The file.
            rules: Every opening is checked under all of them.

        Raises:
            NotationError: A line that is no opening under these rules, with its number.
            OSError: The file cannot be read.
        """
        checker = _Checker(rules)
        rows: list[list[int]] = []
        source = path.name
        if path.stat().st_size > _MAX_FILE:
            raise NotationError(f"{path.name} is longer than {_MAX_FILE} bytes")
        data = path.read_bytes()
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            number = data.count(b"\n", 0, error.start) + 1
            raise NotationError(f"{path.name}, line {number}: is not UTF-8 text") from None
        # Not splitlines, which sees more ends of lines than an editor counts.
        for number, line in enumerate(text.split("\n"), 1):
            if line.startswith("# source "):
                source = line.removeprefix("# source ").rstrip()
            if line.startswith("#") or not line.strip():
                continue
            try:
                moves = [Move.parse(word) for word in line.split()]
                checker.check(moves)
            except ChaseError as error:
                raise NotationError(f"{path.name}, line {number}: {error}") from None
            if rows and len(moves) != len(rows[0]):
                raise NotationError(
                    f"{path.name}, line {number}: has {len(moves)} turns, those before it "
                    f"{len(rows[0])}"
                )
            rows.append([move.code for move in moves])
        if not rows:
            raise NotationError(f"{path.name} holds no openings")
        return cls(len(rows[0]), np.array(rows, np.uint32), source, len(rows))

    @classmethod
    def generate(
        cls,
        rules: Sequence[Rules],
        openings: int,
        *,
        turns: int = DEFAULT_OPENING_TURNS,
        seed: int = 0,
        bound: int | None = None,
        stop: StopFlag | None = None,
    ) -> OpeningSet:
        """Draws openings: uniformly random turns under the first rules that hold under all of them.

        The n-th one depends on all arguments but the number of openings.

        Args:
            rules: All rules of the run, at least one; their starts have the same board.
            openings: How many, 1 to `MAX_OPENINGS`.
            turns: Of each, even, 0 to `MAX_OPENING_TURNS`.
            seed: 0 to 2**64 - 1.
            bound: The evaluation's size, thousandths of a die, beyond which under any of the
                rules an opening is refused; None refuses none.
            stop: Ends it early; polled at least every millisecond or so.

        Raises:
            ArgumentError: An argument that is not as described, or there are not so many.
            StoppedError: The flag was set.
        """
        if not rules:
            raise ArgumentError("rules is empty, expected at least one set of rules")
        openings = whole_number(openings, "openings", 1, MAX_OPENINGS)
        turns = _even(whole_number(turns, "turns", 0, MAX_OPENING_TURNS))
        seed = whole_number(seed, "seed", 0, MAX_SEED)
        if bound is not None:
            bound = whole_number(bound, "bound", 0, 32000)
        if turns == 0:
            if openings > 1:
                raise ArgumentError(f"openings is {openings}, but without turns there is only one")
            return cls(0, np.zeros((1, 0), np.uint32), "the start", 1)
        stop = StopFlag() if stop is None else stop
        instance(stop, "stop", StopFlag, "a StopFlag or None")
        checker = _Checker(rules, bound, stop)
        # As arrays, which take a tenth of the memory of lists of numbers.
        rows: list[npt.NDArray[np.uint32]] = []
        candidates = fruitless = 0
        for moves in _candidates(rules[0], turns, seed, stop=stop):
            candidates += 1
            if moves is not None and checker.accepts(moves):
                rows.append(np.array([move.code for move in moves], np.uint32))
                fruitless = 0
                if len(rows) == openings:
                    break
            elif (fruitless := fruitless + 1) == _PATIENCE:
                raise ArgumentError(
                    f"openings is {openings}, but of {turns} turns under "
                    f"{' and '.join(map(str, rules))} no more than {len(rows)} are to be found; "
                    "ask for fewer, or for other turns"
                )
        source = f"seed {seed}" + ("" if bound is None else f", evaluation within {bound}")
        return cls(turns, np.array(rows, np.uint32), source, candidates, checker.unbalanced)

    @classmethod
    def by_first_move(
        cls,
        rules: Sequence[Rules],
        each: int,
        *,
        turns: int = DEFAULT_OPENING_TURNS,
        seed: int = 0,
        stop: StopFlag | None = None,
    ) -> OpeningSet:
        """Draws as many openings for each first move, in canonical order of the moves.

        Args:
            rules: As for `generate`; first moves are those that all of them allow.
            each: Openings of each first move, at least 1.
            turns: Even, at least 2.
            seed: 0 to 2**64 - 1.
            stop: As for `generate`.

        Raises:
            ArgumentError: An argument that is not as described, or a first move has not so many.
            StoppedError: The flag was set.
        """
        if not rules:
            raise ArgumentError("rules is empty, expected at least one set of rules")
        each = whole_number(each, "each", 1, MAX_OPENINGS)
        turns = _even(whole_number(turns, "turns", 2, MAX_OPENING_TURNS))
        seed = whole_number(seed, "seed", 0, MAX_SEED)
        stop = StopFlag() if stop is None else stop
        instance(stop, "stop", StopFlag, "a StopFlag or None")
        checker = _Checker(rules, stop=stop)
        starts = [Position.start(one) for one in rules]
        rows: list[list[int]] = []
        candidates = 0
        for move in starts[0].legal_moves:
            if not all(move in start.legal_moves for start in starts):
                continue
            wanted, fruitless = len(rows) + each, 0
            for moves in _candidates(rules[0], turns, seed, move, stop=stop):
                candidates += 1
                if moves is not None and checker.accepts(moves):
                    rows.append([one.code for one in moves])
                    fruitless = 0
                    if len(rows) == wanted:
                        break
                elif (fruitless := fruitless + 1) == _PATIENCE:
                    raise ArgumentError(
                        f"each is {each}, but there are fewer openings of {turns} turns that begin "
                        f"with {move}"
                    )
        return cls(turns, np.array(rows, np.uint32), f"first moves, seed {seed}", candidates)


def _even(turns: int) -> int:
    if turns % 2:
        raise ArgumentError(f"turns is {turns}, expected an even number: red is to act after it")
    return turns


class _Texts(dict[int, str]):
    """Texts of decisions by code, each made once: openings have a few hundred different ones."""

    def __missing__(self, code: int) -> str:
        text = self[code] = str(Move.from_code(code))
        return text


class _Checker:
    """Whether openings hold under all rules, and each has a board of its own."""

    def __init__(
        self, rules: Sequence[Rules], bound: int | None = None, stop: StopFlag | None = None
    ) -> None:
        self._starts = [Position.start(instance(one, "rules", Rules, "Rules")) for one in rules]
        boards = {start.cfen.split()[0] for start in self._starts}
        if len(boards) > 1:
            raise ArgumentError("rules with different setups have no openings in common")
        self._seen: set[str] = set()
        self._bound = bound
        self._stop = stop
        self._evaluators: list[Evaluator] = (
            [load_weights(one).evaluator(one) for one in rules] if bound is not None else []
        )
        self.unbalanced = 0

    def accepts(self, moves: Sequence[Move]) -> bool:
        try:
            ends = self.check(moves)
        except StoppedError:
            raise
        except ChaseError:
            return False
        if self._bound is not None and any(
            abs(evaluator.evaluate(end)) > self._bound
            for evaluator, end in zip(self._evaluators, ends, strict=True)
        ):
            self.unbalanced += 1
            return False
        return True

    def check(self, moves: Sequence[Move]) -> list[Position]:
        """The last positions; ArgumentError or IllegalMoveError where it is no opening."""
        if len(moves) % 2:
            raise ArgumentError(f"has {len(moves)} turns, expected an even number")
        ends = [self._play(start, moves) for start in self._starts]
        boards = {end.cfen.split()[0] for end in ends}
        if len(boards) > 1:
            raise ArgumentError("leads to different boards under the rules of the run")
        board = boards.pop()
        if board in self._seen:
            raise ArgumentError("leads to the board of an opening before it")
        self._seen.add(board)
        return ends

    def _play(self, start: Position, moves: Sequence[Move]) -> Position:
        position = start
        for move in moves:
            poll(self._stop)
            events = position.events(move)
            if events["captures"] or events["split"]:
                raise ArgumentError(f"{shown(str(move))} captures or splits")
            position = position.apply(move)
        if position.side_to_act != start.side_to_act or not position.legal_moves:
            raise ArgumentError("red is not to act after it")
        return position


def _candidates(
    rules: Rules,
    turns: int,
    seed: int,
    first: Move | None = None,
    *,
    stop: StopFlag,
) -> Iterator[list[Move] | None]:
    """Random turns from the start, the first of which may be given, without end.

    None for those with a capture or a split.

    Raises:
        StoppedError: The flag was set.
    """
    start = Position.start(rules)
    head = [] if first is None else [first]
    if first is not None:
        start = start.apply(first)
    spec = PlayerSpec.parse("random")
    players = CoreAgent(spec, rules).core, CoreAgent(spec, rules).core
    number = 0
    while True:
        played: SeriesResult = play_series(
            *players,
            [start] * _BATCH,
            game_seeds(seed, number, _BATCH),
            np.zeros(_BATCH, np.bool_),
            max_turns=turns - len(head),
            stop=stop,
            keep_moves=True,
        )
        poll(stop)
        moves = played.moves.tolist() if played.moves is not None else []
        at = 0
        for stats in played.stats:
            poll(stop)
            length = int(stats["decisions"])
            # As ints: numpy looks for attributes of the enumeration, and Ctrl-C is lost in that.
            whole = int(stats["termination"]) == _TURN_LIMIT
            quiet = stats["captures"] == 0 and stats["splits"] == 0
            codes = moves[at : at + length]
            yield [*head, *map(Move.from_code, codes)] if whole and quiet else None
            at += length
        number += _BATCH
