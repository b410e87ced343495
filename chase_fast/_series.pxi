# Games of two players of the core. Included by _core.pyx.

SeriesResult = namedtuple("SeriesResult", ("stats", "details", "moves", "turns", "heat"))
SeriesResult.__doc__ = """Games played, in their order; fewer than asked for if they were stopped.

Attributes:
    stats: Array of `GAME_DTYPE`, shape (games,).
    details: Array of `DETAIL_DTYPE`, shape (games,).
    moves: Codes of all decisions, game after game, uint32; None where they were not kept.
    turns: Array of `TURN_DTYPE`, one row a turn, game after game; None likewise.
    heat: uint64, shape (3, 2, 81), by side and cell: dice there at the beginning of turns,
        dice of the side captured there, moves that ended there; None likewise.
"""


cdef object _copied(const void *memory, uint64_t count, object dtype):
    """An array with a copy of so many elements."""
    out = np.empty(count, dtype)
    cdef uint8_t[::1] view
    if count:
        view = out.view(np.uint8)
        memcpy(&view[0], memory, <size_t>(count * dtype.itemsize))
    return out


cdef int _take_both(CorePlayer first, CorePlayer second) except -1:
    if first is second:
        raise ArgumentError("the players must be two, not one")
    first._take()
    try:
        second._take()
    except BaseException:
        first._busy = False
        raise
    return 0


def play_game(Position start not None, opening, CorePlayer red not None, CorePlayer blue not None,
              seed, max_turns, StopFlag stop not None):
    """Plays one game to its end in the core: a function of its arguments alone.

    Args:
        start: First position.
        opening: Moves already made, `Move` objects; they are the game's history.
        red, blue: Two different players under the rules of `start`.
        seed: Of the game, 0 to 2**64 - 1.
        max_turns: Turn limit, the opening's turns included, 1 to `MAX_TURN_LIMIT`.
        stop: Polled while playing.

    Returns:
        The moves after the opening and a scalar of `GAME_DTYPE` that counts them, its turns and
        termination those of the whole game; or None if it was stopped.

    Raises:
        ArgumentError: The players are one, or a number outside its range.
        IllegalMoveError: A move of the opening is not legal.
    """
    cdef uint64_t number = _integer(seed, "seed", 0, _MAX_U64, ArgumentError)
    cdef uint32_t turns = _integer(max_turns, "max_turns", 1, CHASE_MAX_TURN_LIMIT, ArgumentError)
    cdef chase_player *players[2]
    cdef chase_game_stats *stats
    cdef chase_game_detail detail
    cdef chase_game_log log
    cdef chase_status status
    cdef uint64_t at
    _under_rules(start, red.evaluator.rules)
    _under_rules(start, blue.evaluator.rules)
    row = np.zeros(1, GAME_DTYPE)
    cdef uint8_t[::1] view = row.view(np.uint8)
    stats = <chase_game_stats *>&view[0]
    players[0] = red._handle
    players[1] = blue._handle
    memset(&log, 0, sizeof(log))
    log.keep_decisions = True
    cdef chase_game *game = NULL
    _take_both(red, blue)
    try:
        game = _game_of(start, opening, turns)
        with nogil:
            status = chase_game_play(game, players, number, &stop._flag, stats, &detail, &log)
        if status == CHASE_STOPPED:
            return None
        if status != CHASE_OK:
            raise _status_exception(status, "the core could not play")
        return [_move_of(log.decision[at]) for at in range(log.decisions)], row[0]
    finally:
        chase_game_log_free(&log)
        chase_game_free(game)
        red._busy = blue._busy = False


