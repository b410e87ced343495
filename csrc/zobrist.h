/* Hash keys (Zobrist 1970). One fixed set for all rules; the rules enter the
 * hash by a key of their own. */
#ifndef CHASE_ZOBRIST_H
#define CHASE_ZOBRIST_H

#include "chase.h"

typedef struct chase_keys {
  uint64_t die[2][CHASE_MAX_VALUE + 1][CHASE_CELLS + 1]; /* value 0: key 0 */
  uint64_t spare[2][CHASE_MAX_DICE + 1];
  uint64_t capturing[CHASE_CELLS + 1]; /* CHASE_NO_CELL: key 0 */
  uint64_t blue_to_act;
  uint64_t rules;
} chase_keys;

void chase_keys_build(const chase_rules *rules, chase_keys *out);

#endif
