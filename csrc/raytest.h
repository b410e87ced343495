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

/* The union of many rays' targets: lanes apart until the end. */
typedef struct chase_reach {
  __m256i w0, w1, w2;
} chase_reach;

static inline void chase_reach_clear(chase_reach *reach) {
  reach->w0 = reach->w1 = reach->w2 = _mm256_setzero_si256();
}

/* As chase_free_lanes, and adds the targets of the free lanes. */
static inline unsigned chase_free_lanes_reach(const chase_lanes *lanes, const chase_lanes *target,
                                              const chase_words *words, chase_reach *reach) {
  const __m256i a = _mm256_and_si256(_mm256_load_si256((const __m256i *)lanes->word[0]), words->w0);
  const __m256i b = _mm256_and_si256(_mm256_load_si256((const __m256i *)lanes->word[1]), words->w1);
  const __m256i c = _mm256_and_si256(_mm256_load_si256((const __m256i *)lanes->word[2]), words->w2);
  const __m256i hit = _mm256_or_si256(_mm256_or_si256(a, b), c);
  const __m256i free_lanes = _mm256_cmpeq_epi32(hit, _mm256_setzero_si256());
  const __m256i *const t = (const __m256i *)target->word[0];
  reach->w0 = _mm256_or_si256(reach->w0, _mm256_and_si256(_mm256_load_si256(t), free_lanes));
  reach->w1 = _mm256_or_si256(reach->w1, _mm256_and_si256(_mm256_load_si256(t + 1), free_lanes));
  reach->w2 = _mm256_or_si256(reach->w2, _mm256_and_si256(_mm256_load_si256(t + 2), free_lanes));
  return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(free_lanes));
}

static inline void chase_reach_add(const chase_lanes *target, chase_reach *reach) {
  const __m256i *const t = (const __m256i *)target->word[0];
  reach->w0 = _mm256_or_si256(reach->w0, _mm256_load_si256(t));
  reach->w1 = _mm256_or_si256(reach->w1, _mm256_load_si256(t + 1));
  reach->w2 = _mm256_or_si256(reach->w2, _mm256_load_si256(t + 2));
}

static inline uint32_t chase_reach_fold(__m256i lanes) {
  __m128i x = _mm_or_si128(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
  x = _mm_or_si128(x, _mm_shuffle_epi32(x, 0x4e));
  x = _mm_or_si128(x, _mm_shuffle_epi32(x, 0xb1));
  return (uint32_t)_mm_cvtsi128_si32(x);
}

static inline void chase_reach_words(const chase_reach *reach, uint32_t out[CHASE_WORDS]) {
  out[0] = chase_reach_fold(reach->w0);
  out[1] = chase_reach_fold(reach->w1);
  out[2] = chase_reach_fold(reach->w2);
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

typedef struct chase_reach {
  __m128i word[CHASE_WORDS];
} chase_reach;

static inline void chase_reach_clear(chase_reach *reach) {
  for (int w = 0; w < CHASE_WORDS; w++) reach->word[w] = _mm_setzero_si128();
}

static inline unsigned chase_free_lanes_reach(const chase_lanes *lanes, const chase_lanes *target,
                                              const chase_words *words, chase_reach *reach) {
  const __m128i low = chase_half_lanes(lanes, words, 0);
  const __m128i high = chase_half_lanes(lanes, words, 4);
  for (int w = 0; w < CHASE_WORDS; w++) {
    const __m128i *const t = (const __m128i *)target->word[w];
    reach->word[w] = _mm_or_si128(reach->word[w],
                                  _mm_or_si128(_mm_and_si128(_mm_load_si128(t), low),
                                               _mm_and_si128(_mm_load_si128(t + 1), high)));
  }
  return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(_mm_packs_epi32(low, high),
                                                     _mm_setzero_si128()));
}

static inline void chase_reach_add(const chase_lanes *target, chase_reach *reach) {
  for (int w = 0; w < CHASE_WORDS; w++) {
    const __m128i *const t = (const __m128i *)target->word[w];
    reach->word[w] =
        _mm_or_si128(reach->word[w], _mm_or_si128(_mm_load_si128(t), _mm_load_si128(t + 1)));
  }
}

static inline void chase_reach_words(const chase_reach *reach, uint32_t out[CHASE_WORDS]) {
  for (int w = 0; w < CHASE_WORDS; w++) {
    __m128i x = reach->word[w];
    x = _mm_or_si128(x, _mm_shuffle_epi32(x, 0x4e));
    x = _mm_or_si128(x, _mm_shuffle_epi32(x, 0xb1));
    out[w] = (uint32_t)_mm_cvtsi128_si32(x);
  }
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

typedef struct chase_reach {
  uint32_t word[CHASE_WORDS];
} chase_reach;

static inline void chase_reach_clear(chase_reach *reach) { *reach = (chase_reach){{0, 0, 0}}; }

static inline unsigned chase_free_lanes_reach(const chase_lanes *lanes, const chase_lanes *target,
                                              const chase_words *words, chase_reach *reach) {
  const unsigned free_lanes = chase_free_lanes(lanes, words);
  for (int lane = 0; lane < CHASE_LANES; lane++)
    for (int w = 0; w < CHASE_WORDS; w++)
      reach->word[w] |= target->word[w][lane] & -(uint32_t)(free_lanes >> lane & 1);
  return free_lanes;
}

static inline void chase_reach_add(const chase_lanes *target, chase_reach *reach) {
  for (int lane = 0; lane < CHASE_LANES; lane++)
    for (int w = 0; w < CHASE_WORDS; w++) reach->word[w] |= target->word[w][lane];
}

static inline void chase_reach_words(const chase_reach *reach, uint32_t out[CHASE_WORDS]) {
  for (int w = 0; w < CHASE_WORDS; w++) out[w] = reach->word[w];
}

#endif

#endif
