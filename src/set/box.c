/* SPDX-License-Identifier: MIT
 * box: {x : l <= x <= u}, sides from two numbers or from arrays; a side may be infinite
 *
 * LMO(c): l_j where c_j > 0, u_j elsewhere; where c_j = 0 and u_j is infinite, l_j or 0.
 * Support sum_j max(w_j l_j, w_j u_j) with 0 * inf = 0, projection by clipping. */
#include "reg/reg.h"
#include "set/set.h"

static crease_bounds bounds(const crease_set *c)
{
    const crease_bounds *given = c->data;
    return given ? *given : (crease_bounds){ .low = c->par[0], .high = c->par[1] };
}

double crs_outside(const crease_space *s, const crease_bounds *b, const double *x)
{
    double most = 0;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) {
        const double low = lower_at(b, j), high = upper_at(b, j);
        if (!(x[j] >= low && x[j] <= high))
            most = larger(most, x[j] < low ? low - x[j] : x[j] - high);
    }
    return crs_max_all(s, most);
}

static bool check(const crease_set *c, const crease_space *s, crease_error *e)
{
    const crease_bounds b = bounds(c);
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) {
        const double low = lower_at(&b, j), high = upper_at(&b, j);
        if (low <= high && low < INFINITY && high > -INFINITY) continue;
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "box: entry %td has the bounds %g and %g; give a lower bound below +inf "
                        "and an upper bound above -inf, not less than it",
                        j + 1, low, high);
    }
    return true;
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
    const crease_bounds b = bounds(c);
    (void)work;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++)
        x[j] = clip(v[j], lower_at(&b, j), upper_at(&b, j));
}

static double vertex(double g, double low, double high)
{
    if (isnan(g)) return g;
    if (g == 0 && isinf(high)) return isinf(low) ? 0 : low;
    return g > 0 ? low : high;
}

static void lmo(const crease_set *c, const crease_space *s, const double *g, double *y,
                double *work)
{
    const crease_bounds b = bounds(c);
    (void)work;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++)
        y[j] = vertex(g[j], lower_at(&b, j), upper_at(&b, j));
}

static double support(const crease_set *c, const crease_space *s, const double *w, double *work)
{
    const crease_bounds b = bounds(c);
    crs_total sum = { 0, 0 };
    (void)work;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++)
        if (w[j] != 0) accumulate(&sum, w[j] * (w[j] > 0 ? upper_at(&b, j) : lower_at(&b, j)));
    return crease_sum(s, total(&sum));
}

/* The normals of a bound point outwards, and everything is normal to a point. */
double crs_box_dist_normal(const crease_set *c, const crease_space *s, const double *x,
                           const double *v, double *work)
{
    const crease_bounds b = c->ops->bounds(c);
    const crease_reg none = crease_zero();
    return none.ops->dist_box(&none, s, &b, x, v, work);
}

static double diameter(const crease_set *c, const crease_space *s, double p)
{
    const crease_bounds b = bounds(c);
    crs_power norm = { .p = p };
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++)
        crs_power_add(&norm, upper_at(&b, j) - lower_at(&b, j));
    return crs_power_root(&norm, s);
}

static const crease_param params[] = {
    { "low", -INFINITY, INFINITY, CREASE_OPEN_HIGH, "lower bound l" },
    { "high", -INFINITY, INFINITY, CREASE_OPEN_LOW, "upper bound u >= l" },
    { 0 },
};

const crease_set_ops crs_box_ops = {
    .name = "box",
    .formula = "{x : l <= x_j <= u}",
    .polyhedral = true,
    .params = params,
    .bounds = bounds,
    .check = check,
    .excess = excess,
    .project = project,
    .lmo = lmo,
    .support = support,
    .diameter = diameter,
    .dist_normal = crs_box_dist_normal,
};

crease_set crease_box(double low, double high)
{
    return (crease_set){ .ops = &crs_box_ops, .par = { low, high } };
}

crease_set crease_box_array(const crease_bounds *b)
{
    return (crease_set){ .ops = &crs_box_ops, .par = { -INFINITY, INFINITY }, .data = b };
}
