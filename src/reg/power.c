/* SPDX-License-Identifier: MIT
 * power: rho(y) = lambda y^q, 0 < q < 1, for q = 1/2, q = 2/3 and any q
 *
 * The prox is 0 up to a threshold and then the largest root of y + c q y^(q-1) = w, c = t lambda:
 * by the cosine formula (1/2), by the resolvent cubic of a quartic (2/3), one Newton step taking
 * off their rounding, or by Newton's iteration falling from w on the convex equation.
 * Xu, Chang, Xu, Zhang, L1/2 regularization: a thresholding representation theory, 2012; Cao, Sun,
 * Xu, Fast image deconvolution using closed-form thresholding formulas of Lq (q = 1/2, 2/3)
 * regularization, 2013; Marjanovic and Solo, On lq optimization and matrix completion, 2012. */
#include "reg/reg.h"

static const crease_param lambda_only[] = { CREASE_PAR_NONNEGATIVE("lambda", "weight"), { 0 } };

static double lipschitz(const double *par, double radius)
{
    return (void)radius, unbounded(par[0]);
}

static double weak_convexity(const double *par) { return unbounded(par[0]); }

/* Newton's step for y + g(y) = w, where g = t rho' is a multiple of y^(q-1); y < w. */
static double newton(double q, double w, double y, double g)
{
    return smaller(y - (y - w + g) / (1 - (1 - q) * g / y), w);
}

static double half_value(const double *par, double y) { return par[0] * sqrt(y); }

static double half_slope(const double *par, double y)
{
    return y == 0 ? unbounded(par[0]) : par[0] / (2 * sqrt(y));
}

static double half_curve(const double *par, double y) { return -par[0] / (4 * y * sqrt(y)); }

/* y = s^2, s the largest root of s^3 - w s + c/2 = 0, or 0 when there is none; w > 0. */
static double half_largest_root(double c, double w)
{
    const double third = w / 3, cosine = -c / 4 / third / sqrt(third);
    if (c == 0 || isinf(w)) return w;
    if (cosine < -1) return 0;
    const double y = 4 * third * square(cos(acos(cosine) / 3)), g = c / (2 * sqrt(y));
    return y > g ? newton(0.5, w, y, g) : y;
}

static double half_shrink(const double *par, double t, double w)
{
    const double c = t * par[0];
    return w <= 1.5 * square(cbrt(c)) ? 0 : half_largest_root(c, w);
}

static int half_stationary(const double *par, double t, double w, double *y)
{
    y[0] = w > 0 ? half_largest_root(t * par[0], w) : 0;
    return y[0] > 0;
}

static void half_rescale(const double *par, double u, double *out)
{
    out[0] = u * sqrt(u) * par[0];
}

const crease_penalty crs_l_half = {
    .name = "l-half",
    .formula = "lambda y^(1/2)",
    .params = lambda_only,
    .lipschitz_text = "none",
    .weak_convexity_text = "none",
    .value = half_value,
    .slope = half_slope,
    .curve = half_curve,
    .shrink = half_shrink,
    .stationary = half_stationary,
    .lipschitz = lipschitz,
    .weak_convexity = weak_convexity,
    .rescale = half_rescale,
};

crease_reg crease_l_half(double lambda)
{
    return crease_separable(&crs_l_half, (double[]){ lambda });
}

static double thirds_value(const double *par, double y) { return par[0] * square(cbrt(y)); }

static double thirds_slope(const double *par, double y)
{
    return y == 0 ? unbounded(par[0]) : 2 * par[0] / (3 * cbrt(y));
}

static double thirds_curve(const double *par, double y) { return -2 * par[0] / (9 * y * cbrt(y)); }

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

/* With c = 2 t lambda/3: y = c^(3/4) s^3, s the largest root of s^4 - u s + 1 = 0, u = w c^(-3/4),
 * or 0 when there is none; w > 0. */
