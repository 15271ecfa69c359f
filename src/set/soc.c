/* SPDX-License-Identifier: MIT
 * soc: {(x, t) : |x|_2 <= t}, the second-order cone, t the last entry; capped_soc: the same with
 * t <= R
 *
 * Projection of (x, t) on the cone: itself, 0 where |x| <= -t, else ((|x|+t)/2) (x/|x|, 1); where
 * that is above R the nearest t is R, since the distance is convex in t, and x goes into the ball.
 * Support: 0 on the polar cone |w_x| <= -w_t, infinite elsewhere; with the cap
 * R max(|w_x| + w_t, 0). The normals at a boundary point are the multiples >= 0 of (x/|x|, -1), at
 * 0 the polar cone, so the distance there is |P(v)|. */
#include "set/set.h"

static const double near = 0x1p-50; /* rounding of a norm and of its scaling */

static bool is_capped(const crease_set *c) { return c->ops == &crs_capped_soc_ops; }

/* |x| <= -t: the whole cone is on the other side */
static bool is_polar(double norm, double t) { return norm <= -t * (1 + near); }

static double excess(const crease_set *c, const crease_space *s, const double *x, double *work)
{
    const ptrdiff_t last = crease_size(s) - 1;
    const double outside = pos(crs_norm(last, x) - x[last]);
    (void)work;
    return is_capped(c) ? larger(outside, x[last] - c->par[0]) : outside;
}

static void scale(ptrdiff_t n, double factor, const double *v, double *x)
{
    for (ptrdiff_t j = 0; j < n; j++) x[j] = factor * v[j];
}

static void project(const crease_set *c, const crease_space *s, const double *v, double *x,
                    double *work)
{
    const ptrdiff_t last = crease_size(s) - 1;
    const double norm = crs_norm(last, v), t = v[last], R = is_capped(c) ? c->par[0] : INFINITY;
    const double height = norm <= t ? t : norm <= -t ? 0 : (norm + t) / 2;
    (void)work;
    if (isnan(height)) {
        fill(last + 1, NAN, x);
    } else if (height > R) {
        crs_into_ball(last, R, v, x);
        x[last] = R;
    } else {
        scale(last, norm <= t ? 1 : height > 0 ? height / norm : 0, v, x);
        x[last] = height;
    }
}

static double support(const crease_set *c, const crease_space *s, const double *w, double *work)
{
    const ptrdiff_t last = crease_size(s) - 1;
    const double norm = crs_norm(last, w), t = w[last];
    (void)work;
    if (isnan(norm) || isnan(t)) return NAN;
    if (is_capped(c)) return c->par[0] * pos(norm + t);
    return is_polar(norm, t) ? 0 : INFINITY;
}

/* y = h (-g/|g|, 1), h = 0 where -g is polar and otherwise R */
static void lmo(const crease_set *c, const crease_space *s, const double *g, double *y,
                double *work)
{
    const ptrdiff_t last = crease_size(s) - 1;
    const double norm = crs_norm(last, g), t = g[last];
    const double most = is_capped(c) ? c->par[0] : INFINITY;
    const bool polar = is_capped(c) ? norm <= t : is_polar(norm, -t);
    (void)work;
    if (isnan(norm) || isnan(t)) {
        fill(last + 1, NAN, y);
        return;
    }
    for (ptrdiff_t j = 0; j < last; j++) y[j] = polar || g[j] == 0 ? 0 : -(g[j] / norm) * most;
    y[last] = polar ? 0 : most;
}

/* Of the cap: two ends of a diameter at t = R; of one entry alone [0, R]. */
static double diameter(const crease_set *c, const crease_space *s, double p)
{
    const double m = (double)crease_size(s) - 1;
    if (!is_capped(c)) return INFINITY;
    return m == 0 ? c->par[0] : 2 * c->par[0] * pow(m, pos(1 / p - 0.5));
}

static double dist_normal(const crease_set *c, const crease_space *s, const double *x,
                          const double *v, double *work)
{
    const ptrdiff_t last = crease_size(s) - 1;
    const double norm = crs_norm(last, x), t = x[last];
    if (isnan(norm) || isnan(t)) return NAN;
    if (t == 0 && norm == 0) {
        project(c, s, v, work, NULL);
        return crs_norm(last + 1, work);
    }
    if (norm < t * (1 - near)) return crs_norm(last + 1, v);
    const double along = (crs_dot(last, v, x) / norm - v[last]) / 2; /* <v, n>/|n|^2 */
    for (ptrdiff_t j = 0; j < last; j++) work[j] = v[j] - pos(along) * (x[j] / norm);
    work[last] = v[last] + pos(along);
    return crs_norm(last + 1, work);
}

const crease_set_ops crs_soc_ops = {
    .name = "soc",
    .formula = "{(x, t) : |x|_2 <= t}, t the last entry",
    .check = crs_check_whole,
    .scratch = crs_scratch_entries,
    .excess = excess,
    .project = project,
    .lmo = lmo,
    .support = support,
    .diameter = diameter,
    .dist_normal = dist_normal,
};

static const crease_param params[] = { CREASE_PAR_POSITIVE("height", "R"), { 0 } };

const crease_set_ops crs_capped_soc_ops = {
    .name = "capped-soc",
    .formula = "{(x, t) : |x|_2 <= t <= R}, t the last entry",
    .params = params,
    .compact = true,
    .range = crs_range_of_ball,
    .check = crs_check_whole,
    .excess = excess,
    .project = project,
    .lmo = lmo,
    .support = support,
    .diameter = diameter,
};

crease_set crease_soc(void) { return (crease_set){ .ops = &crs_soc_ops }; }

crease_set crease_capped_soc(double height)
{
    return (crease_set){ .ops = &crs_capped_soc_ops, .par = { height } };
}
