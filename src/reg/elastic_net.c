/* SPDX-License-Identifier: MIT
 * elastic_net: rho(y) = lambda1 y + (lambda2/2) y^2                                 convex
 *
 * The prox is max(w - t lambda1, 0) / (1 + t lambda2).
 * Zou and Hastie, Regularization and variable selection via the elastic net, 2005. */
#include "reg/reg.h"

static double value(const double *par, double y) { return y * (par[0] + par[1] / 2 * y); }
static double slope(const double *par, double y) { return par[0] + par[1] * y; }

static double curve(const double *par, double y) { return (void)y, par[1]; }

static double shrink(const double *par, double t, double w)
{
    return pos(w - t * par[0]) / (1 + t * par[1]);
}

static int stationary(const double *par, double t, double w, double *y)
{
    y[0] = shrink(par, t, w);
    return y[0] > 0;
}

static double lipschitz(const double *par, double radius) { return par[0] + times(par[1], radius); }
static double weak_convexity(const double *par) { return (void)par, 0; }
static void rescale(const double *par, double u, double *out)
{
    out[0] = u * par[0], out[1] = par[1];
}

static const crease_param params[] = { CREASE_PAR_NONNEGATIVE("lambda1", "weight of y"),
                                       CREASE_PAR_NONNEGATIVE("lambda2", "weight of y^2/2"),
                                       { 0 } };

const crease_penalty crs_elastic_net = {
    .name = "elastic-net",
    .formula = "lambda1 y + lambda2 y^2/2",
    .params = params,
    .lipschitz_text = "none (lambda1 + lambda2 R up to R)",
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

crease_reg crease_elastic_net(double lambda1, double lambda2)
{
    return crease_separable(&crs_elastic_net, (double[]){ lambda1, lambda2 });
}
