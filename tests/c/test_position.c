/* Positions: the start (R5), what R13 allows, every kind of fault, outcome
 * (R11), equality and hash. */
#include "model.h"
#include "support.h"

static chase_setup setup_of(const chase_variant *variant, const char *cfen) {
  chase_setup setup;
  chase_error error;
  if (chase_cfen_parse(variant, cfen, strlen(cfen), &setup, &error) != CHASE_OK)
    give_up(cfen, error.message);
  return setup;
}

static void test_start(void) {
  static const char *const more[] = {"setup=654321654", "setup=111111116,reserve=7",
                                     "setup=612345123,recycle=no", "setup=161616161,reserve=0"};
  for (int i = 0; i < RULES_TEXT_COUNT + 4; i++) {
    const char *text = i < RULES_TEXT_COUNT ? RULES_TEXTS[i] : more[i - RULES_TEXT_COUNT];
    chase_variant *variant = variant_of(text, CHASE_ISA_AUTO);
    const chase_rules *rules = chase_variant_rules(variant);
    chase_position start;
    chase_setup got, expected = {.side = CHASE_RED, .capturing = CHASE_NO_CELL,
                                 .spare = {rules->reserve, rules->reserve}};
    for (int k = 0; k < 9; k++) {
      expected.board[72 + k] = (int8_t)rules->setup[k]; /* a1 is red's left */
      expected.board[8 - k] = (int8_t)-rules->setup[k]; /* i9 is blue's left */
    }
    chase_position_start(variant, &start);
    look_at(variant, &start);
    chase_position_unmake(&start, &got);
    CHECK(same_setup(&got, &expected));
    CHECK(chase_position_consistent(variant, &start));
    CHECK(start.hash == chase_position_rehash(variant, &start));
    CHECK_INT(start.dice[0], 9);
    CHECK_INT(start.dice[1], 9);
    CHECK_INT(start.pips[0], model_total(rules));
    CHECK_INT(start.pips[1], model_total(rules));
    CHECK_INT(chase_position_due(variant, &start), 0);
    look_at(NULL, NULL);
    chase_variant_free(variant);
  }
}

/* ---- Faults (R13) ----------------------------------------------------- */

/* Fields of a fault that the header does not name for its kind may be anything. */
enum { ANY = -2 };

/* The kinds whose faults carry a side and an expected number. */
static bool tells_side(chase_fault_kind kind) {
  return kind == CHASE_FAULT_PIPS_MORE || kind == CHASE_FAULT_PIPS_LESS ||
         kind == CHASE_FAULT_SPARE_NEGATIVE || kind == CHASE_FAULT_DICE ||
         kind == CHASE_FAULT_DICE_MORE || kind == CHASE_FAULT_SPARE_MORE ||
         kind == CHASE_FAULT_CAPTURING_LACK || kind == CHASE_FAULT_CAPTURING_LOST;
}

static bool tells_expected(chase_fault_kind kind) {
  return kind == CHASE_FAULT_PIPS_MORE || kind == CHASE_FAULT_PIPS_LESS ||
         kind == CHASE_FAULT_DICE || kind == CHASE_FAULT_DICE_MORE ||
         kind == CHASE_FAULT_SPARE_MORE;
}

static chase_fault found[CHASE_MAX_FAULTS];
static int found_count;

/* Refused, nothing written, every fault well formed and put into words. */
static void refuse(const chase_variant *variant, const chase_setup *setup) {
  chase_position position, before;
  memset(&position, 0x5a, sizeof position);
  memset(found, 0x5a, sizeof found);
  before = position;
  found_count = -1;
  CHECK_INT(chase_position_make(variant, setup, &position, found, &found_count),
            CHASE_INVALID_POSITION);
  CHECK(memcmp(&position, &before, sizeof before) == 0);
  CHECK(found_count >= 1 && found_count <= CHASE_MAX_FAULTS);
  for (int i = 0; i < found_count; i++) {
    char message[CHASE_MESSAGE_SIZE], part[20];
    memset(message, 0x5a, sizeof message);
    chase_fault_format(&found[i], message);
    if (!CHECK(memchr(message, 0, sizeof message) != NULL && strlen(message) > 10)) continue;
    CHECK((int)found[i].kind >= 0 && found[i].kind < CHASE_FAULT_COUNT);
    if (found[i].cell != CHASE_NO_CELL) {
      snprintf(part, sizeof part, "%c%d", 'i' - found[i].cell / 9, found[i].cell % 9 + 1);
      if (!CHECK(strstr(message, part) != NULL)) printf("  \"%s\" lacks %s\n", message, part);
    }
    if (tells_side(found[i].kind)) {
      const char *name = found[i].side == CHASE_RED ? "red" : "blue";
      if (!CHECK(strstr(message, name) != NULL)) printf("  \"%s\" lacks %s\n", message, name);
    }
    if (tells_expected(found[i].kind)) {
      snprintf(part, sizeof part, "%d", found[i].expected);
      if (!CHECK(strstr(message, part) != NULL)) printf("  \"%s\" lacks %s\n", message, part);
    }
    for (int j = 0; j < i; j++) CHECK(memcmp(&found[i], &found[j], sizeof found[i]) != 0);
  }
}

