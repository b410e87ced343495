/* Chase Fast: the rules engine. The first of two public headers; players.h stands above it.
 *
 * The core knows the game and nothing else: no I/O, no Python, no mutable
 * globals. Every function is safe to call from several threads as long as no
 * two of them write the same object. Functions allocate only where their
 * comment says so. Rule numbers (R1..R13) refer to docs/rules.md.
 *
 * Contents: limits, status, rules, variant, position, decisions, notation,
 * random numbers, perft, playouts.
 */
#ifndef CHASE_H
#define CHASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Limits --------------------------------------------------------- */

enum {
  CHASE_ROWS = 9,
  CHASE_COLUMNS = 9,
  CHASE_CELLS = 81,     /* 0 = i1 ... 80 = a9 in reading order */
  CHASE_CHAMBER = 40,   /* e5 (R4) */
  CHASE_NO_CELL = 81,   /* "no such cell"; also the always empty slot 81 */
  CHASE_DIRECTIONS = 6, /* E, NE, NW, W, SW, SE */
  CHASE_MAX_VALUE = 6,
  CHASE_HOME_DICE = 9,
  CHASE_MAX_RESERVE = 16,
  CHASE_MAX_DICE = CHASE_HOME_DICE + CHASE_MAX_RESERVE, /* of one side */
  CHASE_MAX_TOTAL = CHASE_HOME_DICE * CHASE_MAX_VALUE,

  /* Upper bound of the decisions of one position: 6 x total. A die of value v
   * has six moves and at most six exchanges partners; the exchange of values a
   * and b has at most (a-1) + (b-1) results, so that each die accounts for at
   * most 6 + 6 (v-1) = 6 v decisions. Distributions (<= 25) and series (<= 7)
   * are fewer. 150 in the standard game. Asserted in movegen and in tests. */
  CHASE_MAX_DECISIONS = 6 * CHASE_MAX_TOTAL,

  /* Dice pushed by one landing. A chain runs along one line; it meets a cell at
   * most twice (once before and once after a bounce), and only dice of the
   * mover's side go on, at most 24 beside the die that lands. */
  CHASE_MAX_CHAIN = 2 * (CHASE_MAX_DICE - 1),

  /* Decisions of one turn: each distribution but the last fills a die to six,
   * each capture of a series takes an enemy die, plus the move or stop. */
  CHASE_MAX_TURN = 2 * CHASE_MAX_DICE + 2,

  CHASE_MAX_TRACE = CHASE_MAX_VALUE + 2 * (CHASE_MAX_CHAIN + 1), /* ray, two exits */
  CHASE_MAX_FAULTS = 2 * CHASE_CELLS,
  CHASE_CFEN_SIZE = 128,     /* bytes incl. the final NUL; longest is 101 */
  CHASE_DECISION_SIZE = 12,  /* "a1=2,a2=1" and NUL */
  CHASE_RULES_SIZE = 160,    /* every option spelled out */
  CHASE_MESSAGE_SIZE = 240,
};

enum chase_side { CHASE_RED = 0, CHASE_BLUE = 1 };

enum chase_direction { CHASE_E, CHASE_NE, CHASE_NW, CHASE_W, CHASE_SW, CHASE_SE };

/* ---- Status --------------------------------------------------------- */

typedef enum chase_status {
  CHASE_OK = 0,
  CHASE_MEMORY,           /* out of memory */
  CHASE_BAD_ARGUMENT,     /* a number outside its documented range */
  CHASE_BAD_RULES,        /* rules text or value (R12) */
  CHASE_BAD_SYNTAX,       /* position or decision text */
  CHASE_INVALID_POSITION, /* R13 */
  CHASE_ILLEGAL,          /* well-formed decision that is not legal here */
  CHASE_STOPPED,          /* the stop flag was seen */
  CHASE_STATUS_COUNT      /* sentinel */
} chase_status;

/* What went wrong, in words. `offset` is the offset of the first faulty byte in
 * the text that was read, from 0 (its length if it ends too early), or -1.
 * Every message names the value, the place and what is allowed. */
typedef struct chase_error {
  chase_status status;
  int32_t offset;
  char message[CHASE_MESSAGE_SIZE];
} chase_error;

