/* Decision text: every decision there is, in both directions, and what is
 * refused. */
#include "model.h"
#include "support.h"

static chase_status parse(const char *text, size_t length, chase_decision *out,
                          chase_error *error) {
  char *copy = exact_copy(text, length);
  *out = 0xdeadbeef;
  memset(error, 0x5a, sizeof *error);
  chase_status status = chase_decision_parse(copy, length, out, error);
  free(copy);
  if (status != CHASE_OK) {
    CHECK_INT(*out, 0xdeadbeef);
    CHECK_INT(error->status, status);
    CHECK(error->offset >= (status == CHASE_BAD_SYNTAX ? 0 : -1) && error->offset <= (int64_t)length);
    CHECK(memchr(error->message, 0, sizeof error->message) != NULL && error->message[0] != 0);
  }
  return status;
}

static void check_pair(chase_decision decision, const char *text) {
  char out[CHASE_DECISION_SIZE];
  chase_decision read;
  chase_error error;
  size_t size = chase_decision_format(decision, out);
  CHECK_TEXT(out, text);
  CHECK_INT(size, strlen(text));
  if (CHECK_INT(parse(text, strlen(text), &read, &error), CHASE_OK)) CHECK_INT(read, decision);
}

static void test_all_decisions(void) {
  static const char *const names[6] = {"E", "NE", "NW", "W", "SW", "SE"};
  static const chase_rules joined = {.wrap = 1};
  char text[64];
  int exchanges = 0;
  check_pair(chase_decision_make(CHASE_STOP, 0, 0, 0, 0), "stop");
  for (int cell = 0; cell < CHASE_CELLS; cell++) {
    char row = (char)('i' - cell / 9), column = (char)('1' + cell % 9);
    if (cell != CHASE_CHAMBER) {
      snprintf(text, sizeof text, "+%c%c", row, column);
      check_pair(chase_decision_make(CHASE_DISTRIBUTION, cell, 0, 0, 0), text);
    }
    for (int d = 0; d < 6; d++) {
      model_hop hop;
      if (!model_may_set_out(cell, d)) continue;
      if (cell != CHASE_CHAMBER) {
        snprintf(text, sizeof text, "%c%c%s", row, column, names[d]);
        check_pair(chase_decision_make(CHASE_MOVE, cell, d, 0, 0), text);
      }
      if (!model_hop_from(&joined, cell, d, &hop) || hop.to <= cell) continue;
      if (cell == CHASE_CHAMBER || hop.to == CHASE_CHAMBER) continue;
      for (int v = 1; v <= 6; v++)
        for (int w = 1; w <= 6; w++) {
          snprintf(text, sizeof text, "%c%c=%d,%c%c=%d", row, column, v, 'i' - hop.to / 9,
                   '1' + hop.to % 9, w);
          check_pair(chase_decision_make(CHASE_EXCHANGE, cell, d, v, w), text);
          exchanges++;
        }
    }
  }
  CHECK_INT(exchanges, (225 - 6) * 36); /* pairs of neighbours, those of e5 left out */
}

static void check_refused(const char *text, size_t length, chase_status expected) {
  chase_decision decision;
  chase_error error;
  if (!CHECK_INT(parse(text, length, &decision, &error), expected))
    printf("  for \"%.*s\"\n", (int)(length < 80 ? length : 80), text);
}