/* The fault is among those found. */
static void expect(chase_fault_kind kind, int cell, int side, int got, int expected) {
  bool there = false;
  for (int i = 0; i < found_count; i++)
    there |= found[i].kind == kind && found[i].cell == cell &&
             (side == ANY || found[i].side == side) && (got == ANY || found[i].got == got) &&
             (expected == ANY || found[i].expected == expected);
  if (CHECK(there)) return;
  printf("  wanted kind %d cell %d side %d got %d expected %d; found last:\n", kind, cell, side, got,
         expected);
  for (int i = found_count > 12 ? found_count - 12 : 0; i < found_count; i++)
    printf("    kind %d cell %d side %d got %d expected %d\n", found[i].kind, found[i].cell,
           found[i].side, found[i].got, found[i].expected);
}

static void only(const chase_variant *variant, const chase_setup *setup, chase_fault_kind kind,
                 int cell, int side, int got, int expected) {
  refuse(variant, setup);
  expect(kind, cell, side, got, expected);
  CHECK_INT(found_count, 1);
}

static const char START[] = "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 1/1";

static void test_faults_of_dice(void) {
  enum { NO = CHASE_NO_CELL };
  chase_variant *variant = variant_of("standard", CHASE_ISA_AUTO);
  chase_setup start = setup_of(variant, START), s;
  static const int32_t sides[] = {-1, 2, 3, 255, 256, INT32_MAX, INT32_MIN};
  for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
    s = start;
    s.side = sides[i];
    only(variant, &s, CHASE_FAULT_SIDE, NO, ANY, sides[i], ANY);
  }
  static const int8_t values[] = {7, -7, 8, 100, 127, -127, -128};
  for (int cell = 0; cell < CHASE_CELLS; cell += 5)
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
      s = start;
      s.board[cell] = values[i];
      refuse(variant, &s);
      bool there = false; /* whether `got` has the sign is not said */
      for (int k = 0; k < found_count; k++)
        there |= found[k].kind == CHASE_FAULT_VALUE && found[k].cell == cell &&
                 (found[k].got == values[i] || found[k].got == -values[i]);
      CHECK(there);
    }
  s = setup_of(variant, "abcdedcba/9/9/9/4A4/9/9/9/1BCDEDCBA r - 1/1");
  only(variant, &s, CHASE_FAULT_CHAMBER, CHASE_CHAMBER, ANY, 1, ANY);
  s = setup_of(variant, "abcdedcba/9/9/9/9/9/9/9/BBCDEDCBA r - 1/1");
  only(variant, &s, CHASE_FAULT_PIPS_MORE, NO, CHASE_RED, 26, 25);
  s = setup_of(variant, "fbcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 1/1");
  only(variant, &s, CHASE_FAULT_PIPS_MORE, NO, CHASE_BLUE, 30, 25);
  s = setup_of(variant, "aacdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 1/1");
  only(variant, &s, CHASE_FAULT_PIPS_LESS, NO, CHASE_BLUE, 24, 25);
  s = setup_of(variant, "abcdedcba/9/9/9/9/9/9/9/A1CDEDCBA b - 2/1");
  only(variant, &s, CHASE_FAULT_PIPS_LESS, NO, CHASE_RED, 23, 25);
  s = setup_of(variant, "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 2/1");
  only(variant, &s, CHASE_FAULT_DICE, NO, CHASE_RED, 11, 10);
  s = setup_of(variant, "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 1/0");
  only(variant, &s, CHASE_FAULT_DICE, NO, CHASE_BLUE, 9, 10);
  static const int32_t spares[] = {-1, -2, INT32_MIN};
  for (int side = 0; side < 2; side++)
    for (size_t i = 0; i < sizeof spares / sizeof spares[0]; i++) {
      s = start;
      s.spare[side] = spares[i];
      refuse(variant, &s);
      expect(CHASE_FAULT_SPARE_NEGATIVE, NO, side, spares[i], ANY);
    }
  s = start;
  s.spare[0] = INT32_MAX;
  refuse(variant, &s);
  s.spare[1] = 256 + 1; /* 1 if cut to a byte */
  s.spare[0] = 1;
  only(variant, &s, CHASE_FAULT_DICE, NO, CHASE_BLUE, 266, 10);
  chase_variant_free(variant);
  variant = variant_of("recycle=no", CHASE_ISA_AUTO);
  s = setup_of(variant, "abcdedcba/9/9/9/9/9/9/A8/ABCDEDCAA r - 1/1");
  only(variant, &s, CHASE_FAULT_DICE_MORE, NO, CHASE_RED, 11, 10);
  s = setup_of(variant, "abcdedcba/9/9/9/9/9/9/9/D1CDED1BC r - 2/1");
  only(variant, &s, CHASE_FAULT_SPARE_MORE, NO, CHASE_RED, 2, 1);
  chase_variant_free(variant);
}

