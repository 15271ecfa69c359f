/* SPDX-License-Identifier: MIT
 * tucker: products of tensors with matrices, in double and in long double */
#include "verify/tucker.h"

enum { LANES = 8, CHUNK = 256 };

/* How far apart two neighbours along mode n lie. */
static ptrdiff_t stride(const crease_space *s, int n)
{
    ptrdiff_t inner = 1;
    for (int k = n + 1; k < s->order; k++) inner *= s->dim[k];
    return inner;
}

static bool is_wanted(const crease_tucker_data *c, num **g)
{
    bool wanted = g[c->core] || (c->z >= 0 && g[c->z]);
    for (int n = 0; n < c->shape.order; n++) wanted = wanted || g[c->factor[n]];
    return wanted;
}

/* Every operation on numbers below the normal ones is off by 2^-1075 at most. Multiplied by nine
 * entries up to LARGEST, and summed 2^62 times, that does not add up to TINY. */
#define NUMBER   double
#define EPSILON  DBL_EPSILON
#define TINY     0x1p-500L
#define LARGEST  0x1p50
#define ABS      fabs
#define AS(name) name##_double
#define TUCKER   crs_tucker_double
#define PRODUCT  crs_product_double
#include "verify/tucker.inc"
#undef NUMBER
#undef EPSILON
#undef TINY
#undef LARGEST
#undef ABS
#undef AS
#undef TUCKER
#undef PRODUCT

#define NUMBER   long double
#define EPSILON  LDBL_EPSILON
#define TINY     0
#define LARGEST  LDBL_MAX
#define ABS      fabsl
#define AS(name) name##_extended
#define TUCKER   crs_tucker_extended
#define PRODUCT  crs_product_extended
#include "verify/tucker.inc"

bool crs_tucker_gradient(crs_verifier *v, const crease_smooth *f, const double *const *x, num **g)
{
    return (v->coarse ? crs_tucker_double : crs_tucker_extended)(v, f, x, g);
}

bool crs_product_gradient(crs_verifier *v, const crease_smooth *f, const double *const *x, num **g)
{
    return (v->coarse ? crs_product_double : crs_product_extended)(v, f, x, g);
}
