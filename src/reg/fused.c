/* SPDX-License-Identifier: MIT
 * fused: r(x) = lambda sum_j |x_{j+1} - x_j| + mu |x|_1 on vectors                  convex
 *
 * What un-splitting makes of differences with an l1 penalty (presolve/unsplit.c). Its prox is the
 * soft threshold of the prox of the total variation (Friedman, Hastie, Hoefling, Tibshirani 2007);
 * dist cuts x at its jumps as tv1d does, and where a segment is 0 the rest of g is that prox, too.
 */
#include "reg/reg.h"

static void threshold(ptrdiff_t n, double mu, double *x)
{
    for (ptrdiff_t j = 0; j < n; j++) x[j] = copysign(pos(fabs(x[j]) - mu), x[j]);
}

static ptrdiff_t scratch(const crease_reg *r, const crease_space *s)
{
    (void)r;
    return crease_size(s);
}

static double value(const crease_reg *r, const crease_space *s, const double *x, double *work)
{
    double sum = 0;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) sum += fabs(x[j]);
    return crs_tv1d_ops.value(r, s, x, work) + r->par[1] * sum;
}

static void prox(const crease_reg *r, const crease_space *s, double t, const double *v, double *x,
                 double *work)
{
    crs_tv1d_ops.prox(r, s, t, v, x, work);
    threshold(crease_size(s), t * r->par[1], x);
}

static double edge(double lambda, double from, double to) { return to > from ? lambda : -lambda; }

static double dist(const crease_reg *r, const crease_space *s, const double *x, const double *g,
                   double *work)
{
    const ptrdiff_t n = crease_size(s);
    const double lambda = r->par[0], mu = r->par[1];
    double sum = 0;
    if (!crs_all_finite(n, x) || !crs_all_finite(n, g)) return NAN;
    for (ptrdiff_t first = 0, last; first < n; first = last + 1) {
        last = first;
        while (last + 1 < n && x[last + 1] == x[first]) last++;
        const ptrdiff_t length = last - first + 1;
        const crease_space part = { 1, { length }, NULL };
        copy(length, g + first, work);
        for (ptrdiff_t j = 0; j < length && x[first] != 0; j++) work[j] -= copysign(mu, x[first]);
        if (first > 0) work[0] -= edge(lambda, x[first - 1], x[first]);
        if (last + 1 < n) work[length - 1] += edge(lambda, x[last], x[last + 1]);
        crs_tv1d_ops.prox(r, &part, 1, work, work, NULL);
        if (x[first] == 0) threshold(length, mu, work);
        sum += square(crs_norm(length, work));
    }
    return sqrt(sum);
}

static void traits(const crease_reg *r, const crease_space *s, double radius,
                   crease_reg_traits *out)
{
    (void)radius;
    *out = (crease_reg_traits){ .convex = true,
                                .lipschitz =
                                    (2 * r->par[0] + r->par[1]) * sqrt((double)crease_size(s)) };
}

static const crease_reg_ops ops = {
    .name = "fused",
    .formula = "lambda sum_j |x_{j+1} - x_j| + mu sum_j |x_j|",
    .convex = true,
    .homogeneous = true,
    .scratch = scratch,
    .value = value,
    .prox = prox,
    .dist = dist,
    .traits = traits,
};

crease_reg crs_fused(double lambda, double mu)
{
    return (crease_reg){ .ops = &ops, .par = { lambda, mu } };
}