/* A flag that long calls poll: non-zero asks them to stop. May be set from any
 * thread; NULL where a call may not be stopped. */
typedef const int32_t chase_stop_flag;

/* ---- Rules (R12) ---------------------------------------------------- */

enum chase_handout { CHASE_HANDOUT_LOWEST = 0, CHASE_HANDOUT_ANY = 1 };

enum chase_repetition {
  CHASE_REPETITION_THREEFOLD = 0,
  CHASE_REPETITION_MOVES = 1,
  CHASE_REPETITION_NONE = 2
};

typedef struct chase_rules {
  uint8_t reserve;    /* 0..16 */
  uint8_t recycle;    /* 0 or 1, like chain, wrap, ricochet */
  uint8_t chain;
  uint8_t handout;    /* enum chase_handout */
  uint8_t wrap;
  uint8_t ricochet;
  uint8_t repetition; /* enum chase_repetition */
  uint8_t setup[CHASE_HOME_DICE]; /* 1..6, from each player's own left */
} chase_rules;

/* The standard game. */
void chase_rules_default(chase_rules *out);

/* CHASE_OK or CHASE_BAD_RULES with the first field that is out of range. */
chase_status chase_rules_check(const chase_rules *rules, chase_error *error);

/* Sum of the setup: what each side shows after its own turn (R5). */
int chase_rules_total(const chase_rules *rules);

/* Grammar: item ("," item)*; item = preset | field "=" value. Presets are
 * standard, rulebook, russian, wikipedia, and only the first item may be one.
 * A field may be given once. CHASE_OK or CHASE_BAD_RULES; `out` is written only
 * on success. */
chase_status chase_rules_parse(const char *text, size_t length, chase_rules *out,
                               chase_error *error);

/* Writes the canonical text: "standard", or the fields that differ from it in
 * the order of R12. Returns its length. Parsing it gives the same rules. */
size_t chase_rules_format(const chase_rules *rules, char out[CHASE_RULES_SIZE]);

/* ---- Variant: rules, ray tables and hash keys, immutable ------------- */

typedef struct chase_variant chase_variant;

/* Instruction set of the hot loops. AUTO takes the best that runs here. */
typedef enum chase_isa { CHASE_ISA_AUTO = 0, CHASE_ISA_GENERIC, CHASE_ISA_V3, CHASE_ISA_COUNT } chase_isa;

/* Allocates (about 150 KiB); release with chase_variant_free. CHASE_OK,
 * CHASE_MEMORY, CHASE_BAD_RULES, or CHASE_BAD_ARGUMENT for an instruction set
 * that this processor does not have. */
chase_status chase_variant_new(const chase_rules *rules, chase_isa isa, chase_variant **out);
void chase_variant_free(chase_variant *variant); /* NULL is allowed */
const chase_rules *chase_variant_rules(const chase_variant *variant);
const char *chase_variant_isa(const chase_variant *variant); /* "generic", "x86-64-v3" */

/* ---- Position ------------------------------------------------------- */

/* Data that may be anything; a chase_position made from it is proof. */
typedef struct chase_setup {
  int8_t board[CHASE_CELLS]; /* red positive, blue negative, 0 empty */
  int32_t side;              /* to act */
  int32_t capturing;         /* cell, or CHASE_NO_CELL */
  int32_t spare[2];
} chase_setup;

/* Always valid (R13): made by the functions below, never by hand. Cells are
 * kept twice, as values for look-up and as 27-bit words (three rows each) for
 * the ray tests. */
typedef struct chase_position {
  uint64_t hash;                       /* over all below and the rules */
  uint32_t occupied[2][3];             /* by side: bit c % 27 of word c / 27 */
  uint8_t value[2][CHASE_CELLS + 7];   /* by side; 0 = not this side's die */
  uint8_t side;                        /* to act */
  uint8_t capturing;                   /* die of R12 chain, or CHASE_NO_CELL */
  uint8_t spare[2];
  uint8_t dice[2];                     /* on the board */
  uint8_t pips[2];                     /* on the board */
} chase_position;

