/* SPDX-License-Identifier: MIT
 * tucker_extended: products of tensors with matrices in long double */
#define NUMBER  long double
#define EPSILON LDBL_EPSILON
#define TINY    0
#define LARGEST LDBL_MAX
#define ABS     fabsl
#define TUCKER  crs_tucker_extended
#define PRODUCT crs_product_extended
#include "verify/tucker.inc"

bool crs_tucker_gradient(crs_verifier *v, const crease_smooth *f, const double *const *x, num **g)
{
    return (v->coarse ? crs_tucker_double : crs_tucker_extended)(v, f, x, g);
}

bool crs_product_gradient(crs_verifier *v, const crease_smooth *f, const double *const *x, num **g)
{
    return (v->coarse ? crs_product_double : crs_product_extended)(v, f, x, g);
}
