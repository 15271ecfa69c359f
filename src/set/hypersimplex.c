/* SPDX-License-Identifier: MIT
 * hypersimplex: {x : 0 <= x_j <= h, sum x = k h}, the common form of the simplex (k = 1, h = R)
 * and the capped simplex (h = 1)
 *
 * Its vertices have k entries h and the others 0. */
#include "set/set.h"

void crs_hypersimplex_project(ptrdiff_t n, ptrdiff_t k, double h, const double *v, double *x,
                              double *work)
{
    if (crs_nan_through(n, v, x)) return;
    copy(n, v, work);
    const crs_level level = crs_find_level(n, k, h, work);
    for (ptrdiff_t j = 0; j < n; j++) x[j] = level_at(&level, v[j]);
}

void crs_hypersimplex_lmo(ptrdiff_t n, ptrdiff_t k, double h, const double *g, double *y,
                          double *work)
{
    if (crs_nan_through(n, g, y)) return;
    for (ptrdiff_t j = 0; j < n; j++) work[j] = -g[j];
    crs_pick pick = crs_pick_largest(n, k, work);
    for (ptrdiff_t j = 0; j < n; j++) y[j] = picked(&pick, -g[j]) ? h : 0;
}

double crs_hypersimplex_support(ptrdiff_t n, ptrdiff_t k, double h, const double *w, double *work)
{
    if (crs_any_nan(n, w)) return NAN;
    copy(n, w, work);
    crs_largest(n, k, work);
    return h * crs_sum(k, work);
}
