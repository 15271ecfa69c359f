/* SPDX-License-Identifier: MIT
 * l1_ball: {x : |x|_1 <= R}, the k-sparse polytope with k = 1
 *
 * LMO(c) = -R sgn(c_j) e_j at the first largest |c_j| (0 when c = 0), support R max |w_j|,
 * projection sgn(v) max(|v| - mu, 0). */
#include "set/set.h"

static crease_set as_sparse(const crease_set *c) { return crease_k_sparse(c->par[0], 1); }

static double excess(const crease_set *c, const crease_space *s, const double *x, double *work)
{
    (void)work;
    return pos(crs_abs_sum(crease_size(s), x) - c->par[0]);
}

static void project(const crease_set *c, const crease_space *s, const double *v, double *x,
                    double *work)
{
    const crease_set same = as_sparse(c);
    same.ops->project(&same, s, v, x, work);
}

static void lmo(const crease_set *c, const crease_space *s, const double *g, double *y,
                double *work)
{
    const crease_set same = as_sparse(c);
    same.ops->lmo(&same, s, g, y, work);
}

static double support(const crease_set *c, const crease_space *s, const double *w, double *work)
{
    const crease_set same = as_sparse(c);
    return same.ops->support(&same, s, w, work);
}

static double diameter(const crease_set *c, const crease_space *s, double p)
{
    (void)s, (void)p;
    return 2 * c->par[0];
}

static const crease_param params[] = { CREASE_PAR_POSITIVE("radius", "R"), { 0 } };

const crease_set_ops crs_l1_ball_ops = {
    .name = "l1-ball",
    .formula = "{x : |x|_1 <= R}",
    .polyhedral = true,
    .params = params,
    .compact = true,
    .symmetric = true,
    .ball = CREASE_BALL_L1,
    .solid = true,
    .range = crs_range_of_ball,
    .check = crs_check_whole,
    .scratch = crs_scratch_entries,
    .excess = excess,
    .project = project,
    .lmo = lmo,
    .support = support,
    .diameter = diameter,
};

crease_set crease_l1_ball(double radius)
{
    return (crease_set){ .ops = &crs_l1_ball_ops, .par = { radius } };
}
