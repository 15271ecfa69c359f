/* SPDX-License-Identifier: MIT
 * entries: sum_j w_j rho(|x_j|) with every x_j in an interval, entry by entry */
#include "reg/reg.h"

static double lower_in(const crs_range *a, ptrdiff_t j)
{
    return a->bounds ? larger(a->low, lower_at(a->bounds, j)) : a->low;
}

static double upper_in(const crs_range *a, ptrdiff_t j)
{
    return a->bounds ? smaller(a->high, upper_at(a->bounds, j)) : a->high;
}

void crs_entries_prox(const crease_reg *r, const crease_space *s, double t, const crs_range *range,
                      const double *v, double *x)
{
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) {
        const crs_scalar at = scalar_at(r, j);
        x[j] = crs_scalar_prox_box(&at, t, v[j], lower_in(range, j), upper_in(range, j));
    }
}

double crs_entries_value(const crease_reg *r, const crease_space *s, const crs_range *range,
                         const double *x)
{
    double sum = 0;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) {
        const crs_scalar at = scalar_at(r, j);
        const bool outside = x[j] < lower_in(range, j) || x[j] > upper_in(range, j);
        sum += outside ? INFINITY : crs_scalar_value(&at, x[j]);
    }
    return crease_sum(s, sum);
}

double crs_entries_dist(const crease_reg *r, const crease_space *s, const crs_range *range,
                        const double *x, const double *g)
{
    double sum = 0;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) {
        const crs_scalar at = scalar_at(r, j);
        sum += square(crs_scalar_dist_box(&at, x[j], g[j], lower_in(range, j), upper_in(range, j)));
    }
    return sqrt(crease_sum(s, sum));
}
