#define _DEFAULT_SOURCE /* madvise */
#include "tt.h"

#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

_Static_assert(sizeof(chase_bucket) == 64, "a bucket is one cache line");

enum { LEAST_BUCKETS = 64, HUGE_PAGE = 2 << 20 };

/* A probe of a large table with small pages nearly always waits for the page's address as well.
 * Only a wish: where it cannot be had, nothing changes but the speed. */
static void ask_for_huge_pages(void *from, size_t size) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  (void)madvise(from, size, MADV_HUGEPAGE);
#else
  (void)from;
  (void)size;
#endif
}

chase_status chase_table_make(chase_table *table, uint64_t entries, uint64_t bytes, bool filled) {
  uint64_t buckets = LEAST_BUCKETS;
  while (buckets < entries / CHASE_BUCKET && 2 * buckets * sizeof(chase_bucket) <= bytes)
    buckets *= 2;
  if (buckets > (SIZE_MAX - HUGE_PAGE) / sizeof(chase_bucket)) return CHASE_MEMORY;
  const size_t size = buckets * sizeof(chase_bucket);
  const bool huge = filled && size >= HUGE_PAGE;
  const size_t alignment = huge ? HUGE_PAGE : sizeof(chase_bucket);
  /* Zeroed by the system where it is large, so that what is not used costs nothing. */
  char *const memory = calloc(1, size + alignment);
  if (!memory) return CHASE_MEMORY;
  chase_bucket *const bucket = (void *)(memory + (alignment - (uintptr_t)memory % alignment));
  if (huge) ask_for_huge_pages(bucket, size);
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
