/* SPDX-License-Identifier: MIT
 * cp_double: the pass over the entries in double, which decides all but the closest cases
 *
 * Every operation on numbers below the normal ones is off by 2^-1075 at most. With norms up to
 * 2^200 and fewer than 2^62 entries and terms, that does not add up to TINY. */
#define NUMBER  double
#define EPSILON DBL_EPSILON
#define TINY    0x1p-500L
#define SWEEP   crs_cp_sweep_double
#include "verify/cp.inc"
