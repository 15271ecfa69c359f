/* SPDX-License-Identifier: MIT
 * mcp: the minimax concave penalty, gamma > 0                  weakly convex, modulus 1/gamma
 *
 * rho(y) = lambda y - y^2/(2 gamma) for y <= gamma lambda, gamma lambda^2/2 after.
 * For t < gamma the prox shrinks, rescales, then leaves alone; for t >= gamma the first piece is
 * concave and the answer is 0 or w, with equal values at w = lambda sqrt(gamma t).
 * Zhang, Nearly unbiased variable selection under minimax concave penalty, 2010. */
#include "reg/reg.h"

static double value(const double *par, double y)
{
    const double lambda = par[0], gamma = par[1];
    if (y <= gamma * lambda) return lambda * y - y * y / (2 * gamma);
    return gamma * lambda * lambda / 2 + zero_at(y);
}

static double slope(const double *par, double y) { return pos(par[0] - y / par[1]); }

static double curve(const double *par, double y) { return y < par[1] * par[0] ? -1 / par[1] : 0; }

static double shrink(const double *par, double t, double w)
{
    const double lambda = par[0], gamma = par[1];
    if (t >= gamma) return w <= lambda * sqrt(gamma * t) ? 0 : w;
    if (w <= t * lambda) return 0;
    return w <= gamma * lambda ? smaller(gamma * (fma(-t, lambda, w) / (gamma - t)), w) : w;
}

static int stationary(const double *par, double t, double w, double *y)
{
    y[0] = t < par[1] ? shrink(par, t, w) : w;
    return y[0] > 0 && (t < par[1] || w >= par[1] * par[0]);
}

static double lipschitz(const double *par, double radius) { return (void)radius, par[0]; }
static double weak_convexity(const double *par) { return par[0] > 0 ? 1 / par[1] : 0; }
static void rescale(const double *par, double u, double *out)
{
    out[0] = u * par[0], out[1] = par[1];
}

static const crease_param params[] = { CREASE_PAR_NONNEGATIVE("lambda", "slope at zero"),
                                       CREASE_PAR_POSITIVE("gamma", "flat from gamma lambda on"),
                                       { 0 } };

const crease_penalty crs_mcp = {
    .name = "mcp",
    .formula = "lambda y - y^2/(2 gamma) if y <= gamma lambda, else gamma lambda^2/2",
    .params = params,
    .lipschitz_text = "lambda",
    .weak_convexity_text = "1/gamma",
    .value = value,
    .slope = slope,
    .curve = curve,
    .shrink = shrink,
    .stationary = stationary,
    .lipschitz = lipschitz,
    .weak_convexity = weak_convexity,
    .rescale = rescale,
};

crease_reg crease_mcp(double lambda, double gamma)
{
    return crease_separable(&crs_mcp, (double[]){ lambda, gamma });
}