/* Red's die on c5 took a die and can take more. */
static const char SERIES[] = "bbcdedc2/9/9/9/9/3aA4/9/9/1BCDEDCBA r d5 1/2";

static void test_faults_of_series(void) {
  enum { NO = CHASE_NO_CELL, D5 = 49 };
  chase_variant *variant = variant_of("russian", CHASE_ISA_AUTO);
  chase_setup series = setup_of(variant, SERIES), s;
  chase_position position = position_of(variant, SERIES);
  chase_decision list[CHASE_MAX_DECISIONS];
  char text[CHASE_DECISION_SIZE];
  CHECK_INT(chase_decision_list(variant, &position, list), 2);
  chase_decision_format(list[0], text);
  CHECK_TEXT(text, "d5W");
  chase_decision_format(list[1], text);
  CHECK_TEXT(text, "stop");
  static const int32_t cells[] = {-1, 82, 100, 127, 255, 256 + 49, INT32_MAX, INT32_MIN};
  for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
    s = series;
    s.capturing = cells[i];
    refuse(variant, &s);
    expect(CHASE_FAULT_CAPTURING_CELL, NO, ANY, cells[i], ANY);
  }
  s = series;
  s.capturing = 0; /* blue's die */
  refuse(variant, &s);
  expect(CHASE_FAULT_CAPTURING_DIE, 0, ANY, ANY, ANY);
  s.capturing = 60; /* nothing */
  refuse(variant, &s);
  expect(CHASE_FAULT_CAPTURING_DIE, 60, ANY, ANY, ANY);
  s.capturing = CHASE_CHAMBER;
  refuse(variant, &s);
  expect(CHASE_FAULT_CAPTURING_DIE, CHASE_CHAMBER, ANY, ANY, ANY);
  s.capturing = 74; /* a3 with a 3 that reaches no enemy die */
  only(variant, &s, CHASE_FAULT_CAPTURING_IDLE, 74, ANY, ANY, ANY);
  s = series;
  s.board[7] = -1; /* blue lacks nothing: 25 pips again */
  s.spare[1] = 1;
  only(variant, &s, CHASE_FAULT_CAPTURING_LACK, NO, CHASE_BLUE, ANY, ANY);
  s = setup_of(variant, "ffff5/9/9/9/9/3aA4/9/9/1BCDEDCBA r d5 1/5");
  CHECK_INT(model_valid(chase_variant_rules(variant), &s), 0);
  only(variant, &s, CHASE_FAULT_CAPTURING_LACK, NO, CHASE_BLUE, ANY, ANY);
  s = setup_of(variant, "fff6/9/9/9/9/3aA4/9/9/1BCDEDCBA r d5 1/6");
  only(variant, &s, CHASE_FAULT_CAPTURING_LOST, NO, CHASE_BLUE, ANY, ANY);
  s = setup_of(variant, "bbcdedc2/9/9/9/9/3aA4/9/9/1ACDEDCBA r d5 1/2");
  only(variant, &s, CHASE_FAULT_PIPS_LESS, NO, CHASE_RED, 24, 25);
  chase_variant_free(variant);
  variant = variant_of("standard", CHASE_ISA_AUTO);
  refuse(variant, &series);
  expect(CHASE_FAULT_CAPTURING_RULES, D5, ANY, ANY, ANY);
  chase_variant_free(variant);
}

