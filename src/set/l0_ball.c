/* SPDX-License-Identifier: MIT
 * l0_ball: {x : at most k entries are not 0}, a cone that is not convex
 *
 * Projection: the k largest |v_j|, of equal ones the first; a nearest point. The hull is the whole
 * space: its support is 0 at w = 0 and infinite elsewhere. The limiting normals at x with s entries
 * are the v that vanish there and on k - s entries more, so dist(v, N)^2 is sum v_j^2 over these,
 * the k - s smallest. Bauschke, Luke, Phan, Wang, Restricted normal cones and sparsity
 * optimization with affine constraints, 2014. */
#include "set/set.h"

static ptrdiff_t allowed(const crease_set *c, const crease_space *s)
{
    return count_within(c->par[0], crease_size(s));
}

static ptrdiff_t entries(ptrdiff_t n, const double *x)
{
    ptrdiff_t count = 0;
    for (ptrdiff_t j = 0; j < n; j++) count += x[j] != 0;
    return count;
}

/* How large the largest entry is that would have to be 0. */
static double excess(const crease_set *c, const crease_space *s, const double *x, double *work)
{
    const ptrdiff_t n = crease_size(s), k = allowed(c, s);
    if (crs_any_nan(n, x)) return NAN;
    if (k == n) return 0;
    crs_magnitudes(n, x, work);
    crs_largest(n, k + 1, work);
    return work[0];
}

static void project(const crease_set *c, const crease_space *s, const double *v, double *x,
                    double *work)
{
    const ptrdiff_t n = crease_size(s);
    if (crs_nan_through(n, v, x)) return;
    crs_magnitudes(n, v, work);
    crs_pick pick = crs_pick_largest(n, allowed(c, s), work);
    for (ptrdiff_t j = 0; j < n; j++) x[j] = picked(&pick, fabs(v[j])) ? v[j] : 0;
}

static double support(const crease_set *c, const crease_space *s, const double *w, double *work)
{
    const ptrdiff_t n = crease_size(s);
    (void)c, (void)work;
    return crs_any_nan(n, w) ? NAN : entries(n, w) > 0 ? INFINITY : 0;
}

/* Infinitely far along the steepest directions of the set. */
static void lmo(const crease_set *c, const crease_space *s, const double *g, double *y,
                double *work)
{
    const ptrdiff_t n = crease_size(s);
    project(c, s, g, y, work);
    for (ptrdiff_t j = 0; j < n; j++) y[j] = y[j] == 0 ? 0 : -y[j] * INFINITY;
}

static double diameter(const crease_set *c, const crease_space *s, double p)
{
    (void)c, (void)s, (void)p;
    return INFINITY;
}

static double dist_normal(const crease_set *c, const crease_space *s, const double *x,
                          const double *v, double *work)
{
    const ptrdiff_t n = crease_size(s), used = entries(n, x), more = allowed(c, s) - used;
    ptrdiff_t count = 0;
    if (crs_any_nan(n, x) || crs_any_nan(n, v)) return NAN;
    for (ptrdiff_t j = 0; j < n; j++)
        if (x[j] == 0) work[count++] = -fabs(v[j]);
    if (more > 0) crs_largest(count, more, work);
    double sum = 0;
    for (ptrdiff_t j = 0; j < more; j++) sum += square(work[j]);
    for (ptrdiff_t j = 0; j < n; j++)
        if (x[j] != 0) sum += square(v[j]);
    return sqrt(sum);
}

static const crease_param params[] = {
    { "k", 1, INFINITY, CREASE_OPEN_HIGH | CREASE_INTEGER, "entries that are not 0" }, { 0 }
};

const crease_set_ops crs_l0_ball_ops = {
    .name = "l0-ball",
    .formula = "{x : at most k entries not 0}, not convex",
    .params = params,
    .symmetric = true,
    .nonconvex = true,
    .check = crs_check_whole,
    .scratch = crs_scratch_entries,
    .excess = excess,
    .project = project,
    .lmo = lmo,
    .support = support,
    .diameter = diameter,
    .dist_normal = dist_normal,
};

crease_set crease_l0_ball(double k)
{
    return (crease_set){ .ops = &crs_l0_ball_ops, .par = { k } };
}
