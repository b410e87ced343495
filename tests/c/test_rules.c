/* Rules as a value (R12): defaults, reading and writing, refusals, variants. */
#include "support.h"

static bool same_rules(const chase_rules *a, const chase_rules *b) {
  return a->reserve == b->reserve && a->recycle == b->recycle && a->chain == b->chain &&
         a->handout == b->handout && a->wrap == b->wrap && a->ricochet == b->ricochet &&
         a->repetition == b->repetition && memcmp(a->setup, b->setup, sizeof a->setup) == 0;
}

static void test_defaults(void) {
  static const uint8_t home[9] = {1, 2, 3, 4, 5, 4, 3, 2, 1};
  chase_rules rules;
  chase_error error;
  memset(&rules, 0xff, sizeof rules);
  chase_rules_default(&rules);
  CHECK_INT(rules.reserve, 1);
  CHECK_INT(rules.recycle, 1);
  CHECK_INT(rules.chain, 0);
  CHECK_INT(rules.handout, CHASE_HANDOUT_LOWEST);
  CHECK_INT(rules.wrap, 1);
  CHECK_INT(rules.ricochet, 1);
  CHECK_INT(rules.repetition, CHASE_REPETITION_THREEFOLD);
  CHECK(memcmp(rules.setup, home, sizeof home) == 0);
  CHECK_INT(chase_rules_total(&rules), 25);
  CHECK_INT(chase_rules_check(&rules, &error), CHASE_OK);
}

static void test_totals(void) {
  static const struct { const char *text; int total; } cases[] = {
      {"setup=111111111", 9}, {"setup=666666666", 54}, {"setup=123456111", 24},
      {"setup=143252341", 25}, {"russian", 25}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    chase_rules rules = rules_of(cases[i].text);
    CHECK_INT(chase_rules_total(&rules), cases[i].total);
  }
}

/* Reading `text` must give the canonical text `expected`. */
static void check_canonical(const char *text, const char *expected) {
  char out[CHASE_RULES_SIZE];
  chase_rules rules = rules_of(text), again;
  size_t length = chase_rules_format(&rules, out);
  CHECK_INT(length, strlen(out));
  CHECK_TEXT(out, expected);
  again = rules_of(out);
  CHECK(same_rules(&rules, &again));
}

static void test_canonical_texts(void) {
  check_canonical("standard", "standard");
  check_canonical("rulebook", "repetition=none");
  check_canonical("russian", "chain=yes");
  check_canonical("wikipedia", "handout=any");
  check_canonical("russian,chain=no", "standard");
  check_canonical("rulebook,repetition=moves,reserve=0", "reserve=0,repetition=moves");
  check_canonical("standard,reserve=16", "reserve=16");
  check_canonical("reserve=1,recycle=yes,chain=no,handout=lowest,setup=123454321,wrap=yes,"
                  "ricochet=yes,repetition=threefold", "standard");
  check_canonical("repetition=none,ricochet=no,wrap=no,setup=666666666,handout=any,chain=yes,"
                  "recycle=no,reserve=10",
                  "reserve=10,recycle=no,chain=yes,handout=any,setup=666666666,wrap=no,"
                  "ricochet=no,repetition=none");
}

/* Every combination of options but for a few setups. */
static void test_round_trip_of_all_options(void) {
  static const char *const setups[] = {"123454321", "111111111", "654321612"};
  for (int reserve = 0; reserve <= CHASE_MAX_RESERVE; reserve++)
    for (int bits = 0; bits < 32; bits++)
      for (int repetition = 0; repetition < 3; repetition++) {
        char out[CHASE_RULES_SIZE];
        chase_rules rules, again;
        chase_error error;
        chase_rules_default(&rules);
        rules.reserve = (uint8_t)reserve;
        rules.recycle = bits & 1;
        rules.chain = bits >> 1 & 1;
        rules.handout = bits >> 2 & 1;
        rules.wrap = bits >> 3 & 1;
        rules.ricochet = bits >> 4 & 1;
        rules.repetition = (uint8_t)repetition;
        for (int i = 0; i < 9; i++)
          rules.setup[i] = (uint8_t)(setups[(reserve + bits) % 3][i] - '0');
        CHECK_INT(chase_rules_check(&rules, &error), CHASE_OK);
        size_t length = chase_rules_format(&rules, out);
        CHECK(length < CHASE_RULES_SIZE && strlen(out) == length);
        CHECK_INT(chase_rules_parse(out, length, &again, &error), CHASE_OK);
        CHECK(same_rules(&rules, &again));
      }
}

