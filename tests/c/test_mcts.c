/* The tree search: what it proves against plain minimax, its limits, its memory, and
 * what it keeps from turn to turn. */
#include "player.h"
#include "support.h"

enum { LINES = CHASE_MAX_DECISIONS };

static chase_line lines[LINES];

static chase_player_options options_of(uint64_t sims) {
  chase_player_options options;
  chase_player_defaults(CHASE_PLAYER_MCTS, &options);
  options.sims = sims;
  options.seed = 5;
  options.hash_mib = 16;
  return options;
}

static chase_player *player_of(const chase_variant *variant, const chase_evaluator *evaluator,
                               const chase_player_options *options) {
  chase_player *player = NULL;
  if (chase_player_new(variant, evaluator, options, &player) != CHASE_OK)
    give_up("player", "mcts");
  return player;
}

static chase_game *game_of(const chase_variant *variant, const chase_position *start,
                           uint32_t max_turns) {
  chase_game *game = NULL;
  if (chase_game_new(variant, start, max_turns, &game) != CHASE_OK) give_up("game", "memory");
  return game;
}

static chase_analysis search(chase_player *player, const chase_game *game, int capacity,
                             chase_stop_flag *stop) {
  chase_analysis analysis = {.lines = lines, .capacity = capacity};
  CHECK_INT(chase_player_search(player, game, stop, NULL, NULL, &analysis), CHASE_OK);
  return analysis;
}

/* A new player's search of a position without history. */
static chase_analysis search_position(const chase_evaluator *evaluator,
                                      const chase_variant *variant,
                                      const chase_position *position,
                                      const chase_player_options *options, int capacity) {
  chase_player *player = player_of(variant, evaluator, options);
  chase_game *game = game_of(variant, position, 0);
  const chase_analysis analysis = search(player, game, capacity, NULL);
  chase_game_free(game);
  chase_player_free(player);
  return analysis;
}

static bool random_position(uint64_t *state, const chase_variant *variant, chase_position *out) {
  chase_setup setup;
  chase_fault faults[CHASE_MAX_FAULTS];
  int count = 0, winner;
  random_setup(state, chase_variant_rules(variant), &setup);
  CHECK_INT(chase_position_make(variant, &setup, out, faults, &count), CHASE_OK);
  look_at(variant, out);
  return chase_position_outcome(variant, out, &winner) == CHASE_NOT_OVER;
}

/* ---- what lines promise ---- */

static void check_line(const chase_variant *variant, const chase_position *position,
                       const chase_line *line) {
  chase_position at = *position;
  CHECK(line->length >= 1 && line->length <= CHASE_MAX_PV);
  for (int i = 0; i < line->length; i++) {
    chase_error error;
    if (!CHECK_INT(chase_apply(variant, &at, line->pv[i], &at, &error), CHASE_OK)) return;
  }
}

static void check_lines(const chase_variant *variant, const chase_position *position,
                        const chase_analysis *analysis) {
  uint64_t visits = 0;
  CHECK_INT(analysis->count, chase_decision_count(variant, position));
  for (int i = 0; i < analysis->count; i++) {
    check_line(variant, position, &lines[i]);
    visits += lines[i].nodes;
    for (int k = 0; k < i; k++) CHECK(lines[i].pv[0] != lines[k].pv[0]);
    if (i > 0) CHECK(lines[i].score <= lines[i - 1].score);
    const bool open = lines[i].score > -CHASE_SCORE_PROVEN && lines[i].score < CHASE_SCORE_PROVEN;
    CHECK(!open || (lines[i].score <= CHASE_SCORE_LIMIT && lines[i].score >= -CHASE_SCORE_LIMIT));
    const bool proven_before = i > 0 && lines[i - 1].score >= CHASE_SCORE_PROVEN;
    if (i > 0 && open && !proven_before) CHECK(lines[i].nodes <= lines[i - 1].nodes);
  }
  CHECK_INT(visits, analysis->sims);
  CHECK_INT(analysis->depth, lines[0].depth);
}

