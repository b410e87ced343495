/* What one searching thread holds. */
#ifndef CHASE_SEARCHER_H
#define CHASE_SEARCHER_H

#include "game.h"
#include "tt.h"

enum {
  CHASE_MAX_PLY = 2 * CHASE_MAX_DEPTH,
  CHASE_MAX_QUIET = 6,     /* decisions that the quiescence looks ahead */
  CHASE_POLL_NODES = 512,  /* nodes between two looks at the stop flag: a power of two */
  CHASE_HISTORY_KEYS = 3 * CHASE_CELLS * CHASE_DIRECTIONS
};

typedef struct chase_candidate {
  int32_t order;
  chase_decision decision;
  uint8_t captures; /* takes a die */
} chase_candidate;

typedef struct chase_searcher {
  const chase_variant *variant;
  const chase_evaluator *evaluator;
  chase_table *table; /* NULL: none */
  chase_stop_flag *stop;
  uint64_t nodes;
  uint64_t limit; /* UINT64_MAX: none */
  uint64_t polls;
  bool halted;  /* by the limit or the flag: scores mean nothing any more */
  bool stopped; /* by the flag */
  bool verify;
  uint32_t reductions; /* of enum chase_reduction; 0 in verification */
  chase_history history;
  chase_decision killer[CHASE_MAX_PLY][2];
  int16_t good[2][CHASE_HISTORY_KEYS];
  int32_t pv_length[CHASE_MAX_PLY + 1];
  chase_decision pv[CHASE_MAX_PLY + 1][CHASE_MAX_PV];
} chase_searcher;

/* The first decisions of a position, the best so far first. */
typedef struct chase_roots {
  int count;
  chase_line line[CHASE_MAX_DECISIONS];
} chase_roots;

#endif
