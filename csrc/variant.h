/* Rules, tables, keys and the kernels that fit this processor: built once,
 * then read only and shared by every thread. */
#ifndef CHASE_VARIANT_H
#define CHASE_VARIANT_H

#include "players.h"
#include "rays.h"
#include "zobrist.h"

struct chase_searcher;
struct chase_roots;
struct chase_tree;

/* The hot loops, compiled once for each instruction set; all give the same
 * results. */
typedef struct chase_kernels {
  const char *name;
  int (*count)(const chase_variant *, const chase_position *);
  int (*list)(const chase_variant *, const chase_position *, chase_decision *);
  chase_decision (*at)(const chase_variant *, const chase_position *, int);
  chase_status (*perft)(const chase_variant *, const chase_position *, int, chase_unit,
                        chase_stop_flag *, uint64_t *);
  chase_status (*playouts)(const chase_variant *, const chase_position *,
                           const chase_playout_options *, chase_stop_flag *, chase_game_stats *,
                           uint64_t *);
  chase_status (*random_series)(chase_player *const[2], const chase_series *, chase_stop_flag *,
                                chase_game_stats *, chase_game_detail *, uint64_t *);
  int (*evaluate)(const chase_evaluator *, const chase_position *);
  void (*deepen)(struct chase_searcher *, const chase_position *, int, int, struct chase_roots *,
                 chase_report, void *, chase_analysis *);
  void (*simulate)(struct chase_tree *, const chase_position *, chase_report, void *,
                   chase_analysis *);
} chase_kernels;

const chase_kernels *chase_kernels_generic(void);
/* NULL where it was not compiled or this processor cannot run it. */
const chase_kernels *chase_kernels_v3(void);

enum { CHASE_RAY_LANES = 0x3f, CHASE_FLAG_LANES = 0xc0, CHASE_SURE = 1 << 16 };
enum { CHASE_TRIPLE_PATTERNS = 512, CHASE_LANE_PATTERNS = 256 };

struct chase_variant {
  chase_rays rays; /* first: aligned to 128 bytes */
  chase_keys keys;
  const chase_kernels *kernels;
  chase_rules rules;
  uint8_t total;
  /* Exchanges of a die with three neighbours: by its value and theirs, three bits
   * each, 0 for none. The first 64 patterns serve for two neighbours. */
  uint8_t exchanges[CHASE_MAX_VALUE + 1][CHASE_TRIPLE_PATTERNS];
  /* By the free lanes of a die: its moves, plus CHASE_SURE for each of them unless
   * both flag lanes are hit. */
  uint32_t lane_moves[CHASE_LANE_PATTERNS];
};

/* The lowest new value of either die when values of this sum are exchanged (R10):
 * the sum stays and each is 1 to 6. */
static inline int chase_exchange_low(int sum) {
  return sum > CHASE_MAX_VALUE ? sum - CHASE_MAX_VALUE : 1;
}

/* Number of results of an exchange of values a and b, both not 0: from low to
 * sum - low, less the present one, since at least one pip moves. */
static inline int chase_exchange_results(int a, int b) {
  return a + b - 2 * chase_exchange_low(a + b);
}

#endif
