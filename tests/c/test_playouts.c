/* Random playouts: equal to a replay written here, independent of how they are
 * split, stopped and limited as promised. */
#define _XOPEN_SOURCE 700
#include "support.h"

#include <signal.h>
#include <sys/time.h>

/* ---- The replay ------------------------------------------------------- */

enum { MOST_DECISIONS = 6000 };

static chase_setup seen[MOST_DECISIONS + 1];       /* positions of the game */
static chase_decision played[MOST_DECISIONS];      /* its decisions */
static uint32_t turn_begins[MOST_DECISIONS + 1];   /* index of each turn's first */

typedef struct number_stream {
  uint64_t seed, game, next;
} number_stream;

static uint32_t stream_number(number_stream *s) {
  uint32_t block[4];
  chase_philox(s->seed, s->game, s->next / 4, block);
  return block[s->next++ % 4];
}

/* Multiply and reject: Lemire, "Fast random integer generation in an interval". */
static uint32_t choose(number_stream *s, uint32_t options) {
  uint32_t unfair = (uint32_t)((UINT64_C(1) << 32) % options);
  for (;;) {
    uint64_t product = (uint64_t)stream_number(s) * options;
    if ((uint32_t)product >= unfair) return (uint32_t)(product >> 32);
  }
}

static bool third_time(uint32_t positions) {
  int times = 0;
  for (uint32_t i = 0; i < positions; i++) times += same_setup(&seen[i], &seen[positions - 1]);
  return times >= 3;
}

static bool same_turn(uint32_t a, uint32_t b) {
  uint32_t length = turn_begins[a + 1] - turn_begins[a];
  return length == turn_begins[b + 1] - turn_begins[b] &&
         memcmp(&played[turn_begins[a]], &played[turn_begins[b]], length * sizeof played[0]) == 0;
}

/* R12 repetition=moves: the last 12 turns are three times the same four. */
static bool same_turns_three_times(uint32_t turns) {
  if (turns < 12) return false;
  for (uint32_t t = turns - 12; t < turns - 4; t++)
    if (!same_turn(t, t + 4)) return false;
  return true;
}

static chase_game_stats replay(const chase_variant *variant, chase_position position,
                               uint64_t seed, uint64_t game, uint32_t max_turns) {
  const chase_rules *rules = chase_variant_rules(variant);
  chase_game_stats s = {.winner = -1};
  number_stream stream = {seed, game, 0};
  bool new_turn = true;
  chase_position_unmake(&position, &seen[0]);
  for (;;) {
    int winner;
    chase_termination termination = chase_position_outcome(variant, &position, &winner);
    if (termination == CHASE_NOT_OVER && rules->repetition == CHASE_REPETITION_THREEFOLD &&
        third_time(s.decisions + 1))
      termination = CHASE_BY_REPETITION;
    if (new_turn) turn_begins[s.turns] = s.decisions;
    if (termination == CHASE_NOT_OVER && rules->repetition == CHASE_REPETITION_MOVES &&
        new_turn && same_turns_three_times(s.turns))
      termination = CHASE_BY_REPETITION;
    if (termination == CHASE_NOT_OVER && new_turn && s.turns == max_turns)
      termination = CHASE_BY_TURN_LIMIT;
    if (termination != CHASE_NOT_OVER) {
      s.termination = (uint8_t)termination;
      s.winner = (int8_t)winner;
      return s;
    }
    uint32_t options = (uint32_t)chase_decision_count(variant, &position);
    chase_decision decision =
        chase_decision_at(variant, &position, (int)choose(&stream, options));
    int side = position.side;
    chase_events events;
    chase_apply_events(variant, &position, decision, &events);
    if (s.decisions >= MOST_DECISIONS) give_up("replay", "game too long");
    played[s.decisions++] = decision;
    chase_position_unmake(&position, &seen[s.decisions]);
    s.turns += new_turn;
    new_turn = position.side != side;
    s.options += options;
    s.forced += options == 1;
    s.captures += events.captures;
    s.double_captures += events.captures == 2;
    s.splits += events.split;
    s.refused_splits += events.refused;
    s.whole_exits += events.entered && !events.split;
    s.bumps += events.bumps;
    s.ricochets += events.ricochets;
    s.wraps += events.wraps;
    s.exchanges += chase_decision_kind(decision) == CHASE_EXCHANGE;
    if (chase_decision_kind(decision) == CHASE_DISTRIBUTION) {
      s.distributions++;
      s.distribution_options += options;
    }
    if (events.longest_chain > s.longest_chain) s.longest_chain = events.longest_chain;
  }
}

