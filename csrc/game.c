#include "game.h"

#include <stdlib.h>

chase_status chase_game_new(const chase_variant *variant, const chase_position *start,
                            uint32_t max_turns, chase_game **out) {
  if (max_turns > CHASE_MAX_TURN_LIMIT) return CHASE_BAD_ARGUMENT;
  chase_game *const game = malloc(sizeof *game);
  if (!game) return CHASE_MEMORY;
  game->variant = variant;
  game->position = *start;
  game->drawn = false;
  const chase_status status =
      chase_history_start(&game->history, variant, start->hash, max_turns);
  if (status != CHASE_OK) {
    chase_game_free(game);
    return status;
  }
  *out = game;
  return CHASE_OK;
}

void chase_game_free(chase_game *game) {
  if (!game) return;
  chase_history_free(&game->history);
  free(game);
}

const chase_position *chase_game_position(const chase_game *game) { return &game->position; }

chase_status chase_game_push(chase_game *game, chase_decision decision) {
  int winner;
  if (chase_game_outcome(game, &winner) != CHASE_NOT_OVER) return CHASE_ILLEGAL;
  chase_status status = chase_history_reserve(&game->history, 1);
  if (status != CHASE_OK) return status;
  const int side = game->position.side;
  chase_error error;
  status = chase_apply(game->variant, &game->position, decision, &game->position, &error);
  if (status != CHASE_OK) return status;
  chase_history_undo undo;
  chase_history_push(&game->history, game->position.hash, decision, game->position.side != side,
                     &undo);
  game->drawn = chase_history_repeated(&game->history);
  return CHASE_OK;
}

chase_termination chase_game_outcome(const chase_game *game, int *winner) {
  const chase_termination termination =
      chase_position_outcome(game->variant, &game->position, winner);
  if (termination != CHASE_NOT_OVER) return termination;
  if (game->drawn) return CHASE_BY_REPETITION;
  return chase_history_out_of_turns(&game->history) ? CHASE_BY_TURN_LIMIT : CHASE_NOT_OVER;
}
