/* perft: known numbers, its definition, its limits. */
#define _XOPEN_SOURCE 700
#include "support.h"

#include <signal.h>
#include <sys/time.h>

static const chase_isa ISAS[] = {CHASE_ISA_GENERIC, CHASE_ISA_V3};

typedef struct known {
  const char *rules, *cfen;
  uint64_t decisions[4], turns[4]; /* by depth, from 1; 0 = not given */
} known;

static const known KNOWN[] = {
    {"standard", "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r", {46, 2114, 95578, 4302438},
     {46, 2114, 95904, 4356072}},
    {"reserve=0", "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r", {46, 2114, 95578}, {46, 2114, 95904}},
    {"reserve=3", "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r", {46, 2114, 95578}, {46, 2114, 95904}},
    {"recycle=no", "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 1/1", {46, 2114, 95578},
     {46, 2114, 95904}},
    {"chain=yes", "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r", {46, 2114, 95578}, {46, 2118, 96220}},
    {"handout=any", "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r", {46, 2114, 95602},
     {46, 2114, 101384}},
    {"setup=143252341", "adcbebcda/9/9/9/9/9/9/9/ADCBEBCDA r", {54, 2916, 152552},
     {54, 2916, 152912}},
    {"wrap=no", "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r", {41, 1679, 66389}, {41, 1679, 66665}},
    {"ricochet=no", "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r", {46, 2114, 94754}, {46, 2114, 95080}},
    {"standard", "1bcf5/9/9/4a4/3f1b1B1/3C3e1/9/2A6/1B2F1AFD b - 2/3", {32, 968, 30219},
     {32, 1128}},
    {"standard", "bcecd4/7a1/9/1f7/a8/6B2/4F4/3A1C2D/3D1B1C1 b - 2/2", {46, 1847, 79908},
     {46, 1847}},
    {"reserve=0", "7f1/7b1/Cc5f1/1c7/5BD2/2eC5/9/A8/A1D2E1B1 r - 0/3", {38, 1142, 41207},
     {38, 1158}},
    {"reserve=2", "c8/6f2/4B4/5a3/5B3/C2B2C2/4fc3/5F3/E6B1 b - 3/6", {1, 2, 35}, {35, 1448}},
    {"reserve=7", "1ba1f1baa/9/9/5Ecc1/9/5B1C1/f5B2/9/C2BE1B1A b - 7/7", {36, 1429, 50517},
     {36, 1461}},
    {"recycle=no", "d2aadedb/9/9/9/8d/9/A1B6/9/D1EFEB3 b - 1/1", {38, 1096, 42128}, {38, 1096}},
    {"chain=yes", "b1a1afbfb/7c1/9/9/b8/9/7B1/8F/A1BC1BCAE r - 1/1", {51, 2600, 130496},
     {51, 2603}},
    {"chain=yes,handout=any,reserve=2", "abcdefaba/9/9/9/9/1C7/9/9/ABDEFA1BA r - 2/2",
     {43, 1888, 81422}, {43, 1888}},
};

static uint64_t perft(const chase_variant *variant, const chase_position *position, int depth,
                      chase_unit unit) {
  uint64_t count = 0xdead;
  CHECK_INT(chase_perft(variant, position, depth, unit, NULL, &count), CHASE_OK);
  return count;
}

static void test_known(chase_isa isa) {
  for (size_t i = 0; i < sizeof KNOWN / sizeof KNOWN[0]; i++) {
    chase_variant *variant = variant_of(KNOWN[i].rules, isa);
    chase_position position = position_of(variant, KNOWN[i].cfen);
    look_at(variant, &position);
    CHECK_INT(perft(variant, &position, 0, CHASE_DECISIONS), 1);
    CHECK_INT(perft(variant, &position, 0, CHASE_TURNS), 1);
    for (int d = 0; d < 4; d++) {
      if (KNOWN[i].decisions[d] > 0)
        CHECK_INT(perft(variant, &position, d + 1, CHASE_DECISIONS), KNOWN[i].decisions[d]);
      if (KNOWN[i].turns[d] > 0)
        CHECK_INT(perft(variant, &position, d + 1, CHASE_TURNS), KNOWN[i].turns[d]);
    }
    look_at(NULL, NULL);
    chase_variant_free(variant);
  }
}

/* The definition in terms of the list: sequences of decisions, or of turns, which
 * end when the other side has to act. */
static uint64_t literal(const chase_variant *variant, const chase_position *position, int depth,
                        chase_unit unit) {
  chase_decision list[CHASE_MAX_DECISIONS];
  uint64_t sum = 0;
  if (depth == 0) return 1;
  int count = chase_decision_list(variant, position, list);
  for (int i = 0; i < count; i++) {
    chase_position after = *position;
    chase_apply_unchecked(variant, &after, list[i]);
    bool spent = unit == CHASE_DECISIONS || after.side != position->side;
    sum += literal(variant, &after, depth - spent, unit);
  }
  return sum;
}