def count_game(Position start not None, moves, *, max_turns=0, keep_turns=False):
    """What `play_series` tells of a game, for one that was played elsewhere.

    Args:
        start: First position.
        moves: All decisions, `Move` objects.
        max_turns: Turn limit from the start, 0 for none.
        keep_turns: As for `play_series`.

    Returns:
        `SeriesResult` of one game. Where the moves do not end it, its termination is 0 and its
        winner -1.

    Raises:
        IllegalMoveError: A move is not legal.
    """
    cdef uint32_t turns = _integer(max_turns, "max_turns", 0, CHASE_MAX_TURN_LIMIT, ArgumentError)
    cdef chase_game_log log
    cdef chase_status status
    codes = np.fromiter((move.code for move in moves), np.uint32)
    cdef const uint32_t[::1] code_view = codes
    stats = np.zeros(1, GAME_DTYPE)
    details = np.zeros(1, DETAIL_DTYPE)
    cdef uint8_t[::1] stats_view = stats.view(np.uint8)
    cdef uint8_t[::1] details_view = details.view(np.uint8)
    memset(&log, 0, sizeof(log))
    log.keep_turns = bool(keep_turns)
    cdef chase_game *game = _game_of(start, (), turns)
    try:
        status = chase_game_count(
            game, &code_view[0] if len(codes) else NULL, len(codes),
            <chase_game_stats *>&stats_view[0], <chase_game_detail *>&details_view[0], &log,
        )
        if status == CHASE_ILLEGAL:
            raise IllegalMoveError(
                f"moves[{stats[0]['decisions']}], {moves[int(stats[0]['decisions'])]}, is not "
                "legal in this game"
            )
        if status != CHASE_OK:
            raise _status_exception(status, "the core could not play")
        return SeriesResult(stats, details, codes, *_kept(&log, False, log.keep_turns)[1:])
    finally:
        chase_game_log_free(&log)
        chase_game_free(game)


@cython.final
@cython.no_gc
cdef class Starts:
    """Positions that openings lead to, as `play_series` takes them without making objects.

    Args:
        start: Where all openings begin.
        codes: Codes of their decisions, uint32, shape (openings, decisions).

    Raises:
        ArgumentError: Another type or shape.
        IllegalMoveError: A decision that is not legal.
        GameOverError: An opening ends the game.
        MemoryError: No memory for them.
    """

    cdef chase_position *_positions
    cdef readonly Rules rules
    cdef Py_ssize_t _count

    def __cinit__(self, Position start not None, codes):
        if not isinstance(codes, np.ndarray) or codes.dtype != np.uint32 or codes.ndim != 2:
            raise ArgumentError("codes must be an array of uint32 with 2 dimensions")
        cdef const uint32_t[:, ::1] view = np.ascontiguousarray(codes)
        cdef const chase_variant *variant = start._rules._variant.handle
        cdef Py_ssize_t at, turn
        cdef chase_position *position
        cdef chase_error error
        cdef int winner
        self.rules = start._rules
        self._count = view.shape[0]
        self._positions = <chase_position *>malloc(max(self._count, 1) * sizeof(chase_position))
        if self._positions == NULL:
            raise MemoryError("out of memory in the core")
        for at in range(self._count):
            position = &self._positions[at]
            position[0] = start._state
            for turn in range(view.shape[1]):
                if chase_apply(variant, position, view[at, turn], position, &error) != CHASE_OK:
                    raise IllegalMoveError(f"codes[{at}, {turn}] is no legal decision there")
            if chase_position_outcome(variant, position, &winner) != CHASE_NOT_OVER:
                raise GameOverError(f"codes[{at}] ends the game")

    def __dealloc__(self):
        free(self._positions)

    def __len__(self):
        return self._count


cdef object _column(object given, str name, object dtype, Py_ssize_t games):
    """The array as it is, if it is one of this type with so many elements."""
    if not isinstance(given, np.ndarray) or given.dtype != dtype or given.shape != (games,):
        raise ArgumentError(f"{name} must be an array of {dtype} with {games} elements")
    return np.ascontiguousarray(given)


