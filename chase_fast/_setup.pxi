# From data that may be anything to a position that is proof. Included by _core.pyx.

cdef enum:
    _FAR = 9999  # beyond it a number is refused at once, before R13 is asked

cdef tuple _SIDE_NAMES = ("red", "blue")


cdef Position _blank_position(Rules rules):
    cdef Position position = Position.__new__(Position, _KEY)
    position._rules = rules
    return position


cdef Position _made_position(Rules rules, const chase_setup *setup, list board, object capturing):
    """The position of a setup, or all reasons against it (R13).

    Args:
        board: The values that were given, or None if `setup` holds them all: it holds what does
            not fit cut off at the ends of its type, far outside the valid range.
        capturing: The capturing cell that was given, or None.
    """
    cdef Position position = _blank_position(rules)
    cdef chase_fault faults[CHASE_MAX_FAULTS]
    cdef chase_fault *fault
    cdef char message[CHASE_MESSAGE_SIZE]
    cdef int at, count = 0
    cdef chase_status status = chase_position_make(
        rules._variant.handle, setup, &position._state, faults, &count
    )
    if status == CHASE_OK:
        return position
    if status != CHASE_INVALID_POSITION:
        raise _status_exception(status, "the core could not make the position")
    reasons = []
    for at in range(count):
        fault = &faults[at]
        # Reasons name what was given, not what it was cut off to.
        if board is not None:
            if fault.kind == CHASE_FAULT_VALUE or fault.kind == CHASE_FAULT_CHAMBER:
                fault.got = abs(board[fault.cell])
            elif fault.kind == CHASE_FAULT_PIPS_MORE:
                sign = 1 if fault.side == CHASE_RED else -1
                fault.got = sum([sign * value for value in board if sign * value > 0])
        if capturing is not None and fault.kind == CHASE_FAULT_CAPTURING_CELL:
            fault.got = capturing
        chase_fault_format(fault, message)
        reasons.append((<const char *>message).decode("utf-8", "replace"))
    raise InvalidPositionError(tuple(reasons))


cdef object _refuse_position(str reason):
    return InvalidPositionError((reason,))


cdef int _near(object value, str name, str expected, object code=None) except? -1:
    """An int no further from 0 than `_FAR`, for R13 to judge."""
    number = _index(value, code)
    if number is None or not -_FAR <= number <= _FAR:
        shown = _show(value if number is None else number)
        raise _refuse_position(f"{name} is {shown}, expected {expected}")
    return number


cdef list _board_values(object board):
    """The 81 values of anything array-like, as ints of at most four digits."""
    # asarray would show what a mask hides.
    if isinstance(board, np.ma.MaskedArray):
        raise _refuse_position("the board is a masked array, expected one without a mask")
    try:
        array = np.asarray(board)
    except (TypeError, ValueError, OverflowError) as error:
        raise _refuse_position(f"the board cannot be read as an array: {error}") from error
    if array.shape not in ((CHASE_CELLS,), (CHASE_ROWS, CHASE_COLUMNS)):
        raise _refuse_position(
            f"the board has shape {array.shape}, expected ({CHASE_CELLS},) or "
            f"({CHASE_ROWS}, {CHASE_COLUMNS})"
        )
    if array.dtype.kind not in "iu":
        raise _refuse_position(f"the board has dtype {array.dtype}, expected integers")
    values = array.reshape(CHASE_CELLS).tolist()
    for cell, value in enumerate(values):
        # A bound that keeps sums in their type; R13 judges what is left.
        if not -_FAR <= value <= _FAR:
            raise _refuse_position(
                f"die at {_CELL_NAMES[cell]} has value {value}, expected 1 to {CHASE_MAX_VALUE} "
                "(red) or the same below zero (blue)"
            )
    return values


cdef int _turned_cell(int cell) noexcept:
    """Where a half turn of the cylinder takes a cell."""
    cdef int row = cell // CHASE_COLUMNS
    cdef int column = cell % CHASE_COLUMNS
    column = CHASE_COLUMNS - 1 - column if row % 2 == 0 else (CHASE_COLUMNS - column) % CHASE_COLUMNS
    return (CHASE_ROWS - 1 - row) * CHASE_COLUMNS + column
