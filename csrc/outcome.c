#include "variant.h"

#include "position.h"

chase_termination chase_position_outcome(const chase_variant *variant,
                                         const chase_position *position, int *winner) {
  *winner = -1;
  if (variant->kernels->count(variant, position) > 0) return CHASE_NOT_OVER;
  *winner = position->side ^ 1;
  return chase_side_lost(variant, position, position->side) ? CHASE_BY_DICE : CHASE_BY_NO_DECISION;
}
