/* The hot loops for x86-64-v3 (AVX2, BMI, POPCNT). The build may give this file
 * -march=x86-64-v3; otherwise gcc takes the pragma. Without either, and on other
 * processors, there is nothing here. */
#include "tuning.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__AVX2__)
#pragma GCC target("arch=x86-64-v3")
#endif

#include "variant.h"

#if defined(__AVX2__) && defined(__POPCNT__)

#include "kernels.h"

static bool supported(void) {
#if defined(__clang__)
  /* clang 14 knows no name for the level as a whole; every processor with these
   * has the rest of it. */
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("popcnt");
#else
  return __builtin_cpu_supports("x86-64-v3");
#endif
}

const chase_kernels *chase_kernels_v3(void) {
  static const chase_kernels kernels = CHASE_KERNELS("x86-64-v3");
  return supported() ? &kernels : NULL;
}

#else

const chase_kernels *chase_kernels_v3(void) { return NULL; }

#endif
