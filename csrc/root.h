/* Iterative deepening at the root: several lines, aspiration windows. */
#ifndef CHASE_ROOT_H
#define CHASE_ROOT_H

#include "search.h"

enum {
  CHASE_WINDOW = 150,      /* half of the first aspiration window, thousandths of a die */
  CHASE_WINDOW_DEPTH = 4   /* least depth that uses one */
};

/* All legal decisions, none searched yet. */
static inline void chase_roots_fill(chase_searcher *s, const chase_position *position,
                                    chase_roots *out) {
  chase_found found = {CHASE_NO_DECISION, 0, 0, CHASE_BOUND_NONE};
  if (s->table) chase_table_probe(s->table, chase_search_key(s, position), &found);
  chase_candidate list[CHASE_MAX_DECISIONS];
  const chase_phase phase = chase_position_phase(s->variant, position);
  const int n = chase_candidates(s, position, phase, found.decision, 0, list);
  const int score = chase_static_score(s->evaluator, position);
  out->count = 0;
  for (int i = found.decision != CHASE_NO_DECISION ? -1 : 0; i < n; i++) {
    chase_line *const line = &out->line[out->count++];
    *line = (chase_line){.score = score, .depth = 0, .nodes = 0, .length = 1};
    line->pv[0] = i < 0 ? found.decision : list[i].decision;
  }
}

/* line[from] moves to `to`, those between one further. */
static inline void chase_roots_raise(chase_roots *roots, int from, int to) {
  const chase_line line = roots->line[from];
  for (int i = from; i > to; i--) roots->line[i] = roots->line[i - 1];
  roots->line[to] = line;
}

/* Searches the decisions from `rank` on within (alpha, beta); the best one that
 * beats alpha comes to `rank` with its score and line. Fail-soft. */
static inline int chase_search_window(chase_searcher *s, const chase_position *position,
                                      chase_roots *roots, int rank, int depth, int alpha,
                                      int beta) {
  const int side = position->side;
  int best = -CHASE_SCORE_WIN;
  for (int i = rank; i < roots->count; i++) {
    const chase_decision decision = roots->line[i].pv[0];
    chase_position child = *position;
    chase_play(s->variant, &child, decision, NULL);
    chase_history_undo undo;
    chase_history_push(&s->history, child.hash, decision, child.side != side, &undo);
    chase_count_node(s);
    int score = best;
    if (i > rank)
      score = chase_search_child(s, side, &child, depth - 1, alpha, alpha + 1, 1, CHASE_KNOWN_NOTHING);
    if (i == rank || (score > alpha && !s->halted))
      score = chase_search_child(s, side, &child, depth - 1, alpha, beta, 1, CHASE_KNOWN_NOTHING);
    chase_history_pop(&s->history, &undo);
    if (s->halted) return best;
    if (score > best) best = score;
    if (score <= alpha) continue;
    chase_line *const line = &roots->line[i];
    line->score = score;
    line->depth = depth;
    chase_pv_take(s, 0, decision);
    line->length = s->pv_length[0];
    memcpy(line->pv, s->pv[0], (size_t)line->length * sizeof line->pv[0]);
    chase_roots_raise(roots, i, rank);
    if (score >= beta) return best;
    alpha = score;
  }
  return best;
}

/* The best of the decisions from `rank` on, with its exact score at this depth. */
static inline void chase_search_rank(chase_searcher *s, const chase_position *position,
                                     chase_roots *roots, int rank, int depth) {
  int alpha = -CHASE_SCORE_WIN - 1, beta = CHASE_SCORE_WIN + 1;
  int width = CHASE_WINDOW;
  const chase_line *const line = &roots->line[rank];
  if (depth >= CHASE_WINDOW_DEPTH && line->depth == depth - 1) {
    alpha = line->score - width;
    beta = line->score + width;
  }
  const uint64_t before = s->nodes;
  for (;;) {
    const int score = chase_search_window(s, position, roots, rank, depth, alpha, beta);
    if (s->halted) break;
    width *= 4;
    if (score <= alpha && alpha >= -CHASE_SCORE_WIN)
      alpha = score - width < -CHASE_SCORE_PROVEN ? -CHASE_SCORE_WIN - 1 : score - width;
    else if (score >= beta && beta <= CHASE_SCORE_WIN)
      beta = score + width > CHASE_SCORE_PROVEN ? CHASE_SCORE_WIN + 1 : score + width;
    else
      break;
  }
  roots->line[rank].nodes = s->nodes - before;
}

static inline void chase_roots_report(const chase_searcher *s, const chase_roots *roots,
                                      int completed, chase_analysis *out) {
  out->count = out->capacity < roots->count ? out->capacity : roots->count;
  memcpy(out->lines, roots->line, (size_t)out->count * sizeof out->lines[0]);
  out->depth = completed;
  out->nodes = s->nodes;
  out->polls = s->polls;
  out->stopped = s->stopped;
}

/* Lines that were searched alike stand by score; a later one may come out better
 * by what the table learnt meanwhile. */
static inline void chase_roots_sort(chase_roots *roots, int lines) {
  for (int i = 1; i < lines; i++)
    for (int k = i; k > 0 && roots->line[k - 1].score < roots->line[k].score; k--) {
      const chase_line line = roots->line[k];
      roots->line[k] = roots->line[k - 1];
      roots->line[k - 1] = line;
    }
}

/* A win or loss that this depth has seen to the end cannot get any nearer. */
static inline bool chase_settled(const chase_searcher *s, const chase_line *line, int depth) {
  const int distance = CHASE_SCORE_WIN - (line->score < 0 ? -line->score : line->score);
  return !s->verify && distance <= depth;
}

/* The position is not over, the searcher's history ends in it. */
static void chase_deepen(chase_searcher *s, const chase_position *position, int first_depth,
                         int last_depth, chase_roots *roots, chase_report report, void *context,
                         chase_analysis *out) {
  chase_roots_fill(s, position, roots);
  const int lines = out->capacity < roots->count ? out->capacity : roots->count;
  int completed = 0;
  for (int depth = first_depth; depth <= last_depth && !s->halted; depth++) {
    for (int rank = 0; rank < lines && !s->halted; rank++)
      chase_search_rank(s, position, roots, rank, depth);
    if (s->halted) break;
    completed = depth;
    chase_roots_sort(roots, lines);
    chase_roots_report(s, roots, completed, out);
    if (report && report(context, out)) s->halted = s->stopped = true;
    if (lines == 1 && chase_settled(s, &roots->line[0], depth)) break;
  }
  chase_roots_report(s, roots, completed, out);
}

#endif
