/* SPDX-License-Identifier: MIT
 * tube: {x : 0 <= x_j <= R}
 *
 * LMO(c) = R where c_j < 0, otherwise 0; support R sum max(w_j, 0); projection by clipping. */
#include "set/set.h"

static crease_bounds bounds(const crease_set *c)
{
    return (crease_bounds){ .low = 0, .high = c->par[0] };
}

static double excess(const crease_set *c, const crease_space *s, const double *x, double *work)
{
    const crease_bounds b = bounds(c);
    (void)work;
    return crs_outside(s, &b, x);
}

static void project(const crease_set *c, const crease_space *s, const double *v, double *x,
                    double *work)
{
    (void)work;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) x[j] = clip(v[j], 0, c->par[0]);
}

static void lmo(const crease_set *c, const crease_space *s, const double *g, double *y,
                double *work)
{
    (void)work;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) y[j] = c->par[0] * pos(sign(-g[j]));
}

static double support(const crease_set *c, const crease_space *s, const double *w, double *work)
{
    double sum = 0;
    (void)work;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) sum += pos(w[j]);
    return c->par[0] * crease_sum(s, sum);
}

static double diameter(const crease_set *c, const crease_space *s, double p)
{
    return c->par[0] * pow(total_size(s), 1 / p);
}

static const crease_param params[] = { CREASE_PAR_POSITIVE("height", "R"), { 0 } };

const crease_set_ops crs_tube_ops = {
    .name = "tube",
    .formula = "{x : 0 <= x_j <= R}",
    .params = params,
    .compact = true,
    .nonnegative = true,
    .bounds = bounds,
    .range = crs_range_of_simplex,
    .excess = excess,
    .project = project,
    .lmo = lmo,
    .support = support,
    .diameter = diameter,
};

crease_set crease_tube(double height)
{
    return (crease_set){ .ops = &crs_tube_ops, .par = { height } };
}
