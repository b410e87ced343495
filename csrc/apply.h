/* Playing a decision in place. */
#ifndef CHASE_APPLY_H
#define CHASE_APPLY_H

#include "movegen.h"

static inline void chase_play_move(const chase_variant *variant, chase_position *position,
                                   chase_decision decision, chase_recorder *recorder) {
  const int side = position->side;
  const int cell = chase_decision_cell(decision);
  const int direction = chase_decision_direction(decision);
  const int value = chase_take_die(variant, position, side, cell);
  const chase_ray ray = variant->rays.die[cell][value].ray[direction];
  if (recorder) {
    if (recorder->trace) {
      int at = cell, heading = direction;
      for (int i = 0; i < value; i++) {
        const chase_step step = variant->rays.step[at][heading];
        chase_record_step(recorder, CHASE_TRACE_RAY, at, &step, value);
        at = step.cell;
        heading = step.direction;
      }
    } else {
      recorder->events.wraps += ray.wraps;
      recorder->events.ricochets += ray.ricochets;
    }
  }
  if (__builtin_expect(ray.target == CHASE_CHAMBER, 0)) {
    chase_leave_chamber(variant, position, side, value, ray.arrival, recorder);
  } else {
    const bool captures = position->value[side ^ 1][ray.target] != 0;
    chase_land(variant, position, side, ray.target, value, ray.arrival, recorder);
    if (variant->rules.chain && captures && !chase_side_lost(variant, position, side ^ 1) &&
        chase_capture_mask(variant, position, ray.target)) {
      chase_set_capturing(variant, position, ray.target);
      return;
    }
  }
  if (__builtin_expect(position->capturing != CHASE_NO_CELL, 0))
    chase_set_capturing(variant, position, CHASE_NO_CELL);
  chase_pass_turn(variant, position);
}

/* Every other kind of decision. */
static inline void chase_play_other(const chase_variant *variant, chase_position *position,
                                    chase_decision decision) {
  const int side = position->side;
  const int cell = chase_decision_cell(decision);
  switch (chase_decision_kind(decision)) {
    case CHASE_EXCHANGE: {
      /* Legal, so the partner is a neighbour and the plain step finds it. */
      const int other = variant->rays.step[cell][chase_decision_direction(decision)].cell;
      chase_change_value(variant, position, side, cell, chase_decision_value(decision));
      chase_change_value(variant, position, side, other, chase_decision_other_value(decision));
      chase_pass_turn(variant, position);
      break;
    }
    case CHASE_DISTRIBUTION: {
      const int due = variant->total - position->pips[side];
      const int old = position->value[side][cell];
      const int room = CHASE_MAX_VALUE - old;
      const int rise = due < room ? due : room;
      chase_change_value(variant, position, side, cell, old + rise);
      position->pips[side] = (uint8_t)(position->pips[side] + rise);
      break;
    }
    default:
      chase_set_capturing(variant, position, CHASE_NO_CELL);
      chase_pass_turn(variant, position);
  }
}

static inline void chase_play(const chase_variant *variant, chase_position *position,
                              chase_decision decision, chase_recorder *recorder) {
  if (__builtin_expect(chase_decision_kind(decision) == CHASE_MOVE, 1))
    chase_play_move(variant, position, decision, recorder);
  else
    chase_play_other(variant, position, decision);
}

#endif
