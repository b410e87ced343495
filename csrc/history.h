/* What positions do not know: how often they occurred, the last turns, and how
 * many turns are left. Shared by games and by searches, which push and pop. */
#ifndef CHASE_HISTORY_H
#define CHASE_HISTORY_H

#include <assert.h>

#include "variant.h"

enum {
  CHASE_HISTORY_SLOTS = 8192, /* 16 KiB, so that it stays in the second-level cache */
  CHASE_PERIOD_TURNS = 4,     /* R12, repetition=moves: three times the same four turns */
  CHASE_PERIODS = 3
};

typedef struct chase_history {
  uint64_t *hash;  /* of every position so far, the current one last */
  uint64_t *turn;  /* of every completed turn: its decisions, hashed */
  size_t used;     /* positions, at least 1 */
  size_t size;     /* room in both */
  size_t turns;    /* completed */
  size_t root;     /* positions from here on belong to a search */
  uint64_t open;   /* decisions of the turn under way, hashed; 0 before the first */
  uint32_t max_turns; /* 0: no limit */
  uint8_t repetition; /* enum chase_repetition */
  /* Positions by the low bits of their hash: with 1 there the current position is
   * new, which nearly all are, without a search. */
  uint16_t slot[CHASE_HISTORY_SLOTS];
} chase_history;

/* What a push changes beside the logs. */
typedef struct chase_history_undo {
  uint64_t open;
  size_t turns;
} chase_history_undo;

/* Makes room for `more` positions. Allocates. */
chase_status chase_history_reserve(chase_history *history, size_t more);
chase_status chase_history_start(chase_history *history, const chase_variant *variant,
                                 uint64_t hash, uint32_t max_turns);
/* Room for `more` beyond what is copied. */
chase_status chase_history_copy(chase_history *to, const chase_history *from, size_t more);
void chase_history_free(chase_history *history);

static inline uint16_t *chase_history_slot(chase_history *history, uint64_t hash) {
  return &history->slot[hash % CHASE_HISTORY_SLOTS];
}

static inline uint64_t chase_hash_decision(uint64_t code, chase_decision decision) {
  code = (code ^ decision ^ 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
  return (code ^ code >> 29) * 0x94d049bb133111ebu;
}

/* The decision has led to a position with this hash; there is room for it. */
static inline void chase_history_push(chase_history *history, uint64_t hash,
                                      chase_decision decision, bool ends_turn,
                                      chase_history_undo *undo) {
  assert(history->used < history->size);
  *undo = (chase_history_undo){history->open, history->turns};
  history->hash[history->used++] = hash;
  ++*chase_history_slot(history, hash);
  history->open = chase_hash_decision(history->open, decision);
  if (ends_turn) {
    history->turn[history->turns++] = history->open;
    history->open = 0;
  }
}

static inline void chase_history_pop(chase_history *history, const chase_history_undo *undo) {
  --*chase_history_slot(history, history->hash[--history->used]);
  history->open = undo->open;
  history->turns = undo->turns;
}

/* The last twelve turns are three times the same four. */
static inline bool chase_history_periodic(const chase_history *history) {
  if (history->open || history->turns < CHASE_PERIODS * CHASE_PERIOD_TURNS) return false;
  const uint64_t *const last = history->turn + history->turns - CHASE_PERIODS * CHASE_PERIOD_TURNS;
  for (int i = (CHASE_PERIODS - 1) * CHASE_PERIOD_TURNS - 1; i >= 0; i--)
    if (last[i] != last[i + CHASE_PERIOD_TURNS]) return false;
  return true;
}

/* How often the current position occurred before: in the game and in the search. */
static inline void chase_history_occurrences(const chase_history *history, int *game,
                                             int *search) {
  const uint64_t hash = history->hash[history->used - 1];
  *game = *search = 0;
  for (size_t i = 0; i + 1 < history->used; i++)
    if (history->hash[i] == hash) ++*(i < history->root ? game : search);
}

static inline bool chase_history_new_position(const chase_history *history) {
  return history->slot[history->hash[history->used - 1] % CHASE_HISTORY_SLOTS] == 1;
}

/* The turn limit is reached and a further turn would begin. */
static inline bool chase_history_out_of_turns(const chase_history *history) {
  return history->max_turns && !history->open && history->turns >= history->max_turns;
}

/* Turns that may still begin; SIZE_MAX without a limit. */
static inline size_t chase_history_turns_left(const chase_history *history) {
  if (!history->max_turns) return SIZE_MAX;
  return history->turns < history->max_turns ? history->max_turns - history->turns : 0;
}

/* By the rules: is the current position a draw by repetition? */
static inline bool chase_history_repeated(const chase_history *history) {
  if (history->repetition == CHASE_REPETITION_MOVES) return chase_history_periodic(history);
  if (history->repetition == CHASE_REPETITION_NONE ||
      __builtin_expect(chase_history_new_position(history), 1))
    return false;
  int game, search;
  chase_history_occurrences(history, &game, &search);
  return game + search >= 2;
}

/* Likewise, or by the turn limit. */
static inline bool chase_history_over(const chase_history *history) {
  return chase_history_out_of_turns(history) || chase_history_repeated(history);
}

/* In a search: is this position a draw? One that the search has seen already
 * will be seen again if it is worth seeing twice; one of the game is taken as it
 * counts, for the third time. */
static inline bool chase_history_draws(const chase_history *history) {
  if (chase_history_out_of_turns(history)) return true;
  if (history->repetition == CHASE_REPETITION_THREEFOLD) {
    if (__builtin_expect(chase_history_new_position(history), 1)) return false;
    int game, search;
    chase_history_occurrences(history, &game, &search);
    return search > 0 || game > 1;
  }
  return history->repetition == CHASE_REPETITION_MOVES && chase_history_periodic(history);
}

#endif