/* ---- Tests ------------------------------------------------------------ */

static long ends[CHASE_TERMINATION_COUNT], totals_splits, totals_double, totals_distributions;

static void show(const char *who, const chase_game_stats *s) {
  printf("  %s: winner %d termination %d turns %u decisions %u options %u captures %u/%u splits "
         "%u/%u/%u bumps %u/%u exchanges %u ricochets %u wraps %u distributions %u/%u forced %u\n",
         who, s->winner, s->termination, s->turns, s->decisions, s->options, s->captures,
         s->double_captures, s->splits, s->refused_splits, s->whole_exits, s->bumps,
         s->longest_chain, s->exchanges, s->ricochets, s->wraps, s->distributions,
         s->distribution_options, s->forced);
}

static void compare(const chase_variant *variant, const chase_position *position, uint64_t seed,
                    uint64_t first_game, int games, uint32_t max_turns) {
  chase_game_stats *got = malloc((size_t)games * sizeof *got);
  chase_playout_options options = {seed, first_game, (uint64_t)games, max_turns};
  uint64_t done = 0;
  if (got == NULL) give_up("memory", "games");
  look_at(variant, position);
  CHECK_INT(chase_playouts(variant, position, &options, NULL, got, &done), CHASE_OK);
  CHECK_INT(done, games);
  for (int i = 0; i < games; i++) {
    chase_game_stats expected =
        replay(variant, *position, seed, first_game + (uint64_t)i, max_turns);
    if (!CHECK(memcmp(&got[i], &expected, sizeof expected) == 0)) {
      printf("  seed %llu game %llu turn limit %u\n", (unsigned long long)seed,
             (unsigned long long)first_game + (unsigned)i, max_turns);
      show("got     ", &got[i]);
      show("expected", &expected);
    }
    ends[expected.termination]++;
    totals_splits += expected.splits;
    totals_double += expected.double_captures;
    totals_distributions += expected.distributions;
  }
  free(got);
  look_at(NULL, NULL);
}

static void test_all_rules(chase_isa isa) {
  uint64_t state = 99;
  for (int r = 0; r < RULES_TEXT_COUNT; r++) {
    chase_variant *variant = variant_of(RULES_TEXTS[r], isa);
    chase_position position;
    chase_position_start(variant, &position);
    const uint64_t seed = random_next(&state), game = random_next(&state);
    compare(variant, &position, seed, game, 12, 1000);
    compare(variant, &position, 0, 0, 4, 1 + (uint32_t)random_below(&state, 40));
    for (int round = 0; round < 6; round++) {
      chase_setup setup;
      chase_fault faults[CHASE_MAX_FAULTS];
      int count = 0;
      random_setup(&state, chase_variant_rules(variant), &setup);
      if (CHECK_INT(chase_position_make(variant, &setup, &position, faults, &count), CHASE_OK))
        compare(variant, &position, seed + (uint64_t)round, game, 3, 500);
    }
    chase_variant_free(variant);
  }
}

/* From the middle of a turn: its rest is one turn. */
static void test_middle_of_a_turn(chase_isa isa) {
  chase_variant *variant = variant_of("chain=yes,handout=any", isa);
  chase_position series =
      position_of(variant, "bbcdedc2/9/9/9/9/3aA4/9/9/1BCDEDCBA r d5 1/2");
  chase_position due = position_of(variant, "ffffa4/9/9/9/9/9/9/9/ABCDE4 r - 5/5");
  for (uint32_t limit = 1; limit < 6; limit++) {
    compare(variant, &series, limit, 5, 10, limit);
    compare(variant, &due, limit, 6, 10, limit);
  }
  chase_variant_free(variant);
}

