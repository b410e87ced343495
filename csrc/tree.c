#include "tree.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_NODES = 4096 };

_Static_assert(FIRST_NODES * sizeof(chase_node) <= 1 << 20, "the least cap has room for them");
_Static_assert((int)FIRST_NODES > (int)CHASE_MAX_DECISIONS, "the root can be expanded at once");

/* ---- memory ---- */

chase_status chase_tree_make(chase_tree *tree, uint64_t bytes) {
  const uint64_t cap = bytes / sizeof(chase_node);
  tree->node = malloc(FIRST_NODES * sizeof(chase_node));
  if (!tree->node) return CHASE_MEMORY;
  tree->size = FIRST_NODES;
  tree->cap = cap < UINT32_MAX ? (uint32_t)cap : UINT32_MAX;
  chase_tree_clear(tree);
  return CHASE_OK;
}

void chase_tree_free(chase_tree *tree) {
  chase_history_free(&tree->history);
  free(tree->node);
  tree->node = NULL;
}

void chase_tree_clear(chase_tree *tree) { tree->used = 0; }

bool chase_tree_reserve(chase_tree *tree, uint32_t more) {
  if (more <= tree->size - tree->used) return true;
  if (tree->size == tree->cap) return false;
  /* Doubling is more than any node's children, at least FIRST_NODES. */
  const uint32_t size = tree->size < tree->cap / 2 ? 2 * tree->size : tree->cap;
  chase_node *const node = realloc(tree->node, size * sizeof *node);
  if (!node) {
    tree->cap = tree->size;
    return false;
  }
  tree->node = node;
  tree->size = size;
  return more <= size - tree->used;
}

/* ---- from turn to turn ---- */

static uint64_t hash_line(const chase_history *history, size_t positions) {
  uint64_t code = history->max_turns;
  for (size_t i = 0; i < positions; i++) code = chase_hash_decision(code ^ history->hash[i], 0);
  return code;
}

/* The child most visited of those that lead to a position, or 0. */
static uint32_t find_child(const chase_tree *tree, uint32_t at, uint64_t hash) {
  const chase_node *const node = tree->node;
  uint32_t found = 0;
  for (uint32_t i = node[at].first; i < node[at].first + node[at].children; i++)
    if (node[i].hash == hash && (!found || node[i].visits > node[found].visits)) found = i;
  return found;
}

/* Slides what is below `root` to the front. Children stand after their parents, so one
 * pass in order does: a node that moves marks its children and tells them where it
 * now is; the first of them, when it moves in turn, tells its parent. */
static void cut_down(chase_tree *tree, uint32_t root) {
  chase_node *const node = tree->node;
  uint32_t used = 0;
  node[root].kept = 1;
  for (uint32_t i = root; i < tree->used; i++) {
    if (!node[i].kept) continue;
    chase_node *const moved = &node[used];
    *moved = node[i];
    moved->kept = 0;
    if (i == root) moved->parent = 0;
    else if (node[moved->parent].first == i) node[moved->parent].first = used;
    for (uint32_t k = 0; k < moved->children; k++) {
      node[moved->first + k].kept = 1;
      node[moved->first + k].parent = used;
    }
    used++;
  }
  tree->used = used;
}

void chase_tree_follow(chase_tree *tree, const chase_history *history,
                       const chase_position *position) {
  bool found = tree->used > 0 && history->used >= tree->past &&
               hash_line(history, tree->past) == tree->line;
  uint32_t at = 0;
  for (size_t i = tree->past; found && i < history->used; i++) {
    at = find_child(tree, at, history->hash[i]);
    found = at > 0;
  }
  if (found && at > 0) cut_down(tree, at);
  if (!found) {
    tree->node[0] = (chase_node){.hash = position->hash, .side = position->side & 1};
    tree->used = 1;
  }
  tree->past = history->used;
  tree->line = hash_line(history, history->used);
}

/* ---- lines ---- */

static double mean_of(const chase_node *node) {
  return node->visits ? node->sum / node->visits : (double)node->guess / CHASE_GUESS_ONE;
}

/* The score whose value is `value`. */
static int score_of(double value) {
  const double size = value < 0 ? -value : value;
  const double limit = (double)CHASE_SCORE_LIMIT / (CHASE_SCORE_LIMIT + CHASE_VALUE_SCALE);
  const int score =
      size < limit ? (int)(CHASE_VALUE_SCALE * size / (1 - size) + 0.5) : CHASE_SCORE_LIMIT;
  return value < 0 ? -score : score;
}

/* Proven wins, the shortest first; what is open, by visits; losses, the longest
 * first. */
static bool better(const chase_node *parent, const chase_node *a, const chase_node *b) {
  const int a_proven = chase_proven_before(parent, a), b_proven = chase_proven_before(parent, b);
  if (a_proven != b_proven) return a_proven > b_proven;
  if (a->visits != b->visits) return a->visits > b->visits;
  const double a_mean = mean_of(a), b_mean = mean_of(b);
  return parent->side == CHASE_RED ? a_mean > b_mean : a_mean < b_mean;
}

/* Levels of the tree from this node down. */
static int height(const chase_tree *tree, const chase_node *node) {
  int most = 0;
  for (uint32_t i = 0; i < node->children; i++) {
    const chase_node *const child = &tree->node[node->first + i];
    const int below = child->visits ? height(tree, child) : 0;
    if (below > most) most = below;
  }
  return most + 1;
}

static void fill_line(const chase_tree *tree, uint32_t at, chase_line *line) {
  const chase_node *node = &tree->node[at];
  *line = (chase_line){.depth = height(tree, node), .nodes = node->visits};
  line->pv[line->length++] = node->decision;
  while (line->length < CHASE_MAX_PV && node->children) {
    const chase_node *best = &tree->node[node->first];
    for (uint32_t i = 1; i < node->children; i++)
      if (better(node, &tree->node[node->first + i], best)) best = &tree->node[node->first + i];
    if (!best->visits && !best->proven) break;
    line->pv[line->length++] = best->decision;
    node = best;
  }
}

/* A line that was looked at less often than the best one stands with less than its
 * mean, by what the mean may be wrong: it was left because others seemed better, and
 * a few lucky rollouts must not make it look as good. */
static int line_score(const chase_node *root, const chase_node *best, const chase_node *node) {
  if (node->proven) return chase_proven_before(root, node);
  const double mean = root->side == CHASE_RED ? mean_of(node) : -mean_of(node);
  if (node == best) return score_of(mean);
  const double doubt = 0.5 * (__builtin_sqrt(1.0 / (node->visits + 1.0)) -
                              __builtin_sqrt(1.0 / (best->visits + 1.0)));
  return score_of(doubt > 0 ? mean - doubt : mean);
}

void chase_tree_lines(const chase_tree *tree, chase_analysis *out) {
  const chase_node *const root = &tree->node[0];
  uint32_t order[CHASE_MAX_DECISIONS];
  for (uint32_t i = 0; i < root->children; i++) {
    uint32_t k = i;
    for (; k > 0 && better(root, &tree->node[root->first + i], &tree->node[order[k - 1]]); k--)
      order[k] = order[k - 1];
    order[k] = root->first + i;
  }
  out->count = out->capacity < root->children ? out->capacity : root->children;
  for (int i = 0; i < out->count; i++) {
    chase_line *const line = &out->lines[i];
    fill_line(tree, order[i], line);
    line->score = line_score(root, &tree->node[order[0]], &tree->node[order[i]]);
    if (i > 0 && line->score > out->lines[i - 1].score) line->score = out->lines[i - 1].score;
  }
  out->depth = out->lines[0].depth;
}
