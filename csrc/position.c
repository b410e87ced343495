#include "position.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

static void fill(const chase_variant *variant, const chase_setup *setup, chase_position *out) {
  memset(out, 0, sizeof *out);
  for (int cell = 0; cell < CHASE_CELLS; cell++) {
    const int value = setup->board[cell];
    if (value == 0) continue;
    const int side = value > 0 ? CHASE_RED : CHASE_BLUE;
    const int pips = abs(value);
    out->value[side][cell] = (uint8_t)pips;
    out->occupied[side][cell / CHASE_WORD_CELLS] |= chase_cell_bit(cell);
    out->dice[side]++;
    out->pips[side] = (uint8_t)(out->pips[side] + pips);
  }
  out->side = (uint8_t)setup->side;
  out->capturing = (uint8_t)setup->capturing;
  for (int side = 0; side < 2; side++) out->spare[side] = (uint8_t)setup->spare[side];
  out->hash = chase_position_rehash(variant, out);
}

void chase_position_start(const chase_variant *variant, chase_position *out) {
  chase_setup setup = {.side = CHASE_RED, .capturing = CHASE_NO_CELL};
  for (int i = 0; i < CHASE_HOME_DICE; i++) {
    /* Each setup reads from its own left: a1 for red, i9 for blue (R5). */
    setup.board[CHASE_CELLS - CHASE_COLUMNS + i] = (int8_t)variant->rules.setup[i];
    setup.board[CHASE_COLUMNS - 1 - i] = (int8_t)-variant->rules.setup[i];
  }
  for (int side = 0; side < 2; side++) setup.spare[side] = variant->rules.reserve;
  fill(variant, &setup, out);
}

/* ---- R13 ---- */

typedef struct fault_list {
  chase_fault *fault;
  int count;
} fault_list;

static void add_fault(fault_list *list, chase_fault_kind kind, int cell, int side, int got,
                      int expected) {
  /* At most two a cell (value, chamber), four a side, six more. */
  if (list->count < CHASE_MAX_FAULTS)
    list->fault[list->count++] = (chase_fault){kind, cell, side, got, expected};
}

/* The slow twin of chase_capture_mask, on data that is not proved yet. */
static bool can_capture(const chase_variant *variant, const chase_setup *setup, int cell) {
  const int value = setup->board[cell];
  for (int direction = 0; direction < CHASE_DIRECTIONS; direction++) {
    if (!chase_topology_may_set_out(cell, direction)) continue;
    chase_step step = {(uint8_t)cell, (uint8_t)direction, 0, 0};
    for (int i = 1; i <= abs(value); i++) {
      step = chase_topology_step(&variant->rules, step.cell, step.direction);
      if (step.cell == CHASE_NO_CELL || step.cell == CHASE_CHAMBER) break;
      const int there = setup->board[step.cell];
      if (i < abs(value) ? there != 0 : (there != 0 && (there > 0) != (value > 0))) {
        if (i == abs(value)) return true;
        break;
      }
    }
  }
  return false;
}

static void check_spare(const chase_variant *variant, const chase_setup *setup, const int dice[2],
                        fault_list *faults) {
  const chase_rules *const rules = &variant->rules;
  const int full = CHASE_HOME_DICE + rules->reserve;
  for (int side = 0; side < 2; side++) {
    const int spare = setup->spare[side];
    if (spare < 0) {
      add_fault(faults, CHASE_FAULT_SPARE_NEGATIVE, CHASE_NO_CELL, side, spare, 0);
      continue;
    }
    /* Without overflow for any spare: compare the difference. */
    if (rules->recycle) {
      if (spare != full - dice[side])
        add_fault(faults, CHASE_FAULT_DICE, CHASE_NO_CELL, side,
                  spare > INT32_MAX - dice[side] ? INT32_MAX : spare + dice[side], full);
      continue;
    }
    if (spare > rules->reserve)
      add_fault(faults, CHASE_FAULT_SPARE_MORE, CHASE_NO_CELL, side, spare, rules->reserve);
    if (spare > full - dice[side])
      add_fault(faults, CHASE_FAULT_DICE_MORE, CHASE_NO_CELL, side,
                spare > INT32_MAX - dice[side] ? INT32_MAX : spare + dice[side], full);
  }
}

