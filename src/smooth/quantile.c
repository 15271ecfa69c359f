/* SPDX-License-Identifier: MIT
 * quantile: the Moreau envelope of max(tau e, (tau - 1) e), e = -u = rhs - A x     convex
 *
 * With d = delta: tau e - d tau^2/2 for e >= tau d, (tau - 1) e - d (1 - tau)^2/2 for
 * e <= (tau - 1) d, e^2/(2d) between; phi'(u) = -clip(e/d, tau - 1, tau), phi'' in [0, 1/d]. Below
 * the plain loss by at most d max(tau, 1 - tau)^2/2. */
#include "smooth/smooth.h"

static double value(const double *par, double u)
{
    const double tau = par[0], d = par[1], high = (1 - tau) * d, low = -tau * d;
    if (u <= low) return tau * (low / 2 - u);
    if (u >= high) return (1 - tau) * (u - high / 2);
    return u * (u / d) / 2;
}

static double slope(const double *par, double u) { return clip(u / par[1], -par[0], 1 - par[0]); }

static double curve(const double *par, double u)
{
    const double t = u / par[1];
    return t > -par[0] && t < 1 - par[0] ? 1 / par[1] : isnan(u) ? u : 0;
}

static crs_range bend(const double *par, crs_range u)
{
    return (void)u, (crs_range){ 0, above(1 / par[1], 1) };
}

static const crease_param params[] = {
    { "tau", 0, 1, CREASE_OPEN_LOW | CREASE_OPEN_HIGH, "level of the quantile" },
    CREASE_PAR_POSITIVE("delta", "width of the smoothing"),
    { 0 },
};

const crs_loss crs_quantile = {
    .ops = { .name = "quantile",
             .formula = "sum_j w_j max(tau e_j, (tau-1) e_j), e = rhs - A x, smoothed: e_j^2/(2 "
                        "delta) while (tau-1) delta <= e_j <= tau delta",
             .params = params,
             CRS_PREDICTOR_OPS },
    .value = value,
    .slope = slope,
    .curve = curve,
    .high = INFINITY,
    .bend = bend,
};

crease_smooth crease_quantile(const crease_predictor *p, double tau, double delta)
{
    return (crease_smooth){ .ops = &crs_quantile.ops, .par = { tau, delta }, .data = p };
}
