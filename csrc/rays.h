/* Ray tables: everything a move needs, derived from the walker once a variant. */
#ifndef CHASE_RAYS_H
#define CHASE_RAYS_H

#include "topology.h"

/* Occupancy is kept in three words of 27 bits (three rows each), so that the
 * six rays of a die of one value fit a vector: lane d of word w holds the cells
 * that must be empty for direction d. The chamber always counts as occupied,
 * which blocks rays through it; a ray that does not exist asks for the chamber
 * to be empty and so is always blocked. */
enum {
  CHASE_WORDS = 3,
  CHASE_WORD_CELLS = 27,
  CHASE_LANES = 8,
  CHASE_PARTNERS = 4, /* most neighbours after a cell: in column 1, across the seam */
  CHASE_CHAMBER_WORD = CHASE_CHAMBER / CHASE_WORD_CELLS
};
#define CHASE_CHAMBER_BIT ((uint32_t)1 << (CHASE_CHAMBER % CHASE_WORD_CELLS))

typedef struct chase_lanes {
  uint32_t word[CHASE_WORDS][CHASE_LANES];
} chase_lanes;

/* Where a ray ends and how it got there. */
typedef struct chase_ray {
  uint8_t target;    /* CHASE_NO_CELL where the ray does not exist */
  uint8_t arrival;   /* direction of the last step */
  uint8_t wraps;     /* seam crossings, 0 or 1: at most 6 of 9 columns */
  uint8_t ricochets; /* bounces, 0 or 1: at most 6 of 8 row steps */
} chase_ray;

/* All that a die of one value on one cell needs, in two cache lines. */
typedef struct chase_die_table {
  /* Lanes 0-5: cells before the last. Lanes 6 and 7 are flags for chains: the
   * six rays hold no move that R7 or R8 forbid unless a cell of lane 6 and a
   * cell of lane 7 are occupied. */
  _Alignas(128) chase_lanes clear;
  chase_ray ray[CHASE_DIRECTIONS];
  /* Neighbours for exchanges (R10) that come after this cell in reading order,
   * ascending, so that each pair is met once; CHASE_NO_CELL fills up. The same
   * for all values. */
  uint8_t partner[CHASE_PARTNERS];
  uint8_t entering; /* bit d: ray d ends on the chamber */
  /* Neighbours to the E, SW, SE: each pair once as well, in fewer look-ups where
   * only the number of exchanges is asked for. */
  uint8_t forward[3];
} chase_die_table;

_Static_assert(sizeof(chase_die_table) == 128, "two cache lines");

typedef struct chase_rays {
  chase_die_table die[CHASE_CELLS][CHASE_MAX_VALUE + 2]; /* values 1 to 6; eight to shift */
  /* Lane d: the chain that a landing at the end of ray d would push into an
   * illegal step (the chamber, or a step the options take away); the move is
   * illegal if all these cells hold own dice. A chain that cannot get there
   * asks for the chamber, which never holds a die. */
  _Alignas(32) chase_lanes chain[CHASE_CELLS][CHASE_MAX_VALUE];
  chase_step step[CHASE_CELLS][CHASE_DIRECTIONS];
  uint8_t partner_direction[CHASE_CELLS][CHASE_PARTNERS];
  /* Cells from which some step is illegal for a pushed die. No own die on them:
   * no move is forbidden by R7 or R8. */
  uint32_t fatal[CHASE_WORDS];
} chase_rays;

/* Fills the tables for valid rules. */
void chase_rays_build(const chase_rules *rules, chase_rays *out);

#endif
