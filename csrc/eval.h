/* Static evaluation: a weighted sum of counts, see enum chase_feature. */
#ifndef CHASE_EVAL_H
#define CHASE_EVAL_H

#include "movegen.h"
#include "players.h"

/* A die of one value on one cell. */
typedef struct chase_judged {
  /* Lane d: the cell where ray d ends, the chamber too; nothing where there is no
   * such ray, and in lanes 6 and 7. */
  _Alignas(128) chase_lanes target;
  int32_t place[2]; /* weight of value and row, by side */
} chase_judged;

_Static_assert(sizeof(chase_judged) == 128, "two cache lines");

/* The weights spread out so that each die and each count is one look-up. */
struct chase_evaluator {
  chase_judged die[CHASE_CELLS][CHASE_MAX_VALUE + 2]; /* indexed as the ray tables */
  const chase_variant *variant;
  chase_weights weights;
  int32_t dice[CHASE_MAX_DICE + 1]; /* by dice on the board */
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

/* What the rays of one side's dice come to. */
typedef struct chase_survey {
  uint32_t reach[CHASE_WORDS]; /* cells where free rays end */
  uint32_t near[CHASE_WORDS];  /* cells beside a die */
  int moves;                   /* free rays, those that R7 and R8 forbid among them */
  int flagged;                 /* dice whose rays R7 and R8 may forbid */
  int place;
} chase_survey;

/* `words` are all occupied cells and the chamber. */
static inline void chase_survey_side(const chase_evaluator *evaluator,
                                     const chase_position *position, int side,
                                     const chase_words *words, chase_survey *out) {
  const chase_variant *const variant = evaluator->variant;
  const uint8_t *const value = position->value[side];
  chase_cells cells = chase_cells_of(position->occupied[side]);
  chase_reach reach, near;
  chase_reach_clear(&reach);
  chase_reach_clear(&near);
  uint32_t moves = 0;
  int place = 0;
  const int dice = position->dice[side];
  for (int i = 0; i < dice; i++) {
    const int cell = chase_next_cell(&cells);
    const int v = value[cell];
    const chase_judged *const judged = &evaluator->die[cell][v];
    const unsigned lanes = chase_free_lanes_reach(&variant->rays.die[cell][v].clear,
                                                  &judged->target, words, &reach);
    /* The neighbours are where a die of value 1 would go. */
    chase_reach_add(&evaluator->die[cell][1].target, &near);
    moves += variant->lane_moves[lanes];
    place += judged->place[side];
  }
  chase_reach_words(&reach, out->reach);
  chase_reach_words(&near, out->near);
  out->moves = (int)(moves % CHASE_FLAGGED);
  out->flagged = (int)(moves / CHASE_FLAGGED);
  out->place = place;
}

/* 81 cells in two words, for counting. */
typedef struct chase_counted {
  uint64_t low, high;
} chase_counted;

static inline chase_counted chase_counted_of(const uint32_t word[CHASE_WORDS]) {
  return (chase_counted){word[0] | (uint64_t)word[1] << 32, word[2]};
}

static inline int chase_count_common(chase_counted a, chase_counted b) {
  return __builtin_popcountll(a.low & b.low) + __builtin_popcountll(a.high & b.high);
}

/* The part of the score that counts own minus the other side's. */
static inline int chase_side_score(const chase_evaluator *evaluator,
                                   const chase_position *position, int side,
                                   const chase_survey *survey, chase_counted dice,
                                   chase_counted reach) {
  const int32_t *const w = evaluator->weights.weight;
  const int line = position->spare[side] ? CHASE_FEATURE_SPLIT_LINE : CHASE_FEATURE_WHOLE_LINE;
  const int enters = survey->reach[CHASE_CHAMBER_WORD] >> (CHASE_CHAMBER % CHASE_WORD_CELLS) & 1;
  return survey->place + evaluator->dice[position->dice[side]] +
         evaluator->spare[position->spare[side]] + w[CHASE_FEATURE_MOBILITY] * survey->moves +
         w[CHASE_FEATURE_LINKED] * chase_count_common(dice, chase_counted_of(survey->near)) +
         w[CHASE_FEATURE_REACH] * chase_count_common(reach, reach) +
         w[CHASE_FEATURE_GUARDED] * chase_count_common(reach, dice) + w[line] * enters;
}

static inline int chase_clamp_score(int score) {
  return score > CHASE_SCORE_LIMIT ? CHASE_SCORE_LIMIT
         : score < -CHASE_SCORE_LIMIT ? -CHASE_SCORE_LIMIT : score;
}

/* The side to act has no legal decision (R11), or lacks too many dice. */
static inline bool chase_stuck(const chase_evaluator *evaluator, const chase_position *position,
                               const chase_survey *mine) {
  const chase_variant *const variant = evaluator->variant;
  if (chase_side_lost(variant, position, position->side)) return true;
  /* R7 and R8 forbid at most the six rays of each flagged die; else, which is rare,
   * the decisions must be counted. */
  if (__builtin_expect(mine->moves > CHASE_DIRECTIONS * mine->flagged, 1)) return false;
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
  const chase_counted my_dice = chase_counted_of(position->occupied[me]);
  const chase_counted their_dice = chase_counted_of(position->occupied[other]);
  const chase_counted my_reach = chase_counted_of(mine.reach);
  const chase_counted their_reach = chase_counted_of(theirs.reach);
  const chase_counted hit = {their_dice.low & my_reach.low, their_dice.high & my_reach.high};
  const chase_counted hurt = {my_dice.low & their_reach.low, my_dice.high & their_reach.high};
  const int act_guarded = chase_count_common(hit, their_reach);
  const int act_loose = chase_count_common(hit, hit) - act_guarded;
  const int wait_guarded = chase_count_common(hurt, my_reach);
  const int wait_loose = chase_count_common(hurt, hurt) - wait_guarded;
  const int score =
      chase_side_score(evaluator, position, me, &mine, my_dice, my_reach) -
      chase_side_score(evaluator, position, other, &theirs, their_dice, their_reach) +
      w[CHASE_FEATURE_ACT_LOOSE] * act_loose + w[CHASE_FEATURE_ACT_GUARDED] * act_guarded +
      w[CHASE_FEATURE_ACT_ANY] * (act_loose > 0) - w[CHASE_FEATURE_WAIT_LOOSE] * wait_loose -
      w[CHASE_FEATURE_WAIT_GUARDED] * wait_guarded - w[CHASE_FEATURE_WAIT_ANY] * (wait_loose > 0) -
      w[CHASE_FEATURE_WAIT_TWO] * (wait_loose > 1) + w[CHASE_FEATURE_TEMPO];
  return chase_clamp_score(score);
}

#endif
