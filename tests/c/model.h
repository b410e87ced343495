/* A slow, literal model of the rules, written from the rule texts R1 to R13 and
 * sharing nothing with the engine but the names of its data. The test programs
 * hold the engine against it. It works on chase_setup, plain data. */
#ifndef MODEL_H
#define MODEL_H

#include "chase.h"

#include <string.h>

/* ---- One step (R2, R3), in coordinates where a cell is two wide ------- */

typedef struct model_hop {
  int to;
  int direction; /* the one taken, after a bounce */
  int wraps;
  int ricochets;
} model_hop;

static const int MODEL_DX[6] = {2, 1, -1, -2, -1, 1};
static const int MODEL_DY[6] = {0, -1, -1, 0, 1, 1}; /* row 0 is i */
static const int MODEL_FLIP[6] = {CHASE_E, CHASE_SE, CHASE_SW, CHASE_W, CHASE_NW, CHASE_NE};

/* False, and `to` no cell, where wrap=no or ricochet=no makes the step impossible. */
static inline bool model_hop_from(const chase_rules *rules, int cell, int direction,
                                  model_hop *out) {
  int row = cell / 9, x = 2 * (cell % 9) + (row % 2 == 0 ? 1 : 0);
  out->to = CHASE_NO_CELL;
  out->direction = direction;
  out->wraps = out->ricochets = 0;
  if (row + MODEL_DY[direction] < 0 || row + MODEL_DY[direction] > 8) {
    if (!rules->ricochet) return false;
    direction = MODEL_FLIP[direction];
    out->ricochets = 1;
  }
  row += MODEL_DY[direction];
  x += MODEL_DX[direction];
  if (x < 0 || x > 17) {
    if (!rules->wrap) return false;
    x = (x + 18) % 18;
    out->wraps = 1;
  }
  out->to = 9 * row + x / 2;
  out->direction = direction;
  return true;
}

/* R6: no die sets out over its own end row. */
static inline bool model_may_set_out(int cell, int direction) {
  int row = cell / 9 + MODEL_DY[direction];
  return row >= 0 && row <= 8;
}

/* ---- Counting -------------------------------------------------------- */

static inline int model_owner(int value) {
  return value == 0 ? -1 : value > 0 ? CHASE_RED : CHASE_BLUE;
}

static inline int model_dice(const chase_setup *s, int side) {
  int dice = 0;
  for (int c = 0; c < CHASE_CELLS; c++) dice += model_owner(s->board[c]) == side;
  return dice;
}

static inline int model_pips(const chase_setup *s, int side) {
  int pips = 0;
  for (int c = 0; c < CHASE_CELLS; c++)
    if (model_owner(s->board[c]) == side) pips += s->board[c] > 0 ? s->board[c] : -s->board[c];
  return pips;
}

static inline int model_total(const chase_rules *rules) {
  int total = 0;
  for (int i = 0; i < 9; i++) total += rules->setup[i];
  return total;
}

static inline bool model_lost_by_dice(const chase_rules *rules, const chase_setup *s, int side) {
  return 6 * model_dice(s, side) < model_total(rules);
}

/* ---- A move, step by step (R6, R7, R8) -------------------------------- */

typedef struct model_move {
  chase_setup after; /* board and spare dice; side and capturing die as before */
  chase_trace_step steps[CHASE_MAX_TRACE];
  int count;
  int target;  /* where the ray ends */
  bool direct; /* the ray ended on an enemy die */
  chase_events events;
} model_move;

static inline void model_add(model_move *m, int kind, int from, const model_hop *hop, int value) {
  chase_trace_step *step = &m->steps[m->count++];
  memset(step, 0, sizeof *step);
  step->kind = (uint8_t)kind;
  step->from = (uint8_t)from;
  step->to = (uint8_t)hop->to;
  step->direction = (uint8_t)hop->direction;
  step->value = (uint8_t)value;
  step->wraps = (uint8_t)hop->wraps;
  step->ricochets = (uint8_t)hop->ricochets;
  m->events.wraps = (uint8_t)(m->events.wraps + hop->wraps);
  m->events.ricochets = (uint8_t)(m->events.ricochets + hop->ricochets);
}

