/* Tree search by simulations (MCTS): down the tree by UCT or PUCT, a rollout from
 * where it ends, and the value back up; proven wins and losses as well (Winands,
 * Bjornsson, Saito 2008). */
#ifndef CHASE_MCTS_H
#define CHASE_MCTS_H

#include "eval.h"
#include "perft.h"
#include "tree.h"

enum {
  CHASE_EXPAND_VISITS = 1,   /* a leaf seen so often before is expanded */
  CHASE_PRIOR_MARGIN = 300,  /* score loss that divides a prior by four */
  CHASE_ROLLOUT_POLL = 256,  /* decisions of a rollout between two looks at the stop flag */
  CHASE_REPORT_SIMS = 64     /* the first report; then at each doubling */
};

/* Up to the first look of its rollout a simulation applies no more than 1,000. */
_Static_assert(CHASE_TREE_DEPTH + CHASE_MAX_DECISIONS + CHASE_ROLLOUT_POLL <= 1000,
               "decisions between two looks at the stop flag");

static inline bool chase_tree_stopped(chase_tree *tree) {
  tree->polls++;
  if (chase_stop_requested(tree->stop)) tree->stopped = true;
  return tree->stopped;
}

/* The value of a score, seen by red: nearly linear near 0, -1 .. 1. */
static inline double chase_value_of(int score, int side) {
  const double size = score < 0 ? -score : score;
  const double value = size >= CHASE_SCORE_PROVEN ? 1 : size / (CHASE_VALUE_SCALE + size);
  return (score < 0) == (side == CHASE_RED) ? -value : value;
}

/* Natural logarithm of n >= 1 to five digits, by operations that give the same
 * result everywhere: n = m 2^e with m in [1, 2), and the series of artanh. */
static inline double chase_logarithm(uint32_t n) {
  const int e = 31 - __builtin_clz(n);
  const double m = n * (1.0 / ((uint64_t)1 << e));
  const double t = (m - 1) / (m + 1);
  const double t2 = t * t;
  return e * 0.69314718055994531 +
         2 * t * (1 + t2 * (1.0 / 3 + t2 * (1.0 / 5 + t2 * (1.0 / 7 + t2 * (1.0 / 9)))));
}

/* ---- down ---- */

/* The child to look at. The evaluation counts as one visit in advance, so that a
 * child never visited has a value too. */
static inline uint32_t chase_tree_select(const chase_tree *tree, uint32_t at) {
  const chase_node *const parent = &tree->node[at];
  const bool by_prior = tree->options->policy == CHASE_PUCT;
  const double view = parent->side == CHASE_RED ? 1 : -1;
  const double width = by_prior ? __builtin_sqrt(parent->visits) * (1.0 / CHASE_PRIOR_ONE)
                                : __builtin_sqrt(chase_logarithm(parent->visits + 1));
  const double urge = tree->options->exploration * width;
  uint32_t best = 0;
  double most = 0;
  for (uint32_t i = parent->first; i < parent->first + parent->children; i++) {
    const chase_node *const child = &tree->node[i];
    if (child->proven) continue; /* a loss: with a win the parent would be proven */
    const double visits = child->visits + 1.0;
    const double seen = view * (child->sum + child->guess * (1.0 / CHASE_GUESS_ONE));
    const double order = by_prior ? (seen + urge * child->prior) / visits
                                  : seen / visits + urge / __builtin_sqrt(visits);
    if (best && order <= most) continue;
    best = i;
    most = order;
  }
  assert(best);
  return best;
}

/* Takes over what the children prove, and goes on to the parent as long as that is
 * news. Draws by repetition or the turn limit depend on the way to a position and
 * are never proven. */
