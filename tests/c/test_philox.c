/* Philox4x32-10: the known answers of Random123, the layout of key and counter,
 * and a second implementation. */
#include "support.h"

static void test_known_answers(void) {
  static const struct { uint32_t counter[4], key[2], answer[4]; } cases[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff},
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    uint32_t out[4];
    chase_philox_raw(cases[i].counter, cases[i].key, out);
    for (int k = 0; k < 4; k++) CHECK_INT(out[k], cases[i].answer[k]);
  }
}

/* Salmon et al. (2011), section 3.3: ten rounds, the key raised between them. */
static void literal(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
  uint32_t c[4], k[2] = {key[0], key[1]};
  memcpy(c, counter, sizeof c);
  for (int round = 0; round < 10; round++) {
    uint64_t a = (uint64_t)0xd2511f53u * c[0], b = (uint64_t)0xcd9e8d57u * c[2];
    uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k[0], (uint32_t)b,
                        (uint32_t)(a >> 32) ^ c[3] ^ k[1], (uint32_t)a};
    memcpy(c, next, sizeof c);
    k[0] += 0x9e3779b9u;
    k[1] += 0xbb67ae85u;
  }
  memcpy(out, c, sizeof c);
}

static void test_against_literal(void) {
  uint64_t state = 4;
  for (int i = 0; i < 20000; i++) {
    uint32_t counter[4], key[2], got[4], expected[4];
    for (int k = 0; k < 4; k++) counter[k] = (uint32_t)random_next(&state);
    for (int k = 0; k < 2; k++) key[k] = (uint32_t)random_next(&state);
    chase_philox_raw(counter, key, got);
    literal(counter, key, expected);
    CHECK(memcmp(got, expected, sizeof got) == 0);
  }
}

/* Key: low halves of seed and game. Counter: low and high half of the counter,
 * high halves of seed and game. */
static void test_layout(void) {
  static const uint64_t numbers[] = {0, 1, 2, 0xffffffff, 0x100000000, 0x123456789abcdef0,
                                     0x8000000000000000, UINT64_MAX};
  enum { COUNT = sizeof numbers / sizeof numbers[0] };
  for (int s = 0; s < COUNT; s++)
    for (int g = 0; g < COUNT; g++)
      for (int c = 0; c < COUNT; c++) {
        uint64_t seed = numbers[s], game = numbers[g], n = numbers[c];
        uint32_t key[2] = {(uint32_t)seed, (uint32_t)game}, got[4], expected[4];
        uint32_t counter[4] = {(uint32_t)n, (uint32_t)(n >> 32), (uint32_t)(seed >> 32),
                               (uint32_t)(game >> 32)};
        chase_philox(seed, game, n, got);
        literal(counter, key, expected);
        CHECK(memcmp(got, expected, sizeof got) == 0);
      }
}

int main(void) {
  test_known_answers();
  test_against_literal();
  test_layout();
  return check_finish();
}