/* A die has been added to the trace as landing on `cell`; puts it there and
 * carries out the chain. False if the whole move is illegal. */
static inline bool model_land(const chase_rules *rules, model_move *m, int cell, int direction,
                              int value) {
  int side = m->after.side, chain = 0;
  for (;;) {
    int there = m->after.board[cell];
    int height = there > 0 ? there : -there;
    if (cell == CHASE_CHAMBER) return false;
    m->after.board[cell] = (int8_t)(side == CHASE_RED ? value : -value);
    if (there == 0) break;
    if (model_owner(there) != side) {
      m->steps[m->count - 1].captured = (uint8_t)height;
      m->events.captures++;
      if (rules->recycle) m->after.spare[1 - side]++;
      break;
    }
    model_hop hop;
    if (!model_hop_from(rules, cell, direction, &hop)) return false;
    model_add(m, CHASE_TRACE_PUSH, cell, &hop, height);
    cell = hop.to;
    direction = hop.direction;
    value = height;
    chain++;
  }
  m->events.bumps = (uint8_t)(m->events.bumps + chain);
  if (chain > m->events.longest_chain) m->events.longest_chain = (uint8_t)chain;
  return true;
}

/* The table of R8, by direction of arrival: left exit and right exit. */
static const struct { int cell, direction; } MODEL_EXITS[6][2] = {
    {{31, CHASE_NW}, {49, CHASE_SW}}, /* E:  f5, d5 */
    {{39, CHASE_W}, {50, CHASE_SE}},  /* NE: e4, d6 */
    {{49, CHASE_SW}, {41, CHASE_E}},  /* NW: d5, e6 */
    {{50, CHASE_SE}, {32, CHASE_NE}}, /* W:  d6, f6 */
    {{41, CHASE_E}, {31, CHASE_NW}},  /* SW: e6, f5 */
    {{32, CHASE_NE}, {39, CHASE_W}},  /* SE: f6, e4 */
};

/* Carries out the move of the die on `cell` of the side to act; false if it is
 * illegal (`m` is then of no use). Does not ask whether moves are due now. */
static inline bool model_carry_out(const chase_rules *rules, const chase_setup *s, int cell,
                                   int direction, model_move *m) {
  int value = s->board[cell] > 0 ? s->board[cell] : -s->board[cell];
  model_hop hop = {cell, direction, 0, 0};
  memset(m, 0, sizeof *m);
  m->after = *s;
  if (model_owner(s->board[cell]) != s->side || !model_may_set_out(cell, direction)) return false;
  m->after.board[cell] = 0;
  for (int i = 1; i <= value; i++) {
    int from = hop.to;
    if (!model_hop_from(rules, from, hop.direction, &hop)) return false;
    model_add(m, CHASE_TRACE_RAY, from, &hop, value);
    if (i < value && (hop.to == CHASE_CHAMBER || m->after.board[hop.to] != 0)) return false;
  }
  m->target = hop.to;
  if (hop.to != CHASE_CHAMBER) {
    m->direct = model_owner(s->board[hop.to]) == 1 - s->side;
    return model_land(rules, m, hop.to, hop.direction, value);
  }
  bool split = value >= 2 && s->spare[s->side] > 0;
  int arrival = hop.direction;
  m->events.entered = 1;
  m->events.split = split;
  m->events.refused = value >= 2 && !split;
  for (int exit = 0; exit < (split ? 2 : 1); exit++) {
    int part = !split ? value : exit == 0 ? (value + 1) / 2 : value / 2;
    model_hop out = {MODEL_EXITS[arrival][exit].cell, MODEL_EXITS[arrival][exit].direction, 0, 0};
    model_add(m, exit == 0 ? CHASE_TRACE_LEFT : CHASE_TRACE_RIGHT, CHASE_CHAMBER, &out, part);
    if (!model_land(rules, m, out.to, out.direction, part)) return false;
  }
  if (split) m->after.spare[s->side]--;
  return true;
}

