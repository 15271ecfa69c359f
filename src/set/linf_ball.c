/* SPDX-License-Identifier: MIT
 * linf_ball: {x : |x_j| <= R}
 *
 * LMO(c) = -R sgn(c) with sgn(0) = 0, support R |w|_1, projection by clipping. */
#include "set/set.h"

static crease_bounds bounds(const crease_set *c)
{
    return (crease_bounds){ .low = -c->par[0], .high = c->par[0] };
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
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) x[j] = clip(v[j], -c->par[0], c->par[0]);
}

static void lmo(const crease_set *c, const crease_space *s, const double *g, double *y,
                double *work)
{
    (void)work;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) y[j] = c->par[0] * sign(-g[j]);
}

static double support(const crease_set *c, const crease_space *s, const double *w, double *work)
{
    (void)work;
    return c->par[0] * crease_sum(s, crs_abs_sum(crease_size(s), w));
}

static double diameter(const crease_set *c, const crease_space *s, double p)
{
    return 2 * c->par[0] * pow(total_size(s), 1 / p);
}

static const crease_param params[] = { CREASE_PAR_POSITIVE("radius", "R"), { 0 } };

const crease_set_ops crs_linf_ball_ops = {
    .name = "linf-ball",
    .formula = "{x : |x_j| <= R}",
    .polyhedral = true,
    .params = params,
    .compact = true,
    .symmetric = true,
    .solid = true,
    .bounds = bounds,
    .excess = excess,
    .project = project,
    .lmo = lmo,
    .support = support,
    .diameter = diameter,
    .dist_normal = crs_box_dist_normal,
};

crease_set crease_linf_ball(double radius)
{
    return (crease_set){ .ops = &crs_linf_ball_ops, .par = { radius } };
}