def play_series(CorePlayer a not None, CorePlayer b not None, starts, seeds, swapped, *, max_turns,
                StopFlag stop not None, keep_moves=False, keep_turns=False):
    """Plays games of two players from many positions, without the GIL.

    Game i depends on the players, `starts`[i], `seeds`[i], `swapped`[i] and `max_turns` alone.

    Args:
        a, b: Two different players under the same rules.
        starts: Sequence of `Position` objects under these rules, none of which is over, or
            `Starts`; each is the first of as many games as there are seeds for it, one after the
            other.
        seeds: Of the games, uint64 array, shape (games,).
        swapped: bool array, shape (games,): false where `a` is red.
        max_turns: Turn limit from the start, 1 to `MAX_TURN_LIMIT`.
        stop: Polled while playing.
        keep_moves: Whether to return all decisions.
        keep_turns: Whether to return a row for each turn, and the heat.

    Returns:
        `SeriesResult`.

    Raises:
        ArgumentError: An argument that is not as described.
        MemoryError: No memory for what is to be kept.
    """
    cdef chase_series series
    cdef chase_player *players[2]
    cdef chase_game_log log
    cdef uint64_t done = 0
    cdef Py_ssize_t at, games = len(seeds), count = len(starts)
    cdef Py_ssize_t each = games // count if count else 0
    cdef chase_status status = CHASE_OK
    cdef Position start
    cdef Starts ready
    cdef Py_ssize_t copy
    cdef int winner
    if each * count != games:
        raise ArgumentError(f"{games} seeds cannot be shared out to {count} starts")
    series.max_turns = _integer(max_turns, "max_turns", 1, CHASE_MAX_TURN_LIMIT, ArgumentError)
    if a.evaluator.rules != b.evaluator.rules:
        raise ArgumentError("the players are under different rules")
    cdef const uint64_t[::1] seed_view = _column(seeds, "seeds", np.dtype(np.uint64), games)
    cdef const uint8_t[::1] swap_view = _column(
        swapped, "swapped", np.dtype(np.bool_), games
    ).view(np.uint8)
    stats = np.zeros(games, GAME_DTYPE)
    details = np.zeros(games, DETAIL_DTYPE)
    if games == 0:
        return SeriesResult(stats, details, *_kept(NULL, bool(keep_moves), bool(keep_turns)))
    cdef uint8_t[::1] stats_view = stats.view(np.uint8)
    cdef uint8_t[::1] details_view = details.view(np.uint8)
    cdef chase_position *positions = <chase_position *>malloc(games * sizeof(chase_position))
    if positions == NULL:
        raise MemoryError("out of memory in the core")
    memset(&log, 0, sizeof(log))
    log.keep_decisions = bool(keep_moves)
    log.keep_turns = bool(keep_turns)
    try:
        if isinstance(starts, Starts):
            ready = starts
            if ready.rules != a.evaluator.rules:
                raise ArgumentError(
                    f"the starts are under the rules {ready.rules}, not {a.evaluator.rules}"
                )
            for at in range(games):
                positions[at] = ready._positions[at // each]
        else:
            for at in range(count):
                start = starts[at]
                _under_rules(start, a.evaluator.rules)
                if chase_position_outcome(
                    start._rules._variant.handle, &start._state, &winner
                ) != CHASE_NOT_OVER:
                    raise GameOverError(f"starts[{at}], {start.cfen}, is over")
                positions[at * each] = start._state
                for copy in range(1, each):
                    positions[at * each + copy] = start._state
        series.games = games
        series.starts = positions
        series.seeds = &seed_view[0]
        series.swapped = &swap_view[0]
        players[0] = a._handle
        players[1] = b._handle
        _take_both(a, b)
        try:
            with nogil:
                status = chase_series_play(
                    players, &series, &stop._flag, <chase_game_stats *>&stats_view[0],
                    <chase_game_detail *>&details_view[0], &log, &done,
                )
        finally:
            a._busy = b._busy = False
        if status != CHASE_OK and status != CHASE_STOPPED:
            raise _status_exception(status, "the core could not play")
        return SeriesResult(
            stats[:done], details[:done], *_kept(&log, log.keep_decisions, log.keep_turns)
        )
    finally:
        free(positions)
        chase_game_log_free(&log)


cdef tuple _kept(const chase_game_log *log, bint moves, bint turns):
    """Moves, turns and heat of a log, which may be none."""
    heat = np.zeros((CHASE_HEATS, 2, CHASE_CELLS), np.uint64)
    cdef uint64_t[:, :, ::1] view = heat
    if turns and log != NULL:
        memcpy(&view[0, 0, 0], &log.heat[0][0][0], sizeof(log.heat))
    return (
        _copied(log.decision if log != NULL else NULL, log.decisions if log != NULL else 0,
                np.dtype(np.uint32)) if moves else None,
        _copied(log.turn if log != NULL else NULL, log.turns if log != NULL else 0,
                TURN_DTYPE) if turns else None,
        heat if turns else None,
    )
