/* Uniformly random games with the statistics of each. */
#ifndef CHASE_PLAYOUT_H
#define CHASE_PLAYOUT_H

#include <stdlib.h>
#include <string.h>

#include "perft.h"
#include "rng.h"

/* ---- positions seen, for threefold repetition ---- */

/* Open addressing over hashes, one entry an occurrence, 0 = empty; at most half
 * full. Equal hashes only raise a suspicion, which chase_confirm_repetition
 * settles exactly. */
typedef struct chase_seen {
  uint64_t *entry;
  size_t mask;     /* current size - 1; entries beyond it are not in use */
  size_t used;
  size_t capacity; /* allocated entries */
} chase_seen;

enum { CHASE_SEEN_FIRST_SIZE = 512 }; /* 4 KiB: stays in the first-level cache */

static inline uint64_t chase_seen_key(uint64_t hash) { return hash ? hash : 1; }

static inline void chase_seen_clear(chase_seen *seen) {
  seen->mask = CHASE_SEEN_FIRST_SIZE - 1;
  seen->used = 0;
  memset(seen->entry, 0, CHASE_SEEN_FIRST_SIZE * sizeof *seen->entry);
}

/* Doubles the table. False if memory is out. */
static __attribute__((noinline)) bool chase_seen_grow(chase_seen *seen) {
  const size_t old_size = seen->mask + 1;
  const size_t size = 2 * old_size;
  uint64_t *const old = malloc(old_size * sizeof *old);
  if (!old) return false;
  memcpy(old, seen->entry, old_size * sizeof *old);
  if (size > seen->capacity) {
    uint64_t *const larger = realloc(seen->entry, size * sizeof *larger);
    if (!larger) {
      free(old);
      return false;
    }
    seen->entry = larger;
    seen->capacity = size;
  }
  memset(seen->entry, 0, size * sizeof *seen->entry);
  seen->mask = size - 1;
  for (size_t i = 0; i < old_size; i++) {
    if (!old[i]) continue;
    size_t at = old[i] & seen->mask;
    while (seen->entry[at]) at = (at + 1) & seen->mask;
    seen->entry[at] = old[i];
  }
  free(old);
  return true;
}

/* Adds an occurrence; returns how many there were, or -1 if memory is out. */
static inline int chase_seen_add(chase_seen *seen, uint64_t hash) {
  if (__builtin_expect(2 * seen->used > seen->mask, 0) && !chase_seen_grow(seen)) return -1;
  const uint64_t key = chase_seen_key(hash);
  size_t at = key & seen->mask;
  int before = 0;
  while (seen->entry[at]) {
    before += seen->entry[at] == key;
    at = (at + 1) & seen->mask;
  }
  seen->entry[at] = key;
  seen->used++;
  return before;
}

/* Plays game (seed, game) once more up to `decisions` and counts, exactly, how
 * often its last position occurred. */
static __attribute__((noinline)) bool chase_confirm_repetition(const chase_variant *variant,
                                                               const chase_position *start,
                                                               uint64_t seed, uint64_t game,
                                                               uint32_t decisions,
                                                               const chase_position *last) {
  chase_stream stream;
  chase_stream_start(&stream, seed, game);
  chase_position position = *start;
  int occurrences = chase_position_equal(&position, last);
  for (uint32_t i = 0; i < decisions; i++) {
    const int n = chase_count(variant, &position);
    const int index = (int)chase_stream_below(&stream, (uint32_t)n);
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

static inline void chase_tally(chase_game_stats *stats, const chase_events *events) {
  stats->captures += events->captures;
  stats->double_captures += events->captures == 2;
  stats->splits += events->split;
  stats->refused_splits += events->refused;
  stats->whole_exits += (uint32_t)(events->entered - events->split);
  stats->bumps += events->bumps;
  stats->ricochets += events->ricochets;
  stats->wraps += events->wraps;
  if (events->longest_chain > stats->longest_chain) stats->longest_chain = events->longest_chain;
}

static inline void chase_finish(chase_game_stats *stats, chase_termination termination,
                                int winner) {
  stats->termination = (uint8_t)termination;
  stats->winner = (int8_t)winner;
}

static inline chase_status chase_play_game(const chase_variant *variant,
                                           const chase_position *start,
                                           const chase_playout_options *options, uint64_t game,
                                           chase_stop_flag *stop, chase_workspace *work,
                                           chase_game_stats *out) {
  const enum chase_repetition rule = (enum chase_repetition)variant->rules.repetition;
  chase_stream stream;
  chase_stream_start(&stream, options->seed, game);
  chase_position position = *start;
  chase_game_stats stats = {.winner = -1};
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
      if (stats.turns == options->max_turns) {
        chase_finish(&stats, CHASE_BY_TURN_LIMIT, -1);
        break;
      }
      stats.turns++;
      if (__builtin_expect(stats.turns % 1024 == 0, 0) && chase_stop_requested(stop))
        return CHASE_STOPPED;
    }
    const int index = (int)chase_stream_below(&stream, (uint32_t)n);
    const chase_decision decision = phase == CHASE_PHASE_TURN
                                        ? chase_pick(variant, &position, &scan, index)
                                        : special[index];
    stats.decisions++;
    stats.options += (uint32_t)n;
    stats.forced += n == 1;
    const int side = position.side;
    if (__builtin_expect(chase_decision_kind(decision) == CHASE_MOVE, 1)) {
      chase_recorder recorder = {.trace = NULL};
      chase_play_move(variant, &position, decision, &recorder);
      chase_tally(&stats, &recorder.events);
    } else {
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
              chase_confirm_repetition(variant, start, options->seed, game, stats.decisions,
                                       &position);
    } else if (rule == CHASE_REPETITION_MOVES) {
      drawn = chase_turn_log_add(&work->log, decision, new_turn);
    }
  }
  *out = stats;
  return CHASE_OK;
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
  chase_workspace *const work = malloc(sizeof *work);
  if (!work) return CHASE_MEMORY;
  chase_status status = CHASE_OK;
  work->seen.capacity = CHASE_SEEN_FIRST_SIZE;
  work->seen.entry = malloc(CHASE_SEEN_FIRST_SIZE * sizeof *work->seen.entry);
  if (!work->seen.entry) status = CHASE_MEMORY;
  for (uint64_t i = 0; i < options->games && status == CHASE_OK; i++) {
    status = chase_stop_requested(stop)
                 ? CHASE_STOPPED
                 : chase_play_game(variant, position, options, options->first_game + i, stop, work,
                                   &out[i]);
    if (status == CHASE_OK) *done = i + 1;
  }
  free(work->seen.entry);
  free(work);
  return status;
}

#endif
