/* The tree of a search by simulations: its nodes in one array, and what is kept of
 * it from one turn to the next. The simulations are in mcts.h. */
#ifndef CHASE_TREE_H
#define CHASE_TREE_H

#include "game.h"
#include "rng.h"

enum {
  CHASE_TREE_DEPTH = 256,      /* of a node; deeper ones have no children */
  CHASE_ROLLOUT_LIMIT = 4000,  /* decisions of a rollout to the end; then the evaluation */
  CHASE_VALUE_SCALE = 1500,    /* score of value 1/2, thousandths of a die */
  CHASE_GUESS_ONE = 32767,     /* value 1 in a node's guess */
  CHASE_PRIOR_ONE = 65535      /* probability 1 in a node's prior */
};

/* A position as reached by one decision. The children of a node stand side by side
 * and after it. A side may decide several times in a row, so values are all seen
 * by one side. */
typedef struct chase_node {
  uint64_t hash;     /* of the position */
  double sum;        /* values of the simulations through it, -1 .. 1, seen by red */
  uint32_t visits;
  uint32_t parent;   /* of the root: 0, as itself */
  uint32_t first;    /* child */
  uint32_t decision : 18;
  uint32_t side : 1; /* to act */
  uint32_t kept : 1; /* while the tree is cut down */
  uint16_t children; /* 0: not expanded, or over */
  uint16_t prior;    /* probability given by the evaluation, beside its brothers */
  int16_t guess;     /* value of the evaluation, seen by red */
  int16_t proven;    /* score of a proven win or loss, by the side to act; 0: none */
} chase_node;

_Static_assert(sizeof(chase_node) == 40, "a tree of 64 MiB has 1.6 million nodes");

/* The root is node 0; `used` is 0 before the first search. */
typedef struct chase_tree {
  chase_node *node;
  uint32_t used;
  uint32_t size;
  uint32_t cap;  /* of the size */
  size_t past;   /* positions of the game up to the root's */
  uint64_t line; /* those, hashed */

  const chase_variant *variant;
  const chase_evaluator *evaluator;
  const chase_player_options *options;
  chase_stream *stream;
  chase_history history; /* of the game and of the simulation under way */

  /* of one search */
  chase_stop_flag *stop;
  uint64_t nodes;
  uint64_t polls;
  bool stopped;
} chase_tree;

/* Room for the first nodes. Allocates, at most `bytes` also later. */
chase_status chase_tree_make(chase_tree *tree, uint64_t bytes);
void chase_tree_free(chase_tree *tree);
/* Forgets everything but its memory. */
void chase_tree_clear(chase_tree *tree);

/* Makes the last position of `history` the root and keeps what is below it, if the
 * game goes on from the old root through the tree; else starts with one node. */
void chase_tree_follow(chase_tree *tree, const chase_history *history,
                       const chase_position *position);

/* Room for `more` nodes beyond those used. Allocates now and then; nodes may have
 * moved. False when the cap is reached or memory is out, which ends all growth. */
bool chase_tree_reserve(chase_tree *tree, uint32_t more);

/* Lines below the root, best first, into out->lines and out->count; the depth of
 * the first. */
void chase_tree_lines(const chase_tree *tree, chase_analysis *out);

/* A child's proven score as its parent's side sees it, one decision earlier. */
static inline int chase_proven_before(const chase_node *parent, const chase_node *child) {
  const int score = child->side == parent->side ? child->proven : -child->proven;
  return score > 0 ? score - 1 : score < 0 ? score + 1 : 0;
}

#endif
