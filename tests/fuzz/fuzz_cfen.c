/* parse_print_roundtrip of position text: what is accepted is the beginning of
 * its own full text, which is read as the same position; R13 decides as in the
 * model. The first byte chooses the rules, the rest is the text. */
#include "../c/model.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_bytes in = {data, size};
  chase_rules rules = fuzz_few_rules(&in);
  const chase_variant *variant = fuzz_variant(&rules, CHASE_ISA_AUTO);
  const char *text = (const char *)in.data;
  chase_setup setup, again;
  chase_position position, second;
  chase_fault faults[CHASE_MAX_FAULTS];
  chase_error error;
  char out[CHASE_CFEN_SIZE];
  int count = 0;
  chase_status status = chase_cfen_parse(variant, text, in.size, &setup, &error);
  if (status != CHASE_OK) {
    REQUIRE(status == CHASE_BAD_SYNTAX);
    fuzz_check_error(&error, status, in.size);
    REQUIRE(error.offset >= 0);
    return 0;
  }
  status = chase_position_make(variant, &setup, &position, faults, &count);
  REQUIRE((status == CHASE_OK) == model_valid(&rules, &setup));
  if (status != CHASE_OK) {
    REQUIRE(status == CHASE_INVALID_POSITION && count >= 1 && count <= CHASE_MAX_FAULTS);
    return 0;
  }
  size_t length = chase_cfen_format(&position, out);
  REQUIRE(length < sizeof out && strlen(out) == length);
  REQUIRE(in.size <= length && memcmp(text, out, in.size) == 0);
  REQUIRE(chase_cfen_parse(variant, out, length, &again, &error) == CHASE_OK);
  REQUIRE(fuzz_same_setup(&setup, &again));
  REQUIRE(chase_position_make(variant, &again, &second, faults, &count) == CHASE_OK);
  REQUIRE(chase_position_equal(&position, &second) && position.hash == second.hash);
  return 0;
}