static inline void chase_tree_settle(chase_tree *tree, uint32_t at) {
  for (;;) {
    chase_node *const node = &tree->node[at];
    int best = -CHASE_SCORE_WIN;
    bool open = false;
    for (uint32_t i = 0; i < node->children; i++) {
      const int score = chase_proven_before(node, &tree->node[node->first + i]);
      open |= score == 0;
      if (score && score > best) best = score;
    }
    if (open && best < 0) return;
    node->proven = (int16_t)best;
    if (at == 0) return;
    at = node->parent;
  }
}

/* Priors by how much each child's score is below the best one's: rational, where a
 * softmax would need an exponential. */
static inline void chase_tree_priors(chase_node *child, const int *score, int n) {
  double share[CHASE_MAX_DECISIONS];
  int best = score[0];
  for (int i = 1; i < n; i++) best = score[i] > best ? score[i] : best;
  double sum = 0;
  for (int i = 0; i < n; i++) {
    const double x = 1 + (best - score[i]) * (1.0 / CHASE_PRIOR_MARGIN);
    share[i] = 1 / (x * x);
    sum += share[i];
  }
  for (int i = 0; i < n; i++) child[i].prior = (uint16_t)(share[i] / sum * CHASE_PRIOR_ONE);
}

/* Gives a node its children, each evaluated. False if there is no room. */
static inline bool chase_tree_expand(chase_tree *tree, uint32_t at,
                                     const chase_position *position) {
  chase_decision list[CHASE_MAX_DECISIONS];
  int score[CHASE_MAX_DECISIONS];
  const int n = chase_list(tree->variant, position, list);
  if (!chase_tree_reserve(tree, (uint32_t)n)) return false;
  const uint32_t first = tree->used;
  bool proves = false;
  for (int i = 0; i < n; i++) {
    chase_position child = *position;
    chase_play(tree->variant, &child, list[i], NULL);
    const int own = chase_static_score(tree->evaluator, &child);
    const bool over = own == -CHASE_SCORE_WIN;
    score[i] = child.side == position->side ? own : -own;
    tree->node[first + (uint32_t)i] = (chase_node){
        .hash = child.hash,
        .parent = at,
        .decision = list[i] & 0x3ffff,
        .side = child.side & 1,
        .guess = (int16_t)(chase_value_of(own, child.side) * CHASE_GUESS_ONE),
        .proven = (int16_t)(over ? own : 0),
    };
    proves |= over;
  }
  tree->nodes += (uint64_t)n;
  tree->used += (uint32_t)n;
  tree->node[at].first = first;
  tree->node[at].children = (uint16_t)n;
  chase_tree_priors(&tree->node[first], score, n);
  if (proves) chase_tree_settle(tree, at);
  return true;
}

/* ---- rollouts ---- */

/* Plays `length` decisions at random from `position`, and evaluates where that
 * leads; seen by red. The game ends as its rules say. When the stop flag is seen
 * meanwhile, the value means nothing. */
static inline double chase_tree_rollout(chase_tree *tree, chase_position *position,
                                        uint32_t length) {
  const chase_variant *const variant = tree->variant;
  for (uint32_t i = 0; i < length; i++) {
    if (i % CHASE_ROLLOUT_POLL == CHASE_ROLLOUT_POLL - 1 && chase_tree_stopped(tree)) return 0;
    chase_scan scan;
    chase_decision special[CHASE_MAX_DICE];
    const chase_phase phase = chase_position_phase(variant, position);
    int n;
    if (__builtin_expect(phase == CHASE_PHASE_TURN, 1)) {
      chase_scan_board(variant, position, &scan);
      n = scan.moves + scan.exchanges;
    } else {
      n = chase_list_special(variant, position, phase, special);
    }
    const int side = position->side;
    if (n == 0) return chase_value_of(-CHASE_SCORE_WIN, side);
    if (i > 0 && chase_history_over(&tree->history)) return 0;
    const int index = (int)chase_stream_below(tree->stream, (uint32_t)n);
    const chase_decision decision = phase == CHASE_PHASE_TURN
                                        ? chase_pick(variant, position, &scan, index)
                                        : special[index];
    chase_play(variant, position, decision, NULL);
    tree->nodes++;
    chase_history_undo undo;
    chase_history_push(&tree->history, position->hash, decision, position->side != side, &undo);
  }
  const int score = chase_static_score(tree->evaluator, position);
  if (score > -CHASE_SCORE_PROVEN && chase_history_over(&tree->history)) return 0;
  return chase_value_of(score, position->side);
}

