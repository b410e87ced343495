/* Threads that share a table and a stop flag: built with the thread sanitizer it
 * shows that they do so without a race, and in any build that what they find are legal
 * lines with sound scores. */
#define _POSIX_C_SOURCE 200809L
#include "twin.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 6, NODES = 30000, LINES = 2 };

typedef struct job {
  chase_player *player;
  const chase_game *game;
  int32_t *stop;
  chase_status status;
  chase_line lines[LINES];
  chase_analysis analysis;
} job;

static void *search(void *given) {
  job *const j = given;
  j->analysis = (chase_analysis){.lines = j->lines, .capacity = LINES};
  j->status = chase_player_search(j->player, j->game, j->stop, NULL, NULL, &j->analysis);
  return NULL;
}

/* As a user's button: sets the flag in the middle of the searches. */
static void *set_flag(void *given) {
  struct timespec wait = {0, 20 * 1000 * 1000};
  nanosleep(&wait, NULL);
  __atomic_store_n((int32_t *)given, 1, __ATOMIC_RELAXED);
  return NULL;
}

static void check_lines(const chase_variant *variant, const chase_position *position,
                        const chase_analysis *analysis) {
  CHECK(analysis->count >= 1);
  for (int i = 0; i < analysis->count; i++) {
    const chase_line *const line = &analysis->lines[i];
    chase_position at = *position;
    chase_error error;
    CHECK(line->length >= 1);
    CHECK(line->score >= -CHASE_SCORE_WIN && line->score <= CHASE_SCORE_WIN);
    for (int k = 0; k < line->length; k++)
      CHECK_INT(chase_apply(variant, &at, line->pv[k], &at, &error), CHASE_OK);
  }
}

/* All search the game's position; where `stopped`, without a limit until the flag is set. */
static void search_together(const chase_variant *variant, chase_player *players[THREADS],
                            const chase_game *game, bool stopped) {
  static job jobs[THREADS];
  int32_t stop = 0;
  pthread_t threads[THREADS], button;
  for (int i = 1; i < THREADS; i++)
    CHECK_INT(chase_player_share(players[i], players[0], i), CHASE_OK);
  for (int i = 0; i < THREADS; i++) {
    jobs[i] = (job){.player = players[i], .game = game, .stop = &stop};
    if (pthread_create(&threads[i], NULL, search, &jobs[i]) != 0) give_up("thread", "search");
  }
  if (stopped && pthread_create(&button, NULL, set_flag, &stop) != 0) give_up("thread", "flag");
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  if (stopped) pthread_join(button, NULL);
  for (int i = 0; i < THREADS; i++) {
    CHECK_INT(jobs[i].status, CHASE_OK);
    CHECK_INT(jobs[i].analysis.stopped, stopped);
    if (!stopped) CHECK(jobs[i].analysis.nodes <= NODES);
    check_lines(variant, chase_game_position(game), &jobs[i].analysis);
  }
}

static void play_rounds(const char *rules, bool stopped) {
  chase_variant *const variant = variant_of(rules, CHASE_ISA_AUTO);
  const chase_weights weights = sensible_weights();
  chase_evaluator *evaluator = NULL;
  chase_player *players[THREADS];
  chase_player_options options;
  chase_game *game = NULL;
  chase_position start;
  uint64_t state = 11;
  chase_position_start(variant, &start);
  chase_player_defaults(CHASE_PLAYER_AB, &options);
  options.nodes = stopped ? 0 : NODES;
  options.hash_mib = 1; /* small, so that they get into each other's way */
  if (chase_evaluator_new(variant, &weights, &evaluator) != CHASE_OK) give_up("evaluator", rules);
  for (int i = 0; i < THREADS; i++)
    if (chase_player_new(variant, evaluator, &options, &players[i]) != CHASE_OK)
      give_up("player", rules);
  if (chase_game_new(variant, &start, 0, &game) != CHASE_OK) give_up("game", rules);
  for (int round = 0; round < ROUNDS; round++) {
    int winner;
    search_together(variant, players, game, stopped);
    for (int n = 0; n < 6 && chase_game_outcome(game, &winner) == CHASE_NOT_OVER; n++) {
      const chase_position *const at = chase_game_position(game);
      const int count = chase_decision_count(variant, at);
      CHECK_INT(chase_game_push(game, chase_decision_at(variant, at, random_below(&state, count))),
                CHASE_OK);
    }
    if (chase_game_outcome(game, &winner) != CHASE_NOT_OVER) break;
    if (round == ROUNDS / 2)
      for (int i = 0; i < THREADS; i++) chase_player_new_game(players[i], 5, CHASE_RED);
  }
  chase_game_free(game);
  for (int i = THREADS - 1; i >= 0; i--) chase_player_free(players[i]); /* the owner last */
  chase_evaluator_free(evaluator);
  chase_variant_free(variant);
}

int main(void) {
  play_rounds("standard", false);
  play_rounds("standard", true);
  play_rounds("reserve=2,chain=yes,handout=any", false);
  return check_finish();
}
