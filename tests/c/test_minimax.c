/* The verification mode against its twin at depths 1 to 4, on the positions of the
 * vectors under all their rules. CHASE_THOROUGH in the environment: many positions. */
#include "twin.h"
#include "vectors.h"

enum { DEPTH = 4, CAPACITY = 1, STRIDE = 29 };

static int reached[DEPTH + 1]; /* positions by the last depth that the twin could afford */

static int verified(const chase_variant *variant, const chase_evaluator *evaluator,
                    const chase_position *position, int depth, bool table) {
  chase_player_options options;
  chase_player *player = NULL;
  chase_game *game = NULL;
  chase_line line[CAPACITY];
  chase_analysis analysis = {.lines = line, .capacity = CAPACITY};
  chase_player_defaults(CHASE_PLAYER_AB, &options);
  options.depth = depth;
  options.verify = true;
  options.table = table;
  options.hash_mib = 1;
  if (chase_player_new(variant, evaluator, &options, &player) != CHASE_OK)
    give_up("player", "verify");
  if (chase_game_new(variant, position, 0, &game) != CHASE_OK) give_up("game", "verify");
  CHECK_INT(chase_player_search(player, game, NULL, NULL, NULL, &analysis), CHASE_OK);
  CHECK_INT(analysis.depth, depth);
  chase_game_free(game);
  chase_player_free(player);
  return line[0].score;
}

/* Returns the last depth that was compared. */
static int compare(const chase_variant *variant, const chase_position *position, uint64_t most) {
  const chase_weights weights = sensible_weights();
  chase_evaluator *evaluator = NULL;
  if (chase_evaluator_new(variant, &weights, &evaluator) != CHASE_OK) give_up("evaluator", "");
  twin t;
  twin_begin(&t, variant, evaluator, most);
  int depth = 0;
  /* A decision more takes ten times as many nodes, or more than that. */
  while (depth < DEPTH && t.nodes < most / 10) {
    const int expected = twin_score(&t, position, depth + 1);
    if (twin_exceeded(&t)) break;
    depth++;
    look_at(variant, position);
    CHECK_INT(verified(variant, evaluator, position, depth, true), expected);
    CHECK_INT(verified(variant, evaluator, position, depth, false), expected);
  }
  twin_end(&t);
  chase_evaluator_free(evaluator);
  return depth;
}

/* Compares the next position of the file; false at the end of the file. */
static bool compare_next(vector_file *vectors, bool skip, uint64_t most) {
  chase_rules rules;
  char cfen[CHASE_CFEN_SIZE];
  if (!vectors_next(vectors, &rules, cfen)) return false;
  if (skip) return true;
  rules.repetition = CHASE_REPETITION_NONE;
  chase_variant *variant = NULL;
  int winner;
  if (chase_variant_new(&rules, CHASE_ISA_AUTO, &variant) != CHASE_OK) give_up("variant", cfen);
  const chase_position position = position_of(variant, cfen);
  if (chase_position_outcome(variant, &position, &winner) == CHASE_NOT_OVER)
    reached[compare(variant, &position, most)]++;
  look_at(NULL, NULL);
  chase_variant_free(variant);
  return true;
}

int main(void) {
  const bool thorough = getenv("CHASE_THOROUGH") != NULL;
  const int wanted = thorough ? 200 : 10; /* positions compared at depth 4 */
  const uint64_t most = thorough ? 3000000 : 60000;
  static vector_file vectors;
  /* The file has all positions of one rule set together. */
  for (int pass = 0; pass < STRIDE && reached[DEPTH] < wanted; pass++) {
    vectors_open(&vectors, "tests/golden/vectors/positions.jsonl");
    int n = 0;
    while (compare_next(&vectors, n % STRIDE != pass, most)) n++;
  }
  printf("positions compared to depth 0..4: %d %d %d %d %d\n", reached[0], reached[1], reached[2],
         reached[3], reached[4]);
  CHECK(reached[DEPTH] >= wanted);
  return check_finish();
}
