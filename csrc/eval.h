/* Static evaluation: a weighted sum of counts, see enum chase_feature. */
#ifndef CHASE_EVAL_H
#define CHASE_EVAL_H

#include "movegen.h"
#include "players.h"

/* The weights spread out so that each die and each count is one look-up. */
struct chase_evaluator {
  const chase_variant *variant;
  chase_weights weights;
  int32_t place[2][CHASE_MAX_VALUE + 1][CHASE_CELLS]; /* value and row of a die */
  int32_t dice[CHASE_MAX_DICE + 1];                   /* by dice on the board */
  int32_t spare[CHASE_MAX_DICE + 1];
};

/* The fewest dice that can show the total (R11). */
static inline int chase_fewest_dice(const chase_variant *variant) {
  return (variant->total + CHASE_MAX_VALUE - 1) / CHASE_MAX_VALUE;
}

enum { CHASE_DICE_FEATURES = 10, CHASE_SPARE_FEATURES = 3 };

/* Which of the ten features of the number of dice. */
static inline int chase_dice_feature(const chase_variant *variant, int dice) {
  const int to_lose = dice - chase_fewest_dice(variant);
  return to_lose < 0 ? 0 : to_lose < CHASE_DICE_FEATURES ? to_lose : CHASE_DICE_FEATURES - 1;
}

/* Row of a cell counted from the end row where the side stood at the start. */
static inline int chase_row_from_home(int side, int cell) {
  const int row = cell / CHASE_COLUMNS;
  return side == CHASE_RED ? CHASE_ROWS - 1 - row : row;
}

/* What the rays and neighbours of one side's dice come to. */
typedef struct chase_survey {
  uint32_t reach[CHASE_WORDS]; /* cells where free rays end */
  int moves;                   /* free rays, those that R7 and R8 forbid among them */
  int exchanges;
  int entering; /* free rays into the chamber */
  int place;
} chase_survey;

/* `words` are all occupied cells and the chamber. */
static inline void chase_survey_side(const chase_evaluator *evaluator,
                                     const chase_position *position, int side,
                                     const chase_words *words, chase_survey *out) {
  const chase_variant *const variant = evaluator->variant;
  const uint8_t *const value = position->value[side];
  chase_cells cells = chase_cells_of(position->occupied[side]);
  chase_reach reach;
  chase_reach_clear(&reach);
  uint32_t moves = 0;
  int exchanges = 0, entering = 0, place = 0;
  const int dice = position->dice[side];
  for (int i = 0; i < dice; i++) {
    const int cell = chase_next_cell(&cells);
    const int v = value[cell];
    const chase_die_table *const die = &variant->rays.die[cell][v];
    const unsigned lanes =
        chase_free_lanes_reach(&die->clear, &variant->rays.target[cell][v - 1], words, &reach);
    moves += variant->lane_moves[lanes];
    entering += (die->entering & lanes) != 0;
    exchanges += variant->exchanges[v][value[die->forward[0]] | value[die->forward[1]] << 3 |
                                       value[die->forward[2]] << 6];
    place += evaluator->place[side][v][cell];
  }
  chase_reach_words(&reach, out->reach);
  out->moves = (int)(moves & (CHASE_FLAGGED - 1));
  out->exchanges = exchanges;
  out->entering = entering;
  out->place = place;
}

static inline int chase_popcount_and(const uint32_t *a, const uint32_t *b) {
  int n = 0;
  for (int w = 0; w < CHASE_WORDS; w++) n += __builtin_popcount(a[w] & b[w]);
  return n;
}

/* Dice of `victim` on which a ray of the other side ends; *guarded of them on
 * which a ray of their own side ends. */
static inline int chase_attacked(const uint32_t *dice, const chase_survey *victim,
                                 const chase_survey *attacker, int *guarded) {
  int all = 0, safe = 0;
  for (int w = 0; w < CHASE_WORDS; w++) {
    const uint32_t hit = dice[w] & attacker->reach[w];
    all += __builtin_popcount(hit);
    safe += __builtin_popcount(hit & victim->reach[w]);
  }
  *guarded = safe;
  return all;
}

