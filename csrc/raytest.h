/* One compare tests all rays of a die: which lanes have no cell in common with
 * the given words? */
#ifndef CHASE_RAYTEST_H
#define CHASE_RAYTEST_H

#include "rays.h"

#if defined(__AVX2__)

#include <immintrin.h>

typedef struct chase_words {
  __m256i w0, w1, w2;
} chase_words;

static inline chase_words chase_words_spread(const uint32_t word[CHASE_WORDS]) {
  return (chase_words){_mm256_set1_epi32((int)word[0]), _mm256_set1_epi32((int)word[1]),
                       _mm256_set1_epi32((int)word[2])};
}

/* Bit l set: lane l is free. */
static inline unsigned chase_free_lanes(const chase_lanes *lanes, const chase_words *words) {
  const __m256i a = _mm256_and_si256(_mm256_load_si256((const __m256i *)lanes->word[0]), words->w0);
  const __m256i b = _mm256_and_si256(_mm256_load_si256((const __m256i *)lanes->word[1]), words->w1);
  const __m256i c = _mm256_and_si256(_mm256_load_si256((const __m256i *)lanes->word[2]), words->w2);
  const __m256i hit = _mm256_or_si256(_mm256_or_si256(a, b), c);
  const __m256i free_lanes = _mm256_cmpeq_epi32(hit, _mm256_setzero_si256());
  return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(free_lanes));
}

#elif defined(__SSE2__)

#include <emmintrin.h>

typedef struct chase_words {
  __m128i w0, w1, w2;
} chase_words;

static inline chase_words chase_words_spread(const uint32_t word[CHASE_WORDS]) {
  return (chase_words){_mm_set1_epi32((int)word[0]), _mm_set1_epi32((int)word[1]),
                       _mm_set1_epi32((int)word[2])};
}

static inline __m128i chase_half_lanes(const chase_lanes *lanes, const chase_words *words,
                                       int from) {
  const __m128i a =
      _mm_and_si128(_mm_load_si128((const __m128i *)(lanes->word[0] + from)), words->w0);
  const __m128i b =
      _mm_and_si128(_mm_load_si128((const __m128i *)(lanes->word[1] + from)), words->w1);
  const __m128i c =
      _mm_and_si128(_mm_load_si128((const __m128i *)(lanes->word[2] + from)), words->w2);
  return _mm_cmpeq_epi32(_mm_or_si128(_mm_or_si128(a, b), c), _mm_setzero_si128());
}

static inline unsigned chase_free_lanes(const chase_lanes *lanes, const chase_words *words) {
  /* Narrow both halves to one register, so that one movemask serves. */
  const __m128i both = _mm_packs_epi32(chase_half_lanes(lanes, words, 0),
                                       chase_half_lanes(lanes, words, 4));
  return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(both, _mm_setzero_si128()));
}

#else

typedef struct chase_words {
  uint32_t word[CHASE_WORDS];
} chase_words;

static inline chase_words chase_words_spread(const uint32_t word[CHASE_WORDS]) {
  return (chase_words){{word[0], word[1], word[2]}};
}

static inline unsigned chase_free_lanes(const chase_lanes *lanes, const chase_words *words) {
  unsigned free_lanes = 0;
  for (int lane = 0; lane < CHASE_LANES; lane++) {
    uint32_t hit = 0;
    for (int w = 0; w < CHASE_WORDS; w++) hit |= lanes->word[w][lane] & words->word[w];
    free_lanes |= (unsigned)(hit == 0) << lane;
  }
  return free_lanes;
}

#endif

#endif
