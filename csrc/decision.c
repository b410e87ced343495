/* The checked and the recorded faces of movegen and apply. */
#include <stdio.h>

#include "apply.h"
#include "rules.h"

int chase_decision_count(const chase_variant *variant, const chase_position *position) {
  return variant->kernels->count(variant, position);
}

int chase_decision_list(const chase_variant *variant, const chase_position *position,
                        chase_decision out[CHASE_MAX_DECISIONS]) {
  return variant->kernels->list(variant, position, out);
}

chase_decision chase_decision_at(const chase_variant *variant, const chase_position *position,
                                 int index) {
  return variant->kernels->at(variant, position, index);
}

void chase_apply_unchecked(const chase_variant *variant, chase_position *position,
                           chase_decision decision) {
  chase_play(variant, position, decision, NULL);
}

void chase_apply_events(const chase_variant *variant, chase_position *position,
                        chase_decision decision, chase_events *out) {
  chase_recorder recorder = {.trace = NULL};
  chase_play(variant, position, decision, &recorder);
  *out = recorder.events;
}

int chase_decision_trace(const chase_variant *variant, const chase_position *position,
                         chase_decision decision, chase_trace_step out[CHASE_MAX_TRACE]) {
  chase_position copy = *position;
  chase_recorder recorder = {.trace = out};
  chase_play(variant, &copy, decision, &recorder);
  assert(recorder.steps <= CHASE_MAX_TRACE);
  return recorder.steps;
}

/* ---- reasons ---- */

typedef struct cell_text {
  char text[3];
} cell_text;

static cell_text name(int cell) {
  return (cell_text){{(char)('i' - cell / CHASE_COLUMNS), (char)('1' + cell % CHASE_COLUMNS), 0}};
}

static const char *direction_name(int direction) {
  static const char *const names[CHASE_DIRECTIONS] = {"E", "NE", "NW", "W", "SW", "SE"};
  return names[direction];
}

static const char *side_name(int side) { return side == CHASE_RED ? "red" : "blue"; }

bool chase_decision_well_formed(chase_decision decision) {
  const int cell = chase_decision_cell(decision);
  const int direction = chase_decision_direction(decision);
  const int value = chase_decision_value(decision);
  const int other = chase_decision_other_value(decision);
  if (decision >> 18 || cell >= CHASE_CELLS || direction >= CHASE_DIRECTIONS) return false;
  switch (chase_decision_kind(decision)) {
    case CHASE_MOVE: return value == 0 && other == 0;
    case CHASE_EXCHANGE: {
      const int second = chase_cell_neighbour(cell, direction);
      return value >= 1 && value <= CHASE_MAX_VALUE && other >= 1 && other <= CHASE_MAX_VALUE &&
             second != CHASE_NO_CELL && second > cell;
    }
    case CHASE_DISTRIBUTION: return direction == 0 && value == 0 && other == 0;
    default: return cell == 0 && direction == 0 && value == 0 && other == 0;
  }
}

#define REFUSE(...) return chase_error_set(error, CHASE_ILLEGAL, -1, __VA_ARGS__)

static chase_status explain_move(const chase_variant *variant, const chase_position *position,
                                 chase_decision decision, chase_error *error) {
  const int side = position->side;
  const int cell = chase_decision_cell(decision);
  const int direction = chase_decision_direction(decision);
  const int value = position->value[side][cell];
  const cell_text at = name(cell);
  if (!value) REFUSE("no die of %s, the side to act, at %s (R6)", side_name(side), at.text);
  if (!chase_topology_may_set_out(cell, direction))
    REFUSE("%s is on an end row: no move sets out %s from there (R6)", at.text,
           direction_name(direction));
  chase_step step = {(uint8_t)cell, (uint8_t)direction, 0, 0};
  for (int i = 1; i <= value; i++) {
    const int from = step.cell;
    step = chase_topology_step(&variant->rules, from, step.direction);
    if (step.cell == CHASE_NO_CELL)
      REFUSE("the step %s from %s leaves the board (R12, wrap or ricochet is no)",
             direction_name(step.direction), name(from).text);
    if (i == value) break;
    if (step.cell == CHASE_CHAMBER)
      REFUSE("a die of value %d from %s would pass through the chamber e5 (R4)", value, at.text);
    if (position->value[0][step.cell] || position->value[1][step.cell])
      REFUSE("the path of value %d %s from %s is blocked at %s (R6)", value,
             direction_name(direction), at.text, name(step.cell).text);
  }
  if (position->capturing != CHASE_NO_CELL)
    REFUSE("in a series only direct captures of the die at %s, or stop (R12 chain)",
           name(position->capturing).text);
  REFUSE("the move %s%s would push a die into the chamber or off the board (R7, R8)", at.text,
         direction_name(direction));
}

