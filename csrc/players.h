/* Players: evaluation, alpha-beta, tree search, and whole games between them.
 * The second public header, above chase.h; what is said there of threads, memory
 * and errors holds here.
 *
 * Contents: evaluation, games, players, searching, choosing, games of two players.
 */
#ifndef CHASE_PLAYERS_H
#define CHASE_PLAYERS_H

#include "chase.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Evaluation ----------------------------------------------------- */

/* Scores are in thousandths of a die, seen by the side to act. A win in n
 * decisions of either side from here scores CHASE_SCORE_WIN - n. */
enum {
  CHASE_SCORE_WIN = 32000,
  CHASE_SCORE_PROVEN = 31000, /* from here on a score is a proven win, below -this a loss */
  CHASE_SCORE_LIMIT = 30000,  /* bound of every evaluation */
  CHASE_MAX_WEIGHT = 20000
};

/* What a position is judged by. The first groups count own minus the other
 * side's; ACT and WAIT are threats of the side to act and of the other one. Dice
 * beyond the minimum for the total (R11) are "to lose". An enemy die is
 * attacked if some ray of ours ends on it, guarded if some ray of its own side
 * does. */
enum chase_feature {
  CHASE_FEATURE_DICE = 0,                         /* one of ten: dice to lose, 0 .. 9 or more */
  CHASE_FEATURE_VALUE = CHASE_FEATURE_DICE + 10,  /* six: dice of each value */
  CHASE_FEATURE_ROW = CHASE_FEATURE_VALUE + 6,    /* nine: dice by row from their own end */
  CHASE_FEATURE_MOBILITY = CHASE_FEATURE_ROW + 9, /* free rays */
  CHASE_FEATURE_REACH,                            /* different cells where they end */
  CHASE_FEATURE_LINKED,                           /* dice beside another of their side (R10) */
  CHASE_FEATURE_GUARDED,                          /* dice on which a ray of their side ends */
  CHASE_FEATURE_SPLIT_LINE,                       /* 1: a free ray into the chamber, spare dice */
  CHASE_FEATURE_WHOLE_LINE,                       /* 1: likewise, no spare die */
  CHASE_FEATURE_SPARE,                            /* three: at least 1, 2, 3 spare dice */
  CHASE_FEATURE_ACT_LOOSE = CHASE_FEATURE_SPARE + 3, /* attacked dice that are not guarded */
  CHASE_FEATURE_ACT_GUARDED,
  CHASE_FEATURE_ACT_ANY,                          /* 1 if there is a loose one */
  CHASE_FEATURE_WAIT_LOOSE,                       /* these count for the side that waits */
  CHASE_FEATURE_WAIT_GUARDED,
  CHASE_FEATURE_WAIT_ANY,
  CHASE_FEATURE_WAIT_TWO,                         /* 1 if there are two loose ones */
  CHASE_FEATURE_TEMPO,                            /* 1 */
  CHASE_FEATURES
};

typedef struct chase_weights {
  int32_t weight[CHASE_FEATURES]; /* each from -CHASE_MAX_WEIGHT to CHASE_MAX_WEIGHT */
} chase_weights;

/* Weights made ready for a variant; immutable. The variant must outlive it.
 * Allocates. CHASE_OK, CHASE_MEMORY, CHASE_BAD_ARGUMENT. */
typedef struct chase_evaluator chase_evaluator;
chase_status chase_evaluator_new(const chase_variant *variant, const chase_weights *weights,
                                 chase_evaluator **out);
void chase_evaluator_free(chase_evaluator *evaluator); /* NULL is allowed */

/* Static score of any position; -CHASE_SCORE_WIN if it is lost (R11). */
int chase_evaluate(const chase_evaluator *evaluator, const chase_position *position);

/* The counts behind it: where no bound is met and the game is not over,
 * chase_evaluate is the sum of weight x feature. */
void chase_features(const chase_variant *variant, const chase_position *position,
                    int16_t out[CHASE_FEATURES]);

/* ---- Games: a position with its history ------------------------------ */

/* Knows repetition and the turn limit, which positions do not. Hashes stand for
 * positions: two that differ count as equal with probability 2^-64. */
typedef struct chase_game chase_game;

/* `max_turns` from the start, 1 .. CHASE_MAX_TURN_LIMIT, or 0 for no limit.
 * Allocates. The variant must outlive it. CHASE_OK, CHASE_MEMORY,
 * CHASE_BAD_ARGUMENT. */
chase_status chase_game_new(const chase_variant *variant, const chase_position *start,
                            uint32_t max_turns, chase_game **out);
void chase_game_free(chase_game *game); /* NULL is allowed */
/* CHASE_OK, CHASE_MEMORY, or CHASE_ILLEGAL if the decision is not legal or the
 * game is over; nothing changes then. */
chase_status chase_game_push(chase_game *game, chase_decision decision);
const chase_position *chase_game_position(const chase_game *game);
chase_termination chase_game_outcome(const chase_game *game, int *winner);

/* ---- Players --------------------------------------------------------- */

