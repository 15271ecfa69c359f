/* SPDX-License-Identifier: MIT
 * nearest: the point of the limiting subdifferential of r, with bounds on the entries, nearest to
 * another: entry by entry, or group by group. The rest is in spectral.c and variation.c. */
#include "verify/verify.h"

static real nearest_entries(const crs_known_reg *k, ptrdiff_t n, const crs_box *box, const real *x,
                            const real *t, real near, real *g)
{
    real sum = 0;
    for (ptrdiff_t j = 0; j < n; j++) {
        const real low = box ? bigger(k->low, box_low(box, j)) : k->low;
        const real high = box ? -bigger(-k->high, -box_high(box, j)) : k->high;
        const crs_slopes s = crs_slopes_at(k, j, x[j], low, high, near);
        g[j] = crs_nearest_slope(&s, t[j]);
        sum += s.size * s.size;
    }
    return sqrtl(sum);
}

static ptrdiff_t member(const crease_groups *a, ptrdiff_t k) { return a->index ? a->index[k] : k; }

static real product(const crease_groups *a, ptrdiff_t i, const real *x, const real *y)
{
    real sum = 0;
    for (ptrdiff_t k = a->start[i]; k < a->start[i + 1]; k++)
        sum += x[member(a, k)] * y[member(a, k)];
    return sum;
}

/* g_i = factor z_i */
static void set_group(const crease_groups *a, ptrdiff_t i, real factor, const real *z, real *g)
{
    for (ptrdiff_t k = a->start[i]; k < a->start[i + 1]; k++)
        g[member(a, k)] = factor * z[member(a, k)];
}

/* At x_i = 0 the ball of radius w rho'(0+), elsewhere w rho'(|x_i|) x_i/|x_i|. */
static real nearest_group(const crs_known_reg *k, ptrdiff_t i, const real *x, const real *t,
                          real *g)
{
    const crease_groups *a = k->groups;
    const real y = sqrtl(product(a, i, x, x)), length = sqrtl(product(a, i, t, t));
    const crs_slopes s = crs_slopes_at(k, i, y, -INFINITY, INFINITY, 4 * DBL_EPSILON);
    if (y == 0)
        set_group(a, i, length <= s.high ? 1 : s.high / length, t, g);
    else
        set_group(a, i, crs_nearest_slope(&s, product(a, i, t, x) / y) / y, x, g);
    return s.size;
}

bool crs_nearest_subgradient(crs_verifier *v, const crs_known_reg *k, const crease_space *s,
                             const crs_box *box, const real *x, const real *t, real near, real *g,
                             real *size)
{
    const ptrdiff_t n = crease_size(s);
    *size = 0;
    if (k->kind == CRS_SPECTRUM) return crs_nearest_spectral(v, k, s, x, t, g, size);
    if (k->kind == CRS_VARIATION) {
        *size = k->factor * k->par[0] * sqrtl((real)n);
        return crs_nearest_variation(v, k, n, x, t, g);
    }
    if (k->kind == CRS_ENTRIES) {
        *size = nearest_entries(k, n, box, x, t, near, g);
        return true;
    }
    for (ptrdiff_t i = 0; i < k->groups->count; i++)
        *size = hypotl(*size, nearest_group(k, i, x, t, g));
    return true;
}
