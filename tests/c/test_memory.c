/* Out of memory: CHASE_MEMORY, nothing leaked, and all well again afterwards.
 * The address space is limited and what is left of it taken; where that limit
 * does not bind (sanitizers, emulators) only the good path is checked. */
#define _XOPEN_SOURCE 700
#include "support.h"

#include <sys/resource.h>

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

typedef struct block {
  struct block *next;
} block;

static block *blocks;

static void take_all(void) {
  static const size_t sizes[] = {1 << 20, 1 << 16, 1 << 12, 1 << 8};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    for (block *b = malloc(sizes[i]); b != NULL; b = malloc(sizes[i])) {
      b->next = blocks;
      blocks = b;
    }
}

static void give_back(void) {
  while (blocks != NULL) {
    block *next = blocks->next;
    free(blocks);
    blocks = next;
  }
}

static void check_good(const chase_variant *variant) {
  static chase_game_stats games[5];
  chase_playout_options options = {1, 1, 5, 1000};
  chase_position start;
  uint64_t done = 0;
  chase_position_start(variant, &start);
  CHECK_INT(chase_playouts(variant, &start, &options, NULL, games, &done), CHASE_OK);
  CHECK_INT(done, 5);
}

int main(void) {
  struct rlimit old, tight;
  chase_rules rules = rules_of("standard");
  chase_variant *variant = variant_of("standard", CHASE_ISA_AUTO), *second = NULL;
  check_good(variant);
  getrlimit(RLIMIT_AS, &old);
  tight = old;
  tight.rlim_cur = 64 << 20;
  if (!SANITIZED && setrlimit(RLIMIT_AS, &tight) == 0) {
    void *probe = malloc(256 << 20);
    bool binding = probe == NULL;
    free(probe);
    if (binding) {
      static chase_game_stats games[5];
      chase_playout_options options = {1, 1, 5, 100000};
      chase_position start;
      uint64_t done = 77;
      chase_position_start(variant, &start);
      take_all();
      chase_status made = chase_variant_new(&rules, CHASE_ISA_AUTO, &second);
      chase_status played = chase_playouts(variant, &start, &options, NULL, games, &done);
      give_back();
      CHECK_INT(made, CHASE_MEMORY);
      CHECK_INT(played, CHASE_MEMORY);
    }
    setrlimit(RLIMIT_AS, &old);
  }
  CHECK_INT(chase_variant_new(&rules, CHASE_ISA_AUTO, &second), CHASE_OK);
  check_good(variant);
  check_good(second);
  chase_variant_free(variant);
  chase_variant_free(second);
  return check_finish();
}
