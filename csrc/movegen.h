/* Legal decisions: count, list, and the k-th without a list. Included by each
 * kernel, so that it is compiled for each instruction set. */
#ifndef CHASE_MOVEGEN_H
#define CHASE_MOVEGEN_H

#include <assert.h>

#include "push.h"
#include "raytest.h"

/* The rays of the side to act, die by die in reading order. */
typedef struct chase_scan {
  int dice;
  int moves;     /* legal, all dice */
  int exchanges; /* all pairs */
  uint8_t cell[CHASE_MAX_DICE + 7];
  uint8_t mask[CHASE_MAX_DICE + 7]; /* legal directions, bit d */
} chase_scan;

static inline int chase_popcount6(unsigned mask) {
#if defined(__POPCNT__) || defined(__aarch64__)
  return __builtin_popcount(mask);
#else
  /* Sum of six bits in parallel: pairs, then the three pairs. */
  mask -= mask >> 1 & 0x15;
  return (int)((mask & 3) + (mask >> 2 & 3) + (mask >> 4));
#endif
}

/* Index of the k-th set bit, counted from 0; k is less than the bits set. */
static inline int chase_select6(unsigned mask, int k) {
  while (k-- > 0) mask &= mask - 1;
  return __builtin_ctz(mask);
}

static inline void chase_all_occupied(const chase_position *position, uint32_t out[CHASE_WORDS]) {
  for (int w = 0; w < CHASE_WORDS; w++)
    out[w] = position->occupied[0][w] | position->occupied[1][w];
  out[CHASE_CHAMBER_WORD] |= CHASE_CHAMBER_BIT;
}

/* R8: would the move of the die on `cell` in `direction`, which ends on the
 * chamber, be legal? Tried on a copy, since chains act on the board as it then
 * stands. */
static inline bool chase_exit_legal(const chase_variant *variant, const chase_position *position,
                                    int cell, int direction) {
  chase_position copy = *position;
  const int side = copy.side;
  const int value = chase_take_die(variant, &copy, side, cell);
  const int arrival = variant->rays.ray[cell][value - 1][direction].arrival;
  return chase_leave_chamber(variant, &copy, side, value, arrival, NULL);
}

/* Takes the moves that R7 and R8 forbid out of the masks of the dice in
 * `flagged`; returns how many. Rare: only with an own die on a fatal cell. */
static __attribute__((noinline)) int chase_forbid(const chase_variant *variant,
                                                  const chase_position *position, chase_scan *scan,
                                                  unsigned flagged) {
  const int side = position->side;
  uint32_t not_own[CHASE_WORDS];
  for (int w = 0; w < CHASE_WORDS; w++) not_own[w] = ~position->occupied[side][w];
  const chase_words words = chase_words_spread(not_own);
  int forbidden = 0;
  for (; flagged; flagged &= flagged - 1) {
    const int i = __builtin_ctz(flagged);
    const int cell = scan->cell[i];
    const int value = position->value[side][cell];
    const unsigned mask = scan->mask[i];
    unsigned bad = mask & chase_free_lanes(&variant->rays.chain[chase_set_index(cell, value)], &words);
    for (unsigned left = mask & ~bad; left; left &= left - 1) {
      const int d = __builtin_ctz(left);
      if (variant->rays.ray[cell][value - 1][d].target == CHASE_CHAMBER &&
          !chase_exit_legal(variant, position, cell, d))
        bad |= 1u << d;
    }
    scan->mask[i] = (uint8_t)(mask & ~bad);
    forbidden += chase_popcount6(bad);
  }
  return forbidden;
}

/* Moves (R6) and exchanges (R10) of the side to act, which shows its total and
 * is not in a series. */
