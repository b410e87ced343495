#include "rng.h"

void chase_philox_raw(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
  uint32_t blocks[CHASE_STREAM_NUMBERS];
  chase_philox_blocks(counter, key, blocks);
  for (int i = 0; i < 4; i++) out[i] = blocks[i];
}

void chase_philox(uint64_t seed, uint64_t game, uint64_t counter, uint32_t out[4]) {
  const uint32_t words[4] = {(uint32_t)counter, (uint32_t)(counter >> 32), (uint32_t)(seed >> 32),
                             (uint32_t)(game >> 32)};
  const uint32_t key[2] = {(uint32_t)seed, (uint32_t)game};
  chase_philox_raw(words, key, out);
}