typedef enum chase_fault_kind {
  CHASE_FAULT_SIDE,             /* got = side */
  CHASE_FAULT_VALUE,            /* cell, got = value */
  CHASE_FAULT_CHAMBER,          /* got = value of the die on e5 */
  CHASE_FAULT_PIPS_MORE,        /* side, got, expected: shows more than its total */
  CHASE_FAULT_PIPS_LESS,        /* side, got, expected: must show its total, shows less */
  CHASE_FAULT_SPARE_NEGATIVE,   /* side, got */
  CHASE_FAULT_DICE,             /* side, got = dice + spare, expected = 9 + reserve */
  CHASE_FAULT_DICE_MORE,        /* likewise, "at most" (recycle no) */
  CHASE_FAULT_SPARE_MORE,       /* side, got = spare, expected = reserve (recycle no) */
  CHASE_FAULT_CAPTURING_CELL,   /* got = cell number outside the board */
  CHASE_FAULT_CAPTURING_RULES,  /* cell; rules have chain=no */
  CHASE_FAULT_CAPTURING_DIE,    /* cell; no die of the side to act there */
  CHASE_FAULT_CAPTURING_IDLE,   /* cell; that die cannot capture directly */
  CHASE_FAULT_CAPTURING_LACK,   /* side = other side, which lacks no pips in a series */
  CHASE_FAULT_CAPTURING_LOST,   /* side = other side, which has lost already */
  CHASE_FAULT_COUNT             /* sentinel */
} chase_fault_kind;

typedef struct chase_fault {
  chase_fault_kind kind;
  int32_t cell; /* CHASE_NO_CELL where it does not apply; fields that a kind does not name hold
                   no promise */
  int32_t side;
  int32_t got;
  int32_t expected;
} chase_fault;

/* The first position under the variant's rules (R5). */
void chase_position_start(const chase_variant *variant, chase_position *out);

/* CHASE_OK, or CHASE_INVALID_POSITION with all faults of R13 in `faults`
 * (their number in *count); `out` is written only on success. */
chase_status chase_position_make(const chase_variant *variant, const chase_setup *setup,
                                 chase_position *out, chase_fault faults[CHASE_MAX_FAULTS],
                                 int *count);
void chase_fault_format(const chase_fault *fault, char out[CHASE_MESSAGE_SIZE]);

void chase_position_unmake(const chase_position *position, chase_setup *out);

/* Rules-relevant equality (board, side to act, capturing die, spare dice) of
 * two positions of one variant; exact, not by hash. */
bool chase_position_equal(const chase_position *a, const chase_position *b);

/* The hash computed from scratch; equals position->hash. */
uint64_t chase_position_rehash(const chase_variant *variant, const chase_position *position);

/* Every invariant of the struct: words, values, counts, hash agree and R13
 * holds. For tests and fuzzing. */
bool chase_position_consistent(const chase_variant *variant, const chase_position *position);

/* Pips due to the side to act (R9); >= 0. */
int chase_position_due(const chase_variant *variant, const chase_position *position);

typedef enum chase_termination {
  CHASE_NOT_OVER = 0,
  CHASE_BY_DICE,        /* R11: too few dice for the total */
  CHASE_BY_NO_DECISION, /* R11: has to act and cannot */
  CHASE_BY_REPETITION,
  CHASE_BY_TURN_LIMIT,
  CHASE_TERMINATION_COUNT /* sentinel */
} chase_termination;

/* *winner = CHASE_RED, CHASE_BLUE or -1. Repetition is not seen here: it is a
 * property of games. */
chase_termination chase_position_outcome(const chase_variant *variant,
                                         const chase_position *position, int *winner);

/* ---- Decisions ------------------------------------------------------ */

typedef enum chase_kind {
  CHASE_MOVE = 0,         /* cell, direction */
  CHASE_EXCHANGE = 1,     /* cell, direction to the other cell, both new values */
  CHASE_DISTRIBUTION = 2, /* cell */
  CHASE_STOP = 3
} chase_kind;

/* Bits 0-6 cell, 7-9 direction, 10-12 new value, 13-15 new value of the other
 * cell, 16-17 kind; unused fields are 0. The cell of an exchange is the one
 * that comes first in reading order. */
typedef uint32_t chase_decision;

