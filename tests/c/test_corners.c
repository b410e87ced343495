/* Corner cases worked out by hand: rings, splits, double captures, series,
 * handing out, extreme setups, the largest numbers of dice. */
#include "support.h"

static chase_variant *variant;

static void with_rules(const char *text) {
  look_at(NULL, NULL);
  chase_variant_free(variant);
  variant = text == NULL ? NULL : variant_of(text, CHASE_ISA_AUTO);
}

/* Playing `move` in `before` gives `after` (full text). */
static void plays(const char *before, const char *move, const char *after) {
  chase_position position = position_of(variant, before), result;
  chase_error error;
  char out[CHASE_CFEN_SIZE];
  look_at(variant, &position);
  if (!CHECK_INT(chase_apply(variant, &position, decision_of(move), &result, &error), CHASE_OK)) {
    printf("  %s: %s\n", move, error.message);
    return;
  }
  chase_cfen_format(&result, out);
  CHECK_TEXT(out, after);
  CHECK(chase_position_consistent(variant, &result));
}

static void illegal(const char *before, const char *move) {
  chase_position position = position_of(variant, before);
  look_at(variant, &position);
  if (!CHECK(!is_legal(variant, &position, move))) printf("  %s\n", move);
}

/* All legal decisions as one text. */
static void decisions(const char *before, const char *expected) {
  chase_position position = position_of(variant, before);
  chase_decision list[CHASE_MAX_DECISIONS];
  char out[CHASE_MAX_DECISIONS * CHASE_DECISION_SIZE] = "", one[CHASE_DECISION_SIZE];
  look_at(variant, &position);
  int count = chase_decision_list(variant, &position, list);
  for (int i = 0; i < count; i++) {
    chase_decision_format(list[i], one);
    if (i > 0) strcat(out, " ");
    strcat(out, one);
  }
  CHECK_TEXT(out, expected);
}

/* Likewise, the exchanges among them. */
static void exchanges(const char *before, const char *expected) {
  chase_position position = position_of(variant, before);
  chase_decision list[CHASE_MAX_DECISIONS];
  char out[CHASE_MAX_DECISIONS * CHASE_DECISION_SIZE] = "", one[CHASE_DECISION_SIZE];
  look_at(variant, &position);
  int count = chase_decision_list(variant, &position, list);
  for (int i = 0; i < count; i++) {
    if (chase_decision_kind(list[i]) != CHASE_EXCHANGE) continue;
    chase_decision_format(list[i], one);
    if (out[0] != 0) strcat(out, " ");
    strcat(out, one);
  }
  CHECK_TEXT(out, expected);
}

static chase_events events_of(const char *before, const char *move) {
  chase_position position = position_of(variant, before);
  chase_events events;
  look_at(variant, &position);
  chase_apply_events(variant, &position, decision_of(move), &events);
  return events;
}

static void over(const char *cfen, chase_termination expected, int expected_winner) {
  chase_position position = position_of(variant, cfen);
  int winner;
  look_at(variant, &position);
  CHECK_INT(chase_position_outcome(variant, &position, &winner), expected);
  CHECK_INT(winner, expected_winner);
}

static const char START[] = "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 1/1";

static void test_full_row_turns(void) {
  with_rules("standard");
  plays(START, "a1E", "abcdedcba/9/9/9/9/9/9/9/AABCDEDCB b - 1/1");
  plays(START, "a1W", "abcdedcba/9/9/9/9/9/9/9/BCDEDCBAA b - 1/1");
  chase_events events = events_of(START, "a1E");
  CHECK_INT(events.bumps, 8);
  CHECK_INT(events.longest_chain, 8);
  CHECK_INT(events.wraps, 1);
  events = events_of(START, "a1W");
  CHECK_INT(events.bumps, 8);
  CHECK_INT(events.wraps, 1);
  illegal(START, "a2E"); /* its path is not free */
  with_rules("wrap=no");
  illegal(START, "a1E"); /* the chain would cross the seam */
  illegal(START, "a1W");
  illegal(START, "a9W");
  with_rules("setup=111111111");
  plays("aaaaaaaaa/9/9/9/9/9/9/9/AAAAAAAAA r", "a5W",
        "aaaaaaaaa/9/9/9/9/9/9/9/AAAAAAAAA b - 1/1");
}