/* ---- simulations ---- */

static inline double chase_tree_leaf(chase_tree *tree, chase_position *position) {
  const uint32_t length = tree->options->rollout;
  return chase_tree_rollout(tree, position,
                            length == CHASE_FULL_ROLLOUT ? CHASE_ROLLOUT_LIMIT : length);
}

/* Down from the root by the best child each time; to *leaf where it ended, whose
 * value is the result. The history is left where it ended. */
static inline double chase_tree_descend(chase_tree *tree, chase_position *position,
                                        uint32_t *leaf) {
  uint32_t at = 0;
  for (int depth = 0;; depth++) {
    *leaf = at;
    if (tree->node[at].proven) break;
    if (depth > 0 && chase_history_draws(&tree->history)) return 0;
    if (!tree->node[at].children) {
      const bool expands =
          tree->node[at].visits >= CHASE_EXPAND_VISITS && depth < CHASE_TREE_DEPTH;
      if (!expands || !chase_tree_expand(tree, at, position))
        return chase_tree_leaf(tree, position);
      if (tree->node[at].proven) break;
    }
    at = chase_tree_select(tree, at);
    const chase_decision decision = tree->node[at].decision;
    const int side = position->side;
    chase_play(tree->variant, position, decision, NULL);
    tree->nodes++;
    chase_history_undo undo;
    chase_history_push(&tree->history, position->hash, decision, position->side != side, &undo);
  }
  return chase_value_of(tree->node[at].proven, tree->node[at].side);
}

/* One simulation; false if the stop flag cut it short, which leaves no trace but
 * new children. */
static inline bool chase_tree_simulate(chase_tree *tree, const chase_position *root) {
  const size_t used = tree->history.used;
  const chase_history_undo undo = {tree->history.open, tree->history.turns};
  chase_position position = *root;
  uint32_t at;
  const double value = chase_tree_descend(tree, &position, &at);
  while (tree->history.used > used) chase_history_pop(&tree->history, &undo);
  if (tree->stopped) return false;
  for (;;) {
    tree->node[at].visits++;
    tree->node[at].sum += value;
    if (at == 0) return true;
    at = tree->node[at].parent;
  }
}

static inline void chase_tree_results(const chase_tree *tree, uint64_t sims,
                                      chase_analysis *out) {
  chase_tree_lines(tree, out);
  out->nodes = tree->nodes;
  out->sims = sims;
  out->polls = tree->polls;
  out->stopped = tree->stopped;
}

/* Simulates from the root, whose position is not over and ends the tree's history,
 * which has room for the longest simulation. */
static void chase_simulate(chase_tree *tree, const chase_position *root, chase_report report,
                           void *context, chase_analysis *out) {
  /* There is always room: the tree has a single node. */
  if (!tree->node[0].children) chase_tree_expand(tree, 0, root);
  /* Visits are counted in 32 bits. */
  const uint64_t most = UINT32_MAX - 1 - tree->node[0].visits;
  const uint64_t asked = tree->options->sims;
  const uint64_t limit = asked && asked < most ? asked : most;
  uint64_t sims = 0;
  while (sims < limit && !chase_tree_stopped(tree) && !tree->node[0].proven) {
    if (!chase_tree_simulate(tree, root)) break;
    sims++;
    if (!report || sims < CHASE_REPORT_SIMS || (sims & (sims - 1))) continue;
    chase_tree_results(tree, sims, out);
    if (report(context, out)) tree->stopped = true;
  }
  chase_tree_results(tree, sims, out);
}

#endif
