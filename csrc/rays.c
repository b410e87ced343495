#include "rays.h"

#include <assert.h>
#include <string.h>

static void add_cell(chase_lanes *lanes, int lane, int cell) {
  lanes->word[cell / CHASE_WORD_CELLS][lane] |= (uint32_t)1 << (cell % CHASE_WORD_CELLS);
}

static void never(chase_lanes *lanes, int lane) {
  for (int w = 0; w < CHASE_WORDS; w++) lanes->word[w][lane] = 0;
  add_cell(lanes, lane, CHASE_CHAMBER);
}

static bool illegal_push(const chase_step *step) {
  return step->cell == CHASE_NO_CELL || step->cell == CHASE_CHAMBER;
}

/* Walks one ray; fills lane `direction` of `clear`. */
static chase_ray walk_ray(const chase_rays *rays, int cell, int value, int direction,
                          chase_lanes *clear) {
  chase_ray ray = {CHASE_NO_CELL, (uint8_t)direction, 0, 0};
  if (!chase_topology_may_set_out(cell, direction)) {
    never(clear, direction);
    return ray;
  }
  int at = cell;
  int heading = direction;
  for (int i = 1; i <= value; i++) {
    const chase_step step = rays->step[at][heading];
    if (step.cell == CHASE_NO_CELL || (step.cell == CHASE_CHAMBER && i < value)) {
      never(clear, direction);
      return (chase_ray){CHASE_NO_CELL, (uint8_t)direction, 0, 0};
    }
    ray.wraps += step.wraps;
    ray.ricochets += step.ricochets;
    at = step.cell;
    heading = step.direction;
    if (i < value) add_cell(clear, direction, at);
  }
  ray.target = (uint8_t)at;
  ray.arrival = (uint8_t)heading;
  return ray;
}

/* The line of pushes that starts when a die lands at the ray's end: fills lane
 * `direction` of `chain` if the line runs into an illegal step before it meets
 * the origin (empty by then, R7) and within the dice that a side can have.
 * Returns the last cell of that line, or CHASE_NO_CELL. */
static int walk_chain(const chase_rays *rays, int origin, const chase_ray *ray, int direction,
                      chase_lanes *chain) {
  int at = ray->target;
  int heading = ray->arrival;
  for (int pushes = 0; pushes <= CHASE_MAX_CHAIN; pushes++) {
    if (at == origin) break;
    add_cell(chain, direction, at);
    const chase_step step = rays->step[at][heading];
    if (illegal_push(&step)) return at;
    at = step.cell;
    heading = step.direction;
  }
  never(chain, direction);
  return CHASE_NO_CELL;
}

static void build_set(chase_rays *rays, int cell, int value) {
  chase_die_table *const die = &rays->die[cell][value];
  chase_lanes *const clear = &die->clear;
  chase_lanes *const chain = &rays->chain[cell][value - 1];
  for (int d = 0; d < CHASE_DIRECTIONS; d++) {
    const chase_ray ray = walk_ray(rays, cell, value, d, clear);
    die->ray[d] = ray;
    if (ray.target == CHASE_NO_CELL) {
      never(chain, d);
    } else if (ray.target == CHASE_CHAMBER) {
      /* A split is forbidden only by a chain, and a chain that gets to an
       * illegal step needs an own die where a half lands (R8). */
      never(chain, d);
      die->entering |= (uint8_t)(1u << d);
      int exits[2];
      chase_topology_exits(ray.arrival, &exits[0], &exits[1]);
      for (int e = 0; e < 2; e++) {
        const int exit = rays->step[CHASE_CHAMBER][exits[e]].cell;
        add_cell(clear, 6, exit);
        add_cell(clear, 7, exit);
      }
    } else {
      const int last = walk_chain(rays, cell, &ray, d, chain);
      if (last != CHASE_NO_CELL) {
        add_cell(clear, 6, ray.target);
        add_cell(clear, 7, last);
      }
    }
  }
  for (int lane = CHASE_DIRECTIONS; lane < CHASE_LANES; lane++) never(chain, lane);
}

static void build_partners(chase_rays *rays, const chase_rules *rules, int cell) {
  chase_rules flat = *rules;
  flat.ricochet = 0; /* neighbours do not bounce (R2) */
  uint8_t partner[CHASE_PARTNERS];
  int n = 0;
  for (int other = cell + 1; other < CHASE_CELLS; other++)
    for (int d = 0; d < CHASE_DIRECTIONS; d++)
      if (chase_topology_step(&flat, cell, d).cell == other) {
        assert(n < CHASE_PARTNERS);
        partner[n] = (uint8_t)other;
        rays->partner_direction[cell][n] = (uint8_t)d;
        n++;
      }
  while (n < CHASE_PARTNERS) partner[n++] = CHASE_NO_CELL;
  static const uint8_t forward[3] = {CHASE_E, CHASE_SW, CHASE_SE};
  for (int value = 0; value <= CHASE_MAX_VALUE + 1; value++) {
    chase_die_table *const die = &rays->die[cell][value];
    memcpy(die->partner, partner, sizeof partner);
    for (int i = 0; i < 3; i++)
      die->forward[i] = chase_topology_step(&flat, cell, forward[i]).cell;
  }
}

void chase_rays_build(const chase_rules *rules, chase_rays *out) {
  memset(out, 0, sizeof *out);
  for (int cell = 0; cell < CHASE_CELLS; cell++) {
    bool fatal = false;
    for (int d = 0; d < CHASE_DIRECTIONS; d++) {
      out->step[cell][d] = chase_topology_step(rules, cell, d);
      if (cell != CHASE_CHAMBER && illegal_push(&out->step[cell][d])) fatal = true;
    }
    if (fatal)
      out->fatal[cell / CHASE_WORD_CELLS] |= (uint32_t)1 << (cell % CHASE_WORD_CELLS);
    build_partners(out, rules, cell);
  }
  for (int cell = 0; cell < CHASE_CELLS; cell++)
    for (int value = 1; value <= CHASE_MAX_VALUE; value++) build_set(out, cell, value);
}
