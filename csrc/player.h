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

#endif