/* Refused, nothing written, a message, an offset inside the text. */
static void check_refused(const char *text, size_t length) {
  chase_rules rules, before;
  chase_error error;
  char *copy = exact_copy(text, length);
  memset(&rules, 0x5a, sizeof rules);
  memset(&error, 0x5a, sizeof error);
  before = rules;
  if (!CHECK_INT(chase_rules_parse(copy, length, &rules, &error), CHASE_BAD_RULES))
    printf("  accepted: \"%.*s\"\n", (int)(length < 200 ? length : 200), text);
  CHECK(memcmp(&rules, &before, sizeof rules) == 0);
  CHECK_INT(error.status, CHASE_BAD_RULES);
  CHECK(error.offset >= -1 && error.offset <= (int64_t)length);
  CHECK(memchr(error.message, 0, sizeof error.message) != NULL && error.message[0] != 0);
  free(copy);
}

static void test_bad_texts(void) {
  static const char *const bad[] = {
      "", " ", ",", "=", "x", "Standard", "STANDARD", "standard ", " standard", "standard,",
      ",standard", "standard,,reserve=2", "standard,standard", "reserve=2,standard",
      "reserve=2,russian", "russian,wikipedia", "standardx", "standar", "russia", "rulebook=yes",
      "standard=yes", "reserve", "reserve=", "=2", "reserve=2,", "reserve=2,,chain=yes",
      "reserve==2", "reserve=2=3", "reserve= 2", "reserve =2", "reserve=2 ", "reserve=2, chain=yes",
      "reserve=2;chain=yes", "reserve:2", "Reserve=2", "reserves=2", "reserv=2", "reserve=-1",
      "reserve=+1", "reserve=17", "reserve=99", "reserve=256", "reserve=257", "reserve=65537",
      "reserve=4294967297", "reserve=18446744073709551617", "reserve=1.0", "reserve=1e0",
      "reserve=0x1", "reserve=two", "reserve=yes", "reserve=01", "reserve=00", "reserve=016",
      "reserve=1,reserve=1", "reserve=2,chain=yes,reserve=2", "chain=yes,chain=no",
      "russian,chain=yes,chain=yes", "chain", "chain=", "chain=1", "chain=0", "chain=true",
      "chain=Yes", "chain=YES", "chain=y", "chain=yess", "chain=ye", "chain=n", "chain=noo",
      "recycle=lowest", "recycle=maybe", "wrap=0", "wrap=none", "ricochet=1", "ricochet=off",
      "handout=yes", "handout=lowes", "handout=lowestt", "handout=Any", "handout=anything",
      "handout=0", "repetition=two", "repetition=threefoldx", "repetition=3", "repetition=no",
      "repetition=Moves", "setup=", "setup=12345432", "setup=1234543210", "setup=1234543211",
      "setup=023454321", "setup=723454321", "setup=123454327", "setup=12345432a",
      "setup=abcdedcba", "setup=1 2345432", "setup=-12345432", "setup=123454321,setup=123454321",
      "unknown=1", "seed=1", "size=9", "chain=yes\n", "\tchain=yes", "chain=yes\r",
      "\"chain=yes\"", "chain='yes'", "chain=yes,unknown=1", "chain=yes,reserve=17",
      "\xc3\xa9=1", "\xff\xfe", "\x80", "reserve=\xb2", "chain=\xf0\x9f\x8e\xb2", "ch\xc3in=yes",
      "standard\xa0", "reserve=%d", "%s%s%s%n", "%n=1", "chain=%s"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) check_refused(bad[i], strlen(bad[i]));
  check_refused("standard\0", 9);
  check_refused("standard\0chain=yes", 18);
  check_refused("\0", 1);
  check_refused("reserve=\0" "2", 10);
  check_refused("chain=yes\0,reserve=2", 20);
}

static void test_huge_texts(void) {
  enum { SIZE = 100000 };
  static char text[SIZE];
  static const char *const starts[] = {"", "x", "reserve=", "reserve=1", "setup=", "chain=",
                                       "standard,", "unknown=", "standard"};
  static const char fills[] = {'1', 'a', ',', '=', ' ', '%', '\xff', '\0'};
  for (size_t s = 0; s < sizeof starts / sizeof starts[0]; s++)
    for (size_t f = 0; f < sizeof fills; f++) {
      memset(text, fills[f], SIZE);
      memcpy(text, starts[s], strlen(starts[s]));
      check_refused(text, SIZE);
    }
  for (int i = 0; i < SIZE; i += 10) memcpy(text + i, "reserve=2,", 10);
  check_refused(text, SIZE);
  check_refused(text, SIZE - 1);
}

/* Every prefix and every one-byte change of a long text is refused or is read
 * as rules whose own text is read as the same. */
