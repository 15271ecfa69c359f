/* SPDX-License-Identifier: MIT
 * num.h: long doubles, and long doubles that carry a bound of their rounding with them
 *
 * The roundings of the bounds themselves are made up for by a factor at the end. */
#ifndef CRS_NUM_H
#define CRS_NUM_H

#include <float.h>

#include "core/core.h"

typedef long double real;

/* A number known to lie within e of v. */
typedef struct {
    real v, e;
} num;

static inline num exact(real v) { return (num){ v, 0 }; }
static inline num neg(num a) { return (num){ -a.v, a.e }; }

static inline num add(num a, num b)
{
    const real v = a.v + b.v;
    return (num){ v, a.e + b.e + LDBL_EPSILON * fabsl(v) };
}

static inline num mul(num a, num b)
{
    const real v = a.v * b.v;
    return (num){ v, fabsl(a.v) * b.e + a.e * fabsl(b.v) + a.e * b.e + LDBL_EPSILON * fabsl(v) };
}

static inline void gather(num *sum, num a, num b) { *sum = add(*sum, mul(a, b)); } /* += a b */

/* NaN goes through these. */
static inline real positive(real t) { return t <= 0 ? 0 : t; }
static inline real bigger(real a, real b) { return a >= b ? a : b != b ? b : a != a ? a : b; }
static inline real within(real t, real low, real high)
{
    return t < low ? low : t > high ? high : t;
}

/* How many roundings of double precision a sum of n terms may show. */
static inline real roundings(ptrdiff_t n) { return ((real)n + 16) * (DBL_EPSILON / 2); }

/* How far beyond a bound rounding may take an entry: a combination of points that reach it. */
static inline real beyond(real bound) { return isinf(bound) ? 0 : 2 * DBL_EPSILON * fabsl(bound); }

/* The roundings of plain sums over n entries here, relative to the size of their terms. */
static inline real working_roundings(ptrdiff_t n) { return ((real)n + 64) * LDBL_EPSILON; }

/* The least double that is not below t. */
static inline double upward(real t)
{
    const double d = (double)t;
    return (real)d < t ? nextafter(d, INFINITY) : d;
}

#endif
