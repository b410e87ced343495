/* Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011): a counter-based generator,
 * so that a game's numbers depend on (seed, game) alone. */
#ifndef CHASE_RNG_H
#define CHASE_RNG_H

#include "chase.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define CHASE_PHILOX_M0 0xD2511F53u
#define CHASE_PHILOX_M1 0xCD9E8D57u
#define CHASE_PHILOX_W0 0x9E3779B9u
#define CHASE_PHILOX_W1 0xBB67AE85u

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

/* Eight consecutive blocks from `first` on, block-major. */
static inline void chase_philox_blocks(const uint32_t first[4], const uint32_t key[2],
                                       uint32_t out[CHASE_STREAM_NUMBERS]) {
  const uint64_t counter = (uint64_t)first[1] << 32 | first[0];
  uint32_t k0 = key[0], k1 = key[1];
#if defined(__AVX2__)
  /* Four blocks a vector, each word in the low half of a 64-bit lane. The high
   * halves hold rubbish, which the multiplication does not read. */
  const __m256i m0 = _mm256_set1_epi64x(CHASE_PHILOX_M0);
  const __m256i m1 = _mm256_set1_epi64x(CHASE_PHILOX_M1);
  __m256i x[2][4];
  for (int half = 0; half < 2; half++) {
    const __m256i steps = _mm256_set_epi64x(4 * half + 3, 4 * half + 2, 4 * half + 1, 4 * half);
    x[half][0] = _mm256_add_epi64(_mm256_set1_epi64x((long long)counter), steps);
    x[half][1] = _mm256_srli_epi64(x[half][0], 32);
    x[half][2] = _mm256_set1_epi64x(first[2]);
    x[half][3] = _mm256_set1_epi64x(first[3]);
  }
  for (int round = 0; round < CHASE_PHILOX_ROUNDS; round++) {
    const __m256i key0 = _mm256_set1_epi64x(k0);
    const __m256i key1 = _mm256_set1_epi64x(k1);
    for (int half = 0; half < 2; half++) {
      __m256i *const y = x[half];
      const __m256i a = _mm256_mul_epu32(y[0], m0);
      const __m256i b = _mm256_mul_epu32(y[2], m1);
      y[0] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(b, 32), y[1]), key0);
      y[1] = b;
      y[2] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(a, 32), y[3]), key1);
      y[3] = a;
    }
    k0 += CHASE_PHILOX_W0;
    k1 += CHASE_PHILOX_W1;
  }
  for (int half = 0; half < 2; half++) {
    uint64_t word[4][4];
    for (int w = 0; w < 4; w++) _mm256_storeu_si256((__m256i *)word[w], x[half][w]);
    for (int i = 0; i < 4; i++)
      for (int w = 0; w < 4; w++) out[16 * half + 4 * i + w] = (uint32_t)word[w][i];
  }
#else
  for (int i = 0; i < CHASE_STREAM_BLOCKS; i++) {
    uint32_t x0 = (uint32_t)(counter + (uint64_t)i);
    uint32_t x1 = (uint32_t)((counter + (uint64_t)i) >> 32);
    uint32_t x2 = first[2], x3 = first[3];
    k0 = key[0];
    k1 = key[1];
    for (int round = 0; round < CHASE_PHILOX_ROUNDS; round++) {
      const uint64_t a = (uint64_t)CHASE_PHILOX_M0 * x0;
      const uint64_t b = (uint64_t)CHASE_PHILOX_M1 * x2;
      x0 = (uint32_t)(b >> 32) ^ x1 ^ k0;
      x1 = (uint32_t)b;
      x2 = (uint32_t)(a >> 32) ^ x3 ^ k1;
      x3 = (uint32_t)a;
      k0 += CHASE_PHILOX_W0;
      k1 += CHASE_PHILOX_W1;
    }
    out[4 * i] = x0;
    out[4 * i + 1] = x1;
    out[4 * i + 2] = x2;
    out[4 * i + 3] = x3;
  }
#endif
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