static void test_several_faults(void) {
  enum { NO = CHASE_NO_CELL };
  chase_variant *variant = variant_of("standard", CHASE_ISA_AUTO);
  chase_setup s = setup_of(variant, "aacdedcba/9/9/9/4A4/9/9/9/FBCDEDCBA r - 3/4");
  refuse(variant, &s);
  CHECK_INT(found_count, 5);
  expect(CHASE_FAULT_CHAMBER, CHASE_CHAMBER, ANY, 1, ANY);
  expect(CHASE_FAULT_PIPS_MORE, NO, CHASE_RED, 31, 25);
  expect(CHASE_FAULT_PIPS_LESS, NO, CHASE_BLUE, 24, 25);
  expect(CHASE_FAULT_DICE, NO, CHASE_RED, 13, 10);
  expect(CHASE_FAULT_DICE, NO, CHASE_BLUE, 13, 10);
  for (int round = 0; round < 3; round++) { /* everything wrong: the list has room */
    memset(s.board, round == 0 ? 100 : round == 1 ? -128 : 6, sizeof s.board);
    s.side = 5 + round;
    s.capturing = 100;
    s.spare[0] = s.spare[1] = round == 2 ? INT32_MAX : INT32_MIN;
    refuse(variant, &s);
    expect(CHASE_FAULT_SIDE, NO, ANY, 5 + round, ANY);
    expect(CHASE_FAULT_CAPTURING_CELL, NO, ANY, 100, ANY);
    for (int cell = 0; cell < CHASE_CELLS && round < 2; cell++) {
      bool there = false;
      for (int i = 0; i < found_count; i++)
        there |= found[i].kind == CHASE_FAULT_VALUE && found[i].cell == cell;
      CHECK(there);
    }
  }
  chase_variant_free(variant);
}

/* Random positions with random damage: accepted exactly where R13 says so, and
 * then unmade to the same. */
static void test_against_model(void) {
  uint64_t state = 13;
  int accepted = 0, refused = 0;
  for (int r = 0; r < RULES_TEXT_COUNT; r++) {
    chase_variant *variant = variant_of(RULES_TEXTS[r], CHASE_ISA_AUTO);
    const chase_rules *rules = chase_variant_rules(variant);
    for (int round = 0; round < 400; round++) {
      chase_setup s, again;
      chase_position position;
      chase_fault faults[CHASE_MAX_FAULTS];
      int count = 0;
      random_setup(&state, rules, &s);
      for (int damage = random_below(&state, 3); damage > 0; damage--) {
        int cell = random_below(&state, CHASE_CELLS);
        switch (random_below(&state, 8)) {
          case 0: s.board[cell] = (int8_t)(random_below(&state, 15) - 7); break;
          case 1: s.side = random_below(&state, 4) - 1; break;
          case 2: s.capturing = random_below(&state, 84) - 1; break;
          case 3: s.capturing = cell; break;
          case 4: s.spare[cell & 1]--; break;
          case 5: s.spare[cell & 1]++; break;
          case 6: s.board[cell] = (int8_t)-s.board[cell]; break;
          default: s.board[CHASE_CHAMBER] = (int8_t)(random_below(&state, 3) - 1); break;
        }
      }
      bool valid = model_valid(rules, &s);
      if (!valid) {
        refuse(variant, &s);
        refused++;
        continue;
      }
      accepted++;
      if (!CHECK_INT(chase_position_make(variant, &s, &position, faults, &count), CHASE_OK))
        continue;
      look_at(variant, &position);
      CHECK_INT(count, 0);
      CHECK(chase_position_consistent(variant, &position));
      CHECK(chase_position_rehash(variant, &position) == position.hash);
      chase_position_unmake(&position, &again);
      CHECK(same_setup(&s, &again));
      look_at(NULL, NULL);
    }
    chase_variant_free(variant);
  }
  CHECK(accepted > 1000 && refused > 1000);
}

