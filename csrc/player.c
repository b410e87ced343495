#include "player.h"

#include <stdlib.h>
#include <string.h>

enum {
  NODE_ENTRIES = 2,
  UNLIMITED_ENTRIES = 1 << 22,
  FILLING_DEPTH = 8, /* a limit of depth below this leaves most of a large table unused */
  CHOICE_LINES = 8
};

void chase_player_defaults(chase_player_kind kind, chase_player_options *out) {
  *out = (chase_player_options){
      .kind = kind,
      .hash_mib = 64,
      .table = true,
      .reductions = CHASE_REDUCE_ALL,
      .policy = CHASE_PUCT,
      .exploration = 1.5,
      .rollout = 8,
  };
}

static bool allowed(const chase_player_options *o) {
  return (unsigned)o->kind < CHASE_PLAYER_KINDS && o->depth >= 0 && o->depth <= CHASE_MAX_DEPTH &&
         o->temp <= CHASE_MAX_TEMP && o->hash_mib >= 1 && o->hash_mib <= CHASE_MAX_HASH_MIB &&
         o->reductions <= CHASE_REDUCE_ALL &&
         (o->policy == CHASE_PUCT || o->policy == CHASE_UCT) && o->exploration > 0 &&
         o->exploration <= 100 && (o->rollout <= 1000 || o->rollout == CHASE_FULL_ROLLOUT);
}

static chase_status make_ab(chase_player *player) {
  const chase_player_options *const o = &player->options;
  player->searcher = calloc(1, sizeof *player->searcher);
  player->roots = malloc(sizeof *player->roots);
  if (!player->searcher || !player->roots) return CHASE_MEMORY;
  if (o->table) {
    uint64_t entries = UNLIMITED_ENTRIES;
    if (o->nodes && o->nodes < entries / NODE_ENTRIES) entries = NODE_ENTRIES * o->nodes;
    if (!o->nodes) entries = UINT64_MAX;
    const bool filled = !o->depth || o->depth >= FILLING_DEPTH;
    const chase_status status =
        chase_table_make(&player->table, entries, o->hash_mib << 20, filled);
    if (status != CHASE_OK) return status;
  }
  chase_searcher *const s = player->searcher;
  s->variant = player->variant;
  s->evaluator = player->evaluator;
  s->table = o->table ? &player->table : NULL;
  s->verify = o->verify;
  s->reductions = o->verify ? 0 : o->reductions;
  return CHASE_OK;
}

static chase_status make_mcts(chase_player *player) {
  player->tree = calloc(1, sizeof *player->tree);
  if (!player->tree) return CHASE_MEMORY;
  chase_tree *const tree = player->tree;
  tree->variant = player->variant;
  tree->evaluator = player->evaluator;
  tree->options = &player->options;
  tree->stream = &player->stream;
  return chase_tree_make(tree, player->options.hash_mib << 20);
}

chase_status chase_player_new(const chase_variant *variant, const chase_evaluator *evaluator,
                              const chase_player_options *options, chase_player **out) {
  if (!allowed(options)) return CHASE_BAD_ARGUMENT;
  chase_player *const player = calloc(1, sizeof *player);
  if (!player) return CHASE_MEMORY;
  player->variant = variant;
  player->evaluator = evaluator;
  player->options = *options;
  chase_status status = CHASE_OK;
  if (options->kind == CHASE_PLAYER_AB) status = make_ab(player);
  if (options->kind == CHASE_PLAYER_MCTS) status = make_mcts(player);
  if (status != CHASE_OK) {
    chase_player_free(player);
    return status;
  }
  chase_player_new_game(player, 0, CHASE_RED);
  *out = player;
  return CHASE_OK;
}

void chase_player_free(chase_player *player) {
  if (!player) return;
  if (player->searcher) chase_history_free(&player->searcher->history);
  free(player->searcher);
  free(player->roots);
  if (player->tree) chase_tree_free(player->tree);
  free(player->tree);
  chase_table_free(&player->table);
  free(player);
}

void chase_player_new_game(chase_player *player, uint64_t game_seed, int side) {
  chase_player_stream(player, game_seed, side, &player->stream);
  player->turn = UINT64_MAX;
  if (player->table.bucket) chase_table_empty(&player->table);
  if (player->tree) chase_tree_clear(player->tree);
  if (player->searcher) memset(player->searcher->good, 0, sizeof player->searcher->good);
}

