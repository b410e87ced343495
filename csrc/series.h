/* Games of two random players from many positions, at the speed of playouts. */
#ifndef CHASE_SERIES_H
#define CHASE_SERIES_H

#include "player.h"
#include "playout.h"

/* The same games as chase_series_play plays decision by decision. */
static chase_status chase_random_series_kernel(chase_player *const players[2],
                                               const chase_series *series, chase_stop_flag *stop,
                                               chase_game_stats *stats,
                                               chase_game_detail *detail, uint64_t *done) {
  *done = 0;
  chase_workspace *const work = chase_workspace_new();
  if (!work) return CHASE_MEMORY;
  chase_status status = CHASE_OK;
  chase_lot lot;
  for (uint64_t i = 0; i < series->games && status == CHASE_OK; i++) {
    for (int side = 0; side < 2; side++)
      chase_player_stream(players[side ^ (series->swapped[i] != 0)], series->seeds[i], side,
                          &lot.stream[side]);
    status = chase_stop_requested(stop)
                 ? CHASE_STOPPED
                 : chase_play_random(players[0]->variant, &series->starts[i], &lot, 1,
                                     series->max_turns, stop, work, &stats[i], &detail[i]);
    if (status == CHASE_OK) *done = i + 1;
  }
  chase_workspace_free(work);
  return status;
}

#endif