/* ---- Outcome ---------------------------------------------------------- */

static void check_outcome(const char *rules, const char *cfen, chase_termination expected,
                          int expected_winner, int due) {
  chase_variant *variant = variant_of(rules, CHASE_ISA_AUTO);
  chase_position position = position_of(variant, cfen);
  chase_decision list[CHASE_MAX_DECISIONS];
  int winner = 77;
  look_at(variant, &position);
  CHECK_INT(chase_position_outcome(variant, &position, &winner), expected);
  CHECK_INT(winner, expected_winner);
  CHECK_INT(chase_position_due(variant, &position), due);
  if (expected != CHASE_NOT_OVER) {
    CHECK_INT(chase_decision_count(variant, &position), 0);
    CHECK_INT(chase_decision_list(variant, &position, list), 0);
  }
  look_at(NULL, NULL);
  chase_variant_free(variant);
}

static void test_outcomes(void) {
  check_outcome("standard", START, CHASE_NOT_OVER, -1, 0);
  check_outcome("standard", "ffffa4/9/9/9/9/9/9/9/FFFFA4 r - 5/5", CHASE_NOT_OVER, -1, 0);
  check_outcome("standard", "ffffa4/9/9/9/9/9/9/9/FFFF5 r - 6/5", CHASE_BY_DICE, CHASE_BLUE, 1);
  check_outcome("standard", "ffffa4/9/9/9/9/9/9/9/AAAAA4 r - 5/5", CHASE_NOT_OVER, -1, 20);
  check_outcome("standard", "aaaa5/9/9/9/9/9/9/9/FFFFA4 b - 5/6", CHASE_BY_DICE, CHASE_RED, 21);
  check_outcome("standard", "9/9/9/9/9/9/9/9/FFFFA4 b - 5/10", CHASE_BY_DICE, CHASE_RED, 25);
  check_outcome("setup=666666666", "ffffffff1/9/9/9/9/9/9/9/FFFFFFFFF b - 1/2", CHASE_BY_DICE,
                CHASE_RED, 6);
  check_outcome("setup=111111111", "f8/9/9/9/9/9/9/9/FC7 b - 8/9", CHASE_BY_DICE, CHASE_RED, 3);
  check_outcome("setup=111111111", "fa7/9/9/9/9/9/9/9/FC7 b - 8/8", CHASE_NOT_OVER, -1, 2);
  check_outcome("reserve=8", "3aEa3/4aa3/9/9/9/9/9/aaaaaaaa1/EaEaEaEfd r - 12/0",
                CHASE_BY_NO_DECISION, CHASE_BLUE, 0);
  check_outcome("standard", "2bE2E1E/9/b1E1c2c1/2bcE3c/3b5/9/9/5c3/3b5 r - 5/0",
                CHASE_BY_NO_DECISION, CHASE_BLUE, 0);
}

/* ---- Equality, hash, invariants --------------------------------------- */

static void test_equality(void) {
  chase_variant *variant = variant_of("recycle=no,chain=yes,reserve=2", CHASE_ISA_AUTO);
  static const char *const texts[] = {
      "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 2/2", "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA b - 2/2",
      "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 1/2", "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 2/1",
      "abcdedcba/9/9/9/9/9/9/9/BACDEDCBA r - 2/2", "bacdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 2/2",
      "abcdedcba/9/9/9/9/9/9/A8/1BCDEDCBA r - 2/2", "bbcdedc2/9/9/9/9/3aA4/9/9/1BCDEDCBA r d5 1/2",
      "bbcdedc2/9/9/9/9/A2aA4/9/9/1ACDEDCBA r d5 1/2",
      "bbcdedc2/9/9/9/9/A2aA4/9/9/1ACDEDCBA r d5 1/1"};
  enum { COUNT = sizeof texts / sizeof texts[0] };
  chase_position a[COUNT], b[COUNT];
  for (int i = 0; i < COUNT; i++) {
    a[i] = position_of(variant, texts[i]);
    b[i] = position_of(variant, texts[i]);
  }
  for (int i = 0; i < COUNT; i++)
    for (int j = 0; j < COUNT; j++) {
      CHECK_INT(chase_position_equal(&a[i], &b[j]), i == j);
      CHECK_INT(a[i].hash == b[j].hash, i == j);
    }
  chase_variant_free(variant);
}