static void test_definition(chase_isa isa) {
  uint64_t state = 4;
  for (int r = 0; r < RULES_TEXT_COUNT; r++) {
    chase_variant *variant = variant_of(RULES_TEXTS[r], isa);
    for (int round = 0; round < 12; round++) {
      chase_position position;
      chase_setup setup;
      chase_fault faults[CHASE_MAX_FAULTS];
      int count = 0;
      random_setup(&state, chase_variant_rules(variant), &setup);
      if (!CHECK_INT(chase_position_make(variant, &setup, &position, faults, &count), CHASE_OK))
        continue;
      look_at(variant, &position);
      for (int ply = 0; ply < 8; ply++) {
        CHECK_INT(perft(variant, &position, 1, CHASE_DECISIONS),
                  chase_decision_count(variant, &position));
        CHECK_INT(perft(variant, &position, 2, CHASE_DECISIONS),
                  literal(variant, &position, 2, CHASE_DECISIONS));
        /* handing out many pips in any order multiplies turns: not too many */
        if (chase_position_due(variant, &position) <= 3)
          CHECK_INT(perft(variant, &position, 1, CHASE_TURNS),
                    literal(variant, &position, 1, CHASE_TURNS));
        if ((count = chase_decision_count(variant, &position)) == 0) break;
        chase_apply_unchecked(
            variant, &position,
            chase_decision_at(variant, &position, random_below(&state, count)));
      }
      look_at(NULL, NULL);
    }
    chase_variant_free(variant);
  }
}

/* From the middle of a turn its rest counts as one turn. */
static void test_middle_of_a_turn(void) {
  chase_variant *variant = variant_of("russian", CHASE_ISA_AUTO);
  chase_position series =
      position_of(variant, "bbcdedc2/9/9/9/9/3aA4/9/9/1BCDEDCBA r d5 1/2");
  CHECK_INT(perft(variant, &series, 1, CHASE_DECISIONS), 2);
  CHECK_INT(perft(variant, &series, 1, CHASE_TURNS),
            literal(variant, &series, 1, CHASE_TURNS));
  CHECK_INT(perft(variant, &series, 2, CHASE_TURNS),
            literal(variant, &series, 2, CHASE_TURNS));
  chase_variant_free(variant);
  variant = variant_of("standard", CHASE_ISA_AUTO);
  chase_position due = position_of(variant, "c8/6f2/4B4/5a3/5B3/C2B2C2/4fc3/5F3/E6B1 b - 2/5");
  CHECK_INT(perft(variant, &due, 1, CHASE_DECISIONS), 1);
  CHECK_INT(perft(variant, &due, 1, CHASE_TURNS), 35);
  chase_variant_free(variant);
}

static void test_ended(void) {
  chase_variant *variant = variant_of("standard", CHASE_ISA_AUTO);
  static const char *const ended[] = {
      "ffffa4/9/9/9/9/9/9/9/FFFF5 r - 6/5",
      "2bE2E1E/9/b1E1c2c1/2bcE3c/3b5/9/9/5c3/3b5 r - 5/0"};
  for (int i = 0; i < 2; i++) {
    chase_position position = position_of(variant, ended[i]);
    for (int unit = 0; unit < 2; unit++) {
      CHECK_INT(perft(variant, &position, 0, (chase_unit)unit), 1);
      for (int depth = 1; depth <= CHASE_MAX_PERFT_DEPTH; depth++)
        CHECK_INT(perft(variant, &position, depth, (chase_unit)unit), 0);
    }
  }
  chase_variant_free(variant);
}

static void test_bad_arguments(void) {
  chase_variant *variant = variant_of("standard", CHASE_ISA_AUTO);
  chase_position start;
  uint64_t count = 0;
  static const int depths[] = {-1, CHASE_MAX_PERFT_DEPTH + 1, INT32_MAX, INT32_MIN};
  chase_position_start(variant, &start);
  for (size_t i = 0; i < sizeof depths / sizeof depths[0]; i++)
    for (int unit = 0; unit < 2; unit++)
      CHECK_INT(chase_perft(variant, &start, depths[i], (chase_unit)unit, NULL, &count),
                CHASE_BAD_ARGUMENT);
  CHECK_INT(chase_perft(variant, &start, 1, (chase_unit)2, NULL, &count), CHASE_BAD_ARGUMENT);
  CHECK_INT(chase_perft(variant, &start, 1, (chase_unit)99, NULL, &count), CHASE_BAD_ARGUMENT);
  chase_variant_free(variant);
}

static int32_t stop_flag;

static void set_stop_flag(int signal_number) {
  (void)signal_number;
  stop_flag = 1;
}

/* A perft that would never end, stopped by a signal and by a flag set before. */
static void test_stop(chase_isa isa) {
  chase_variant *variant = variant_of("standard", isa);
  struct itimerval soon = {.it_value = {.tv_usec = 30000}};
  struct sigaction action = {.sa_handler = set_stop_flag};
  chase_position start;
  uint64_t count = 0;
  chase_position_start(variant, &start);
  sigaction(SIGALRM, &action, NULL);
  for (int unit = 0; unit < 2; unit++) {
    stop_flag = 0;
    setitimer(ITIMER_REAL, &soon, NULL);
    CHECK_INT(chase_perft(variant, &start, 20, (chase_unit)unit, &stop_flag, &count),
              CHASE_STOPPED);
    CHECK_INT(chase_perft(variant, &start, 20, (chase_unit)unit, &stop_flag, &count),
              CHASE_STOPPED);
    stop_flag = 0;
    CHECK_INT(chase_perft(variant, &start, 2, (chase_unit)unit, &stop_flag, &count), CHASE_OK);
    CHECK_INT(count, 2114);
  }
  chase_variant_free(variant);
}

int main(void) {
  for (size_t i = 0; i < sizeof ISAS / sizeof ISAS[0]; i++) {
    if (!isa_runs_here(ISAS[i])) continue;
    test_known(ISAS[i]);
    test_definition(ISAS[i]);
    test_stop(ISAS[i]);
  }
  test_middle_of_a_turn();
  test_ended();
  test_bad_arguments();
  return check_finish();
}
