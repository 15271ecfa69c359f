/* SPDX-License-Identifier: MIT
 * ridge_l1: rho(y) = lambda (y + y^2/(2 s))                                         convex
 *
 * The prox is max(w - t lambda, 0) / (1 + t lambda/s). */
#include "reg/reg.h"

static double value(const double *par, double y) { return par[0] * (y + y * y / (2 * par[1])); }
static double slope(const double *par, double y) { return par[0] * (1 + y / par[1]); }
static double shrink(const double *par, double t, double w)
{
    return pos(w - t * par[0]) / (1 + t * par[0] / par[1]);
}

static int stationary(const double *par, double t, double w, double *y)
{
    y[0] = shrink(par, t, w);
    return y[0] > 0;
}

static double lipschitz(const double *par, double radius)
{
    return par[0] + times(par[0] / par[1], radius);
}

static double weak_convexity(const double *par) { return (void)par, 0; }
static void rescale(const double *par, double u, double *out)
{
    out[0] = u * par[0], out[1] = u * par[1];
}

static const crease_param params[] = { CREASE_PAR_NONNEGATIVE("lambda", "weight"),
                                       CREASE_PAR_POSITIVE("s", "where the slope has doubled"),
                                       { 0 } };

const crease_penalty crs_ridge_l1 = {
    .name = "ridge-l1",
    .formula = "lambda (y + y^2/(2 s))",
    .params = params,
    .lipschitz_text = "none (lambda (1 + R/s) up to R)",
    .weak_convexity_text = "0",
    .convex = true,
    .value = value,
    .slope = slope,
    .shrink = shrink,
    .stationary = stationary,
    .lipschitz = lipschitz,
    .weak_convexity = weak_convexity,
    .rescale = rescale,
};

crease_reg crease_ridge_l1(double lambda, double s)
{
    return crease_separable(&crs_ridge_l1, (double[]){ lambda, s });
}