static void check_capturing(const chase_variant *variant, const chase_setup *setup,
                            const int dice[2], const int pips[2], fault_list *faults) {
  const int cell = setup->capturing;
  const int side = setup->side;
  const bool on_board = cell >= 0 && cell < CHASE_CELLS;
  if (!on_board)
    add_fault(faults, CHASE_FAULT_CAPTURING_CELL, CHASE_NO_CELL, -1, cell, -1);
  else if (!variant->rules.chain)
    add_fault(faults, CHASE_FAULT_CAPTURING_RULES, cell, -1, -1, -1);
  if (!on_board || (side != CHASE_RED && side != CHASE_BLUE)) return;
  const int other = side ^ 1;
  const int value = setup->board[cell];
  if (value == 0 || (value > 0) != (side == CHASE_RED))
    add_fault(faults, CHASE_FAULT_CAPTURING_DIE, cell, side, value, -1);
  else if (abs(value) <= CHASE_MAX_VALUE && !can_capture(variant, setup, cell))
    add_fault(faults, CHASE_FAULT_CAPTURING_IDLE, cell, side, value, -1);
  if (pips[side] < variant->total)
    add_fault(faults, CHASE_FAULT_PIPS_LESS, CHASE_NO_CELL, side, pips[side], variant->total);
  if (pips[other] == variant->total)
    add_fault(faults, CHASE_FAULT_CAPTURING_LACK, CHASE_NO_CELL, other, pips[other],
              variant->total);
  if (CHASE_MAX_VALUE * dice[other] < variant->total)
    add_fault(faults, CHASE_FAULT_CAPTURING_LOST, CHASE_NO_CELL, other, dice[other],
              (variant->total + CHASE_MAX_VALUE - 1) / CHASE_MAX_VALUE);
}

static void find_faults(const chase_variant *variant, const chase_setup *setup,
                        fault_list *faults) {
  int dice[2] = {0, 0};
  int pips[2] = {0, 0};
  for (int cell = 0; cell < CHASE_CELLS; cell++) {
    const int value = setup->board[cell];
    if (value == 0) continue;
    const int side = value > 0 ? CHASE_RED : CHASE_BLUE;
    if (abs(value) > CHASE_MAX_VALUE)
      add_fault(faults, CHASE_FAULT_VALUE, cell, side, abs(value), CHASE_MAX_VALUE);
    if (cell == CHASE_CHAMBER)
      add_fault(faults, CHASE_FAULT_CHAMBER, cell, side, abs(value), 0);
    dice[side]++;
    pips[side] += abs(value);
  }
  for (int side = 0; side < 2; side++)
    if (pips[side] > variant->total)
      add_fault(faults, CHASE_FAULT_PIPS_MORE, CHASE_NO_CELL, side, pips[side], variant->total);
  check_spare(variant, setup, dice, faults);
  const bool side_known = setup->side == CHASE_RED || setup->side == CHASE_BLUE;
  if (!side_known) add_fault(faults, CHASE_FAULT_SIDE, CHASE_NO_CELL, -1, setup->side, -1);
  if (setup->capturing != CHASE_NO_CELL) {
    check_capturing(variant, setup, dice, pips, faults);
  } else if (side_known) {
    const int waiting = setup->side ^ 1;
    if (pips[waiting] < variant->total)
      add_fault(faults, CHASE_FAULT_PIPS_LESS, CHASE_NO_CELL, waiting, pips[waiting],
                variant->total);
  }
}

chase_status chase_position_make(const chase_variant *variant, const chase_setup *setup,
                                 chase_position *out, chase_fault faults[CHASE_MAX_FAULTS],
                                 int *count) {
  fault_list list = {faults, 0};
  find_faults(variant, setup, &list);
  *count = list.count;
  if (list.count > 0) return CHASE_INVALID_POSITION;
  fill(variant, setup, out);
  return CHASE_OK;
}

