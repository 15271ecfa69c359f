/* SPDX-License-Identifier: MIT
 * units: how large data are, and the power of two in which a model works on them
 *
 * A model whose squares, products and thresholds are about 1 neither overflows nor underflows, and
 * multiplying by a power of two is exact, so that a run in another unit is the run in the data's
 * own. Entries far below the largest may become 0 by it: they are 0 in effect. */
#include <float.h>
#include <stdlib.h>

#include "core/core.h"

enum { LOWEST = DBL_MIN_EXP - DBL_MANT_DIG };
_Static_assert(CRS_EXPONENTS == DBL_MAX_EXP - LOWEST + 1, "a place for every exponent");

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

static void count_exponents(ptrdiff_t n, const double *x, const double *mask, ptrdiff_t *count)
{
    for (ptrdiff_t j = 0; j < n; j++)
        if (counts(x[j], mask, j)) count[exponent(x[j]) - LOWEST]++;
}

static int middle_of(const ptrdiff_t *count)
{
    ptrdiff_t all = 0, below = 0;
    int k = 0;
    for (int i = 0; i < CRS_EXPONENTS; i++) all += count[i];
    while (below + count[k] <= all / 2) below += count[k++];
    return k + LOWEST;
}

/* Of entries after `seen` others: where the largest is, if it is larger than those. */
static void find_largest(ptrdiff_t seen, ptrdiff_t n, const double *x, const double *mask,
                         double *most, ptrdiff_t *at)
{
    for (ptrdiff_t j = 0; j < n; j++)
        if (fabs(x[j]) > fabs(*most) && counts(x[j], mask, j)) *most = x[j], *at = seen + j;
}

crs_extent crs_extent_of(ptrdiff_t n, const double *x, const double *mask)
{
    crs_extent a = { .at = -1 };
    double most = 0;
    find_largest(0, n, x, mask, &most, &a.at);
    if (a.at < 0) return a;
    a.most = a.middle = exponent(most);
    if (abs(a.most) > CRS_ORDINARY) {
        ptrdiff_t count[CRS_EXPONENTS] = { 0 };
        count_exponents(n, x, mask, count);
        a.middle = middle_of(count);
    }
    return a;
}

void crs_tally_add(crs_tally *t, ptrdiff_t n, const double *x)
{
    if (t->seen == 0) t->at = -1;
    find_largest(t->seen, n, x, NULL, &t->most, &t->at);
    count_exponents(n, x, NULL, t->count);
    t->seen += n;
}

crs_extent crs_tally_extent(const crs_tally *t)
{
    crs_extent a = { .at = t->at };
    if (a.at < 0) return a;
    a.most = a.middle = exponent(t->most);
    if (abs(a.most) > CRS_ORDINARY) a.middle = middle_of(t->count);
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
