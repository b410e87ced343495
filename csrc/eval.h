/* Static evaluation: a weighted sum of counts, see enum chase_feature. */
#ifndef CHASE_EVAL_H
#define CHASE_EVAL_H

#include "movegen.h"
#include "players.h"

/* A die of one value on one cell. */
typedef struct chase_judged {
  /* Lane d: the cell where ray d ends, the chamber too; nothing where there is no
   * such ray, and in lane 6. Lane 7: the cells beside it. */
  _Alignas(128) chase_lanes target;
  int32_t place[2]; /* weight of value and row, by side */
} chase_judged;

_Static_assert(sizeof(chase_judged) == 128, "two cache lines");

/* The weights spread out so that each die and each count is one look-up. */
struct chase_evaluator {
  chase_judged die[CHASE_CELLS][CHASE_MAX_VALUE + 2]; /* indexed as the ray tables */
  const chase_variant *variant;
  chase_weights weights;
  int32_t dice[CHASE_MAX_DICE + 1]; /* by dice on the board */
  int32_t spare[CHASE_MAX_DICE + 1];
};

/* The fewest dice that can show the total (R11). */
static inline int chase_fewest_dice(const chase_variant *variant) {
  return (variant->total + CHASE_MAX_VALUE - 1) / CHASE_MAX_VALUE;
}

enum { CHASE_DICE_FEATURES = 10, CHASE_SPARE_FEATURES = 3 };

/* Which of the ten features of the number of dice. */
static inline int chase_dice_feature(const chase_variant *variant, int dice) {
  const int to_lose = dice - chase_fewest_dice(variant);
  return to_lose < 0 ? 0 : to_lose < CHASE_DICE_FEATURES ? to_lose : CHASE_DICE_FEATURES - 1;
}

/* Row of a cell counted from the end row where the side stood at the start. */
static inline int chase_row_from_home(int side, int cell) {
  const int row = cell / CHASE_COLUMNS;
  return side == CHASE_RED ? CHASE_ROWS - 1 - row : row;
}

/* Which rays an evaluation found free, so that nobody looks again. */
typedef struct chase_sight {
  uint32_t moves; /* of the side to act, as in its survey */
  /* By side and die, the last one in reading order first. */
  uint8_t lanes[2][CHASE_MAX_DICE + 1];
} chase_sight;

/* What the dice of one side come to. */
typedef struct chase_survey {
  chase_counted dice;  /* their cells */
  chase_counted reach; /* cells where free rays end */
  chase_counted near;  /* cells beside a die */
  uint32_t moves;      /* free rays, and CHASE_SURE for those that are surely legal */
  int place;
} chase_survey;

static inline chase_counted chase_counted_of(const uint32_t word[CHASE_WORDS]) {
  return (chase_counted){word[0] | (uint64_t)word[1] << 32, word[2]};
}

/* `words` are all occupied cells and the chamber. */
static inline chase_survey chase_survey_side(const chase_evaluator *evaluator,
                                             const chase_position *position, int side,
                                             const chase_words *words, chase_sight *sight) {
  const chase_variant *const variant = evaluator->variant;
  const uint8_t *const value = position->value[side];
  chase_survey out = {.dice = chase_counted_of(position->occupied[side])};
  chase_cells cells = chase_cells_of(position->occupied[side]);
  chase_reach reach;
  chase_reach_clear(&reach);
  for (size_t left = position->dice[side]; left > 0; left--) {
    /* Unsigned, so that one number serves to find all three tables. */
    const size_t cell = (unsigned)chase_next_cell(&cells);
    const size_t index = cell * (CHASE_MAX_VALUE + 2) + value[cell];
    const chase_judged *const judged = &evaluator->die[0][index];
    const unsigned lanes = chase_free_lanes_reach(&variant->rays.die[0][index].clear,
                                                  &judged->target, words, &reach);
    sight->lanes[side][left] = (uint8_t)lanes;
    out.moves += variant->lane_moves[lanes];
    out.place += judged->place[side];
  }
  chase_reach_cells(&reach, &out.reach, &out.near);
  return out;
}

static inline chase_counted chase_counted_common(chase_counted a, chase_counted b) {
  return (chase_counted){a.low & b.low, a.high & b.high};
}

static inline int chase_count_cells(chase_counted a) {
  return __builtin_popcountll(a.low) + __builtin_popcountll(a.high);
}

static inline int chase_count_common(chase_counted a, chase_counted b) {
  return chase_count_cells(chase_counted_common(a, b));
}

/* The free line of a side into the chamber. */
static inline int chase_line_score(const chase_evaluator *evaluator, int spare,
                                   const chase_survey *survey) {
  const int32_t *const w = evaluator->weights.weight;
  const unsigned enters =
      survey->reach.low >> (32 * CHASE_CHAMBER_WORD + CHASE_CHAMBER % CHASE_WORD_CELLS) & 1;
  return w[spare ? CHASE_FEATURE_SPLIT_LINE : CHASE_FEATURE_WHOLE_LINE] & -(int)enters;
}

_Static_assert(CHASE_CHAMBER_WORD < 2, "the chamber is in the low word of those counted");

