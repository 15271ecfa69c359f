/* SPDX-License-Identifier: MIT
 * separable: r(x) = sum_j w_j rho(|x_j|), entry by entry */
#include "reg/reg.h"

static const crs_range line = { NULL, -INFINITY, INFINITY };

static crs_range inside(const crease_bounds *b) { return (crs_range){ b, line.low, line.high }; }

double crs_separable_value(const crease_reg *r, const crease_space *s, const double *x,
                           double *work)
{
    (void)work;
    return crs_entries_value(r, s, &line, x);
}

void crs_separable_prox(const crease_reg *r, const crease_space *s, double t, const double *v,
                        double *x, double *work)
{
    (void)work;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) {
        const crs_scalar at = scalar_at(r, j);
        x[j] = crs_scalar_prox(&at, t, v[j]);
    }
}

double crs_separable_dist(const crease_reg *r, const crease_space *s, const double *x,
                          const double *g, double *work)
{
    (void)work;
    return crs_entries_dist(r, s, &line, x, g);
}

void crs_separable_nearest(const crease_reg *r, const crease_space *s, const double *x,
                           const double *toward, double *g, double *work)
{
    (void)work;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) {
        const crs_scalar at = scalar_at(r, j);
        g[j] = crs_scalar_nearest(&at, x[j], toward[j]);
    }
}

void crs_separable_prox_box(const crease_reg *r, const crease_space *s, double t,
                            const crease_bounds *b, const double *v, double *x, double *work)
{
    const crs_range range = inside(b);
    (void)work;
    crs_entries_prox(r, s, t, &range, v, x);
}

double crs_separable_dist_box(const crease_reg *r, const crease_space *s, const crease_bounds *b,
                              const double *x, const double *g, double *work)
{
    const crs_range range = inside(b);
    (void)work;
    return crs_entries_dist(r, s, &range, x, g);
}

/* |sum_j w_j (rho(|x_j|) - rho(|y_j|))| <= lip sum_j w_j |x_j - y_j| <= lip |w|_2 |x - y|_2 */
void crs_separable_traits(const crease_reg *r, const crease_space *s, double radius,
                          crease_reg_traits *out)
{
    const ptrdiff_t n = crease_size(s);
    const double norm = sqrt(crease_sum(s, square(crs_weight_norm(r, n)))),
                 most = crease_max(s, crs_weight_max(r, n));
    *out = (crease_reg_traits){
        .convex = r->penalty->convex,
        .separable = true,
        .lipschitz = times(r->penalty->lipschitz(r->par, radius), norm),
        .weak_convexity = times(r->penalty->weak_convexity(r->par), most),
        .ball_step = crs_ball_step(r, s),
    };
}

const crease_reg_ops crs_separable_ops = {
    .name = "separable",
    .formula = "sum_j rho(|x_j|)",
    .check = crs_check_entries,
    .scratch = crs_ball_scratch,
    .value = crs_separable_value,
    .prox = crs_separable_prox,
    .dist = crs_separable_dist,
    .traits = crs_separable_traits,
    .nearest = crs_separable_nearest,
    .prox_box = crs_separable_prox_box,
    .dist_box = crs_separable_dist_box,
    .prox_ball = crs_ball_prox,
};

crease_reg crease_separable(const crease_penalty *p, const double *par)
{
    return crs_from_penalty(&crs_separable_ops, p, par);
}
