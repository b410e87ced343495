/* What several test programs need: variants and positions from text, random
 * numbers, random valid positions, the rules they are tried under. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include "check.h"
#include "chase.h"
#include "players.h"

/* What the checks are looking at (the position is a copy); printed by
 * check_context. look_at(NULL, NULL) before the variant is freed. */
static const chase_variant *look_variant;
static chase_position look_position;

static inline void look_print(void) {
  char text[CHASE_CFEN_SIZE], rules[CHASE_RULES_SIZE];
  if (look_variant == NULL) return;
  chase_rules_format(chase_variant_rules(look_variant), rules);
  chase_cfen_format(&look_position, text);
  printf("  under %s (%s)\n  at %s\n", rules, chase_variant_isa(look_variant), text);
}

static inline void look_at(const chase_variant *variant, const chase_position *position) {
  look_variant = variant;
  if (position != NULL) look_position = *position;
  check_context = look_print;
}

/* A test that cannot set up what it is about has failed. */
static inline void give_up(const char *what, const char *text) {
  printf("cannot go on: %s: %s\n", what, text);
  exit(1);
}

static inline chase_rules rules_of(const char *text) {
  chase_rules rules;
  chase_error error;
  if (chase_rules_parse(text, strlen(text), &rules, &error) != CHASE_OK)
    give_up(text, error.message);
  return rules;
}

static inline chase_variant *variant_of(const char *text, chase_isa isa) {
  chase_rules rules = rules_of(text);
  chase_variant *variant = NULL;
  if (chase_variant_new(&rules, isa, &variant) != CHASE_OK) give_up("variant", text);
  return variant;
}

/* Weights set by hand: dice count most, then what is attacked and how free they are. */
static inline chase_evaluator *evaluator_of(const chase_variant *variant) {
  chase_weights weights = {{0}};
  for (int i = 0; i < 10; i++) weights.weight[CHASE_FEATURE_DICE + i] = 1000 * i;
  weights.weight[CHASE_FEATURE_MOBILITY] = 10;
  weights.weight[CHASE_FEATURE_REACH] = 15;
  weights.weight[CHASE_FEATURE_GUARDED] = 40;
  weights.weight[CHASE_FEATURE_SPARE] = 100;
  weights.weight[CHASE_FEATURE_ACT_ANY] = 500;
  weights.weight[CHASE_FEATURE_WAIT_TWO] = 200;
  chase_evaluator *evaluator = NULL;
  if (chase_evaluator_new(variant, &weights, &evaluator) != CHASE_OK)
    give_up("evaluator", "weights set by hand");
  return evaluator;
}

static inline bool isa_runs_here(chase_isa isa) {
  chase_rules rules;
  chase_variant *variant = NULL;
  chase_rules_default(&rules);
  chase_status status = chase_variant_new(&rules, isa, &variant);
  if (status == CHASE_OK) chase_variant_free(variant);
  return status == CHASE_OK;
}

static inline chase_position position_of(const chase_variant *variant, const char *cfen) {
  chase_setup setup;
  chase_position position;
  chase_error error;
  chase_fault faults[CHASE_MAX_FAULTS];
  char message[CHASE_MESSAGE_SIZE];
  int count = 0;
  if (chase_cfen_parse(variant, cfen, strlen(cfen), &setup, &error) != CHASE_OK)
    give_up(cfen, error.message);
  if (chase_position_make(variant, &setup, &position, faults, &count) != CHASE_OK) {
    chase_fault_format(&faults[0], message);
    give_up(cfen, message);
  }
  return position;
}

static inline chase_decision decision_of(const char *text) {
  chase_decision decision;
  chase_error error;
  if (chase_decision_parse(text, strlen(text), &decision, &error) != CHASE_OK)
    give_up(text, error.message);
  return decision;
}

static inline bool is_legal(const chase_variant *variant, const chase_position *position,
                            const char *text) {
  chase_error error;
  return chase_decision_check(variant, position, decision_of(text), &error) == CHASE_OK;
}

