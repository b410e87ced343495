/* parse_print_roundtrip of decision text: a text that is read is the text of
 * what was read; the first four bytes, taken as a code, are written and read
 * back if they are well formed, and legal only if listed. */
#include "fuzz.h"

static void check_code(chase_decision code) {
  chase_decision list[CHASE_MAX_DECISIONS], read;
  chase_error error;
  chase_position start;
  chase_rules rules;
  char out[CHASE_DECISION_SIZE];
  chase_rules_default(&rules);
  const chase_variant *variant = fuzz_variant(&rules, CHASE_ISA_AUTO);
  chase_position_start(variant, &start);
  int count = chase_decision_list(variant, &start, list), listed = 0;
  for (int i = 0; i < count; i++) listed |= list[i] == code;
  chase_status status = chase_decision_check(variant, &start, code, &error);
  REQUIRE(status == (listed ? CHASE_OK : CHASE_ILLEGAL));
  if (!chase_decision_well_formed(code)) {
    REQUIRE(!listed);
    return;
  }
  size_t length = chase_decision_format(code, out);
  REQUIRE(length < sizeof out && strlen(out) == length);
  REQUIRE(chase_decision_parse(out, length, &read, &error) == CHASE_OK && read == code);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_bytes in = {data, size};
  chase_decision decision;
  chase_error error;
  char out[CHASE_DECISION_SIZE];
  chase_status status = chase_decision_parse((const char *)data, size, &decision, &error);
  if (status != CHASE_OK) {
    fuzz_check_error(&error, status, size);
  } else {
    REQUIRE(chase_decision_well_formed(decision));
    size_t length = chase_decision_format(decision, out);
    REQUIRE(length == size && memcmp(out, data, size) == 0);
    check_code(decision);
  }
  check_code((chase_decision)fuzz_int32(&in));
  return 0;
}
