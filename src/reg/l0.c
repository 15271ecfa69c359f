/* SPDX-License-Identifier: MIT
 * l0: rho(y) = lambda for y > 0, rho(0) = 0: counts the entries that are not zero
 *
 * The prox is hard thresholding at sqrt(2 t lambda). The slope at 0 is infinite. */
#include "reg/reg.h"

static double value(const double *par, double y) { return y > 0 ? par[0] : y; }
static double slope(const double *par, double y) { return y == 0 ? unbounded(par[0]) : zero_at(y); }

static double shrink(const double *par, double t, double w)
{
    return w <= sqrt(2 * t * par[0]) ? 0 : w;
}

static int stationary(const double *par, double t, double w, double *y)
{
    (void)par, (void)t;
    y[0] = w;
    return w > 0;
}

static double lipschitz(const double *par, double radius)
{
    return (void)radius, unbounded(par[0]);
}
static double weak_convexity(const double *par) { return unbounded(par[0]); }
static void rescale(const double *par, double u, double *out) { out[0] = u * u * par[0]; }

static const crease_param params[] = { CREASE_PAR_NONNEGATIVE("lambda", "price of an entry"),
                                       { 0 } };

const crease_penalty crs_l0 = {
    .name = "l0",
    .formula = "lambda if y > 0, else 0",
    .params = params,
    .lipschitz_text = "none",
    .weak_convexity_text = "none",
    .value = value,
    .slope = slope,
    .shrink = shrink,
    .stationary = stationary,
    .lipschitz = lipschitz,
    .weak_convexity = weak_convexity,
    .rescale = rescale,
};

crease_reg crease_l0(double lambda) { return crease_separable(&crs_l0, (double[]){ lambda }); }
