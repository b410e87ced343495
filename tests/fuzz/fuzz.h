/* Shared by the fuzz targets: REQUIRE, reading bytes, variants kept between
 * inputs. Each target is one file with LLVMFuzzerTestOneInput; linked with
 * replay.c instead of libFuzzer it replays files. */
#ifndef FUZZ_H
#define FUZZ_H

#include "chase.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition)                                                      \
  do {                                                                          \
    if (!(condition)) {                                                         \
      fprintf(stderr, "%s:%d: REQUIRE(%s) failed\n", __FILE__, __LINE__, #condition); \
      abort();                                                                  \
    }                                                                           \
  } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct fuzz_bytes {
  const uint8_t *data;
  size_t size;
} fuzz_bytes;

/* The next byte; 0 when there are none left. */
static inline int fuzz_byte(fuzz_bytes *in) {
  if (in->size == 0) return 0;
  in->size--;
  return *in->data++;
}

static inline int32_t fuzz_int32(fuzz_bytes *in) {
  uint32_t number = 0;
  for (int i = 0; i < 4; i++) number |= (uint32_t)fuzz_byte(in) << 8 * i;
  return (int32_t)number;
}

/* Rules from two bytes, each option in range; the bytes 0 1 are the standard game. */
static inline chase_rules fuzz_rules(fuzz_bytes *in) {
  static const uint8_t setups[4][CHASE_HOME_DICE] = {{1, 2, 3, 4, 5, 4, 3, 2, 1},
                                                     {1, 1, 1, 1, 1, 1, 1, 1, 1},
                                                     {6, 6, 6, 6, 6, 6, 6, 6, 6},
                                                     {2, 3, 1, 6, 5, 1, 4, 1, 1}};
  chase_rules rules;
  int bits = fuzz_byte(in), more = fuzz_byte(in);
  memset(&rules, 0, sizeof rules);
  rules.recycle = ~bits & 1;
  rules.chain = bits >> 1 & 1;
  rules.handout = bits >> 2 & 1;
  rules.wrap = ~bits >> 3 & 1;
  rules.ricochet = ~bits >> 4 & 1;
  rules.repetition = (uint8_t)((bits >> 5) % 3);
  rules.reserve = (uint8_t)((more & 31) % (CHASE_MAX_RESERVE + 1));
  memcpy(rules.setup, setups[more >> 5 & 3], sizeof rules.setup);
  return rules;
}

/* Rules from one byte, few enough to have their variants ready, for the targets
 * whose inputs are more about something else. */
static inline chase_rules fuzz_few_rules(fuzz_bytes *in) {
  static const uint8_t choices[8][2] = {
      {0, 1},    /* standard */
      {2, 1},    /* chain=yes */
      {1, 1},    /* recycle=no */
      {0, 16},   /* reserve=16 */
      {4, 0},    /* handout=any, reserve=0 */
      {26, 33},  /* chain=yes, wrap=no, ricochet=no, setup=111111111 */
      {0, 65},   /* setup=666666666 */
      {3, 112}}; /* recycle=no, chain=yes, reserve=16, setup=231651411 */
  fuzz_bytes pair = {choices[fuzz_byte(in) & 7], 2};
  return fuzz_rules(&pair);
}

/* The variant of the rules; the last few are kept, since most inputs share them. */
static inline const chase_variant *fuzz_variant(const chase_rules *rules, chase_isa isa) {
  enum { KEPT = 64 };
  static struct { chase_rules rules; chase_isa isa; chase_variant *variant; } kept[KEPT];
  static int oldest;
  for (int i = 0; i < KEPT; i++)
    if (kept[i].variant != NULL && kept[i].isa == isa &&
        memcmp(&kept[i].rules, rules, sizeof *rules) == 0)
      return kept[i].variant;
  int slot = oldest++ % KEPT;
  chase_variant *variant = NULL;
  if (chase_variant_new(rules, isa, &variant) != CHASE_OK) {
    REQUIRE(isa == CHASE_ISA_V3); /* may be missing here */
    return fuzz_variant(rules, CHASE_ISA_GENERIC);
  }
  chase_variant_free(kept[slot].variant);
  kept[slot].rules = *rules;
  kept[slot].isa = isa;
  kept[slot].variant = variant;
  return variant;
}

static inline bool fuzz_same_setup(const chase_setup *a, const chase_setup *b) {
  return memcmp(a->board, b->board, sizeof a->board) == 0 && a->side == b->side &&
         a->capturing == b->capturing && a->spare[0] == b->spare[0] &&
         a->spare[1] == b->spare[1];
}

/* A refusal says why, in bounds. */
static inline void fuzz_check_error(const chase_error *error, chase_status status, size_t size) {
  REQUIRE(error->status == status);
  REQUIRE(error->offset >= -1 && error->offset <= (int64_t)size);
  REQUIRE(memchr(error->message, 0, sizeof error->message) != NULL && error->message[0] != 0);
}

#endif
