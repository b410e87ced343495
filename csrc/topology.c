#include "topology.h"

/* NE <-> SE, NW <-> SW (R3). */
static int reflected(int direction) {
  switch (direction) {
    case CHASE_NE: return CHASE_SE;
    case CHASE_SE: return CHASE_NE;
    case CHASE_NW: return CHASE_SW;
    case CHASE_SW: return CHASE_NW;
    default: return direction;
  }
}

/* Column change of a step out of a row (R2). */
static int column_change(int row, int direction) {
  const bool shifted = chase_row_shifted(row);
  switch (direction) {
    case CHASE_E: return 1;
    case CHASE_W: return -1;
    case CHASE_NE:
    case CHASE_SE: return shifted ? 1 : 0;
    default: return shifted ? 0 : -1;
  }
}

static int row_change(int direction) {
  return chase_direction_up(direction) ? -1 : chase_direction_down(direction) ? 1 : 0;
}

chase_step chase_topology_step(const chase_rules *rules, int cell, int direction) {
  const chase_step impossible = {CHASE_NO_CELL, (uint8_t)direction, 0, 0};
  const int row = chase_cell_row(cell);
  chase_step step = {CHASE_NO_CELL, (uint8_t)direction, 0, 0};
  int to_row = row + row_change(direction);
  if (to_row < 0 || to_row >= CHASE_ROWS) {
    if (!rules->ricochet) return impossible;
    direction = reflected(direction);
    to_row = row + row_change(direction);
    step.direction = (uint8_t)direction;
    step.ricochets = 1;
  }
  int column = chase_cell_column(cell) + column_change(row, direction);
  if (column < 0 || column >= CHASE_COLUMNS) {
    if (!rules->wrap) return impossible;
    column = (column + CHASE_COLUMNS) % CHASE_COLUMNS;
    step.wraps = 1;
  }
  step.cell = (uint8_t)(to_row * CHASE_COLUMNS + column);
  return step;
}

bool chase_topology_may_set_out(int cell, int direction) {
  const int row = chase_cell_row(cell);
  return !(row == 0 && chase_direction_up(direction)) &&
         !(row == CHASE_ROWS - 1 && chase_direction_down(direction));
}

void chase_topology_exits(int direction, int *left, int *right) {
  /* Directions count counter-clockwise in steps of 60 degrees. */
  *left = (direction + 2) % CHASE_DIRECTIONS;
  *right = (direction + 4) % CHASE_DIRECTIONS;
}

int chase_cell_neighbour(int cell, int direction) {
  if (cell < 0 || cell >= CHASE_CELLS || direction < 0 || direction >= CHASE_DIRECTIONS)
    return CHASE_NO_CELL;
  chase_rules rules;
  chase_rules_default(&rules);
  rules.ricochet = 0;
  return chase_topology_step(&rules, cell, direction).cell;
}
