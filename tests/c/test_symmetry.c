/* Half-turn symmetry: the board turned by 180 degrees and the colours swapped
 * map decisions to decisions and what they do to what they do. */
#include "model.h"
#include "support.h"

static bool make(const chase_variant *variant, const chase_setup *setup, chase_position *out) {
  chase_fault faults[CHASE_MAX_FAULTS];
  int count = 0;
  return CHECK_INT(chase_position_make(variant, setup, out, faults, &count), CHASE_OK);
}

/* The half turn must be a symmetry of the board itself. */
static void test_turn_of_the_board(void) {
  CHECK_INT(model_turned_cell(CHASE_CHAMBER), CHASE_CHAMBER);
  for (int cell = 0; cell < CHASE_CELLS; cell++) {
    CHECK_INT(model_turned_cell(model_turned_cell(cell)), cell);
    for (int d = 0; d < 6; d++) {
      int neighbour = chase_cell_neighbour(cell, d);
      CHECK_INT(chase_cell_neighbour(model_turned_cell(cell), (d + 3) % 6),
                neighbour == CHASE_NO_CELL ? CHASE_NO_CELL : model_turned_cell(neighbour));
    }
  }
}

static void check_turned(const chase_variant *variant, const chase_position *position) {
  chase_decision list[CHASE_MAX_DECISIONS], turned_list[CHASE_MAX_DECISIONS];
  chase_setup setup, turned_setup;
  chase_position turned;
  chase_error error;
  chase_position_unmake(position, &setup);
  turned_setup = model_turned(&setup);
  look_at(variant, position);
  if (!make(variant, &turned_setup, &turned)) return;
  int count = chase_decision_list(variant, position, list);
  CHECK_INT(chase_decision_list(variant, &turned, turned_list), count);
  int winner, turned_winner;
  CHECK_INT(chase_position_outcome(variant, position, &winner),
            chase_position_outcome(variant, &turned, &turned_winner));
  CHECK_INT(turned_winner, winner < 0 ? -1 : 1 - winner);
  for (int i = 0; i < count; i++) {
    chase_decision turned_decision = model_turned_decision(list[i]);
    chase_position after = *position, turned_after = turned;
    chase_setup after_setup, turned_after_setup;
    chase_events events, turned_events;
    if (!CHECK_INT(chase_decision_check(variant, &turned, turned_decision, &error), CHASE_OK))
      continue;
    chase_apply_events(variant, &after, list[i], &events);
    chase_apply_events(variant, &turned_after, turned_decision, &turned_events);
    chase_position_unmake(&after, &after_setup);
    chase_position_unmake(&turned_after, &turned_after_setup);
    after_setup = model_turned(&after_setup);
    CHECK(same_setup(&after_setup, &turned_after_setup));
    /* the seam is not turned with the board: wraps are counted differently */
    events.wraps = turned_events.wraps = 0;
    CHECK(memcmp(&events, &turned_events, sizeof events) == 0);
  }
}

static void check_perft(const chase_variant *variant, const chase_position *position) {
  chase_setup setup;
  chase_position turned;
  chase_position_unmake(position, &setup);
  setup = model_turned(&setup);
  if (!make(variant, &setup, &turned)) return;
  for (int unit = 0; unit < 2; unit++) {
    uint64_t here = 0, there = 1;
    CHECK_INT(chase_perft(variant, position, 2, (chase_unit)unit, NULL, &here), CHASE_OK);
    CHECK_INT(chase_perft(variant, &turned, 2, (chase_unit)unit, NULL, &there), CHASE_OK);
    CHECK_INT(here, there);
  }
}

int main(void) {
  uint64_t state = 180;
  test_turn_of_the_board();
  for (int r = 0; r < RULES_TEXT_COUNT; r++) {
    chase_variant *variant = variant_of(RULES_TEXTS[r], CHASE_ISA_AUTO);
    if (chase_variant_rules(variant)->wrap) {
      for (int round = 0; round < 20; round++) {
        chase_position position;
        chase_setup setup;
        random_setup(&state, chase_variant_rules(variant), &setup);
        if (round % 4 == 0) {
          chase_position_start(variant, &position);
        } else if (!make(variant, &setup, &position)) {
          continue;
        }
        for (int ply = 0; ply < 30; ply++) {
          check_turned(variant, &position);
          if (ply % 10 == 9) check_perft(variant, &position);
          int count = chase_decision_count(variant, &position);
          if (count == 0) break;
          chase_apply_unchecked(
              variant, &position,
              chase_decision_at(variant, &position, random_below(&state, count)));
        }
      }
      look_at(NULL, NULL);
    }
    chase_variant_free(variant);
  }
  return check_finish();
}