typedef enum chase_player_kind {
  CHASE_PLAYER_RANDOM = 0, /* uniform over legal decisions */
  CHASE_PLAYER_GREEDY,     /* best evaluation after its turn, ties by seed */
  CHASE_PLAYER_AB,         /* alpha-beta */
  CHASE_PLAYER_MCTS,       /* tree search */
  CHASE_PLAYER_KINDS       /* sentinel */
} chase_player_kind;

typedef enum chase_tree_policy { CHASE_PUCT = 0, CHASE_UCT = 1 } chase_tree_policy;

enum {
  CHASE_MAX_DEPTH = 64,
  CHASE_MAX_PV = 32,
  CHASE_FULL_ROLLOUT = 1000000, /* rollout: to the end of the game */
  CHASE_MAX_TEMP = 100000,
  CHASE_MAX_HASH_MIB = 1 << 20
};

/* Ways of alpha-beta to search less than everything; what each is worth stands in
 * docs/players.md. */
enum chase_reduction {
  CHASE_REDUCE_LATE = 1,     /* late quiet decisions less deep (LMR) */
  CHASE_REDUCE_NULL = 2,     /* null move: cut if doing nothing is good enough */
  CHASE_REDUCE_STATIC = 4,   /* cut if the static score is far above beta (reverse futility) */
  CHASE_REDUCE_FUTILE = 8,   /* no quiet decisions if it is far below alpha (futility) */
  CHASE_REDUCE_ALL = 15
};

/* Numbers outside the given ranges are refused with CHASE_BAD_ARGUMENT. */
typedef struct chase_player_options {
  chase_player_kind kind;
  uint64_t seed;
  uint64_t nodes;     /* ab: decisions applied; 0 = no limit */
  uint64_t sims;      /* mcts: simulations; 0 = no limit */
  int32_t depth;      /* ab: decisions, 1 .. CHASE_MAX_DEPTH; 0 = no limit */
  uint32_t eps;       /* share of turns played at random, in 1 / 2^32 */
  bool always_random; /* eps = 1 */
  uint32_t temp;      /* 0, or the score loss (thousandths of a die) at which a choice has
                         1/e of the best one's chance; up to CHASE_MAX_TEMP */
  uint64_t hash_mib;  /* cap of table (ab) or tree (mcts), 1 .. CHASE_MAX_HASH_MIB */
  bool table;         /* ab: use the transposition table */
  uint32_t reductions; /* ab: of enum chase_reduction */
  bool verify;        /* ab: no reductions, table cut-offs at equal depth alone: the exact
                         minimax value over the quiescence */
  chase_tree_policy policy; /* mcts */
  double exploration;       /* mcts: constant of UCT or PUCT, > 0, at most 100 */
  uint32_t rollout;         /* mcts: random decisions before the evaluation, 0 .. 1000, or
                               CHASE_FULL_ROLLOUT */
} chase_player_options;

/* The defaults of a kind: no limit at all, which the caller sets. */
void chase_player_defaults(chase_player_kind kind, chase_player_options *out);

/* Holds table, tree and random numbers of one player in one game at a time.
 * Variant and evaluator must outlive it. Allocates, also later while it
 * searches. CHASE_OK, CHASE_MEMORY, CHASE_BAD_ARGUMENT. */
typedef struct chase_player chase_player;
chase_status chase_player_new(const chase_variant *variant, const chase_evaluator *evaluator,
                              const chase_player_options *options, chase_player **out);
void chase_player_free(chase_player *player); /* NULL is allowed */

/* Forgets everything; random numbers start anew from (its seed, game_seed, side). */
void chase_player_new_game(chase_player *player, uint64_t game_seed, int side);

/* ---- Searching ------------------------------------------------------- */

typedef struct chase_line {
  int32_t score; /* mcts: of the mean value of the simulations; after the first line that less
                    its doubt, so that what was hardly looked at does not seem as good */
  int32_t depth;  /* ab: decisions searched; mcts: length of the longest line in the tree; else 1 */
  uint64_t nodes; /* ab: decisions applied for this line; mcts: simulations through it */
  int32_t length; /* of pv, at least 1 */
  chase_decision pv[CHASE_MAX_PV];
} chase_line;

/* Lines of `count` different first decisions, best first; where a limit broke an
 * iteration off, those that it finished come before the others. */
typedef struct chase_analysis {
  chase_line *lines; /* the caller's, with room for `capacity` */
  int32_t capacity;  /* lines asked for, at least 1 */
  int32_t count;
  int32_t depth;     /* completed; mcts: of the first line */
  uint64_t nodes;    /* decisions applied, all in all */
  uint64_t sims;     /* mcts: simulations */
  uint64_t polls;    /* of the stop flag */
  bool stopped;      /* by the flag */
} chase_analysis;

/* Called between iterations by the thread that searches; returns true to stop. */
typedef bool (*chase_report)(void *context, const chase_analysis *analysis);

/* Searches until a limit of the player or the stop flag; `report` may be NULL.
 * Single-threaded calls with node limits are deterministic. A search that is
 * stopped at once still gives a legal first decision. CHASE_OK, CHASE_MEMORY,
 * CHASE_BAD_ARGUMENT for a game that is over. */
