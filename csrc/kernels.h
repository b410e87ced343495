/* Assembles the kernels of one instruction set; included once by each
 * kernels_*.c, after it has chosen its target. */
#ifndef CHASE_KERNELS_H
#define CHASE_KERNELS_H

#include "mcts.h"
#include "playout.h"
#include "root.h"
#include "series.h"

static int chase_count_kernel(const chase_variant *variant, const chase_position *position) {
  return chase_count(variant, position);
}

static int chase_list_kernel(const chase_variant *variant, const chase_position *position,
                             chase_decision *out) {
  return chase_list(variant, position, out);
}

static chase_decision chase_at_kernel(const chase_variant *variant, const chase_position *position,
                                      int index) {
  return chase_at(variant, position, index);
}

static int chase_evaluate_kernel(const chase_evaluator *evaluator,
                                 const chase_position *position) {
  return chase_static_score(evaluator, position);
}

#define CHASE_KERNELS(isa_name)                                                      \
  {                                                                                  \
    .name = isa_name, .count = chase_count_kernel, .list = chase_list_kernel,        \
    .at = chase_at_kernel, .perft = chase_perft_kernel, .playouts = chase_playouts_kernel, \
    .random_series = chase_random_series_kernel, .evaluate = chase_evaluate_kernel, .deepen = chase_deepen,                       \
    .simulate = chase_simulate                                                       \
  }

#endif
