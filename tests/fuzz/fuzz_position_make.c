/* setup_is_data: any chase_setup at all is accepted exactly where R13 allows it,
 * comes back unchanged and has the model's decisions; a refusal gives all its
 * reasons in words. A byte for the rules, then the numbers of the setup, then
 * the board, a byte a cell. */
#include "../c/model.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_bytes in = {data, size};
  chase_rules rules = fuzz_few_rules(&in);
  const chase_variant *variant = fuzz_variant(&rules, CHASE_ISA_AUTO);
  chase_decision list[CHASE_MAX_DECISIONS], expected[CHASE_MAX_DECISIONS];
  chase_fault faults[CHASE_MAX_FAULTS];
  chase_setup setup, again;
  chase_position position;
  char message[CHASE_MESSAGE_SIZE];
  int count = 0;
  setup.side = fuzz_int32(&in);
  setup.capturing = fuzz_int32(&in);
  setup.spare[0] = fuzz_int32(&in);
  setup.spare[1] = fuzz_int32(&in);
  for (int cell = 0; cell < CHASE_CELLS; cell++) setup.board[cell] = (int8_t)fuzz_byte(&in);
  chase_status status = chase_position_make(variant, &setup, &position, faults, &count);
  REQUIRE((status == CHASE_OK) == model_valid(&rules, &setup));
  if (status != CHASE_OK) {
    REQUIRE(status == CHASE_INVALID_POSITION && count >= 1 && count <= CHASE_MAX_FAULTS);
    for (int i = 0; i < count; i++) {
      chase_fault_format(&faults[i], message);
      REQUIRE(memchr(message, 0, sizeof message) != NULL && message[0] != 0);
    }
    return 0;
  }
  REQUIRE(chase_position_consistent(variant, &position));
  REQUIRE(position.hash == chase_position_rehash(variant, &position));
  chase_position_unmake(&position, &again);
  REQUIRE(fuzz_same_setup(&setup, &again));
  int listed = chase_decision_list(variant, &position, list);
  REQUIRE(listed == model_list(&rules, &setup, expected));
  REQUIRE(memcmp(list, expected, (size_t)listed * sizeof list[0]) == 0);
  for (int i = 0; i < listed; i++) {
    chase_position after = position;
    chase_apply_unchecked(variant, &after, list[i]);
    REQUIRE(chase_position_consistent(variant, &after));
    chase_setup model = setup, got;
    model_apply(&rules, &model, list[i]);
    chase_position_unmake(&after, &got);
    REQUIRE(fuzz_same_setup(&model, &got));
  }
  return 0;
}
