/* Position text (CFEN): what is accepted and refused, offsets, round trips,
 * every prefix and every one-byte change of valid texts. */
#include "model.h"
#include "support.h"

static const char START[] = "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 1/1";

/* Reads an exact copy; what is refused must leave `out` alone. */
static chase_status parse(const chase_variant *variant, const char *text, size_t length,
                          chase_setup *out, chase_error *error) {
  chase_setup before;
  char *copy = exact_copy(text, length);
  memset(out, 0x5a, sizeof *out);
  memset(error, 0x5a, sizeof *error);
  before = *out;
  chase_status status = chase_cfen_parse(variant, copy, length, out, error);
  free(copy);
  CHECK(status == CHASE_OK || status == CHASE_BAD_SYNTAX);
  if (status != CHASE_OK) {
    CHECK(memcmp(out, &before, sizeof before) == 0);
    CHECK_INT(error->status, CHASE_BAD_SYNTAX);
    CHECK(error->offset >= 0 && error->offset <= (int64_t)length);
    CHECK(memchr(error->message, 0, sizeof error->message) != NULL && error->message[0] != 0);
  }
  return status;
}

/* Whatever the text: if it is a position, its own text gives that position
 * again and differs from the text read only by the fields left out. True if it
 * is one. */
static bool try_text(const chase_variant *variant, const char *text, size_t length) {
  chase_setup setup, again;
  chase_error error;
  chase_fault faults[CHASE_MAX_FAULTS];
  chase_position position, second;
  char out[CHASE_CFEN_SIZE];
  int count = 0;
  if (parse(variant, text, length, &setup, &error) != CHASE_OK) return false;
  bool valid = model_valid(chase_variant_rules(variant), &setup);
  chase_status status = chase_position_make(variant, &setup, &position, faults, &count);
  CHECK_INT(status, valid ? CHASE_OK : CHASE_INVALID_POSITION);
  if (status != CHASE_OK) return false;
  size_t size = chase_cfen_format(&position, out);
  CHECK(size < CHASE_CFEN_SIZE && strlen(out) == size);
  CHECK(length <= size && memcmp(text, out, length) == 0);
  CHECK_INT(parse(variant, out, size, &again, &error), CHASE_OK);
  CHECK(same_setup(&setup, &again));
  CHECK_INT(chase_position_make(variant, &again, &second, faults, &count), CHASE_OK);
  CHECK(chase_position_equal(&position, &second) && position.hash == second.hash);
  return true;
}