static void test_bounces(void) {
  with_rules("standard");
  /* from h1 NE is i1; the die there is pushed NE, bounces, and stands on h2 */
  plays("B8/A8/9/9/9/9/ffffa4/9/1BCDEDCA1 r - 1/5", "h1NE",
        "A8/1B7/9/9/9/9/ffffa4/9/1BCDEDCA1 b - 1/5");
  chase_events events = events_of("B8/A8/9/9/9/9/ffffa4/9/1BCDEDCA1 r - 1/5", "h1NE");
  CHECK_INT(events.ricochets, 1);
  CHECK_INT(events.bumps, 1);
  /* the next move of that die sets out as it likes: nothing is remembered (R3) */
  plays("B8/A8/9/9/9/9/ffffa4/9/1BCDEDCA1 r - 1/5", "i1SE",
        "9/A8/1B7/9/9/9/ffffa4/9/1BCDEDCA1 b - 1/5");
  with_rules("ricochet=no");
  illegal("B8/A8/9/9/9/9/ffffa4/9/1BCDEDCA1 r - 1/5", "h1NE");
}

static void test_first_direction_over_the_end_row(void) {
  static const int cells[] = {0, 4, 8, 72, 76, 80};
  with_rules("standard");
  chase_position position =
      position_of(variant, "E3A3F/9/9/9/A8/9/ffffa4/9/B3D3F r - 3/5");
  look_at(variant, &position);
  for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
    chase_error error;
    int first = cells[i] < 9 ? CHASE_NE : CHASE_SW, second = cells[i] < 9 ? CHASE_NW : CHASE_SE;
    CHECK_INT(chase_decision_check(variant, &position,
                                   chase_decision_make(CHASE_MOVE, cells[i], first, 0, 0), &error),
              CHASE_ILLEGAL);
    CHECK_INT(chase_decision_check(variant, &position,
                                   chase_decision_make(CHASE_MOVE, cells[i], second, 0, 0), &error),
              CHASE_ILLEGAL);
  }
}

static void test_splits(void) {
  with_rules("standard");
  /* a three reaches e5 going NE: two of it to e4, one to d6 */
  static const char three[] = "abcdedcba/9/9/9/9/9/9/3C5/AB1DEDCBA r - 1/1";
  plays(three, "b4NE", "abcdedcba/9/9/9/3B5/5A3/9/9/AB1DEDCBA b - 0/1");
  chase_events events = events_of(three, "b4NE");
  CHECK_INT(events.entered, 1);
  CHECK_INT(events.split, 1);
  CHECK_INT(events.refused, 0);
  with_rules("reserve=0"); /* no spare die: the whole die leaves to the left */
  static const char none[] = "abcdedcba/9/9/9/9/9/9/3C5/AB1DEDCBA r - 0/0";
  plays(none, "b4NE", "abcdedcba/9/9/9/3C5/9/9/9/AB1DEDCBA b - 0/0");
  events = events_of(none, "b4NE");
  CHECK_INT(events.entered, 1);
  CHECK_INT(events.split, 0);
  CHECK_INT(events.refused, 1);
  with_rules("standard"); /* a one never splits */
  static const char one[] = "abcdedcba/9/9/9/9/4A4/9/9/1BCDEDCBA r - 1/1";
  plays(one, "d5NE", "abcdedcba/9/9/9/3A5/9/9/9/1BCDEDCBA b - 1/1");
  events = events_of(one, "d5NE");
  CHECK_INT(events.split, 0);
  CHECK_INT(events.refused, 0);
  with_rules("recycle=no"); /* splitting uses up the reserve */
  plays(three, "b4NE", "abcdedcba/9/9/9/3B5/5A3/9/9/AB1DEDCBA b - 0/1");
}

