/* SPDX-License-Identifier: MIT
 * nonneg: r(x) = sum_j w_j rho(x_j) for x >= 0, +infinity elsewhere
 *
 * rho does not decrease, so v_j <= 0 gives x_j = 0: moving x_j > 0 there lowers rho, |x_j - v_j|
 * and |x|. For v_j > 0 the minimizer of the separable problem is >= 0 already. Hence every prox,
 * the one in a ball too, is the separable one of max(v, 0). */
#include "reg/reg.h"

static const crs_range half_line = { NULL, 0, INFINITY };

static crs_range inside(const crease_bounds *b)
{
    return (crs_range){ b, half_line.low, half_line.high };
}

static double value(const crease_reg *r, const crease_space *s, const double *x, double *work)
{
    (void)work;
    return crs_entries_value(r, s, &half_line, x);
}

static void positive_part(ptrdiff_t n, const double *v, double *x)
{
    for (ptrdiff_t j = 0; j < n; j++) x[j] = pos(v[j]);
}

static void prox(const crease_reg *r, const crease_space *s, double t, const double *v, double *x,
                 double *work)
{
    positive_part(crease_size(s), v, x);
    crs_separable_prox(r, s, t, x, x, work);
}

static double dist(const crease_reg *r, const crease_space *s, const double *x, const double *g,
                   double *work)
{
    (void)work;
    return crs_entries_dist(r, s, &half_line, x, g);
}

static void prox_box(const crease_reg *r, const crease_space *s, double t, const crease_bounds *b,
                     const double *v, double *x, double *work)
{
    const crs_range range = inside(b);
    (void)work;
    crs_entries_prox(r, s, t, &range, v, x);
}

static double dist_box(const crease_reg *r, const crease_space *s, const crease_bounds *b,
                       const double *x, const double *g, double *work)
{
    const crs_range range = inside(b);
    (void)work;
    return crs_entries_dist(r, s, &range, x, g);
}

static void prox_ball(const crease_reg *r, const crease_space *s, double t, double radius,
                      const double *v, double *x, double *work)
{
    positive_part(crease_size(s), v, x);
    crs_ball_prox(r, s, t, radius, x, x, work);
}

static void traits(const crease_reg *r, const crease_space *s, double radius,
                   crease_reg_traits *out)
{
    crs_separable_traits(r, s, radius, out);
    out->lipschitz = INFINITY;
}

const crease_reg_ops crs_nonneg_ops = {
    .name = "nonneg",
    .formula = "sum_j rho(x_j), x >= 0",
    .kind = CREASE_KIND_NONNEG,
    .check = crs_check_entries,
    .scratch = crs_ball_scratch,
    .value = value,
    .prox = prox,
    .dist = dist,
    .traits = traits,
    .prox_box = prox_box,
    .dist_box = dist_box,
    .prox_ball = prox_ball,
};

crease_reg crease_nonneg(const crease_penalty *p, const double *par)
{
    return crs_from_penalty(&crs_nonneg_ops, p, par);
}

crease_reg crease_nonneg_indicator(void) { return crease_nonneg(&crs_zero, NULL); }
