"""Externs of ``csrc/chase.h``, and nothing else; that header says what each of them promises.

Only what the binding names is declared, in the order of the header.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t


cdef extern from "chase.h" nogil:
    # ---- Limits
    enum:
        CHASE_ROWS
        CHASE_COLUMNS
        CHASE_CELLS
        CHASE_NO_CELL
        CHASE_DIRECTIONS
        CHASE_MAX_VALUE
        CHASE_HOME_DICE
        CHASE_MAX_RESERVE
        CHASE_MAX_DECISIONS
        CHASE_MAX_TRACE
        CHASE_MAX_FAULTS
        CHASE_CFEN_SIZE
        CHASE_DECISION_SIZE
        CHASE_RULES_SIZE
        CHASE_MESSAGE_SIZE

    enum:
        CHASE_RED
        CHASE_BLUE

    enum:
        CHASE_E
        CHASE_NE
        CHASE_NW
        CHASE_W
        CHASE_SW
        CHASE_SE

    # ---- Status
    ctypedef enum chase_status:
        CHASE_OK
        CHASE_MEMORY
        CHASE_BAD_ARGUMENT
        CHASE_BAD_RULES
        CHASE_BAD_SYNTAX
        CHASE_INVALID_POSITION
        CHASE_ILLEGAL
        CHASE_STOPPED
        CHASE_STATUS_COUNT

    ctypedef struct chase_error:
        chase_status status
        int32_t offset
        char message[CHASE_MESSAGE_SIZE]

    # ---- Rules
    ctypedef struct chase_rules:
        uint8_t reserve
        uint8_t recycle
        uint8_t chain
        uint8_t handout
        uint8_t wrap
        uint8_t ricochet
        uint8_t repetition
        uint8_t setup[CHASE_HOME_DICE]

    void chase_rules_default(chase_rules *out)
    chase_status chase_rules_check(const chase_rules *rules, chase_error *error)
    int chase_rules_total(const chase_rules *rules)
    chase_status chase_rules_parse(const char *text, size_t length, chase_rules *out,
                                   chase_error *error)
    size_t chase_rules_format(const chase_rules *rules, char *out)

    # ---- Variant
    ctypedef struct chase_variant:
        pass

    ctypedef enum chase_isa:
        CHASE_ISA_AUTO
        CHASE_ISA_COUNT

    chase_status chase_variant_new(const chase_rules *rules, chase_isa isa, chase_variant **out)
    void chase_variant_free(chase_variant *variant)
    const chase_rules *chase_variant_rules(const chase_variant *variant)
    const char *chase_variant_isa(const chase_variant *variant)

    # ---- Position
    ctypedef struct chase_setup:
        int8_t board[CHASE_CELLS]
        int32_t side
        int32_t capturing
        int32_t spare[2]

    # The fields that the binding reads, in no particular order.
    ctypedef struct chase_position:
        uint64_t hash
        uint8_t value[2][CHASE_CELLS]
        uint8_t side
        uint8_t capturing
        uint8_t spare[2]
        uint8_t dice[2]
        uint8_t pips[2]

    ctypedef enum chase_fault_kind:
        CHASE_FAULT_VALUE
        CHASE_FAULT_CHAMBER
        CHASE_FAULT_PIPS_MORE
        CHASE_FAULT_CAPTURING_CELL

    ctypedef struct chase_fault:
        chase_fault_kind kind
        int32_t cell
        int32_t side
        int32_t got
        int32_t expected

    void chase_position_start(const chase_variant *variant, chase_position *out)
    chase_status chase_position_make(const chase_variant *variant, const chase_setup *setup,
                                     chase_position *out, chase_fault *faults, int *count)
    void chase_fault_format(const chase_fault *fault, char *out)
    void chase_position_unmake(const chase_position *position, chase_setup *out)
    bint chase_position_equal(const chase_position *a, const chase_position *b)
    uint64_t chase_position_rehash(const chase_variant *variant, const chase_position *position)
    bint chase_position_consistent(const chase_variant *variant, const chase_position *position)
    int chase_position_due(const chase_variant *variant, const chase_position *position)

    ctypedef enum chase_termination:
        CHASE_NOT_OVER
        CHASE_BY_DICE
        CHASE_BY_NO_DECISION
        CHASE_BY_REPETITION
        CHASE_BY_TURN_LIMIT

    chase_termination chase_position_outcome(const chase_variant *variant,
                                             const chase_position *position, int *winner)

    # ---- Decisions
    ctypedef enum chase_kind:
        CHASE_MOVE
        CHASE_EXCHANGE
        CHASE_DISTRIBUTION
        CHASE_STOP

    ctypedef uint32_t chase_decision

    chase_decision chase_decision_make(chase_kind kind, int cell, int direction, int value,
                                       int other_value)
    chase_kind chase_decision_kind(chase_decision d)
    int chase_decision_cell(chase_decision d)
    int chase_decision_direction(chase_decision d)
    int chase_decision_value(chase_decision d)
    int chase_decision_other_value(chase_decision d)

    int chase_cell_neighbour(int cell, int direction)
    int chase_decision_count(const chase_variant *variant, const chase_position *position)
    int chase_decision_list(const chase_variant *variant, const chase_position *position,
                            chase_decision *out)
    chase_decision chase_decision_at(const chase_variant *variant, const chase_position *position,
                                     int index)
    chase_status chase_decision_check(const chase_variant *variant, const chase_position *position,
                                      chase_decision decision, chase_error *error)
    chase_status chase_apply(const chase_variant *variant, const chase_position *position,
                             chase_decision decision, chase_position *out, chase_error *error)

    ctypedef struct chase_events:
        uint8_t captures
        uint8_t entered
        uint8_t split
        uint8_t refused
        uint8_t bumps
        uint8_t longest_chain
        uint8_t ricochets
        uint8_t wraps

    void chase_apply_events(const chase_variant *variant, chase_position *position,
                            chase_decision decision, chase_events *out)

    # `from` is a word of Python's, hence the C name in quotes.
    ctypedef struct chase_trace_step:
        uint8_t kind
        uint8_t origin "from"
        uint8_t to
        uint8_t direction
        uint8_t value
        uint8_t wraps
        uint8_t ricochets
        uint8_t captured

    int chase_decision_trace(const chase_variant *variant, const chase_position *position,
                             chase_decision decision, chase_trace_step *out)

    # ---- Notation
    chase_status chase_cfen_parse(const chase_variant *variant, const char *text, size_t length,
                                  chase_setup *out, chase_error *error)
    size_t chase_cfen_format(const chase_position *position, char *out)
    chase_status chase_decision_parse_at(const char *text, size_t begin, size_t end,
                                         chase_decision *out, chase_error *error)
    chase_status chase_decision_parse(const char *text, size_t length, chase_decision *out,
                                      chase_error *error)
    size_t chase_decision_format(chase_decision decision, char *out)

    # ---- Random numbers
    void chase_philox(uint64_t seed, uint64_t game, uint64_t counter, uint32_t *out)
    void chase_philox_raw(const uint32_t *counter, const uint32_t *key, uint32_t *out)

    # ---- Perft
    ctypedef enum chase_unit:
        CHASE_DECISIONS
        CHASE_TURNS

    enum:
        CHASE_MAX_PERFT_DEPTH

    # `stop` is a chase_stop_flag, spelled out because Cython cannot typedef a const.
    chase_status chase_perft(const chase_variant *variant, const chase_position *position,
                             int depth, chase_unit unit, const int32_t *stop, uint64_t *out)

    # ---- Random playouts
    enum:
        CHASE_MAX_TURN_LIMIT

    ctypedef struct chase_game_stats:
        uint16_t longest_chain

    ctypedef struct chase_playout_options:
        uint64_t seed
        uint64_t first_game
        uint64_t games
        uint32_t max_turns

    chase_status chase_playouts(const chase_variant *variant, const chase_position *position,
                                const chase_playout_options *options, const int32_t *stop,
                                chase_game_stats *out, uint64_t *done)


cdef extern from "players.h" nogil:
    # ---- Evaluation
    enum:
        CHASE_SCORE_WIN
        CHASE_SCORE_PROVEN
        CHASE_MAX_WEIGHT
        CHASE_FEATURES
        CHASE_FEATURE_DICE
        CHASE_FEATURE_VALUE
        CHASE_FEATURE_ROW
        CHASE_FEATURE_MOBILITY
        CHASE_FEATURE_SPARE
        CHASE_FEATURE_ACT_LOOSE

    ctypedef struct chase_weights:
        int32_t weight[CHASE_FEATURES]

    ctypedef struct chase_evaluator:
        pass

    chase_status chase_evaluator_new(const chase_variant *variant, const chase_weights *weights,
                                     chase_evaluator **out)
    void chase_evaluator_free(chase_evaluator *evaluator)
    int chase_evaluate(const chase_evaluator *evaluator, const chase_position *position)
    void chase_features(const chase_variant *variant, const chase_position *position, int16_t *out)

    # ---- Games
    ctypedef struct chase_game:
        pass

    chase_status chase_game_new(const chase_variant *variant, const chase_position *start,
                                uint32_t max_turns, chase_game **out)
    void chase_game_free(chase_game *game)
    chase_status chase_game_push(chase_game *game, chase_decision decision)
    const chase_position *chase_game_position(const chase_game *game)
    chase_termination chase_game_outcome(const chase_game *game, int *winner)

    # ---- Players
    ctypedef enum chase_player_kind:
        CHASE_PLAYER_RANDOM
        CHASE_PLAYER_GREEDY
        CHASE_PLAYER_AB
        CHASE_PLAYER_MCTS
        CHASE_PLAYER_KINDS

    ctypedef enum chase_tree_policy:
        CHASE_PUCT
        CHASE_UCT

    enum:
        CHASE_MAX_DEPTH
        CHASE_MAX_PV
        CHASE_FULL_ROLLOUT
        CHASE_MAX_TEMP
        CHASE_MAX_HASH_MIB
        CHASE_REDUCE_ALL

    ctypedef struct chase_player_options:
        chase_player_kind kind
        uint64_t seed
        uint64_t nodes
        uint64_t sims
        int32_t depth
        uint32_t eps
        bint always_random
        uint32_t temp
        uint64_t hash_mib
        bint table
        uint32_t reductions
        bint verify
        chase_tree_policy policy
        double exploration
        uint32_t rollout

    void chase_player_defaults(chase_player_kind kind, chase_player_options *out)

    ctypedef struct chase_player:
        pass

    chase_status chase_player_new(const chase_variant *variant, const chase_evaluator *evaluator,
                                  const chase_player_options *options, chase_player **out)
    void chase_player_free(chase_player *player)
    void chase_player_new_game(chase_player *player, uint64_t game_seed, int side)

    # ---- Searching
    ctypedef struct chase_line:
        int32_t score
        int32_t depth
        uint64_t nodes
        int32_t length
        chase_decision pv[CHASE_MAX_PV]

    ctypedef struct chase_analysis:
        chase_line *lines
        int32_t capacity
        int32_t count
        int32_t depth
        uint64_t nodes
        uint64_t sims
        uint64_t polls
        bint stopped

    # Cython's bint is an int.
    ctypedef bint c_bool "bool"

    ctypedef c_bool (*chase_report)(void *context, const chase_analysis *analysis) noexcept

    chase_status chase_player_search(chase_player *player, const chase_game *game,
                                     const int32_t *stop, chase_report report, void *context,
                                     chase_analysis *out)
    chase_status chase_player_share(chase_player *helper, const chase_player *owner, int index)
    chase_status chase_player_choose(chase_player *player, const chase_game *game,
                                     const int32_t *stop, chase_report report, void *context,
                                     chase_analysis *out, chase_decision *decision)
    ctypedef struct chase_game_detail:
        uint32_t choices

    ctypedef struct chase_turn_row:
        uint16_t options

    enum:
        CHASE_HEATS

    ctypedef struct chase_game_log:
        bint keep_decisions
        bint keep_turns
        uint64_t decisions
        chase_decision *decision
        uint64_t turns
        chase_turn_row *turn
        uint64_t heat[CHASE_HEATS][2][CHASE_CELLS]

    void chase_game_log_free(chase_game_log *log)
    chase_status chase_game_play(chase_game *game, chase_player **players, uint64_t game_seed,
                                 const int32_t *stop, chase_game_stats *stats,
                                 chase_game_detail *detail, chase_game_log *log)

    chase_status chase_game_count(chase_game *game, const chase_decision *decisions,
                                  uint64_t count, chase_game_stats *stats,
                                  chase_game_detail *detail, chase_game_log *log)

    ctypedef struct chase_series:
        uint64_t games
        const chase_position *starts
        const uint64_t *seeds
        const uint8_t *swapped
        uint32_t max_turns

    chase_status chase_series_play(chase_player *const *players, const chase_series *series,
                                   const int32_t *stop, chase_game_stats *stats,
                                   chase_game_detail *detail, chase_game_log *log, uint64_t *done)
