#include "history.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SIZE = 512 };

chase_status chase_history_reserve(chase_history *history, size_t more) {
  if (more <= history->size - history->used) return CHASE_OK;
  size_t size = history->size ? history->size : FIRST_SIZE;
  while (size - history->used < more) size *= 2;
  uint64_t *const hash = realloc(history->hash, size * sizeof *hash);
  if (hash) history->hash = hash;
  uint64_t *const turn = realloc(history->turn, size * sizeof *turn);
  if (turn) history->turn = turn;
  if (!hash || !turn) return CHASE_MEMORY;
  history->size = size;
  return CHASE_OK;
}

chase_status chase_history_start(chase_history *history, const chase_variant *variant,
                                 uint64_t hash, uint32_t max_turns) {
  memset(history, 0, sizeof *history);
  const chase_status status = chase_history_reserve(history, FIRST_SIZE);
  if (status != CHASE_OK) return status;
  history->max_turns = max_turns;
  history->repetition = chase_variant_rules(variant)->repetition;
  history->hash[history->used++] = hash;
  ++*chase_history_slot(history, hash);
  return CHASE_OK;
}

chase_status chase_history_copy(chase_history *to, const chase_history *from, size_t more) {
  to->used = 0;
  const chase_status status = chase_history_reserve(to, from->used + more);
  if (status != CHASE_OK) return status;
  uint64_t *const hash = to->hash;
  uint64_t *const turn = to->turn;
  const size_t size = to->size;
  *to = *from;
  to->hash = hash;
  to->turn = turn;
  to->size = size;
  memcpy(to->hash, from->hash, from->used * sizeof *hash);
  memcpy(to->turn, from->turn, from->turns * sizeof *turn);
  return CHASE_OK;
}

void chase_history_free(chase_history *history) {
  free(history->hash);
  free(history->turn);
  memset(history, 0, sizeof *history);
}