/* Few dice that can hardly move: positions and turns come back soon. */
static void test_repetitions(chase_isa isa) {
  static const struct { const char *rules, *cfens[4]; long least; } cases[] = {
      {"setup=111111111,wrap=no,ricochet=no",
       {"f8/c8/9/9/9/9/9/9/7CF r - 8/8", "f7c/9/9/9/9/9/9/9/F7C b - 8/8"}, 20},
      {"setup=222222222,wrap=no,ricochet=no,repetition=moves",
       {"9/9/2f6/3F5/9/3ff4/9/1F7/6F2 b - 7/7", "9/9/9/2f6/5f3/2E2f3/8F/4F4/9 r - 7/7",
        "8f/9/5F3/6f2/9/5F1f1/9/5F3/9 b - 7/7", "7f1/2f3f1F/9/9/3F5/9/9/9/4F4 b - 7/7"}, 50},
      {"setup=222222222,wrap=no,ricochet=no,chain=yes,repetition=moves",
       {"9/9/2f6/3F5/9/3ff4/9/1F7/6F2 b - 7/7", "9/7F1/9/d6F1/f2F5/9/8e/9/9 b - 7/7"}, 20},
      {"setup=222222222,wrap=no,ricochet=no",
       {"9/9/2f6/3F5/9/3ff4/9/1F7/6F2 b - 7/7", "9/9/9/2f6/5f3/2E2f3/8F/4F4/9 r - 7/7",
        "8f/9/5F3/6f2/9/5F1f1/9/5F3/9 b - 7/7", "7f1/2f3f1F/9/9/3F5/9/9/9/4F4 b - 7/7"}, 50},
      {"setup=222222222,wrap=no,ricochet=no,repetition=none",
       {"9/9/2f6/3F5/9/3ff4/9/1F7/6F2 b - 7/7", "7f1/2f3f1F/9/9/3F5/9/9/9/4F4 b - 7/7"}, 0}};
  for (size_t r = 0; r < sizeof cases / sizeof cases[0]; r++) {
    chase_variant *variant = variant_of(cases[r].rules, isa);
    long drawn = ends[CHASE_BY_REPETITION];
    for (int p = 0; p < 4 && cases[r].cfens[p] != NULL; p++) {
      chase_position position = position_of(variant, cases[r].cfens[p]);
      compare(variant, &position, r, 1000, 40, 400);
    }
    drawn = ends[CHASE_BY_REPETITION] - drawn;
    if (cases[r].least == 0) CHECK_INT(drawn, 0);
    if (!CHECK(drawn >= cases[r].least)) printf("  %s: %ld draws\n", cases[r].rules, drawn);
    chase_variant_free(variant);
  }
}

/* Sides that run out of decisions, one of them after handing out its pips. */
static void test_no_decision(chase_isa isa) {
  static const struct { const char *rules, *cfen; } cases[] = {
      {"setup=111111111", "C1B4a1/8a/1a6a/9/9/5a1a1/5a1a1/9/7a1 r - 8/1"},
      {"reserve=16,chain=yes,setup=222222222,ricochet=no",
       "1aaa5/a6a1/5aa2/aE3a3/2aa1a3/2D1aa2a/9/1a1Ea4/2a6 r - 22/7"},
      {"wrap=no,ricochet=no", "C1cc5/E2c3c1/1d7/6C2/E8/4F4/d5c2/4a2C1/5a3 b - 4/1"}};
  long before = ends[CHASE_BY_NO_DECISION];
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    chase_variant *variant = variant_of(cases[i].rules, isa);
    chase_position position = position_of(variant, cases[i].cfen);
    compare(variant, &position, i, 0, 20, 300);
    chase_variant_free(variant);
  }
  CHECK(ends[CHASE_BY_NO_DECISION] - before >= 20);
}