static inline bool model_captures_directly(const chase_rules *rules, const chase_setup *s,
                                           int cell, int direction) {
  model_move m;
  return model_carry_out(rules, s, cell, direction, &m) && m.direct;
}

static inline bool model_can_go_on(const chase_rules *rules, const chase_setup *s, int cell) {
  for (int d = 0; d < 6; d++)
    if (model_captures_directly(rules, s, cell, d)) return true;
  return false;
}

/* ---- Decisions ------------------------------------------------------- */

/* All legal decisions in canonical order; their number. */
static inline int model_list(const chase_rules *rules, const chase_setup *s,
                             chase_decision out[CHASE_MAX_DECISIONS]) {
  int count = 0, lowest = 7;
  if (model_lost_by_dice(rules, s, s->side)) return 0;
  if (s->capturing != CHASE_NO_CELL) { /* R12 chain */
    for (int d = 0; d < 6; d++)
      if (model_captures_directly(rules, s, s->capturing, d))
        out[count++] = chase_decision_make(CHASE_MOVE, s->capturing, d, 0, 0);
    out[count++] = chase_decision_make(CHASE_STOP, 0, 0, 0, 0);
    return count;
  }
  int value[CHASE_CELLS];
  for (int c = 0; c < CHASE_CELLS; c++) {
    value[c] = model_owner(s->board[c]) != s->side ? 0
               : s->board[c] > 0                   ? s->board[c]
                                                   : -s->board[c];
    if (value[c] > 0 && value[c] < lowest) lowest = value[c];
  }
  if (model_pips(s, s->side) < model_total(rules)) { /* R9, R12 handout */
    for (int c = 0; c < CHASE_CELLS; c++)
      if (value[c] > 0 && value[c] < 6 &&
          (rules->handout == CHASE_HANDOUT_ANY || value[c] == lowest))
        out[count++] = chase_decision_make(CHASE_DISTRIBUTION, c, 0, 0, 0);
    return count;
  }
  model_move m;
  for (int c = 0; c < CHASE_CELLS; c++)
    for (int d = 0; d < 6 && value[c] > 0; d++)
      if (model_carry_out(rules, s, c, d, &m))
        out[count++] = chase_decision_make(CHASE_MOVE, c, d, 0, 0);
  for (int a = 0; a < CHASE_CELLS; a++) /* R10 */
    for (int b = a + 1; b < CHASE_CELLS && value[a] > 0; b++)
      for (int d = 0; d < 6 && value[b] > 0; d++) {
        model_hop hop;
        if (!model_may_set_out(a, d) || !model_hop_from(rules, a, d, &hop) || hop.to != b)
          continue;
        for (int v = 1; v <= 6; v++) {
          int w = value[a] + value[b] - v;
          if (w >= 1 && w <= 6 && v != value[a])
            out[count++] = chase_decision_make(CHASE_EXCHANGE, a, d, v, w);
        }
      }
  return count;
}

/* Plays a legal decision. */
static inline void model_apply(const chase_rules *rules, chase_setup *s, chase_decision decision) {
  int cell = chase_decision_cell(decision), direction = chase_decision_direction(decision);
  int sign = s->side == CHASE_RED ? 1 : -1;
  model_move m;
  model_hop hop;
  switch (chase_decision_kind(decision)) {
    case CHASE_DISTRIBUTION: {
      int due = model_total(rules) - model_pips(s, s->side), room = 6 - sign * s->board[cell];
      s->board[cell] = (int8_t)(s->board[cell] + sign * (due < room ? due : room));
      return; /* the same side acts again */
    }
    case CHASE_EXCHANGE:
      (void)model_hop_from(rules, cell, direction, &hop);
      s->board[cell] = (int8_t)(sign * chase_decision_value(decision));
      s->board[hop.to] = (int8_t)(sign * chase_decision_other_value(decision));
      break;
    case CHASE_MOVE:
      (void)model_carry_out(rules, s, cell, direction, &m);
      *s = m.after;
      if (m.direct && rules->chain && !model_lost_by_dice(rules, s, 1 - s->side) &&
          model_can_go_on(rules, s, m.target)) {
        s->capturing = m.target;
        return;
      }
      break;
    case CHASE_STOP:
      break;
  }
  s->capturing = CHASE_NO_CELL;
  s->side = 1 - s->side;
}

