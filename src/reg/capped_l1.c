/* SPDX-License-Identifier: MIT
 * capped_l1: rho(y) = lambda min(y, theta), theta > 0: a concave kink at theta
 *
 * The prox is the soft threshold or w, with equal values at w = theta + t lambda/2; for
 * t lambda > 2 theta it is 0 or w, with equal values at w = sqrt(2 t lambda theta).
 * Zhang, Analysis of multi-stage convex relaxation for sparse regularization, 2010. */
#include "reg/reg.h"

static double value(const double *par, double y) { return par[0] * smaller(y, par[1]); }
static double slope(const double *par, double y) { return y < par[1] ? par[0] : zero_at(y); }
static double kink(const double *par) { return par[1]; }
static double kink_slope(const double *par) { return par[0]; }

/* sqrt(a b), also where a b is no normal number */
static double geometric_mean(double a, double b)
{
    const double product = a * b;
    return product > 0x1p-1000 && product < INFINITY ? sqrt(product) : sqrt(a) * sqrt(b);
}

static double shrink(const double *par, double t, double w)
{
    const double step = t * par[0], theta = par[1];
    if (step > 2 * theta) return w <= geometric_mean(2 * step, theta) ? 0 : w;
    return w <= theta + step / 2 ? pos(w - step) : w;
}

static int stationary(const double *par, double t, double w, double *y)
{
    int n = 0;
    y[n] = w - t * par[0];
    n += y[n] > 0 && y[n] < par[1];
    y[n] = w;
    return n + (w > par[1]);
}

static double lipschitz(const double *par, double radius) { return (void)radius, par[0]; }
static double weak_convexity(const double *par) { return unbounded(par[0]); }
static void rescale(const double *par, double u, double *out)
{
    out[0] = u * par[0], out[1] = u * par[1];
}

static const crease_param params[] = { CREASE_PAR_NONNEGATIVE("lambda", "slope up to theta"),
                                       CREASE_PAR_POSITIVE("theta", "flat from theta on"),
                                       { 0 } };

const crease_penalty crs_capped_l1 = {
    .name = "capped-l1",
    .formula = "lambda min(y, theta)",
    .params = params,
    .lipschitz_text = "lambda",
    .weak_convexity_text = "none",
    .value = value,
    .slope = slope,
    .kink = kink,
    .kink_slope = kink_slope,
    .shrink = shrink,
    .stationary = stationary,
    .lipschitz = lipschitz,
    .weak_convexity = weak_convexity,
    .rescale = rescale,
};

crease_reg crease_capped_l1(double lambda, double theta)
{
    return crease_separable(&crs_capped_l1, (double[]){ lambda, theta });
}
