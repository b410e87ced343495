# Evaluation, players and their searches. Included by _core.pyx.

from libc.stdint cimport int16_t
from libc.stdlib cimport free, malloc


cdef tuple _feature_names():
    """Names by enum chase_feature, in the order of a weight file."""
    names = [f"dice_{n}" for n in range(CHASE_FEATURE_VALUE - CHASE_FEATURE_DICE)]
    names += [f"value_{n + 1}" for n in range(CHASE_FEATURE_ROW - CHASE_FEATURE_VALUE)]
    names += [f"row_{n}" for n in range(CHASE_FEATURE_MOBILITY - CHASE_FEATURE_ROW)]
    names += ["mobility", "reach", "linked", "guarded", "split_line", "whole_line"]
    names += [f"spare_{n + 1}" for n in range(CHASE_FEATURE_ACT_LOOSE - CHASE_FEATURE_SPARE)]
    names += ["act_loose", "act_guarded", "act_any"]
    names += ["wait_loose", "wait_guarded", "wait_any", "wait_two", "tempo"]
    return tuple(names)


FEATURES = _feature_names()
SCORE_WIN = CHASE_SCORE_WIN
SCORE_PROVEN = CHASE_SCORE_PROVEN
MAX_WEIGHT = CHASE_MAX_WEIGHT
MAX_DEPTH = CHASE_MAX_DEPTH
MAX_TEMP = CHASE_MAX_TEMP
MAX_HASH_MIB = CHASE_MAX_HASH_MIB
FULL_ROLLOUT = CHASE_FULL_ROLLOUT
REDUCE_ALL = CHASE_REDUCE_ALL
# By the bits of enum chase_reduction, the lowest first.
REDUCTIONS = ("late", "null", "static", "futile")

Line = namedtuple("Line", ("score", "depth", "nodes", "pv"))
Line.__doc__ = """One line of an analysis: a first decision and the best play after it.

Attributes:
    score: Thousandths of a die for the side to act; `SCORE_WIN` - n for a win in n decisions.
    depth: Decisions searched (ab), length of the line in the tree (mcts).
    nodes: Decisions applied for this line (ab), simulations through it (mcts).
    pv: Its moves, at least one.
"""

Analysis = namedtuple("Analysis", ("lines", "depth", "nodes", "sims", "polls", "stopped"))
Analysis.__doc__ = """What a search found.

Attributes:
    lines: `Line` objects with different first moves, best first; where a limit broke an
        iteration off, those that it finished come before the others.
    depth: Completed decisions of depth (ab), length of the longest line (mcts).
    nodes: Decisions applied.
    sims: Simulations (mcts), else 0.
    polls: How often the stop flag was looked at.
    stopped: Whether it ended the search.
"""


cdef int _under_rules(Position position, Rules rules) except -1:
    if position._rules != rules:
        raise ArgumentError(f"the position is under the rules {position._rules}, not {rules}")
    return 0


@cython.final
@cython.no_gc
cdef class Evaluator:
    """Weights made ready for a set of rules; immutable.

    Args:
        rules: The rules.
        weights: As many ints as `FEATURES`, each from -`MAX_WEIGHT` to `MAX_WEIGHT`, thousandths
            of a die.

    Raises:
        ArgumentError: Not so many, or one outside its range.
    """

    cdef chase_evaluator *_handle
    cdef readonly Rules rules

    def __cinit__(self, Rules rules not None, weights):
        cdef chase_weights given
        cdef int at
        listed = list(weights)
        if len(listed) != CHASE_FEATURES:
            raise ArgumentError(f"weights must be {CHASE_FEATURES} ints, not {len(listed)}")
        for at in range(CHASE_FEATURES):
            given.weight[at] = _integer(
                listed[at], FEATURES[at], -CHASE_MAX_WEIGHT, CHASE_MAX_WEIGHT, ArgumentError
            )
        cdef chase_status status = chase_evaluator_new(
            rules._variant.handle, &given, &self._handle
        )
        if status != CHASE_OK:
            raise _status_exception(status, "the core refused the weights")
        self.rules = rules

    def __dealloc__(self):
        chase_evaluator_free(self._handle)

    def evaluate(self, Position position not None):
        """Static score of a position for the side to act, thousandths of a die.

        Raises:
            ArgumentError: The position is under other rules.
        """
        _under_rules(position, self.rules)
        return chase_evaluate(self._handle, &position._state)


def features(Position position not None):
    """The counts behind an evaluation: an int16 array in the order of `FEATURES`."""
    out = np.empty(CHASE_FEATURES, np.int16)
    cdef int16_t[::1] view = out
    chase_features(position._rules._variant.handle, &position._state, &view[0])
    return out


