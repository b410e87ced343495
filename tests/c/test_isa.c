/* Every instruction set gives the same results as the generic code. Where there
 * is no other one, the automatic choice is compared. */
#include "support.h"

static void compare_positions(const chase_variant *a, const chase_variant *b, uint64_t *state) {
  chase_position p, q;
  chase_setup setup;
  chase_fault faults[CHASE_MAX_FAULTS];
  int unused = 0;
  random_setup(state, chase_variant_rules(a), &setup);
  CHECK_INT(chase_position_make(a, &setup, &p, faults, &unused), CHASE_OK);
  CHECK_INT(chase_position_make(b, &setup, &q, faults, &unused), CHASE_OK);
  look_at(a, &p);
  for (int ply = 0; ply < 60; ply++) {
    chase_decision list[CHASE_MAX_DECISIONS], other[CHASE_MAX_DECISIONS];
    CHECK(p.hash == q.hash && chase_position_equal(&p, &q));
    int count = chase_decision_count(a, &p);
    CHECK_INT(chase_decision_count(b, &q), count);
    CHECK_INT(chase_decision_list(a, &p, list), count);
    CHECK_INT(chase_decision_list(b, &q, other), count);
    CHECK(memcmp(list, other, (size_t)count * sizeof list[0]) == 0);
    for (int i = 0; i < count; i++) {
      CHECK_INT(chase_decision_at(a, &p, i), list[i]);
      CHECK_INT(chase_decision_at(b, &q, i), list[i]);
    }
    if (count == 0) break;
    chase_decision decision = list[random_below(state, count)];
    chase_events events, others;
    chase_apply_events(a, &p, decision, &events);
    chase_apply_events(b, &q, decision, &others);
    CHECK(memcmp(&events, &others, sizeof events) == 0);
  }
  for (int unit = 0; unit < 2; unit++) {
    uint64_t here = 0, there = 1;
    if (unit == CHASE_TURNS && chase_position_due(a, &p) > 3) continue;
    CHECK_INT(chase_perft(a, &p, 2, (chase_unit)unit, NULL, &here), CHASE_OK);
    CHECK_INT(chase_perft(b, &q, 2, (chase_unit)unit, NULL, &there), CHASE_OK);
    CHECK_INT(here, there);
  }
}

static void compare_playouts(const chase_variant *a, const chase_variant *b, uint64_t seed) {
  enum { GAMES = 60 };
  static chase_game_stats here[GAMES], there[GAMES];
  chase_playout_options options = {seed, seed * 7, GAMES, 1000};
  chase_position start;
  uint64_t done = 0;
  chase_position_start(a, &start);
  CHECK_INT(chase_playouts(a, &start, &options, NULL, here, &done), CHASE_OK);
  CHECK_INT(done, GAMES);
  chase_position_start(b, &start);
  CHECK_INT(chase_playouts(b, &start, &options, NULL, there, &done), CHASE_OK);
  CHECK_INT(done, GAMES);
  CHECK(memcmp(here, there, sizeof here) == 0);
}

int main(void) {
  uint64_t state = 64;
  chase_isa other = isa_runs_here(CHASE_ISA_V3) ? CHASE_ISA_V3 : CHASE_ISA_AUTO;
  for (int r = 0; r < RULES_TEXT_COUNT; r++) {
    chase_variant *a = variant_of(RULES_TEXTS[r], CHASE_ISA_GENERIC);
    chase_variant *b = variant_of(RULES_TEXTS[r], other);
    for (int round = 0; round < 6; round++) compare_positions(a, b, &state);
    compare_playouts(a, b, random_next(&state));
    look_at(NULL, NULL);
    chase_variant_free(a);
    chase_variant_free(b);
  }
  return check_finish();
}
