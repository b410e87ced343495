/* Compiler settings of the kernels; included before everything else.
 *
 * Their loops run over some ten dice and read what was stored a moment ago. gcc
 * would turn them into vector code, whose set-up costs more than such a loop and
 * whose wide loads wait for the narrow stores, and would split the scan into two
 * passes: 12 % of the playouts' time (docs/performance.md). Where vectors pay,
 * they are written by hand. */
#ifndef CHASE_TUNING_H
#define CHASE_TUNING_H

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-vectorize", "no-tree-loop-distribution")
#endif

#endif
