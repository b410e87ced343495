/* Uniformly random games with the statistics of each. */
#ifndef CHASE_PLAYOUT_H
#define CHASE_PLAYOUT_H

#include <stdlib.h>
#include <string.h>

#include "detail.h"
#include "perft.h"
#include "rng.h"
#include "tally.h"

/* ---- positions seen, for threefold repetition ---- */

/* All hashes of the game in order, and a filter of one bit for each: a bit not
 * set before proves a new position, which nearly all are, without a search. At
 * least 16 bits an entry keep false alarms below one in 16; an alarm searches the
 * log. Equal hashes only raise a suspicion, which chase_confirm_repetition
 * settles exactly. */
typedef struct chase_seen {
  uint64_t *log;
  uint64_t *filter;
  size_t used;     /* entries of the log */
  size_t size;     /* entries the log has room for; 16 bits each in the filter */
  size_t capacity; /* entries allocated in both */
} chase_seen;

enum {
  CHASE_SEEN_FIRST_SIZE = 512, /* 1 KiB of filter, cleared for each game */
  CHASE_SEEN_BITS = 16
};

static inline size_t chase_filter_bytes(size_t size) { return size * CHASE_SEEN_BITS / 8; }

static inline void chase_seen_clear(chase_seen *seen) {
  seen->used = 0;
  seen->size = CHASE_SEEN_FIRST_SIZE;
  memset(seen->filter, 0, chase_filter_bytes(seen->size));
}

/* Sets the bit of `hash`; tells whether it was set. Sizes are powers of two. */
static inline bool chase_filter_set(chase_seen *seen, uint64_t hash) {
  const size_t bit = hash & (CHASE_SEEN_BITS * seen->size - 1);
  uint64_t *const word = &seen->filter[bit / 64];
  const uint64_t mask = (uint64_t)1 << bit % 64;
  const bool was_set = (*word & mask) != 0;
  *word |= mask;
  return was_set;
}

static bool chase_seen_allocate(chase_seen *seen, size_t size) {
  uint64_t *const log = realloc(seen->log, size * sizeof *log);
  if (log) seen->log = log;
  uint64_t *const filter = realloc(seen->filter, chase_filter_bytes(size));
  if (filter) seen->filter = filter;
  if (!log || !filter) return false;
  seen->capacity = size;
  return true;
}

/* Doubles the room. False if memory is out. */
static __attribute__((noinline)) bool chase_seen_grow(chase_seen *seen) {
  const size_t size = 2 * seen->size;
  if (size > seen->capacity && !chase_seen_allocate(seen, size)) return false;
  seen->size = size;
  memset(seen->filter, 0, chase_filter_bytes(size));
  for (size_t i = 0; i < seen->used; i++) chase_filter_set(seen, seen->log[i]);
  return true;
}

static __attribute__((noinline)) int chase_seen_search(const chase_seen *seen, uint64_t hash) {
  int found = 0;
  for (size_t i = 0; i < seen->used; i++) found += seen->log[i] == hash;
  return found;
}

/* Adds an occurrence; returns how many there were, or -1 if memory is out. */
static inline int chase_seen_add(chase_seen *seen, uint64_t hash) {
  if (__builtin_expect(seen->used == seen->size, 0) && !chase_seen_grow(seen)) return -1;
  const int before =
      __builtin_expect(chase_filter_set(seen, hash), 0) ? chase_seen_search(seen, hash) : 0;
  seen->log[seen->used++] = hash;
  return before;
}

/* The numbers of a game: of both sides in stream[0], or of each in its own. */
typedef struct chase_lot {
  chase_stream stream[2];
} chase_lot;

/* Plays a game once more up to `decisions` and counts, exactly, how often its last
 * position occurred. `apart`: as for chase_play_random. */
