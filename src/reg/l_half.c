/* SPDX-License-Identifier: MIT
 * l_half: rho(y) = lambda y^(1/2)
 *
 * With c = t lambda the prox is 0 up to w = (3/2) c^(2/3), then s^2, s the largest root of
 * s^3 - w s + c/2 = 0 by the cosine formula; one Newton step takes off its rounding.
 * Xu, Chang, Xu, Zhang, L1/2 regularization: a thresholding representation theory, 2012. */
#include "reg/reg.h"

static double value(const double *par, double y) { return par[0] * sqrt(y); }

static double slope(const double *par, double y)
{
    return y == 0 ? unbounded(par[0]) : par[0] / (2 * sqrt(y));
}

/* The largest stationary point, or 0 when there is none; w > 0. */
static double largest_root(double c, double w)
{
    const double third = w / 3, cosine = -c / 4 / third / sqrt(third);
    if (c == 0 || isinf(w)) return w;
    if (cosine < -1) return 0;
    const double y = 4 * third * square(cos(acos(cosine) / 3)), g = c / (2 * sqrt(y));
    return y > g ? power_newton(0.5, w, y, g) : y;
}

static double shrink(const double *par, double t, double w)
{
    const double c = t * par[0];
    return w <= 1.5 * square(cbrt(c)) ? 0 : largest_root(c, w);
}

static int stationary(const double *par, double t, double w, double *y)
{
    y[0] = w > 0 ? largest_root(t * par[0], w) : 0;
    return y[0] > 0;
}

static double lipschitz(const double *par, double radius)
{
    return (void)radius, unbounded(par[0]);
}
static double weak_convexity(const double *par) { return unbounded(par[0]); }
static void rescale(const double *par, double u, double *out) { out[0] = u * sqrt(u) * par[0]; }

static const crease_param params[] = { CREASE_PAR_NONNEGATIVE("lambda", "weight"), { 0 } };

const crease_penalty crs_l_half = {
    .name = "l-half",
    .formula = "lambda y^(1/2)",
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

crease_reg crease_l_half(double lambda)
{
    return crease_separable(&crs_l_half, (double[]){ lambda });
}
