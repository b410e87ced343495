#define _POSIX_C_SOURCE 200112L
#include "eval.h"

#include <stdlib.h>
#include <string.h>

static int sum_spare(const int32_t *weight, int spare) {
  int sum = 0;
  for (int n = 0; n < CHASE_SPARE_FEATURES; n++)
    if (spare > n) sum += weight[CHASE_FEATURE_SPARE + n];
  return sum;
}

static void judge_die(chase_evaluator *evaluator, int cell, int value) {
  const int32_t *const weight = evaluator->weights.weight;
  const chase_die_table *const die = &evaluator->variant->rays.die[cell][value];
  chase_judged *const judged = &evaluator->die[cell][value];
  for (int side = 0; side < 2; side++)
    judged->place[side] = weight[CHASE_FEATURE_VALUE + value - 1] +
                          weight[CHASE_FEATURE_ROW + chase_row_from_home(side, cell)];
  for (int d = 0; d < CHASE_DIRECTIONS; d++) {
    const int target = die->ray[d].target;
    if (target != CHASE_NO_CELL)
      judged->target.word[target / CHASE_WORD_CELLS][d] = chase_cell_bit(target);
    /* The neighbours are where a die of value 1 would go. */
    const int beside = evaluator->variant->rays.die[cell][1].ray[d].target;
    if (beside != CHASE_NO_CELL)
      judged->target.word[beside / CHASE_WORD_CELLS][CHASE_LANES - 1] |= chase_cell_bit(beside);
  }
}

chase_status chase_evaluator_new(const chase_variant *variant, const chase_weights *weights,
                                 chase_evaluator **out) {
  for (int i = 0; i < CHASE_FEATURES; i++)
    if (weights->weight[i] < -CHASE_MAX_WEIGHT || weights->weight[i] > CHASE_MAX_WEIGHT)
      return CHASE_BAD_ARGUMENT;
  void *memory = NULL;
  if (posix_memalign(&memory, _Alignof(chase_evaluator), sizeof(chase_evaluator)) != 0)
    return CHASE_MEMORY;
  chase_evaluator *const evaluator = memset(memory, 0, sizeof *evaluator);
  evaluator->variant = variant;
  evaluator->weights = *weights;
  for (int cell = 0; cell < CHASE_CELLS; cell++)
    for (int value = 1; value <= CHASE_MAX_VALUE; value++)
      judge_die(evaluator, cell, value);
  const int32_t *const weight = evaluator->weights.weight;
  for (int n = 0; n <= CHASE_MAX_DICE; n++) {
    evaluator->dice[n] = weight[CHASE_FEATURE_DICE + chase_dice_feature(variant, n)];
    evaluator->spare[n] = sum_spare(weight, n);
  }
  *out = evaluator;
  return CHASE_OK;
}

void chase_evaluator_free(chase_evaluator *evaluator) { free(evaluator); }

int chase_evaluate(const chase_evaluator *evaluator, const chase_position *position) {
  return evaluator->variant->kernels->evaluate(evaluator, position);
}

/* Cells where the free rays of a side end, one ray after the other. */
static void slow_survey(const chase_variant *variant, const chase_position *position, int side,
                        bool reach[CHASE_CELLS + 1], int16_t *mobility) {
  memset(reach, 0, (CHASE_CELLS + 1) * sizeof *reach);
  for (int cell = 0; cell < CHASE_CELLS; cell++) {
    const int value = position->value[side][cell];
    for (int d = 0; value && d < CHASE_DIRECTIONS; d++) {
      if (variant->rays.die[cell][value].ray[d].target == CHASE_NO_CELL) continue;
      int at = cell, heading = d;
      bool free_ray = true;
      for (int i = 1; i <= value; i++) {
        const chase_step step = variant->rays.step[at][heading];
        at = step.cell;
        heading = step.direction;
        if (i < value && (position->value[0][at] || position->value[1][at])) free_ray = false;
      }
      if (!free_ray) continue;
      reach[at] = true;
      ++*mobility;
    }
  }
}

/* Has the die on `cell` a neighbour of its own side (R10)? */
static bool slow_linked(const chase_variant *variant, const chase_position *position, int side,
                        int cell) {
  for (int other = 0; other < CHASE_CELLS; other++)
    for (int i = 0; i < CHASE_PARTNERS && position->value[side][other]; i++)
      if (variant->rays.die[cell][1].partner[i] == other ||
          variant->rays.die[other][1].partner[i] == cell)
        return true;
  return false;
}

void chase_features(const chase_variant *variant, const chase_position *position,
                    int16_t out[CHASE_FEATURES]) {
  bool reach[2][CHASE_CELLS + 1];
  memset(out, 0, CHASE_FEATURES * sizeof *out);
  for (int side = 0; side < 2; side++) {
    int16_t own[CHASE_FEATURES] = {0};
    slow_survey(variant, position, side, reach[side], &own[CHASE_FEATURE_MOBILITY]);
    own[CHASE_FEATURE_DICE + chase_dice_feature(variant, position->dice[side])] = 1;
    for (int cell = 0; cell < CHASE_CELLS; cell++) {
      const int value = position->value[side][cell];
      own[CHASE_FEATURE_REACH] = (int16_t)(own[CHASE_FEATURE_REACH] + reach[side][cell]);
      if (!value) continue;
      own[CHASE_FEATURE_VALUE + value - 1]++;
      own[CHASE_FEATURE_ROW + chase_row_from_home(side, cell)]++;
      own[CHASE_FEATURE_LINKED] =
          (int16_t)(own[CHASE_FEATURE_LINKED] + slow_linked(variant, position, side, cell));
      own[CHASE_FEATURE_GUARDED] = (int16_t)(own[CHASE_FEATURE_GUARDED] + reach[side][cell]);
    }
    own[position->spare[side] ? CHASE_FEATURE_SPLIT_LINE : CHASE_FEATURE_WHOLE_LINE] =
        reach[side][CHASE_CHAMBER];
    for (int n = 0; n < CHASE_SPARE_FEATURES; n++)
      own[CHASE_FEATURE_SPARE + n] = position->spare[side] > n;
    for (int i = 0; i < CHASE_FEATURES; i++)
      out[i] = (int16_t)(side == position->side ? out[i] + own[i] : out[i] - own[i]);
  }
  int loose[2] = {0, 0}, guarded[2] = {0, 0}; /* dice of this side that are attacked */
  for (int side = 0; side < 2; side++)
    for (int cell = 0; cell < CHASE_CELLS; cell++)
      if (position->value[side][cell] && reach[side ^ 1][cell])
        ++*(reach[side][cell] ? &guarded[side] : &loose[side]);
  const int me = position->side, other = me ^ 1;
  out[CHASE_FEATURE_ACT_LOOSE] = (int16_t)loose[other];
  out[CHASE_FEATURE_ACT_GUARDED] = (int16_t)guarded[other];
  out[CHASE_FEATURE_ACT_ANY] = loose[other] > 0;
  out[CHASE_FEATURE_WAIT_LOOSE] = (int16_t)-loose[me];
  out[CHASE_FEATURE_WAIT_GUARDED] = (int16_t)-guarded[me];
  out[CHASE_FEATURE_WAIT_ANY] = (int16_t)-(loose[me] > 0);
  out[CHASE_FEATURE_WAIT_TWO] = (int16_t)-(loose[me] > 1);
  out[CHASE_FEATURE_TEMPO] = 1;
}
