# Codes and their names, the same in C, Python, Parquet and on the wire. Included by _core.pyx.


class Side(Code):
    """A side of the game; red moves first (R5)."""

    RED = CHASE_RED
    BLUE = CHASE_BLUE

    @property
    def other(self):
        """The opponent."""
        return BLUE if self is RED else RED


class Direction(Code):
    """One of the six directions (R2), counter-clockwise from east."""

    E = CHASE_E
    NE = CHASE_NE
    NW = CHASE_NW
    W = CHASE_W
    SW = CHASE_SW
    SE = CHASE_SE


class Kind(Code):
    """What a decision is: a move (R6), an exchange (R10), a distribution (R9) or a stop (R12)."""

    MOVE = CHASE_MOVE
    EXCHANGE = CHASE_EXCHANGE
    DISTRIBUTION = CHASE_DISTRIBUTION
    STOP = CHASE_STOP


class Termination(Code):
    """Why a game is over (R11); ``str()`` gives the word that records use, such as ``dice``."""

    NONE = CHASE_NOT_OVER
    DICE = CHASE_BY_DICE
    NO_DECISION = CHASE_BY_NO_DECISION
    REPETITION = CHASE_BY_REPETITION
    TURN_LIMIT = CHASE_BY_TURN_LIMIT

    def __str__(self):
        return self.name.lower()


RED = Side.RED
BLUE = Side.BLUE

# Members by code: an index is many times cheaper than a call of the enumeration.
cdef tuple _SIDES = tuple(Side)
cdef tuple _DIRECTIONS = tuple(Direction)
cdef tuple _KINDS = tuple(Kind)
cdef tuple _TERMINATIONS = tuple(Termination)
cdef tuple _TRACE_KINDS = ("ray", "left", "right", "push")  # by chase_trace_kind

TraceStep = namedtuple(
    "TraceStep",
    ("kind", "origin", "target", "direction", "value", "wraps", "ricochets", "captured"),
    module=__name__,
)
TraceStep.__doc__ = """One step of one die from cell to cell, as a move is carried out.

Attributes:
    kind: ``ray`` (the moving die), ``left`` or ``right`` (an exit of the chamber, R8), ``push`` (R7).
    origin: Cell that the die leaves.
    target: Cell that it enters.
    direction: The direction actually taken, after a bounce.
    value: Value of the die.
    wraps: Crossings of the seam in this step, 0 or 1.
    ricochets: Bounces in this step, 0 or 1.
    captured: Value of the enemy die taken on ``target``, or 0.
"""

MAX_DECISIONS = CHASE_MAX_DECISIONS
MAX_TURN_LIMIT = CHASE_MAX_TURN_LIMIT
MAX_PERFT_DEPTH = CHASE_MAX_PERFT_DEPTH

# What does not apply to a decision holds _NOT_APPLICABLE.
DECISION_DTYPE = np.dtype(
    [
        ("kind", np.uint8),
        ("cell", np.uint8),
        ("direction", np.uint8),
        ("other", np.uint8),
        ("value", np.uint8),
        ("other_value", np.uint8),
    ]
)
cdef enum:
    _NOT_APPLICABLE = 255

# The fields of chase_game_stats in their order, aligned as a C compiler aligns them.
GAME_DTYPE = np.dtype(
    [
        ("winner", np.int8),
        ("termination", np.uint8),
        ("longest_chain", np.uint16),
        ("turns", np.uint32),
        ("decisions", np.uint32),
        ("options", np.uint32),
        ("captures", np.uint32),
        ("double_captures", np.uint32),
        ("splits", np.uint32),
        ("refused_splits", np.uint32),
        ("whole_exits", np.uint32),
        ("bumps", np.uint32),
        ("exchanges", np.uint32),
        ("ricochets", np.uint32),
        ("wraps", np.uint32),
        ("distributions", np.uint32),
        ("distribution_options", np.uint32),
        ("forced", np.uint32),
    ],
    align=True,
)
if GAME_DTYPE.itemsize != sizeof(chase_game_stats):
    raise ImportError(
        f"chase_game_stats has {sizeof(chase_game_stats)} bytes, expected {GAME_DTYPE.itemsize}"
    )

# Likewise chase_game_detail.
DETAIL_DTYPE = np.dtype(
    [
        ("options_mantissa", np.float64),
        ("options_exponent", np.uint32),
        ("choices", np.uint32),
        ("exchanged", np.uint32, (5,)),
        ("first_capture", np.uint32),
        ("first_capture_side", np.int8),
        ("behind", np.uint8, (2,)),
    ],
    align=True,
)
# And chase_turn_row.
TURN_DTYPE = np.dtype(
    [
        ("options", np.uint16),
        ("decisions", np.uint8),
        ("side", np.uint8),
        ("dice", np.uint8, (2,)),
        ("spare", np.uint8, (2,)),
    ],
    align=True,
)
if DETAIL_DTYPE.itemsize != sizeof(chase_game_detail):
    raise ImportError(
        f"chase_game_detail has {sizeof(chase_game_detail)} bytes, expected {DETAIL_DTYPE.itemsize}"
    )
if TURN_DTYPE.itemsize != sizeof(chase_turn_row):
    raise ImportError(
        f"chase_turn_row has {sizeof(chase_turn_row)} bytes, expected {TURN_DTYPE.itemsize}"
    )

cdef tuple _CELL_NAMES = tuple([row + column for row in "ihgfedcba" for column in "123456789"])
cdef dict _CELLS = {name: cell for cell, name in enumerate(_CELL_NAMES)}


cdef int _cell(object cell, str name="cell") except -1:
    return _integer(cell, name, 0, CHASE_CELLS - 1, ArgumentError)


def cell_name(cell):
    """The name of a cell (R1).

    Args:
        cell: 0 (``i1``) to 80 (``a9``), in reading order.

    Returns:
        Row letter and column, such as ``"i1"``.

    Raises:
        ArgumentError: There is no such cell.
    """
    return _CELL_NAMES[_cell(cell)]


def parse_cell(text):
    """The number of a cell (R1), the inverse of `cell_name`.

    Args:
        text: Row letter ``a`` to ``i`` and column ``1`` to ``9``, nothing else.

    Returns:
        0 (``i1``) to 80 (``a9``), in reading order.

    Raises:
        NotationError: The text names no cell.
    """
    cell = _CELLS.get(text) if isinstance(text, str) else None
    if cell is None:
        offset = None
        if isinstance(text, str):
            # The first character that cannot be part of a cell's name.
            offset = 0 if not text or text[0] not in "abcdefghi" else 1
            if offset == 1 and len(text) > 1 and text[1] in "123456789":
                offset = 2
        raise NotationError(f"{_show(text)} is no cell, expected 'a1' to 'i9'", offset)
    return cell


def neighbour(cell, direction):
    """The cell beside a cell, the left and the right edge being joined (R2).

    Args:
        cell: 0 to 80.
        direction: A `Direction` or its code, 0 to 5.

    Returns:
        The neighbour, 0 to 80; None beyond an end row.

    Raises:
        ArgumentError: No such cell or direction.
    """
    cdef int found = chase_cell_neighbour(
        _cell(cell),
        _integer(direction, "direction", 0, CHASE_DIRECTIONS - 1, ArgumentError, Direction),
    )
    return None if found == CHASE_NO_CELL else found