void chase_fault_format(const chase_fault *fault, char out[CHASE_MESSAGE_SIZE]) {
  static const char *const sides[2] = {"red", "blue"};
  const char *const side = fault->side == CHASE_RED || fault->side == CHASE_BLUE
                               ? sides[fault->side]
                               : "no side";
  char cell[3] = "--";
  if (fault->cell >= 0 && fault->cell < CHASE_CELLS) {
    cell[0] = (char)('i' - fault->cell / CHASE_COLUMNS);
    cell[1] = (char)('1' + fault->cell % CHASE_COLUMNS);
  }
  const int got = fault->got;
  const int expected = fault->expected;
  switch (fault->kind) {
#define SAY(...) \
  snprintf(out, CHASE_MESSAGE_SIZE, __VA_ARGS__); \
  break
    case CHASE_FAULT_SIDE: SAY("side to act is %d, expected 0 (red) or 1 (blue)", got);
    case CHASE_FAULT_VALUE: SAY("die at %s has value %d, expected 1 to 6", cell, got);
    case CHASE_FAULT_CHAMBER: SAY("die of value %d at e5: no die rests on the chamber (R4)", got);
    case CHASE_FAULT_PIPS_MORE:
      SAY("%s shows %d pips, expected at most its total of %d", side, got, expected);
    case CHASE_FAULT_PIPS_LESS: SAY("%s shows %d pips, expected its total of %d", side, got, expected);
    case CHASE_FAULT_SPARE_NEGATIVE: SAY("%s has %d spare dice, expected 0 or more", side, got);
    case CHASE_FAULT_DICE:
      SAY("%s has %d dice on the board and spare, expected exactly %d", side, got, expected);
    case CHASE_FAULT_DICE_MORE:
      SAY("%s has %d dice on the board and spare, expected at most %d", side, got, expected);
    case CHASE_FAULT_SPARE_MORE:
      SAY("%s has %d spare dice, expected at most the reserve of %d (recycle=no)", side, got,
          expected);
    case CHASE_FAULT_CAPTURING_CELL:
      SAY("capturing die on cell number %d, expected 0 to 80 or none", got);
    case CHASE_FAULT_CAPTURING_RULES:
      SAY("capturing die at %s, but the rules have no series of captures (chain=no)", cell);
    case CHASE_FAULT_CAPTURING_DIE:
      SAY("capturing die at %s, but there is no die of %s, the side to act", cell, side);
    case CHASE_FAULT_CAPTURING_IDLE:
      SAY("capturing die at %s cannot capture directly from there (R12 chain)", cell);
    case CHASE_FAULT_CAPTURING_LACK:
      SAY("%s lacks no pips, but the other side is in a series of captures", side);
    case CHASE_FAULT_CAPTURING_LOST:
      SAY("%s has %d dice and has lost (fewer than %d): no series continues after that (R11)",
          side, got, expected);
    default: SAY("unknown fault %d", (int)fault->kind);
#undef SAY
  }
}

/* ---- reading ---- */

void chase_position_unmake(const chase_position *position, chase_setup *out) {
  for (int cell = 0; cell < CHASE_CELLS; cell++)
    out->board[cell] = (int8_t)(position->value[CHASE_RED][cell] - position->value[CHASE_BLUE][cell]);
  out->side = position->side;
  out->capturing = position->capturing;
  for (int side = 0; side < 2; side++) out->spare[side] = position->spare[side];
}

bool chase_position_equal(const chase_position *a, const chase_position *b) {
  return a->side == b->side && a->capturing == b->capturing &&
         memcmp(a->spare, b->spare, sizeof a->spare) == 0 &&
         memcmp(a->value, b->value, sizeof a->value) == 0;
}

uint64_t chase_position_rehash(const chase_variant *variant, const chase_position *position) {
  const chase_keys *const keys = &variant->keys;
  uint64_t hash = keys->rules ^ keys->capturing[position->capturing];
  if (position->side == CHASE_BLUE) hash ^= keys->blue_to_act;
  for (int side = 0; side < 2; side++) {
    hash ^= keys->spare[side][position->spare[side]];
    for (int cell = 0; cell < CHASE_CELLS; cell++)
      hash ^= keys->die[side][position->value[side][cell]][cell];
  }
  return hash;
}

bool chase_position_consistent(const chase_variant *variant, const chase_position *position) {
  if (position->side > 1 || position->capturing > CHASE_NO_CELL) return false;
  for (int side = 0; side < 2; side++) {
    int dice = 0;
    int pips = 0;
    uint32_t words[CHASE_WORDS] = {0, 0, 0};
    for (int cell = 0; cell < CHASE_CELLS; cell++) {
      const int value = position->value[side][cell];
      if (value == 0) continue;
      if (value > CHASE_MAX_VALUE || position->value[side ^ 1][cell] != 0) return false;
      dice++;
      pips += value;
      words[cell / CHASE_WORD_CELLS] |= chase_cell_bit(cell);
    }
    for (size_t slot = CHASE_CELLS; slot < sizeof position->value[side]; slot++)
      if (position->value[side][slot] != 0) return false;
    if (memcmp(words, position->occupied[side], sizeof words) != 0) return false;
    if (dice != position->dice[side] || dice > CHASE_MAX_DICE || pips != position->pips[side])
      return false;
    if (position->spare[side] > CHASE_MAX_DICE) return false;
  }
  chase_setup setup;
  chase_position_unmake(position, &setup);
  chase_fault faults[CHASE_MAX_FAULTS];
  fault_list list = {faults, 0};
  find_faults(variant, &setup, &list);
  return list.count == 0 && position->hash == chase_position_rehash(variant, position);
}

int chase_position_due(const chase_variant *variant, const chase_position *position) {
  return variant->total - position->pips[position->side];
}
