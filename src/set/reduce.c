/* SPDX-License-Identifier: MIT
 * reduce: sums, maxima and NaN of a vector, as the sets need them */
#include "set/set.h"

double crs_sum(ptrdiff_t n, const double *x)
{
    crs_total sum = { 0, 0 };
    for (ptrdiff_t j = 0; j < n; j++) accumulate(&sum, x[j]);
    return total(&sum);
}

double crs_abs_sum(ptrdiff_t n, const double *x)
{
    crs_total sum = { 0, 0 };
    for (ptrdiff_t j = 0; j < n; j++) accumulate(&sum, fabs(x[j]));
    return total(&sum);
}

void crs_magnitudes(ptrdiff_t n, const double *x, double *out)
{
    for (ptrdiff_t j = 0; j < n; j++) out[j] = fabs(x[j]);
}

bool crs_any_nan(ptrdiff_t n, const double *x)
{
    for (ptrdiff_t j = 0; j < n; j++)
        if (isnan(x[j])) return true;
    return false;
}

bool crs_nan_through(ptrdiff_t n, const double *v, double *x)
{
    const bool found = crs_any_nan(n, v);
    if (found) fill(n, NAN, x);
    return found;
}

/* NaN crosses ranks by the sum, for which it is defined. */
double crs_max_all(const crease_space *s, double local)
{
    const bool bad = isnan(local);
    const double mark = crease_sum(s, bad ? NAN : 0);
    return mark + crease_max(s, bad ? 0 : local);
}