static void test_random_walks(void) {
  static const uint32_t rollouts[] = {8, 0, CHASE_FULL_ROLLOUT, 300};
  uint64_t state = 1;
  for (int r = 0; r < RULES_TEXT_COUNT; r++) {
    chase_variant *variant = variant_of(RULES_TEXTS[r], CHASE_ISA_AUTO);
    chase_evaluator *evaluator = evaluator_of(variant);
    for (int round = 0; round < 8; round++) {
      chase_position position;
      if (!random_position(&state, variant, &position)) continue;
      chase_player_options options = options_of(90);
      options.policy = round % 2 ? CHASE_UCT : CHASE_PUCT;
      options.rollout = rollouts[round / 2];
      const chase_analysis analysis =
          search_position(evaluator, variant, &position, &options, LINES);
      check_lines(variant, &position, &analysis);
      CHECK(analysis.sims == 90 || lines[0].score >= CHASE_SCORE_PROVEN ||
            lines[0].score <= -CHASE_SCORE_PROVEN);
      CHECK(!analysis.stopped && analysis.polls * 16 >= analysis.sims &&
            analysis.polls * 1000 >= analysis.nodes);
    }
    look_at(NULL, NULL);
    chase_evaluator_free(evaluator);
    chase_variant_free(variant);
  }
}

/* ---- proofs, against minimax without anything ---- */

/* The proven score within `depth` decisions, or 0. */
static int solve(const chase_variant *variant, const chase_position *position, int depth) {
  chase_decision list[CHASE_MAX_DECISIONS];
  const int n = chase_decision_list(variant, position, list);
  if (n == 0) return -CHASE_SCORE_WIN;
  if (depth == 0) return 0;
  int best = -CHASE_SCORE_WIN;
  bool open = false;
  for (int i = 0; i < n; i++) {
    chase_position child = *position;
    chase_apply_unchecked(variant, &child, list[i]);
    int score = solve(variant, &child, depth - 1);
    if (child.side != position->side) score = -score;
    if (score == 0) open = true;
    else if (score > best) best = score;
    if (best == CHASE_SCORE_WIN) break;
  }
  if (best > 0) return best - 1;
  return open ? 0 : best + 1;
}

static bool is_proven(int score) {
  return score >= CHASE_SCORE_PROVEN || score <= -CHASE_SCORE_PROVEN;
}

/* The fewest dice and now and then one more, so that much is decided soon. */
static void random_ending(uint64_t *state, const chase_variant *variant, chase_position *out) {
  const chase_rules *const rules = chase_variant_rules(variant);
  const int total = chase_rules_total(rules);
  const int least = (total + CHASE_MAX_VALUE - 1) / CHASE_MAX_VALUE;
  for (;;) {
    chase_setup setup = {.side = random_below(state, 2), .capturing = CHASE_NO_CELL};
    for (int side = 0; side < 2; side++) {
      const int dice = least + (random_below(state, 5) < 2);
      scatter(state, &setup, side, dice, total);
      setup.spare[side] = CHASE_HOME_DICE + rules->reserve - dice;
    }
    chase_fault faults[CHASE_MAX_FAULTS];
    int count = 0, winner;
    CHECK_INT(chase_position_make(variant, &setup, out, faults, &count), CHASE_OK);
    look_at(variant, out);
    if (chase_position_outcome(variant, out, &winner) == CHASE_NOT_OVER) return;
  }
}

/* Every win and loss that minimax sees in three decisions is proven; what is proven
 * to be as near is what minimax says. */
