#include <stdlib.h>

#include "detail.h"
#include "player.h"
#include "tally.h"

enum { FIRST_ROOM = 1 << 10 };

/* Room for one more; the new memory, or NULL. */
static void *grown(void *memory, uint64_t used, uint64_t *room, size_t size) {
  if (used < *room) return memory;
  const uint64_t wanted = *room ? 2 * *room : FIRST_ROOM;
  void *const more = realloc(memory, wanted * size);
  if (more) *room = wanted;
  return more;
}

static bool log_decision(chase_game_log *log, chase_decision decision) {
  chase_decision *const memory =
      grown(log->decision, log->decisions, &log->decision_room, sizeof *memory);
  if (!memory) return false;
  log->decision = memory;
  log->decision[log->decisions++] = decision;
  return true;
}

/* A turn begins with so many options. */
static bool log_turn(chase_game_log *log, const chase_position *position, int options) {
  chase_turn_row *const memory = grown(log->turn, log->turns, &log->turn_room, sizeof *memory);
  if (!memory) return false;
  log->turn = memory;
  log->turn[log->turns++] = (chase_turn_row){
      .options = (uint16_t)options,
      .decisions = 0,
      .side = position->side,
      .dice = {position->dice[0], position->dice[1]},
      .spare = {position->spare[0], position->spare[1]},
  };
  for (int side = 0; side < 2; side++)
    for (int cell = 0; cell < CHASE_CELLS; cell++)
      log->heat[CHASE_HEAT_OCCUPIED][side][cell] += position->value[side][cell] != 0;
  return true;
}

static void log_move(chase_game_log *log, const chase_variant *variant,
                     const chase_position *before, const chase_position *after,
                     chase_decision decision) {
  const int side = before->side;
  const int cell = chase_decision_cell(decision);
  const int target = variant->rays.die[cell][before->value[side][cell]]
                         .ray[chase_decision_direction(decision)].target;
  log->heat[CHASE_HEAT_ARRIVED][side][target]++;
  for (int i = 0; i < CHASE_CELLS; i++)
    log->heat[CHASE_HEAT_CAPTURED][side ^ 1][i] +=
        before->value[side ^ 1][i] && !after->value[side ^ 1][i];
}

static void count_decision(chase_game_stats *stats, chase_game_detail *detail,
                           chase_decision decision, int options) {
  const chase_kind kind = chase_decision_kind(decision);
  stats->decisions++;
  stats->options += (uint32_t)options;
  stats->forced += options == 1;
  stats->exchanges += kind == CHASE_EXCHANGE;
  if (kind == CHASE_DISTRIBUTION) {
    stats->distributions++;
    stats->distribution_options += (uint32_t)options;
  }
  chase_detail_options(detail, options, kind == CHASE_DISTRIBUTION);
}

/* Turns begun by a decision. */
static uint32_t turns_begun(const chase_history *history) {
  return (uint32_t)history->turns + (history->open != 0);
}

static void begin(chase_game_stats *stats, chase_game_detail *detail) {
  *stats = (chase_game_stats){.winner = -1};
  chase_detail_begin(detail);
}

/* True if the game is over, and then says how it ended. */
static bool finished(const chase_game *game, chase_game_stats *stats) {
  int winner;
  const chase_termination termination = chase_game_outcome(game, &winner);
  stats->turns = turns_begun(&game->history);
  if (termination == CHASE_NOT_OVER) return false;
  chase_finish(stats, termination, winner);
  return true;
}

