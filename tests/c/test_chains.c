/* Long chains (R7, R8): own dice laid along the line of a landing, up to all
 * that a side can have, so that chains bounce, cross the seam, meet cells twice,
 * turn rows like rings, run into enemies, edges and the chamber. */
#include "model.h"
#include "support.h"

static int seen_longest, seen_illegal, seen_legal, seen_double_chain;

/* Red's die of `value` on `origin` to act, red dice on the `n` cells of `chain`
 * and, if `enemy` is a cell, a blue die there; the rest at random. False if that
 * needs more dice than a side can have. */
static bool lay_out(uint64_t *state, const chase_rules *rules, int origin, int value,
                    const int *chain, int n, int enemy, chase_setup *out) {
  int dice = 1, total = model_total(rules), most = 9 + rules->reserve;
  memset(out, 0, sizeof *out);
  out->side = CHASE_RED;
  out->capturing = CHASE_NO_CELL;
  out->board[origin] = (int8_t)value;
  for (int i = 0; i < n; i++) {
    if (chain[i] == CHASE_CHAMBER || chain[i] == enemy || out->board[chain[i]] != 0) continue;
    out->board[chain[i]] = 1;
    dice++;
  }
  while (dice < 10) {
    int cell = random_below(state, CHASE_CELLS);
    if (cell == CHASE_CHAMBER || cell == enemy || out->board[cell] != 0) continue;
    out->board[cell] = 1;
    dice++;
  }
  if (dice > most) return false;
  for (int pips = value + dice - 1; pips < total;) {
    int cell = random_below(state, CHASE_CELLS);
    if (cell == origin || out->board[cell] < 1 || out->board[cell] > 5) continue;
    out->board[cell]++;
    pips++;
  }
  if (enemy < CHASE_CELLS && enemy != CHASE_CHAMBER && enemy != origin) {
    out->board[enemy] = -6;
    scatter(state, out, CHASE_BLUE, 8, total - 6);
  } else {
    scatter(state, out, CHASE_BLUE, 9, total);
  }
  out->spare[0] = most - dice;
  out->spare[1] = most - 9;
  return true;
}

static void compare(const chase_variant *variant, const chase_setup *setup, int origin, int d) {
  const chase_rules *rules = chase_variant_rules(variant);
  chase_position position, after;
  chase_fault faults[CHASE_MAX_FAULTS];
  chase_error error;
  chase_trace_step steps[CHASE_MAX_TRACE];
  chase_events events;
  chase_setup got;
  chase_decision move = chase_decision_make(CHASE_MOVE, origin, d, 0, 0);
  model_move m;
  int count = 0;
  if (!CHECK_INT(chase_position_make(variant, setup, &position, faults, &count), CHASE_OK)) return;
  look_at(variant, &position);
  bool legal = model_carry_out(rules, setup, origin, d, &m);
  if (!CHECK_INT(chase_decision_check(variant, &position, move, &error),
                 legal ? CHASE_OK : CHASE_ILLEGAL))
    printf("  cell %d direction %d\n", origin, d);
  seen_legal += legal;
  seen_illegal += !legal;
  if (!legal) return;
  after = position;
  chase_apply_events(variant, &after, move, &events);
  CHECK(memcmp(&events, &m.events, sizeof events) == 0);
  CHECK_INT(chase_decision_trace(variant, &position, move, steps), m.count);
  CHECK(memcmp(steps, m.steps, (size_t)m.count * sizeof steps[0]) == 0);
  chase_position_unmake(&after, &got);
  CHECK(memcmp(got.board, m.after.board, sizeof got.board) == 0);
  CHECK(got.spare[0] == m.after.spare[0] && got.spare[1] == m.after.spare[1]);
  CHECK(chase_position_consistent(variant, &after));
  after = position;
  chase_apply_unchecked(variant, &after, move);
  CHECK(after.hash == chase_position_rehash(variant, &after));
  if (events.longest_chain > seen_longest) seen_longest = events.longest_chain;
  seen_double_chain += events.split && events.bumps > events.longest_chain;
}

/* Cells along the line that starts on `cell` in `direction`; their number, up
 * to `most`, ending before a step that does not exist. */
static int line(const chase_rules *rules, int cell, int direction, int most, int *out) {
  model_hop hop = {cell, direction, 0, 0};
  int n = 0;
  while (n < most) {
    out[n++] = hop.to;
    if (!model_hop_from(rules, hop.to, hop.direction, &hop)) break;
  }
  return n;
}

static void test_lines(const chase_variant *variant, uint64_t *state) {
  const chase_rules *rules = chase_variant_rules(variant);
  int cells[40];
  model_hop hop;
  for (int origin = 0; origin < CHASE_CELLS; origin++)
    for (int d = 0; d < 6; d++) {
      if (origin == CHASE_CHAMBER || !model_may_set_out(origin, d)) continue;
      if (!model_hop_from(rules, origin, d, &hop) || hop.to == CHASE_CHAMBER) continue;
      int length = line(rules, hop.to, hop.direction, 32, cells);
      for (int n = 1; n <= length; n += n < 7 ? 2 : 1)
        for (int enemy = 0; enemy < 2; enemy++) {
          chase_setup setup;
          int behind = enemy && n < length ? cells[n] : CHASE_NO_CELL;
          if (lay_out(state, rules, origin, 1, cells, n, behind, &setup))
            compare(variant, &setup, origin, d);
        }
    }
}

