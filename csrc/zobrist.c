#include "zobrist.h"

#include <string.h>

/* splitmix64 (Steele, Lea, Flood 2014): well-spread 64-bit numbers from a
 * counter. */
static uint64_t mix(uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

void chase_keys_build(const chase_rules *rules, chase_keys *out) {
  uint64_t counter = 0x4348415345ull << 20;
  memset(out, 0, sizeof *out);
  for (int side = 0; side < 2; side++) {
    for (int value = 1; value <= CHASE_MAX_VALUE; value++)
      for (int cell = 0; cell < CHASE_CELLS; cell++) out->die[side][value][cell] = mix(counter++);
    for (int n = 0; n <= CHASE_MAX_DICE; n++) out->spare[side][n] = mix(counter++);
  }
  for (int cell = 0; cell < CHASE_CELLS; cell++) out->capturing[cell] = mix(counter++);
  out->blue_to_act = mix(counter++);
  const uint8_t options[] = {rules->reserve, rules->recycle, rules->chain, rules->handout,
                             rules->wrap, rules->ricochet, rules->repetition};
  uint64_t digest = 0;
  for (size_t i = 0; i < sizeof options; i++) digest = mix(digest ^ options[i]);
  for (int i = 0; i < CHASE_HOME_DICE; i++) digest = mix(digest ^ rules->setup[i]);
  out->rules = digest;
}
