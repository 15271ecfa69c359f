/* SPDX-License-Identifier: MIT
 * tucker_double: products of tensors with matrices in double
 *
 * Every operation on numbers below the normal ones is off by 2^-1075 at most. With norms up to
 * LARGEST and fewer than 2^62 entries, that does not add up to TINY. */
#define NUMBER  double
#define EPSILON DBL_EPSILON
#define TINY    0x1p-500L
#define LARGEST 0x1p200L
#define TUCKER  crs_tucker_double
#define PRODUCT crs_product_double
#include "verify/tucker.inc"
