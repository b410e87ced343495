# The legal decisions of one position. Included by _core.pyx.


@cython.final
@cython.no_gc
@cython.freelist(16)
@cython.collection_type("sequence")
cdef class LegalMoves:
    """The legal decisions of one position: an immutable sequence of `Move` in canonical order.

    Distributions by cell; in a series of captures these by direction, then stop; otherwise moves
    by (cell, direction), then exchanges by (first cell, second cell, new value of the first).

    Counting makes no list, and neither do ``in`` and a single index. A slice is a list. Equal to
    any other of its kind, and to any list or tuple, with the same moves.

    ``in``, `index` and `count` take the text of a decision as well, although no `Move` is equal to
    a text: a list made of this sequence finds moves only.
    """

    cdef Position _position
    cdef int _count
    cdef tuple _moves  # made when first needed

    def __cinit__(self, object key=None):
        _need_key(key, "LegalMoves", "Position.legal_moves")

    cdef tuple _listed(self):
        cdef chase_decision codes[CHASE_MAX_DECISIONS]
        cdef int at
        cdef Move move
        if self._moves is None:
            chase_decision_list(
                self._position._rules._variant.handle, &self._position._state, codes
            )
            moves = PyTuple_New(self._count)
            for at in range(self._count):
                move = _move_of(codes[at])
                Py_INCREF(move)  # which the tuple takes over
                PyTuple_SET_ITEM(moves, at, move)
            self._moves = moves
        return self._moves

    def __len__(self):
        return self._count

    def __getitem__(self, index):
        cdef Py_ssize_t at
        if isinstance(index, slice):
            return list(self._listed()[index])
        if type(index) is not int:
            # As for any sequence this is a TypeError, but a bool is no index here.
            number = as_int(index)
            if number is None:
                raise TypeError(f"an index must be an int or a slice, not {_show(index)}")
            index = number
        at = PyNumber_AsSsize_t(index, IndexError)
        if at < 0:
            at += self._count
        if not 0 <= at < self._count:
            raise IndexError(f"index {index} is out of range, there are {self._count} legal moves")
        if self._moves is not None:
            return self._moves[at]
        return _move_of(
            chase_decision_at(
                self._position._rules._variant.handle, &self._position._state, <int>at
            )
        )

    def __iter__(self):
        return iter(self._listed())

    def __reversed__(self):
        return reversed(self._listed())

    def __contains__(self, move):
        """Whether a `Move`, or the text of one, is among them."""
        cdef chase_error error
        cdef chase_decision code
        if isinstance(move, str):
            try:
                code = _read_decision(move)
            except (NotationError, IllegalMoveError):
                return False
        elif isinstance(move, Move):
            code = (<Move>move)._code
        else:
            return False
        return chase_decision_check(
            self._position._rules._variant.handle, &self._position._state, code, &error
        ) == CHASE_OK

    def index(self, value, start=0, stop=None, /):
        """Where a `Move`, or the text of one, stands in the sequence.

        Raises:
            NotationError: The text is no decision.
            IllegalMoveError: It is not legal here, or not between ``start`` and ``stop``.
            ArgumentError: ``start`` or ``stop`` is no int.
        """
        wanted = self._position.move(value)
        stop = self._count if stop is None else stop
        for name, bound in (("start", start), ("stop", stop)):
            if as_int(bound) is None:
                raise ArgumentError(f"{name} is {_show(bound)}, expected an int")
        try:
            return self._listed().index(wanted, start, stop)
        except ValueError:
            raise IllegalMoveError(
                f"{wanted} is none of the legal moves from {_show(start)} to {_show(stop)}"
            ) from None

    def count(self, value, /):
        """1 if a `Move`, or the text of one, is among them, else 0."""
        return 1 if value in self else 0

    @property
    def codes(self):
        """`Move.code` of each decision as a read-only array of uint32, shape (number,)."""
        cdef chase_decision codes[CHASE_MAX_DECISIONS]
        cdef int count = chase_decision_list(
            self._position._rules._variant.handle, &self._position._state, codes
        )
        if count == 0:
            empty = np.empty(0, np.uint32)
            empty.flags.writeable = False
            return empty
        return np.frombuffer(
            PyBytes_FromStringAndSize(<const char *>codes, count * sizeof(chase_decision)),
            np.uint32,
        )

    @property
    def array(self):
        """The decisions as a read-only array of `DECISION_DTYPE`, shape (number,).

        A field that does not apply is 255: ``cell`` and ``direction`` of a stop, ``direction`` of
        a distribution, and ``other``, ``value`` and ``other_value`` of all but exchanges. The
        ``direction`` of an exchange leads from ``cell`` to ``other``.
        """
        cdef chase_decision codes[CHASE_MAX_DECISIONS]
        cdef uint8_t rows[6 * CHASE_MAX_DECISIONS]
        cdef uint8_t *row = rows
        cdef chase_decision code
        cdef chase_kind kind
        cdef int at
        cdef int count = chase_decision_list(
            self._position._rules._variant.handle, &self._position._state, codes
        )
        for at in range(count):
            code = codes[at]
            kind = chase_decision_kind(code)
            row[0] = kind
            row[1] = row[2] = row[3] = row[4] = row[5] = _NOT_APPLICABLE
            if kind != CHASE_STOP:
                row[1] = chase_decision_cell(code)
            if kind == CHASE_MOVE or kind == CHASE_EXCHANGE:
                row[2] = chase_decision_direction(code)
            if kind == CHASE_EXCHANGE:
                row[3] = chase_cell_neighbour(row[1], row[2])
                row[4] = chase_decision_value(code)
                row[5] = chase_decision_other_value(code)
            row += 6
        if count == 0:
            empty = np.empty(0, DECISION_DTYPE)
            empty.flags.writeable = False
            return empty
        return np.frombuffer(
            PyBytes_FromStringAndSize(<const char *>rows, 6 * count), DECISION_DTYPE
        )

    def __eq__(self, other):
        if isinstance(other, LegalMoves):
            other = (<LegalMoves>other)._listed()
        elif not isinstance(other, (list, tuple)):
            return NotImplemented
        return len(other) == self._count and self._listed() == tuple(other)

    def __hash__(self):
        # Equal to lists, which cannot be hashed; a tuple that is equal hashes the same.
        return hash(self._listed())

    def __repr__(self):
        return f"<LegalMoves: {self._count}>"

    def __reduce__(self):
        return getattr, (self._position, "legal_moves")


Sequence.register(LegalMoves)
