/* Alpha-beta: one thread's search of one position.
 *
 * A side may decide several times in a row (distributions, series), so a child's
 * score is negated only if the other side acts there. Depth counts decisions. At
 * depth 0 a quiescence plays captures out (quiet.h). */
#ifndef CHASE_SEARCH_H
#define CHASE_SEARCH_H

#include "order.h"

enum {
  CHASE_LMR_DEPTH = 3,      /* least depth of a reduction */
  CHASE_LMR_FIRST = 4,      /* decisions searched in full before */
  CHASE_NULL_DEPTH = 2,
  CHASE_STAGED_DEPTH = 2,   /* most depth at which captures are listed first: there the search
                               of a capture cannot change the order of quiet decisions, except
                               in a series */
  CHASE_FUTILE_DEPTH = 3,
  CHASE_FUTILE_MARGIN = 220 /* a depth; thousandths of a die */
};

static inline int chase_score_to_table(int score, int ply) {
  return score >= CHASE_SCORE_PROVEN ? score + ply : score <= -CHASE_SCORE_PROVEN ? score - ply : score;
}

static inline int chase_score_from_table(int score, int ply) {
  return score >= CHASE_SCORE_PROVEN ? score - ply : score <= -CHASE_SCORE_PROVEN ? score + ply : score;
}

/* Scores near the turn limit depend on it. */
static inline uint64_t chase_search_key(const chase_searcher *s, const chase_position *position) {
  const size_t left = chase_history_turns_left(&s->history);
  return __builtin_expect(left > CHASE_MAX_DEPTH, 1)
             ? position->hash
             : position->hash ^ chase_hash_decision(left + 1, 0);
}

static inline void chase_pv_take(chase_searcher *s, int ply, chase_decision decision) {
  s->pv[ply][0] = decision;
  int n = s->pv_length[ply + 1];
  if (n > CHASE_MAX_PV - 1) n = CHASE_MAX_PV - 1;
  for (int i = 0; i < n; i++) s->pv[ply][i + 1] = s->pv[ply + 1][i];
  s->pv_length[ply] = n + 1;
}

/* Fetches the table's entries for the position after a decision of a turn, before it is
 * played. Right if that does no more than move a die, take one (which is recycled) or exchange
 * values; else it does nothing useful. */
static inline void chase_prefetch_after(const chase_searcher *s, const chase_position *position,
                                        chase_decision decision) {
  const chase_variant *const variant = s->variant;
  const int side = position->side, cell = chase_decision_cell(decision);
  const int direction = chase_decision_direction(decision);
  const uint8_t *const value = position->value[side], *const enemy = position->value[side ^ 1];
  const uint64_t(*const keys)[CHASE_CELLS + 1] = variant->keys.die[side];
  uint64_t hash = position->hash ^ variant->keys.blue_to_act ^ keys[value[cell]][cell];
  if (chase_decision_kind(decision) == CHASE_EXCHANGE) {
    const int other = variant->rays.step[cell][direction].cell;
    hash ^= keys[chase_decision_value(decision)][cell] ^ keys[value[other]][other] ^
            keys[chase_decision_other_value(decision)][other];
  } else {
    const int target = variant->rays.die[cell][value[cell]].ray[direction].target;
    hash ^= keys[value[cell]][target];
    if (enemy[target]) {
      const uint64_t *const spare = variant->keys.spare[side ^ 1];
      const int count = position->spare[side ^ 1];
      hash ^= variant->keys.die[side ^ 1][enemy[target]][target] ^ spare[count] ^ spare[count + 1];
    }
  }
  chase_table_prefetch(s->table, hash);
}

static int chase_search_node(chase_searcher *s, const chase_position *position, int depth,
                             int alpha, int beta, int ply, bool may_pass,
                             chase_known known);

/* The score of `child`, reached by `decision` from a position of `side`. */
static inline int chase_search_child(chase_searcher *s, int side, const chase_position *child,
                                     int depth, int alpha, int beta, int ply, chase_known known) {
  return child->side == side ? chase_search_node(s, child, depth, alpha, beta, ply, true, known)
                             : -chase_search_node(s, child, depth, -beta, -alpha, ply, true, known);
}

/* Would the side to act keep beta even if it did nothing? Rarely wrong in a game
 * with so many harmless decisions; the verification mode does not ask. */