static void test_refused(void) {
  static const char *const bad[] = {
      "", " ", "a", "a1", "1", "E", "NE", "a1N", "a1S", "a1n", "a1ne", "a1Ne", "a1nE", "A1NE",
      "a1NEE", "a1EN", "a1NN", "a1EE", "a1NE ", " a1NE", "a1 NE", "a1-NE", "a0NE", "a10NE", "j1NE",
      "`1NE", "a:NE", "a1X", "a1NE\n", "a1\tNE", "+", "+a", "+a0", "+a10", "+j1", "+A1", "+a1 ",
      "+ a1", "++a1", "+a1+", "+a1NE", "-a1", "a1+", "Stop", "STOP", "sto", "stopp", "stop ",
      " stop", "s", "stop\n", "a1=2", "a1=2,", "a1=2,a2", "a1=2,a2=", "a1=2,a2=12", "a1=2,a2=1 ",
      " a1=2,a2=1", "a1=2, a2=1", "a1 =2,a2=1", "a1=2;a2=1", "a1=2,a2=1,", "a1=2,a2=1,a3=1",
      "a1=0,a2=1", "a1=7,a2=1", "a1=1,a2=0", "a1=1,a2=7", "a1=-1,a2=1", "a1=+1,a2=1",
      "a1=02,a2=1", "a1=a,a2=1", "A1=2,a2=1", "a1=2,A2=1", "a1==2,a2=1", "a1=2,,a2=1",
      "a2=1,a1=2",                                     /* not the canonical order */
      "a9=1,a1=2", "d5=1,e4=2", "a1=2,b1=1",           /* likewise */
      "a1=2,a1=1", "a1=2,i1=1",
      "0-0", "pass", "null", "resign", "a1a2", "a1-a2", "a1xa2", "e2e4",
      "\xc3\xa1NE", "a\xc2\xb9NE", "a1\xff", "\xff\xff\xff\xff", "a1N\xc8", "%s", "%n%n", "a1%d"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    check_refused(bad[i], strlen(bad[i]), CHASE_BAD_SYNTAX);
  check_refused("stop\0", 5, CHASE_BAD_SYNTAX);
  check_refused("a1NE\0", 5, CHASE_BAD_SYNTAX);
  check_refused("a1E\0", 4, CHASE_BAD_SYNTAX);
  check_refused("+a1\0", 4, CHASE_BAD_SYNTAX);
  check_refused("a1=2,a2=1\0", 10, CHASE_BAD_SYNTAX);
  check_refused("\0stop", 5, CHASE_BAD_SYNTAX);
}

/* Good texts that no rules allow (R10): the cells are no neighbours. */
static void test_exchange_of_strangers(void) {
  static const char *const far[] = {"a1=2,a3=1", "i1=2,a1=1", "e4=1,e6=1", "b1=2,a3=1",
                                    "d1=3,c3=1", "i1=1,i3=1", "i1=1,h9=1", "h1=2,h3=1"};
  for (size_t i = 0; i < sizeof far / sizeof far[0]; i++)
    check_refused(far[i], strlen(far[i]), CHASE_ILLEGAL);
}

/* What is wrong with two cells is said of those two cells. */
static void test_messages_name_the_cells(void) {
  static const char *const texts[] = {"a2=1,a1=2", "d5=1,e4=2", "a1=2,a3=1", "i1=1,h9=1"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    chase_decision decision;
    chase_error error;
    char first[3] = {texts[i][0], texts[i][1], 0}, second[3] = {texts[i][5], texts[i][6], 0};
    CHECK(parse(texts[i], strlen(texts[i]), &decision, &error) != CHASE_OK);
    const char *at = strstr(error.message, first);
    CHECK(at != NULL && strstr(at, second) != NULL);
  }
}

/* Within a longer text: the same decision or refusal, with offsets from the
 * beginning of the whole, in the message too. */
static void test_parts_of_a_text(void) {
  static const char *const texts[] = {"stop", "+a1", "a1NE", "a1=2,a2=1", "", "+", "a1", "+a1x",
                                      "a1=2;a2=1", "a1=2,a2=", "stopp", "a2=1,a1=2", "a1=2,a3=1"};
  enum { BEFORE = 137 };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    const size_t length = strlen(texts[i]);
    char whole[256], place[32];
    chase_decision alone = 0, part = 0;
    chase_error error, error_part;
    memset(whole, ' ', sizeof whole);
    memcpy(whole + BEFORE, texts[i], length);
    char *copy = exact_copy(whole, BEFORE + length);
    const chase_status status = parse(texts[i], length, &alone, &error);
    CHECK_INT(chase_decision_parse_at(copy, BEFORE, BEFORE + length, &part, &error_part), status);
    free(copy);
    if (status == CHASE_OK) {
      CHECK_INT(part, alone);
      /* What follows is not looked at. */
      CHECK_INT(chase_decision_parse_at(whole, BEFORE, BEFORE + length, &part, &error), CHASE_OK);
      CHECK_INT(part, alone);
      continue;
    }
    CHECK_INT(error_part.offset, error.offset + BEFORE);
    snprintf(place, sizeof place, "at offset %d,", error_part.offset);
    if (strstr(error.message, "at offset")) CHECK(strstr(error_part.message, place) != NULL);
  }
}

