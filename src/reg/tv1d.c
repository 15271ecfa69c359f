/* SPDX-License-Identifier: MIT
 * tv1d: r(x) = lambda sum_j |x_{j+1} - x_j| on vectors                          convex
 *
 * dist cuts x at its jumps, where the dual variable is known to be +-lambda; on a constant
 * segment the subdifferential is D'z, |z_j| <= lambda, and g minus its projection is the prox. */
#include "reg/tv1d.h"

static bool check(const crease_reg *r, const crease_space *s, crease_error *e)
{
    (void)r;
    if (s->order != 1)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "tv1d acts on vectors but the point has %d dimensions; give it one",
                        s->order);
    if (s->comm)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "tv1d needs the whole vector in one process; do not share it");
    return true;
}

static ptrdiff_t scratch(const crease_reg *r, const crease_space *s)
{
    (void)r;
    return crease_size(s);
}

static double value(const crease_reg *r, const crease_space *s, const double *x, double *work)
{
    double sum = 0;
    (void)work;
    for (ptrdiff_t j = 0, n = crease_size(s); j + 1 < n; j++) sum += fabs(x[j + 1] - x[j]);
    return crease_size(s) == 1 ? 0 * x[0] : r->par[0] * sum;
}

static void prox(const crease_reg *r, const crease_space *s, double t, const double *v, double *x,
                 double *work)
{
    (void)work;
    crs_tv1d_denoise(crease_size(s), t * r->par[0], v, x);
}

/* The dual of the edge after entry j, where x jumps there. */
static double dual(double lambda, const double *x, ptrdiff_t j)
{
    return x[j + 1] > x[j] ? lambda : -lambda;
}

static double dist(const crease_reg *r, const crease_space *s, const double *x, const double *g,
                   double *work)
{
    const ptrdiff_t n = crease_size(s);
    const double lambda = r->par[0];
    double sum = 0;
    if (!crs_all_finite(n, x) || !crs_all_finite(n, g)) return NAN;
    for (ptrdiff_t first = 0, last; first < n; first = last + 1) {
        last = first;
        while (last + 1 < n && x[last + 1] == x[first]) last++;
        const ptrdiff_t length = last - first + 1;
        copy(length, g + first, work);
        if (first > 0) work[0] -= dual(lambda, x, first - 1);
        if (last + 1 < n) work[length - 1] += dual(lambda, x, last);
        crs_tv1d_denoise(length, lambda, work, work);
        sum += square(crs_norm(length, work));
    }
    return sqrt(sum);
}

/* Convex and positively homogeneous: the prox, scaled into the ball. */
static void prox_ball(const crease_reg *r, const crease_space *s, double t, double radius,
                      const double *v, double *x, double *work)
{
    prox(r, s, t, v, x, work);
    crs_into_ball(crease_size(s), radius, x, x);
}

static void traits(const crease_reg *r, const crease_space *s, double radius,
                   crease_reg_traits *out)
{
    (void)radius;
    *out = (crease_reg_traits){ .convex = true,
                                .lipschitz = 2 * r->par[0] * sqrt((double)crease_size(s)),
                                .ball_step = INFINITY };
}

static const crease_param params[] = { CREASE_PAR_NONNEGATIVE("lambda", "weight"), { 0 } };

const crease_reg_ops crs_tv1d_ops = {
    .name = "tv1d",
    .formula = "lambda sum_j |x_{j+1} - x_j|",
    .params = params,
    .traits_text = { "2 lambda sqrt(n)", "0" },
    .convex = true,
    .check = check,
    .scratch = scratch,
    .value = value,
    .prox = prox,
    .dist = dist,
    .traits = traits,
    .prox_ball = prox_ball,
};

crease_reg crease_tv1d(double lambda)
{
    return (crease_reg){ .ops = &crs_tv1d_ops, .par = { lambda } };
}
