"""Types of the compiled core; the docstrings stand in ``_core.pyx``."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from typing import Any, ClassVar, NamedTuple, Self, final

import numpy as np
import numpy.typing as npt

class Side(IntEnum):
    RED = 0
    BLUE = 1
    @property
    def other(self) -> Side: ...

class Direction(IntEnum):
    E = 0
    NE = 1
    NW = 2
    W = 3
    SW = 4
    SE = 5

class Kind(IntEnum):
    MOVE = 0
    EXCHANGE = 1
    DISTRIBUTION = 2
    STOP = 3

class Termination(IntEnum):  # a plain int code; str() gives the word ("dice")
    NONE = 0
    DICE = 1
    NO_DECISION = 2
    REPETITION = 3
    TURN_LIMIT = 4

class TraceStep(NamedTuple):
    kind: str  # "ray", "left", "right", "push"
    origin: int
    target: int
    direction: Direction
    value: int
    wraps: int
    ricochets: int
    captured: int

RED: Side
BLUE: Side
MAX_DECISIONS: int
MAX_TURN_LIMIT: int
MAX_PERFT_DEPTH: int
# kind, cell, direction, other, value, other_value, all uint8; 255 = does not apply
DECISION_DTYPE: np.dtype[np.void]
GAME_DTYPE: np.dtype[np.void]  # chase_game_stats, 64 bytes
DETAIL_DTYPE: np.dtype[np.void]  # chase_game_detail, 56 bytes
TURN_DTYPE: np.dtype[np.void]  # chase_turn_row, 8 bytes

def cell_name(cell: int) -> str: ...  # 0 -> "i1"
def parse_cell(text: str) -> int: ...  # "i1" -> 0; NotationError
def neighbour(cell: int, direction: int) -> int | None: ...  # None beyond an end row
def move_of(move: Move | str) -> Move: ...
def move_at(text: str, begin: int, end: int) -> Move: ...
def philox(seed: int, game: int, counter: int) -> tuple[int, int, int, int]: ...
def philox_raw(
    counter: tuple[int, int, int, int], key: tuple[int, int]
) -> tuple[int, int, int, int]: ...
def available_isas() -> tuple[str, ...]: ...  # that run here, best first

@final
class Rules:
    FIELDS: ClassVar[tuple[str, ...]]  # in the order of R12
    PRESETS: ClassVar[Mapping[str, str]]  # name -> canonical text
    def __new__(
        cls,
        *,
        reserve: int = 1,
        recycle: bool = True,
        chain: bool = False,
        handout: str = "lowest",
        setup: str = "123454321",
        wrap: bool = True,
        ricochet: bool = True,
        repetition: str = "threefold",
    ) -> Self: ...
    @classmethod
    def parse(cls, text: str) -> Self: ...
    @property
    def reserve(self) -> int: ...
    @property
    def recycle(self) -> bool: ...
    @property
    def chain(self) -> bool: ...
    @property
    def handout(self) -> str: ...
    @property
    def setup(self) -> str: ...
    @property
    def wrap(self) -> bool: ...
    @property
    def ricochet(self) -> bool: ...
    @property
    def repetition(self) -> str: ...
    @property
    def total(self) -> int: ...
    @property
    def digest(self) -> str: ...  # 16 hex digits
    @property
    def isa(self) -> str: ...
    def replace(self, **changes: Any) -> Self: ...
    def as_dict(self) -> dict[str, Any]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Move:
    @classmethod
    def parse(cls, text: str) -> Move: ...
    @classmethod
    def from_code(cls, code: int) -> Move: ...
    @property
    def code(self) -> int: ...
    @property
    def kind(self) -> Kind: ...
    @property
    def cell(self) -> int | None: ...  # None for stop
    @property
    def direction(self) -> Direction | None: ...  # of a move
    @property
    def other(self) -> int | None: ...  # second cell of an exchange
    @property
    def value(self) -> int | None: ...  # new value of the first cell of an exchange
    @property
    def other_value(self) -> int | None: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class LegalMoves(Sequence[Move]):
    def __len__(self) -> int: ...
    def __getitem__(self, index: Any, /) -> Any: ...
    def __iter__(self) -> Iterator[Move]: ...
    def __contains__(self, move: object) -> bool: ...  # Move or text
    def index(self, value: Any, start: int = 0, stop: int | None = None, /) -> int: ...
    def count(self, value: Any, /) -> int: ...
    @property
    def codes(self) -> npt.NDArray[np.uint32]: ...  # Move.code of each, read-only
    @property
    def array(self) -> npt.NDArray[np.void]: ...  # DECISION_DTYPE, read-only
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Position:
    @classmethod
    def start(cls, rules: Rules | None = None) -> Position: ...
    @classmethod
    def parse(cls, cfen: str, rules: Rules | None = None) -> Position: ...
    @classmethod
    def from_array(
        cls,
        board: npt.ArrayLike,
        side: int,
        *,
        spare: tuple[int, int] | None = None,
        capturing: int | None = None,
        rules: Rules | None = None,
    ) -> Position: ...
    @property
    def rules(self) -> Rules: ...
    @property
    def cfen(self) -> str: ...
    @property
    def side_to_act(self) -> Side: ...
    @property
    def capturing(self) -> int | None: ...
    @property
    def spare(self) -> tuple[int, int]: ...
    @property
    def dice(self) -> tuple[int, int]: ...
    @property
    def pips(self) -> tuple[int, int]: ...
    @property
    def pips_due(self) -> int: ...
    @property
    def winner(self) -> Side | None: ...
    @property
    def termination(self) -> Termination: ...
    @property
    def legal_moves(self) -> LegalMoves: ...
    @property
    def board(self) -> npt.NDArray[np.int8]: ...  # (81,), read-only copy
    @property
    def zobrist(self) -> int: ...  # 64 bits; equal positions have equal values
    def value_at(self, cell: int | str) -> int: ...  # signed, 0 = empty
    def move(self, text: Move | str) -> Move: ...  # parse and check legality
    def is_legal(self, move: Move | str) -> bool: ...
    def apply(self, move: Move | str) -> Position: ...
    def trace(self, move: Move | str) -> tuple[TraceStep, ...]: ...
    def events(self, move: Move | str) -> dict[str, int]: ...
    def half_turn(self) -> Position: ...  # colours swapped too; ArgumentError with wrap=no
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_svg_(self) -> str: ...
    def _rehash(self) -> int: ...
    def _consistent(self) -> bool: ...

@final
class StopFlag:
    """A flag that long calls poll; set from any thread."""
    def set(self) -> None: ...
    def is_set(self) -> bool: ...

def _perft(position: Position, depth: int, unit: int, stop: StopFlag) -> int | None: ...
def _playouts(
    position: Position,
    out: npt.NDArray[np.void],
    seed: int,
    first_game: int,
    max_turns: int,
    stop: StopFlag,
) -> int: ...  # games finished; fills out[:n]; releases the GIL

class LegalColumns(NamedTuple):
    counts: list[int]
    codes: bytes
    states: list[tuple[int, int, int, int]]
    faulty: list[int]

def _legal_columns(
    texts: list[str], rules: Rules, stop: StopFlag
) -> LegalColumns | None: ...  # releases the GIL

# ---- Players

FEATURES: tuple[str, ...]  # names of the weights, in order
SCORE_WIN: int
SCORE_PROVEN: int
MAX_WEIGHT: int
MAX_DEPTH: int
MAX_TEMP: int
MAX_HASH_MIB: int
FULL_ROLLOUT: int
REDUCE_ALL: int
REDUCTIONS: tuple[str, ...]  # by bit
PLAYER_KINDS: tuple[str, ...]
TREE_POLICIES: tuple[str, ...]

class Line(NamedTuple):
    score: int
    depth: int
    nodes: int
    pv: tuple[Move, ...]

class Analysis(NamedTuple):
    lines: tuple[Line, ...]
    depth: int
    nodes: int
    sims: int
    polls: int
    stopped: bool

@final
class Evaluator:
    def __new__(cls, rules: Rules, weights: Iterable[int]) -> Self: ...
    @property
    def rules(self) -> Rules: ...
    def evaluate(self, position: Position) -> int: ...

def features(position: Position) -> npt.NDArray[np.int16]: ...  # (len(FEATURES),)

@final
class CorePlayer:
    def __new__(
        cls,
        evaluator: Evaluator,
        kind: str,
        *,
        seed: int = 0,
        nodes: int = 0,
        sims: int = 0,
        depth: int = 0,
        eps: float = 0.0,
        temp: int = 0,
        hash_mib: int = 64,
        table: bool = True,
        reductions: int = ...,
        verify: bool = False,
        policy: str = "puct",
        exploration: float | None = None,
        rollout: int | None = None,
    ) -> Self: ...
    @property
    def evaluator(self) -> Evaluator: ...
    def new_game(self, seed: int, side: int) -> None: ...
    def share(self, owner: CorePlayer, index: int) -> None: ...
    def search(
        self,
        start: Position,
        moves: Iterable[Move],
        stop: StopFlag,
        *,
        lines: int = 1,
        max_turns: int = 0,
        report: Callable[[Analysis], object] | None = None,
    ) -> Analysis: ...
    def choose(
        self,
        start: Position,
        moves: Iterable[Move],
        stop: StopFlag,
        *,
        max_turns: int = 0,
        report: Callable[[Analysis], object] | None = None,
    ) -> tuple[Move, Analysis]: ...

def play_game(
    start: Position,
    opening: Iterable[Move],
    red: CorePlayer,
    blue: CorePlayer,
    seed: int,
    max_turns: int,
    stop: StopFlag,
) -> tuple[list[Move], np.void] | None: ...

class SeriesResult(NamedTuple):
    stats: npt.NDArray[np.void]
    details: npt.NDArray[np.void]
    moves: npt.NDArray[np.uint32] | None
    turns: npt.NDArray[np.void] | None
    heat: npt.NDArray[np.uint64] | None

@final
class Starts:
    rules: Rules
    def __init__(self, start: Position, codes: npt.NDArray[np.uint32]) -> None: ...
    def __len__(self) -> int: ...

def count_game(
    start: Position, moves: Sequence[Move], *, max_turns: int = 0, keep_turns: bool = False
) -> SeriesResult: ...
def play_series(
    a: CorePlayer,
    b: CorePlayer,
    starts: Sequence[Position] | Starts,
    seeds: npt.NDArray[np.uint64],
    swapped: npt.NDArray[np.bool_],
    *,
    max_turns: int,
    stop: StopFlag,
    keep_moves: bool = False,
    keep_turns: bool = False,
) -> SeriesResult: ...

_STATUS_COUNT: int

def _status_exception(
    status: int, message: str = "", offset: int | None = None
) -> BaseException | None: ...
