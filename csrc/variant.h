/* Rules, tables, keys and the kernels that fit this processor: built once,
 * then read only and shared by every thread. */
#ifndef CHASE_VARIANT_H
#define CHASE_VARIANT_H

#include "rays.h"
#include "zobrist.h"

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
} chase_kernels;

const chase_kernels *chase_kernels_generic(void);
/* NULL where it was not compiled or this processor cannot run it. */
const chase_kernels *chase_kernels_v3(void);

enum { CHASE_EXCHANGE_PATTERNS = 512 };

struct chase_variant {
  chase_rays rays; /* first: aligned to 128 bytes */
  chase_keys keys;
  const chase_kernels *kernels;
  chase_rules rules;
  uint8_t total;
  /* Exchanges of a die with its three forward neighbours: by its value and
   * their values, three bits each, 0 for none. */
  uint8_t exchanges[CHASE_MAX_VALUE + 1][CHASE_EXCHANGE_PATTERNS];
};

/* Number of results of an exchange of values a and b, both not 0 (R10): the
 * sum stays, each is 1 to 6, at least one pip moves. */
static inline int chase_exchange_results(int a, int b) {
  const int sum = a + b;
  const int low = sum > CHASE_MAX_VALUE ? sum - CHASE_MAX_VALUE : 1;
  const int high = sum - 1 < CHASE_MAX_VALUE ? sum - 1 : CHASE_MAX_VALUE;
  return high - low;
}

#endif