static void test_proofs(const char *rules, int positions) {
  uint64_t state = 2;
  int won[4] = {0}, lost[4] = {0};
  chase_variant *variant = variant_of(rules, CHASE_ISA_AUTO);
  chase_evaluator *evaluator = evaluator_of(variant);
  for (int i = 0; i < positions; i++) {
    chase_position position;
    random_ending(&state, variant, &position);
    const int expected = solve(variant, &position, 3);
    chase_player_options options = options_of(expected ? 20000 : 300);
    options.policy = i % 2 ? CHASE_UCT : CHASE_PUCT;
    const chase_analysis analysis = search_position(evaluator, variant, &position, &options, 1);
    const int score = lines[0].score;
    const int distance = CHASE_SCORE_WIN - abs(score);
    if (expected) {
      CHECK(is_proven(score) && (score > 0) == (expected > 0));
      CHECK(distance >= CHASE_SCORE_WIN - abs(expected));
      CHECK(analysis.sims < 20000);
      ++*(expected > 0 ? &won[CHASE_SCORE_WIN - expected] : &lost[CHASE_SCORE_WIN + expected]);
    }
    if (expected == CHASE_SCORE_WIN - 1) CHECK_INT(score, expected);
    if (is_proven(score) && distance <= 3) CHECK(expected && (score > 0) == (expected > 0));
  }
  /* wins in one and two turns, losses at once */
  CHECK(won[1] >= 10 && won[3] >= 5 && lost[2] >= 5);
  look_at(NULL, NULL);
  chase_evaluator_free(evaluator);
  chase_variant_free(variant);
}

/* ---- limits ---- */

typedef struct reported {
  int calls;
  uint64_t sims;
  int stop_after;
} reported;

static bool on_report(void *context, const chase_analysis *analysis) {
  reported *const seen = context;
  CHECK_INT(analysis->sims, seen->calls == 0 ? 64 : 2 * seen->sims);
  CHECK(analysis->count == 1 && analysis->lines[0].length >= 1);
  seen->sims = analysis->sims;
  return ++seen->calls == seen->stop_after;
}

static void test_limits(const chase_variant *variant, const chase_evaluator *evaluator) {
  chase_position start;
  chase_position_start(variant, &start);
  chase_game *game = game_of(variant, &start, 0);
  chase_player_options options = options_of(0);
  const int32_t stop = 1;

  chase_player *player = player_of(variant, evaluator, &options);
  chase_analysis analysis = search(player, game, LINES, &stop);
  CHECK(analysis.stopped && analysis.sims == 0 && analysis.polls >= 1 && analysis.nodes <= 1000);
  check_lines(variant, &start, &analysis);
  chase_decision decision;
  CHECK_INT(chase_player_choose(player, game, &stop, NULL, NULL, NULL, &decision), CHASE_STOPPED);
  chase_error error;
  CHECK_INT(chase_decision_check(variant, &start, decision, &error), CHASE_OK);

  reported seen = {.stop_after = 4};
  analysis = (chase_analysis){.lines = lines, .capacity = 1};
  CHECK_INT(chase_player_search(player, game, NULL, on_report, &seen, &analysis), CHASE_OK);
  CHECK(analysis.stopped && analysis.sims == 512 && seen.calls == 4);
  chase_player_free(player);

  options = options_of(1000);
  player = player_of(variant, evaluator, &options);
  seen = (reported){.stop_after = 0};
  CHECK_INT(chase_player_search(player, game, NULL, on_report, &seen, &analysis), CHASE_OK);
  CHECK(!analysis.stopped && analysis.sims == 1000 && seen.calls == 4);
  chase_player_free(player);
  chase_game_free(game);
}

/* A search never ends a game that its rules do not end. */
static void test_endless_rollouts(void) {
  chase_variant *variant = variant_of("rulebook", CHASE_ISA_AUTO);
  chase_evaluator *evaluator = evaluator_of(variant);
  chase_position start;
  chase_position_start(variant, &start);
  chase_player_options options = options_of(30);
  options.rollout = CHASE_FULL_ROLLOUT;
  const chase_analysis analysis = search_position(evaluator, variant, &start, &options, 1);
  CHECK_INT(analysis.sims, 30);
  CHECK(analysis.nodes > 30 * 50 && analysis.polls * 1000 >= analysis.nodes);
  chase_evaluator_free(evaluator);
  chase_variant_free(variant);
}