/* ---- searching ---- */

static chase_status search_ab(chase_player *player, const chase_game *game,
                              chase_stop_flag *stop, chase_report report, void *context,
                              chase_analysis *out) {
  chase_searcher *const s = player->searcher;
  const chase_status status = chase_history_copy(&s->history, &game->history, CHASE_MAX_PLY + 1);
  if (status != CHASE_OK) return status;
  s->history.root = s->history.used - 1;
  s->stop = stop;
  s->nodes = s->polls = 0;
  s->limit = player->options.nodes ? player->options.nodes : UINT64_MAX;
  s->stopped = s->halted = stop && __atomic_load_n(stop, __ATOMIC_RELAXED) != 0;
  s->polls++;
  memset(s->killer, 0xff, sizeof s->killer); /* no decision */
  if (s->table) chase_table_next_age(&player->table);
  const int depth = player->options.depth ? player->options.depth : CHASE_MAX_DEPTH;
  player->variant->kernels->deepen(s, &game->position, 1 + player->index % 2, depth, player->roots,
                                   report, context, out);
  return CHASE_OK;
}

static chase_status search_mcts(chase_player *player, const chase_game *game,
                                chase_stop_flag *stop, chase_report report, void *context,
                                chase_analysis *out) {
  chase_tree *const tree = player->tree;
  const chase_status status =
      chase_history_copy(&tree->history, &game->history, CHASE_TREE_DEPTH + CHASE_ROLLOUT_LIMIT);
  if (status != CHASE_OK) return status;
  tree->history.root = tree->history.used - 1;
  tree->stop = stop;
  tree->nodes = tree->polls = 0;
  tree->stopped = false;
  chase_tree_follow(tree, &game->history, &game->position);
  player->variant->kernels->simulate(tree, &game->position, report, context, out);
  return CHASE_OK;
}

chase_status chase_player_share(chase_player *helper, const chase_player *owner, int index) {
  if (!helper->searcher || !owner->table.bucket || helper == owner || index < 1)
    return CHASE_BAD_ARGUMENT;
  chase_table_free(&helper->table);
  helper->table = owner->table;
  helper->table.memory = NULL;
  helper->searcher->table = &helper->table;
  helper->index = index;
  return CHASE_OK;
}

/* ---- one turn ahead ---- */

/* Best static score for the side of `position` after its turn, at least `best`. */
static int best_turn(const chase_player *player, const chase_position *position, int side,
                     uint64_t *nodes) {
  if (position->side != side) {
    const int score = chase_evaluate(player->evaluator, position);
    return -score;
  }
  chase_decision list[CHASE_MAX_DECISIONS];
  const int n = chase_decision_list(player->variant, position, list);
  int best = -CHASE_SCORE_WIN;
  for (int i = 0; i < n; i++) {
    chase_position child = *position;
    chase_apply_unchecked(player->variant, &child, list[i]);
    ++*nodes;
    const int score = best_turn(player, &child, side, nodes);
    if (score > best) best = score;
  }
  return best;
}

/* All first decisions with the score of their best turn, by score, equal ones in an order
 * drawn by lot. */
static chase_status search_greedy(chase_player *player, const chase_game *game,
                                  chase_analysis *out) {
  chase_decision list[CHASE_MAX_DECISIONS];
  chase_candidate turn[CHASE_MAX_DECISIONS];
  const int n = chase_decision_list(player->variant, &game->position, list);
  uint64_t nodes = 0;
  /* Each goes to a place among those before it that is drawn by lot ... */
  for (int i = 0; i < n; i++) {
    chase_position child = game->position;
    chase_apply_unchecked(player->variant, &child, list[i]);
    nodes++;
    const int k = (int)chase_stream_below(&player->stream, (uint32_t)i + 1);
    if (k < i) turn[i] = turn[k];
    const int score = best_turn(player, &child, game->position.side, &nodes);
    turn[k] = (chase_candidate){score, list[i], 0};
  }
  /* ... and a sort by insertion keeps equal ones as they are. */
  for (int i = 1; i < n; i++) {
    const chase_candidate one = turn[i];
    int at = i;
    for (; at > 0 && turn[at - 1].order < one.order; at--) turn[at] = turn[at - 1];
    turn[at] = one;
  }
  out->count = out->capacity < n ? out->capacity : n;
  for (int i = 0; i < out->count; i++) {
    out->lines[i] = (chase_line){.score = turn[i].order, .depth = 1, .nodes = 1, .length = 1};
    out->lines[i].pv[0] = turn[i].decision;
  }
  out->depth = 1;
  out->nodes = nodes;
  return CHASE_OK;
}

