/* One compare tests all rays of a die: which lanes have no cell in common with
 * the given words? */
#ifndef CHASE_RAYTEST_H
#define CHASE_RAYTEST_H

#include "rays.h"

/* 81 cells in two words, for counting. */
typedef struct chase_counted {
  uint64_t low, high;
} chase_counted;

/* What many rays reach together. Lanes stay apart until the end: lanes 0-5 are targets of rays
 * and count where the ray is free, lane 7 counts always. */

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

typedef struct chase_reach {
  __m256i w0, w1, w2;
} chase_reach;

static inline void chase_reach_clear(chase_reach *reach) {
  reach->w0 = reach->w1 = reach->w2 = _mm256_setzero_si256();
}

/* As chase_free_lanes, and adds the targets. */
static inline unsigned chase_free_lanes_reach(const chase_lanes *lanes, const chase_lanes *target,
                                              const chase_words *words, chase_reach *reach) {
  const __m256i a = _mm256_and_si256(_mm256_load_si256((const __m256i *)lanes->word[0]), words->w0);
  const __m256i b = _mm256_and_si256(_mm256_load_si256((const __m256i *)lanes->word[1]), words->w1);
  const __m256i c = _mm256_and_si256(_mm256_load_si256((const __m256i *)lanes->word[2]), words->w2);
  const __m256i hit = _mm256_or_si256(_mm256_or_si256(a, b), c);
  const __m256i free_lanes = _mm256_cmpeq_epi32(hit, _mm256_setzero_si256());
  const __m256i counts =
      _mm256_or_si256(free_lanes, _mm256_set_epi32(-1, 0, 0, 0, 0, 0, 0, 0));
  const __m256i *const t = (const __m256i *)target->word[0];
  reach->w0 = _mm256_or_si256(reach->w0, _mm256_and_si256(_mm256_load_si256(t), counts));
  reach->w1 = _mm256_or_si256(reach->w1, _mm256_and_si256(_mm256_load_si256(t + 1), counts));
  reach->w2 = _mm256_or_si256(reach->w2, _mm256_and_si256(_mm256_load_si256(t + 2), counts));
  return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(free_lanes));
}

/* Two words at a time: their lanes 0-6 together in *targets, lane 7 in *always. */
static inline void chase_reach_fold(__m256i first, __m256i second, uint64_t *targets,
                                    uint64_t *always) {
  const __m256i even = _mm256_unpacklo_epi32(first, second); /* lanes 0 1, 4 5 */
  const __m256i odd = _mm256_unpackhi_epi32(first, second);  /* lanes 2 3, 6 7 */
  const __m128i both = _mm256_extracti128_si256(odd, 1);
  const __m128i sum =
      _mm_or_si128(_mm_or_si128(_mm256_castsi256_si128(even), _mm256_extracti128_si256(even, 1)),
                   _mm256_castsi256_si128(odd));
  _mm_storel_epi64((__m128i *)targets,
                   _mm_or_si128(_mm_or_si128(sum, both), _mm_unpackhi_epi64(sum, sum)));
  _mm_storel_epi64((__m128i *)always, _mm_unpackhi_epi64(both, both));
}

static inline void chase_reach_cells(const chase_reach *reach, chase_counted *targets,
                                     chase_counted *always) {
  chase_reach_fold(reach->w0, reach->w1, &targets->low, &always->low);
  chase_reach_fold(reach->w2, _mm256_setzero_si256(), &targets->high, &always->high);
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
  __m128i low[CHASE_WORDS], high[CHASE_WORDS];
} chase_reach;

static inline void chase_reach_clear(chase_reach *reach) {
  for (int w = 0; w < CHASE_WORDS; w++) reach->low[w] = reach->high[w] = _mm_setzero_si128();
}

static inline unsigned chase_free_lanes_reach(const chase_lanes *lanes, const chase_lanes *target,
                                              const chase_words *words, chase_reach *reach) {
  const __m128i low = chase_half_lanes(lanes, words, 0);
  const __m128i high = chase_half_lanes(lanes, words, 4);
  const __m128i counts = _mm_or_si128(high, _mm_set_epi32(-1, 0, 0, 0));
  for (int w = 0; w < CHASE_WORDS; w++) {
    const __m128i *const t = (const __m128i *)target->word[w];
    reach->low[w] = _mm_or_si128(reach->low[w], _mm_and_si128(_mm_load_si128(t), low));
    reach->high[w] = _mm_or_si128(reach->high[w], _mm_and_si128(_mm_load_si128(t + 1), counts));
  }
  return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(_mm_packs_epi32(low, high),
                                                     _mm_setzero_si128()));
}

/* Words `first` and `second`, 3 for none: their lanes 0-6 together in *targets, lane 7 in
 * *always. */
static inline void chase_reach_fold(const chase_reach *reach, int first, uint64_t *targets,
                                    uint64_t *always) {
  const bool pair = first + 1 < CHASE_WORDS;
  const __m128i low = pair ? reach->low[first + 1] : _mm_setzero_si128();
  const __m128i high = pair ? reach->high[first + 1] : _mm_setzero_si128();
  const __m128i both = _mm_unpackhi_epi32(reach->high[first], high); /* lanes 6 7 */
  const __m128i sum = _mm_or_si128(_mm_or_si128(_mm_unpacklo_epi32(reach->low[first], low),
                                                _mm_unpackhi_epi32(reach->low[first], low)),
                                   _mm_unpacklo_epi32(reach->high[first], high));
  _mm_storel_epi64((__m128i *)targets,
                   _mm_or_si128(_mm_or_si128(sum, both), _mm_unpackhi_epi64(sum, sum)));
  _mm_storel_epi64((__m128i *)always, _mm_unpackhi_epi64(both, both));
}

static inline void chase_reach_cells(const chase_reach *reach, chase_counted *targets,
                                     chase_counted *always) {
  chase_reach_fold(reach, 0, &targets->low, &always->low);
  chase_reach_fold(reach, 2, &targets->high, &always->high);
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
  uint32_t target[CHASE_WORDS], always[CHASE_WORDS];
} chase_reach;

static inline void chase_reach_clear(chase_reach *reach) {
  *reach = (chase_reach){{0, 0, 0}, {0, 0, 0}};
}

static inline unsigned chase_free_lanes_reach(const chase_lanes *lanes, const chase_lanes *target,
                                              const chase_words *words, chase_reach *reach) {
  const unsigned free_lanes = chase_free_lanes(lanes, words);
  for (int w = 0; w < CHASE_WORDS; w++) {
    for (int lane = 0; lane < CHASE_LANES - 1; lane++)
      reach->target[w] |= target->word[w][lane] & -(uint32_t)(free_lanes >> lane & 1);
    reach->always[w] |= target->word[w][CHASE_LANES - 1];
  }
  return free_lanes;
}

static inline void chase_reach_cells(const chase_reach *reach, chase_counted *targets,
                                     chase_counted *always) {
  *targets = (chase_counted){reach->target[0] | (uint64_t)reach->target[1] << 32, reach->target[2]};
  *always = (chase_counted){reach->always[0] | (uint64_t)reach->always[1] << 32, reach->always[2]};
}

#endif

#endif
