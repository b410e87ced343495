#include "tt.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(chase_bucket) == 64, "a bucket is one cache line");

enum { LEAST_BUCKETS = 64 };

chase_status chase_table_make(chase_table *table, uint64_t entries, uint64_t bytes) {
  uint64_t buckets = LEAST_BUCKETS;
  while (buckets < entries / CHASE_BUCKET && 2 * buckets * sizeof(chase_bucket) <= bytes)
    buckets *= 2;
  if (buckets > SIZE_MAX / sizeof(chase_bucket) - 1) return CHASE_MEMORY;
  /* Zeroed by the system where it is large, so that what is not used costs nothing. */
  char *const memory = calloc(buckets + 1, sizeof(chase_bucket));
  if (!memory) return CHASE_MEMORY;
  const size_t beyond = (uintptr_t)memory % sizeof(chase_bucket);
  chase_bucket *const bucket = (void *)(memory + (sizeof(chase_bucket) - beyond));
  /* Generation 0 is never used, so that zeros are no entries. */
  *table = (chase_table){memory, bucket, buckets - 1, 1, 0};
  return CHASE_OK;
}

void chase_table_free(chase_table *table) {
  free(table->memory);
  *table = (chase_table){NULL, NULL, 0, 0, 0};
}

void chase_table_empty(chase_table *table) {
  table->age = 0;
  if (++table->generation < CHASE_GENERATIONS) return;
  memset(table->bucket, 0, (table->mask + 1) * sizeof(chase_bucket));
  table->generation = 1;
}

void chase_table_next_age(chase_table *table) { table->age = (table->age + 1) % CHASE_AGES; }
