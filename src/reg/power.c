/* SPDX-License-Identifier: MIT
 * l_two_thirds: rho(y) = lambda y^(2/3)
 *
 * With c = 2 t lambda/3 the prox is 0 up to w = 2 c^(3/4), then y = c^(3/4) s^3, s the largest
 * root of s^4 - u s + 1 = 0, u = w c^(-3/4), from its resolvent cubic; one Newton step follows.
 * Cao, Sun, Xu, Fast image deconvolution using closed-form thresholding formulas of Lq (q = 1/2,
 * 2/3) regularization, 2013. */
#include "reg/reg.h"

static double value(const double *par, double y) { return par[0] * square(cbrt(y)); }

static double slope(const double *par, double y)
{
    return y == 0 ? unbounded(par[0]) : 2 * par[0] / (3 * cbrt(y));
}

/* s = (A + sqrt(2u/A - A^2))/2, A^2 = sqrt(4/3) (m + 1/m), m^3 + m^-3 = 2 h, h = 3 sqrt(3) u^2/16:
 * m^3 = h + sqrt(h^2 - 1), written so that u^2 never appears and cannot overflow. */
static double quartic_root(double u)
{
    const double h = 0.32475952641916449; /* 3 sqrt(3)/16 */
    const double inverse = 1 / h / u / u;
    if (inverse > 1) return 0;
    const double m = square(cbrt(u)) * cbrt(h * (1 + sqrt(1 - inverse * inverse)));
    const double square_a = 1.1547005383792515 * (m + 1 / m), a = sqrt(square_a);
    return (a + sqrt(pos(2 * u / a - square_a))) / 2;
}

/* The largest stationary point, or 0 when there is none; w > 0. */
static double largest_root(double c, double w)
{
    const double unit = sqrt(c) * sqrt(sqrt(c)), u = w / unit, s = quartic_root(u);
    if (isinf(u)) return w;
    if (s == 0) return 0;
    const double y = unit * s * s * s, g = c / cbrt(y);
    return 2 * y > g ? power_newton(2.0 / 3, w, y, g) : y;
}

static double shrink(const double *par, double t, double w)
{
    const double c = 2 * t * par[0] / 3;
    return w <= 2 * sqrt(c) * sqrt(sqrt(c)) ? 0 : largest_root(c, w);
}

static int stationary(const double *par, double t, double w, double *y)
{
    y[0] = w > 0 ? largest_root(2 * t * par[0] / 3, w) : 0;
    return y[0] > 0;
}

static double lipschitz(const double *par, double radius)
{
    return (void)radius, unbounded(par[0]);
}
static double weak_convexity(const double *par) { return unbounded(par[0]); }
static void rescale(const double *par, double u, double *out) { out[0] = u * cbrt(u) * par[0]; }

static const crease_param params[] = { CREASE_PAR_NONNEGATIVE("lambda", "weight"), { 0 } };

const crease_penalty crs_l_two_thirds = {
    .name = "l-two-thirds",
    .formula = "lambda y^(2/3)",
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

crease_reg crease_l_two_thirds(double lambda)
{
    return crease_separable(&crs_l_two_thirds, (double[]){ lambda });
}