static void test_accepted(void) {
  static const struct { const char *rules, *text, *full; } cases[] = {
      {"standard", "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r", START},
      {"standard", "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r -", START},
      {"standard", START, START},
      {"standard", "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA b -",
       "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA b - 1/1"},
      {"standard", "1bcdedcb1/9/9/9/3a5/5a3/9/9/ABCDEDCBA r",
       "1bcdedcb1/9/9/9/3a5/5a3/9/9/ABCDEDCBA r - 1/1"},
      {"reserve=16", "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r",
       "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 16/16"},
      {"standard", "ffffa4/9/9/9/9/9/9/9/FFFF5 r", "ffffa4/9/9/9/9/9/9/9/FFFF5 r - 6/5"},
      {"standard", "9/9/9/9/9/9/9/9/FFFFA4 b", "9/9/9/9/9/9/9/9/FFFFA4 b - 5/10"},
      {"recycle=no", "ffffa4/9/9/9/9/9/9/9/FFFFA4 r - 0/1",
       "ffffa4/9/9/9/9/9/9/9/FFFFA4 r - 0/1"},
      {"russian", "bbcdedc2/9/9/9/9/3aA4/9/9/1BCDEDCBA r d5",
       "bbcdedc2/9/9/9/9/3aA4/9/9/1BCDEDCBA r d5 1/2"},
      {"reserve=16", "aaaaaaaaa/aaaaaaaaa/aaaaaaa2/9/9/9/2AAAAAAA/AAAAAAAAA/AAAAAAAAA r",
       "aaaaaaaaa/aaaaaaaaa/aaaaaaa2/9/9/9/2AAAAAAA/AAAAAAAAA/AAAAAAAAA r - 0/0"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    chase_variant *variant = variant_of(cases[i].rules, CHASE_ISA_AUTO);
    char out[CHASE_CFEN_SIZE];
    chase_position position = position_of(variant, cases[i].text);
    chase_cfen_format(&position, out);
    CHECK_TEXT(out, cases[i].full);
    CHECK(try_text(variant, cases[i].text, strlen(cases[i].text)));
    chase_variant_free(variant);
  }
}

/* Refused by the syntax at that offset (a cell is one token and refused at its
 * first letter); -1 where more than one is a fair answer. */
static void test_refused_by_syntax(void) {
  static const struct { const char *text; int offset; } cases[] = {
      {"", 0},
      {" ", 0},
      {"abcdedcba", 9},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA", 33},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA ", 34},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA w", 34},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA R", 34},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA B", 34},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA red", 35},
      {" abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r", 0},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r ", 36},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA  r", 34},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA\tr", 33},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r\n", 35},
      {"abcdedcba/9/9/9/9/9/9/ABCDEDCBA r", -1},
      {"abcdedcba/9/9/9/9/9/9/9/9/ABCDEDCBA r", -1},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA/ r", -1},
      {"/abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r", 0},
      {"abcdedcba//9/9/9/9/9/9/ABCDEDCBA r", 10},
      {"abcdedcba/45/9/9/9/9/9/9/ABCDEDCBA r", 11},
      {"abcdedcba/0/9/9/9/9/9/9/ABCDEDCBA r", 10},
      {"abcdedcba/90/9/9/9/9/9/9/ABCDEDCBA r", 11},
      {"abcdedcba/09/9/9/9/9/9/9/ABCDEDCBA r", 10},
      {"abcdedcba/8/9/9/9/9/9/9/ABCDEDCBA r", 11},
      {"abcdedcba/9a/9/9/9/9/9/9/ABCDEDCBA r", 11},
      {"abcdedcbaa/9/9/9/9/9/9/9/ABCDEDCBA r", 9},
      {"abcdedcb2/9/9/9/9/9/9/9/ABCDEDCBA r", 8},
      {"gbcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r", 0},
      {"Gbcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r", 0},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBG r", 32},
      {"abcdedcba\\9/9/9/9/9/9/9/ABCDEDCBA r", 9},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r +", 36},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r --", 37},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r a", 36},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r a0", 36},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r a10", 38},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r A1", 36},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r j1", 36},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r 1/1", 36},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - ", 38},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r -  1/1", 38},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 1", 39},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 1/", 40},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - /1", 38},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 1 1", 39},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 1//1", 40},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 01/1", -1},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 1/01", -1},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 00/1", -1},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - +1/1", 38},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - -1/1", 38},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 0x1/1", 39},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 1.0/1", 39},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 1/1 ", 41},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 1/1 0", 41},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 1/1/1", 41},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 1/1\n", 41},
      {"\xef\xbb\xbf" "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r", 0},
      {"abcdedcb\xd0\xb0/9/9/9/9/9/9/9/ABCDEDCBA r", 8},
      {"abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA\xc2\xa0r", 33},
      {"abcdedcba/%s/9/9/9/9/9/9/ABCDEDCBA r", 10},
      {"%n%n%n%n", 0},
  };
  chase_variant *variant = variant_of("standard", CHASE_ISA_AUTO);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    chase_setup setup;
    chase_error error;
    const char *text = cases[i].text;
    if (!CHECK_INT(parse(variant, text, strlen(text), &setup, &error), CHASE_BAD_SYNTAX) ||
        (cases[i].offset >= 0 && !CHECK_INT(error.offset, cases[i].offset)))
      printf("  \"%s\": %s\n", text, error.message);
  }
  CHECK(!try_text(variant, "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r\0", 36));
  CHECK(!try_text(variant, "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 1/1\0", 42));
  chase_variant_free(variant);
}