static inline void chase_scan_board(const chase_variant *variant, const chase_position *position,
                                    chase_scan *scan) {
  const int side = position->side;
  const uint8_t *const value = position->value[side];
  const uint32_t *const own = position->occupied[side];
  uint32_t occupied[CHASE_WORDS];
  chase_all_occupied(position, occupied);
  const chase_words words = chase_words_spread(occupied);
  /* 81 bits as 64 + 17, consumed as one stream: a loop for each word would
   * mispredict its end. */
  uint64_t low = own[0] | (uint64_t)own[1] << 27 | (uint64_t)own[2] << 54;
  uint64_t high = own[2] >> 10;
  int base = 0;
  int moves = 0;
  int exchanges = 0;
  unsigned flagged = 0;
  const int dice = position->dice[side];
  for (int i = 0; i < dice; i++) {
    base = low ? base : 64;
    const uint64_t bits = low ? low : high;
    const int cell = base + __builtin_ctzll(bits);
    low = bits & (bits - 1);
    const int v = value[cell];
    const unsigned lanes = chase_free_lanes(&variant->rays.clear[chase_set_index(cell, v)], &words);
    const uint8_t *const near = variant->rays.forward[cell];
    const unsigned pattern =
        (unsigned)value[near[0]] | (unsigned)value[near[1]] << 3 | (unsigned)value[near[2]] << 6;
    exchanges += variant->exchanges[v][pattern];
    flagged |= (unsigned)((lanes & 0xc0) == 0) << i;
    scan->cell[i] = (uint8_t)cell;
    scan->mask[i] = (uint8_t)(lanes & 0x3f);
    moves += chase_popcount6(lanes & 0x3f);
  }
  if (__builtin_expect(flagged != 0, 0)) {
    const uint32_t *const fatal = variant->rays.fatal;
    if ((own[0] & fatal[0]) | (own[1] & fatal[1]) | (own[2] & fatal[2]))
      moves -= chase_forbid(variant, position, scan, flagged);
  }
  scan->dice = dice;
  scan->moves = moves;
  scan->exchanges = exchanges;
}

/* Directions in which the die of the side to act on `cell` captures directly. */
static inline unsigned chase_capture_mask(const chase_variant *variant,
                                          const chase_position *position, int cell) {
  const int side = position->side;
  const int value = position->value[side][cell];
  uint32_t occupied[CHASE_WORDS];
  chase_all_occupied(position, occupied);
  const chase_words words = chase_words_spread(occupied);
  unsigned mask =
      chase_free_lanes(&variant->rays.clear[chase_set_index(cell, value)], &words) & 0x3f;
  unsigned captures = 0;
  for (; mask; mask &= mask - 1) {
    const int d = __builtin_ctz(mask);
    const int target = variant->rays.ray[cell][value - 1][d].target;
    captures |= (unsigned)(position->value[side ^ 1][target] != 0) << d;
  }
  return captures;
}

/* R9: the cells that may be raised now; the side to act lacks pips and has not
 * lost. Returns their number. */
static inline int chase_raisable_cells(const chase_variant *variant,
                                       const chase_position *position,
                                       uint8_t out[CHASE_MAX_DICE]) {
  const uint8_t *const value = position->value[position->side];
  int highest = CHASE_MAX_VALUE - 1;
  if (variant->rules.handout == CHASE_HANDOUT_LOWEST)
    for (int cell = 0; cell < CHASE_CELLS; cell++)
      if (value[cell] && value[cell] < highest) highest = value[cell];
  int n = 0;
  for (int cell = 0; cell < CHASE_CELLS; cell++)
    if (value[cell] && value[cell] <= highest) out[n++] = (uint8_t)cell;
  assert(n <= CHASE_MAX_DICE);
  return n;
}

/* What the side to act has to do. */
typedef enum chase_phase { CHASE_PHASE_TURN, CHASE_PHASE_DUE, CHASE_PHASE_SERIES, CHASE_PHASE_LOST } chase_phase;

static inline chase_phase chase_position_phase(const chase_variant *variant,
                                               const chase_position *position) {
  const int side = position->side;
  if (__builtin_expect(position->pips[side] != variant->total, 0))
    return chase_side_lost(variant, position, side) ? CHASE_PHASE_LOST : CHASE_PHASE_DUE;
  return __builtin_expect(position->capturing != CHASE_NO_CELL, 0) ? CHASE_PHASE_SERIES
                                                                   : CHASE_PHASE_TURN;
}