/* A message shows whole characters as they were written, and no byte that ends it. */
static void test_messages_show_characters(void) {
  static const struct { const char *text; size_t length; const char *found; } cases[] = {
      {"\xc3\xa9", 2, "'\xc3\xa9' at offset 0,"},
      {"a1\xef\xbc\x91", 5, "'\xef\xbc\x91' at offset 2,"},
      {"+\xf0\x9f\x8e\xb2", 5, "'\xf0\x9f\x8e\xb2' at offset 1,"},
      {"a1\0", 3, "'\\x00' at offset 2,"},
      {"\n", 1, "'\\x0a' at offset 0,"},
      {"\x7f", 1, "'\\x7f' at offset 0,"},
      {"a1\xc3", 3, "'\\xc3' at offset 2,"},
      {"\xe2\x82""a1", 4, "'\\xe2' at offset 0,"},
      {"\x80", 1, "'\\x80' at offset 0,"},
      {"\xff", 1, "'\\xff' at offset 0,"},
      {"a1", 2, "the end at offset 2,"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    chase_decision decision;
    chase_error error;
    CHECK_INT(parse(cases[i].text, cases[i].length, &decision, &error), CHASE_BAD_SYNTAX);
    if (!CHECK(strncmp(error.message, cases[i].found, strlen(cases[i].found)) == 0))
      printf("  %s\n", error.message);
  }
}

/* Well formed is what the enumeration above visits, moves over an end row and
 * codes of the chamber aside. */
static void test_well_formed(void) {
  static const chase_rules joined = {.wrap = 1};
  uint64_t state = 5;
  for (uint32_t code = 0; code < 1u << 18; code++) {
    chase_kind kind = chase_decision_kind(code);
    int cell = chase_decision_cell(code), d = chase_decision_direction(code);
    int v = chase_decision_value(code), w = chase_decision_other_value(code);
    bool clear = v == 0 && w == 0, good = false;
    model_hop hop;
    if (kind == CHASE_STOP) {
      good = cell == 0 && d == 0 && clear;
    } else if (cell < CHASE_CELLS && d < 6) {
      if (kind == CHASE_MOVE) good = clear;
      if (kind == CHASE_DISTRIBUTION) good = clear && d == 0;
      if (kind == CHASE_EXCHANGE)
        good = v >= 1 && v <= 6 && w >= 1 && w <= 6 && model_hop_from(&joined, cell, d, &hop) &&
               hop.to > cell;
    }
    CHECK_INT(chase_decision_well_formed(code), good);
    uint32_t high = (uint32_t)random_next(&state) << 18;
    if (high != 0) CHECK(!chase_decision_well_formed(code | high));
  }
}

/* A text that is read is the text of what was read. */
static void try_text(const char *text, size_t length) {
  chase_decision decision;
  chase_error error;
  char out[CHASE_DECISION_SIZE];
  if (parse(text, length, &decision, &error) != CHASE_OK) return;
  size_t size = chase_decision_format(decision, out);
  CHECK(size == length && memcmp(text, out, length) == 0);
}

static void test_prefixes_and_mutations(void) {
  static const char *const texts[] = {"stop", "+a1", "a1NE", "e4E", "d9SW", "a1=2,a2=1",
                                      "i1=6,i9=5", "d1=1,c9=6"};
  static const char telling[] = "a1NEi9SWgj+=,- 0";
  char changed[32];
  for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
    size_t length = strlen(texts[t]);
    for (size_t n = 0; n <= length; n++) try_text(texts[t], n);
    for (size_t i = 0; i <= length; i++)
      for (int byte = 0; byte < 256; byte++) {
        memcpy(changed, texts[t], length);
        changed[i] = (char)byte;
        try_text(changed, i < length ? length : length + 1);
        memcpy(changed + i + 1, texts[t] + i, length - i);
        try_text(changed, length + 1);
        for (size_t k = 0; k < sizeof telling && i + 1 < length; k++) { /* two bytes at once */
          memcpy(changed, texts[t], length);
          changed[i] = (char)byte;
          changed[i + 1] = telling[k];
          try_text(changed, length);
        }
      }
  }
}

static void test_huge_texts(void) {
  enum { SIZE = 100000 };
  static char text[SIZE];
  static const char *const starts[] = {"", "a1NE", "stop", "+a1", "a1=2,a2=1", "a1=2,a2=", "a"};
  for (size_t s = 0; s < sizeof starts / sizeof starts[0]; s++)
    for (int byte = 0; byte < 256; byte++) {
      memset(text, byte, SIZE);
      memcpy(text, starts[s], strlen(starts[s]));
      check_refused(text, SIZE, CHASE_BAD_SYNTAX);
    }
}

int main(void) {
  test_all_decisions();
  test_refused();
  test_exchange_of_strangers();
  test_messages_name_the_cells();
  test_parts_of_a_text();
  test_messages_show_characters();
  test_well_formed();
  test_prefixes_and_mutations();
  test_huge_texts();
  return check_finish();
}
