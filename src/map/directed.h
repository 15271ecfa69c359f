/* SPDX-License-Identifier: MIT
 * directed.h: arithmetic on numbers >= 0 that errs to a known side, and by nothing when the
 * result is exact. fma gives the rounding error of a product without error of its own as long
 * as the product is not tiny. */
#ifndef CRS_DIRECTED_H
#define CRS_DIRECTED_H

#include "core/core.h"

static inline bool tiny(double t) { return t < 0x1p-960; }
static inline double next_up(double t) { return nextafter(t, INFINITY); }
static inline double next_down(double t) { return nextafter(t, 0); }

/* >= a b, <= a b; zero times anything is zero. */
static inline double product_up(double a, double b)
{
    const double p = a * b;
    if (a == 0 || b == 0) return 0;
    return tiny(p) || fma(a, b, -p) > 0 ? next_up(p) : p;
}

static inline double product_down(double a, double b)
{
    const double p = a * b;
    if (a == 0 || b == 0) return 0;
    return tiny(p) || fma(a, b, -p) < 0 ? next_down(p) : p;
}

/* >= a + b: the larger one may be subtracted again without error */
static inline double sum_up(double a, double b)
{
    const double s = a + b;
    return s - larger(a, b) < smaller(a, b) ? next_up(s) : s;
}

static inline double sqrt_up(double t)
{
    const double r = sqrt(t);
    return t > 0 && (tiny(t) || fma(r, r, -t) < 0) ? next_up(r) : r;
}

static inline double sqrt_down(double t)
{
    const double r = sqrt(t);
    return t > 0 && (tiny(t) || fma(r, r, -t) > 0) ? next_down(r) : r;
}

/* Of any sign: true when *result is the exact product, the exact sum. */
static inline bool exact_product(double a, double b, double *result)
{
    *result = a * b;
    return a == 0 || b == 0 || (!tiny(fabs(*result)) && fma(a, b, -*result) == 0);
}

static inline bool exact_sum(double a, double b, double *result)
{
    const double s = a + b, shift = s - a;
    *result = s;
    return (a - (s - shift)) + (b - shift) == 0;
}

#endif