/* Plays one decision of a game that is not over, and counts it. */
static chase_status play_decision(chase_game *game, chase_decision decision,
                                  chase_game_stats *stats, chase_game_detail *detail,
                                  chase_game_log *log) {
  const chase_position before = game->position;
  const int options = chase_decision_count(game->variant, &before);
  const bool begins = !game->history.open;
  const chase_status status = chase_game_push(game, decision);
  if (status != CHASE_OK) return status;
  const chase_position *const after = &game->position;
  chase_position scratch = before;
  chase_events events;
  chase_apply_events(game->variant, &scratch, decision, &events);
  chase_tally(stats, &events);
  count_decision(stats, detail, decision, options);
  if (chase_decision_kind(decision) == CHASE_EXCHANGE)
    chase_detail_exchange(detail, &before, decision);
  if (events.captures || events.split)
    chase_detail_dice(detail, after, before.side, events.captures,
                      (uint32_t)game->history.turns + (after->side == before.side));
  if (!log) return CHASE_OK;
  if (log->keep_decisions && !log_decision(log, decision)) return CHASE_MEMORY;
  if (!log->keep_turns) return CHASE_OK;
  if (begins && !log_turn(log, &before, options)) return CHASE_MEMORY;
  /* A game that goes on in the midst of a turn has no row for it. */
  if (log->turns && log->turn[log->turns - 1].decisions < UINT8_MAX)
    log->turn[log->turns - 1].decisions++;
  if (chase_decision_kind(decision) == CHASE_MOVE)
    log_move(log, game->variant, &before, after, decision);
  return CHASE_OK;
}

chase_status chase_game_play(chase_game *game, chase_player *players[2], uint64_t game_seed,
                             chase_stop_flag *stop, chase_game_stats *stats,
                             chase_game_detail *detail, chase_game_log *log) {
  begin(stats, detail);
  if (!game->history.max_turns) return CHASE_BAD_ARGUMENT;
  for (int side = 0; side < 2; side++) chase_player_new_game(players[side], game_seed, side);
  while (!finished(game, stats)) {
    chase_decision decision;
    chase_status status = chase_player_choose(players[game->position.side], game, stop, NULL, NULL,
                                              NULL, &decision);
    if (status == CHASE_OK) status = play_decision(game, decision, stats, detail, log);
    if (status != CHASE_OK) return status;
  }
  return CHASE_OK;
}

chase_status chase_game_count(chase_game *game, const chase_decision *decisions, uint64_t count,
                              chase_game_stats *stats, chase_game_detail *detail,
                              chase_game_log *log) {
  begin(stats, detail);
  for (uint64_t i = 0; i < count; i++) {
    const chase_status status = play_decision(game, decisions[i], stats, detail, log);
    if (status != CHASE_OK) return status;
  }
  finished(game, stats);
  return CHASE_OK;
}

void chase_game_log_free(chase_game_log *log) {
  free(log->decision);
  free(log->turn);
  *log = (chase_game_log){.keep_decisions = log->keep_decisions, .keep_turns = log->keep_turns};
}

static bool plain_random(const chase_player *player) {
  const chase_player_options *const o = &player->options;
  return o->kind == CHASE_PLAYER_RANDOM && (o->always_random || !o->eps);
}

static chase_status play_one(chase_player *const players[2], const chase_series *series,
                             uint64_t i, chase_stop_flag *stop, chase_game_stats *stats,
                             chase_game_detail *detail, chase_game_log *log) {
  chase_game *game = NULL;
  chase_status status =
      chase_game_new(players[0]->variant, &series->starts[i], series->max_turns, &game);
  if (status != CHASE_OK) return status;
  const int swapped = series->swapped[i] != 0;
  chase_player *sides[2] = {players[swapped], players[!swapped]};
  status = chase_game_play(game, sides, series->seeds[i], stop, stats, detail, log);
  chase_game_free(game);
  return status;
}

chase_status chase_series_play(chase_player *const players[2], const chase_series *series,
                               chase_stop_flag *stop, chase_game_stats *stats,
                               chase_game_detail *detail, chase_game_log *log, uint64_t *done) {
  *done = 0;
  if (series->max_turns < 1 || series->max_turns > CHASE_MAX_TURN_LIMIT ||
      players[0]->variant != players[1]->variant)
    return CHASE_BAD_ARGUMENT;
  if (plain_random(players[0]) && plain_random(players[1]) &&
      !(log && (log->keep_decisions || log->keep_turns)))
    return players[0]->variant->kernels->random_series(players, series, stop, stats, detail, done);
  for (uint64_t i = 0; i < series->games; i++) {
    if (chase_stop_requested(stop)) return CHASE_STOPPED;
    const chase_status status = play_one(players, series, i, stop, &stats[i], &detail[i], log);
    if (status != CHASE_OK) return status;
    *done = i + 1;
  }
  return CHASE_OK;
}