static inline chase_termination model_outcome(const chase_rules *rules, const chase_setup *s,
                                              int *winner) {
  chase_decision list[CHASE_MAX_DECISIONS];
  *winner = 1 - s->side;
  if (model_lost_by_dice(rules, s, s->side)) return CHASE_BY_DICE;
  if (model_list(rules, s, list) == 0) return CHASE_BY_NO_DECISION;
  *winner = -1;
  return CHASE_NOT_OVER;
}

/* ---- R13 ------------------------------------------------------------- */

static inline bool model_valid(const chase_rules *rules, const chase_setup *s) {
  int total = model_total(rules);
  bool series = s->capturing != CHASE_NO_CELL;
  if (s->side != CHASE_RED && s->side != CHASE_BLUE) return false;
  if (s->board[CHASE_CHAMBER] != 0) return false;
  for (int c = 0; c < CHASE_CELLS; c++)
    if (s->board[c] < -6 || s->board[c] > 6) return false;
  for (int side = 0; side < 2; side++) {
    int pips = model_pips(s, side), dice = model_dice(s, side);
    bool may_lack = (side == s->side) != series;
    if (pips > total || (pips < total && !may_lack)) return false;
    if (s->spare[side] < 0 || s->spare[side] > CHASE_MAX_DICE) return false;
    if (rules->recycle ? dice + s->spare[side] != 9 + rules->reserve
                       : dice + s->spare[side] > 9 + rules->reserve ||
                             s->spare[side] > rules->reserve)
      return false;
  }
  if (!series) return true;
  if (s->capturing < 0 || s->capturing >= CHASE_CELLS || !rules->chain) return false;
  if (model_owner(s->board[s->capturing]) != s->side) return false;
  return model_can_go_on(rules, s, s->capturing) && model_pips(s, 1 - s->side) < total &&
         !model_lost_by_dice(rules, s, 1 - s->side);
}

/* ---- The half turn --------------------------------------------------- */

/* Turning the cylinder by 180 degrees about e5 takes row r to 8 - r. In the
 * coordinates above x goes to -x: columns are reversed in the right-shifted
 * rows, but in the others column 1 stays and 2..9 are reversed. (80 - cell is
 * not a symmetry: it moves the two kinds of rows against each other.) The seam
 * moves, so that this is a symmetry of the rules only while wrap=yes. */
static inline int model_turned_cell(int cell) {
  int row = cell / 9, column = cell % 9;
  return 9 * (8 - row) + (row % 2 == 0 ? 8 - column : (9 - column) % 9);
}

static inline chase_setup model_turned(const chase_setup *s) {
  chase_setup t = *s;
  for (int c = 0; c < CHASE_CELLS; c++) t.board[model_turned_cell(c)] = (int8_t)-s->board[c];
  t.side = 1 - s->side;
  t.capturing = s->capturing == CHASE_NO_CELL ? CHASE_NO_CELL : model_turned_cell(s->capturing);
  t.spare[0] = s->spare[1];
  t.spare[1] = s->spare[0];
  return t;
}

static inline chase_decision model_turned_decision(chase_decision decision) {
  static const chase_rules joined = {.wrap = 1};
  chase_kind kind = chase_decision_kind(decision);
  int cell = chase_decision_cell(decision), direction = chase_decision_direction(decision);
  int value = chase_decision_value(decision), other = chase_decision_other_value(decision);
  int turned = model_turned_cell(cell), back = (direction + 3) % 6;
  model_hop hop;
  if (kind == CHASE_STOP) return decision;
  if (kind == CHASE_DISTRIBUTION) return chase_decision_make(kind, turned, 0, 0, 0);
  if (kind == CHASE_MOVE) return chase_decision_make(kind, turned, back, 0, 0);
  (void)model_hop_from(&joined, cell, direction, &hop);
  int partner = model_turned_cell(hop.to);
  return turned < partner ? chase_decision_make(kind, turned, back, value, other)
                          : chase_decision_make(kind, partner, direction, other, value);
}

#endif
