#include "player.h"
#include "tally.h"

static void count_decision(chase_game_stats *stats, chase_decision decision, int options) {
  const chase_kind kind = chase_decision_kind(decision);
  stats->decisions++;
  stats->options += (uint32_t)options;
  stats->forced += options == 1;
  stats->exchanges += kind == CHASE_EXCHANGE;
  if (kind == CHASE_DISTRIBUTION) {
    stats->distributions++;
    stats->distribution_options += (uint32_t)options;
  }
}

chase_status chase_game_play(chase_game *game, chase_player *players[2], uint64_t game_seed,
                             chase_stop_flag *stop, chase_game_stats *stats, chase_decision *out,
                             uint64_t capacity, uint64_t *count) {
  *count = 0;
  *stats = (chase_game_stats){.winner = -1};
  if (!game->history.max_turns) return CHASE_BAD_ARGUMENT;
  for (int side = 0; side < 2; side++) chase_player_new_game(players[side], game_seed, side);
  for (;;) {
    int winner;
    const chase_termination termination = chase_game_outcome(game, &winner);
    if (termination != CHASE_NOT_OVER) {
      chase_finish(stats, termination, winner);
      stats->turns = (uint32_t)game->history.turns;
      return CHASE_OK;
    }
    if (*count == capacity) return CHASE_BAD_ARGUMENT;
    const int options = chase_decision_count(game->variant, &game->position);
    chase_decision decision;
    chase_player *const player = players[game->position.side];
    chase_status status =
        chase_player_choose(player, game, stop, NULL, NULL, NULL, &decision);
    if (status != CHASE_OK) return status;
    chase_position before = game->position;
    chase_events events;
    chase_apply_events(game->variant, &before, decision, &events);
    chase_tally(stats, &events);
    count_decision(stats, decision, options);
    status = chase_game_push(game, decision);
    if (status != CHASE_OK) return status;
    out[(*count)++] = decision;
  }
}
