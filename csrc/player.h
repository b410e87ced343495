/* What a player holds between its turns. */
#ifndef CHASE_PLAYER_H
#define CHASE_PLAYER_H

#include "rng.h"
#include "searcher.h"
#include "tree.h"

struct chase_player {
  const chase_variant *variant;
  const chase_evaluator *evaluator;
  chase_player_options options;
  chase_stream stream;       /* eps, temp, ties, random decisions */
  uint64_t turn;             /* turns of the game when `random_turn` was drawn */
  bool random_turn;
  chase_searcher *searcher;  /* ab */
  chase_roots *roots;        /* ab */
  chase_table table;         /* ab; without memory of its own where it is another player's */
  int index;                 /* ab: of a helper, else 0 */
  chase_tree *tree;          /* mcts */
};

/* Its random numbers in one game. */
static inline void chase_player_stream(const chase_player *player, uint64_t game_seed, int side,
                                       chase_stream *out) {
  /* Two players of one seed in one game must not draw the same numbers. */
  const uint64_t seed = player->options.seed * 2 + (uint64_t)side;
  chase_stream_start(out, seed ^ 0x706c61796572u, game_seed);
}

#endif
