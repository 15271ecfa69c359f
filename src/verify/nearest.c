/* SPDX-License-Identifier: MIT
 * nearest: the point of the limiting subdifferential of r, with bounds on the entries, nearest to
 * another: entry by entry, or group by group. The rest is in spectral.c and variation.c. */
#include "verify/verify.h"

/* Well inside, the rounding of the ends does not matter. */
static void count(const crs_slopes *s, real t, crs_sizes *size)
{
    const real margin = 16 * LDBL_EPSILON * s->size;
    const bool inside = !s->two && t >= s->low + margin && t <= s->high - margin;
    size->all = hypotl(size->all, s->size);
    if (!inside) size->used = hypotl(size->used, s->size);
}

static void nearest_entries(const crs_known_reg *k, ptrdiff_t n, const crs_box *box, const real *x,
                            const real *t, real near, real *g, crs_sizes *size)
{
    for (ptrdiff_t j = 0; j < n; j++) {
        const real low = box ? bigger(k->low, box_low(box, j)) : k->low;
        const real high = box ? -bigger(-k->high, -box_high(box, j)) : k->high;
        const crs_slopes s = crs_slopes_at(k, j, x[j], low, high, near);
        g[j] = crs_nearest_slope(&s, t[j]);
        count(&s, t[j], size);
    }
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
static void nearest_group(const crs_known_reg *k, ptrdiff_t i, const real *x, const real *t,
                          real *g, crs_sizes *size)
{
    const crease_groups *a = k->groups;
    const real y = sqrtl(product(a, i, x, x)), length = sqrtl(product(a, i, t, t));
    const crs_slopes s = crs_slopes_at(k, i, y, -INFINITY, INFINITY, 4 * DBL_EPSILON);
    if (y == 0)
        set_group(a, i, length <= s.high ? 1 : s.high / length, t, g);
    else
        set_group(a, i, crs_nearest_slope(&s, product(a, i, t, x) / y) / y, x, g);
    count(&s, length, size);
}

bool crs_nearest_subgradient(crs_verifier *v, const crs_known_reg *k, const crease_space *s,
                             const crs_box *box, const real *x, const real *t, real near, real *g,
                             crs_sizes *size)
{
    const ptrdiff_t n = crease_size(s);
    *size = (crs_sizes){ 0, 0 };
    if (k->kind == CRS_SPECTRUM) return crs_nearest_spectral(v, k, s, x, t, g, size);
    if (k->kind == CRS_VARIATION) {
        size->all = k->factor * k->par[0] * sqrtl((real)n);
        if (!crs_nearest_variation(v, k, n, x, t, g)) return false;
        for (ptrdiff_t j = 0; j < n; j++) size->used = g[j] == t[j] ? size->used : size->all;
        return true;
    }
    if (k->kind == CRS_ENTRIES) nearest_entries(k, n, box, x, t, near, g, size);
    for (ptrdiff_t i = 0; k->kind == CRS_GROUPS && i < k->groups->count; i++)
        nearest_group(k, i, x, t, g, size);
    return true;
}
