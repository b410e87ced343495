/* The statistics of one game, collected decision by decision. */
#ifndef CHASE_TALLY_H
#define CHASE_TALLY_H

#include "chase.h"

static inline void chase_tally(chase_game_stats *stats, const chase_events *events) {
  stats->captures += events->captures;
  stats->double_captures += events->captures == 2;
  stats->splits += events->split;
  stats->refused_splits += events->refused;
  stats->whole_exits += (uint32_t)(events->entered - events->split);
  stats->bumps += events->bumps;
  stats->ricochets += events->ricochets;
  stats->wraps += events->wraps;
  if (events->longest_chain > stats->longest_chain) stats->longest_chain = events->longest_chain;
}

static inline void chase_finish(chase_game_stats *stats, chase_termination termination,
                                int winner) {
  stats->termination = (uint8_t)termination;
  stats->winner = (int8_t)winner;
}

#endif
