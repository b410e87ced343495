/* Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011): a counter-based generator,
 * so that a game's numbers depend on (seed, game) alone. */
#ifndef CHASE_RNG_H
#define CHASE_RNG_H

#include "chase.h"

enum {
  CHASE_PHILOX_ROUNDS = 10,
  CHASE_STREAM_BLOCKS = 8, /* a refill; independent blocks fill vector lanes */
  CHASE_STREAM_NUMBERS = 4 * CHASE_STREAM_BLOCKS
};

/* The numbers of one game in order: block 0 words 0-3, block 1 words 0-3, ... */
typedef struct chase_stream {
  uint64_t seed;
  uint64_t game;
  uint64_t block; /* next to make */
  int next;       /* index into numbers */
  uint32_t number[CHASE_STREAM_NUMBERS];
} chase_stream;

/* `count` consecutive blocks; block-major output. Written over arrays so that
 * the compiler turns the rounds into vector code. */
static inline void chase_philox_blocks(const uint32_t first[4], const uint32_t key[2],
                                       uint32_t out[CHASE_STREAM_NUMBERS]) {
  uint32_t x0[CHASE_STREAM_BLOCKS], x1[CHASE_STREAM_BLOCKS];
  uint32_t x2[CHASE_STREAM_BLOCKS], x3[CHASE_STREAM_BLOCKS];
  const uint64_t counter = (uint64_t)first[1] << 32 | first[0];
  for (int i = 0; i < CHASE_STREAM_BLOCKS; i++) {
    x0[i] = (uint32_t)(counter + (uint64_t)i);
    x1[i] = (uint32_t)((counter + (uint64_t)i) >> 32);
    x2[i] = first[2];
    x3[i] = first[3];
  }
  uint32_t k0 = key[0], k1 = key[1];
  for (int round = 0; round < CHASE_PHILOX_ROUNDS; round++) {
    for (int i = 0; i < CHASE_STREAM_BLOCKS; i++) {
      const uint64_t a = (uint64_t)0xD2511F53u * x0[i];
      const uint64_t b = (uint64_t)0xCD9E8D57u * x2[i];
      x0[i] = (uint32_t)(b >> 32) ^ x1[i] ^ k0;
      x1[i] = (uint32_t)b;
      x2[i] = (uint32_t)(a >> 32) ^ x3[i] ^ k1;
      x3[i] = (uint32_t)a;
    }
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  for (int i = 0; i < CHASE_STREAM_BLOCKS; i++) {
    out[4 * i] = x0[i];
    out[4 * i + 1] = x1[i];
    out[4 * i + 2] = x2[i];
    out[4 * i + 3] = x3[i];
  }
}

static inline void chase_stream_start(chase_stream *stream, uint64_t seed, uint64_t game) {
  stream->seed = seed;
  stream->game = game;
  stream->block = 0;
  stream->next = CHASE_STREAM_NUMBERS;
}

static inline uint32_t chase_stream_number(chase_stream *stream) {
  if (__builtin_expect(stream->next == CHASE_STREAM_NUMBERS, 0)) {
    const uint32_t counter[4] = {(uint32_t)stream->block, (uint32_t)(stream->block >> 32),
                                 (uint32_t)(stream->seed >> 32), (uint32_t)(stream->game >> 32)};
    const uint32_t key[2] = {(uint32_t)stream->seed, (uint32_t)stream->game};
    chase_philox_blocks(counter, key, stream->number);
    stream->block += CHASE_STREAM_BLOCKS;
    stream->next = 0;
  }
  return stream->number[stream->next++];
}

/* Unbiased number below n (n >= 1): multiply and reject (Lemire 2019). Numbers
 * whose low product word falls below 2^32 mod n are drawn again. */
static inline uint32_t chase_stream_below(chase_stream *stream, uint32_t n) {
  uint64_t product = (uint64_t)chase_stream_number(stream) * n;
  if (__builtin_expect((uint32_t)product < n, 0)) {
    const uint32_t threshold = -n % n;
    while ((uint32_t)product < threshold) product = (uint64_t)chase_stream_number(stream) * n;
  }
  return (uint32_t)(product >> 32);
}

#endif
