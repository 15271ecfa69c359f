/* SPDX-License-Identifier: MIT
 * lp_ball: {x : |x|_p <= R}, 1 < p < inf, with q = p/(p-1)
 *
 * LMO(c) = -R sgn(c) |c|^{q-1} / |c|_q^{q-1} (0 when c = 0), support R |w|_q, projection in
 * lp_root.c. */
#include "set/set.h"

static double conjugate(double p) { return p / (p - 1); }

static double excess(const crease_set *c, const crease_space *s, const double *x, double *work)
{
    (void)work;
    return pos(crs_p_norm(s, c->par[1], x) - c->par[0]);
}

static void project(const crease_set *c, const crease_space *s, const double *v, double *x,
                    double *work)
{
    const ptrdiff_t n = crease_size(s);
    const double norm = crs_p_norm(s, c->par[1], v);
    (void)work;
    if (norm <= c->par[0])
        copy(n, v, x);
    else if (norm < INFINITY)
        crs_lp_project(s, c->par[0], c->par[1], v, x);
    else
        fill(n, NAN, x);
}

static void lmo(const crease_set *c, const crease_space *s, const double *g, double *y,
                double *work)
{
    const ptrdiff_t n = crease_size(s);
    double most = 0;
    (void)work;
    for (ptrdiff_t j = 0; j < n; j++) most = larger(most, fabs(g[j]));
    most = crs_max_all(s, most);
    if (most == 0) {
        fill(n, 0, y);
        return;
    }
    for (ptrdiff_t j = 0; j < n; j++)
        y[j] = sign(-g[j]) * pow(fabs(g[j]) / most, 1 / (c->par[1] - 1));
    const double norm = crs_p_norm(s, c->par[1], y);
    for (ptrdiff_t j = 0; j < n; j++) y[j] = c->par[0] * (y[j] / norm);
}

static double support(const crease_set *c, const crease_space *s, const double *w, double *work)
{
    (void)work;
    return c->par[0] * crs_p_norm(s, conjugate(c->par[1]), w);
}

static double diameter(const crease_set *c, const crease_space *s, double p)
{
    return 2 * c->par[0] * pow(total_size(s), pos(1 / p - 1 / c->par[1]));
}

static const crease_param params[] = {
    CREASE_PAR_POSITIVE("radius", "R"),
    { "p", 1, INFINITY, CREASE_OPEN_LOW | CREASE_OPEN_HIGH, "exponent of the norm" },
    { 0 },
};

const crease_set_ops crs_lp_ball_ops = {
    .name = "lp-ball",
    .formula = "{x : |x|_p <= R}",
    .params = params,
    .compact = true,
    .symmetric = true,
    .excess = excess,
    .project = project,
    .lmo = lmo,
    .support = support,
    .diameter = diameter,
};

crease_set crease_lp_ball(double radius, double p)
{
    return (crease_set){ .ops = &crs_lp_ball_ops, .par = { radius, p } };
}