/* The six rows of the table of R8, by a die of value 1 and one of value 2. */
static void test_exit_table(void) {
  static const struct { const char *from, *direction, *left, *right; } rows[] = {
      {"e4", "E", "f5", "d5"}, {"d5", "NE", "e4", "d6"}, {"d6", "NW", "d5", "e6"},
      {"e6", "W", "d6", "f6"}, {"f6", "SW", "e6", "f5"}, {"f5", "SE", "f6", "e4"}};
  with_rules("setup=111111111");
  for (int value = 1; value <= 2; value++) /* a two comes from two cells away */
    for (size_t i = 0; i < 6; i++) {
      chase_setup setup = {.side = CHASE_RED, .capturing = CHASE_NO_CELL}, after;
      chase_position position;
      chase_fault faults[CHASE_MAX_FAULTS];
      int count = 0, origin = 9 * ('i' - rows[i].from[0]) + rows[i].from[1] - '1';
      chase_decision d = 0;
      for (int k = 0; k < 6; k++)
        if (chase_cell_neighbour(origin, k) == CHASE_CHAMBER)
          d = chase_decision_make(CHASE_MOVE, 0, k, 0, 0);
      int direction = chase_decision_direction(d);
      if (value == 2) origin = chase_cell_neighbour(origin, (direction + 3) % 6);
      setup.board[origin] = (int8_t)value;
      setup.board[80] = 6;
      setup.board[79] = (int8_t)(3 - value);
      setup.board[0] = -6;
      setup.board[1] = -3;
      setup.spare[0] = 7;
      setup.spare[1] = 8;
      CHECK_INT(chase_position_make(variant, &setup, &position, faults, &count), CHASE_OK);
      chase_apply_unchecked(variant, &position,
                            chase_decision_make(CHASE_MOVE, origin, direction, 0, 0));
      chase_position_unmake(&position, &after);
      CHECK_INT(after.board[9 * ('i' - rows[i].left[0]) + rows[i].left[1] - '1'], 1);
      CHECK_INT(after.board[9 * ('i' - rows[i].right[0]) + rows[i].right[1] - '1'], value - 1);
      CHECK_INT(after.spare[0], 7 - (value == 2));
      CHECK_INT(position.dice[0], 3 + (value == 2));
    }
}

static void test_chamber_and_chains(void) {
  with_rules("standard");
  /* e3E would push e4 into the chamber */
  illegal("abcdedcba/9/9/9/2AB5/9/9/9/2CDEDCBA r - 1/1", "e3E");
  plays("abcdedc1a/9/9/9/2Ab5/9/9/9/1BCDEDCBA r - 1/1", "e3E",
        "abcdedc1a/9/9/9/3A5/9/9/9/1BCDEDCBA b - 1/2");
  /* nothing passes through */
  illegal("abcdedcba/9/9/9/3B5/9/9/9/A1CDEDCBA r - 1/1", "e4E");
  /* eight own dice on row e, a ninth comes in: the right half pushes e6, e7 ... e4
   * and at last into the chamber */
  static const char row[] = "e3e3e/8e/9/9/CCCC1CCCB/4e4/5B3/9/9 r - 1/5";
  illegal(row, "c6NW");
  /* with one of them gone there is room */
  plays("e3e3e/8e/9/9/CC1C1CCCB/4e4/5B3/C8/9 r - 1/5", "c6NW",
        "e3e3e/8e/9/9/BCCC1ACCC/4A4/9/C8/9 b - 0/6");
  chase_events events = events_of("e3e3e/8e/9/9/CC1C1CCCB/4e4/5B3/C8/9 r - 1/5", "c6NW");
  CHECK_INT(events.bumps, 6);
  CHECK_INT(events.longest_chain, 6);
  CHECK_INT(events.captures, 1);
  CHECK_INT(events.wraps, 1);
}