/* Good syntax that R13 refuses, and spare dice that no integer holds. */
static void test_refused_by_rules(void) {
  static const struct { const char *rules, *text; } cases[] = {
      {"standard", "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 2/1"},
      {"standard", "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r a1 1/1"},
      {"standard", "abcdedcba/9/9/9/4A4/9/9/9/1BCDEDCBA r"},
      {"standard", "abcdedcba/9/9/9/9/9/9/9/1BCDEDCBA b"},
      {"standard", "bbcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r"},
      {"russian", "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r a1"},
      {"standard", "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 257/1"},
      {"standard", "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 65537/1"},
      {"standard", "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 4294967297/1"},
      {"standard", "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 1/18446744073709551617"},
      {"standard", "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 1/99999999999999999999999999999999999"},
      {"standard", "aaaaaaaaa/aaaaaaaaa/9/9/9/9/9/9/ABCDEDCBA r -"}, /* 18 dice, reserve 1 */
      {"setup=111111111", "aaaaaaaaa/9/9/9/9/9/9/aA7/AAAAAAAAA r"},
      {"recycle=no", "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r"},   /* spare dice needed */
      {"recycle=no", "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r -"}, /* likewise */
      {"recycle=no", "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 2/1"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    chase_variant *variant = variant_of(cases[i].rules, CHASE_ISA_AUTO);
    if (!CHECK(!try_text(variant, cases[i].text, strlen(cases[i].text))))
      printf("  \"%s\" was accepted\n", cases[i].text);
    chase_variant_free(variant);
  }
}

static void test_recycle_no_needs_spare_dice(void) {
  chase_variant *variant = variant_of("recycle=no", CHASE_ISA_AUTO);
  chase_setup setup;
  chase_error error;
  static const char text[] = "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r -";
  CHECK_INT(parse(variant, text, strlen(text), &setup, &error), CHASE_BAD_SYNTAX);
  CHECK_INT(error.offset, strlen(text));
  CHECK_INT(parse(variant, text, strlen(text) - 2, &setup, &error), CHASE_BAD_SYNTAX);
  CHECK_INT(error.offset, strlen(text) - 2);
  chase_variant_free(variant);
}

static void test_prefixes_and_mutations(void) {
  static const struct { const char *rules, *text; } cases[] = {
      {"standard", "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 1/1"},
      {"standard", "C1b3Ba1/9/9/3A5/1f7/6a2/2dD5/B1e6/1B1e1F1Ea r - 2/2"},
      {"russian", "bbcdedc2/9/9/9/9/3aA4/9/9/1BCDEDCBA r d5 1/2"},
      {"reserve=16", "ffffa4/9/9/9/9/9/9/9/FFFFA4 b - 20/20"},
      {"recycle=no", "d2aadedb/9/9/9/8d/9/A1B6/9/D1EFEB3 b - 1/1"},
  };
  for (size_t t = 0; t < sizeof cases / sizeof cases[0]; t++) {
    chase_variant *variant = variant_of(cases[t].rules, CHASE_ISA_AUTO);
    const char *text = cases[t].text;
    size_t length = strlen(text);
    char changed[CHASE_CFEN_SIZE + 1];
    chase_setup setup;
    chase_error error;
    CHECK(try_text(variant, text, length));
    for (size_t n = 0; n < length; n++) {
      try_text(variant, text, n);
      if (parse(variant, text, n, &setup, &error) != CHASE_OK) /* or at a cell cut in two */
        CHECK(error.offset == (int64_t)n || (text[n - 1] == 'd' && error.offset == (int64_t)n - 1));
    }
    for (size_t i = 0; i < length; i++)
      for (int byte = 0; byte < 256; byte++) {
        memcpy(changed, text, length);
        changed[i] = (char)byte; /* change, insert, delete */
        try_text(variant, changed, length);
        if (byte == '!' && parse(variant, changed, length, &setup, &error) != CHASE_OK)
          CHECK(error.offset == (int64_t)i ||
                (i > 36 && text[i - 1] == 'd' && error.offset == (int64_t)i - 1));
        memcpy(changed + i + 1, text + i, length - i);
        try_text(variant, changed, length + 1);
      }
    for (size_t i = 0; i < length; i++) {
      memcpy(changed, text, i);
      memcpy(changed + i, text + i + 1, length - i - 1);
      try_text(variant, changed, length - 1);
    }
    for (int byte = 0; byte < 256; byte++) {
      memcpy(changed, text, length);
      changed[length] = (char)byte;
      try_text(variant, changed, length + 1);
    }
    chase_variant_free(variant);
  }
}

static void test_huge_texts(void) {
  enum { SIZE = 200000 };
  static char text[SIZE];
  static const char fills[] = {'a', '9', '1', '/', ' ', '-', '\0', '\xff'};
  static const char *const starts[] = {"", "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r",
                                       "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 1/1",
                                       "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - ",
                                       "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA"};
  chase_variant *variant = variant_of("standard", CHASE_ISA_AUTO);
  for (size_t s = 0; s < sizeof starts / sizeof starts[0]; s++)
    for (size_t f = 0; f < sizeof fills; f++) {
      memset(text, fills[f], SIZE);
      memcpy(text, starts[s], strlen(starts[s]));
      CHECK(!try_text(variant, text, SIZE));
    }
  chase_variant_free(variant);
}

static void test_random_round_trips(void) {
  uint64_t state = 77;
  size_t longest = 0;
  for (int r = 0; r < RULES_TEXT_COUNT; r++) {
    chase_variant *variant = variant_of(RULES_TEXTS[r], CHASE_ISA_AUTO);
    for (int round = 0; round < 200; round++) {
      chase_setup s, again;
      chase_error error;
      chase_fault faults[CHASE_MAX_FAULTS];
      chase_position position;
      char out[CHASE_CFEN_SIZE];
      int count = 0;
      random_setup(&state, chase_variant_rules(variant), &s);
      if (!CHECK_INT(chase_position_make(variant, &s, &position, faults, &count), CHASE_OK))
        continue;
      look_at(variant, &position);
      size_t size = chase_cfen_format(&position, out);
      if (size > longest) longest = size;
      CHECK_INT(parse(variant, out, size, &again, &error), CHASE_OK);
      CHECK(same_setup(&s, &again));
      look_at(NULL, NULL);
    }
    chase_variant_free(variant);
  }
  CHECK(longest > 60 && longest < CHASE_CFEN_SIZE);
}

int main(void) {
  test_accepted();
  test_refused_by_syntax();
  test_refused_by_rules();
  test_recycle_no_needs_spare_dice();
  test_prefixes_and_mutations();
  test_huge_texts();
  test_random_round_trips();
  return check_finish();
}
