/* parse_print_roundtrip of rules text: what is read is in range and its
 * canonical text, which is written the same again, is read as the same. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  chase_rules rules, again;
  chase_error error;
  char out[CHASE_RULES_SIZE], second[CHASE_RULES_SIZE];
  memset(&rules, 0, sizeof rules);
  memset(&again, 0, sizeof again);
  chase_status status = chase_rules_parse((const char *)data, size, &rules, &error);
  if (status != CHASE_OK) {
    REQUIRE(status == CHASE_BAD_RULES);
    fuzz_check_error(&error, status, size);
    return 0;
  }
  REQUIRE(chase_rules_check(&rules, &error) == CHASE_OK);
  size_t length = chase_rules_format(&rules, out);
  REQUIRE(length < sizeof out && strlen(out) == length);
  REQUIRE(chase_rules_parse(out, length, &again, &error) == CHASE_OK);
  REQUIRE(memcmp(&rules, &again, sizeof rules) == 0);
  REQUIRE(chase_rules_format(&again, second) == length && strcmp(out, second) == 0);
  return 0;
}
