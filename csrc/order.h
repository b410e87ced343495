/* In which order decisions are searched. */
#ifndef CHASE_ORDER_H
#define CHASE_ORDER_H

#include "quiet.h"

enum {
  CHASE_HISTORY_MAX = 1 << 13,
  CHASE_ORDER_CAPTURE = 1 << 20,
  CHASE_ORDER_KILLER = 1 << 19
};

/* A decision's place in the table of what was good elsewhere. */
static inline int chase_history_key(chase_decision d) {
  const int slot = chase_decision_cell(d) * CHASE_DIRECTIONS + chase_decision_direction(d);
  return chase_decision_kind(d) == CHASE_EXCHANGE
             ? CHASE_CELLS * CHASE_DIRECTIONS * (1 + (chase_decision_value(d) & 1)) + slot
             : slot;
}

/* The list under way: the first `good` are sorted, the others as they come. */
typedef struct chase_ordering {
  chase_candidate *out;
  int n;
  int good;
} chase_ordering;

static inline void chase_order_add(chase_ordering *list, int order, chase_decision decision,
                                   bool captures) {
  const chase_candidate candidate = {order, decision, captures};
  if (order <= 0) {
    list->out[list->n++] = candidate;
    return;
  }
  list->out[list->n++] = list->out[list->good];
  int at = list->good++;
  for (; at > 0 && list->out[at - 1].order < order; at--) list->out[at] = list->out[at - 1];
  list->out[at] = candidate;
}

static inline void chase_order_quiet(const chase_searcher *s, int side, int ply, chase_decision first,
                                     chase_decision d, chase_ordering *list) {
  if (d == first) return;
  int order = s->good[side][chase_history_key(d)];
  if (d == s->killer[ply][0]) order = CHASE_ORDER_KILLER + 1;
  if (d == s->killer[ply][1]) order = CHASE_ORDER_KILLER;
  chase_order_add(list, order, d, false);
}

/* All legal decisions in the middle of a turn but `first` (or CHASE_NO_DECISION), captures by
 * what they take. Returns their number. */
static inline int chase_special_candidates(const chase_searcher *s, const chase_position *position,
                                           chase_phase phase, chase_decision first,
                                           chase_candidate out[CHASE_MAX_DECISIONS]) {
  chase_ordering list = {out, 0, 0};
  chase_decision special[CHASE_MAX_DICE];
  const int n = chase_list_special(s->variant, position, phase, special);
  for (int i = 0; i < n; i++)
    if (special[i] != first)
      chase_order_add(&list, chase_gain(s->variant, position, special[i]), special[i], true);
  return list.n;
}

/* All legal decisions of a turn but `first` (or CHASE_NO_DECISION): captures by what they
 * take, as chase_captures puts them, killers, what was good elsewhere, the rest. Returns their
 * number. */
static inline int chase_turn_candidates(const chase_searcher *s, const chase_position *position,
                                        const chase_scan *scan, chase_decision first, int ply,
                                        chase_candidate out[CHASE_MAX_DECISIONS]) {
  const chase_variant *const variant = s->variant;
  const int side = position->side;
  chase_ordering list = {out, 0, 0};
  uint32_t occupied[CHASE_WORDS];
  chase_all_occupied(position, occupied);
  const chase_words words = chase_words_spread(occupied);
  for (int i = 0; i < scan->dice; i++) {
    const int cell = scan->die[i].cell;
    const unsigned mask = scan->die[i].mask & CHASE_RAY_LANES;
    /* Only what ends on a die or on the chamber can take something. */
    const unsigned busy =
        mask & ~chase_free_lanes(&s->evaluator->die[cell][position->value[side][cell]].target, &words);
    for (unsigned rest = mask; rest; rest &= rest - 1) {
      const int direction = __builtin_ctz(rest);
      const chase_decision d = chase_decision_make(CHASE_MOVE, cell, direction, 0, 0);
      const int gain = busy >> direction & 1 ? chase_gain(variant, position, d) : 0;
      if (!gain) chase_order_quiet(s, side, ply, first, d, &list);
      else if (d != first) chase_order_add(&list, CHASE_ORDER_CAPTURE + gain, d, true);
    }
  }
  for (int i = 0; i < scan->dice; i++) {
    chase_decision exchange[CHASE_PARTNERS * CHASE_MAX_VALUE];
    const int n = chase_list_exchanges(variant, position, scan->die[i].cell, exchange);
    for (int k = 0; k < n; k++) chase_order_quiet(s, side, ply, first, exchange[k], &list);
  }
  return list.n;
}

/* Either of the two. */
static inline int chase_candidates(const chase_searcher *s, const chase_position *position,
                                   chase_phase phase, chase_decision first, int ply,
                                   chase_candidate out[CHASE_MAX_DECISIONS]) {
  if (phase != CHASE_PHASE_TURN)
    return chase_special_candidates(s, position, phase, first, out);
  chase_scan scan;
  chase_scan_board(s->variant, position, &scan);
  return chase_turn_candidates(s, position, &scan, first, ply, out);
}

/* A quiet decision refuted the line: remember it, and that the first `tried` of
 * the list did not. */
static inline void chase_remember(chase_searcher *s, int side, chase_decision good,
                                  const chase_candidate *list, int tried, int depth, int ply) {
  if (s->killer[ply][0] != good) {
    s->killer[ply][1] = s->killer[ply][0];
    s->killer[ply][0] = good;
  }
  const int bonus = depth * depth < 400 ? depth * depth : 400;
  int16_t *entry = &s->good[side][chase_history_key(good)];
  *entry = (int16_t)(*entry + bonus - *entry * bonus / CHASE_HISTORY_MAX);
  for (int k = 0; k < tried; k++) {
    if (list[k].captures) continue;
    entry = &s->good[side][chase_history_key(list[k].decision)];
    *entry = (int16_t)(*entry - bonus - *entry * bonus / CHASE_HISTORY_MAX);
  }
}

#endif
