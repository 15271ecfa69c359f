/* SPDX-License-Identifier: MIT
 * huber: rho(y) = lambda y^2/(2 delta) for y <= delta, lambda (y - delta/2) after    convex
 *
 * The prox is w delta/(delta + t lambda) while that is <= delta, then w - t lambda: no exact
 * zeros. Huber, Robust estimation of a location parameter, 1964. */
#include "reg/reg.h"

static double value(const double *par, double y)
{
    const double lambda = par[0], delta = par[1];
    return y <= delta ? lambda * y * (y / delta) / 2 : lambda * (y - delta / 2);
}

static double slope(const double *par, double y) { return par[0] * smaller(y / par[1], 1); }

static double curve(const double *par, double y) { return y < par[1] ? par[0] / par[1] : 0; }

static double shrink(const double *par, double t, double w)
{
    const double step = t * par[0], delta = par[1];
    return w <= delta + step ? w * (delta / (delta + step)) : w - step;
}

static int stationary(const double *par, double t, double w, double *y)
{
    y[0] = shrink(par, t, w);
    return y[0] > 0;
}

static double lipschitz(const double *par, double radius) { return slope(par, radius); }
static double weak_convexity(const double *par) { return (void)par, 0; }
static void rescale(const double *par, double u, double *out)
{
    out[0] = u * par[0], out[1] = u * par[1];
}

static const crease_param params[] = { CREASE_PAR_NONNEGATIVE("lambda", "slope from delta on"),
                                       CREASE_PAR_POSITIVE("delta", "quadratic up to delta"),
                                       { 0 } };

const crease_penalty crs_huber = {
    .name = "huber",
    .formula = "lambda y^2/(2 delta) if y <= delta, else lambda (y - delta/2)",
    .params = params,
    .lipschitz_text = "lambda",
    .weak_convexity_text = "0",
    .convex = true,
    .value = value,
    .slope = slope,
    .curve = curve,
    .shrink = shrink,
    .stationary = stationary,
    .lipschitz = lipschitz,
    .weak_convexity = weak_convexity,
    .rescale = rescale,
};

crease_reg crease_huber(double lambda, double delta)
{
    return crease_separable(&crs_huber, (double[]){ lambda, delta });
}
