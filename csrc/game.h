/* A position with its history. */
#ifndef CHASE_GAME_H
#define CHASE_GAME_H

#include "position.h"
#include "history.h"
#include "players.h"

struct chase_game {
  const chase_variant *variant;
  chase_position position;
  chase_history history;
  bool drawn; /* by repetition */
};

#endif
