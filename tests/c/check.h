/* Checks for the C test programs: each failure prints file, line and values. */
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHECK_SHOWN = 20 }; /* failures shown before the program gives up */

static long check_passed, check_failed;

/* Prints what the test is looking at, so that a failure in a loop can be found. */
static void (*check_context)(void);

static inline void check_report(bool good, const char *file, int line) {
  if (good) {
    check_passed++;
    return;
  }
  if (check_context != NULL) check_context();
  if (++check_failed >= CHECK_SHOWN) {
    printf("%s:%d: gave up after %ld failures, %ld checks passed\n", file, line, check_failed,
           check_passed);
    exit(1);
  }
}

static inline bool check_true(bool good, const char *text, const char *file, int line) {
  if (!good) printf("%s:%d: CHECK(%s) failed\n", file, line, text);
  check_report(good, file, line);
  return good;
}

static inline bool check_int(long long got, long long expected, const char *text,
                             const char *file, int line) {
  if (got != expected)
    printf("%s:%d: %s is %lld (0x%llx), expected %lld (0x%llx)\n", file, line, text, got,
           (unsigned long long)got, expected, (unsigned long long)expected);
  check_report(got == expected, file, line);
  return got == expected;
}

static inline bool check_text(const char *got, const char *expected, const char *text,
                              const char *file, int line) {
  bool good = strcmp(got, expected) == 0;
  if (!good)
    printf("%s:%d: %s is \"%s\", expected \"%s\"\n", file, line, text, got, expected);
  check_report(good, file, line);
  return good;
}

#define CHECK(condition) check_true((condition), #condition, __FILE__, __LINE__)
#define CHECK_INT(got, expected) \
  check_int((long long)(got), (long long)(expected), #got, __FILE__, __LINE__)
#define CHECK_TEXT(got, expected) check_text((got), (expected), #got, __FILE__, __LINE__)

/* The last line of every main: `return check_finish();` */
static inline int check_finish(void) {
  if (check_failed > 0) {
    printf("%ld checks failed, %ld passed\n", check_failed, check_passed);
    return 1;
  }
  printf("%ld checks passed\n", check_passed);
  return 0;
}

#endif