static __attribute__((noinline)) int chase_list_special(const chase_variant *variant,
                                                        const chase_position *position,
                                                        chase_phase phase, chase_decision *out) {
  int n = 0;
  if (phase == CHASE_PHASE_DUE) {
    uint8_t cells[CHASE_MAX_DICE];
    n = chase_raisable_cells(variant, position, cells);
    for (int i = 0; i < n; i++)
      out[i] = chase_decision_make(CHASE_DISTRIBUTION, cells[i], 0, 0, 0);
  } else if (phase == CHASE_PHASE_SERIES) {
    const int cell = position->capturing;
    for (unsigned mask = chase_capture_mask(variant, position, cell); mask; mask &= mask - 1)
      out[n++] = chase_decision_make(CHASE_MOVE, cell, __builtin_ctz(mask), 0, 0);
    out[n++] = chase_decision_make(CHASE_STOP, 0, 0, 0, 0);
  }
  return n;
}

static inline int chase_count(const chase_variant *variant, const chase_position *position) {
  const chase_phase phase = chase_position_phase(variant, position);
  if (__builtin_expect(phase != CHASE_PHASE_TURN, 0)) {
    chase_decision special[CHASE_MAX_DICE];
    return chase_list_special(variant, position, phase, special);
  }
  chase_scan scan;
  chase_scan_board(variant, position, &scan);
  return scan.moves + scan.exchanges;
}

/* The exchanges of the die on `cell` with partners that come after it; returns
 * their number. */
static inline int chase_list_exchanges(const chase_variant *variant,
                                       const chase_position *position, int cell,
                                       chase_decision *out) {
  const chase_rays *const rays = &variant->rays;
  const uint8_t *const value = position->value[position->side];
  const int a = value[cell];
  int n = 0;
  for (int i = 0; i < rays->partner_count[cell]; i++) {
    const int b = value[rays->partner[cell][i]];
    if (!b) continue;
    const int sum = a + b;
    const int low = sum > CHASE_MAX_VALUE ? sum - CHASE_MAX_VALUE : 1;
    const int high = sum - low;
    for (int v = low; v <= high; v++)
      if (v != a)
        out[n++] = chase_decision_make(CHASE_EXCHANGE, cell, rays->partner_direction[cell][i], v,
                                       sum - v);
  }
  return n;
}

static inline int chase_list(const chase_variant *variant, const chase_position *position,
                             chase_decision *out) {
  const chase_phase phase = chase_position_phase(variant, position);
  if (__builtin_expect(phase != CHASE_PHASE_TURN, 0))
    return chase_list_special(variant, position, phase, out);
  chase_scan scan;
  chase_scan_board(variant, position, &scan);
  int n = 0;
  for (int i = 0; i < scan.dice; i++)
    for (unsigned mask = scan.mask[i]; mask; mask &= mask - 1)
      out[n++] = chase_decision_make(CHASE_MOVE, scan.cell[i], __builtin_ctz(mask), 0, 0);
  if (scan.exchanges)
    for (int i = 0; i < scan.dice; i++)
      n += chase_list_exchanges(variant, position, scan.cell[i], out + n);
  assert(n == scan.moves + scan.exchanges && n <= CHASE_MAX_VALUE * variant->total);
  return n;
}

/* The decision at `index` of the list that `scan` stands for. */
static inline chase_decision chase_pick(const chase_variant *variant,
                                        const chase_position *position, const chase_scan *scan,
                                        int index) {
  if (index < scan->moves) {
    for (int i = 0;; i++) {
      const int n = chase_popcount6(scan->mask[i]);
      if (index < n)
        return chase_decision_make(CHASE_MOVE, scan->cell[i], chase_select6(scan->mask[i], index),
                                   0, 0);
      index -= n;
    }
  }
  index -= scan->moves;
  /* Four partners at most, five results each. */
  chase_decision exchanges[4 * (CHASE_MAX_VALUE - 1)];
  for (int i = 0;; i++) {
    const int n = chase_list_exchanges(variant, position, scan->cell[i], exchanges);
    if (index < n) return exchanges[index];
    index -= n;
  }
}

static inline chase_decision chase_at(const chase_variant *variant, const chase_position *position,
                                      int index) {
  const chase_phase phase = chase_position_phase(variant, position);
  if (phase != CHASE_PHASE_TURN) {
    chase_decision special[CHASE_MAX_DICE];
    chase_list_special(variant, position, phase, special);
    return special[index];
  }
  chase_scan scan;
  chase_scan_board(variant, position, &scan);
  return chase_pick(variant, position, &scan, index);
}

#endif
