#include "variant.h"

_Static_assert(sizeof(chase_game_stats) == 64, "a game's row is one cache line");

chase_status chase_playouts(const chase_variant *variant, const chase_position *position,
                            const chase_playout_options *options, chase_stop_flag *stop,
                            chase_game_stats *out, uint64_t *done) {
  return variant->kernels->playouts(variant, position, options, stop, out, done);
}
