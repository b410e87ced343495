/* incremental_hash, legal_decisions_apply, half_turn_symmetry: the first two
 * bytes choose the rules, the third the instruction set, then each byte a
 * decision. Invariants hold after each decision; now and then every legal
 * decision is held against the model and against the board turned by 180
 * degrees. */
#include "../c/model.h"
#include "fuzz.h"

static void check_list(const chase_variant *variant, const chase_position *position,
                       chase_decision *list, int *count) {
  *count = chase_decision_list(variant, position, list);
  REQUIRE(*count == chase_decision_count(variant, position));
  REQUIRE(*count <= 6 * chase_rules_total(chase_variant_rules(variant)));
}

static void legal_decisions_apply(const chase_variant *variant, const chase_position *position,
                                  const chase_decision *list, int count) {
  const chase_rules *rules = chase_variant_rules(variant);
  chase_decision expected[CHASE_MAX_DECISIONS];
  chase_setup setup;
  chase_position_unmake(position, &setup);
  REQUIRE(model_valid(rules, &setup));
  REQUIRE(model_list(rules, &setup, expected) == count);
  REQUIRE(memcmp(list, expected, (size_t)count * sizeof list[0]) == 0);
  for (int i = 0; i < count; i++) {
    REQUIRE(chase_decision_at(variant, position, i) == list[i]);
    chase_setup after = setup, got;
    chase_position applied;
    chase_error error;
    REQUIRE(chase_apply(variant, position, list[i], &applied, &error) == CHASE_OK);
    REQUIRE(chase_position_consistent(variant, &applied));
    model_apply(rules, &after, list[i]);
    chase_position_unmake(&applied, &got);
    REQUIRE(fuzz_same_setup(&after, &got));
  }
}

static void half_turn_symmetry(const chase_variant *variant, const chase_position *position,
                               const chase_decision *list, int count) {
  chase_setup setup, turned_setup, after, turned_after;
  chase_position turned;
  chase_fault faults[CHASE_MAX_FAULTS];
  int faults_count = 0;
  chase_position_unmake(position, &setup);
  turned_setup = model_turned(&setup);
  REQUIRE(chase_position_make(variant, &turned_setup, &turned, faults, &faults_count) == CHASE_OK);
  REQUIRE(chase_decision_count(variant, &turned) == count);
  for (int i = 0; i < count; i++) {
    chase_position p = *position, q = turned;
    chase_error error;
    chase_decision decision = model_turned_decision(list[i]);
    REQUIRE(chase_decision_check(variant, &turned, decision, &error) == CHASE_OK);
    chase_apply_unchecked(variant, &p, list[i]);
    chase_apply_unchecked(variant, &q, decision);
    chase_position_unmake(&p, &after);
    chase_position_unmake(&q, &turned_after);
    after = model_turned(&after);
    REQUIRE(fuzz_same_setup(&after, &turned_after));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_bytes in = {data, size};
  chase_rules rules = fuzz_rules(&in);
  const chase_variant *variant =
      fuzz_variant(&rules, (chase_isa)(CHASE_ISA_GENERIC + (fuzz_byte(&in) & 1)));
  chase_decision list[CHASE_MAX_DECISIONS];
  chase_position position;
  int count, winner;
  chase_position_start(variant, &position);
  for (int ply = 0; in.size > 0 && ply < 200; ply++) {
    REQUIRE(chase_position_consistent(variant, &position));
    REQUIRE(position.hash == chase_position_rehash(variant, &position));
    check_list(variant, &position, list, &count);
    REQUIRE((count == 0) ==
            (chase_position_outcome(variant, &position, &winner) != CHASE_NOT_OVER));
    int byte = fuzz_byte(&in);
    if (ply % 32 == 31 || in.size < 1 || count == 0) {
      legal_decisions_apply(variant, &position, list, count);
      if (rules.wrap) half_turn_symmetry(variant, &position, list, count);
    }
    if (count == 0) return 0;
    chase_position before = position, checked;
    chase_error error;
    chase_events events;
    chase_decision decision = chase_decision_at(variant, &position, byte % count);
    REQUIRE(decision == list[byte % count]);
    REQUIRE(chase_apply(variant, &before, decision, &checked, &error) == CHASE_OK);
    chase_apply_events(variant, &position, decision, &events);
    REQUIRE(chase_position_equal(&position, &checked) && position.hash == checked.hash);
    decision ^= 1u << byte % 32; /* nothing that is not listed is taken */
    bool listed = false;
    for (int i = 0; i < count; i++) listed |= list[i] == decision;
    REQUIRE(chase_apply(variant, &before, decision, &checked, &error) ==
            (listed ? CHASE_OK : CHASE_ILLEGAL));
  }
  return 0;
}
