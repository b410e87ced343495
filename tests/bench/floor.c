/* The yardstick: a C loop that tests 60 rays (ten dice, six directions) against three words of
 * occupancy, as simply as one can write it. Prints nanoseconds a node. */
#define _POSIX_C_SOURCE 200112L
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { SETS = 480, RAYS = 6, DICE = 10, NODES = 1024, ROUNDS = 1000 };

static uint32_t ray[SETS][RAYS][3];
static uint16_t set[NODES][DICE];

static uint64_t next(uint64_t *x) {
  *x ^= *x << 13;
  *x ^= *x >> 7;
  return *x ^= *x << 17;
}

static __attribute__((noinline)) int node(const uint32_t occupied[3], const uint16_t *dice) {
  int clear = 0;
  for (int i = 0; i < DICE; i++)
    for (int d = 0; d < RAYS; d++) {
      const uint32_t *const r = ray[dice[i]][d];
      clear += ((r[0] & occupied[0]) | (r[1] & occupied[1]) | (r[2] & occupied[2])) == 0;
    }
  return clear;
}

int main(void) {
  uint64_t x = 88172645463325252u;
  for (int s = 0; s < SETS; s++)
    for (int d = 0; d < RAYS; d++)
      for (int w = 0; w < 3; w++) ray[s][d][w] = (uint32_t)1 << next(&x) % 27;
  for (int n = 0; n < NODES; n++)
    for (int i = 0; i < DICE; i++) set[n][i] = (uint16_t)(next(&x) % SETS);
  uint32_t occupied[3] = {0x123, 0x4000412, 0x8001};
  long clear = 0;
  struct timespec from, to;
  clock_gettime(CLOCK_MONOTONIC, &from);
  for (int r = 0; r < ROUNDS; r++)
    for (int n = 0; n < NODES; n++) {
      occupied[n % 3] ^= (uint32_t)1 << n % 27;
      clear += node(occupied, set[n]);
    }
  clock_gettime(CLOCK_MONOTONIC, &to);
  const double seconds =
      (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
  printf("%.2f %ld\n", seconds * 1e9 / ROUNDS / NODES, clear);
  return 0;
}
