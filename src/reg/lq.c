/* SPDX-License-Identifier: MIT
 * lq: rho(y) = lambda y^q, 0 < q < 1
 *
 * With c = t lambda the prox jumps from 0 to x_J = (2 c (1-q))^(1/(2-q)) at
 * w_J = x_J (2-q)/(2(1-q)); beyond, it is the larger root of y + c q y^(q-1) = w, a convex
 * equation on which Newton's iteration falls from w to the root.
 * Marjanovic and Solo, On lq optimization and matrix completion, 2012. */
#include "reg/reg.h"

static double value(const double *par, double y) { return par[0] * pow(y, par[1]); }

static double slope(const double *par, double y)
{
    return y == 0 ? unbounded(par[0]) : par[0] * par[1] * pow(y, par[1] - 1);
}

/* The larger root, w being past the least value of y + c q y^(q-1); `least` lies between the place
 * of that value and the root. */
static double larger_root(double c, double q, double w, double least)
{
    double y = w;
    if (c == 0 || isinf(w)) return w;
    for (int k = 0; k < 100; k++) {
        const double next = power_newton(q, w, y, c * q * pow(y, q - 1));
        if (!(next < y)) break;
        if (!(next > least)) return least;
        y = next;
    }
    return y;
}

static double shrink(const double *par, double t, double w)
{
    const double c = t * par[0], q = par[1], jump = pow(2 * c * (1 - q), 1 / (2 - q));
    return w <= jump * (2 - q) / (2 * (1 - q)) ? 0 : larger_root(c, q, w, jump / 2);
}

static int stationary(const double *par, double t, double w, double *y)
{
    const double c = t * par[0], q = par[1], least = pow(c * q * (1 - q), 1 / (2 - q));
    y[0] = w >= least * (2 - q) / (1 - q) ? larger_root(c, q, w, least) : 0;
    return y[0] > 0;
}

static double lipschitz(const double *par, double radius)
{
    return (void)radius, unbounded(par[0]);
}
static double weak_convexity(const double *par) { return unbounded(par[0]); }
static void rescale(const double *par, double u, double *out)
{
    out[0] = pow(u, 2 - par[1]) * par[0], out[1] = par[1];
}

static const crease_param params[] = { CREASE_PAR_NONNEGATIVE("lambda", "weight"),
                                       { "q", 0, 1, CREASE_OPEN_LOW | CREASE_OPEN_HIGH, "power" },
                                       { 0 } };

const crease_penalty crs_lq = {
    .name = "lq",
    .formula = "lambda y^q",
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

crease_reg crease_lq(double lambda, double q)
{
    return crease_separable(&crs_lq, (double[]){ lambda, q });
}