/* With one turn left, whatever does not win at once is a draw: so says every full
 * rollout, and nothing but 0 and wins comes up. */
static void test_turn_limit(const chase_variant *variant, const chase_evaluator *evaluator) {
  static const uint32_t rollouts[] = {0, 8, CHASE_FULL_ROLLOUT};
  chase_position start;
  chase_position_start(variant, &start);
  for (int i = 0; i < 3; i++) {
    chase_player_options options = options_of(400);
    options.rollout = rollouts[i];
    chase_game *game = game_of(variant, &start, 1);
    chase_player *player = player_of(variant, evaluator, &options);
    const chase_analysis analysis = search(player, game, LINES, NULL);
    for (int k = 0; k < analysis.count; k++)
      if (lines[k].nodes >= lines[0].nodes) CHECK_INT(lines[k].score, 0);
    CHECK_INT(analysis.sims, 400);
    chase_player_free(player);
    chase_game_free(game);
  }
}

/* ---- reproducibility ---- */

/* Decisions, scores and counts of a game of the player against itself, hashed. */
static uint64_t play(const chase_variant *variant, const chase_evaluator *evaluator,
                     const chase_player_options *options, uint64_t game_seed, int turns) {
  chase_position start;
  chase_position_start(variant, &start);
  chase_game *game = game_of(variant, &start, (uint32_t)turns);
  chase_player *players[2];
  for (int side = 0; side < 2; side++) {
    players[side] = player_of(variant, evaluator, options);
    chase_player_new_game(players[side], game_seed, side);
  }
  uint64_t code = 0;
  int winner;
  while (chase_game_outcome(game, &winner) == CHASE_NOT_OVER) {
    const int side = chase_game_position(game)->side;
    chase_analysis analysis = {.lines = lines, .capacity = 8};
    chase_decision decision;
    CHECK_INT(chase_player_choose(players[side], game, NULL, NULL, NULL, &analysis, &decision), CHASE_OK);
    const uint64_t seen = (uint64_t)(uint32_t)lines[0].score << 32 ^ analysis.nodes << 18 ^ decision;
    code = (code ^ seen) * 0x9e3779b97f4a7c15u;
    code ^= code >> 31;
    CHECK_INT(chase_game_push(game, decision), CHASE_OK);
  }
  for (int side = 0; side < 2; side++) chase_player_free(players[side]);
  chase_game_free(game);
  return code;
}

static void test_reproducible(void) {
  static const char *const rules[] = {"standard", "russian", "repetition=moves"};
  for (int r = 0; r < 3; r++) {
    chase_variant *variant = variant_of(rules[r], CHASE_ISA_AUTO);
    chase_variant *generic = variant_of(rules[r], CHASE_ISA_GENERIC);
    chase_evaluator *evaluator = evaluator_of(variant), *other = evaluator_of(generic);
    for (int policy = CHASE_PUCT; policy <= CHASE_UCT; policy++) {
      chase_player_options options = options_of(120);
      options.policy = (chase_tree_policy)policy;
      options.temp = policy == CHASE_UCT ? 200 : 0;
      const uint64_t code = play(variant, evaluator, &options, 1, 30);
      CHECK(play(variant, evaluator, &options, 1, 30) == code);
      CHECK(play(generic, other, &options, 1, 30) == code);
      CHECK(play(variant, evaluator, &options, 2, 30) != code);
      options.seed++;
      CHECK(play(variant, evaluator, &options, 1, 30) != code);
    }
    chase_evaluator_free(evaluator);
    chase_evaluator_free(other);
    chase_variant_free(variant);
    chase_variant_free(generic);
  }
}

/* ---- from turn to turn ---- */

/* After each decision the tree below it, as counted before, is the new tree; a
 * cleared player has none. */