static void test_double_capture(void) {
  static const char before[] = "1bcdedcb1/9/9/9/5a3/4a4/5B3/9/A1CDEDCBA r - 1/1";
  with_rules("standard");
  plays(before, "c6NW", "1bcdedcb1/9/9/9/5A3/4A4/9/9/A1CDEDCBA b - 0/3");
  CHECK_INT(events_of(before, "c6NW").captures, 2);
  decisions("1bcdedcb1/9/9/9/5A3/4A4/9/9/A1CDEDCBA b - 0/3", "+i2 +i8");
  plays("1bcdedcb1/9/9/9/5A3/4A4/9/9/A1CDEDCBA b - 0/3", "+i8",
        "1bcdedcd1/9/9/9/5A3/4A4/9/9/A1CDEDCBA b - 0/3");
  with_rules("recycle=no"); /* what is captured is gone */
  plays(before, "c6NW", "1bcdedcb1/9/9/9/5A3/4A4/9/9/A1CDEDCBA b - 0/1");
  with_rules("russian"); /* captures of an exit start no series */
  plays(before, "c6NW", "1bcdedcb1/9/9/9/5A3/4A4/9/9/A1CDEDCBA b - 0/3");
  with_rules("standard"); /* the left exit wins, the right half is placed all the same */
  plays("e3e3e/8e/9/9/9/4e4/5B3/9/A1EE1CED1 r - 3/5", "c6NW",
        "e3e3e/8e/9/9/5A3/4A4/9/9/A1EE1CED1 b - 2/6");
  over("e3e3e/8e/9/9/5A3/4A4/9/9/A1EE1CED1 b - 2/6", CHASE_BY_DICE, CHASE_RED);
}

static void test_series(void) {
  with_rules("russian");
  /* d5 takes d4 and stands beside d3 */
  plays("1bcdedcb1/9/9/9/9/2aaA4/9/9/1BCDEDCBA r", "d5W",
        "1bcdedcb1/9/9/9/9/2aA5/9/9/1BCDEDCBA r d4 1/2");
  decisions("1bcdedcb1/9/9/9/9/2aA5/9/9/1BCDEDCBA r d4 1/2", "d4W stop");
  plays("1bcdedcb1/9/9/9/9/2aA5/9/9/1BCDEDCBA r d4 1/2", "stop",
        "1bcdedcb1/9/9/9/9/2aA5/9/9/1BCDEDCBA b - 1/2");
  plays("1bcdedcb1/9/9/9/9/2aA5/9/9/1BCDEDCBA r d4 1/2", "d4W",
        "1bcdedcb1/9/9/9/9/2A6/9/9/1BCDEDCBA b - 1/3"); /* ends by itself */
  illegal("1bcdedcb1/9/9/9/9/2aA5/9/9/1BCDEDCBA r d4 1/2", "d4E");
  illegal("1bcdedcb1/9/9/9/9/2aA5/9/9/1BCDEDCBA r d4 1/2", "a2=3,a3=2");
  illegal("1bcdedcb1/9/9/9/9/2aA5/9/9/1BCDEDCBA r d4 1/2", "+a2");
  illegal("1bcdedcb1/9/9/9/9/2aaA4/9/9/1BCDEDCBA r", "stop");
  /* a bump that captures starts no series: d6 pushes d5 onto d4 */
  plays("2cdedcb1/9/9/9/9/1baaAA3/9/9/1BCDEDCB1 r - 1/1", "d6W",
        "2cdedcb1/9/9/9/9/1baAA4/9/9/1BCDEDCB1 b - 1/2");
  /* no series after a win, though the next die is within reach */
  plays("ffff5/9/9/9/9/2aEE4/9/9/EEE6 b - 5/5", "d3E",
        "ffff5/9/9/9/9/3aE4/9/9/EEE6 r - 6/5");
  over("ffff5/9/9/9/9/3aE4/9/9/EEE6 r - 6/5", CHASE_BY_DICE, CHASE_BLUE);
}

