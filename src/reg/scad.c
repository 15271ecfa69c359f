/* SPDX-License-Identifier: MIT
 * scad: the smoothly clipped absolute deviation, a > 2       weakly convex, modulus 1/(a-1)
 *
 * rho(y) = lambda y for y <= lambda, lambda y - (y-lambda)^2/(2(a-1)) up to a lambda, then
 * lambda^2 (a+1)/2. For t < a-1 the prox shrinks, stretches, then leaves alone; for larger t the
 * middle piece is concave and the answer is the soft threshold or w, from t = a+1 on 0 or w.
 * Fan and Li, Variable selection via nonconcave penalized likelihood, 2001. */
#include "reg/reg.h"

static double value(const double *par, double y)
{
    const double lambda = par[0], a = par[1];
    if (y <= lambda) return lambda * y;
    if (y <= a * lambda) return lambda * y - square(y - lambda) / (2 * (a - 1));
    return lambda * lambda * (a + 1) / 2 + zero_at(y);
}

static double slope(const double *par, double y)
{
    const double lambda = par[0], a = par[1];
    return y <= lambda ? lambda : pos(a * lambda - y) / (a - 1);
}

static double curve(const double *par, double y)
{
    return y > par[0] && y < par[1] * par[0] ? -1 / (par[1] - 1) : 0;
}

/* Where t < a-1: the middle piece's stationary point, from its lower end on. */
static double middle(const double *par, double t, double w)
{
    const double lambda = par[0], a = par[1];
    return smaller(lambda + (a - 1) * (fma(-t, lambda, w - lambda) / (a - 1 - t)), w);
}

static double shrink(const double *par, double t, double w)
{
    const double lambda = par[0], a = par[1];
    if (t > a + 1) return w <= lambda * sqrt(t * (a + 1)) ? 0 : w;
    if (t >= a - 1) return w <= lambda * (a + 1 + t) / 2 ? pos(w - t * lambda) : w;
    if (w <= (1 + t) * lambda) return pos(w - t * lambda);
    return w <= a * lambda ? middle(par, t, w) : w;
}

static int stationary(const double *par, double t, double w, double *y)
{
    const double lambda = par[0], a = par[1];
    int n = 0;
    y[n] = t < a - 1 ? shrink(par, t, w) : w - t * lambda;
    n += y[n] > 0 && (t < a - 1 || y[n] <= lambda);
    y[n] = w;
    return n + (t >= a - 1 && w >= a * lambda && w > 0);
}

static double lipschitz(const double *par, double radius) { return (void)radius, par[0]; }
static double weak_convexity(const double *par) { return par[0] > 0 ? 1 / (par[1] - 1) : 0; }
static void rescale(const double *par, double u, double *out)
{
    out[0] = u * par[0], out[1] = par[1];
}

static const crease_param params[] = { CREASE_PAR_NONNEGATIVE("lambda", "slope at zero"),
                                       { "a", 2, INFINITY, CREASE_OPEN_LOW | CREASE_OPEN_HIGH,
                                         "flat from a lambda on" },
                                       { 0 } };

const crease_penalty crs_scad = {
    .name = "scad",
    .formula = "lambda y if y <= lambda, lambda y - (y-lambda)^2/(2(a-1)) if y <= a lambda, else "
               "lambda^2 (a+1)/2",
    .params = params,
    .lipschitz_text = "lambda",
    .weak_convexity_text = "1/(a-1)",
    .value = value,
    .slope = slope,
    .curve = curve,
    .shrink = shrink,
    .stationary = stationary,
    .lipschitz = lipschitz,
    .weak_convexity = weak_convexity,
    .rescale = rescale,
};

crease_reg crease_scad(double lambda, double a)
{
    return crease_separable(&crs_scad, (double[]){ lambda, a });
}