static chase_status search_random(chase_player *player, const chase_game *game,
                                  chase_analysis *out) {
  const int n = chase_decision_count(player->variant, &game->position);
  const int index = (int)chase_stream_below(&player->stream, (uint32_t)n);
  out->count = 1;
  out->lines[0] = (chase_line){.score = 0, .depth = 0, .nodes = 0, .length = 1};
  out->lines[0].pv[0] = chase_decision_at(player->variant, &game->position, index);
  return CHASE_OK;
}

chase_status chase_player_search(chase_player *player, const chase_game *game,
                                 chase_stop_flag *stop, chase_report report, void *context,
                                 chase_analysis *out) {
  int winner;
  if (chase_game_outcome(game, &winner) != CHASE_NOT_OVER || out->capacity < 1)
    return CHASE_BAD_ARGUMENT;
  *out = (chase_analysis){.lines = out->lines, .capacity = out->capacity};
  switch (player->options.kind) {
    case CHASE_PLAYER_RANDOM: return search_random(player, game, out);
    case CHASE_PLAYER_GREEDY: return search_greedy(player, game, out);
    case CHASE_PLAYER_MCTS: return search_mcts(player, game, stop, report, context, out);
    default: return search_ab(player, game, stop, report, context, out);
  }
}

/* ---- choosing ---- */

/* About exp(-loss / temp), by operations that are exact everywhere. */
static double chance(int loss, uint32_t temp) {
  double x = 1.0 - (double)loss / (16.0 * temp);
  if (x <= 0) return 0;
  for (int i = 0; i < 4; i++) x *= x;
  return x;
}

static chase_decision sample(chase_player *player, const chase_analysis *analysis) {
  double sum = 0;
  for (int i = 0; i < analysis->count; i++)
    sum += chance(analysis->lines[0].score - analysis->lines[i].score, player->options.temp);
  double rest = chase_stream_number(&player->stream) * (1.0 / 4294967296.0) * sum;
  for (int i = 0; i < analysis->count; i++) {
    rest -= chance(analysis->lines[0].score - analysis->lines[i].score, player->options.temp);
    if (rest < 0) return analysis->lines[i].pv[0];
  }
  return analysis->lines[0].pv[0];
}

/* Is the turn under way one of those that eps makes random? Drawn once a turn. */
static bool random_turn(chase_player *player, const chase_game *game) {
  if (player->options.always_random) return true;
  if (!player->options.eps) return false;
  if (player->turn != game->history.turns) {
    player->turn = game->history.turns;
    player->random_turn = chase_stream_number(&player->stream) < player->options.eps;
  }
  return player->random_turn;
}

chase_status chase_player_choose(chase_player *player, const chase_game *game,
                                 chase_stop_flag *stop, chase_report report, void *context,
                                 chase_analysis *out, chase_decision *decision) {
  int winner;
  if (chase_game_outcome(game, &winner) != CHASE_NOT_OVER) return CHASE_BAD_ARGUMENT;
  chase_line lines[CHOICE_LINES];
  chase_analysis own = {.lines = lines, .capacity = 1};
  chase_analysis *const analysis = out ? out : &own;
  const bool sampled = player->options.temp && player->options.kind != CHASE_PLAYER_RANDOM;
  const int32_t room = analysis->capacity;
  const int32_t wanted = sampled ? CHOICE_LINES : 1;
  analysis->capacity = out && room < wanted ? room : wanted;
  chase_status status;
  if (random_turn(player, game)) {
    *analysis = (chase_analysis){.lines = analysis->lines, .capacity = analysis->capacity};
    status = search_random(player, game, analysis);
  } else {
    status = chase_player_search(player, game, stop, report, context, analysis);
  }
  if (status != CHASE_OK) return status;
  *decision = sampled ? sample(player, analysis) : analysis->lines[0].pv[0];
  return analysis->stopped ? CHASE_STOPPED : CHASE_OK;
}