static inline bool chase_pass_holds(chase_searcher *s, const chase_position *position, int depth,
                                    int beta, int ply, const chase_sight *sight) {
  chase_position passed = *position;
  chase_pass_turn(s->variant, &passed);
  chase_history_undo undo;
  chase_history_push(&s->history, passed.hash, CHASE_NO_DECISION, true, &undo);
  const int reduced = depth - 3 - depth / 4;
  const chase_known both = {sight, 1u << CHASE_RED | 1u << CHASE_BLUE};
  const int score = -chase_search_node(s, &passed, reduced, -beta, -beta + 1, ply + 1, false, both);
  chase_history_pop(&s->history, &undo);
  return !s->halted && score >= beta;
}

/* How much shallower a late quiet decision is tried. */
static inline int chase_reduction(int depth, int index) {
  return 1 + (index >= 12) + (depth >= 6 && index >= 24);
}

/* What the list of a turn's decisions holds: captures often suffice. */
typedef enum chase_listed {
  CHASE_LISTED_NONE,
  CHASE_LISTED_CAPTURES,
  CHASE_LISTED_ALL
} chase_listed;

/* Has the side to act, in a turn, more legal decisions than `number`? */
static inline bool chase_has_more(const chase_variant *variant, const chase_position *position,
                                  const chase_scan *scan, int number) {
  int moves = 0;
  for (int i = 0; i < scan->dice; i++)
    moves += chase_popcount6(scan->die[i].mask & CHASE_RAY_LANES);
  return moves > number || chase_count_board(variant, position) > number;
}

