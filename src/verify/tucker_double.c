/* SPDX-License-Identifier: MIT
 * tucker_double: products of tensors with matrices in double
 *
 * Every operation on numbers below the normal ones is off by 2^-1075 at most. Multiplied by nine
 * entries up to LARGEST, and summed 2^62 times, that does not add up to TINY. */
#define NUMBER  double
#define EPSILON DBL_EPSILON
#define TINY    0x1p-500L
#define LARGEST 0x1p50
#define ABS     fabs
#define TUCKER  crs_tucker_double
#define PRODUCT crs_product_double
#include "verify/tucker.inc"
