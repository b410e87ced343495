/* The slow, obvious walker: one step of one die (R2, R3). Everything fast is
 * derived from it. */
#ifndef CHASE_TOPOLOGY_H
#define CHASE_TOPOLOGY_H

#include "chase.h"

typedef struct chase_step {
  uint8_t cell;      /* reached, or CHASE_NO_CELL where the step is impossible */
  uint8_t direction; /* taken: the given one, or its reflection after a bounce */
  uint8_t wraps;     /* 1: crossed the seam */
  uint8_t ricochets; /* 1: bounced off an end row first */
} chase_step;

/* One step from `cell` in `direction` under the options wrap and ricochet. The
 * chamber is a cell like any other here. */
chase_step chase_topology_step(const chase_rules *rules, int cell, int direction);

/* R6: a standing die may not set out over its end row. */
bool chase_topology_may_set_out(int cell, int direction);

/* R8: the exits of a die that arrived on the chamber in `direction`; the left
 * one is 120 degrees to its left. Writes exit directions. */
void chase_topology_exits(int direction, int *left, int *right);

static inline int chase_cell_row(int cell) { return cell / CHASE_COLUMNS; } /* 0 = i */
static inline int chase_cell_column(int cell) { return cell % CHASE_COLUMNS; }

/* Rows a, c, e, g, i stand half a cell to the right (R1); i is row 0. */
static inline bool chase_row_shifted(int row) { return row % 2 == 0; }

static inline bool chase_direction_up(int direction) {
  return direction == CHASE_NE || direction == CHASE_NW;
}
static inline bool chase_direction_down(int direction) {
  return direction == CHASE_SW || direction == CHASE_SE;
}

#endif
