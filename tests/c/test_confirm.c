/* Repetition in playouts is exact whatever the hash: with keys that make all
 * positions collide, every game must still be the same. Looks inside the
 * variant, unlike the other tests. */
#include "check.h"
#include "variant.h"

enum { GAMES = 40 };

/* Game REPEATED of seed 1 from the standard start ends by repetition. */
enum { SEED = 1, REPEATED = 5911 };

static void play(const chase_variant *variant, chase_game_stats out[GAMES]) {
  chase_position start;
  chase_position_start(variant, &start);
  const chase_playout_options options = {
      .seed = SEED, .first_game = REPEATED - GAMES / 2, .games = GAMES, .max_turns = 1000};
  uint64_t done = 0;
  CHECK(chase_playouts(variant, &start, &options, NULL, out, &done) == CHASE_OK);
  CHECK_INT(done, GAMES);
}

int main(void) {
  chase_rules rules;
  chase_rules_default(&rules);
  chase_variant *sound = NULL;
  chase_variant *colliding = NULL;
  CHECK(chase_variant_new(&rules, CHASE_ISA_AUTO, &sound) == CHASE_OK);
  CHECK(chase_variant_new(&rules, CHASE_ISA_AUTO, &colliding) == CHASE_OK);
  memset(&colliding->keys, 0, sizeof colliding->keys);
  chase_game_stats expected[GAMES];
  chase_game_stats found[GAMES];
  play(sound, expected);
  play(colliding, found);
  CHECK_INT(expected[GAMES / 2].termination, CHASE_BY_REPETITION);
  for (int game = 0; game < GAMES; game++)
    CHECK(memcmp(&expected[game], &found[game], sizeof expected[game]) == 0);
  chase_variant_free(sound);
  chase_variant_free(colliding);
  return check_finish();
}