cdef object _analysis_of(const chase_analysis *analysis):
    cdef int line, at
    lines = []
    for line in range(analysis.count):
        pv = tuple([_move_of(analysis.lines[line].pv[at])
                    for at in range(analysis.lines[line].length)])
        lines.append(Line(analysis.lines[line].score, analysis.lines[line].depth,
                          analysis.lines[line].nodes, pv))
    return Analysis(tuple(lines), analysis.depth, analysis.nodes, analysis.sims, analysis.polls,
                    bool(analysis.stopped))


cdef class _Report:
    """A callable for the core to call between iterations; what it raises stops the search."""

    cdef object call
    cdef object error


cdef c_bool _report(void *context, const chase_analysis *analysis) noexcept with gil:
    cdef _Report report = <_Report>context
    try:
        return bool(report.call(_analysis_of(analysis)))
    except BaseException as error:
        report.error = error
        return True


cdef chase_game *_game_of(Position start, object moves, uint32_t max_turns) except NULL:
    """The game after `moves`; the caller frees it."""
    cdef chase_game *game = NULL
    cdef chase_status status = chase_game_new(
        start._rules._variant.handle, &start._state, max_turns, &game
    )
    if status != CHASE_OK:
        raise _status_exception(status, "the core could not begin a game")
    try:
        for number, move in enumerate(moves):
            if not isinstance(move, Move):
                raise ArgumentError(f"moves[{number}] must be a Move, not {_show(move)}")
            status = chase_game_push(game, (<Move>move)._code)
            if status == CHASE_ILLEGAL:
                raise IllegalMoveError(f"moves[{number}], {move}, is not legal in this game")
            if status != CHASE_OK:
                raise _status_exception(status, "the core could not play")
    except BaseException:
        chase_game_free(game)
        raise
    return game


PLAYER_KINDS = ("random", "greedy", "ab", "mcts")
TREE_POLICIES = ("puct", "uct")


