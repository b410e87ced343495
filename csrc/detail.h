/* What is told of a game beside its chase_game_stats: chase_game_detail. */
#ifndef CHASE_DETAIL_H
#define CHASE_DETAIL_H

#include <assert.h>

#include "players.h"

/* The factors of a product stay within the range of doubles: below the step times the
 * largest number of options. Powers of two lose no bit. */
#define CHASE_PRODUCT_STEP 0x1p512

static inline void chase_detail_begin(chase_game_detail *detail) {
  *detail = (chase_game_detail){.options_mantissa = 1, .first_capture_side = -1};
}

/* A decision with so many options is taken. */
static inline void chase_detail_options(chase_game_detail *detail, int options, bool distribution) {
  detail->options_mantissa *= options;
  if (__builtin_expect(detail->options_mantissa >= CHASE_PRODUCT_STEP, 0)) {
    detail->options_mantissa /= CHASE_PRODUCT_STEP;
    detail->options_exponent += 512;
  }
  detail->choices += distribution && options > 1;
}

/* An exchange is about to be played on `position`. */
static inline void chase_detail_exchange(chase_game_detail *detail, const chase_position *position,
                                         chase_decision decision) {
  const int change = (int)position->value[position->side][chase_decision_cell(decision)] -
                     chase_decision_value(decision);
  const int pips = change < 0 ? -change : change;
  assert(pips >= 1 && pips < CHASE_MAX_VALUE);
  detail->exchanged[pips - 1]++;
}

/* A move in turn `turn` (from 1) of `side` took or made dice, `after` is what came of it. */
static inline void chase_detail_dice(chase_game_detail *detail, const chase_position *after,
                                     int side, int captures, uint32_t turn) {
  if (captures && detail->first_capture_side < 0) {
    detail->first_capture_side = (int8_t)side;
    detail->first_capture = turn;
  }
  const int ahead = after->dice[CHASE_RED] - after->dice[CHASE_BLUE];
  if (ahead < 0 && -ahead > detail->behind[CHASE_RED]) detail->behind[CHASE_RED] = (uint8_t)-ahead;
  if (ahead > 0 && ahead > detail->behind[CHASE_BLUE]) detail->behind[CHASE_BLUE] = (uint8_t)ahead;
}

#endif
