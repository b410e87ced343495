/* Transposition table: what earlier searches of a position found. Several threads
 * may share it: entries carry their key mixed with their data, so that a torn one
 * is not recognised (Hyatt, Mann 2002). */
#ifndef CHASE_TT_H
#define CHASE_TT_H

#include "players.h"

typedef enum chase_bound { CHASE_BOUND_NONE = 0, CHASE_UPPER, CHASE_LOWER, CHASE_EXACT } chase_bound;

/* Bits 0-17 decision, 18-33 score, 34-40 depth, 41-42 bound, 43-48 age, 49-63
 * generation. A generation is one game or analysis: raising it empties the table
 * without touching it. The age counts the searches of a generation. */
typedef struct chase_entry {
  uint64_t check; /* key ^ data */
  uint64_t data;
} chase_entry;

enum {
  CHASE_NO_DECISION = (1 << 18) - 1, /* of no decision; 0 is the code of i1E */
  CHASE_BUCKET = 4,
  CHASE_AGES = 64,
  CHASE_GENERATIONS = 1 << 15
};

typedef struct chase_bucket {
  chase_entry entry[CHASE_BUCKET]; /* one cache line */
} chase_bucket;

typedef struct chase_table {
  void *memory;
  chase_bucket *bucket; /* in it, aligned */
  uint64_t mask; /* buckets less one: a power of two less one */
  uint32_t generation;
  uint32_t age;
} chase_table;

typedef struct chase_found {
  chase_decision decision;
  int score;
  int depth;
  chase_bound bound;
} chase_found;

/* Room for about `entries`, at most `bytes`. `filled`: most of it will be used, so that huge
 * pages pay, which the system clears whole. Allocates. */
chase_status chase_table_make(chase_table *table, uint64_t entries, uint64_t bytes, bool filled);
void chase_table_free(chase_table *table);
/* Forgets everything. */
void chase_table_empty(chase_table *table);
/* Before each search. */
void chase_table_next_age(chase_table *table);

static inline chase_bucket *chase_table_bucket(const chase_table *table, uint64_t key) {
  /* The high bits choose: the low ones serve the filter of the history. */
  return &table->bucket[key >> 20 & table->mask];
}

static inline void chase_table_prefetch(const chase_table *table, uint64_t key) {
  if (table->bucket) __builtin_prefetch(chase_table_bucket(table, key));
}

static inline uint64_t chase_entry_stamp(const chase_table *table) {
  return (uint64_t)table->generation << 49 | (uint64_t)table->age << 43;
}

static inline bool chase_table_probe(const chase_table *table, uint64_t key, chase_found *out) {
  const chase_bucket *const bucket = chase_table_bucket(table, key);
  for (int i = 0; i < CHASE_BUCKET; i++) {
    const uint64_t data = __atomic_load_n(&bucket->entry[i].data, __ATOMIC_RELAXED);
    const uint64_t check = __atomic_load_n(&bucket->entry[i].check, __ATOMIC_RELAXED);
    if ((check ^ data) != key || data >> 49 != table->generation) continue;
    *out = (chase_found){(chase_decision)(data & 0x3ffff), (int16_t)(data >> 18 & 0xffff),
                         (int)(data >> 34 & 0x7f), (chase_bound)(data >> 41 & 3)};
    return true;
  }
  return false;
}

/* Replaces the same position, else an entry of another generation, else the one
 * of least depth, old ages counting four less each. */
static inline void chase_table_store(chase_table *table, uint64_t key, chase_decision decision,
                                     int score, int depth, chase_bound bound) {
  chase_bucket *const bucket = chase_table_bucket(table, key);
  chase_entry *victim = &bucket->entry[0];
  int least = INT32_MAX;
  for (int i = 0; i < CHASE_BUCKET; i++) {
    chase_entry *const entry = &bucket->entry[i];
    const uint64_t data = __atomic_load_n(&entry->data, __ATOMIC_RELAXED);
    const uint64_t check = __atomic_load_n(&entry->check, __ATOMIC_RELAXED);
    if ((check ^ data) == key) {
      victim = entry;
      if (data >> 49 == table->generation && decision == CHASE_NO_DECISION)
        decision = data & 0x3ffff;
      break;
    }
    const int age = (int)((table->age - (uint32_t)(data >> 43 & (CHASE_AGES - 1))) % CHASE_AGES);
    const int worth =
        data >> 49 != table->generation ? INT32_MIN : (int)(data >> 34 & 0x7f) - 4 * age;
    if (worth < least) {
      least = worth;
      victim = entry;
    }
  }
  const uint64_t data = chase_entry_stamp(table) | (uint64_t)bound << 41 |
                        (uint64_t)(unsigned)depth << 34 | (uint64_t)(uint16_t)score << 18 |
                        decision;
  __atomic_store_n(&victim->data, data, __ATOMIC_RELAXED);
  __atomic_store_n(&victim->check, key ^ data, __ATOMIC_RELAXED);
}

#endif
