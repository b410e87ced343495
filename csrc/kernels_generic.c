/* The hot loops for the oldest processor of the platform. */
#include "tuning.h"

#include "kernels.h"

const chase_kernels *chase_kernels_generic(void) {
  static const chase_kernels kernels = CHASE_KERNELS("generic");
  return &kernels;
}