/* The rules are part of the hash. */
static void test_hash_of_rules(void) {
  uint64_t hashes[RULES_TEXT_COUNT];
  for (int r = 0; r < RULES_TEXT_COUNT; r++) {
    chase_variant *variant = variant_of(RULES_TEXTS[r], CHASE_ISA_AUTO);
    chase_position start;
    chase_position_start(variant, &start);
    hashes[r] = start.hash;
    for (int other = 0; other < r; other++) CHECK(hashes[other] != hashes[r]);
    chase_variant_free(variant);
  }
}

static int by_number(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* A die of each value on each cell, side to act and number of spare dice has a
 * part in the hash. */
static void test_hash_of_every_die(void) {
  static uint64_t hashes[2 * CHASE_CELLS * CHASE_MAX_VALUE * 4];
  size_t count = 0;
  chase_variant *variant = variant_of("setup=211111112,reserve=4,recycle=no", CHASE_ISA_AUTO);
  for (int cell = 0; cell < CHASE_CELLS; cell++)
    for (int value = 1; value <= CHASE_MAX_VALUE; value++)
      for (int owner = 0; owner < 2; owner++)
        for (int rest = 0; rest < 2; rest++) { /* the other dice at one end or the other */
          chase_setup s = {.side = owner, .capturing = CHASE_NO_CELL, .spare = {rest, value % 4}};
          chase_position position;
          chase_fault faults[CHASE_MAX_FAULTS];
          int sign = owner == CHASE_RED ? 1 : -1, aside = rest == 0 ? 32 : 72, unused = 0;
          if (cell == CHASE_CHAMBER || cell == aside || cell == aside + 1) continue;
          s.board[cell] = (int8_t)(sign * value); /* of 11: the rest is due */
          s.board[aside] = (int8_t)(-sign * 6);
          s.board[aside + 1] = (int8_t)(-sign * 5);
          if (!CHECK_INT(chase_position_make(variant, &s, &position, faults, &unused), CHASE_OK))
            continue;
          hashes[count++] = position.hash;
        }
  qsort(hashes, count, sizeof hashes[0], by_number);
  for (size_t i = 1; i < count; i++) CHECK(hashes[i] != hashes[i - 1]);
  CHECK(count > 1800);
  chase_variant_free(variant);
}

static void check_damaged(const chase_variant *variant, const chase_position *good,
                          void *field, chase_position *position, unsigned size) {
  *position = *good;
  for (unsigned i = 0; i < size; i++) {
    ((unsigned char *)field)[i] ^= 1;
    CHECK(!chase_position_consistent(variant, position));
    ((unsigned char *)field)[i] ^= 1;
  }
  CHECK(chase_position_consistent(variant, position));
}

/* chase_position_consistent sees damage to any part. */
static void test_consistency_sees_damage(void) {
  chase_variant *variant = variant_of("russian", CHASE_ISA_AUTO);
  static const char *const texts[] = {START, SERIES};
  for (int t = 0; t < 2; t++) {
    chase_position good = position_of(variant, texts[t]), p;
    check_damaged(variant, &good, &p.hash, &p, sizeof p.hash);
    check_damaged(variant, &good, p.occupied, &p, sizeof p.occupied);
    check_damaged(variant, &good, p.value[0], &p, CHASE_CELLS);
    check_damaged(variant, &good, p.value[1], &p, CHASE_CELLS);
    check_damaged(variant, &good, &p.side, &p, 1);
    check_damaged(variant, &good, &p.capturing, &p, 1);
    check_damaged(variant, &good, p.spare, &p, 2);
    check_damaged(variant, &good, p.dice, &p, 2);
    check_damaged(variant, &good, p.pips, &p, 2);
  }
  chase_variant_free(variant);
}

int main(void) {
  test_start();
  test_faults_of_dice();
  test_faults_of_series();
  test_several_faults();
  test_against_model();
  test_outcomes();
  test_equality();
  test_hash_of_rules();
  test_hash_of_every_die();
  test_consistency_sees_damage();
  return check_finish();
}