static void check_any_text(const char *text, size_t length) {
  char out[CHASE_RULES_SIZE];
  chase_rules rules, again;
  chase_error error;
  char *copy = exact_copy(text, length);
  chase_status status = chase_rules_parse(copy, length, &rules, &error);
  free(copy);
  if (status != CHASE_OK) {
    check_refused(text, length);
    return;
  }
  CHECK_INT(chase_rules_check(&rules, &error), CHASE_OK);
  size_t size = chase_rules_format(&rules, out);
  CHECK_INT(chase_rules_parse(out, size, &again, &error), CHASE_OK);
  CHECK(same_rules(&rules, &again));
}

static void test_prefixes_and_mutations(void) {
  static const char every_option[] =
      "reserve=12,recycle=no,chain=yes,handout=any,setup=143252341,wrap=no,ricochet=no,"
      "repetition=moves";
  const char *const texts[] = {every_option, "russian,reserve=2", "standard"};
  char changed[128];
  for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
    size_t length = strlen(texts[t]);
    for (size_t n = 0; n <= length; n++) check_any_text(texts[t], n);
    for (size_t i = 0; i < length; i++)
      for (int byte = 0; byte < 256; byte++) {
        memcpy(changed, texts[t], length);
        changed[i] = (char)byte;
        check_any_text(changed, length);
      }
  }
}

static void test_check(void) {
  chase_rules good, bad;
  chase_error error;
  chase_variant *variant = NULL;
  uint8_t *fields[] = {&bad.reserve, &bad.recycle, &bad.chain, &bad.handout, &bad.wrap,
                       &bad.ricochet, &bad.repetition, &bad.setup[0], &bad.setup[4],
                       &bad.setup[8]};
  static const char *const names[] = {"reserve", "recycle", "chain", "handout", "wrap",
                                      "ricochet", "repetition", "setup", "setup", "setup"};
  static const uint8_t first_bad[] = {17, 2, 2, 2, 2, 2, 3, 7, 7, 7};
  chase_rules_default(&good);
  for (size_t f = 0; f < sizeof fields / sizeof fields[0]; f++)
    for (int value = first_bad[f]; value < 256; value++) {
      bad = good;
      *fields[f] = (uint8_t)value;
      CHECK_INT(chase_rules_check(&bad, &error), CHASE_BAD_RULES);
      CHECK_INT(error.status, CHASE_BAD_RULES);
      if (strstr(error.message, names[f]) == NULL)
        CHECK_TEXT(error.message, names[f]);
      CHECK_INT(chase_variant_new(&bad, CHASE_ISA_AUTO, &variant), CHASE_BAD_RULES);
    }
  bad = good;
  bad.setup[3] = 0;
  CHECK_INT(chase_rules_check(&bad, &error), CHASE_BAD_RULES);
}

static void test_variants(void) {
  chase_rules rules = rules_of("reserve=3,chain=yes"), copy = rules;
  chase_variant *variant = NULL;
  CHECK_INT(chase_variant_new(&rules, CHASE_ISA_GENERIC, &variant), CHASE_OK);
  memset(&rules, 0, sizeof rules); /* the variant keeps its own rules */
  CHECK(same_rules(chase_variant_rules(variant), &copy));
  CHECK_TEXT(chase_variant_isa(variant), "generic");
  chase_variant_free(variant);
  chase_variant_free(NULL);
  if (isa_runs_here(CHASE_ISA_V3)) {
    variant = variant_of("standard", CHASE_ISA_V3);
    CHECK_TEXT(chase_variant_isa(variant), "x86-64-v3");
    chase_variant_free(variant);
    variant = variant_of("standard", CHASE_ISA_AUTO);
    CHECK_TEXT(chase_variant_isa(variant), "x86-64-v3");
  } else {
    CHECK_INT(chase_variant_new(&copy, CHASE_ISA_V3, &variant), CHASE_BAD_ARGUMENT);
    variant = variant_of("standard", CHASE_ISA_AUTO);
    CHECK_TEXT(chase_variant_isa(variant), "generic");
  }
  chase_variant_free(variant);
  CHECK_INT(chase_variant_new(&copy, CHASE_ISA_COUNT, &variant), CHASE_BAD_ARGUMENT);
  CHECK_INT(chase_variant_new(&copy, (chase_isa)77, &variant), CHASE_BAD_ARGUMENT);
}

int main(void) {
  test_defaults();
  test_totals();
  test_canonical_texts();
  test_round_trip_of_all_options();
  test_bad_texts();
  test_huge_texts();
  test_prefixes_and_mutations();
  test_check();
  test_variants();
  return check_finish();
}
