/* SPDX-License-Identifier: MIT
 * capped_simplex: {x : 0 <= x_j <= 1, sum x = k}, k an integer <= n
 *
 * LMO(c): 1 at the k smallest c_j, 0 elsewhere; support: the sum of the k largest w_j;
 * projection clip(v - mu, 0, 1). */
#include "set/set.h"

static bool check(const crease_set *c, const crease_space *s, crease_error *e)
{
    const ptrdiff_t n = crease_size(s);
    if (!crs_check_whole(c, s, e)) return false;
    if (c->par[0] <= (double)n) return true;
    return crs_fail(e, CREASE_BAD_ARGUMENT,
                    "capped-simplex: k = %g but the point has %td entr%s of at most 1, so the set "
                    "is empty; give k <= %td",
                    c->par[0], n, n == 1 ? "y" : "ies", n);
}

static ptrdiff_t ones(const crease_set *c, const crease_space *s)
{
    return count_within(c->par[0], crease_size(s));
}

static double excess(const crease_set *c, const crease_space *s, const double *x, double *work)
{
    const crease_bounds unit = { .low = 0, .high = 1 };
    (void)work;
    return larger(crs_outside(s, &unit, x), fabs(crs_sum(crease_size(s), x) - c->par[0]));
}

static void project(const crease_set *c, const crease_space *s, const double *v, double *x,
                    double *work)
{
    crs_hypersimplex_project(crease_size(s), ones(c, s), 1, v, x, work);
}

static void lmo(const crease_set *c, const crease_space *s, const double *g, double *y,
                double *work)
{
    crs_hypersimplex_lmo(crease_size(s), ones(c, s), 1, g, y, work);
}

static double support(const crease_set *c, const crease_space *s, const double *w, double *work)
{
    return crs_hypersimplex_support(crease_size(s), ones(c, s), 1, w, work);
}

static double diameter(const crease_set *c, const crease_space *s, double p)
{
    const double k = c->par[0], rest = (double)crease_size(s) - k;
    return pow(2 * smaller(k, rest), 1 / p);
}

static crease_row row(const crease_set *c)
{
    return (crease_row){ .box = { .high = 1 }, .b = c->par[0], .equality = true };
}

static const crease_param params[] = {
    { "k", 1, INFINITY, CREASE_OPEN_HIGH | CREASE_INTEGER, "the sum of the entries" }, { 0 }
};

const crease_set_ops crs_capped_simplex_ops = {
    .name = "capped-simplex",
    .formula = "{x : 0 <= x_j <= 1, sum x = k}",
    .polyhedral = true,
    .params = params,
    .compact = true,
    .nonnegative = true,
    .fixed_sum = true,
    .range = crs_range_unit,
    .row = row,
    .check = check,
    .scratch = crs_scratch_entries,
    .excess = excess,
    .project = project,
    .lmo = lmo,
    .support = support,
    .diameter = diameter,
    .dist_normal = crs_row_dist_normal,
};

crease_set crease_capped_simplex(double k)
{
    return (crease_set){ .ops = &crs_capped_simplex_ops, .par = { k } };
}