chase_status chase_player_search(chase_player *player, const chase_game *game,
                                 chase_stop_flag *stop, chase_report report, void *context,
                                 chase_analysis *out);

/* ab: from now on `helper` uses the table of `owner`, which must outlive it; to be
 * called before each search of the two in different threads, while neither
 * searches. `index` >= 1 makes helpers differ. CHASE_OK or CHASE_BAD_ARGUMENT. */
chase_status chase_player_share(chase_player *helper, const chase_player *owner, int index);

/* ---- Choosing -------------------------------------------------------- */

/* The player's decision, with eps and temp; `out` as for a search, or NULL, has
 * the lines looked at: one, or eight with temp, if there is room for them. When
 * the flag stopped the search: CHASE_STOPPED, and *decision is the best so far.
 * Else CHASE_OK, CHASE_MEMORY, CHASE_BAD_ARGUMENT. */
chase_status chase_player_choose(chase_player *player, const chase_game *game,
                                 chase_stop_flag *stop, chase_report report, void *context,
                                 chase_analysis *out, chase_decision *decision);

/* ---- Games of two players -------------------------------------------- */

/* What is told of a game beside its chase_game_stats; of the decisions played, not
 * of an opening. */
typedef struct chase_game_detail { /* 56 bytes */
  double options_mantissa;   /* product of the numbers of options of all decisions: this ... */
  uint32_t options_exponent; /* ... times two to the power of this */
  uint32_t choices;          /* distributions with more than one option */
  uint32_t exchanged[5];     /* exchanges, by the pips that change hands: 1 .. 5 */
  uint32_t first_capture;    /* turn, from 1, of the first capture; 0: none */
  int8_t first_capture_side; /* that captured; -1: none */
  uint8_t behind[2];         /* most dice that a side was behind, after any decision */
} chase_game_detail;

/* One turn, as it begins. */
typedef struct chase_turn_row { /* 8 bytes */
  uint16_t options;  /* of its first decision */
  uint8_t decisions; /* at most 255 */
  uint8_t side;
  uint8_t dice[2];
  uint8_t spare[2];
} chase_turn_row;

enum chase_heat { CHASE_HEAT_OCCUPIED = 0, CHASE_HEAT_CAPTURED, CHASE_HEAT_ARRIVED, CHASE_HEATS };

/* What is kept of games that are played, one game after the other. Begin with
 * {0} and what is to be kept; grows by allocation. */
typedef struct chase_game_log {
  bool keep_decisions, keep_turns; /* with the turns goes the heat */
  uint64_t decisions, decision_room;
  chase_decision *decision;
  uint64_t turns, turn_room;
  chase_turn_row *turn;
  /* Of dice by side and cell: occupied, counted at the beginning of each turn;
   * captured there, by the side that lost them; arrived, where a move ended: of
   * the chamber, its cell. */
  uint64_t heat[CHASE_HEATS][2][CHASE_CELLS];
} chase_game_log;

void chase_game_log_free(chase_game_log *log); /* what it holds; it may be used again */

/* Plays on to the end of `game`, whose history is the opening: a pure function of
 * that, the players and the seed. `stats` and `detail` count the decisions played
 * here (turns and terminations those of the whole game); `log` may be NULL.
 * CHASE_OK, CHASE_MEMORY, CHASE_STOPPED, CHASE_BAD_ARGUMENT (no turn limit). */
chase_status chase_game_play(chase_game *game, chase_player *players[2], uint64_t game_seed,
                             chase_stop_flag *stop, chase_game_stats *stats,
                             chase_game_detail *detail, chase_game_log *log);

/* Likewise the counts of decisions that were played elsewhere; where they do not end
 * the game the termination is CHASE_NOT_OVER. CHASE_OK, CHASE_MEMORY, CHASE_ILLEGAL. */
chase_status chase_game_count(chase_game *game, const chase_decision *decisions, uint64_t count,
                              chase_game_stats *stats, chase_game_detail *detail,
                              chase_game_log *log);

/* Games of two players from many positions, each a game of its own. */
typedef struct chase_series {
  uint64_t games;
  const chase_position *starts; /* of each game, as all below; none is over */
  const uint64_t *seeds;
  const uint8_t *swapped;       /* 0: players[0] is red; 1: blue */
  uint32_t max_turns;           /* from each start, 1 .. CHASE_MAX_TURN_LIMIT */
} chase_series;

/* Game i depends on (variant, players, starts[i], seeds[i], swapped[i], max_turns)
 * alone. *done = games finished, also when stopped; `log` may be NULL. Fast where
 * both players are random and nothing is kept. Allocates. CHASE_OK, CHASE_MEMORY,
 * CHASE_STOPPED, CHASE_BAD_ARGUMENT. */
chase_status chase_series_play(chase_player *const players[2], const chase_series *series,
                               chase_stop_flag *stop, chase_game_stats *stats,
                               chase_game_detail *detail, chase_game_log *log, uint64_t *done);

#ifdef __cplusplus
}
#endif

#endif
