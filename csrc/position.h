/* Primitive changes of a position; each keeps words, values, counts and hash in
 * step. */
#ifndef CHASE_POSITION_H
#define CHASE_POSITION_H

#include "variant.h"

static inline bool chase_stop_requested(chase_stop_flag *stop) {
  return stop && __atomic_load_n(stop, __ATOMIC_RELAXED) != 0;
}

static inline uint32_t chase_cell_bit(int cell) {
  return (uint32_t)1 << ((unsigned)cell % CHASE_WORD_CELLS);
}

/* Gives `cell`, empty or holding the same side's die, a die of `value`. */
static inline void chase_put_die(const chase_variant *variant, chase_position *position, int side,
                                 int cell, int value) {
  position->value[side][cell] = (uint8_t)value;
  position->occupied[side][(unsigned)cell / CHASE_WORD_CELLS] |= chase_cell_bit(cell);
  position->hash ^= variant->keys.die[side][value][cell];
}

/* Takes the die of `side` off `cell`; returns its value. Counts are the
 * caller's. */
static inline int chase_take_die(const chase_variant *variant, chase_position *position, int side,
                                 int cell) {
  const int value = position->value[side][cell];
  position->value[side][cell] = 0;
  position->occupied[side][(unsigned)cell / CHASE_WORD_CELLS] &= ~chase_cell_bit(cell);
  position->hash ^= variant->keys.die[side][value][cell];
  return value;
}

static inline void chase_change_value(const chase_variant *variant, chase_position *position,
                                      int side, int cell, int value) {
  const int old = position->value[side][cell];
  position->value[side][cell] = (uint8_t)value;
  position->hash ^=
      variant->keys.die[side][old][cell] ^ variant->keys.die[side][value][cell];
}

static inline void chase_change_spare(const chase_variant *variant, chase_position *position,
                                      int side, int change) {
  const uint64_t *const keys = variant->keys.spare[side];
  const int old = position->spare[side];
  position->spare[side] = (uint8_t)(old + change);
  position->hash ^= keys[old] ^ keys[old + change];
}

/* R9: the die on `cell` leaves the board and, if dice are recycled, joins its
 * owner's spare dice. Returns its value. */
static inline int chase_capture_die(const chase_variant *variant, chase_position *position,
                                    int owner, int cell) {
  const int value = chase_take_die(variant, position, owner, cell);
  position->dice[owner]--;
  position->pips[owner] = (uint8_t)(position->pips[owner] - value);
  if (variant->rules.recycle) chase_change_spare(variant, position, owner, 1);
  return value;
}

static inline void chase_set_capturing(const chase_variant *variant, chase_position *position,
                                       int cell) {
  position->hash ^= variant->keys.capturing[position->capturing] ^ variant->keys.capturing[cell];
  position->capturing = (uint8_t)cell;
}

static inline void chase_pass_turn(const chase_variant *variant, chase_position *position) {
  position->side ^= 1;
  position->hash ^= variant->keys.blue_to_act;
}

/* R11: the side can no longer show its total. */
static inline bool chase_side_lost(const chase_variant *variant, const chase_position *position,
                                   int side) {
  return CHASE_MAX_VALUE * position->dice[side] < variant->total;
}

#endif
