/* SPDX-License-Identifier: MIT
 * full_simplex: {x : x >= 0, sum x <= R}, the simplex and the origin
 *
 * LMO(c) = R e_j at the first smallest c_j if that is negative, else 0; support
 * R max(0, max w); projection max(v, 0), or on the simplex when that has too large a sum. */
#include "set/set.h"

static double excess(const crease_set *c, const crease_space *s, const double *x, double *work)
{
    const crease_bounds nonnegative = { .low = 0, .high = INFINITY };
    (void)work;
    return larger(crs_outside(s, &nonnegative, x), crs_sum(crease_size(s), x) - c->par[0]);
}

static void project(const crease_set *c, const crease_space *s, const double *v, double *x,
                    double *work)
{
    const ptrdiff_t n = crease_size(s);
    for (ptrdiff_t j = 0; j < n; j++) work[j] = pos(v[j]);
    const double sum = crs_sum(n, work);
    if (isnan(sum) || sum <= c->par[0]) {
        copy(n, work, x);
        return;
    }
    const crs_level level = crs_find_level(n, 1, c->par[0], work);
    for (ptrdiff_t j = 0; j < n; j++) x[j] = smaller(level_at(&level, v[j]), pos(v[j]));
}

static void lmo(const crease_set *c, const crease_space *s, const double *g, double *y,
                double *work)
{
    const ptrdiff_t n = crease_size(s);
    double least = 0;
    for (ptrdiff_t j = 0; j < n; j++) least = smaller(least, g[j]);
    if (least == 0)
        fill(n, 0, y);
    else
        crs_hypersimplex_lmo(n, 1, c->par[0], g, y, work);
}

static double support(const crease_set *c, const crease_space *s, const double *w, double *work)
{
    return pos(crs_hypersimplex_support(crease_size(s), 1, c->par[0], w, work));
}

static double diameter(const crease_set *c, const crease_space *s, double p)
{
    return c->par[0] * (crease_size(s) == 1 ? 1 : pow(2, 1 / p));
}

static crease_row row(const crease_set *c)
{
    return (crease_row){ .box = { .high = INFINITY }, .b = c->par[0] };
}

static const crease_param params[] = { CREASE_PAR_POSITIVE("radius", "the largest sum R"), { 0 } };

const crease_set_ops crs_full_simplex_ops = {
    .name = "full-simplex",
    .formula = "{x : x_j >= 0, sum x <= R}",
    .polyhedral = true,
    .params = params,
    .compact = true,
    .nonnegative = true,
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

crease_set crease_full_simplex(double radius)
{
    return (crease_set){ .ops = &crs_full_simplex_ops, .par = { radius } };
}
