/* Legal decisions: count, list, and the k-th without a list. Included by each
 * kernel, so that it is compiled for each instruction set. */
#ifndef CHASE_MOVEGEN_H
#define CHASE_MOVEGEN_H

#include <assert.h>

#include "push.h"
#include "raytest.h"

/* What a scan finds of one die; packed, so that it is stored at once. */
typedef struct chase_scanned {
  uint8_t cell;
  uint8_t mask;      /* free lanes; after chase_forbid without forbidden directions */
  uint8_t moves;     /* of this die and those before it: at most 6 x 25 */
  uint8_t exchanges; /* likewise: n dice have at most 3 n pairs with 5 results each, and at most
                        6 (54 - n) results by the bound of CHASE_MAX_DECISIONS; so at most 231 */
} chase_scanned;

/* The moves and exchanges of the side to act, die by die in reading order. */
typedef struct chase_scan {
  int dice;
  int moves;     /* legal, all dice */
  int exchanges; /* all pairs */
  bool flagged;  /* some die has moves that R7 or R8 may forbid */
  chase_scanned die[CHASE_MAX_DICE];
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

/* Index of the k-th set bit of a mask of six, counted from 0; k is less than the
 * bits set. Without branches: k is random, and a mispredicted one costs more. */
static inline int chase_select6(unsigned mask, int k) {
#if defined(__BMI2__)
  return __builtin_ctz(_pdep_u32(1u << k, mask));
#else
  int index = 0;
  for (int bit = 0; bit < CHASE_DIRECTIONS - 1; bit++)
    index += chase_popcount6(mask & ((2u << bit) - 1)) <= k;
  return index;
#endif
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
  const int arrival = variant->rays.die[cell][value].ray[direction].arrival;
  return chase_leave_chamber(variant, &copy, side, value, arrival, NULL);
}

/* Takes the moves that R7 and R8 forbid out of the masks. Only needed with an
 * own die on a fatal cell; the flag lanes then name the few dice to look at. */
static __attribute__((noinline)) void chase_forbid(const chase_variant *variant,
                                                   const chase_position *position,
                                                   chase_scan *scan) {
  const int side = position->side;
  uint32_t not_own[CHASE_WORDS];
  for (int w = 0; w < CHASE_WORDS; w++) not_own[w] = ~position->occupied[side][w];
  const chase_words words = chase_words_spread(not_own);
  unsigned flagged = 0;
  for (int i = 0; i < scan->dice; i++)
    flagged |= (unsigned)((scan->die[i].mask & CHASE_FLAG_LANES) == 0) << i;
  unsigned forbidden = 0;
  for (; flagged; flagged &= flagged - 1) {
    const int i = __builtin_ctz(flagged);
    const int cell = scan->die[i].cell;
    const int value = position->value[side][cell];
    const unsigned mask = scan->die[i].mask;
    unsigned bad = mask & chase_free_lanes(&variant->rays.chain[cell][value - 1], &words);
    unsigned entering = mask & variant->rays.die[cell][value].entering;
    for (; entering; entering &= entering - 1) {
      const int d = __builtin_ctz(entering);
      if (!chase_exit_legal(variant, position, cell, d)) bad |= 1u << d;
    }
    scan->die[i].mask = (uint8_t)(mask & ~bad);
    forbidden |= bad;
  }
  if (!forbidden) return;
  int moves = 0;
  for (int i = 0; i < scan->dice; i++) {
    moves += chase_popcount6(scan->die[i].mask & CHASE_RAY_LANES);
    scan->die[i].moves = (uint8_t)moves;
  }
  scan->moves = moves;
}

/* 81 cells as 64 + 17 bits, consumed as one stream: a loop for each of the three
 * words would mispredict its end. */
typedef struct chase_cells {
  uint64_t low;
  uint64_t high;
  int base;
} chase_cells;

static inline chase_cells chase_cells_of(const uint32_t word[CHASE_WORDS]) {
  return (chase_cells){word[0] | (uint64_t)word[1] << 27 | (uint64_t)word[2] << 54, word[2] >> 10,
                       0};
}

/* The next cell in reading order; only as often as there are cells. */
static inline int chase_next_cell(chase_cells *cells) {
  const bool more = cells->low != 0;
  const uint64_t bits = more ? cells->low : cells->high;
  cells->base = more ? cells->base : 64;
  cells->low = bits & (bits - 1);
  return cells->base + __builtin_ctzll(bits);
}

static inline bool chase_own_on_fatal(const chase_variant *variant, const uint32_t *own) {
  const uint32_t *const fatal = variant->rays.fatal;
  return ((own[0] & fatal[0]) | (own[1] & fatal[1]) | (own[2] & fatal[2])) != 0;
}

/* Moves (R6) and exchanges (R10) of the side to act, which shows its total and
 * is not in a series. Fills `scan`; without one, returns the number of both as
 * if R7 and R8 forbade nothing. */
static inline int chase_scan_rays(const chase_variant *variant, const chase_position *position,
                                  chase_scan *scan) {
  const int side = position->side;
  const uint8_t *const value = position->value[side];
  uint32_t occupied[CHASE_WORDS];
  chase_all_occupied(position, occupied);
  const chase_words words = chase_words_spread(occupied);
  chase_cells cells = chase_cells_of(position->occupied[side]);
  uint32_t moves = 0;
  int exchanges = 0;
  const int dice = position->dice[side];
  for (int i = 0; i < dice; i++) {
    const int cell = chase_next_cell(&cells);
    const int v = value[cell];
    const chase_die_table *const die = &variant->rays.die[cell][v];
    const unsigned lanes = chase_free_lanes(&die->clear, &words);
    const uint8_t *const pairs = variant->exchanges[v];
    moves += variant->lane_moves[lanes];
    if (!scan) {
      exchanges += pairs[value[die->forward[0]] | value[die->forward[1]] << 3 |
                         value[die->forward[2]] << 6];
    } else {
      exchanges += pairs[value[die->partner[0]] | value[die->partner[1]] << 3];
      exchanges += pairs[value[die->partner[2]] | value[die->partner[3]] << 3];
      scan->die[i] =
          (chase_scanned){(uint8_t)cell, (uint8_t)lanes, (uint8_t)moves, (uint8_t)exchanges};
    }
  }
  if (scan) {
    scan->dice = dice;
    scan->moves = (int)(moves % CHASE_SURE);
    scan->exchanges = exchanges;
    scan->flagged = moves / CHASE_SURE != moves % CHASE_SURE;
  }
  return (int)(moves % CHASE_SURE) + exchanges;
}

static inline void chase_scan_board(const chase_variant *variant, const chase_position *position,
                                    chase_scan *scan) {
  chase_scan_rays(variant, position, scan);
  if (scan->flagged && chase_own_on_fatal(variant, position->occupied[position->side]))
    chase_forbid(variant, position, scan);
}

static __attribute__((noinline)) int chase_count_careful(const chase_variant *variant,
                                                         const chase_position *position) {
  chase_scan scan;
  chase_scan_rays(variant, position, &scan);
  chase_forbid(variant, position, &scan);
  return scan.moves + scan.exchanges;
}

static inline int chase_count_board(const chase_variant *variant, const chase_position *position) {
  if (__builtin_expect(chase_own_on_fatal(variant, position->occupied[position->side]), 0))
    return chase_count_careful(variant, position);
  return chase_scan_rays(variant, position, NULL);
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
      chase_free_lanes(&variant->rays.die[cell][value].clear, &words) & CHASE_RAY_LANES;
  unsigned captures = 0;
  for (; mask; mask &= mask - 1) {
    const int d = __builtin_ctz(mask);
    const int target = variant->rays.die[cell][value].ray[d].target;
    captures |= (unsigned)(position->value[side ^ 1][target] != 0) << d;
  }
  return captures;
}

/* R9: the cells that may be raised now; the side to act lacks pips and has not
 * lost. Returns their number. */
static inline int chase_raisable_cells(const chase_variant *variant,
                                       const chase_position *position,
                                       uint8_t out[CHASE_MAX_DICE]) {
  const int side = position->side;
  const uint8_t *const value = position->value[side];
  const bool lowest_only = variant->rules.handout == CHASE_HANDOUT_LOWEST;
  int highest = CHASE_MAX_VALUE - 1;
  chase_cells cells = chase_cells_of(position->occupied[side]);
  int n = 0;
  for (int i = 0; i < position->dice[side]; i++) {
    const int cell = chase_next_cell(&cells);
    if (value[cell] > highest) continue;
    if (lowest_only && value[cell] < highest) {
      highest = value[cell];
      n = 0;
    }
    out[n++] = (uint8_t)cell;
  }
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
  return chase_count_board(variant, position);
}

/* The exchanges of the die on `cell` with partners that come after it; returns
 * their number. */
static inline int chase_list_exchanges(const chase_variant *variant,
                                       const chase_position *position, int cell,
                                       chase_decision *out) {
  const uint8_t *const value = position->value[position->side];
  const int a = value[cell];
  int n = 0;
  for (int i = 0; i < CHASE_PARTNERS; i++) {
    const int b = value[variant->rays.die[cell][a].partner[i]];
    if (!b) continue;
    const int sum = a + b;
    const int low = chase_exchange_low(sum);
    for (int v = low; v <= sum - low; v++)
      if (v != a)
        out[n++] = chase_decision_make(CHASE_EXCHANGE, cell,
                                       variant->rays.partner_direction[cell][i], v, sum - v);
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
    for (unsigned mask = scan.die[i].mask & CHASE_RAY_LANES; mask; mask &= mask - 1)
      out[n++] = chase_decision_make(CHASE_MOVE, scan.die[i].cell, __builtin_ctz(mask), 0, 0);
  if (scan.exchanges)
    for (int i = 0; i < scan.dice; i++)
      n += chase_list_exchanges(variant, position, scan.die[i].cell, out + n);
  assert(n == scan.moves + scan.exchanges && n <= CHASE_MAX_VALUE * variant->total);
  return n;
}

/* The decision at `index` of the list that `scan` stands for. Sums of compares
 * instead of searches: the index is random, so that a branch would be too. */
static inline chase_decision chase_pick(const chase_variant *variant,
                                        const chase_position *position, const chase_scan *scan,
                                        int index) {
  int i = 0;
  if (index < scan->moves) {
    for (int k = 0; k < scan->dice; k++) i += scan->die[k].moves <= index;
    const unsigned mask = scan->die[i].mask & CHASE_RAY_LANES;
    const int before = scan->die[i].moves - chase_popcount6(mask);
    return chase_decision_make(CHASE_MOVE, scan->die[i].cell, chase_select6(mask, index - before), 0,
                               0);
  }
  index -= scan->moves;
  for (int k = 0; k < scan->dice; k++) i += scan->die[k].exchanges <= index;
  if (i > 0) index -= scan->die[i - 1].exchanges;
  const int cell = scan->die[i].cell;
  const uint8_t *const value = position->value[position->side];
  const int a = value[cell];
  const uint8_t *const partner = variant->rays.die[cell][a].partner;
  int until = 0;
  int before = 0;
  int p = 0;
  for (int k = 0; k < CHASE_PARTNERS; k++) {
    until += variant->exchanges[a][value[partner[k]]];
    p += until <= index;
    before = until <= index ? until : before;
  }
  const int sum = a + value[partner[p]];
  const int v = chase_exchange_low(sum) + index - before;
  const int skipped = v + (v >= a);
  return chase_decision_make(CHASE_EXCHANGE, cell, variant->rays.partner_direction[cell][p],
                             skipped, sum - skipped);
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
