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

/* What the dice of one side come to. It depends on them, on the spare dice, and on which cells
 * are occupied. */
typedef struct chase_survey {
  chase_counted dice;  /* their cells */
  chase_counted reach; /* cells where free rays end */
  uint32_t moves;      /* free rays, and CHASE_SURE for those that are surely legal */
  int32_t score;       /* what counts for either side in the same way */
  uint8_t lanes[CHASE_MAX_DICE + 1]; /* free lanes, those of the last die first, from 1 on */
} chase_survey;

/* What an evaluation saw, so that nobody looks again: by side. */
typedef struct chase_sight {
  chase_survey of[2];
} chase_sight;

/* What is known before an evaluation: the surveys of `sides`, a bit each. */
typedef struct chase_known {
  const chase_sight *sight;
  unsigned sides;
} chase_known;

#define CHASE_KNOWN_NOTHING ((chase_known){NULL, 0})

static inline chase_counted chase_counted_of(const uint32_t word[CHASE_WORDS]) {
  return (chase_counted){word[0] | (uint64_t)word[1] << 32, word[2]};
}

static inline chase_counted chase_counted_common(chase_counted a, chase_counted b) {
  return (chase_counted){a.low & b.low, a.high & b.high};
}

static inline int chase_count_cells(chase_counted a) {
#if defined(__POPCNT__) || defined(__aarch64__)
  return __builtin_popcountll(a.low) + __builtin_popcountll(a.high);
#else
  /* Sums of bits in parallel, both words together once a sum of both has room. */
  const uint64_t two = 0x5555555555555555u, four = 0x3333333333333333u, eight = 0x0f0f0f0f0f0f0f0fu;
  const uint64_t low = a.low - (a.low >> 1 & two), high = a.high - (a.high >> 1 & two);
  const uint64_t both = (low & four) + (low >> 2 & four) + (high & four) + (high >> 2 & four);
  return (int)(((both & eight) + (both >> 4 & eight)) * 0x0101010101010101u >> 56);
#endif
}

static inline int chase_count_common(chase_counted a, chase_counted b) {
  return chase_count_cells(chase_counted_common(a, b));
}

_Static_assert(CHASE_CHAMBER_WORD < 2, "the chamber is in the low word of those counted");

/* `words` are all occupied cells and the chamber. */
static inline __attribute__((always_inline)) void chase_survey_side(const chase_evaluator *evaluator,
                                     const chase_position *position, int side,
                                     const chase_words *words, chase_survey *out) {
  const chase_variant *const variant = evaluator->variant;
  const uint8_t *const value = position->value[side];
  chase_cells cells = chase_cells_of(position->occupied[side]);
  chase_reach targets;
  chase_reach_clear(&targets);
  uint32_t moves = 0;
  int place = 0;
  for (size_t left = position->dice[side]; left > 0; left--) {
    /* Unsigned, which saves widening them. */
    const size_t cell = (unsigned)chase_next_cell(&cells);
    const size_t v = value[cell];
    const chase_judged *const judged = &evaluator->die[cell][v];
    const unsigned lanes = chase_free_lanes_reach(&variant->rays.die[cell][v].clear,
                                                  &judged->target, words, &targets);
    out->lanes[left] = (uint8_t)lanes;
    moves += variant->lane_moves[lanes];
    place += judged->place[side];
  }
  const chase_counted dice = chase_counted_of(position->occupied[side]);
  chase_counted reach, near;
  chase_reach_cells(&targets, &reach, &near);
  const int32_t *const w = evaluator->weights.weight;
  const int spare = position->spare[side];
  const int line = spare ? CHASE_FEATURE_SPLIT_LINE : CHASE_FEATURE_WHOLE_LINE;
  const unsigned enters =
      reach.low >> (32 * CHASE_CHAMBER_WORD + CHASE_CHAMBER % CHASE_WORD_CELLS) & 1;
  out->dice = dice;
  out->reach = reach;
  out->moves = moves;
  out->score = place + evaluator->dice[position->dice[side]] + evaluator->spare[spare] +
               w[CHASE_FEATURE_MOBILITY] * (int)(moves % CHASE_SURE) +
               w[CHASE_FEATURE_LINKED] * chase_count_common(dice, near) +
               w[CHASE_FEATURE_REACH] * chase_count_cells(reach) +
               w[CHASE_FEATURE_GUARDED] * chase_count_common(reach, dice) + (w[line] & -(int)enters);
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

/* Writes what it saw as well; `known` may be taken over. */
static __attribute__((noinline)) int chase_static_sight(const chase_evaluator *evaluator,
                                     const chase_position *position, chase_known known,
                                     chase_sight *sight) {
  const int32_t *const w = evaluator->weights.weight;
  uint32_t occupied[CHASE_WORDS];
  chase_all_occupied(position, occupied);
  const chase_words words = chase_words_spread(occupied);
  /* By colour and not by whose turn it is, which costs fewer instructions. */
  if (known.sides >> CHASE_RED & 1) sight->of[CHASE_RED] = known.sight->of[CHASE_RED];
  else chase_survey_side(evaluator, position, CHASE_RED, &words, &sight->of[CHASE_RED]);
  if (known.sides >> CHASE_BLUE & 1) sight->of[CHASE_BLUE] = known.sight->of[CHASE_BLUE];
  else chase_survey_side(evaluator, position, CHASE_BLUE, &words, &sight->of[CHASE_BLUE]);
  const chase_survey *const mine = &sight->of[position->side];
  const chase_survey *const theirs = &sight->of[position->side ^ 1];
  if (__builtin_expect(chase_stuck(evaluator, position, mine->moves), 0)) return -CHASE_SCORE_WIN;
  const chase_attacked act = chase_attacked_dice(theirs, mine);
  const chase_attacked wait = chase_attacked_dice(mine, theirs);
  const int score =
      mine->score - theirs->score + w[CHASE_FEATURE_ACT_LOOSE] * act.loose +
      w[CHASE_FEATURE_ACT_GUARDED] * act.guarded + w[CHASE_FEATURE_ACT_ANY] * (act.loose > 0) -
      w[CHASE_FEATURE_WAIT_LOOSE] * wait.loose - w[CHASE_FEATURE_WAIT_GUARDED] * wait.guarded -
      w[CHASE_FEATURE_WAIT_ANY] * (wait.loose > 0) - w[CHASE_FEATURE_WAIT_TWO] * (wait.loose > 1) +
      w[CHASE_FEATURE_TEMPO];
  return chase_clamp_score(score);
}

static inline int chase_static_score(const chase_evaluator *evaluator,
                                     const chase_position *position) {
  chase_sight sight;
  return chase_static_sight(evaluator, position, CHASE_KNOWN_NOTHING, &sight);
}

/* The scan of the board as chase_scan_board does it, but without counts. */
static inline void chase_scan_sight(const chase_variant *variant, const chase_position *position,
                                    const chase_sight *sight, chase_scan *scan) {
  const int side = position->side;
  const int dice = position->dice[side];
  const chase_survey *const survey = &sight->of[side];
  chase_cells cells = chase_cells_of(position->occupied[side]);
  scan->dice = dice;
  for (int i = 0; i < dice; i++)
    scan->die[i] =
        (chase_scanned){(uint8_t)chase_next_cell(&cells), survey->lanes[dice - i], 0, 0};
  if (survey->moves / CHASE_SURE != survey->moves % CHASE_SURE &&
      chase_own_on_fatal(variant, position->occupied[side]))
    chase_forbid(variant, position, scan);
}

#endif
