/* The quiescence, which plays captures out. */
#ifndef CHASE_QUIET_H
#define CHASE_QUIET_H

#include "eval.h"
#include "perft.h"
#include "searcher.h"

/* A decision was applied. */
static inline void chase_count_node(chase_searcher *s) {
  if (++s->nodes >= s->limit) s->halted = true;
  if (__builtin_expect(s->nodes % CHASE_POLL_NODES == 0, 0)) {
    s->polls++;
    if (chase_stop_requested(s->stop)) s->halted = s->stopped = true;
  }
}

/* Value of the enemy die that a chain takes which starts with a die of `side`
 * arriving on `cell` in `direction`, or 0. Pushes leave every cell of the chain
 * occupied, so the board as it stands tells; `vacated` is empty by then, `filled`
 * holds an own die. *end is the cell where the chain ends. */
static inline int chase_chain_gain(const chase_variant *variant, const chase_position *position,
                                   int side, int cell, int direction, int vacated, int filled,
                                   int *end) {
  while ((position->value[side][cell] && cell != vacated) || cell == filled) {
    const chase_step step = variant->rays.step[cell][direction];
    if (step.cell == CHASE_NO_CELL || step.cell == CHASE_CHAMBER) {
      *end = CHASE_NO_CELL;
      return 0; /* not legal */
    }
    cell = step.cell;
    direction = step.direction;
  }
  *end = cell;
  return cell == filled ? 0 : position->value[side ^ 1][cell];
}

enum { CHASE_GAIN_DIE = 16 }; /* more than two dice's pips */

/* What a legal decision takes: CHASE_GAIN_DIE a die, and its pips. */
static inline int chase_gain(const chase_variant *variant, const chase_position *position,
                             chase_decision decision) {
  if (chase_decision_kind(decision) != CHASE_MOVE) return 0;
  const int side = position->side;
  const int cell = chase_decision_cell(decision);
  const int value = position->value[side][cell];
  const chase_ray ray = variant->rays.die[cell][value].ray[chase_decision_direction(decision)];
  int end;
  if (__builtin_expect(ray.target != CHASE_CHAMBER, 1)) {
    const int taken = position->value[side ^ 1][ray.target];
    if (taken) return CHASE_GAIN_DIE + taken;
    if (!position->value[side][ray.target]) return 0;
    const int pushed = chase_chain_gain(variant, position, side, ray.target, ray.arrival, cell,
                                        CHASE_NO_CELL, &end);
    return pushed ? CHASE_GAIN_DIE + pushed : 0;
  }
  int exit[2];
  chase_topology_exits(ray.arrival, &exit[0], &exit[1]);
  const int left = chase_chain_gain(variant, position, side,
                                    variant->rays.step[CHASE_CHAMBER][exit[0]].cell, exit[0], cell,
                                    CHASE_NO_CELL, &end);
  int gain = left ? CHASE_GAIN_DIE + left : 0;
  if (value >= 2 && position->spare[side] > 0) {
    const int right = chase_chain_gain(variant, position, side,
                                       variant->rays.step[CHASE_CHAMBER][exit[1]].cell, exit[1],
                                       cell, end, &end);
    if (right) gain += CHASE_GAIN_DIE + right;
  }
  return gain;
}

/* The capturing decisions of a turn but `first` (or CHASE_NO_DECISION), best first. */
static inline int chase_captures(const chase_evaluator *evaluator, const chase_position *position,
                                 const chase_scan *scan, chase_decision first,
                                 chase_candidate out[CHASE_MAX_DECISIONS]) {
  const chase_variant *const variant = evaluator->variant;
  int n = 0;
  uint32_t occupied[CHASE_WORDS];
  chase_all_occupied(position, occupied);
  const chase_words words = chase_words_spread(occupied);
  for (int i = 0; i < scan->dice; i++) {
    const int cell = scan->die[i].cell;
    const int value = position->value[position->side][cell];
    /* Only what ends on a die or on the chamber can take something. */
    unsigned mask = scan->die[i].mask & CHASE_RAY_LANES &
                    ~chase_free_lanes(&evaluator->die[cell][value].target, &words);
    for (; mask; mask &= mask - 1) {
      const chase_decision d = chase_decision_make(CHASE_MOVE, cell, __builtin_ctz(mask), 0, 0);
      const int gain = chase_gain(variant, position, d);
      if (!gain || d == first) continue;
      int at = n++;
      for (; at > 0 && out[at - 1].order < gain; at--) out[at] = out[at - 1];
      out[at] = (chase_candidate){gain, d, 1};
    }
  }
  return n;
}

/* What is left when captures are played out: the side to act may stand pat on the
 * static score or capture; what is due is handed out and a series finished in
 * every way. Looks CHASE_MAX_QUIET decisions ahead. Without pruning this is a
 * plain minimax, and alpha-beta gives the same value. */
static int chase_quiesce(chase_searcher *s, const chase_position *position, int alpha, int beta,
                         int ply, int looked, chase_known known) {
  if (__builtin_expect(s->halted, 0)) return 0;
  const chase_phase phase = chase_position_phase(s->variant, position);
  if (__builtin_expect(phase == CHASE_PHASE_LOST, 0)) return ply - CHASE_SCORE_WIN;
  chase_candidate list[CHASE_MAX_DECISIONS];
  int n;
  int best = -CHASE_SCORE_WIN;
  if (phase == CHASE_PHASE_TURN || looked >= CHASE_MAX_QUIET) {
    chase_sight sight;
    best = chase_static_sight(s->evaluator, position, known, &sight);
    if (__builtin_expect(best <= -CHASE_SCORE_WIN, 0)) return ply - CHASE_SCORE_WIN;
    if (best >= beta || looked >= CHASE_MAX_QUIET) return best;
    if (best > alpha) alpha = best;
    chase_scan scan;
    chase_scan_sight(s->variant, position, &sight, &scan);
    n = chase_captures(s->evaluator, position, &scan, CHASE_NO_DECISION, list);
  } else {
    chase_decision special[CHASE_MAX_DICE];
    n = chase_list_special(s->variant, position, phase, special);
    for (int i = 0; i < n; i++) list[i] = (chase_candidate){0, special[i], 0};
  }
  for (int i = 0; i < n; i++) {
    chase_position child = *position;
    chase_play(s->variant, &child, list[i].decision, NULL);
    chase_count_node(s);
    const int score = child.side == position->side
                          ? chase_quiesce(s, &child, alpha, beta, ply + 1, looked + 1,
                                          CHASE_KNOWN_NOTHING)
                          : -chase_quiesce(s, &child, -beta, -alpha, ply + 1, looked + 1,
                                           CHASE_KNOWN_NOTHING);
    if (__builtin_expect(s->halted, 0)) return 0;
    if (score <= best) continue;
    best = score;
    if (score >= beta) break;
    if (score > alpha) alpha = score;
  }
  return best;
}

#endif
