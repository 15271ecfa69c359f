/* SPDX-License-Identifier: MIT
 * nearest: the point of the limiting subdifferential of r, with bounds on the entries, nearest to
 * another: entry by entry, or group by group. The rest is in spectral.c and variation.c. */
#include "verify/verify.h"

/* Squares of sizes; well inside, the rounding of the ends does not matter. */
static void count(const crs_slopes *s, real t, crs_sizes *square)
{
    const real margin = 16 * LDBL_EPSILON * s->size;
    const bool inside = !s->two && t >= s->low + margin && t <= s->high - margin;
    square->all += s->size * s->size;
    if (!inside) square->used += s->size * s->size;
}

static bool is_zero(const crs_subdifferential *d)
{
    return strcmp(d->k->rule->name, "zero") == 0 && !d->box && isinf(d->k->low) &&
           isinf(d->k->high);
}

static void nearest_entries(const crs_subdifferential *d, const real *t, real *g, crs_sizes *size)
{
    const crs_known_reg *k = d->k;
    const ptrdiff_t n = crease_size(d->s);
    const bool alike = !k->weight && !d->box;
    const crs_slopes at_zero = crs_slopes_at(k, 0, 0, k->low, k->high, d->near);
    for (ptrdiff_t j = 0; j < n; j++) {
        const real low = d->box ? bigger(k->low, box_low(d->box, j)) : k->low;
        const real high = d->box ? -bigger(-k->high, -box_high(d->box, j)) : k->high;
        const crs_slopes s =
            alike && d->x[j] == 0 ? at_zero : crs_slopes_at(k, j, d->x[j], low, high, d->near);
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

bool crs_nearest_point(crs_verifier *v, const crs_subdifferential *d, const real *t, real *g,
                       crs_sizes *size)
{
    *size = (crs_sizes){ 0, 0 };
    switch (d->k->kind) {
    case CRS_SPECTRUM:
        return crs_nearest_spectral(v, d, t, g, size);
    case CRS_VARIATION:
        return crs_nearest_variation(v, d, t, g, size);
    case CRS_GROUPS:
        for (ptrdiff_t i = 0; i < d->k->groups->count; i++)
            nearest_group(d->k, i, d->x, t, g, size);
        break;
    default:
        if (is_zero(d))
            for (ptrdiff_t j = 0, n = crease_size(d->s); j < n; j++) g[j] = 0;
        else
            nearest_entries(d, t, g, size);
    }
    *size = (crs_sizes){ sqrtl(size->all), sqrtl(size->used) };
    return true;
}
