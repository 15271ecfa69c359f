/* SPDX-License-Identifier: MIT
 * l2_ball: {x : |x|_2 <= R}
 *
 * LMO(c) = -R c/|c| (0 when c = 0), support R |w|, projection by scaling. */
#include "set/set.h"

static double excess(const crease_set *c, const crease_space *s, const double *x, double *work)
{
    (void)work;
    return pos(crease_norm(s, x) - c->par[0]);
}

static void project(const crease_set *c, const crease_space *s, const double *v, double *x,
                    double *work)
{
    const double norm = crease_norm(s, v), R = c->par[0];
    (void)work;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++)
        x[j] = norm <= R ? v[j] : R * (v[j] / norm);
}

static void lmo(const crease_set *c, const crease_space *s, const double *g, double *y,
                double *work)
{
    const double norm = crease_norm(s, g);
    (void)work;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++)
        y[j] = norm == 0 ? 0 : -c->par[0] * (g[j] / norm);
}

static double support(const crease_set *c, const crease_space *s, const double *w, double *work)
{
    (void)work;
    return c->par[0] * crease_norm(s, w);
}

static double diameter(const crease_set *c, const crease_space *s, double p)
{
    return 2 * c->par[0] * pow(total_size(s), pos(1 / p - 0.5));
}

static const crease_param params[] = { CREASE_PAR_POSITIVE("radius", "R"), { 0 } };

const crease_set_ops crs_l2_ball_ops = {
    .name = "l2-ball",
    .formula = "{x : |x|_2 <= R}",
    .params = params,
    .compact = true,
    .symmetric = true,
    .ball = CREASE_BALL_L2,
    .solid = true,
    .range = crs_range_of_ball,
    .excess = excess,
    .project = project,
    .lmo = lmo,
    .support = support,
    .diameter = diameter,
};

crease_set crease_l2_ball(double radius)
{
    return (crease_set){ .ops = &crs_l2_ball_ops, .par = { radius } };
}