static void test_reuse(const chase_variant *variant, const chase_evaluator *evaluator) {
  const int32_t stop = 1;
  chase_position start;
  chase_position_start(variant, &start);
  chase_game *game = game_of(variant, &start, 0);
  chase_player_options options = options_of(3000);
  chase_player *player = player_of(variant, evaluator, &options);
  int32_t pv_kept = 0;
  for (int turn = 0; turn < 12; turn++) {
    search(player, game, LINES, NULL);
    const chase_line best = lines[0];
    CHECK_INT(chase_game_push(game, best.pv[0]), CHASE_OK);
    const chase_analysis kept = search(player, game, LINES, &stop);
    uint64_t below = 0;
    int32_t deepest = 0;
    for (int i = 0; i < kept.count; i++) {
      below += lines[i].nodes;
      if (lines[i].nodes && lines[i].depth > deepest) deepest = lines[i].depth;
    }
    /* The first visit of a node goes to no child. */
    CHECK_INT(below + 1, best.nodes);
    CHECK_INT(kept.nodes, 0);
    CHECK_INT(deepest, best.depth - 1);
    if (best.length > 1) {
      CHECK_INT(lines[0].pv[0], best.pv[1]);
      CHECK_INT(lines[0].length, best.length - 1);
      pv_kept++;
    }
    for (int i = 0; i < kept.count; i++)
      check_line(variant, chase_game_position(game), &lines[i]);
  }
  CHECK(pv_kept >= 10);
  chase_player_new_game(player, 1, CHASE_RED);
  CHECK(search(player, game, LINES, &stop).nodes > 0);
  for (int i = 0; i < chase_decision_count(variant, chase_game_position(game)); i++)
    CHECK_INT(lines[i].nodes, 0);

  /* Another game, though of the same positions at the end, is another tree. */
  search(player, game, 1, NULL);
  chase_game *other = game_of(variant, chase_game_position(game), 0);
  CHECK(search(player, other, 1, &stop).nodes > 0);
  CHECK_INT(lines[0].nodes, 0);
  chase_game_free(other);
  chase_game_free(game);
  chase_player_free(player);
}

/* A tree that has reached its cap goes on with the nodes it has. */
static void test_small_cap(const chase_variant *variant, const chase_evaluator *evaluator) {
  chase_position start;
  chase_position_start(variant, &start);
  chase_player_options options = options_of(6000);
  options.hash_mib = 1;
  chase_player *player = player_of(variant, evaluator, &options);
  bool full = false;
  for (int round = 0; round < 3; round++) {
    chase_game *game = game_of(variant, &start, 0);
    for (int turn = 0; turn < 6; turn++) {
      const chase_analysis analysis = search(player, game, LINES, NULL);
      CHECK_INT(analysis.sims, 6000);
      CHECK(player->tree->size * sizeof(chase_node) <= 1 << 20);
      CHECK(player->tree->used <= player->tree->size);
      full |= player->tree->size - player->tree->used < CHASE_MAX_DECISIONS;
      for (int i = 0; i < analysis.count; i++)
        check_line(variant, chase_game_position(game), &lines[i]);
      CHECK_INT(chase_game_push(game, lines[0].pv[0]), CHASE_OK);
    }
    chase_game_free(game);
  }
  CHECK(full);
  chase_player_free(player);
}

int main(void) {
  chase_variant *variant = variant_of("standard", CHASE_ISA_AUTO);
  chase_evaluator *evaluator = evaluator_of(variant);
  test_limits(variant, evaluator);
  test_turn_limit(variant, evaluator);
  test_reuse(variant, evaluator);
  test_small_cap(variant, evaluator);
  chase_evaluator_free(evaluator);
  chase_variant_free(variant);
  test_endless_rollouts();
  test_random_walks();
  test_proofs("standard", 250);
  test_proofs("russian", 250);
  test_reproducible();
  return check_finish();
}