static double thirds_largest_root(double c, double w)
{
    const double unit = sqrt(c) * sqrt(sqrt(c)), u = w / unit, s = quartic_root(u);
    if (isinf(u)) return w;
    if (s == 0) return 0;
    const double y = unit * s * s * s, g = c / cbrt(y);
    return 2 * y > g ? newton(2.0 / 3, w, y, g) : y;
}

static double thirds_shrink(const double *par, double t, double w)
{
    const double c = 2 * t * par[0] / 3;
    return w <= 2 * sqrt(c) * sqrt(sqrt(c)) ? 0 : thirds_largest_root(c, w);
}

static int thirds_stationary(const double *par, double t, double w, double *y)
{
    y[0] = w > 0 ? thirds_largest_root(2 * t * par[0] / 3, w) : 0;
    return y[0] > 0;
}

static void thirds_rescale(const double *par, double u, double *out)
{
    out[0] = u * cbrt(u) * par[0];
}

const crease_penalty crs_l_two_thirds = {
    .name = "l-two-thirds",
    .formula = "lambda y^(2/3)",
    .params = lambda_only,
    .lipschitz_text = "none",
    .weak_convexity_text = "none",
    .value = thirds_value,
    .slope = thirds_slope,
    .curve = thirds_curve,
    .shrink = thirds_shrink,
    .stationary = thirds_stationary,
    .lipschitz = lipschitz,
    .weak_convexity = weak_convexity,
    .rescale = thirds_rescale,
};

crease_reg crease_l_two_thirds(double lambda)
{
    return crease_separable(&crs_l_two_thirds, (double[]){ lambda });
}

static double any_value(const double *par, double y) { return par[0] * pow(y, par[1]); }

static double any_slope(const double *par, double y)
{
    return y == 0 ? unbounded(par[0]) : par[0] * par[1] * pow(y, par[1] - 1);
}

static double any_curve(const double *par, double y)
{
    return par[0] * par[1] * (par[1] - 1) * pow(y, par[1] - 2);
}

/* The larger root, w being past the least value of y + c q y^(q-1); `least` lies between the place
 * of that value and the root. */
static double larger_root(double c, double q, double w, double least)
{
    double y = w;
    if (c == 0 || isinf(w)) return w;
    for (int k = 0; k < 100; k++) {
        const double next = newton(q, w, y, c * q * pow(y, q - 1));
        if (!(next < y)) break;
        if (!(next > least)) return least;
        y = next;
    }
    return y;
}

/* It jumps from 0 to x_J = (2 c (1-q))^(1/(2-q)) at w_J = x_J (2-q)/(2(1-q)). */
static double any_shrink(const double *par, double t, double w)
{
    const double c = t * par[0], q = par[1], jump = pow(2 * c * (1 - q), 1 / (2 - q));
    return w <= jump * (2 - q) / (2 * (1 - q)) ? 0 : larger_root(c, q, w, jump / 2);
}

static int any_stationary(const double *par, double t, double w, double *y)
{
    const double c = t * par[0], q = par[1], least = pow(c * q * (1 - q), 1 / (2 - q));
    y[0] = w >= least * (2 - q) / (1 - q) ? larger_root(c, q, w, least) : 0;
    return y[0] > 0;
}

static void any_rescale(const double *par, double u, double *out)
{
    out[0] = pow(u, 2 - par[1]) * par[0], out[1] = par[1];
}

static const crease_param lambda_and_q[] = { CREASE_PAR_NONNEGATIVE("lambda", "weight"),
                                             { "q", 0, 1, CREASE_OPEN_LOW | CREASE_OPEN_HIGH,
                                               "power" },
                                             { 0 } };

const crease_penalty crs_lq = {
    .name = "lq",
    .formula = "lambda y^q",
    .params = lambda_and_q,
    .lipschitz_text = "none",
    .weak_convexity_text = "none",
    .value = any_value,
    .slope = any_slope,
    .curve = any_curve,
    .shrink = any_shrink,
    .stationary = any_stationary,
    .lipschitz = lipschitz,
    .weak_convexity = weak_convexity,
    .rescale = any_rescale,
};

crease_reg crease_lq(double lambda, double q)
{
    return crease_separable(&crs_lq, (double[]){ lambda, q });
}
