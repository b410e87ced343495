/* Searching again and again does not take more and more memory. CHASE_SOAK_SECONDS in the
 * environment: for how long; without it so many searches. */
#define _POSIX_C_SOURCE 200809L
#include "twin.h"

#include <sys/resource.h>
#include <time.h>

enum { WARM_UP = 300, SEARCHES = 600, NODES = 300, SLACK_KIB = 2048 };

/* The most memory that the program ever held, in KiB (Linux's unit). */
static long peak_kib(void) {
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) != 0) give_up("getrusage", "");
  return usage.ru_maxrss;
}

/* One game's first moves by one player of each kind, all made anew. */
static void search_once(const chase_variant *variant, const chase_evaluator *evaluator,
                        uint64_t number) {
  chase_player_options options;
  chase_player *player = NULL;
  chase_game *game = NULL;
  chase_position start;
  chase_line lines[2];
  const chase_player_kind kind = (chase_player_kind)(number % CHASE_PLAYER_KINDS);
  chase_position_start(variant, &start);
  chase_player_defaults(kind, &options);
  options.nodes = NODES;
  options.sims = NODES;
  options.hash_mib = 1;
  if (chase_player_new(variant, evaluator, &options, &player) != CHASE_OK) give_up("player", "");
  if (chase_game_new(variant, &start, 50, &game) != CHASE_OK) give_up("game", "");
  for (int n = 0; n < 3; n++) {
    chase_analysis analysis = {.lines = lines, .capacity = 2};
    chase_decision decision;
    CHECK_INT(chase_player_search(player, game, NULL, NULL, NULL, &analysis), CHASE_OK);
    CHECK_INT(chase_player_choose(player, game, NULL, NULL, NULL, NULL, &decision), CHASE_OK);
    CHECK_INT(chase_game_push(game, decision), CHASE_OK);
    if (n == 1) chase_player_new_game(player, number, CHASE_BLUE);
  }
  chase_game_free(game);
  chase_player_free(player);
}

int main(void) {
  const char *const given = getenv("CHASE_SOAK_SECONDS");
  const time_t end = time(NULL) + (given ? atol(given) : 0);
  chase_variant *const variant = variant_of("standard", CHASE_ISA_AUTO);
  const chase_weights weights = sensible_weights();
  chase_evaluator *evaluator = NULL;
  if (chase_evaluator_new(variant, &weights, &evaluator) != CHASE_OK) give_up("evaluator", "");
  uint64_t number = 0;
  while (number < WARM_UP) search_once(variant, evaluator, number++);
  const long before = peak_kib();
  while (number < WARM_UP + SEARCHES || time(NULL) < end) search_once(variant, evaluator, number++);
  const long after = peak_kib();
  printf("%llu rounds of searches; peak of memory %ld KiB, then %ld KiB\n",
         (unsigned long long)number, before, after);
#ifndef __SANITIZE_ADDRESS__ /* which keeps what was freed for a while */
  CHECK(after - before <= SLACK_KIB);
#endif
  chase_evaluator_free(evaluator);
  chase_variant_free(variant);
  return check_finish();
}