static __attribute__((noinline)) bool chase_confirm_repetition(const chase_variant *variant,
                                                               const chase_position *start,
                                                               const chase_lot *lot, int apart,
                                                               uint32_t decisions,
                                                               const chase_position *last) {
  chase_lot again;
  for (int i = 0; i <= apart; i++)
    chase_stream_start(&again.stream[i], lot->stream[i].seed, lot->stream[i].game);
  chase_position position = *start;
  int occurrences = chase_position_equal(&position, last);
  for (uint32_t i = 0; i < decisions; i++) {
    const int n = chase_count(variant, &position);
    chase_stream *const stream = &again.stream[position.side & apart];
    const int index = (int)chase_stream_below(stream, (uint32_t)n);
    chase_play(variant, &position, chase_at(variant, &position, index), NULL);
    occurrences += chase_position_equal(&position, last);
  }
  return occurrences >= 3;
}

/* ---- turns seen, for repetition=moves ---- */

enum { CHASE_TURN_PERIOD = 4, CHASE_TURN_WINDOW = 3 * CHASE_TURN_PERIOD };

typedef struct chase_turn_log {
  int turns;  /* completed */
  int length; /* decisions of the turn under way */
  int lengths[CHASE_TURN_WINDOW];
  chase_decision decision[CHASE_TURN_WINDOW][CHASE_MAX_TURN];
} chase_turn_log;

static inline void chase_turn_log_clear(chase_turn_log *log) {
  log->turns = 0;
  log->length = 0;
}

/* Adds a decision. True if it completes a window of three equal sequences of
 * four turns. */
static __attribute__((noinline)) bool chase_turn_log_add(chase_turn_log *log,
                                                         chase_decision decision,
                                                         bool ends_turn) {
  assert(log->length < CHASE_MAX_TURN);
  const int row = log->turns % CHASE_TURN_WINDOW;
  log->decision[row][log->length++] = decision;
  if (!ends_turn) return false;
  log->lengths[row] = log->length;
  log->length = 0;
  log->turns++;
  if (log->turns < CHASE_TURN_WINDOW) return false;
  for (int i = 0; i + CHASE_TURN_PERIOD < CHASE_TURN_WINDOW; i++) {
    const int a = (log->turns + i) % CHASE_TURN_WINDOW;
    const int b = (log->turns + i + CHASE_TURN_PERIOD) % CHASE_TURN_WINDOW;
    if (log->lengths[a] != log->lengths[b] ||
        memcmp(log->decision[a], log->decision[b],
               (size_t)log->lengths[a] * sizeof(chase_decision)) != 0)
      return false;
  }
  return true;
}

/* ---- one game ---- */

typedef struct chase_workspace {
  chase_seen seen;
  chase_turn_log log;
} chase_workspace;

static void chase_workspace_free(chase_workspace *work) {
  free(work->seen.log);
  free(work->seen.filter);
  free(work);
}

/* A random game. `apart` is 1 where each side draws from its own stream; it and
 * whether there is a `detail_out` are constants to the compiler. */
