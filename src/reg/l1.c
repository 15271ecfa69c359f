/* SPDX-License-Identifier: MIT
 * l1: rho(y) = lambda y                                                        convex
 *
 * The prox is soft thresholding: max(w - t lambda, 0). */
#include "reg/reg.h"

static double value(const double *par, double y) { return par[0] * y; }
static double slope(const double *par, double y) { return par[0] + zero_at(y); }
static double shrink(const double *par, double t, double w) { return pos(w - t * par[0]); }

static int stationary(const double *par, double t, double w, double *y)
{
    y[0] = shrink(par, t, w);
    return y[0] > 0;
}

static double lipschitz(const double *par, double radius) { return (void)radius, par[0]; }
static double weak_convexity(const double *par) { return (void)par, 0; }
static void rescale(const double *par, double u, double *out) { out[0] = u * par[0]; }

static const crease_param params[] = { CREASE_PAR_NONNEGATIVE("lambda", "weight"), { 0 } };

const crease_penalty crs_l1 = {
    .name = "l1",
    .formula = "lambda y",
    .params = params,
    .lipschitz_text = "lambda",
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

crease_reg crease_l1(double lambda) { return crease_separable(&crs_l1, (double[]){ lambda }); }