static inline bool same_setup(const chase_setup *a, const chase_setup *b) {
  return memcmp(a->board, b->board, sizeof a->board) == 0 && a->side == b->side &&
         a->capturing == b->capturing && a->spare[0] == b->spare[0] &&
         a->spare[1] == b->spare[1];
}

/* A copy of `length` bytes with nothing behind it, for the address sanitizer. */
static inline char *exact_copy(const char *text, size_t length) {
  char *copy = malloc(length > 0 ? length : 1);
  if (copy == NULL) give_up("memory", "exact_copy");
  if (length > 0) memcpy(copy, text, length);
  return copy;
}

/* ---- Random numbers (SplitMix64), not those under test --------------- */

static inline uint64_t random_next(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static inline int random_below(uint64_t *state, int bound) {
  return (int)(random_next(state) % (uint64_t)bound);
}

/* ---- Rules worth trying ---------------------------------------------- */

static const char *const RULES_TEXTS[] = {
    "standard", "rulebook", "russian", "wikipedia",
    "reserve=0", "reserve=2", "reserve=16", "recycle=no",
    "reserve=3,recycle=no", "wrap=no", "ricochet=no", "wrap=no,ricochet=no",
    "reserve=2,chain=yes,handout=any", "setup=143252341", "setup=123456111",
    "setup=111111111", "setup=666666666", "reserve=0,chain=yes,setup=111111111",
    "reserve=16,chain=yes,setup=222222222,ricochet=no",
    "reserve=16,recycle=no,chain=yes,handout=any,wrap=no", "reserve=5,setup=666666661",
    "chain=yes,repetition=moves",
};
enum { RULES_TEXT_COUNT = sizeof RULES_TEXTS / sizeof RULES_TEXTS[0] };

/* ---- Random positions that R13 allows -------------------------------- */

/* Puts dice of one side with `pips` pips in all on random empty cells. */
static inline void scatter(uint64_t *state, chase_setup *setup, int side, int dice, int pips) {
  int values[CHASE_MAX_DICE];
  for (int i = 0; i < dice; i++) values[i] = 1;
  for (int left = pips - dice; left > 0;) {
    int i = random_below(state, dice);
    if (values[i] < CHASE_MAX_VALUE) {
      values[i]++;
      left--;
    }
  }
  for (int i = 0; i < dice;) {
    int cell = random_below(state, CHASE_CELLS);
    if (cell == CHASE_CHAMBER || setup->board[cell] != 0) continue;
    setup->board[cell] = (int8_t)(side == CHASE_RED ? values[i] : -values[i]);
    i++;
  }
}

/* A random valid position; every third one has pips due, now and then so many
 * that the side to act has lost. */
static inline void random_setup(uint64_t *state, const chase_rules *rules, chase_setup *out) {
  int total = chase_rules_total(rules);
  memset(out, 0, sizeof *out);
  out->side = random_below(state, 2);
  out->capturing = CHASE_NO_CELL;
  for (int side = 0; side < 2; side++) {
    int most = CHASE_HOME_DICE + rules->reserve, least = (total + 5) / 6;
    int pips = total;
    if (most > total) most = total;
    if (side == out->side && random_below(state, 3) == 0) {
      pips -= 1 + random_below(state, total < 7 ? total : 7);
      if (random_below(state, 4) != 0 && least > most - 1) pips = total;
    }
    if (least > (pips + 5) / 6 && random_below(state, 4) == 0) least = (pips + 5) / 6;
    if (most > pips) most = pips;
    if (least > most) least = most;
    int dice = least + random_below(state, most - least + 1);
    scatter(state, out, side, dice, pips);
    int spare = CHASE_HOME_DICE + rules->reserve - dice;
    if (!rules->recycle) {
      if (spare > rules->reserve) spare = rules->reserve;
      spare = random_below(state, spare + 1);
    }
    out->spare[side] = spare;
  }
}

#endif
