/* SPDX-License-Identifier: MIT
 * zero: rho(y) = 0: no regularizer, and with x >= 0 the indicator of the orthant       convex */
#include "reg/reg.h"

static double value(const double *par, double y) { return (void)par, zero_at(y); }
static double slope(const double *par, double y) { return (void)par, zero_at(y); }
static double shrink(const double *par, double t, double w) { return (void)par, (void)t, w; }

static int stationary(const double *par, double t, double w, double *y)
{
    y[0] = shrink(par, t, w);
    return y[0] > 0;
}

static double lipschitz(const double *par, double radius) { return (void)par, (void)radius, 0; }
static double weak_convexity(const double *par) { return (void)par, 0; }
static void rescale(const double *par, double u, double *out) { (void)par, (void)u, (void)out; }

static const crease_param params[] = { { 0 } };

const crease_penalty crs_zero = {
    .name = "zero",
    .formula = "0",
    .params = params,
    .lipschitz_text = "0",
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

crease_reg crease_zero(void) { return crease_separable(&crs_zero, NULL); }