/* Games in which a number is rejected, which happens once in 100 million: the
 * decision takes the next number of the stream instead. */
static void test_rejected_numbers(chase_isa isa) {
  static const struct { uint64_t seed, game, at; } cases[] = {
      {0, 173362564, 0}, {0, 203741222, 0}, {1, 67660444, 3}};
  chase_variant *variant = variant_of("standard", isa);
  chase_position start;
  chase_position_start(variant, &start);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    number_stream stream = {cases[i].seed, cases[i].game, 0};
    chase_position position = start;
    for (uint64_t n = 0; n <= cases[i].at; n++) { /* it is as said */
      CHECK_INT(stream.next, n);
      uint32_t options = (uint32_t)chase_decision_count(variant, &position);
      chase_apply_unchecked(
          variant, &position,
          chase_decision_at(variant, &position, (int)choose(&stream, options)));
    }
    CHECK_INT(stream.next, cases[i].at + 2);
    compare(variant, &start, cases[i].seed, cases[i].game, 1, 1000);
  }
  chase_variant_free(variant);
}

/* A game over before it begins has no decisions. */
static void test_ended(chase_isa isa) {
  chase_variant *variant = variant_of("standard", isa);
  chase_position lost = position_of(variant, "ffffa4/9/9/9/9/9/9/9/FFFF5 r - 6/5");
  chase_position stuck =
      position_of(variant, "2bE2E1E/9/b1E1c2c1/2bcE3c/3b5/9/9/5c3/3b5 r - 5/0");
  chase_playout_options options = {.games = 3, .max_turns = 1};
  chase_game_stats games[3], expected = {.winner = CHASE_BLUE, .termination = CHASE_BY_DICE};
  uint64_t done = 0;
  CHECK_INT(chase_playouts(variant, &lost, &options, NULL, games, &done), CHASE_OK);
  CHECK_INT(done, 3);
  for (int i = 0; i < 3; i++) CHECK(memcmp(&games[i], &expected, sizeof expected) == 0);
  expected.termination = CHASE_BY_NO_DECISION;
  CHECK_INT(chase_playouts(variant, &stuck, &options, NULL, games, &done), CHASE_OK);
  for (int i = 0; i < 3; i++) CHECK(memcmp(&games[i], &expected, sizeof expected) == 0);
  chase_variant_free(variant);
}

static void test_splitting(chase_isa isa) {
  enum { GAMES = 200 };
  static chase_game_stats whole[GAMES], parts[GAMES];
  chase_variant *variant = variant_of("standard", isa);
  chase_position start;
  uint64_t done = 0, state = 3;
  chase_position_start(variant, &start);
  const uint64_t firsts[] = {0, 7, UINT64_C(0xffffffff) - 50, UINT64_MAX - GAMES + 1};
  for (size_t f = 0; f < sizeof firsts / sizeof firsts[0]; f++) {
    chase_playout_options options = {42, firsts[f], GAMES, 1000};
    CHECK_INT(chase_playouts(variant, &start, &options, NULL, whole, &done), CHASE_OK);
    CHECK_INT(done, GAMES);
    memset(parts, 0x5a, sizeof parts);
    for (uint64_t at = 0; at < GAMES;) {
      uint64_t some = (uint64_t)random_below(&state, 60);
      if (some > GAMES - at) some = GAMES - at;
      options.first_game = firsts[f] + at;
      options.games = some;
      CHECK_INT(chase_playouts(variant, &start, &options, NULL, parts + at, &done), CHASE_OK);
      CHECK_INT(done, some);
      at += some;
    }
    CHECK(memcmp(whole, parts, sizeof whole) == 0);
    CHECK(memcmp(&whole[0], &whole[1], sizeof whole[0]) != 0);
  }
  chase_variant_free(variant);
}