static inline __attribute__((always_inline)) chase_status chase_play_random(
    const chase_variant *variant, const chase_position *start, chase_lot *lot, int apart,
    uint32_t max_turns, chase_stop_flag *stop, chase_workspace *work, chase_game_stats *out,
    chase_game_detail *detail_out) {
  const enum chase_repetition rule = (enum chase_repetition)variant->rules.repetition;
  chase_position position = *start;
  chase_game_stats stats = {.winner = -1};
  const bool detailed = detail_out != NULL;
  chase_game_detail detail;
  chase_detail_begin(&detail);
  if (rule == CHASE_REPETITION_THREEFOLD) {
    chase_seen_clear(&work->seen);
    if (chase_seen_add(&work->seen, position.hash) < 0) return CHASE_MEMORY;
  } else {
    chase_turn_log_clear(&work->log);
  }
  bool new_turn = true;
  bool drawn = false;
  for (;;) {
    chase_scan scan;
    chase_decision special[CHASE_MAX_DICE];
    const chase_phase phase = chase_position_phase(variant, &position);
    int n;
    if (__builtin_expect(phase == CHASE_PHASE_TURN, 1)) {
      chase_scan_board(variant, &position, &scan);
      n = scan.moves + scan.exchanges;
    } else {
      n = chase_list_special(variant, &position, phase, special);
    }
    if (__builtin_expect(n == 0, 0)) {
      chase_finish(&stats, phase == CHASE_PHASE_LOST ? CHASE_BY_DICE : CHASE_BY_NO_DECISION,
                   position.side ^ 1);
      break;
    }
    if (__builtin_expect(drawn, 0)) {
      chase_finish(&stats, CHASE_BY_REPETITION, -1);
      break;
    }
    if (new_turn) {
      if (stats.turns == max_turns) {
        chase_finish(&stats, CHASE_BY_TURN_LIMIT, -1);
        break;
      }
      stats.turns++;
      if (__builtin_expect(stats.turns % 1024 == 0, 0) && chase_stop_requested(stop))
        return CHASE_STOPPED;
    }
    const int index = (int)chase_stream_below(&lot->stream[position.side & apart], (uint32_t)n);
    const chase_decision decision = phase == CHASE_PHASE_TURN
                                        ? chase_pick(variant, &position, &scan, index)
                                        : special[index];
    stats.decisions++;
    stats.options += (uint32_t)n;
    stats.forced += n == 1;
    if (detailed) chase_detail_options(&detail, n, phase == CHASE_PHASE_DUE);
    const int side = position.side;
    if (__builtin_expect(chase_decision_kind(decision) == CHASE_MOVE, 1)) {
      chase_recorder recorder = {.trace = NULL};
      chase_play_move(variant, &position, decision, &recorder);
      chase_tally(&stats, &recorder.events);
      if (detailed && (recorder.events.captures | recorder.events.split))
        chase_detail_dice(&detail, &position, side, recorder.events.captures, stats.turns);
    } else {
      if (detailed && chase_decision_kind(decision) == CHASE_EXCHANGE)
        chase_detail_exchange(&detail, &position, decision);
      chase_play_other(variant, &position, decision);
      stats.exchanges += chase_decision_kind(decision) == CHASE_EXCHANGE;
      if (phase == CHASE_PHASE_DUE) {
        stats.distributions++;
        stats.distribution_options += (uint32_t)n;
      }
    }
    new_turn = position.side != side;
    if (rule == CHASE_REPETITION_THREEFOLD) {
      const int before = chase_seen_add(&work->seen, position.hash);
      if (__builtin_expect(before < 0, 0)) return CHASE_MEMORY;
      drawn = __builtin_expect(before >= 2, 0) &&
              chase_confirm_repetition(variant, start, lot, apart, stats.decisions, &position);
    } else if (rule == CHASE_REPETITION_MOVES) {
      drawn = chase_turn_log_add(&work->log, decision, new_turn);
    }
  }
  *out = stats;
  if (detailed) *detail_out = detail;
  return CHASE_OK;
}

/* Allocates what random games need; NULL if memory is out. */
static chase_workspace *chase_workspace_new(void) {
  chase_workspace *const work = malloc(sizeof *work);
  if (!work) return NULL;
  work->seen = (chase_seen){0};
  if (chase_seen_allocate(&work->seen, CHASE_SEEN_FIRST_SIZE)) return work;
  chase_workspace_free(work);
  return NULL;
}

static chase_status chase_playouts_kernel(const chase_variant *variant,
                                          const chase_position *position,
                                          const chase_playout_options *options,
                                          chase_stop_flag *stop, chase_game_stats *out,
                                          uint64_t *done) {
  *done = 0;
  if (options->max_turns < 1 || options->max_turns > CHASE_MAX_TURN_LIMIT ||
      (options->games > 0 && options->first_game > UINT64_MAX - (options->games - 1)))
    return CHASE_BAD_ARGUMENT;
  chase_workspace *const work = chase_workspace_new();
  if (!work) return CHASE_MEMORY;
  chase_status status = CHASE_OK;
  chase_lot lot;
  for (uint64_t i = 0; i < options->games && status == CHASE_OK; i++) {
    chase_stream_start(&lot.stream[0], options->seed, options->first_game + i);
    status = chase_stop_requested(stop)
                 ? CHASE_STOPPED
                 : chase_play_random(variant, position, &lot, 0, options->max_turns, stop, work,
                                     &out[i], NULL);
    if (status == CHASE_OK) *done = i + 1;
  }
  chase_workspace_free(work);
  return status;
}

#endif