/* A die that enters the chamber, dice along both exits. */
static void test_exits(const chase_variant *variant, uint64_t *state) {
  const chase_rules *rules = chase_variant_rules(variant);
  int cells[80];
  for (int arrival = 0; arrival < 6; arrival++)
    for (int value = 1; value <= 6; value++)
      for (int left = 0; left <= 20; left += 1 + random_below(state, 3))
        for (int right = 0; right <= 20; right += 1 + random_below(state, 3)) {
          int origin = CHASE_CHAMBER, n = 0, enemy = CHASE_NO_CELL;
          model_hop hop = {CHASE_CHAMBER, (arrival + 3) % 6, 0, 0};
          bool exists = true;
          for (int i = 0; i < value && exists; i++) /* walk back to where it came from */
            exists = model_hop_from(rules, hop.to, hop.direction, &hop);
          origin = hop.to;
          int d = (hop.direction + 3) % 6;
          if (!exists || !model_may_set_out(origin, d)) continue;
          n = line(rules, MODEL_EXITS[arrival][0].cell, MODEL_EXITS[arrival][0].direction, left,
                   cells);
          n += line(rules, MODEL_EXITS[arrival][1].cell, MODEL_EXITS[arrival][1].direction, right,
                    cells + n);
          if (n > 0 && random_below(state, 3) == 0) enemy = cells[random_below(state, n)];
          for (int i = 0; i < n; i++) /* keep the way of the moving die free */
            if (cells[i] == origin) cells[i] = CHASE_CHAMBER;
          chase_setup setup;
          if (enemy != origin && lay_out(state, rules, origin, value, cells, n, enemy, &setup))
            compare(variant, &setup, origin, d);
        }
}

/* The longest chain there is: a die that lands on h1 going NE starts a chain
 * that bounces on i, on a and on i again and comes back to h1 with its 19th
 * landing, now going SE; the die that gives way there is the one that moved. */
static void test_cell_entered_twice(chase_isa isa) {
  chase_variant *variant = variant_of("setup=666666666,reserve=16", isa);
  const chase_rules *rules = chase_variant_rules(variant);
  uint64_t state = 19;
  int cells[40];
  model_hop hop;
  const int origin = 9 * 2 + 8; /* g9, from which NE leads across the seam to h1 */
  CHECK(model_hop_from(rules, origin, CHASE_NE, &hop));
  CHECK_INT(hop.to, 9);
  CHECK_INT(line(rules, 9, CHASE_NE, 26, cells), 26);
  CHECK_INT(cells[18], 9);
  for (int n = 17; n <= 25; n++)
    for (int round = 0; round < 50; round++) {
      chase_setup setup;
      model_move m;
      if (!CHECK(lay_out(&state, rules, origin, 1, cells, n, CHASE_NO_CELL, &setup))) continue;
      compare(variant, &setup, origin, CHASE_NE);
      if (n < 18 || !model_carry_out(rules, &setup, origin, CHASE_NE, &m)) continue;
      CHECK(m.events.longest_chain >= (n == 18 ? 19 : n));
      CHECK_INT(m.steps[19].from, 9); /* step 0 is the ray, step 1 the first push */
      CHECK_INT(m.steps[19].value, 1);
      CHECK_INT(m.steps[19].direction, CHASE_SE);
    }
  CHECK(seen_longest >= 25 && seen_longest <= CHASE_MAX_CHAIN);
  look_at(NULL, NULL);
  chase_variant_free(variant);
}

int main(void) {
  static const char *const texts[] = {
      "setup=666666666,reserve=16", "setup=555555555,reserve=16,wrap=no",
      "setup=666666666,reserve=16,ricochet=no", "setup=666666666,reserve=16,wrap=no,ricochet=no",
      "setup=545454545,reserve=16,recycle=no,chain=yes"};
  static const chase_isa isas[] = {CHASE_ISA_GENERIC, CHASE_ISA_V3};
  for (size_t i = 0; i < sizeof isas / sizeof isas[0]; i++) {
    if (!isa_runs_here(isas[i])) continue;
    uint64_t state = 7;
    for (size_t r = 0; r < sizeof texts / sizeof texts[0]; r++) {
      chase_variant *variant = variant_of(texts[r], isas[i]);
      test_lines(variant, &state);
      test_exits(variant, &state);
      look_at(NULL, NULL);
      chase_variant_free(variant);
    }
    test_cell_entered_twice(isas[i]);
  }
  CHECK(seen_legal > 10000 && seen_illegal > 5000 && seen_double_chain > 500);
  return check_finish();
}
