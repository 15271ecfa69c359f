/* SPDX-License-Identifier: MIT
 * lsp: the log-sum penalty, theta > 0              weakly convex, modulus lambda/theta^2
 *
 * rho(y) = lambda log(1 + y/theta). A stationary y solves (y - w)(y + theta) + t lambda = 0; its
 * larger root y+ is a minimum, the smaller a maximum. Where w <= t lambda/theta, 0 is a local
 * minimum too and the values decide.
 * Candes, Wakin, Boyd, Enhancing sparsity by reweighted l1 minimization, 2008. */
#include "reg/reg.h"

static double value(const double *par, double y) { return par[0] * log1p(y / par[1]); }
static double slope(const double *par, double y) { return par[0] / (par[1] + y); }

static double curve(const double *par, double y) { return -par[0] / square(par[1] + y); }

/* y+ without cancellation, or a number <= 0 when there is none. */
static double larger_root(const double *par, double t, double w)
{
    const double c = t * par[0], theta = par[1], sum = w + theta, least = 2 * sqrt(c);
    if (sum < least) return 0;
    const double root = sqrt(sum - least) * sqrt(sum + least), b = w - theta;
    return smaller(w, b >= 0 ? (b + root) / 2 : 2 * (w * theta - c) / (root - b));
}

static double shrink(const double *par, double t, double w)
{
    const double y = larger_root(par, t, w);
    if (y <= 0) return 0;
    if (w <= t * par[0] / par[1] && value(par, y) + y * (y - 2 * w) / (2 * t) >= 0) return 0;
    return y;
}

static int stationary(const double *par, double t, double w, double *y)
{
    y[0] = larger_root(par, t, w);
    return y[0] > 0;
}

static double lipschitz(const double *par, double radius) { return (void)radius, par[0] / par[1]; }
static double weak_convexity(const double *par) { return par[0] / par[1] / par[1]; }
static void rescale(const double *par, double u, double *out)
{
    out[0] = u * u * par[0], out[1] = u * par[1];
}

static const crease_param params[] = { CREASE_PAR_NONNEGATIVE("lambda", "weight"),
                                       CREASE_PAR_POSITIVE("theta", "where the logarithm bends"),
                                       { 0 } };

const crease_penalty crs_lsp = {
    .name = "lsp",
    .formula = "lambda log(1 + y/theta)",
    .params = params,
    .lipschitz_text = "lambda/theta",
    .weak_convexity_text = "lambda/theta^2",
    .value = value,
    .slope = slope,
    .curve = curve,
    .shrink = shrink,
    .stationary = stationary,
    .lipschitz = lipschitz,
    .weak_convexity = weak_convexity,
    .rescale = rescale,
};

crease_reg crease_lsp(double lambda, double theta)
{
    return crease_separable(&crs_lsp, (double[]){ lambda, theta });
}
