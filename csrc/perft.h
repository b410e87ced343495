/* Counting sequences of decisions or turns. */
#ifndef CHASE_PERFT_H
#define CHASE_PERFT_H

#include "apply.h"

/* depth >= 1. Stops polling below depth 3, whose nodes take well under a
 * millisecond on boards of usual size. Returns a count that is meaningless once stop is set. */
static uint64_t chase_perft_decisions(const chase_variant *variant, const chase_position *position,
                                      int depth, chase_stop_flag *stop) {
  if (depth == 1) return (uint64_t)chase_count(variant, position);
  if (depth >= 3 && chase_stop_requested(stop)) return 0;
  chase_decision list[CHASE_MAX_DECISIONS];
  const int n = chase_list(variant, position, list);
  uint64_t sum = 0;
  for (int i = 0; i < n; i++) {
    chase_position child = *position;
    chase_play(variant, &child, list[i], NULL);
    sum += depth == 2 ? (uint64_t)chase_count(variant, &child)
                      : chase_perft_decisions(variant, &child, depth - 1, stop);
  }
  return sum;
}

/* Every legal decision ends the turn: no pips due, no series possible. */
static inline bool chase_turn_is_one_decision(const chase_variant *variant,
                                              const chase_position *position) {
  return !variant->rules.chain && position->pips[position->side] == variant->total;
}

/* Recursion: at most CHASE_MAX_TURN levels a turn. */
static uint64_t chase_perft_turns(const chase_variant *variant, const chase_position *position,
                                  int depth, chase_stop_flag *stop) {
  if (depth == 1 && chase_turn_is_one_decision(variant, position))
    return (uint64_t)chase_count(variant, position);
  if (depth >= 3 && chase_stop_requested(stop)) return 0;
  chase_decision list[CHASE_MAX_DECISIONS];
  const int n = chase_list(variant, position, list);
  uint64_t sum = 0;
  for (int i = 0; i < n; i++) {
    chase_position child = *position;
    chase_play(variant, &child, list[i], NULL);
    const int left = depth - (child.side != position->side);
    sum += left == 0 ? 1 : chase_perft_turns(variant, &child, left, stop);
  }
  return sum;
}

static chase_status chase_perft_kernel(const chase_variant *variant,
                                       const chase_position *position, int depth, chase_unit unit,
                                       chase_stop_flag *stop, uint64_t *out) {
  if (depth < 0 || depth > CHASE_MAX_PERFT_DEPTH || (unit != CHASE_DECISIONS && unit != CHASE_TURNS))
    return CHASE_BAD_ARGUMENT;
  uint64_t nodes = 1;
  if (depth > 0)
    nodes = unit == CHASE_DECISIONS ? chase_perft_decisions(variant, position, depth, stop)
                                    : chase_perft_turns(variant, position, depth, stop);
  if (chase_stop_requested(stop)) return CHASE_STOPPED;
  *out = nodes;
  return CHASE_OK;
}

#endif