static inline chase_decision chase_decision_make(chase_kind kind, int cell, int direction,
                                                 int value, int other_value) {
  return (chase_decision)kind << 16 | (chase_decision)other_value << 13 |
         (chase_decision)value << 10 | (chase_decision)direction << 7 | (chase_decision)cell;
}
static inline chase_kind chase_decision_kind(chase_decision d) { return (chase_kind)(d >> 16 & 3); }
static inline int chase_decision_cell(chase_decision d) { return (int)(d & 127); }
static inline int chase_decision_direction(chase_decision d) { return (int)(d >> 7 & 7); }
static inline int chase_decision_value(chase_decision d) { return (int)(d >> 10 & 7); }
static inline int chase_decision_other_value(chase_decision d) { return (int)(d >> 13 & 7); }

/* Every field in range, unused ones 0, an exchange between neighbours with the
 * first cell first. Takes any bits. */
bool chase_decision_well_formed(chase_decision decision);

/* The neighbour of `cell` in `direction` with the seam joined (R2), or
 * CHASE_NO_CELL beyond an end row. */
int chase_cell_neighbour(int cell, int direction);

/* Number of legal decisions; 0 when the game is over. */
int chase_decision_count(const chase_variant *variant, const chase_position *position);

/* Writes all legal decisions in canonical order, returns their number:
 * distributions by cell; in a series its captures by direction, then stop;
 * otherwise moves by (cell, direction), then exchanges by (first cell, second
 * cell, new value of the first). */
int chase_decision_list(const chase_variant *variant, const chase_position *position,
                        chase_decision out[CHASE_MAX_DECISIONS]);

/* The decision at `index` of that list; index < chase_decision_count. */
chase_decision chase_decision_at(const chase_variant *variant, const chase_position *position,
                                 int index);

/* CHASE_OK, or CHASE_ILLEGAL with the reason and rule number. Takes any bits. */
chase_status chase_decision_check(const chase_variant *variant, const chase_position *position,
                                  chase_decision decision, chase_error *error);

/* Plays in place. The decision must be legal in the position. */
void chase_apply_unchecked(const chase_variant *variant, chase_position *position,
                           chase_decision decision);

/* Checks, then plays into `out` (which may be `position`); on CHASE_ILLEGAL
 * nothing is written but `error`. */
chase_status chase_apply(const chase_variant *variant, const chase_position *position,
                         chase_decision decision, chase_position *out, chase_error *error);

/* What one decision did. */
typedef struct chase_events {
  uint8_t captures;      /* dice taken, 0 to 2 */
  uint8_t entered;       /* 1: a die ended on the chamber */
  uint8_t split;         /* 1: and left it as two dice */
  uint8_t refused;       /* 1: value >= 2, but no spare die to split into */
  uint8_t bumps;         /* own dice pushed */
  uint8_t longest_chain; /* own dice pushed by one landing */
  uint8_t ricochets;     /* bounces of all dice of the decision, path, pushes and exits */
  uint8_t wraps;         /* crossings of the seam, likewise */
} chase_events;

/* As chase_apply_unchecked, and tells what happened. */
void chase_apply_events(const chase_variant *variant, chase_position *position,
                        chase_decision decision, chase_events *out);

typedef enum chase_trace_kind {
  CHASE_TRACE_RAY = 0, /* one step of the moving die */
  CHASE_TRACE_LEFT,    /* chamber to the left exit (whole die or larger half) */
  CHASE_TRACE_RIGHT,   /* chamber to the right exit */
  CHASE_TRACE_PUSH     /* one die pushed one cell on */
} chase_trace_kind;

/* One step of one die from cell to cell. `direction` is the one actually taken
 * (after a bounce), `captured` the value of the enemy die taken there or 0. */
typedef struct chase_trace_step {
  uint8_t kind;
  uint8_t from;
  uint8_t to;
  uint8_t direction;
  uint8_t value;
  uint8_t wraps;
  uint8_t ricochets;
  uint8_t captured;
} chase_trace_step;

/* The steps of a legal move in order; none for other decisions. Returns their
 * number. */
int chase_decision_trace(const chase_variant *variant, const chase_position *position,
                         chase_decision decision, chase_trace_step out[CHASE_MAX_TRACE]);

/* ---- Notation ------------------------------------------------------- */

/* Reads strict CFEN syntax. A missing spare field becomes 9 + reserve minus the
 * dice on the board. CHASE_OK or CHASE_BAD_SYNTAX with the first fault's
 * offset. The result may still be invalid by R13. */
