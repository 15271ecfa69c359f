/* SPDX-License-Identifier: MIT
 * k_sparse: {x : |x_j| <= R, |x|_1 <= k R}, the hull of the vectors with k entries +-R
 *
 * LMO(c) = -R sgn(c_j) at the k largest |c_j|, support R times the sum of the k largest |w_j|,
 * projection sgn(v) clip(|v| - mu, 0, R) with the least mu >= 0 that meets the sum. */
#include "set/set.h"

static ptrdiff_t kept(const crease_set *c, const crease_space *s)
{
    return count_within(c->par[1], crease_size(s));
}

static double excess(const crease_set *c, const crease_space *s, const double *x, double *work)
{
    const double R = c->par[0];
    const crease_bounds b = { .low = -R, .high = R };
    (void)work;
    return larger(crs_outside(s, &b, x), crs_abs_sum(crease_size(s), x) - c->par[1] * R);
}

static void project(const crease_set *c, const crease_space *s, const double *v, double *x,
                    double *work)
{
    const ptrdiff_t n = crease_size(s), k = kept(c, s);
    const double R = c->par[0];
    for (ptrdiff_t j = 0; j < n; j++) work[j] = smaller(fabs(v[j]), R);
    const double sum = crs_sum(n, work);
    if (isnan(sum) || sum <= (double)k * R) {
        for (ptrdiff_t j = 0; j < n; j++) x[j] = copysign(work[j], v[j]);
        return;
    }
    crs_magnitudes(n, v, work);
    const crs_level level = crs_find_level(n, k, R, work);
    for (ptrdiff_t j = 0; j < n; j++) {
        const double w = fabs(v[j]);
        x[j] = copysign(smaller(level_at(&level, w), w), v[j]);
    }
}

static void lmo(const crease_set *c, const crease_space *s, const double *g, double *y,
                double *work)
{
    const ptrdiff_t n = crease_size(s);
    if (crs_nan_through(n, g, y)) return;
    crs_magnitudes(n, g, work);
    crs_pick pick = crs_pick_largest(n, kept(c, s), work);
    for (ptrdiff_t j = 0; j < n; j++)
        y[j] = picked(&pick, fabs(g[j])) ? c->par[0] * sign(-g[j]) : 0;
}

static double support(const crease_set *c, const crease_space *s, const double *w, double *work)
{
    const ptrdiff_t n = crease_size(s);
    crs_magnitudes(n, w, work);
    return crs_hypersimplex_support(n, kept(c, s), c->par[0], work, work);
}

static double diameter(const crease_set *c, const crease_space *s, double p)
{
    return 2 * c->par[0] * pow((double)kept(c, s), 1 / p);
}

static const crease_param params[] = {
    CREASE_PAR_POSITIVE("radius", "R"),
    { "k", 1, INFINITY, CREASE_OPEN_HIGH | CREASE_INTEGER, "entries of a vertex" },
    { 0 },
};

const crease_set_ops crs_k_sparse_ops = {
    .name = "k-sparse",
    .formula = "{x : |x_j| <= R, |x|_1 <= k R}",
    .polyhedral = true,
    .params = params,
    .compact = true,
    .symmetric = true,
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

crease_set crease_k_sparse(double radius, double k)
{
    return (crease_set){ .ops = &crs_k_sparse_ops, .par = { radius, k } };
}