static void test_handing_out(void) {
  with_rules("standard"); /* six due: the one rises by five, then a four by one */
  decisions("ffffa4/9/9/9/9/9/9/9/EEDDA4 r - 5/5", "+a5");
  plays("ffffa4/9/9/9/9/9/9/9/EEDDA4 r - 5/5", "+a5",
        "ffffa4/9/9/9/9/9/9/9/EEDDF4 r - 5/5");
  decisions("ffffa4/9/9/9/9/9/9/9/EEDDF4 r - 5/5", "+a3 +a4");
  plays("ffffa4/9/9/9/9/9/9/9/EEDDF4 r - 5/5", "+a4",
        "ffffa4/9/9/9/9/9/9/9/EEDEF4 r - 5/5");
  illegal("ffffa4/9/9/9/9/9/9/9/EEDDF4 r - 5/5", "+a1");
  illegal("ffffa4/9/9/9/9/9/9/9/EEDDF4 r - 5/5", "a1NE");
  illegal("ffffa4/9/9/9/9/9/9/9/EEDDF4 r - 5/5", "a1=6,a2=4");
  with_rules("wikipedia"); /* any die below six */
  decisions("ffffa4/9/9/9/9/9/9/9/EEDDF4 r - 5/5", "+a1 +a2 +a3 +a4");
  plays("ffffa4/9/9/9/9/9/9/9/EEDDA4 r - 5/5", "+a1",
        "ffffa4/9/9/9/9/9/9/9/FEDDA4 r - 5/5");
}

static void test_exchanges(void) {
  static const char seam[] = "fc7/9/9/9/9/9/9/D7B/4C4 r - 7/8";
  with_rules("setup=111111111"); /* 4 and 2 across the seam, a swap among them */
  exchanges(seam, "b1=1,b9=5 b1=2,b9=4 b1=3,b9=3 b1=5,b9=1");
  plays(seam, "b1=5,b9=1", "fc7/9/9/9/9/9/9/E7A/4C4 b - 7/8");
  exchanges("fc7/9/9/9/9/9/9/3FC4/9 r - 8/8", "b4=3,b5=6 b4=4,b5=5 b4=5,b5=4");
  exchanges("fc7/9/9/9/9/9/9/3C5/3F5 r - 8/8", "b4=4,a4=5 b4=5,a4=4 b4=6,a4=3");
  exchanges("fc7/9/9/9/9/9/9/4C4/3F5 r - 8/8", "b5=4,a4=5 b5=5,a4=4 b5=6,a4=3");
  exchanges("fc7/9/9/9/9/9/9/5C3/3F5 r - 8/8", ""); /* no neighbours */
  exchanges("aaaaaaaaa/9/9/9/9/9/9/9/AAAAAAAAA r", "");
  with_rules("setup=111111111,wrap=no");
  exchanges(seam, "");
  with_rules("setup=666666666");
  exchanges("fffffffff/9/9/9/9/9/9/9/FFFFFFFFF r", "");
}

static void test_extreme_setups(void) {
  with_rules("setup=666666666"); /* one die less loses */
  plays("fffffffff/9/9/9/9/9/F8/9/1FFFFFFFF r", "c1NE",
        "fffFfffff/9/9/9/9/9/9/9/1FFFFFFFF b - 1/2");
  over("fffFfffff/9/9/9/9/9/9/9/1FFFFFFFF b - 1/2", CHASE_BY_DICE, CHASE_RED);
  with_rules("setup=666666666,chain=yes");
  plays("fffffffff/9/9/9/9/9/F8/9/1FFFFFFFF r", "c1NE",
        "fffFfffff/9/9/9/9/9/9/9/1FFFFFFFF b - 1/2");
}

/* Refused with a message that names the rule. */
static void refused_by(const char *before, const char *move, const char *rule) {
  chase_position position = position_of(variant, before);
  chase_error error;
  look_at(variant, &position);
  CHECK_INT(chase_decision_check(variant, &position, decision_of(move), &error), CHASE_ILLEGAL);
  if (!CHECK(strstr(error.message, rule) != NULL))
    printf("  %s: \"%s\" does not name %s\n", move, error.message, rule);
}

