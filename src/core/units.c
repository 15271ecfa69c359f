/* SPDX-License-Identifier: MIT
 * units: how large data are, and the power of two in which a model works on them
 *
 * A model whose squares, products and thresholds are about 1 neither overflows nor underflows, and
 * multiplying by a power of two is exact, so that a run in another unit is the run in the data's
 * own. Entries far below the largest may become 0 by it: they are 0 in effect. */
#include <float.h>
#include <stdlib.h>

#include "core/core.h"

enum { LOWEST = DBL_MIN_EXP - DBL_MANT_DIG, EXPONENTS = DBL_MAX_EXP - LOWEST + 1 };

static int exponent(double x) /* |x| < 2^exponent <= 2|x| */
{
    int k;
    frexp(x, &k);
    return k;
}

static bool counts(double x, const double *mask, ptrdiff_t j)
{
    return x != 0 && isfinite(x) && !(mask && mask[j] == 0);
}

static int middle_of(ptrdiff_t n, const double *x, const double *mask)
{
    ptrdiff_t count[EXPONENTS] = { 0 }, all = 0, below = 0;
    int k = 0;
    for (ptrdiff_t j = 0; j < n; j++)
        if (counts(x[j], mask, j)) count[exponent(x[j]) - LOWEST]++, all++;
    while (below + count[k] <= all / 2) below += count[k++];
    return k + LOWEST;
}

crs_extent crs_extent_of(ptrdiff_t n, const double *x, const double *mask)
{
    crs_extent a = { .at = -1 };
    double most = 0;
    for (ptrdiff_t j = 0; j < n; j++)
        if (fabs(x[j]) > most && counts(x[j], mask, j)) most = fabs(x[j]), a.at = j;
    if (a.at < 0) return a;
    a.most = a.middle = exponent(most);
    if (abs(a.most) > CRS_ORDINARY) a.middle = middle_of(n, x, mask);
    return a;
}

int crs_extent_unit(const crs_extent *a, int ordinary)
{
    const int k = abs(a->most) < abs(a->middle) ? a->most : a->middle;
    return a->at < 0 || abs(k) <= ordinary ? 0 : k;
}

bool crs_extent_fits(const crs_extent *a, const char *what, const char *data, double value,
                     crease_error *e)
{
    if (a->at < 0 || abs(a->most) <= CRS_LARGEST_POWER) return true;
    const bool large = a->most > 0;
    return crs_fail(e, CREASE_BAD_DATA,
                    "%s is %g%s, too %s: a double cannot hold its square; %s %s by 1e%d", what,
                    value, large ? "" : ", the largest in magnitude", large ? "large" : "small",
                    large ? "divide" : "multiply", data, (int)lround(fabs(log10(fabs(value)))));
}

void crs_times_power(ptrdiff_t n, int k, const double *x, double *y)
{
    const double power = ldexp(1, k);
    for (ptrdiff_t j = 0; j < n; j++) y[j] = power * x[j];
}
