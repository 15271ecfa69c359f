/* SPDX-License-Identifier: MIT
 * cp_extended: the pass over the entries in long double, whose range the squares of doubles do not
 * leave */
#define NUMBER  long double
#define EPSILON LDBL_EPSILON
#define TINY    0
#define SWEEP   crs_cp_sweep_extended
#include "verify/cp.inc"