static void test_reasons(void) {
  static const char due[] = "ffffa4/9/9/9/9/9/9/9/EEDDF4 r - 5/5";
  static const char series[] = "1bcdedcb1/9/9/9/9/2aA5/9/9/1BCDEDCBA r d4 1/2";
  with_rules("standard");
  refused_by(START, "e4E", "R6");        /* no die */
  refused_by(START, "i1SW", "R6");       /* the other side's */
  refused_by(START, "a2E", "blocked at a3");
  refused_by("abcdedcba/9/9/9/3B5/9/9/9/A1CDEDCBA r - 1/1", "e4E", "R4");
  refused_by("abcdedcba/9/9/9/2AB5/9/9/9/2CDEDCBA r - 1/1", "e3E", "R7");
  refused_by("e3e3e/8e/9/9/CCCC1CCCB/4e4/5B3/9/9 r - 1/5", "c6NW", "R8");
  refused_by(START, "a1=2,a2=2", "R10"); /* another sum */
  refused_by(START, "a1=2,a2=2", " 4 ");
  refused_by(START, "a1=1,a2=2", "R10"); /* no pip moved */
  refused_by(START, "i1=2,i2=1", "R10"); /* the other side's */
  refused_by(START, "e1=2,e2=1", "R10"); /* no dice */
  refused_by(START, "+a1", "R9");        /* nothing due */
  refused_by(START, "stop", "R12");
  refused_by(due, "+a1", "R9"); /* not the lowest */
  refused_by(due, "+a5", "R9"); /* a six */
  refused_by(due, "+i1", "R9"); /* the other side's */
  refused_by(due, "a1NE", "R9");
  refused_by(due, "a1=6,a2=4", "R9");
  refused_by("ffffa4/9/9/9/9/9/9/9/FFFF5 r - 6/5", "a1NE", "R11");
  refused_by("2bE2E1E/9/b1E1c2c1/2bcE3c/3b5/9/9/5c3/3b5 r - 5/0", "i4SW", "R11");
  with_rules("wrap=no");
  refused_by(START, "a9E", "R12");
  with_rules("setup=111111111,wrap=no");
  refused_by("fc7/9/9/9/9/9/9/D7B/4C4 r - 7/8", "b1=5,b9=1", "R12");
  with_rules("russian");
  refused_by(series, "d4E", "R12");
  refused_by(series, "a3NW", "R12");
  refused_by(series, "a2=3,a3=2", "R12");
  refused_by(START, "stop", "R12");
}

static void test_25_dice_a_side(void) {
  static const char full[] =
      "aaaaaaaaa/aaaaaaaaa/aaaaaaa2/9/9/9/2AAAAAAA/AAAAAAAAA/AAAAAAAAA r - 0/0";
  with_rules("reserve=16");
  plays(full, "c3E",
        "aaaaaaaaa/aaaaaaaaa/aaaaaaa2/9/9/9/A2AAAAAA/AAAAAAAAA/AAAAAAAAA b - 0/0");
  chase_events events = events_of(full, "c3E");
  CHECK_INT(events.bumps, 6);
  CHECK_INT(events.wraps, 1);
  exchanges(full, "");
  /* a die more has no room in the count: refused, not truncated */
  chase_setup setup;
  chase_position position = position_of(variant, full);
  chase_fault faults[CHASE_MAX_FAULTS];
  int count = 0;
  chase_position_unmake(&position, &setup);
  setup.board[54] = 1;
  CHECK_INT(chase_position_make(variant, &setup, &position, faults, &count),
            CHASE_INVALID_POSITION);
  with_rules("reserve=16,chain=yes");
  plays("AaAaAaAaA/aAaAaAaAa/AaAaAaAaA/9/9/aAaAaAaAa/AaAaAaAaA/aAaAa4/9 r", "i1E",
        "1AAaAaAaA/aAaAaAaAa/AaAaAaAaA/9/9/aAaAaAaAa/AaAaAaAaA/aAaAa4/9 r i2 0/1");
}

int main(void) {
  test_full_row_turns();
  test_bounces();
  test_first_direction_over_the_end_row();
  test_splits();
  test_exit_table();
  test_chamber_and_chains();
  test_double_capture();
  test_series();
  test_handing_out();
  test_exchanges();
  test_extreme_setups();
  test_reasons();
  test_25_dice_a_side();
  with_rules(NULL);
  return check_finish();
}
