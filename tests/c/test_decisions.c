/* Decisions on random walks and random positions under many rules: the engine
 * against the model, and its own functions against each other. */
#include "model.h"
#include "support.h"

static long seen_series, seen_distributions, seen_double, seen_splits, seen_refused, seen_over;
static long seen_bumps, seen_longest, seen_most;

static void compare_traces(const chase_variant *variant, const chase_position *position,
                           const chase_setup *setup, chase_decision decision) {
  chase_trace_step steps[CHASE_MAX_TRACE];
  chase_position after = *position;
  chase_events events;
  model_move m;
  memset(&events, 0x5a, sizeof events);
  chase_apply_events(variant, &after, decision, &events);
  int count = chase_decision_trace(variant, position, decision, steps);
  if (chase_decision_kind(decision) == CHASE_MOVE) {
    CHECK(model_carry_out(chase_variant_rules(variant), setup, chase_decision_cell(decision),
                          chase_decision_direction(decision), &m));
  } else {
    memset(&m, 0, sizeof m);
  }
  if (!CHECK_INT(count, m.count)) return;
  CHECK(memcmp(steps, m.steps, (size_t)count * sizeof steps[0]) == 0);
  CHECK(memcmp(&events, &m.events, sizeof events) == 0);
  seen_double += events.captures == 2;
  seen_splits += events.split;
  seen_refused += events.refused;
  seen_bumps += events.bumps;
  if (events.longest_chain > seen_longest) seen_longest = events.longest_chain;
}

/* One decision of one position, by every function that plays. */
static void check_decision(const chase_variant *variant, const chase_position *position,
                           const chase_setup *setup, chase_decision decision) {
  const chase_position before = *position;
  chase_position checked, unchecked = *position, in_place = *position, with_events = *position;
  chase_setup expected = *setup, got;
  chase_events events;
  chase_error error;
  CHECK(chase_decision_well_formed(decision));
  CHECK_INT(chase_decision_check(variant, position, decision, &error), CHASE_OK);
  CHECK_INT(chase_apply(variant, position, decision, &checked, &error), CHASE_OK);
  CHECK(memcmp(&before, position, sizeof before) == 0);
  CHECK_INT(chase_apply(variant, &in_place, decision, &in_place, &error), CHASE_OK);
  chase_apply_unchecked(variant, &unchecked, decision);
  chase_apply_events(variant, &with_events, decision, &events);
  model_apply(chase_variant_rules(variant), &expected, decision);
  chase_position_unmake(&checked, &got);
  CHECK(same_setup(&got, &expected));
  CHECK(chase_position_consistent(variant, &checked));
  CHECK(checked.hash == chase_position_rehash(variant, &checked));
  CHECK(chase_position_equal(&checked, &unchecked) && checked.hash == unchecked.hash);
  CHECK(chase_position_equal(&checked, &in_place) && checked.hash == in_place.hash);
  CHECK(chase_position_equal(&checked, &with_events) && checked.hash == with_events.hash);
  CHECK(chase_position_consistent(variant, &unchecked));
  CHECK(chase_position_consistent(variant, &with_events));
  CHECK(model_valid(chase_variant_rules(variant), &got));
  compare_traces(variant, position, setup, decision);
}

static bool is_member(const chase_decision *list, int count, chase_decision decision) {
  for (int i = 0; i < count; i++)
    if (list[i] == decision) return true;
  return false;
}

/* chase_decision_check and chase_apply on any code. */
static void check_code(const chase_variant *variant, const chase_position *position,
                       const chase_decision *list, int count, chase_decision code) {
  chase_position out, before;
  chase_error error;
  bool legal = is_member(list, count, code);
  memset(&error, 0x5a, sizeof error);
  if (!CHECK_INT(chase_decision_check(variant, position, code, &error),
                 legal ? CHASE_OK : CHASE_ILLEGAL))
    printf("  code 0x%x\n", code);
  if (legal) return;
  CHECK_INT(error.status, CHASE_ILLEGAL);
  CHECK(memchr(error.message, 0, sizeof error.message) != NULL && error.message[0] != 0);
  memset(&out, 0x5a, sizeof out);
  before = out;
  CHECK_INT(chase_apply(variant, position, code, &out, &error), CHASE_ILLEGAL);
  CHECK(memcmp(&out, &before, sizeof out) == 0);
  out = *position;
  CHECK_INT(chase_apply(variant, &out, code, &out, &error), CHASE_ILLEGAL);
  CHECK(memcmp(&out, position, sizeof out) == 0);
}

