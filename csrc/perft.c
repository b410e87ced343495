#include "variant.h"

chase_status chase_perft(const chase_variant *variant, const chase_position *position, int depth,
                         chase_unit unit, chase_stop_flag *stop, uint64_t *out) {
  return variant->kernels->perft(variant, position, depth, unit, stop, out);
}
