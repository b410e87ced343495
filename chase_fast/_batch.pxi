# Long calls without the GIL, and the random numbers they draw. Included by _core.pyx.

from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer,
)
from libc.stdint cimport uintptr_t


cdef extern from *:
    """
    /* One word that says no more than "stop": nothing is ordered by it. */
    static inline void chase_stop_flag_set(int32_t *flag) {
      __atomic_store_n(flag, 1, __ATOMIC_RELAXED);
    }
    static inline int chase_stop_flag_is_set(const int32_t *flag) {
      return __atomic_load_n(flag, __ATOMIC_RELAXED) != 0;
    }
    """
    void chase_stop_flag_set(int32_t *flag) nogil
    bint chase_stop_flag_is_set(const int32_t *flag) nogil


# 2**64 - 1 as a Python int.
cdef object _MAX_U64 = (1 << 64) - 1


@cython.final
@cython.no_gc
cdef class StopFlag:
    """A flag that long calls poll; once set, from any thread, it stays set."""

    cdef int32_t _flag

    def set(self):
        """Asks every call that was given this flag to stop."""
        chase_stop_flag_set(&self._flag)

    def is_set(self):
        """Whether `set` was called."""
        return chase_stop_flag_is_set(&self._flag)


def _perft(Position position not None, depth, unit, StopFlag stop not None):
    """Counts the sequences of decisions or turns from a position.

    Args:
        position: Where they start.
        depth: Their length, 0 to `MAX_PERFT_DEPTH`.
        unit: 0 counts in decisions, 1 in turns.
        stop: Polled while counting.

    Returns:
        Their number, or None if the call was stopped.

    Raises:
        ArgumentError: A number outside its range.
    """
    cdef int levels = _integer(depth, "depth", 0, CHASE_MAX_PERFT_DEPTH, ArgumentError)
    cdef int counted = _integer(unit, "unit", CHASE_DECISIONS, CHASE_TURNS, ArgumentError)
    cdef uint64_t number = 0
    cdef chase_status status
    with nogil:
        status = chase_perft(
            position._rules._variant.handle, &position._state, levels, <chase_unit>counted,
            &stop._flag, &number,
        )
    if status == CHASE_STOPPED:
        return None
    if status != CHASE_OK:
        raise _status_exception(status, f"the core refused a perft of depth {levels}")
    return number


def _playouts(Position position not None, out, seed, first_game, max_turns, StopFlag stop not None):
    """Plays random games to the end, one for each row of `out`.

    Args:
        position: Where each game starts.
        out: Contiguous, writable array of `GAME_DTYPE`, shape (games,).
        seed: 0 to 2**64 - 1.
        first_game: Index of the first game; the last one's is at most 2**64 - 1.
        max_turns: Turns after which a game ends unfinished, 1 to `MAX_TURN_LIMIT`.
        stop: Polled while playing.

    Returns:
        The number of games finished, all of them unless the call was stopped; so many rows of
        `out` are filled.

    Raises:
        ArgumentError: An array or a number that is not as described; nothing has been written.
        MemoryError: The core found no working memory.
    """
    cdef chase_playout_options options
    cdef Py_buffer buffer
    cdef chase_status status
    cdef uint64_t done = 0
    options.seed = _integer(seed, "seed", 0, _MAX_U64, ArgumentError)
    options.first_game = _integer(first_game, "first_game", 0, _MAX_U64, ArgumentError)
    options.max_turns = _integer(max_turns, "max_turns", 1, CHASE_MAX_TURN_LIMIT, ArgumentError)
    if not isinstance(out, np.ndarray) or out.dtype != GAME_DTYPE or out.ndim != 1:
        raise ArgumentError("out must be a numpy array of GAME_DTYPE with one dimension")
    if not out.flags.c_contiguous or not out.flags.writeable:
        raise ArgumentError("out must be contiguous and writable")
    if len(out) > 0 and options.first_game > _MAX_U64 - (len(out) - 1):
        raise ArgumentError(
            f"first_game is {options.first_game}, but with {len(out)} games it must be at most "
            f"{_MAX_U64 - (len(out) - 1)}"
        )
    options.games = len(out)
    # Held until the end, so that nobody can move the memory meanwhile.
    PyObject_GetBuffer(out, &buffer, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS)
    try:
        if <uintptr_t>buffer.buf % sizeof(uint32_t) != 0:
            raise ArgumentError("out must be aligned to 4 bytes")
        with nogil:
            status = chase_playouts(
                position._rules._variant.handle, &position._state, &options, &stop._flag,
                <chase_game_stats *>buffer.buf, &done,
            )
    finally:
        PyBuffer_Release(&buffer)
    if status != CHASE_OK and status != CHASE_STOPPED:
        raise _status_exception(status, "the core could not play")
    return done


def philox(seed, game, counter):
    """One block of the generator's stream for a game: Philox4x32-10 (Salmon et al., 2011).

    Args:
        seed, game, counter: 0 to 2**64 - 1 each.

    Returns:
        Four numbers of 32 bits.

    Raises:
        ArgumentError: A number outside its range.
    """
    cdef uint32_t numbers[4]
    chase_philox(
        _integer(seed, "seed", 0, _MAX_U64, ArgumentError),
        _integer(game, "game", 0, _MAX_U64, ArgumentError),
        _integer(counter, "counter", 0, _MAX_U64, ArgumentError),
        numbers,
    )
    return numbers[0], numbers[1], numbers[2], numbers[3]


def philox_raw(counter, key):
    """Philox4x32-10 itself, for its published known answers.

    Args:
        counter: Four numbers of 32 bits.
        key: Two numbers of 32 bits.

    Returns:
        Four numbers of 32 bits.

    Raises:
        ArgumentError: Not as many numbers, or one outside its range.
    """
    cdef uint32_t counter_words[4]
    cdef uint32_t key_words[2]
    cdef uint32_t numbers[4]
    _words(counter, "counter", counter_words, 4)
    _words(key, "key", key_words, 2)
    chase_philox_raw(counter_words, key_words, numbers)
    return numbers[0], numbers[1], numbers[2], numbers[3]


cdef int _words(object given, str name, uint32_t *words, int count) except -1:
    cdef int at
    if not isinstance(given, (tuple, list)) or len(given) != count:
        raise ArgumentError(f"{name} must be {count} ints, not {_show(given)}")
    for at in range(count):
        words[at] = _integer(given[at], f"{name}[{at}]", 0, 0xFFFFFFFF, ArgumentError)
    return 0
