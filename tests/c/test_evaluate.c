/* Static scores: the sum of weights times counts, on every instruction set; and
 * searches that come out alike on all of them. */
#include "twin.h"

enum { POSITIONS = 60, NODES = 3000, LINES = 3, MOST_WALK = 120 };

typedef struct bench {
  chase_variant *variant;
  chase_evaluator *evaluator;
} bench;

static bench bench_of(const chase_rules *rules, chase_isa isa, const chase_weights *weights) {
  bench b = {NULL, NULL};
  if (chase_variant_new(rules, isa, &b.variant) != CHASE_OK) give_up("variant", "bench");
  if (chase_evaluator_new(b.variant, weights, &b.evaluator) != CHASE_OK)
    give_up("evaluator", "bench");
  return b;
}

static void bench_free(bench *b) {
  chase_evaluator_free(b->evaluator);
  chase_variant_free(b->variant);
}

static int expected_score(const bench *b, const chase_weights *weights,
                          const chase_position *position) {
  int16_t count[CHASE_FEATURES];
  int winner;
  if (chase_position_outcome(b->variant, position, &winner) != CHASE_NOT_OVER)
    return -CHASE_SCORE_WIN;
  chase_features(b->variant, position, count);
  long sum = 0;
  for (int i = 0; i < CHASE_FEATURES; i++) sum += (long)weights->weight[i] * count[i];
  if (sum > CHASE_SCORE_LIMIT) sum = CHASE_SCORE_LIMIT;
  if (sum < -CHASE_SCORE_LIMIT) sum = -CHASE_SCORE_LIMIT;
  return (int)sum;
}

/* A random valid position, or one of a random game. */
static chase_position some_position(const chase_variant *variant, uint64_t *state) {
  chase_position position;
  if (random_below(state, 2)) {
    chase_setup setup;
    chase_fault faults[CHASE_MAX_FAULTS];
    int count = 0;
    random_setup(state, chase_variant_rules(variant), &setup);
    if (chase_position_make(variant, &setup, &position, faults, &count) != CHASE_OK)
      give_up("random position", "");
    return position;
  }
  chase_position_start(variant, &position);
  for (int left = random_below(state, MOST_WALK); left > 0; left--) {
    const int count = chase_decision_count(variant, &position);
    if (count == 0) break;
    const chase_decision decision =
        chase_decision_at(variant, &position, random_below(state, count));
    chase_apply_unchecked(variant, &position, decision);
  }
  return position;
}

/* Positions of one variant stand for those of the other: the rules are the same. */
static void search(const bench *b, const chase_position *position, chase_analysis *out) {
  chase_player_options options;
  chase_player *player = NULL;
  chase_game *game = NULL;
  chase_player_defaults(CHASE_PLAYER_AB, &options);
  options.nodes = NODES;
  options.hash_mib = 1;
  if (chase_player_new(b->variant, b->evaluator, &options, &player) != CHASE_OK)
    give_up("player", "ab");
  if (chase_game_new(b->variant, position, 40, &game) != CHASE_OK) give_up("game", "ab");
  CHECK_INT(chase_player_search(player, game, NULL, NULL, NULL, out), CHASE_OK);
  CHECK(out->nodes <= NODES);
  chase_game_free(game);
  chase_player_free(player);
}

static void same_search(const bench *a, const bench *b, const chase_position *position) {
  static chase_line lines[2][LINES];
  chase_analysis found[2] = {{.lines = lines[0], .capacity = LINES},
                             {.lines = lines[1], .capacity = LINES}};
  int winner;
  if (chase_position_outcome(a->variant, position, &winner) != CHASE_NOT_OVER) return;
  search(a, position, &found[0]);
  search(b, position, &found[1]);
  CHECK_INT(found[1].nodes, found[0].nodes);
  CHECK_INT(found[1].depth, found[0].depth);
  CHECK_INT(found[1].count, found[0].count);
  for (int i = 0; i < found[0].count && i < found[1].count; i++) {
    const chase_line *const x = &lines[0][i], *const y = &lines[1][i];
    CHECK_INT(y->score, x->score);
    CHECK_INT(y->length, x->length);
    CHECK(memcmp(x->pv, y->pv, (size_t)x->length * sizeof x->pv[0]) == 0);
  }
}

int main(void) {
  const bool both = isa_runs_here(CHASE_ISA_V3);
  const chase_isa other = both ? CHASE_ISA_V3 : CHASE_ISA_AUTO;
  uint64_t state = 3;
  for (int r = 0; r < RULES_TEXT_COUNT; r++) {
    const chase_rules rules = rules_of(RULES_TEXTS[r]);
    for (int i = 0; i < POSITIONS; i++) {
      const int most = i % 3 == 0 ? 30 : i % 3 == 1 ? 1000 : CHASE_MAX_WEIGHT;
      const bool plays = i == 1;
      const chase_weights weights = plays ? sensible_weights() : random_weights(&state, most);
      bench plain = bench_of(&rules, CHASE_ISA_GENERIC, &weights);
      bench fast = bench_of(&rules, other, &weights);
      const chase_position position = some_position(plain.variant, &state);
      look_at(plain.variant, &position);
      const int expected = expected_score(&plain, &weights, &position);
      CHECK_INT(chase_evaluate(plain.evaluator, &position), expected);
      CHECK_INT(chase_evaluate(fast.evaluator, &position), expected);
      if (plays) same_search(&plain, &fast, &position);
      look_at(NULL, NULL);
      bench_free(&plain);
      bench_free(&fast);
    }
  }
  return check_finish();
}
