# Decisions as Python objects. Included by _core.pyx.

cdef enum:
    _CODES = 1 << 18  # chase_decision has 18 bits

# Every Move that was ever asked for, by its code; each is made once and never freed (there are
# fewer than ten thousand decisions). Pages that hold no decision are never touched, hence cost
# nothing.
cdef PyObject *_known_moves[_CODES]


cdef Move _move_of(chase_decision code):
    """The Move of a valid code."""
    cdef PyObject *known = _known_moves[code]
    cdef Move move
    if known != NULL:
        return <Move>known
    move = Move.__new__(Move, _KEY)
    move._code = code
    Py_INCREF(move)
    _known_moves[code] = <PyObject *>move
    return move


cdef chase_decision _read_decision(object text, Py_ssize_t begin=0) except? 0xFFFFFFFF:
    """The code of a text from character `begin` on, before which all must be ASCII."""
    cdef const char *data
    cdef Py_ssize_t length
    cdef chase_decision code = 0
    cdef chase_error error
    cdef chase_status status
    if not isinstance(text, str):
        raise NotationError(f"a decision must be a Move or its text, not {_show(text)}")
    alive = _utf8(text, &data, &length)
    status = chase_decision_parse_at(data, begin, length, &code, &error)
    if status != CHASE_OK:
        raise _status_exception(status, _message_of(&error), _offset_of(&error))
    return code


cdef inline chase_decision _decision_of(object move) except? 0xFFFFFFFF:
    """The code of a Move or of the text of one."""
    if type(move) is Move:
        return (<Move>move)._code
    return _read_decision(move)


def move_of(move):
    """A `Move`, given as such or as text.

    Raises:
        NotationError: Neither, or text that is no decision.
        IllegalMoveError: An exchange between cells that are nowhere neighbours.
    """
    return move if type(move) is Move else _move_of(_read_decision(move))


def move_at(str text not None, Py_ssize_t begin, Py_ssize_t end):
    """The decision that stands in a longer text, with offsets that count from its beginning.

    Args:
        text: The whole.
        begin: Index of the first character of the decision, before which all must be ASCII.
        end: Index of the first character after it.

    Raises:
        NotationError, IllegalMoveError: As for `Move.parse`.
    """
    if not 0 <= begin <= end <= len(text) or not text[:begin].isascii():
        raise ArgumentError(f"no decision can stand from {begin} to {end} of {_show(text)}")
    return _move_of(_read_decision(text[:end], begin))


cdef str _decision_text(chase_decision code):
    cdef char text[CHASE_DECISION_SIZE]
    return text[:chase_decision_format(code, text)].decode("ascii")


cdef bint _printable(chase_decision code) noexcept:
    """Whether the fields are those of a decision, so that it can be formatted; no more."""
    cdef chase_kind kind = chase_decision_kind(code)
    cdef int cell = chase_decision_cell(code)
    cdef int direction = chase_decision_direction(code)
    cdef int value = chase_decision_value(code)
    cdef int other_value = chase_decision_other_value(code)
    if cell >= CHASE_CELLS or direction >= CHASE_DIRECTIONS:
        return False
    if kind == CHASE_MOVE:
        return code == chase_decision_make(kind, cell, direction, 0, 0)
    if kind == CHASE_EXCHANGE:
        return (
            1 <= value <= CHASE_MAX_VALUE
            and 1 <= other_value <= CHASE_MAX_VALUE
            and chase_cell_neighbour(cell, direction) != CHASE_NO_CELL
        )
    if kind == CHASE_DISTRIBUTION:
        return code == chase_decision_make(kind, cell, 0, 0, 0)
    return code == chase_decision_make(kind, 0, 0, 0, 0)


@cython.final
@cython.no_gc
cdef class Move:
    """One decision: a move, an exchange, a distribution or a stop.

    Immutable, hashable and picklable. There is one object for each decision, so that equality is
    identity; it knows no position and is legal in some, illegal in others.
    """

    # No __eq__: identity is exact, and the interpreter's own test for it the fastest.
    cdef chase_decision _code

    def __cinit__(self, object key=None):
        _need_key(key, "Move", "Move.parse or Move.from_code")

    @classmethod
    def parse(cls, text):
        """Reads strict decision text: ``a1NE``, ``a1=2,a2=1``, ``+a1`` or ``stop``.

        Raises:
            NotationError: The text is none of these; ``offset`` is the first faulty character.
            IllegalMoveError: An exchange between cells that are nowhere neighbours.
        """
        if not isinstance(text, str):
            raise NotationError(f"the text of a decision must be a str, not {_show(text)}")
        return _move_of(_read_decision(text))

    @classmethod
    def from_code(cls, code):
        """The decision of a packed code.

        Args:
            code: Bits 0-6 cell, 7-9 direction, 10-12 new value, 13-15 new value of the other
                cell, 16-17 kind; unused fields are 0.

        Raises:
            ArgumentError: No decision has this code.
        """
        cdef chase_decision decision = _integer(code, "code", 0, _CODES - 1, ArgumentError)
        cdef chase_decision read
        if _known_moves[decision] != NULL:
            return _move_of(decision)
        if not _printable(decision):
            raise ArgumentError(f"code {decision} is no decision: a field is out of range")
        # What else there is to say of a decision, its text knows.
        text = _decision_text(decision)
        try:
            read = _read_decision(text)
        except NotationError as error:
            raise ArgumentError(f"code {decision} is no decision: {error}") from error
        if read != decision:
            raise ArgumentError(f"code {decision} is not canonical: {text!r} has code {read}")
        return _move_of(decision)

    @property
    def code(self):
        """The packed code, see `from_code`."""
        return self._code

    @property
    def kind(self):
        """Move, exchange, distribution or stop."""
        return _KINDS[<int>chase_decision_kind(self._code)]

    @property
    def cell(self):
        """Origin of a move, first cell of an exchange, die raised; 0 to 80, None for stop."""
        if chase_decision_kind(self._code) == CHASE_STOP:
            return None
        return chase_decision_cell(self._code)

    @property
    def direction(self):
        """First direction of a move (R6); None for other decisions."""
        if chase_decision_kind(self._code) != CHASE_MOVE:
            return None
        return _DIRECTIONS[chase_decision_direction(self._code)]

    @property
    def other(self):
        """Second cell of an exchange, 0 to 80; None for other decisions."""
        if chase_decision_kind(self._code) != CHASE_EXCHANGE:
            return None
        return chase_cell_neighbour(
            chase_decision_cell(self._code), chase_decision_direction(self._code)
        )

    @property
    def value(self):
        """New value of the first cell of an exchange, 1 to 6; None for other decisions."""
        if chase_decision_kind(self._code) != CHASE_EXCHANGE:
            return None
        return chase_decision_value(self._code)

    @property
    def other_value(self):
        """New value of the second cell of an exchange, 1 to 6; None for other decisions."""
        if chase_decision_kind(self._code) != CHASE_EXCHANGE:
            return None
        return chase_decision_other_value(self._code)

    def __str__(self):
        return _decision_text(self._code)

    def __repr__(self):
        return f"Move.parse({_decision_text(self._code)!r})"

    def __hash__(self):
        return self._code

    def __reduce__(self):
        return _unpickle_move, (self._code,)


def _unpickle_move(code):
    return Move.from_code(code)