static int chase_search_node(chase_searcher *s, const chase_position *position, int depth,
                             int alpha, int beta, int ply, bool may_pass,
                             chase_known known) {
  s->pv_length[ply] = 0;
  if (__builtin_expect(s->halted, 0)) return 0; /* not a node beyond the limit */
  const chase_phase phase = chase_position_phase(s->variant, position);
  if (__builtin_expect(phase == CHASE_PHASE_LOST, 0)) return ply - CHASE_SCORE_WIN;
  if (__builtin_expect(chase_history_draws(&s->history), 0))
    return chase_count(s->variant, position) == 0 ? ply - CHASE_SCORE_WIN : 0;
  if (depth <= 0 || ply >= CHASE_MAX_PLY - 1) return chase_quiesce(s, position, alpha, beta, ply, 0, known);
  const bool wide = beta - alpha > 1;
  const int old_alpha = alpha;
  const uint64_t key = chase_search_key(s, position);
  chase_decision first = CHASE_NO_DECISION;
  chase_found found;
  if (s->table && chase_table_probe(s->table, key, &found)) {
    first = found.decision;
    const int score = chase_score_from_table(found.score, ply);
    const bool deep = s->verify ? found.depth == depth : found.depth >= depth && !wide;
    if (deep && (found.bound == CHASE_EXACT || (found.bound == CHASE_LOWER && score >= beta) ||
                 (found.bound == CHASE_UPPER && score <= alpha)))
      return score;
    if (first != CHASE_NO_DECISION && phase == CHASE_PHASE_TURN && depth > 1)
      chase_prefetch_after(s, position, first);
  }
  const bool plain = phase == CHASE_PHASE_TURN && !wide;
  chase_sight sight;
  bool seen = false;
  int futile = INT32_MAX; /* a quiet decision cannot reach more than this */
  if (plain && s->reductions && alpha > -CHASE_SCORE_PROVEN && beta < CHASE_SCORE_PROVEN) {
    const int score = chase_static_sight(s->evaluator, position, known, &sight);
    seen = true;
    if (depth <= CHASE_FUTILE_DEPTH && score > -CHASE_SCORE_PROVEN) {
      if ((s->reductions & CHASE_REDUCE_STATIC) && score - CHASE_FUTILE_MARGIN * depth >= beta)
        return score - CHASE_FUTILE_MARGIN * depth;
      if (s->reductions & CHASE_REDUCE_FUTILE) futile = score + CHASE_FUTILE_MARGIN * depth;
    }
    if ((s->reductions & CHASE_REDUCE_NULL) && may_pass && depth >= CHASE_NULL_DEPTH && score >= beta &&
        chase_pass_holds(s, position, depth, beta, ply, &sight))
      return beta;
    if (__builtin_expect(s->halted, 0)) return 0;
  }
  chase_candidate list[CHASE_MAX_DECISIONS];
  int n = 0; /* candidates in the list, without the table's decision */
  chase_listed listed = CHASE_LISTED_NONE;
  chase_scan scan;
  /* A distribution without a choice is no decision to think about. */
  int next_depth = depth - 1;
  if (phase == CHASE_PHASE_DUE) {
    n = chase_special_candidates(s, position, phase, first, list);
    listed = CHASE_LISTED_ALL;
    next_depth += !s->verify && n + (first != CHASE_NO_DECISION) == 1;
  }
  int best = -CHASE_SCORE_WIN;
  chase_decision best_decision = CHASE_NO_DECISION;
  for (int i = 0;; i++) {
    /* What the table remembers often ends it, without a list. */
    const bool remembered = i == 0 && first != CHASE_NO_DECISION;
    const int at = i - (first != CHASE_NO_DECISION);
    if (!remembered && listed == CHASE_LISTED_NONE) {
      if (phase != CHASE_PHASE_TURN) {
        n = chase_special_candidates(s, position, phase, first, list);
        listed = CHASE_LISTED_ALL;
      } else {
        if (seen) chase_scan_sight(s->variant, position, &sight, &scan);
        else chase_scan_board(s->variant, position, &scan);
        if (depth <= CHASE_STAGED_DEPTH && !s->variant->rules.chain) {
          n = chase_captures(s->evaluator, position, &scan, first, list);
          listed = CHASE_LISTED_CAPTURES;
        } else {
          n = chase_turn_candidates(s, position, &scan, first, ply, list);
          listed = CHASE_LISTED_ALL;
        }
      }
    }
    if (!remembered && at >= n && listed == CHASE_LISTED_CAPTURES) {
      /* Only quiet ones are left. */
      if (i > 0 && futile <= alpha && best > -CHASE_SCORE_PROVEN) {
        if (futile > best && chase_has_more(s->variant, position, &scan, i)) best = futile;
        break;
      }
      n = chase_turn_candidates(s, position, &scan, first, ply, list);
      listed = CHASE_LISTED_ALL;
    }
    if (!remembered && at >= n) break;
    const chase_candidate *const candidate = &list[remembered ? 0 : at];
    const chase_decision decision = remembered ? first : candidate->decision;
    const bool captures =
        remembered ? chase_gain(s->variant, position, first) != 0 : candidate->captures;
    const bool quiet = !captures && phase == CHASE_PHASE_TURN;
    if (quiet && i > 0 && futile <= alpha && best > -CHASE_SCORE_PROVEN) {
      if (futile > best) best = futile;
      break; /* what follows is quiet too */
    }
    chase_position child = *position;
    chase_play(s->variant, &child, decision, NULL);
    if (s->table && next_depth > 0) {
      chase_table_prefetch(s->table, child.hash);
      /* Memory is slower than what is left to do here: the next one's entry as well. */
      if (at + 1 < n && phase == CHASE_PHASE_TURN)
        chase_prefetch_after(s, position, list[at + 1].decision);
    }
    chase_history_undo undo;
    chase_history_push(&s->history, child.hash, decision, child.side != position->side, &undo);
    chase_count_node(s);
    /* An exchange changes neither which cells are occupied nor the other side's dice. */
    const bool keeps = seen && chase_decision_kind(decision) == CHASE_EXCHANGE;
    const chase_known kept =
        keeps ? (chase_known){&sight, 1u << (position->side ^ 1)} : CHASE_KNOWN_NOTHING;
    int score;
    if (i == 0) {
      score = chase_search_child(s, position->side, &child, next_depth, alpha, beta, ply + 1, kept);
    } else {
      int reduced = next_depth;
      if ((s->reductions & CHASE_REDUCE_LATE) && quiet && depth >= CHASE_LMR_DEPTH &&
          i >= CHASE_LMR_FIRST)
        reduced -= chase_reduction(depth, i);
      score = chase_search_child(s, position->side, &child, reduced, alpha, alpha + 1, ply + 1, kept);
      if (score > alpha && reduced < next_depth && !s->halted)
        score = chase_search_child(s, position->side, &child, next_depth, alpha, alpha + 1, ply + 1, kept);
      if (score > alpha && score < beta && !s->halted)
        score = chase_search_child(s, position->side, &child, next_depth, alpha, beta, ply + 1, kept);
    }
    chase_history_pop(&s->history, &undo);
    if (__builtin_expect(s->halted, 0)) return 0;
    if (score <= best && best_decision != CHASE_NO_DECISION) continue;
    best = score;
    best_decision = decision;
    if (score <= alpha) continue;
    alpha = score;
    if (wide) chase_pv_take(s, ply, decision);
    if (score >= beta) {
      if (!captures) chase_remember(s, position->side, decision, list, remembered ? 0 : at, depth, ply);
      break;
    }
  }
  if (best_decision == CHASE_NO_DECISION) return ply - CHASE_SCORE_WIN; /* no legal decision (R11) */
  if (s->table)
    chase_table_store(s->table, key, best > old_alpha ? best_decision : first,
                      chase_score_to_table(best, ply), depth,
                      best >= beta ? CHASE_LOWER : best > old_alpha ? CHASE_EXACT : CHASE_UPPER);
  return best;
}

#endif