/* What counts for either side in the same way: red less blue. */
static inline int chase_lasting_score(const chase_evaluator *evaluator,
                                      const chase_position *position, const chase_survey *red,
                                      const chase_survey *blue) {
  const int32_t *const w = evaluator->weights.weight;
  const uint8_t *const dice = position->dice, *const spare = position->spare;
  const int moves = (int)(red->moves % CHASE_SURE) - (int)(blue->moves % CHASE_SURE);
  const int linked =
      chase_count_common(red->dice, red->near) - chase_count_common(blue->dice, blue->near);
  const int reach = chase_count_cells(red->reach) - chase_count_cells(blue->reach);
  const int guarded =
      chase_count_common(red->dice, red->reach) - chase_count_common(blue->dice, blue->reach);
  return red->place - blue->place + evaluator->dice[dice[CHASE_RED]] -
         evaluator->dice[dice[CHASE_BLUE]] + evaluator->spare[spare[CHASE_RED]] -
         evaluator->spare[spare[CHASE_BLUE]] + w[CHASE_FEATURE_MOBILITY] * moves +
         w[CHASE_FEATURE_LINKED] * linked + w[CHASE_FEATURE_REACH] * reach +
         w[CHASE_FEATURE_GUARDED] * guarded + chase_line_score(evaluator, spare[CHASE_RED], red) -
         chase_line_score(evaluator, spare[CHASE_BLUE], blue);
}

/* Dice that the other side attacks. */
typedef struct chase_attacked {
  int loose, guarded;
} chase_attacked;

static inline chase_attacked chase_attacked_dice(const chase_survey *own,
                                                 const chase_survey *other) {
  const chase_counted hurt = chase_counted_common(own->dice, other->reach);
  const int guarded = chase_count_common(hurt, own->reach);
  return (chase_attacked){chase_count_cells(hurt) - guarded, guarded};
}

static inline int chase_clamp_score(int score) {
  return score > CHASE_SCORE_LIMIT ? CHASE_SCORE_LIMIT
         : score < -CHASE_SCORE_LIMIT ? -CHASE_SCORE_LIMIT : score;
}

/* The side to act has no legal decision (R11), or lacks too many dice. `moves` as in its
 * survey. */
static inline bool chase_stuck(const chase_evaluator *evaluator, const chase_position *position,
                               uint32_t moves) {
  const chase_variant *const variant = evaluator->variant;
  if (chase_side_lost(variant, position, position->side)) return true;
  /* One move that nothing can forbid is enough; without one, which is rare, the
   * decisions must be counted. */
  if (__builtin_expect(moves >= CHASE_SURE, 1)) return false;
  return chase_count(variant, position) == 0;
}

/* Writes the free rays as well. */
static inline int chase_static_sight(const chase_evaluator *evaluator,
                                     const chase_position *position, chase_sight *sight) {
  const int32_t *const w = evaluator->weights.weight;
  uint32_t occupied[CHASE_WORDS];
  chase_all_occupied(position, occupied);
  const chase_words words = chase_words_spread(occupied);
  /* By colour and not by whose turn it is, which costs fewer instructions. */
  const chase_survey red = chase_survey_side(evaluator, position, CHASE_RED, &words, sight);
  const chase_survey blue = chase_survey_side(evaluator, position, CHASE_BLUE, &words, sight);
  const bool red_acts = position->side == CHASE_RED;
  sight->moves = red_acts ? red.moves : blue.moves;
  if (__builtin_expect(chase_stuck(evaluator, position, sight->moves), 0)) return -CHASE_SCORE_WIN;
  const int lasting = chase_lasting_score(evaluator, position, &red, &blue);
  const chase_attacked of_red = chase_attacked_dice(&red, &blue);
  const chase_attacked of_blue = chase_attacked_dice(&blue, &red);
  const chase_attacked act = red_acts ? of_blue : of_red;
  const chase_attacked wait = red_acts ? of_red : of_blue;
  const int score =
      (red_acts ? lasting : -lasting) + w[CHASE_FEATURE_ACT_LOOSE] * act.loose +
      w[CHASE_FEATURE_ACT_GUARDED] * act.guarded + w[CHASE_FEATURE_ACT_ANY] * (act.loose > 0) -
      w[CHASE_FEATURE_WAIT_LOOSE] * wait.loose - w[CHASE_FEATURE_WAIT_GUARDED] * wait.guarded -
      w[CHASE_FEATURE_WAIT_ANY] * (wait.loose > 0) - w[CHASE_FEATURE_WAIT_TWO] * (wait.loose > 1) +
      w[CHASE_FEATURE_TEMPO];
  return chase_clamp_score(score);
}

static inline int chase_static_score(const chase_evaluator *evaluator,
                                     const chase_position *position) {
  chase_sight sight;
  return chase_static_sight(evaluator, position, &sight);
}

/* The scan of the board as chase_scan_board does it, but without counts. */
static inline void chase_scan_sight(const chase_variant *variant, const chase_position *position,
                                    const chase_sight *sight, chase_scan *scan) {
  const int side = position->side;
  const int dice = position->dice[side];
  chase_cells cells = chase_cells_of(position->occupied[side]);
  scan->dice = dice;
  for (int i = 0; i < dice; i++)
    scan->die[i] =
        (chase_scanned){(uint8_t)chase_next_cell(&cells), sight->lanes[side][dice - i], 0, 0};
  if (sight->moves / CHASE_SURE != sight->moves % CHASE_SURE &&
      chase_own_on_fatal(variant, position->occupied[side]))
    chase_forbid(variant, position, scan);
}

#endif