static void test_turn_limit(chase_isa isa) {
  chase_variant *variant = variant_of("standard", isa);
  chase_position start;
  chase_game_stats games[20], longer[20];
  uint64_t done = 0;
  chase_position_start(variant, &start);
  for (uint32_t limit = 1; limit <= 60; limit++) {
    chase_playout_options options = {1, 0, 20, limit};
    CHECK_INT(chase_playouts(variant, &start, &options, NULL, games, &done), CHASE_OK);
    options.max_turns = CHASE_MAX_TURN_LIMIT;
    CHECK_INT(chase_playouts(variant, &start, &options, NULL, longer, &done), CHASE_OK);
    for (int i = 0; i < 20; i++) {
      CHECK(games[i].turns <= limit);
      CHECK_INT(games[i].termination == CHASE_BY_TURN_LIMIT, longer[i].turns > limit);
      if (games[i].termination == CHASE_BY_TURN_LIMIT) {
        CHECK_INT(games[i].turns, limit);
        CHECK_INT(games[i].winner, -1);
      }
    }
  }
  static const uint32_t bad[] = {0, CHASE_MAX_TURN_LIMIT + 1, UINT32_MAX};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    chase_playout_options options = {1, 0, 20, bad[i]};
    chase_game_stats before[20];
    memset(games, 0x5a, sizeof games);
    memset(before, 0x5a, sizeof before);
    CHECK_INT(chase_playouts(variant, &start, &options, NULL, games, &done), CHASE_BAD_ARGUMENT);
    CHECK(memcmp(games, before, sizeof before) == 0);
  }
  chase_playout_options none = {1, 0, 0, 100};
  done = 77;
  CHECK_INT(chase_playouts(variant, &start, &none, NULL, games, &done), CHASE_OK);
  CHECK_INT(done, 0);
  chase_variant_free(variant);
}

static int32_t stop_flag;

static void set_stop_flag(int signal_number) {
  (void)signal_number;
  stop_flag = 1;
}

/* Far more games than fit into the time until the signal; those done are right. */
static void test_stop(chase_isa isa) {
  enum { GAMES = 200000, SOME = 20 };
  chase_variant *variant = variant_of("standard", isa);
  chase_game_stats *games = malloc(GAMES * sizeof *games), expected[SOME];
  chase_playout_options options = {8, 0, GAMES, 1000}, few = {8, 0, SOME, 1000};
  struct itimerval soon = {.it_value = {.tv_usec = 50000}};
  struct sigaction action = {.sa_handler = set_stop_flag};
  chase_position start;
  uint64_t done = 0;
  if (games == NULL) give_up("memory", "games");
  chase_position_start(variant, &start);
  CHECK_INT(chase_playouts(variant, &start, &few, NULL, expected, &done), CHASE_OK);
  stop_flag = 1;
  CHECK_INT(chase_playouts(variant, &start, &options, &stop_flag, games, &done), CHASE_STOPPED);
  CHECK(done < GAMES);
  stop_flag = 0;
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &soon, NULL);
  CHECK_INT(chase_playouts(variant, &start, &options, &stop_flag, games, &done), CHASE_STOPPED);
  CHECK(done < GAMES);
  for (uint64_t i = 0; i < done && i < SOME; i++)
    CHECK(memcmp(&games[i], &expected[i], sizeof expected[i]) == 0);
  free(games);
  chase_variant_free(variant);
}

int main(void) {
  static const chase_isa isas[] = {CHASE_ISA_GENERIC, CHASE_ISA_V3};
  CHECK_INT(sizeof(chase_game_stats), 64);
  for (size_t i = 0; i < sizeof isas / sizeof isas[0]; i++) {
    if (!isa_runs_here(isas[i])) continue;
    test_all_rules(isas[i]);
    test_middle_of_a_turn(isas[i]);
    test_repetitions(isas[i]);
    test_no_decision(isas[i]);
    test_rejected_numbers(isas[i]);
    test_ended(isas[i]);
    test_splitting(isas[i]);
    test_turn_limit(isas[i]);
    test_stop(isas[i]);
  }
  for (int t = CHASE_BY_DICE; t < CHASE_TERMINATION_COUNT; t++) CHECK(ends[t] > 0);
  CHECK(totals_splits > 100 && totals_double > 0 && totals_distributions > 1000);
  return check_finish();
}
