/* SPDX-License-Identifier: MIT
 * k_support: the hull of {x : |x|_2 <= R, at most k entries not 0}
 *
 * LMO(c) = -R c_[k] / |c_[k]| with the k largest |c_j| kept (0 when c = 0), support R |w_[k]|.
 * The norm of the unit ball: with |x| sorted down and i < k the only index for which
 * m = (sum_{j>i} |x|_j) / (k-i) has |x|_i > m >= |x|_{i+1} (|x|_0 = inf), it is
 * sqrt(|x|_1^2 + .. + |x|_i^2 + (k-i) m^2).
 * Argyriou, Foygel, Srebro, Sparse prediction with the k-support norm, 2012. */
#include "set/set.h"

static ptrdiff_t kept(const crease_set *c, const crease_space *s)
{
    return count_within(c->par[1], crease_size(s));
}

static double excess(const crease_set *c, const crease_space *s, const double *x, double *work)
{
    const ptrdiff_t n = crease_size(s), k = kept(c, s);
    if (crs_any_nan(n, x)) return NAN;
    crs_magnitudes(n, x, work);
    crs_sort(n, work, NULL);
    ptrdiff_t i = k - 1;
    double tail = crs_sum(n - i, work + i); /* of the entries after the i largest */
    while (i > 0 && !(work[i - 1] > tail / (double)(k - i))) tail += work[--i];
    return pos(hypot(crs_norm(i, work), tail / sqrt((double)(k - i))) - c->par[0]);
}

static void lmo(const crease_set *c, const crease_space *s, const double *g, double *y,
                double *work)
{
    const ptrdiff_t n = crease_size(s);
    if (crs_nan_through(n, g, y)) return;
    crs_magnitudes(n, g, work);
    crs_pick pick = crs_pick_largest(n, kept(c, s), work);
    for (ptrdiff_t j = 0; j < n; j++) y[j] = picked(&pick, fabs(g[j])) ? g[j] : 0;
    const double norm = crs_norm(n, y);
    for (ptrdiff_t j = 0; j < n; j++) y[j] = y[j] == 0 ? 0 : -c->par[0] * (y[j] / norm);
}

static double support(const crease_set *c, const crease_space *s, const double *w, double *work)
{
    const ptrdiff_t n = crease_size(s), k = kept(c, s);
    if (crs_any_nan(n, w)) return NAN;
    crs_magnitudes(n, w, work);
    crs_largest(n, k, work);
    return c->par[0] * crs_norm(k, work);
}

static double diameter(const crease_set *c, const crease_space *s, double p)
{
    return 2 * c->par[0] * pow((double)kept(c, s), pos(1 / p - 0.5));
}

static const crease_param params[] = {
    CREASE_PAR_POSITIVE("radius", "R"),
    { "k", 1, INFINITY, CREASE_OPEN_HIGH | CREASE_INTEGER, "entries of an extreme point" },
    { 0 },
};

const crease_set_ops crs_k_support_ops = {
    .name = "k-support",
    .formula = "hull {x : |x|_2 <= R, |x|_0 <= k}",
    .params = params,
    .compact = true,
    .symmetric = true,
    .solid = true,
    .range = crs_range_of_ball,
    .check = crs_check_whole,
    .scratch = crs_scratch_entries,
    .excess = excess,
    .lmo = lmo,
    .support = support,
    .diameter = diameter,
};

crease_set crease_k_support(double radius, double k)
{
    return (crease_set){ .ops = &crs_k_support_ops, .par = { radius, k } };
}
