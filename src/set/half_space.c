/* SPDX-License-Identifier: MIT
 * half_space: {x : a'x <= b}; hyperplane: {x : a'x = b}
 *
 * Projection v - mu a, mu = (a'v - b)/|a|^2, in the half-space 0 if that is negative. The support
 * is mu b where w = mu a to rounding, mu >= 0 in the half-space, and infinite elsewhere; LMO(c) is
 * then b a/|a|^2, elsewhere infinitely far along the steepest direction that stays in the set. */
#include "reg/reg.h"
#include "set/set.h"

static crease_row row(const crease_set *c)
{
    return (crease_row){ .box = { .low = -INFINITY, .high = INFINITY },
                         .a = c->vec,
                         .b = c->par[0],
                         .equality = c->ops == &crs_hyperplane_ops };
}

static bool check(const crease_set *c, const crease_space *s, crease_error *e)
{
    return crs_check_row(c, s, c->vec, c->par[1], e);
}

/* w = mu a + rest; is there no rest but rounding, and has mu the right sign? */
static bool is_normal(const crease_set *c, const crease_space *s, const double *w, double *mu)
{
    double rest = 0, most = 0;
    *mu = crease_dot(s, w, c->vec) / crease_dot(s, c->vec, c->vec);
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) {
        rest = larger(rest, fabs(w[j] - *mu * c->vec[j]));
        most = larger(most, fabs(w[j]));
    }
    const double allowance = (total_size(s) + 16) * 0x1p-53 * crs_max_all(s, most);
    return crs_max_all(s, rest) <= allowance && (row(c).equality || *mu >= 0);
}

static double support(const crease_set *c, const crease_space *s, const double *w, double *work)
{
    double mu;
    const bool finite = is_normal(c, s, w, &mu);
    (void)work;
    return finite ? mu * c->par[0] : isnan(mu) ? NAN : INFINITY;
}

static void lmo(const crease_set *c, const crease_space *s, const double *g, double *y,
                double *work)
{
    const ptrdiff_t n = crease_size(s);
    double mu;
    for (ptrdiff_t j = 0; j < n; j++) y[j] = -g[j];
    const bool finite = is_normal(c, s, y, &mu);
    const double far = finite ? 0 : INFINITY, at = c->par[0] / crease_dot(s, c->vec, c->vec);
    const double along = row(c).equality || !(mu < 0) ? mu : 0;
    (void)work;
    for (ptrdiff_t j = 0; j < n; j++) {
        const double direction = y[j] - along * c->vec[j];
        y[j] = finite || direction == 0 ? at * c->vec[j] : direction * far;
    }
}

static double diameter(const crease_set *c, const crease_space *s, double p)
{
    (void)p;
    return row(c).equality && total_size(s) == 1 ? 0 : INFINITY;
}

static ptrdiff_t scratch(const crease_set *c, const crease_space *s)
{
    (void)c;
    return 2 * crease_size(s);
}

static const crease_param params[] = {
    { "b", -INFINITY, INFINITY, CREASE_OPEN_LOW | CREASE_OPEN_HIGH, "the right-hand side" }, { 0 }
};

#define PLANE(title, text)                                                                         \
    {                                                                                              \
        .name = title, .formula = text, .polyhedral = true, .params = params, .vector = "a",       \
        .row = row, .check = check, .scratch = scratch, .excess = crs_row_excess,                  \
        .project = crs_row_project, .lmo = lmo, .support = support, .diameter = diameter,          \
        .dist_normal = crs_row_dist_normal                                                         \
    }

const crease_set_ops crs_half_space_ops = PLANE("half-space", "{x : a'x <= b}");
const crease_set_ops crs_hyperplane_ops = PLANE("hyperplane", "{x : a'x = b}");

crease_set crease_half_space(const double *a, double b)
{
    return (crease_set){ .ops = &crs_half_space_ops, .par = { b }, .vec = a };
}

crease_set crease_hyperplane(const double *a, double b)
{
    return (crease_set){ .ops = &crs_hyperplane_ops, .par = { b }, .vec = a };
}