chase_status chase_cfen_parse(const chase_variant *variant, const char *text, size_t length,
                              chase_setup *out, chase_error *error);
size_t chase_cfen_format(const chase_position *position, char out[CHASE_CFEN_SIZE]);

/* Strict decision text: "a1NE", "a1=2,a2=1", "+a1", "stop". CHASE_OK,
 * CHASE_BAD_SYNTAX with the first fault's offset, or CHASE_ILLEGAL for an
 * exchange of cells that are not neighbours, which has no code. */
chase_status chase_decision_parse(const char *text, size_t length, chase_decision *out,
                                  chase_error *error);
/* The same for the bytes from `begin` to before `end` of a longer text, from
 * whose beginning offsets count; begin <= end. */
chase_status chase_decision_parse_at(const char *text, size_t begin, size_t end,
                                     chase_decision *out, chase_error *error);
/* The decision must be well formed. Returns the length. */
size_t chase_decision_format(chase_decision decision, char out[CHASE_DECISION_SIZE]);

/* ---- Random numbers: Philox4x32-10 ---------------------------------- */

/* The block `counter` of the stream (seed, game), four 32-bit numbers. Key:
 * the low halves of seed and game; counter words: counter (low, high), the high
 * halves of seed and game. */
void chase_philox(uint64_t seed, uint64_t game, uint64_t counter, uint32_t out[4]);

/* The raw function of Salmon et al. (2011), for its known answers. */
void chase_philox_raw(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* ---- Perft ---------------------------------------------------------- */

typedef enum chase_unit { CHASE_DECISIONS = 0, CHASE_TURNS = 1 } chase_unit;

enum { CHASE_MAX_PERFT_DEPTH = 64 };

/* Number of sequences of `depth` decisions or turns. Repetition is ignored; a
 * game that has ended adds nothing at greater depth; from the middle of a turn
 * its rest counts as one turn. CHASE_OK, CHASE_BAD_ARGUMENT, CHASE_STOPPED. */
chase_status chase_perft(const chase_variant *variant, const chase_position *position, int depth,
                         chase_unit unit, chase_stop_flag *stop, uint64_t *out);

/* ---- Random playouts ------------------------------------------------ */

enum { CHASE_MAX_TURN_LIMIT = 100000 };

typedef struct chase_game_stats { /* 64 bytes */
  int8_t winner;                /* CHASE_RED, CHASE_BLUE, -1 */
  uint8_t termination;          /* chase_termination */
  uint16_t longest_chain;       /* dice pushed by one landing */
  uint32_t turns;               /* begun, by a decision of the game */
  uint32_t decisions;
  uint32_t options;             /* legal decisions, summed over all decisions */
  uint32_t captures;            /* dice */
  uint32_t double_captures;     /* moves that took two */
  uint32_t splits;
  uint32_t refused_splits;      /* for want of a spare die, value >= 2 */
  uint32_t whole_exits;
  uint32_t bumps;               /* dice pushed */
  uint32_t exchanges;
  uint32_t ricochets;           /* steps, of all dice */
  uint32_t wraps;
  uint32_t distributions;       /* decisions that hand out pips */
  uint32_t distribution_options;
  uint32_t forced;              /* decisions with one option */
} chase_game_stats;

typedef struct chase_playout_options {
  uint64_t seed;
  uint64_t first_game; /* index of the first game */
  uint64_t games;
  uint32_t max_turns;  /* 1..CHASE_MAX_TURN_LIMIT, from the given position */
} chase_playout_options;

/* Plays `games` uniformly random games to the end; game g depends on (variant,
 * position, seed, g, max_turns) alone. Each decision takes the next number of
 * the game's stream, by multiply and reject (Lemire 2019): a rejected number is
 * passed over and the one after it taken. Repetition
 * counts from `position`. *done = games finished, also when stopped. Allocates
 * working memory. CHASE_OK, CHASE_BAD_ARGUMENT, CHASE_MEMORY,
 * CHASE_STOPPED. */
chase_status chase_playouts(const chase_variant *variant, const chase_position *position,
                            const chase_playout_options *options, chase_stop_flag *stop,
                            chase_game_stats *out, uint64_t *done);

#ifdef __cplusplus
}
#endif

#endif
