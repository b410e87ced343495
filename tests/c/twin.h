/* The search's twin: what alpha-beta must score, by looking at everything. Values
 * are remembered by position, which prunes nothing. */
#ifndef TWIN_H
#define TWIN_H

#include "players.h"
#include "support.h"

enum { TWIN_QUIET = 6, TWIN_SLOTS = 1 << 20 };

typedef struct twin_known {
  uint64_t hash;
  int32_t score;
  int32_t kind; /* what was asked for; 0 = nothing */
} twin_known;

typedef struct twin {
  const chase_variant *variant;
  const chase_evaluator *evaluator;
  uint64_t nodes, most; /* decisions applied, and how many it may */
  twin_known *known;
} twin;

static inline void twin_begin(twin *t, const chase_variant *variant,
                              const chase_evaluator *evaluator, uint64_t most) {
  *t = (twin){variant, evaluator, 0, most, calloc(TWIN_SLOTS, sizeof(twin_known))};
  if (t->known == NULL) give_up("memory", "twin");
}

static inline void twin_end(twin *t) { free(t->known); }

/* No score that it returns counts from then on. */
static inline bool twin_exceeded(const twin *t) { return t->nodes > t->most; }

static inline bool twin_is_lost(const twin *t, const chase_position *position) {
  int winner;
  return chase_position_outcome(t->variant, position, &winner) != CHASE_NOT_OVER;
}

static inline int twin_look(twin *t, const chase_position *position, int kind);

/* The score of what a decision leads to, for the side that decides: wins and losses
 * count by distance. */
static inline int twin_after(twin *t, const chase_position *position,
                             const chase_position *child, int kind) {
  t->nodes++;
  int score = twin_look(t, child, kind);
  if (score >= CHASE_SCORE_PROVEN) score--;
  if (score <= -CHASE_SCORE_PROVEN) score++;
  return child->side == position->side ? score : -score;
}

/* `looked` decisions after the first one. */
static inline int twin_quiesce(twin *t, const chase_position *position, int looked) {
  if (twin_is_lost(t, position)) return -CHASE_SCORE_WIN;
  if (looked == TWIN_QUIET) return chase_evaluate(t->evaluator, position);
  const bool turn = chase_position_due(t->variant, position) == 0 &&
                    position->capturing == CHASE_NO_CELL;
  int best = turn ? chase_evaluate(t->evaluator, position) : INT32_MIN;
  chase_decision list[CHASE_MAX_DECISIONS];
  const int count = chase_decision_list(t->variant, position, list);
  for (int i = 0; i < count; i++) {
    chase_position child = *position;
    chase_events events;
    chase_apply_events(t->variant, &child, list[i], &events);
    if (turn && events.captures == 0) continue;
    const int score = twin_after(t, position, &child, 1 + looked + 1);
    if (score > best) best = score;
  }
  return best;
}

static inline int twin_minimax(twin *t, const chase_position *position, int depth) {
  if (depth == 0) return twin_quiesce(t, position, 0);
  if (twin_is_lost(t, position)) return -CHASE_SCORE_WIN;
  int best = INT32_MIN;
  chase_decision list[CHASE_MAX_DECISIONS];
  const int count = chase_decision_list(t->variant, position, list);
  for (int i = 0; i < count; i++) {
    chase_position child = *position;
    chase_apply_unchecked(t->variant, &child, list[i]);
    const int score = twin_after(t, position, &child, 100 + depth - 1);
    if (score > best) best = score;
  }
  return best;
}

/* `kind` is 1 + looked for the quiescence and 100 + depth for the minimax. */
static inline int twin_look(twin *t, const chase_position *position, int kind) {
  if (twin_exceeded(t)) return 0;
  const uint64_t hash = position->hash;
  twin_known *const known =
      &t->known[(hash ^ (uint64_t)kind * UINT64_C(0x9e3779b97f4a7c15)) >> 7 & (TWIN_SLOTS - 1)];
  if (known->kind == kind && known->hash == hash) return known->score;
  const int score = kind >= 100 ? twin_minimax(t, position, kind - 100)
                                : twin_quiesce(t, position, kind - 1);
  if (!twin_exceeded(t)) *known = (twin_known){hash, score, kind};
  return score;
}

/* The exact score for the side to act, looking `depth` decisions ahead. */
static inline int twin_score(twin *t, const chase_position *position, int depth) {
  return twin_look(t, position, 100 + depth);
}

/* ---- Weights ----------------------------------------------------------- */

/* As a good player's: dice count most, then what they can do. */
static inline chase_weights sensible_weights(void) {
  chase_weights weights = {{0}};
  int32_t *const w = weights.weight;
  for (int n = 0; n < 10; n++) w[CHASE_FEATURE_DICE + n] = 900 * n;
  for (int v = 0; v < 6; v++) w[CHASE_FEATURE_VALUE + v] = 11 * v - 3 * v * v;
  for (int row = 0; row < 9; row++) w[CHASE_FEATURE_ROW + row] = 7 * row - row * row;
  w[CHASE_FEATURE_MOBILITY] = 13;
  w[CHASE_FEATURE_REACH] = 17;
  w[CHASE_FEATURE_LINKED] = 9;
  w[CHASE_FEATURE_GUARDED] = 31;
  w[CHASE_FEATURE_SPLIT_LINE] = 101;
  w[CHASE_FEATURE_WHOLE_LINE] = 23;
  for (int n = 0; n < 3; n++) w[CHASE_FEATURE_SPARE + n] = 57 - 19 * n;
  w[CHASE_FEATURE_ACT_LOOSE] = 83;
  w[CHASE_FEATURE_ACT_GUARDED] = 29;
  w[CHASE_FEATURE_ACT_ANY] = 307;
  w[CHASE_FEATURE_WAIT_LOOSE] = 61;
  w[CHASE_FEATURE_WAIT_GUARDED] = 5;
  w[CHASE_FEATURE_WAIT_ANY] = 43;
  w[CHASE_FEATURE_WAIT_TWO] = 211;
  w[CHASE_FEATURE_TEMPO] = 37;
  return weights;
}

static inline chase_weights random_weights(uint64_t *state, int most) {
  chase_weights weights;
  for (int i = 0; i < CHASE_FEATURES; i++)
    weights.weight[i] = random_below(state, 2 * most + 1) - most;
  return weights;
}

#endif