/* The part of the score that counts own minus the other side's. */
static inline int chase_side_score(const chase_evaluator *evaluator,
                                   const chase_position *position, int side,
                                   const chase_survey *survey) {
  const int32_t *const w = evaluator->weights.weight;
  static const uint32_t all[CHASE_WORDS] = {~0u, ~0u, ~0u};
  const int lines = position->spare[side] ? CHASE_FEATURE_SPLIT_LINES : CHASE_FEATURE_WHOLE_LINES;
  return survey->place + evaluator->dice[position->dice[side]] +
         evaluator->spare[position->spare[side]] + w[CHASE_FEATURE_MOBILITY] * survey->moves +
         w[CHASE_FEATURE_EXCHANGES] * survey->exchanges + w[lines] * survey->entering +
         w[CHASE_FEATURE_REACH] * chase_popcount_and(survey->reach, all) +
         w[CHASE_FEATURE_GUARDED] * chase_popcount_and(survey->reach, position->occupied[side]);
}

static inline int chase_clamp_score(int score) {
  return score > CHASE_SCORE_LIMIT ? CHASE_SCORE_LIMIT
         : score < -CHASE_SCORE_LIMIT ? -CHASE_SCORE_LIMIT : score;
}

/* Score by what costs next to nothing: dice and spare dice. */
static inline int chase_rough_score(const chase_evaluator *evaluator,
                                    const chase_position *position) {
  const int me = position->side, other = me ^ 1;
  return evaluator->dice[position->dice[me]] - evaluator->dice[position->dice[other]] +
         evaluator->spare[position->spare[me]] - evaluator->spare[position->spare[other]];
}

/* The side to act has no legal decision (R11), or lacks too many dice. */
static inline bool chase_stuck(const chase_evaluator *evaluator, const chase_position *position,
                               const chase_survey *mine) {
  const chase_variant *const variant = evaluator->variant;
  if (chase_side_lost(variant, position, position->side)) return true;
  /* A free ray or an exchange is a decision, unless R7 or R8 forbid the ray; rare
   * enough to count them then. */
  if (__builtin_expect(mine->exchanges > 0, 1)) return false;
  if (mine->moves > 0 && !chase_own_on_fatal(variant, position->occupied[position->side]))
    return false;
  return chase_count(variant, position) == 0;
}

static inline int chase_static_score(const chase_evaluator *evaluator,
                                     const chase_position *position) {
  const int me = position->side, other = me ^ 1;
  const int32_t *const w = evaluator->weights.weight;
  uint32_t occupied[CHASE_WORDS];
  chase_all_occupied(position, occupied);
  const chase_words words = chase_words_spread(occupied);
  chase_survey mine, theirs;
  chase_survey_side(evaluator, position, me, &words, &mine);
  chase_survey_side(evaluator, position, other, &words, &theirs);
  if (__builtin_expect(chase_stuck(evaluator, position, &mine), 0)) return -CHASE_SCORE_WIN;
  int act_guarded, wait_guarded;
  const int act = chase_attacked(position->occupied[other], &theirs, &mine, &act_guarded);
  const int wait = chase_attacked(position->occupied[me], &mine, &theirs, &wait_guarded);
  const int act_loose = act - act_guarded, wait_loose = wait - wait_guarded;
  const int score =
      chase_side_score(evaluator, position, me, &mine) -
      chase_side_score(evaluator, position, other, &theirs) +
      w[CHASE_FEATURE_ACT_LOOSE] * act_loose + w[CHASE_FEATURE_ACT_GUARDED] * act_guarded +
      w[CHASE_FEATURE_ACT_ANY] * (act_loose > 0) - w[CHASE_FEATURE_WAIT_LOOSE] * wait_loose -
      w[CHASE_FEATURE_WAIT_GUARDED] * wait_guarded - w[CHASE_FEATURE_WAIT_ANY] * (wait_loose > 0) -
      w[CHASE_FEATURE_WAIT_TWO] * (wait_loose > 1) + w[CHASE_FEATURE_TEMPO];
  return chase_clamp_score(score);
}

#endif