static chase_status explain_exchange(const chase_variant *variant, const chase_position *position,
                                     chase_decision decision, chase_error *error) {
  const int side = position->side;
  const int cell = chase_decision_cell(decision);
  const int other = chase_cell_neighbour(cell, chase_decision_direction(decision));
  const int a = position->value[side][cell];
  const int b = position->value[side][other];
  const int sum = chase_decision_value(decision) + chase_decision_other_value(decision);
  if (!a || !b)
    REFUSE("no die of %s, the side to act, at %s (R10)", side_name(side),
           name(a ? other : cell).text);
  if (sum != a + b)
    REFUSE("%s and %s show %d pips together, the exchange gives them %d (R10)", name(cell).text,
           name(other).text, a + b, sum);
  if (chase_decision_value(decision) == a)
    REFUSE("the exchange of %s and %s moves no pip (R10)", name(cell).text, name(other).text);
  if (!variant->rules.wrap)
    REFUSE("%s and %s are neighbours only across the seam (R12, wrap=no)", name(cell).text,
           name(other).text);
  REFUSE("this exchange is not legal (R10)");
}

static chase_status explain(const chase_variant *variant, const chase_position *position,
                            chase_decision decision, chase_error *error) {
  const chase_kind kind = chase_decision_kind(decision);
  const int side = position->side;
  const int cell = chase_decision_cell(decision);
  const chase_phase phase = chase_position_phase(variant, position);
  if (phase == CHASE_PHASE_LOST || variant->kernels->count(variant, position) == 0)
    REFUSE("the game is over: %s has lost (R11)", side_name(side));
  if (phase == CHASE_PHASE_DUE) {
    const int due = chase_position_due(variant, position);
    if (kind != CHASE_DISTRIBUTION)
      REFUSE("%s has to hand out %d pips first (R9)", side_name(side), due);
    if (!position->value[side][cell])
      REFUSE("no die of %s, the side to act, at %s (R9)", side_name(side), name(cell).text);
    if (position->value[side][cell] == CHASE_MAX_VALUE)
      REFUSE("the die at %s shows 6 already (R9)", name(cell).text);
    REFUSE("the die at %s shows %d, but pips go to a die of lowest value (R9)", name(cell).text,
           position->value[side][cell]);
  }
  if (kind == CHASE_DISTRIBUTION) REFUSE("%s has no pips to hand out (R9)", side_name(side));
  if (kind == CHASE_STOP) REFUSE("stop ends a series of captures, and there is none (R12 chain)");
  if (phase == CHASE_PHASE_SERIES &&
      (kind == CHASE_EXCHANGE || cell != position->capturing))
    REFUSE("in a series only direct captures of the die at %s, or stop (R12 chain)",
           name(position->capturing).text);
  return kind == CHASE_MOVE ? explain_move(variant, position, decision, error)
                            : explain_exchange(variant, position, decision, error);
}

/* Legal as far as one die's rays tell, without a list; false says nothing. */
static bool plainly_legal(const chase_variant *variant, const chase_position *position,
                          chase_decision decision) {
  if (chase_position_phase(variant, position) != CHASE_PHASE_TURN) return false;
  const int side = position->side;
  const int cell = chase_decision_cell(decision);
  const int direction = chase_decision_direction(decision);
  const int value = position->value[side][cell];
  if (!value) return false;
  if (chase_decision_kind(decision) == CHASE_MOVE) {
    uint32_t occupied[CHASE_WORDS];
    chase_all_occupied(position, occupied);
    const chase_words words = chase_words_spread(occupied);
    const unsigned lanes = chase_free_lanes(&variant->rays.die[cell][value].clear, &words);
    return (lanes >> direction & 1) &&
           ((lanes & CHASE_FLAG_LANES) ||
            !chase_own_on_fatal(variant, position->occupied[side]));
  }
  if (chase_decision_kind(decision) != CHASE_EXCHANGE || !variant->rules.wrap) return false;
  const int other = position->value[side][variant->rays.step[cell][direction].cell];
  const int sum = chase_decision_value(decision) + chase_decision_other_value(decision);
  return other && sum == value + other && chase_decision_value(decision) != value;
}

chase_status chase_decision_check(const chase_variant *variant, const chase_position *position,
                                  chase_decision decision, chase_error *error) {
  if (!chase_decision_well_formed(decision)) REFUSE("0x%x is no code of a decision", (unsigned)decision);
  if (plainly_legal(variant, position, decision)) return CHASE_OK;
  chase_decision list[CHASE_MAX_DECISIONS];
  const int n = variant->kernels->list(variant, position, list);
  for (int i = 0; i < n; i++)
    if (list[i] == decision) return CHASE_OK;
  return explain(variant, position, decision, error);
}

chase_status chase_apply(const chase_variant *variant, const chase_position *position,
                         chase_decision decision, chase_position *out, chase_error *error) {
  const chase_status status = chase_decision_check(variant, position, decision, error);
  if (status != CHASE_OK) return status;
  *out = *position;
  chase_play(variant, out, decision, NULL);
  return CHASE_OK;
}