@cython.final
@cython.no_gc
cdef class CorePlayer:
    """A player of the core with what it keeps between its turns; for one thread at a time.

    Args:
        evaluator: Weights, and with them the rules.
        kind: One of `PLAYER_KINDS`.
        seed: 0 to 2**64 - 1.
        nodes: ab, decisions applied; 0 for no limit.
        sims: mcts, simulations; 0 for no limit.
        depth: ab, 0 (no limit) to `MAX_DEPTH`.
        eps: Share of turns played at random, 0.0 to 1.0.
        temp: Score loss at which a choice has 1/e of the best one's chance, 0 to `MAX_TEMP`.
        hash_mib: Cap of table or tree in MiB, 1 to `MAX_HASH_MIB`.
        table, verify: ab, see ``players.h``.
        reductions: ab, bit n for `REDUCTIONS`[n].
        policy: mcts, one of `TREE_POLICIES`.
        exploration: mcts, above 0, at most 100.
        rollout: mcts, 0 to 1000 random decisions, or `FULL_ROLLOUT`.

    Raises:
        ArgumentError: A value outside its range.
        MemoryError: No memory for table or tree.
    """

    cdef chase_player *_handle
    cdef readonly Evaluator evaluator
    cdef bint _busy
    cdef CorePlayer _owner

    def __cinit__(
        self, Evaluator evaluator not None, kind, *, seed=0, nodes=0, sims=0, depth=0, eps=0.0,
        temp=0, hash_mib=64, table=True, reductions=REDUCE_ALL, verify=False, policy="puct",
        exploration=None, rollout=None,
    ):
        cdef chase_player_options options
        if kind not in PLAYER_KINDS:
            raise ArgumentError(f"kind must be one of {', '.join(PLAYER_KINDS)}, not {_show(kind)}")
        if policy not in TREE_POLICIES:
            raise ArgumentError(
                f"policy must be one of {', '.join(TREE_POLICIES)}, not {_show(policy)}"
            )
        chase_player_defaults(<chase_player_kind><int>PLAYER_KINDS.index(kind), &options)
        options.seed = _integer(seed, "seed", 0, _MAX_U64, ArgumentError)
        options.nodes = _integer(nodes, "nodes", 0, _MAX_U64, ArgumentError)
        options.sims = _integer(sims, "sims", 0, _MAX_U64, ArgumentError)
        options.depth = _integer(depth, "depth", 0, CHASE_MAX_DEPTH, ArgumentError)
        share = _share(eps, "eps")
        options.always_random = share == 1.0
        options.eps = 0 if options.always_random else <uint32_t>(share * 4294967296.0)
        options.temp = _integer(temp, "temp", 0, CHASE_MAX_TEMP, ArgumentError)
        options.hash_mib = _integer(hash_mib, "hash_mib", 1, CHASE_MAX_HASH_MIB, ArgumentError)
        options.table = bool(table)
        options.reductions = _integer(reductions, "reductions", 0, CHASE_REDUCE_ALL, ArgumentError)
        options.verify = bool(verify)
        options.policy = <chase_tree_policy><int>TREE_POLICIES.index(policy)
        if exploration is not None:
            options.exploration = exploration
        if rollout is not None:
            options.rollout = _integer(rollout, "rollout", 0, CHASE_FULL_ROLLOUT, ArgumentError)
        cdef chase_status status = chase_player_new(
            evaluator.rules._variant.handle, evaluator._handle, &options, &self._handle
        )
        if status != CHASE_OK:
            raise _status_exception(status, f"the core refused the options of a player of {kind}")
        self.evaluator = evaluator

    def __dealloc__(self):
        chase_player_free(self._handle)

    cdef int _take(self) except -1:
        if self._busy:
            raise ArgumentError("this player is searching already, in another thread")
        self._busy = True
        return 0

    def new_game(self, seed, side):
        """Forgets everything; random numbers start anew.

        Args:
            seed: Of the game, 0 to 2**64 - 1.
            side: RED or BLUE, the side that it plays.
        """
        cdef uint64_t number = _integer(seed, "seed", 0, _MAX_U64, ArgumentError)
        cdef int of = _integer(side, "side", CHASE_RED, CHASE_BLUE, ArgumentError, Side)
        self._take()
        chase_player_new_game(self._handle, number, of)
        self._busy = False

    def share(self, CorePlayer owner not None, index):
        """Uses the table of `owner` from now on, to help it in another thread."""
        cdef int number = _integer(index, "index", 1, 1 << 20, ArgumentError)
        cdef chase_status status = chase_player_share(self._handle, owner._handle, number)
        if status != CHASE_OK:
            raise _status_exception(status, "only players of ab with a table share it")
        self._owner = owner

    def search(self, Position start not None, moves, StopFlag stop not None, *, lines=1,
               max_turns=0, report=None):
        """Searches the position after `moves` until a limit or the stop flag.

        Args:
            start: First position of the game, which gives the history.
            moves: The game's moves so far, `Move` objects.
            stop: Polled at least every 1,000 nodes.
            lines: Different first moves asked for, 1 to `MAX_DECISIONS`.
            max_turns: Turn limit of the game, 0 for none.
            report: Called with an `Analysis` between iterations; true stops the search.

        Returns:
            `Analysis`.

        Raises:
            ArgumentError: The game is over, or a number outside its range.
            IllegalMoveError: A move is not legal.
        """
        return self._run(start, moves, stop, lines, max_turns, report, False)[1]

    def choose(self, Position start not None, moves, StopFlag stop not None, *, max_turns=0,
               report=None):
        """The player's move with `eps` and `temp`; arguments and errors as `search`.

        Returns:
            The move and the `Analysis` behind it.
        """
        return self._run(start, moves, stop, 8, max_turns, report, True)

    cdef object _run(self, Position start, moves, StopFlag stop, lines, max_turns, report,
                     bint choose):
        cdef int capacity = _integer(lines, "lines", 1, CHASE_MAX_DECISIONS, ArgumentError)
        cdef uint32_t turns = _integer(max_turns, "max_turns", 0, CHASE_MAX_TURN_LIMIT,
                                       ArgumentError)
        cdef chase_analysis analysis
        cdef chase_decision decision = 0
        cdef chase_status status
        cdef int winner
        cdef _Report reporter = None
        cdef chase_report call = NULL
        _under_rules(start, self.evaluator.rules)
        if report is not None:
            reporter = _Report()
            reporter.call = report
            call = _report
        self._take()
        cdef chase_game *game = NULL
        analysis.lines = NULL
        try:
            game = _game_of(start, moves, turns)
            if chase_game_outcome(game, &winner) != CHASE_NOT_OVER:
                raise GameOverError("the game is over; there is nothing to search")
            analysis.lines = <chase_line *>malloc(capacity * sizeof(chase_line))
            if analysis.lines == NULL:
                raise MemoryError("out of memory in the core")
            analysis.capacity = capacity
            with nogil:
                if choose:
                    status = chase_player_choose(
                        self._handle, game, &stop._flag, call, <void *>reporter, &analysis,
                        &decision,
                    )
                else:
                    status = chase_player_search(
                        self._handle, game, &stop._flag, call, <void *>reporter, &analysis
                    )
            if reporter is not None and reporter.error is not None:
                raise reporter.error
            if status != CHASE_OK and status != CHASE_STOPPED:
                raise _status_exception(status, "the core could not search")
            return (_move_of(decision) if choose else None), _analysis_of(&analysis)
        finally:
            free(analysis.lines)
            chase_game_free(game)
            self._busy = False


cdef double _share(object value, str name) except -1.0:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise ArgumentError(f"{name} must be a number from 0 to 1, not {_show(value)}")
    return value