/* Everything about one position; `codes` random codes besides. */
static int check_position(const chase_variant *variant, const chase_position *position,
                          uint64_t *state, int codes, chase_decision *list) {
  const chase_rules *rules = chase_variant_rules(variant);
  const chase_position before = *position;
  chase_decision expected[CHASE_MAX_DECISIONS];
  chase_setup setup;
  int winner, model_winner;
  look_at(variant, position);
  chase_position_unmake(position, &setup);
  CHECK(chase_position_consistent(variant, position));
  int count = chase_decision_list(variant, position, list);
  CHECK_INT(chase_decision_count(variant, position), count);
  CHECK(count <= 6 * chase_rules_total(rules));
  if (!CHECK_INT(count, model_list(rules, &setup, expected))) return count;
  CHECK(memcmp(list, expected, (size_t)count * sizeof list[0]) == 0);
  for (int i = 0; i < count; i++) {
    CHECK_INT(chase_decision_at(variant, position, i), list[i]);
    check_decision(variant, position, &setup, list[i]);
  }
  CHECK_INT(chase_position_outcome(variant, position, &winner),
            model_outcome(rules, &setup, &model_winner));
  CHECK_INT(winner, model_winner);
  CHECK_INT(chase_position_due(variant, position),
            model_total(rules) - model_pips(&setup, setup.side));
  for (int i = 0; i < codes; i++) {
    uint32_t code = (uint32_t)random_next(state);
    check_code(variant, position, list, count, code);
    check_code(variant, position, list, count, code & 0x3ffff);
    if (count == 0) continue;
    code = list[random_below(state, count)]; /* a legal one with a bit changed */
    check_code(variant, position, list, count, code ^ 1u << random_below(state, 32));
  }
  CHECK(memcmp(&before, position, sizeof before) == 0);
  seen_series += setup.capturing != CHASE_NO_CELL;
  seen_distributions += count > 0 && chase_decision_kind(list[0]) == CHASE_DISTRIBUTION;
  seen_over += count == 0;
  if (count > seen_most) seen_most = count;
  return count;
}

/* Walks at random, now and then preferring captures, to the end or `length`. */
static void walk(const chase_variant *variant, chase_position position, uint64_t *state,
                 int length) {
  chase_decision list[CHASE_MAX_DECISIONS];
  for (int ply = 0; ply < length; ply++) {
    int count = check_position(variant, &position, state, 10, list);
    if (count == 0) return;
    chase_decision pick = list[random_below(state, count)];
    for (int tries = random_below(state, 12); tries > 0; tries--) {
      chase_position after = position;
      chase_events events;
      chase_decision other = list[random_below(state, count)];
      chase_apply_events(variant, &after, other, &events);
      if (events.captures > 0 || events.entered) pick = other;
    }
    chase_apply_unchecked(variant, &position, pick);
  }
}

static void test_walks(chase_isa isa) {
  uint64_t state = 2026;
  for (int r = 0; r < RULES_TEXT_COUNT; r++) {
    chase_variant *variant = variant_of(RULES_TEXTS[r], isa);
    chase_position position;
    chase_position_start(variant, &position);
    walk(variant, position, &state, 50);
    for (int round = 0; round < 20; round++) {
      chase_setup setup;
      chase_fault faults[CHASE_MAX_FAULTS];
      int count = 0;
      random_setup(&state, chase_variant_rules(variant), &setup);
      if (CHECK_INT(chase_position_make(variant, &setup, &position, faults, &count), CHASE_OK))
        walk(variant, position, &state, 6);
    }
    look_at(NULL, NULL);
    chase_variant_free(variant);
  }
}

/* Every code of 18 bits, on positions of every kind. */
static void test_all_codes(void) {
  static const struct { const char *rules, *cfen; } cases[] = {
      {"standard", "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r"},
      {"standard", "C1b3Ba1/9/9/3A5/1f7/6a2/2dD5/B1e6/1B1e1F1Ea r - 2/2"},
      {"standard", "1bcf5/9/9/4a4/3f1b1B1/3C3e1/9/2A6/1B2F1AFD b - 2/3"},
      {"russian", "bbcdedc2/9/9/9/9/3aA4/9/9/1BCDEDCBA r d5 1/2"},
      {"standard", "ffffa4/9/9/9/9/9/9/9/AAAAA4 r - 5/5"},
      {"wikipedia", "ffffa4/9/9/9/9/9/9/9/ABCDE4 r - 5/5"},
      {"standard", "ffffa4/9/9/9/9/9/9/9/FFFF5 r - 6/5"},
      {"wrap=no,ricochet=no", "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA b"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    chase_decision list[CHASE_MAX_DECISIONS];
    chase_error error;
    chase_variant *variant = variant_of(cases[i].rules, CHASE_ISA_AUTO);
    chase_position position = position_of(variant, cases[i].cfen);
    int count = chase_decision_list(variant, &position, list);
    look_at(variant, &position);
    for (uint32_t code = 0; code < 1u << 18; code++) {
      chase_status status = chase_decision_check(variant, &position, code, &error);
      if ((status == CHASE_OK) != is_member(list, count, code) || code % 64 == 0)
        check_code(variant, &position, list, count, code);
    }
    look_at(NULL, NULL);
    chase_variant_free(variant);
  }
}

int main(void) {
  test_walks(CHASE_ISA_GENERIC);
  /* the walks came past what they are to test */
  CHECK(seen_series > 20);
  CHECK(seen_distributions > 100);
  CHECK(seen_double > 5);
  CHECK(seen_over > 5);
  CHECK(seen_splits > 100);
  CHECK(seen_refused > 50);
  CHECK(seen_bumps > 1000);
  CHECK(seen_longest > 5);
  CHECK(seen_most > 60);
  if (isa_runs_here(CHASE_ISA_V3)) test_walks(CHASE_ISA_V3);
  test_all_codes();
  return check_finish();
}
