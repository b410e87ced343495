/* Landings, chains of bumps (R7) and the chamber's exits (R8). */
#ifndef CHASE_PUSH_H
#define CHASE_PUSH_H

#include "position.h"

/* Collects what a decision does; `trace` may be NULL. */
typedef struct chase_recorder {
  chase_events events;
  chase_trace_step *trace;
  int steps;
} chase_recorder;

static inline void chase_record_step(chase_recorder *recorder, chase_trace_kind kind, int from,
                                     const chase_step *step, int value) {
  recorder->events.wraps += step->wraps;
  recorder->events.ricochets += step->ricochets;
  if (recorder->trace)
    recorder->trace[recorder->steps++] =
        (chase_trace_step){(uint8_t)kind,   (uint8_t)from, step->cell,       step->direction,
                           (uint8_t)value, step->wraps,   step->ricochets, 0};
}

static inline void chase_record_capture(chase_recorder *recorder, int value) {
  recorder->events.captures++;
  if (recorder->trace && recorder->steps > 0)
    recorder->trace[recorder->steps - 1].captured = (uint8_t)value;
}

/* A die of `side` and `value` arrives on `cell` in `direction`. Carries out the
 * pushes one after the other. False if the chain runs into an illegal step; the
 * position is then spoilt. Ends: own dice only pass the push on, the line of a
 * chain meets each cell at most twice (topology), and CHASE_MAX_CHAIN follows. */
static inline bool chase_land(const chase_variant *variant, chase_position *position, int side,
                              int cell, int value, int direction, chase_recorder *recorder) {
  int chain = 0;
  for (;;) {
    const int displaced = position->value[side][cell];
    if (!displaced) {
      if (position->value[side ^ 1][cell]) {
        const int captured = chase_capture_die(variant, position, side ^ 1, cell);
        if (recorder) chase_record_capture(recorder, captured);
      }
      chase_put_die(variant, position, side, cell, value);
      break;
    }
    const chase_step step = variant->rays.step[cell][direction];
    if (step.cell == CHASE_NO_CELL || step.cell == CHASE_CHAMBER) return false;
    chase_change_value(variant, position, side, cell, value);
    chain++;
    if (recorder) chase_record_step(recorder, CHASE_TRACE_PUSH, cell, &step, displaced);
    cell = step.cell;
    direction = step.direction;
    value = displaced;
  }
  if (recorder) {
    recorder->events.bumps += (uint8_t)chain;
    if (chain > recorder->events.longest_chain) recorder->events.longest_chain = (uint8_t)chain;
  }
  return true;
}

/* R8: a die of `value` has arrived on the chamber in `direction` and is on no
 * cell. Spare dice are as before the move. False if either chain is illegal. */
static inline bool chase_leave_chamber(const chase_variant *variant, chase_position *position,
                                       int side, int value, int direction,
                                       chase_recorder *recorder) {
  int left, right;
  chase_topology_exits(direction, &left, &right);
  const chase_step left_exit = variant->rays.step[CHASE_CHAMBER][left];
  const bool split = value >= 2 && position->spare[side] > 0;
  const int first = split ? (value + 1) / 2 : value;
  if (recorder) {
    recorder->events.entered = 1;
    recorder->events.split = split;
    recorder->events.refused = value >= 2 && !split;
    chase_record_step(recorder, CHASE_TRACE_LEFT, CHASE_CHAMBER, &left_exit, first);
  }
  if (split) {
    chase_change_spare(variant, position, side, -1);
    position->dice[side]++;
  }
  if (!chase_land(variant, position, side, left_exit.cell, first, left, recorder)) return false;
  if (!split) return true;
  const chase_step right_exit = variant->rays.step[CHASE_CHAMBER][right];
  if (recorder)
    chase_record_step(recorder, CHASE_TRACE_RIGHT, CHASE_CHAMBER, &right_exit, value - first);
  return chase_land(variant, position, side, right_exit.cell, value - first, right, recorder);
}

#endif
