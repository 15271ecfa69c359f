/* SPDX-License-Identifier: MIT
 * simplex: {x : x >= 0, sum x = R}
 *
 * LMO(c) = R e_j at the first smallest c_j, support R max w, projection max(v - mu, 0). */
#include "set/set.h"

static double excess(const crease_set *c, const crease_space *s, const double *x, double *work)
{
    const crease_bounds nonnegative = { .low = 0, .high = INFINITY };
    (void)work;
    return larger(crs_outside(s, &nonnegative, x), fabs(crs_sum(crease_size(s), x) - c->par[0]));
}

static void project(const crease_set *c, const crease_space *s, const double *v, double *x,
                    double *work)
{
    crs_hypersimplex_project(crease_size(s), 1, c->par[0], v, x, work);
}

static void lmo(const crease_set *c, const crease_space *s, const double *g, double *y,
                double *work)
{
    crs_hypersimplex_lmo(crease_size(s), 1, c->par[0], g, y, work);
}

static double support(const crease_set *c, const crease_space *s, const double *w, double *work)
{
    return crs_hypersimplex_support(crease_size(s), 1, c->par[0], w, work);
}

static double diameter(const crease_set *c, const crease_space *s, double p)
{
    return crease_size(s) == 1 ? 0 : c->par[0] * pow(2, 1 / p);
}

static crease_row row(const crease_set *c)
{
    return (crease_row){ .box = { .high = INFINITY }, .b = c->par[0], .equality = true };
}

static const crease_param params[] = { CREASE_PAR_POSITIVE("radius", "the sum R"), { 0 } };

const crease_set_ops crs_simplex_ops = {
    .name = "simplex",
    .formula = "{x : x_j >= 0, sum x = R}",
    .polyhedral = true,
    .params = params,
    .compact = true,
    .nonnegative = true,
    .fixed_sum = true,
    .range = crs_range_of_simplex,
    .row = row,
    .check = crs_check_whole,
    .scratch = crs_scratch_entries,
    .excess = excess,
    .project = project,
    .lmo = lmo,
    .support = support,
    .diameter = diameter,
    .dist_normal = crs_row_dist_normal,
};

crease_set crease_simplex(double radius)
{
    return (crease_set){ .ops = &crs_simplex_ops, .par = { radius } };
}
