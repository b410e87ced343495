#define _POSIX_C_SOURCE 200112L
#include "variant.h"

#include <stdlib.h>

static const chase_kernels *choose(chase_isa isa) {
  switch (isa) {
    case CHASE_ISA_AUTO: {
      const chase_kernels *const v3 = chase_kernels_v3();
      return v3 ? v3 : chase_kernels_generic();
    }
    case CHASE_ISA_GENERIC: return chase_kernels_generic();
    case CHASE_ISA_V3: return chase_kernels_v3();
    default: return NULL;
  }
}

static int exchanges_with(int value, int other) {
  return value >= 1 && other >= 1 && other <= CHASE_MAX_VALUE ? chase_exchange_results(value, other)
                                                              : 0;
}

static void build_counts(chase_variant *variant) {
  for (int value = 0; value <= CHASE_MAX_VALUE; value++)
    for (int pattern = 0; pattern < CHASE_TRIPLE_PATTERNS; pattern++)
      variant->exchanges[value][pattern] =
          (uint8_t)(exchanges_with(value, pattern & 7) + exchanges_with(value, pattern >> 3 & 7) +
                    exchanges_with(value, pattern >> 6));
  for (unsigned lanes = 0; lanes < CHASE_LANE_PATTERNS; lanes++) {
    uint32_t moves = 0;
    for (int d = 0; d < CHASE_DIRECTIONS; d++) moves += lanes >> d & 1;
    variant->lane_moves[lanes] = moves + ((lanes & CHASE_FLAG_LANES) ? moves * CHASE_SURE : 0);
  }
}

chase_status chase_variant_new(const chase_rules *rules, chase_isa isa, chase_variant **out) {
  chase_error error;
  const chase_status status = chase_rules_check(rules, &error);
  if (status != CHASE_OK) return status;
  const chase_kernels *const kernels = choose(isa);
  if (!kernels) return CHASE_BAD_ARGUMENT;
  void *memory = NULL;
  if (posix_memalign(&memory, _Alignof(chase_variant), sizeof(chase_variant)) != 0) return CHASE_MEMORY;
  chase_variant *const variant = memory;
  variant->rules = *rules;
  variant->total = (uint8_t)chase_rules_total(rules);
  variant->kernels = kernels;
  chase_rays_build(rules, &variant->rays);
  chase_keys_build(rules, &variant->keys);
  build_counts(variant);
  *out = variant;
  return CHASE_OK;
}

void chase_variant_free(chase_variant *variant) { free(variant); }

const chase_rules *chase_variant_rules(const chase_variant *variant) { return &variant->rules; }

const char *chase_variant_isa(const chase_variant *variant) { return variant->kernels->name; }
