/* SPDX-License-Identifier: MIT
 * squared_l2: rho(y) = (lambda/2) y^2                                               convex
 *
 * The prox is w / (1 + t lambda). */
#include "reg/reg.h"

static double value(const double *par, double y) { return par[0] / 2 * y * y; }
static double slope(const double *par, double y) { return par[0] * y; }
static double curve(const double *par, double y) { return (void)y, par[0]; }
static double shrink(const double *par, double t, double w) { return w / (1 + t * par[0]); }

static int stationary(const double *par, double t, double w, double *y)
{
    y[0] = shrink(par, t, w);
    return y[0] > 0;
}

static double lipschitz(const double *par, double radius) { return times(par[0], radius); }
static double weak_convexity(const double *par) { return (void)par, 0; }
static void rescale(const double *par, double u, double *out) { (void)u, out[0] = par[0]; }

static const crease_param params[] = { CREASE_PAR_NONNEGATIVE("lambda", "weight"), { 0 } };

const crease_penalty crs_squared_l2 = {
    .name = "squared-l2",
    .formula = "lambda y^2/2",
    .params = params,
    .lipschitz_text = "none (lambda R up to R)",
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

crease_reg crease_squared_l2(double lambda)
{
    return crease_separable(&crs_squared_l2, (double[]){ lambda });
}
