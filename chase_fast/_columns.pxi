# The legal decisions of many positions at once, without the GIL. Included by _core.pyx.

from libc.stdlib cimport free, malloc, realloc


LegalColumns = namedtuple("LegalColumns", ("counts", "codes", "states", "faulty"))
LegalColumns.__doc__ = """The legal decisions of many positions.

Attributes:
    counts: Decisions of each position, ints; 0 where there is no position.
    codes: `Move.code` of all of them, position after position, as the bytes of a uint32 array.
    states: Tuple of side to act, winner (-1 for none), termination and pips due of each; the first
        and the last two are 0 where there is no position.
    faulty: Indices of texts that are no positions.
"""


cdef struct _Row:
    const char *data
    Py_ssize_t length
    int count
    int side
    int winner
    int termination
    int due


cdef struct _Codes:
    chase_decision *data
    size_t length
    size_t room


cdef chase_status _list_codes(
    const chase_variant *variant, _Row *row, _Codes *codes
) noexcept nogil:
    """Appends the decisions of one text, and fills its row."""
    cdef chase_setup setup
    cdef chase_error error
    cdef chase_position position
    cdef chase_fault faults[CHASE_MAX_FAULTS]
    cdef int count = 0
    cdef chase_decision *data
    cdef chase_status status
    row.count = row.side = row.termination = row.due = 0
    row.winner = -1
    status = chase_cfen_parse(variant, row.data, row.length, &setup, &error)
    if status != CHASE_OK:
        return status
    status = chase_position_make(variant, &setup, &position, faults, &count)
    if status != CHASE_OK:
        return status
    # The room is at least twice as much as one position can need, so that doubling is enough.
    if codes.room - codes.length < CHASE_MAX_DECISIONS:
        data = <chase_decision *>realloc(codes.data, 2 * codes.room * sizeof(chase_decision))
        if data == NULL:
            return CHASE_MEMORY
        codes.data = data
        codes.room *= 2
    row.termination = <int>chase_position_outcome(variant, &position, &row.winner)
    row.side = position.side
    row.due = chase_position_due(variant, &position)
    row.count = chase_decision_list(variant, &position, codes.data + codes.length)
    codes.length += row.count
    return CHASE_OK


def _legal_columns(list texts not None, Rules rules not None, StopFlag stop not None):
    """Lists the legal decisions of many position texts, without the GIL.

    Args:
        texts: CFENs, each a str; an empty one is the start.
        rules: Of all of them.
        stop: Polled between two positions.

    Returns:
        `LegalColumns`, or None if it was stopped.

    Raises:
        ArgumentError: A text that is no str.
        MemoryError: No memory for the answer.
    """
    cdef Py_ssize_t number = len(texts), at = 0
    cdef const chase_variant *variant = rules._variant.handle
    cdef _Codes codes
    cdef chase_status status = CHASE_OK
    cdef list alive = []  # what the texts' bytes belong to
    cdef list faulty = []
    cdef str start = None
    cdef _Row *rows = <_Row *>malloc(max(number, 1) * sizeof(_Row))
    codes.length = 0
    codes.room = 64 * <size_t>number + 2 * CHASE_MAX_DECISIONS
    codes.data = <chase_decision *>malloc(codes.room * sizeof(chase_decision))
    try:
        if rows == NULL or codes.data == NULL:
            raise MemoryError("out of memory in the core")
        for at in range(number):
            text = texts[at]
            if not isinstance(text, str):
                raise ArgumentError(f"texts[{at}] must be a str, not {_show(text)}")
            if not text:
                if start is None:
                    start = Position.start(rules).cfen
                text = start
            alive.append(_utf8(text, &rows[at].data, &rows[at].length))
        with nogil:
            for at in range(number):
                if chase_stop_flag_is_set(&stop._flag):
                    status = CHASE_STOPPED
                    break
                status = _list_codes(variant, &rows[at], &codes)
                if status == CHASE_MEMORY:
                    break
                if status != CHASE_OK:
                    with gil:
                        faulty.append(at)
        if status == CHASE_STOPPED:
            return None
        if status == CHASE_MEMORY:
            raise MemoryError("out of memory in the core")
        return LegalColumns(
            [rows[at].count for at in range(number)],
            PyBytes_FromStringAndSize(
                <const char *>codes.data, codes.length * sizeof(chase_decision)
            ),
            [
                (rows[at].side, rows[at].winner, rows[at].termination, rows[at].due)
                for at in range(number)
            ],
            faulty,
        )
    finally:
        free(rows)
        free(codes.data)
