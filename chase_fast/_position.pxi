# Positions. Included by _core.pyx.


@cython.final
@cython.no_gc
@cython.freelist(64)
cdef class Position:
    """All that the rules know of one moment of a game; always valid (R13), never changed.

    Made by `Position.start`, `Position.parse`, `Position.from_array`, and by `apply` from another
    one. Equal when board, side to act, capturing die, spare dice and rules are; hashable and
    picklable. What a position has been through, repetition among it, is a matter of games.
    """

    cdef chase_position _state
    cdef Rules _rules

    def __cinit__(self, object key=None):
        _need_key(key, "Position", "Position.start, Position.parse or Position.from_array")

    # ---- Making one

    @classmethod
    def start(cls, rules=None):
        """The first position of a game (R5).

        Args:
            rules: The rules of the game, by default the standard ones.
        """
        cdef Position position = _blank_position(_rules_or_standard(rules))
        chase_position_start(position._rules._variant.handle, &position._state)
        return position

    @classmethod
    def parse(cls, cfen, rules=None):
        """Reads a position text (CFEN).

        Args:
            cfen: Rows i to a, side to act, capturing die, spare dice; the last two may be left
                out from the end, but the spare dice only where the rules recycle dice.
            rules: The rules of the game, by default the standard ones.

        Raises:
            InvalidPositionError: The text is not CFEN (then ``offset`` is the first faulty
                character), or the position breaks R13 (then ``reasons`` has all that is wrong).
        """
        cdef Rules given = _rules_or_standard(rules)
        cdef const char *data
        cdef Py_ssize_t length
        cdef chase_setup setup
        cdef chase_error error
        cdef chase_status status
        if not isinstance(cfen, str):
            raise _refuse_position(f"a position text must be a str, not {_show(cfen)}")
        alive = _utf8(cfen, &data, &length)
        status = chase_cfen_parse(given._variant.handle, data, length, &setup, &error)
        if status == CHASE_BAD_SYNTAX:
            raise InvalidPositionError((_message_of(&error),), _offset_of(&error))
        if status != CHASE_OK:
            raise _status_exception(status, _message_of(&error))
        return _made_position(given, &setup, None, None)

    @classmethod
    def from_array(cls, board, side, *, spare=None, capturing=None, rules=None):
        """Makes a position from numbers; nothing of the caller's memory is kept.

        Args:
            board: Integers of shape (81,) or (9, 9) in reading order, i1 first: the value of a
                red die, minus the value of a blue one, 0 for an empty cell.
            side: Side to act, a `Side` or its code.
            spare: Spare dice of red and blue. By default ``9 + reserve`` less the dice on the
                board, which only rules that recycle dice allow.
            capturing: Cell of the die that may go on capturing (R12 `chain`), 0 to 80, or None.
            rules: The rules of the game, by default the standard ones.

        Raises:
            InvalidPositionError: The numbers are no position; ``reasons`` has all that R13 says
                against it.
        """
        cdef Rules given = _rules_or_standard(rules)
        cdef chase_setup setup
        cdef int at, value
        cdef int dice[2]
        cdef list values = _board_values(board)
        dice[0] = dice[1] = 0
        for at in range(CHASE_CELLS):
            value = values[at]
            setup.board[at] = max(-127, min(127, value))
            if value != 0:
                dice[0 if value > 0 else 1] += 1
        setup.side = _near(side, "side to act", "0 (red) or 1 (blue)", Side)
        setup.capturing = CHASE_NO_CELL
        if capturing is not None:
            setup.capturing = _near(capturing, "capturing cell", "0 to 80 or None")
            capturing = setup.capturing
            if setup.capturing == CHASE_NO_CELL:
                # "None" in C, but a cell that does not exist for whoever says 81 here.
                setup.capturing = -1
        if spare is None:
            if not given.recycle:
                raise _refuse_position(
                    "the spare dice must be given, for with recycle=no the board does not tell"
                )
            for at in range(2):
                setup.spare[at] = CHASE_HOME_DICE + given._fields.reserve - dice[at]
        else:
            if not isinstance(spare, (tuple, list)) or len(spare) != 2:
                raise _refuse_position(
                    f"spare must be the spare dice of red and blue, not {_show(spare)}"
                )
            for at in range(2):
                setup.spare[at] = _near(
                    spare[at], f"number of spare dice of {_SIDE_NAMES[at]}", "0 or more"
                )
        return _made_position(given, &setup, values, capturing)

    def half_turn(self):
        """The same position seen from the other side.

        The board is turned by 180 degrees, colours, spare dice and the side to act are swapped.
        Turning twice gives an equal position. Rows i, g, e, c, a stand half a cell to the right
        (R1): these are reversed, and in the others column 1 keeps its place while 2 to 9 are
        reversed, which is right on a board whose left and right edge are joined.

        Raises:
            ArgumentError: The rules have ``wrap=no``; that board does not fit itself when turned.
        """
        cdef chase_setup setup, turned
        cdef int cell
        if not self._rules._fields.wrap:
            raise ArgumentError("with wrap=no the board does not fit itself after a half turn")
        chase_position_unmake(&self._state, &setup)
        for cell in range(CHASE_CELLS):
            turned.board[_turned_cell(cell)] = -setup.board[cell]
        turned.side = 1 - setup.side
        turned.capturing = CHASE_NO_CELL
        if setup.capturing != CHASE_NO_CELL:
            turned.capturing = _turned_cell(setup.capturing)
        turned.spare[0] = setup.spare[1]
        turned.spare[1] = setup.spare[0]
        return _made_position(self._rules, &turned, None, None)

    # ---- Looking at it

    @property
    def rules(self):
        """The rules of the game."""
        return self._rules

    @property
    def cfen(self):
        """The position text, all four fields."""
        cdef char text[CHASE_CFEN_SIZE]
        return text[:chase_cfen_format(&self._state, text)].decode("ascii")

    @property
    def side_to_act(self):
        """The side whose decision is next; when the game is over, the loser."""
        return _SIDES[self._state.side]

    @property
    def capturing(self):
        """Cell of the die that may go on capturing (R12 `chain`), 0 to 80, or None."""
        return None if self._state.capturing == CHASE_NO_CELL else self._state.capturing

    @property
    def spare(self):
        """Spare dice of red and blue."""
        return self._state.spare[0], self._state.spare[1]

    @property
    def dice(self):
        """Dice on the board of red and blue."""
        return self._state.dice[0], self._state.dice[1]

    @property
    def pips(self):
        """Pips that red and blue show on the board."""
        return self._state.pips[0], self._state.pips[1]

    @property
    def pips_due(self):
        """Pips that the side to act lacks and has to hand out first (R9), 0 or more."""
        return chase_position_due(self._rules._variant.handle, &self._state)

    @property
    def winner(self):
        """The side that has won (R11), or None.

        Compare it with ``is not None``: red is 0, which counts as false.
        """
        cdef int winner = -1
        chase_position_outcome(self._rules._variant.handle, &self._state, &winner)
        return None if winner < 0 else _SIDES[winner]

    @property
    def termination(self):
        """Why the game is over (R11), `Termination.NONE` while it is not; blind to repetition."""
        cdef int winner = -1
        return _TERMINATIONS[
            <int>chase_position_outcome(self._rules._variant.handle, &self._state, &winner)
        ]

    @property
    def board(self):
        """The board in reading order, i1 first, as a read-only int8 array of shape (81,).

        The value of a red die, minus the value of a blue one, 0 for an empty cell.
        """
        cdef chase_setup setup
        chase_position_unmake(&self._state, &setup)
        return np.frombuffer(
            PyBytes_FromStringAndSize(<const char *>setup.board, CHASE_CELLS), np.int8
        )

    @property
    def zobrist(self):
        """Hash of position and rules, 64 bits; equal positions have equal values."""
        return self._state.hash

    def value_at(self, cell):
        """What stands on a cell.

        Args:
            cell: 0 to 80, or a name such as ``"a1"``.

        Returns:
            The value of a red die, minus the value of a blue one, 0 for an empty cell.

        Raises:
            ArgumentError: There is no cell of that number.
            NotationError: There is no cell of that name.
        """
        cdef int at = parse_cell(cell) if isinstance(cell, str) else _cell(cell)
        return <int>self._state.value[0][at] - <int>self._state.value[1][at]

    # ---- Decisions

    @property
    def legal_moves(self):
        """The legal decisions in their canonical order; none when the game is over."""
        cdef LegalMoves moves = LegalMoves.__new__(LegalMoves, _KEY)
        moves._position = self
        moves._count = chase_decision_count(self._rules._variant.handle, &self._state)
        return moves

    def move(self, text):
        """Reads a decision and checks that it is legal here.

        Args:
            text: Strict decision text (see `Move.parse`), or a `Move`.

        Raises:
            NotationError: The text is no decision.
            IllegalMoveError: It is not legal here; says why, with the rule.
            GameOverError: The game has ended.
        """
        return _move_of(_legal_decision(self, text))

    def is_legal(self, move):
        """Whether a decision, a `Move` or its text, is legal here.

        Raises:
            NotationError: The text is no decision at all.
        """
        cdef chase_error error
        cdef chase_decision code
        try:
            code = _decision_of(move)
        except IllegalMoveError:  # legal in no position
            return False
        return chase_decision_check(
            self._rules._variant.handle, &self._state, code, &error
        ) == CHASE_OK

    def apply(self, move):
        """Plays a decision.

        Args:
            move: A `Move` or its text.

        Returns:
            The position after it, a new object.

        Raises:
            NotationError: The text is no decision.
            IllegalMoveError: It is not legal here; says why, with the rule.
            GameOverError: The game has ended.
        """
        cdef chase_error error
        cdef chase_decision code = _decision_of(move)
        cdef Position after = _blank_position(self._rules)
        cdef chase_status status = chase_apply(
            self._rules._variant.handle, &self._state, code, &after._state, &error
        )
        if status != CHASE_OK:
            raise _refusal(self, status, &error)
        return after

    def trace(self, move):
        """How a legal move is carried out, step by step and die by die.

        Args:
            move: A `Move` or its text.

        Returns:
            The steps in order; none for a decision that is not a move (R6).

        Raises:
            NotationError, IllegalMoveError, GameOverError: As for `apply`.
        """
        cdef chase_trace_step steps[CHASE_MAX_TRACE]
        cdef chase_decision code = _legal_decision(self, move)
        cdef int at
        cdef int count = chase_decision_trace(
            self._rules._variant.handle, &self._state, code, steps
        )
        return tuple([
            TraceStep(
                _TRACE_KINDS[steps[at].kind],
                steps[at].origin,
                steps[at].to,
                _DIRECTIONS[steps[at].direction],
                steps[at].value,
                steps[at].wraps,
                steps[at].ricochets,
                steps[at].captured,
            )
            for at in range(count)
        ])

    def events(self, move):
        """What a legal decision would do, in numbers.

        Args:
            move: A `Move` or its text.

        Returns:
            ``captures`` (dice taken, 0 to 2), ``entered`` (1: a die ended on the chamber),
            ``split`` (1: and left it as two dice), ``refused`` (1: for want of a spare die it did
            not), ``bumps`` (own dice pushed), ``longest_chain`` (own dice pushed by one landing),
            ``ricochets`` and ``wraps`` (of all dice).

        Raises:
            NotationError, IllegalMoveError, GameOverError: As for `apply`.
        """
        cdef chase_position after = self._state
        cdef chase_events events
        chase_apply_events(
            self._rules._variant.handle, &after, _legal_decision(self, move), &events
        )
        return {
            "captures": events.captures,
            "entered": events.entered,
            "split": events.split,
            "refused": events.refused,
            "bumps": events.bumps,
            "longest_chain": events.longest_chain,
            "ricochets": events.ricochets,
            "wraps": events.wraps,
        }

    # ---- As a value

    def __str__(self):
        return self.cfen

    def __repr__(self):
        if _same_rules(self._rules, _standard_rules()):
            return f"Position.parse({self.cfen!r})"
        return f"Position.parse({self.cfen!r}, {self._rules!r})"

    def _repr_svg_(self):
        """The board as an SVG picture, for notebooks."""
        from chase_fast.svg import board_svg

        return board_svg(self)

    def __eq__(self, other):
        if not isinstance(other, Position):
            return NotImplemented
        return (
            self._state.hash == (<Position>other)._state.hash
            and _same_rules(self._rules, (<Position>other)._rules)
            and chase_position_equal(&self._state, &(<Position>other)._state)
        )

    def __hash__(self):
        return <Py_hash_t>self._state.hash

    def __reduce__(self):
        return _unpickle_position, (self.cfen, self._rules)

    def _rehash(self):
        """`zobrist` computed from scratch; for tests."""
        return chase_position_rehash(self._rules._variant.handle, &self._state)

    def _consistent(self):
        """Whether every invariant of the struct holds; for tests."""
        return chase_position_consistent(self._rules._variant.handle, &self._state)


def _unpickle_position(cfen, rules):
    return Position.parse(cfen, rules)


cdef object _refusal(Position position, chase_status status, const chase_error *error):
    """The exception for a decision that `position` did not take."""
    cdef int winner
    if status == CHASE_ILLEGAL and chase_position_outcome(
        position._rules._variant.handle, &position._state, &winner
    ) != CHASE_NOT_OVER:
        return GameOverError(_message_of(error))
    return _status_exception(status, _message_of(error))


cdef chase_decision _legal_decision(Position position, object move) except? 0xFFFFFFFF:
    """The code of a Move or of the text of one, once it is known to be legal."""
    cdef chase_error error
    cdef chase_decision code = _decision_of(move)
    cdef chase_status status = chase_decision_check(
        position._rules._variant.handle, &position._state, code, &error
    )
    if status != CHASE_OK:
        raise _refusal(position, status, &error)
    return code
